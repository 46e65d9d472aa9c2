"""Given labels that look wrong, in a run: who looks for them, and what is told of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..advice.cleaning import Cleaning
from ..committees.base import Committee
from ..committees.cleaned import Cleaned
from ..common.notice import notice
from .labels import Labels
from .training import Trainer


def cleaning(committee: Committee, way: str | None) -> Committee:
    """The committee, or one around it that looks for wrong labels."""
    return committee if way is None else Cleaned(committee, way)


def told(trainer: Trainer, labels: Labels) -> Cleaning | None:
    """What became of given labels that look wrong, by their rows; the user is told. None if nobody asked."""
    first = trainer.first
    if first is None or first.cleaning is None:
        return None
    notice(f"{first.cleaning}. `cleaned_` tells more.")
    given = np.flatnonzero((labels.round == 0) & (labels.weight > 0))
    return replace(first.cleaning, rows=given[first.cleaning.rows])

"""What was stated of held-out labelled rows and how many of these guesses were right, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pandas as pd

from ..common.types import Fitted
from ..heldout.calibration import Stated, by_guess, by_probability
from .data import class_names

_EDGES = np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_COLUMNS = ["name", "rows", "stated", "right", "low", "high"]


def by_stated(clf: Fitted) -> pd.DataFrame:
    """Held-out rows by the probability stated of their guess: name, rows, stated, right, low, high."""
    if clf.held_out_ is None:
        return pd.DataFrame(columns=_COLUMNS)
    names = ["below 50%", *(f"{low:.0%} to {high:.0%}" for low, high in pairwise(_EDGES[1:]))]
    return _lines(names, by_probability(clf.held_out_, _EDGES))


def by_class(clf: Fitted) -> pd.DataFrame:
    """Held-out rows by the class that is guessed: the same columns."""
    if clf.held_out_ is None:
        return pd.DataFrame(columns=_COLUMNS)
    return _lines(class_names(clf), by_guess(clf.held_out_))


def _lines(names: Sequence[str], groups: Sequence[Stated | None]) -> pd.DataFrame:
    known = [{"name": name} | asdict(group) for name, group in zip(names, groups, strict=True) if group]
    return pd.DataFrame(known).rename(columns={"n": "rows"}) if known else pd.DataFrame(columns=_COLUMNS)

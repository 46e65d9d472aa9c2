"""The average form: the expected share of wrong labels among those filled is at most 1 - right.

Conformal selection (Jin and Candès 2022): the false discovery rate of Benjamini and Hochberg, with p-values
that compare the score of an unlabelled row with those of held-out rows that were guessed wrong.
"""

from __future__ import annotations

import numpy as np

from ..common.types import Floats
from .steps import Steps

_NEARLY = 1e-12


def false_share(steps: Steps) -> Floats:
    """The share of wrong labels that is reckoned with at each step, shape (T,).

    One wrong row more than there were, of one row more than there were.
    """
    return (1 + steps.wrong_of_all) / (1 + steps.n_all) * steps.m / np.maximum(steps.filled, 1)


def on_average(steps: Steps, right: float) -> int:
    """The loosest step at which at least `right` is right on average; -1 if there is none."""
    passed = np.flatnonzero(false_share(steps) <= 1 - right + _NEARLY)
    return int(passed[-1]) if len(passed) else -1

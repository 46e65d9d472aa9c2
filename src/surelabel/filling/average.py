"""The average form: the expected share of wrong labels among those filled is at most 1 - right.

Conformal selection (Jin and Candès 2022): the false discovery rate of Benjamini and Hochberg, with p-values
that compare the score of an unlabelled row with those of held-out rows that were guessed wrong. It is exact
for rows that nobody has learnt from. Of cross-fitted rows it is neither exact nor needed: their guesses are
worse than final ones, and fewer rows are filled than could be. There what is stated of the rows may stand for
the one wrong row more that conformal selection reckons with.
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
    return (1 + steps.wrong_of_all) * _each(steps)


def likely_false_share(steps: Steps) -> Floats:
    """The same for cross-fitted rows, never more, shape (T,).

    The largest of three: what one wrong row would mean, so that no promise stands on fewer rows than it
    takes; the share wrong of held-out rows; and what is stated of the unlabelled rows, corrected where
    held-out rows were wrong more often than stated.
    """
    seen = steps.wrong_of_all / max(steps.n_all, _NEARLY) * steps.m / np.maximum(steps.filled, 1)
    return np.minimum(false_share(steps), np.maximum(np.maximum(seen, _each(steps)), steps.expected))


def on_average(steps: Steps, right: float, exact: bool = False) -> int:
    """The loosest step at which at least `right` is right on average; -1 if there is none.

    Parameters
    ----------
    steps : Steps
        Thresholds.
    right : float
        What is asked.
    exact : bool, default=False
        Whether the rows are a split that nothing was learnt from or chosen on; then it is a theorem.
    """
    share = false_share(steps) if exact else likely_false_share(steps)
    passed = np.flatnonzero(share <= 1 - right + _NEARLY)
    return int(passed[-1]) if len(passed) else -1


def _each(steps: Steps) -> Floats:
    """What one held-out row stands for: its share of the rows filled at each step, shape (T,)."""
    return steps.m / np.maximum(steps.filled, 1) / (1 + steps.n_all)

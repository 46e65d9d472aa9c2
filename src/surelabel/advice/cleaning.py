"""Given labels that look wrong, and how much each may still teach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.settings import DROP
from ..common.types import Floats, Ints
from ..heldout.record import HeldOut
from ..heldout.verdict import Verdict
from .doubts import doubtful

# A label is left out where another class is more probable than it by this.
_SURE = 0.6
# At least this share of the labels of a class stays: a class is never cleaned away.
_STAYS = 0.5
# No label that counts at all counts less than this: models fail on weights that are nearly 0.
_LEAST = 0.05


@dataclass(frozen=True, eq=False)
class Cleaning:
    """What became of given labels that look wrong.

    Parameters
    ----------
    way : {"drop", "down-weight"}
        What was asked: to leave them out of training, or to let them count less.
    rows : ndarray of shape (m,)
        The labels that look wrong, as positions of their rows in the fit.
    weight : ndarray of shape (m,)
        What each would count in training, from 0 to below 1.
    n_given : int
        Given labels in all.
    verdict : Verdict
        What held-out rows say of the classifier trained so, against the one that is trained on all labels.

    Examples
    --------
    >>> verdict = Verdict(0.80, 0.84, gain=1.5, error=0.5, n_rows=200, seconds=2.0, low=0.2, high=2.8)
    >>> print(Cleaning("drop", np.array([3, 17]), np.zeros(2), 200, verdict))
    2 of 200 given labels look wrong and were left out of training: judged by held-out rows, the
    classifier is expected to be better by 1.5 points (+0.2 to +2.8 with 95% confidence)
    """

    way: str
    rows: Ints
    weight: Floats
    n_given: int
    verdict: Verdict

    @property
    def used(self) -> bool:
        """Whether the classifier was trained so: only where held-out rows say that it is better."""
        return bool(len(self.rows)) and self.verdict.gain > 0

    def __str__(self) -> str:
        if not len(self.rows):
            return f"none of {self.n_given:,} given labels looks wrong; all of them were trained on"
        look, were = ("looks", "was") if len(self.rows) == 1 else ("look", "were")
        they = f"{len(self.rows):,} of {self.n_given:,} given labels {look} wrong"
        low, high = self.verdict.interval
        span = f"{low:+.1f} to {high:+.1f} with 95% confidence"
        if not self.used:
            return (
                f"{they}; all were trained on as they are: held-out rows do not say that the classifier "
                f"would be better without ({self.verdict.gain:+.1f} points, {span})"
            )
        what = "left out of training" if self.way == DROP else "counted less in training"
        return (
            f"{they} and {were} {what}: judged by held-out rows, the classifier is expected to be better by "
            f"{self.verdict.gain:.1f} points ({span})"
        )


def lesson_weights(held: HeldOut, way: str) -> Floats:
    """What each given label is to count in training, from 0 to 1, by those that had not seen it, shape (n,).

    Examples
    --------
    >>> P = np.array([[[0.9, 0.1], [0.8, 0.2], [0.95, 0.05], [0.1, 0.9], [0.2, 0.8], [0.4, 0.6]]])
    >>> held = HeldOut(("one",), P, np.array([0, 0, 1, 1, 1, 0]), np.ones(6), np.arange(6))
    >>> lesson_weights(held, "drop")
    array([1., 1., 0., 1., 1., 1.])
    >>> lesson_weights(held, "down-weight").round(2)
    array([1.  , 1.  , 0.23, 1.  , 1.  , 0.82])
    """
    doubts = doubtful(held)
    if way == DROP:
        weight = np.where(doubts.p_suggestion - doubts.p_given > _SURE, 0.0, 1.0)
    else:
        odds = doubts.p_given / np.maximum(doubts.p_suggestion, np.finfo(float).tiny)
        weight = np.clip(np.sqrt(odds), _LEAST, 1.0)
    for code in np.unique(held.codes):
        of_class = np.flatnonzero(held.codes == code)
        best = of_class[np.argsort(-doubts.score[of_class], kind="stable")]
        weight[best[: int(np.ceil(_STAYS * len(best)))]] = 1.0
    return weight

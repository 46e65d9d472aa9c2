"""Given labels that look wrong: what is said of each by those that have not seen it.

The score of a label is its held-out probability. How many are wrong cannot be read off the errors alone:
classes that overlap look like wrong labels. But where they overlap errors are rarer among the surest guesses,
while wrong labels are everywhere. So the surest half of the rows is looked at, and as many errors there as
overlapping classes may cause are not counted: half as large a share as among all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from ..common.types import Floats, Ints
from ..heldout.record import HeldOut

_OUTSIDE = 0.025  # on each side of an interval of 95%
_SUREST = 0.5
# The share of errors among the surest rows that overlapping classes cause, at most, in shares among all rows.
_OVERLAP = 0.5
# With more errors than this, classes are too hard to predict for a wrong label to be told from a right one.
_TOO_HARD = 0.35
_NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class Doubts:
    """What held-out predictions say of given labels.

    Parameters
    ----------
    score : ndarray of shape (n,)
        The lower, the more a label looks wrong; from 0 to 1.
    p_given : ndarray of shape (n,)
        Held-out probability of the given label.
    suggestion : ndarray of shape (n,)
        The most probable other class, as a code.
    p_suggestion : ndarray of shape (n,)
        Its probability.
    expected : float
        How many labels are expected to be wrong.
    low, high : int
        Where that number lies with 95% confidence, if wrong labels are spread over all rows.

    Examples
    --------
    >>> P = np.array([[[0.9, 0.1], [0.2, 0.8], [0.97, 0.03]]])
    >>> doubts = doubtful(HeldOut(("one",), P, np.array([0, 1, 1]), np.ones(3), np.arange(3)))
    >>> doubts.score.argmin(), doubts.suggestion.tolist()
    (np.int64(2), [1, 0, 0])
    """

    score: Floats
    p_given: Floats
    suggestion: Ints
    p_suggestion: Floats
    expected: float
    low: int
    high: int

    def __len__(self) -> int:
        return len(self.score)

    def __str__(self) -> str:
        said = f"about {self.expected:,.0f} of {len(self):,} given labels are expected to be wrong"
        said += f" ({self.low:,} to {self.high:,} with 95% confidence)"
        return said if self.low else f"{said}; it may be none"

    @staticmethod
    def together(each: Sequence[Doubts]) -> Doubts:
        """Those of several labels, one below the other; numbers add up."""
        return Doubts(
            np.concatenate([one.score for one in each]),
            np.concatenate([one.p_given for one in each]),
            np.concatenate([one.suggestion for one in each]),
            np.concatenate([one.p_suggestion for one in each]),
            sum(one.expected for one in each),
            sum(one.low for one in each),
            sum(one.high for one in each),
        )


def doubtful(held: HeldOut) -> Doubts:
    """What the last candidate of a record says of the given labels.

    Parameters
    ----------
    held : HeldOut
        Its last candidate is the one that the final classifier was made like.
    """
    p, codes, rows = held.P[-1], held.codes, np.arange(len(held))
    others = p.copy()
    others[rows, codes] = -np.inf
    suggestion = others.argmax(axis=1)
    expected, low, high = number_wrong(p, codes)
    given = p[rows, codes]
    return Doubts(given, given, suggestion, p[rows, suggestion], expected, low, high)


def number_wrong(p: Floats, codes: Ints) -> tuple[float, int, int]:
    """How many labels are expected to be wrong, and an interval of 95%, from held-out p (n, K).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 400)
    >>> p = np.where(np.eye(2)[truth] > 0, 0.99, 0.01)
    >>> number_wrong(p, truth)
    (0.0, 0, 8)
    >>> number_wrong(p, np.where(np.arange(400) % 10, truth, 1 - truth))
    (40.0, 9, 61)
    """
    n = len(codes)
    if not n:
        return 0.0, 0, 0
    wrong = p.argmax(axis=1) != codes
    surest = np.argsort(-p.max(axis=1), kind="stable")[: max(round(_SUREST * n), 1)]
    m, k, share = len(surest), int(wrong[surest].sum()), float(wrong.mean())
    least = float(betaincinv(k, m - k + 1, _OUTSIDE)) if k else 0.0
    most = float(betaincinv(k + 1, m - k, 1 - _OUTSIDE)) if k < m else 1.0
    high = int(np.ceil(n * most))
    if share > _TOO_HARD:
        return 0.0, 0, max(high, int(wrong.sum()))
    expected = float(n * _beyond_overlap(k / m, share))
    return expected, int(n * _beyond_overlap(least, share) + _NEARLY), max(high, int(np.ceil(expected)))


def _beyond_overlap(surest: float, share: float) -> float:
    """The share of labels that is wrong, by the shares of errors among the surest rows and among all."""
    return max(surest - _OVERLAP * share, 0.0) / (1 - _OVERLAP)

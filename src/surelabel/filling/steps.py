"""Thresholds from strict to loose: at each, how many rows are filled, and what held-out rows say of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Bools, Floats, Ints
from .evidence import Evidence

# By how many standard errors fewer held-out rows than unlabelled ones may be above a threshold.
_SLACK = 2.0
_NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class Steps:
    """Thresholds, and what is above each.

    Parameters
    ----------
    threshold : ndarray of shape (T,)
        Scores of unlabelled rows, the highest first.
    filled : ndarray of shape (T,)
        Unlabelled rows at or above it.
    n, wrong : ndarrays of shape (T,)
        Held-out rows that stand for them, and how many of these were guessed wrong. With weights: the number
        of equally weighted rows that they are worth, (sum w)^2 / sum w^2 (Kish), and the wrong share of it.
    wrong_of_all : ndarray of shape (T,)
        The same rows that were wrong, as a share of all held-out rows, times n_all.
    stated : ndarray of shape (T,)
        The share wrong among the unlabelled rows at or above the threshold, by the probabilities stated.
    expected : ndarray of shape (T,)
        The same, more where held-out rows were wrong more often than stated of them.
    n_all : float
        What all held-out rows are worth.
    m : int
        Unlabelled rows.
    """

    threshold: Floats
    filled: Ints
    n: Floats
    wrong: Floats
    wrong_of_all: Floats
    stated: Floats
    expected: Floats
    n_all: float
    m: int

    def __len__(self) -> int:
        return len(self.threshold)

    def at(self, chosen: Ints | Bools) -> Steps:
        """Some of the steps."""
        return Steps(
            self.threshold[chosen],
            self.filled[chosen],
            self.n[chosen],
            self.wrong[chosen],
            self.wrong_of_all[chosen],
            self.stated[chosen],
            self.expected[chosen],
            self.n_all,
            self.m,
        )

    def spread(self, n_steps: int) -> Steps:
        """At most so many of the steps, at even shares of the unlabelled rows."""
        if not len(self):
            return self
        shares = np.arange(1, n_steps + 1) / n_steps * self.m
        return self.at(np.unique(np.searchsorted(self.filled, shares).clip(max=len(self) - 1)))


def steps_of(evidence: Evidence) -> Steps:
    """A step for each score of the unlabelled rows, the strictest first.

    The held-out rows that stand for a step are those at or above its threshold. The final classifier may
    state higher probabilities than those of the folds did: then many unlabelled rows are above a threshold,
    and few held-out ones, which say nothing of the others. So their share is never less than that of the
    unlabelled rows by more than chance explains (two standard errors); the next best rows are taken in.

    Examples
    --------
    >>> evidence = Evidence(np.array([0.9, 0.8, 0.7]), np.zeros(3, int), np.array([True, False, True]),
    ...                     np.ones(3), np.array([0.75, 0.95]), np.zeros(2, int), 2)
    >>> steps = steps_of(evidence)
    >>> steps.threshold.tolist(), steps.filled.tolist(), steps.n.tolist(), steps.wrong.tolist()
    ([0.95, 0.75], [1, 2], [0.0, 3.0], [0.0, 1.0])
    """
    threshold, counts = np.unique(evidence.pool_score, return_counts=True)
    threshold, filled = threshold[::-1], np.cumsum(counts[::-1])
    m = len(evidence.pool_score)
    order = np.argsort(-evidence.score, kind="stable")
    score, weight = evidence.score[order], evidence.weight[order]
    sums = [
        np.concatenate([[0.0], np.cumsum(each)])
        for each in (weight, weight**2, weight * ~evidence.right[order])
    ]
    above = np.searchsorted(-score, -threshold, "right")
    if len(score) and m:
        above = np.maximum(above, _least_above(score, sums[0], filled / m, _worth(sums[0][-1], sums[1][-1])))
    total, squares, wrong = (each[above] for each in sums)
    n = _worth(total, squares)
    n_all = float(_worth(sums[0][-1], sums[1][-1]))
    stated = 1 - np.cumsum(np.sort(evidence.pool_score)[::-1])[filled - 1] / filled
    return Steps(
        threshold,
        filled,
        n,
        n * wrong / np.maximum(total, _NEARLY),
        n_all * wrong / max(sums[0][-1], _NEARLY),
        stated,
        np.minimum(stated * _too_sure(evidence), 1.0),
        n_all,
        m,
    )


def _too_sure(evidence: Evidence) -> float:
    """How many times more often than stated held-out rows are wrong; 1 where they are wrong less often.

    One row more on both sides, so that few rows do not say much.
    """
    weight = evidence.weight / max(evidence.weight.mean(), _NEARLY) if len(evidence.weight) else 0.0
    wrong, stated = (weight * ~evidence.right).sum(), (weight * (1 - evidence.score)).sum()
    return max(float((1 + wrong) / (1 + stated)), 1.0)


def estimated_error(steps: Steps) -> Floats:
    """The share wrong above each threshold: half by held-out rows, half by what is stated, shape (T,)."""
    return np.where(steps.n > 0, (steps.wrong / np.maximum(steps.n, 1) + steps.stated) / 2, steps.stated)


def _least_above(score: Floats, cumulated: Floats, share: Floats, n: Floats) -> Ints:
    """How many of the best held-out rows stand for such shares of the unlabelled rows at the least, (T,)."""
    least = share - _SLACK * np.sqrt(share * (1 - share) / n)
    rows = np.searchsorted(cumulated / cumulated[-1], least - _NEARLY)
    # Rows of the same score belong together.
    level = score[np.maximum(rows, 1) - 1]
    return np.where(rows > 0, np.searchsorted(-score, -level, "right"), 0)


def _worth(total: Floats, squares: Floats) -> Floats:
    """The number of equally weighted rows that weighted rows are worth."""
    return total**2 / np.maximum(squares, _NEARLY)

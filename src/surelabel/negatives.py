"""Classes that a row is surely not: the negative labels of UPS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from .budget import Budget
from .common.settings import NOT_NEGATIVE, SHARE, Checked, Setting
from .common.types import Bools, Floats, Ints


@dataclass
class Negatives(Checked, BaseEstimator):
    """Find classes that a row is surely not (the negative labels of UPS).

    Parameters
    ----------
    gamma : float, default=0.2
        A class is ruled out at or below this probability...
    kappa : float, default=0.05
        ...when the committee's standard deviation on it is at most this.

    See Also
    --------
    Threshold : The labels that UPS gives beside them.

    Examples
    --------
    The third class is ruled out in the first row; what is left sums to 1.

    >>> from surelabel import Budget, Negatives
    >>> p = np.array([[0.5, 0.4, 0.1], [0.4, 0.3, 0.3]])
    >>> Negatives()(p, np.zeros((2, 3)), Budget(1.0, np.full(3, 1 / 3), pool=2)).round(2)
    array([[0.56, 0.44, 0.  ],
           [0.  , 0.  , 0.  ]])
    """

    gamma: float = 0.2
    kappa: float = 0.05
    takes: ClassVar[dict[str, Setting]] = {"gamma": SHARE, "kappa": NOT_NEGATIVE}

    def __call__(self, p: Floats, spread: Floats, budget: Budget) -> Floats:
        """Soft targets of the rows with a class ruled out, zero elsewhere, shape (N, K)."""
        ruled_out = rule_out(p, spread, self.gamma, self.kappa, budget.quota)
        return remaining(p, ruled_out)


def rule_out(p: Floats, spread: Floats, gamma: float, kappa: float, quota: Ints) -> Bools:
    """Cells that are surely not the row's class, at most quota per class, shape (N, K)."""
    low = (p <= gamma) & (spread <= kappa)
    # With one class left this would be a positive label outside its quota.
    low &= (~low).sum(axis=1, keepdims=True) > 1
    for k, most in enumerate(quota):
        rows = np.flatnonzero(low[:, k])
        low[rows[np.argsort(p[rows, k], kind="stable")[most:]], k] = False
    return low


def remaining(p: Floats, ruled_out: Bools) -> Floats:
    """P over the classes not ruled out, summing to 1 in rows that have any, shape (N, K).

    Training on these has the gradient of UPS's loss, -log(1 - sum of p ruled out).
    """
    left = np.where(ruled_out, 0.0, p)
    scale = left.sum(axis=1, keepdims=True)
    touched = ruled_out.any(axis=1, keepdims=True) & (scale > 0)
    return np.where(touched, left / np.where(scale > 0, scale, 1), 0.0)

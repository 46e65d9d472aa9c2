"""How far stated probabilities can be believed: what was stated of held-out rows, and how many were right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from ..common.types import Floats, Ints
from .record import HeldOut

_OUTSIDE = 0.025  # on each side of an interval of 95%


@dataclass(frozen=True)
class Stated:
    """Some guesses of held-out rows.

    Parameters
    ----------
    n : int
        How many.
    stated : float
        The probability that was stated of them, in the mean.
    right : float
        The share of them that is right.
    low, high : float
        Where that share lies with 95% confidence (Clopper and Pearson).
    """

    n: int
    stated: float
    right: float
    low: float
    high: float


def by_probability(held: HeldOut, edges: Floats) -> list[Stated | None]:
    """Guesses of the only candidate by what was stated of them; one for each pair of edges, None if empty.

    Examples
    --------
    >>> P = np.array([[[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]])
    >>> held = HeldOut(("one",), P, np.array([0, 1, 1]), np.ones(3), np.arange(3))
    >>> [each and (each.n, each.right) for each in by_probability(held, np.array([0.0, 0.5, 0.7, 1.0]))]
    [None, (1, 1.0), (2, 0.5)]
    """
    best = held.P[0].max(axis=1)
    return _grouped(
        held, np.clip(np.searchsorted(edges, best, "right") - 1, 0, len(edges) - 2), len(edges) - 1
    )


def by_guess(held: HeldOut) -> list[Stated | None]:
    """Guesses of the only candidate by the class that is guessed, one for each class, None if it never is."""
    return _grouped(held, held.P[0].argmax(axis=1), held.P.shape[2])


def _grouped(held: HeldOut, group: Ints, n_groups: int) -> list[Stated | None]:
    best, right = held.P[0].max(axis=1), held.right[0]
    return [_stated(best[group == k], right[group == k]) for k in range(n_groups)]


def _stated(best: Floats, right: Ints) -> Stated | None:
    n, k = len(best), int(right.sum())
    if not n:
        return None
    low = float(betaincinv(k, n - k + 1, _OUTSIDE)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - _OUTSIDE)) if k < n else 1.0
    return Stated(n, float(best.mean()), k / n, low, high)

"""Integral probability metrics between weightings of members: how far a chosen one is from one fixed before.

Theorem 2 holds with any class F of test functions that contains 2 (N - 1) times the squared gap between true
and observed tandem loss. Divided by 2 (N - 1), the distance of F is at most what these functions return.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..transport import solve


def total_variation(weights: ArrayLike, prior: ArrayLike) -> float:
    """The most that two weightings can differ on any set of members, within [0, 1].

    The squared gap is within 0 and 1: that is all this distance asks of it.

    Parameters
    ----------
    weights, prior : array of shape (M,)
        Two weightings of the members, each summing to 1.

    See Also
    --------
    wasserstein : Less where members are alike.
    ipm_bound : Rests on it.

    Examples
    --------
    >>> total_variation([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
    0.5
    """
    return float(np.abs(np.asarray(weights) - prior).sum() / 2)


def wasserstein(weights: ArrayLike, prior: ArrayLike, apart: ArrayLike) -> float:
    """The least that must be moved to turn one weighting into the other, times how far.

    Parameters
    ----------
    weights, prior : array of shape (M,)
        Two weightings of the members, each summing to 1.
    apart : array of shape (M, M)
        How far apart two members are.

    See Also
    --------
    total_variation : The same with every two members 1 apart.

    Examples
    --------
    All of the weight moves, but between members that are 0.1 apart:

    >>> round(wasserstein([1, 0], [0, 1], [[0, 0.1], [0.1, 0]]), 3)
    0.1
    """
    weights, prior = np.asarray(weights, dtype=float), np.asarray(prior, dtype=float)
    apart = np.asarray(apart, dtype=float)
    if apart.shape != (len(weights), len(weights)) or not (apart >= 0).all():
        m = len(weights)
        raise ValueError(f"apart must be {m} x {m} numbers, none below 0; its shape is {apart.shape}.")
    some = weights > 0
    return float(solve(apart[some], weights[some], prior, epsilon=0).certificate.cost)


def of_pairs(weights: ArrayLike, prior: ArrayLike, apart: ArrayLike | None = None) -> float:
    """The distance between two weightings of pairs of members, as `ipm_bound` needs it.

    Where `apart`, shape (M, M), is at least the share of rows on which two members differ, of all new rows
    as well as of those seen: exchanging one member of a pair changes either tandem loss by at most that
    share, their gap by twice and its square by four times as much, and never by more than 1.
    """
    weights, prior = np.asarray(weights, dtype=float), np.asarray(prior, dtype=float)
    variation = total_variation(np.outer(weights, weights), np.outer(prior, prior))
    if apart is None:
        return variation
    # On pairs, with distances added up, it is that of the first plus that of the second members.
    return min(variation, 2 * wasserstein(weights, prior, np.minimum(4 * np.asarray(apart), 1.0)))

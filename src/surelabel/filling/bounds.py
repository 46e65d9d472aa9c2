"""What n checked rows of which k were wrong say about rows that were not checked."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, betaincinv
from scipy.stats import hypergeom

from ..common.types import Floats, Ints
from .record import ShareRight

_OUTSIDE = 0.025  # on each side of an interval of 95%
_NEARLY = 1e-9  # so that 0.05 * 20 is 1, and 45 rows of weight 0.1 are 45
_MOST = 10**7


def most_wrong(n: Floats, k: Floats, confidence: float) -> Floats:
    """The share wrong that is not exceeded with confidence, where k of n rows drawn at random were wrong.

    The quantile of Beta(k + 1, n - k) (Clopper and Pearson, one side). Numbers need not be whole.

    Examples
    --------
    >>> most_wrong(np.array([45.0, 77.0]), np.array([0.0, 1.0]), 0.9).round(4).tolist()
    [0.0499, 0.0496]
    """
    n, k = np.asarray(n, dtype=float), np.asarray(k, dtype=float)
    return np.where(k >= n, 1.0, betaincinv(k + 1, np.maximum(n - k, _NEARLY), confidence))


def chance_if_worse(n: Floats, k: Floats, m: Ints, right: float) -> Floats:
    """The chance of at most k wrong among n rows if fewer than `right` of m others were right.

    The n rows are a random part of the n + m, so the number wrong in them is hypergeometric; exact for small
    pools too. Numbers that are not whole are rounded to the safe side: n down, k up. Where this is at
    most 1 - confidence, at least `right` of the m rows are right with that confidence: whatever the number
    wrong in all, k or fewer are no more likely than with the fewest wrong rows that break the promise.

    Examples
    --------
    >>> chance_if_worse(np.array([45.0]), np.array([0.0]), np.array([10**6]), 0.95).round(4).tolist()
    [0.0994]
    """
    n = np.floor(np.asarray(n, dtype=float) + _NEARLY).astype(int)
    k = np.ceil(np.asarray(k, dtype=float) - _NEARLY).astype(int)
    m = np.asarray(m, dtype=int)
    fewest = np.floor((1 - right) * m + _NEARLY).astype(int) + 1
    chance = hypergeom.cdf(k, n + m, np.minimum(k + fewest, n + m), n)
    return np.where(k >= n, 1.0, np.where(fewest > m, 0.0, chance))


def most_allowed(n: Floats, m: Ints, right: float, risk: float) -> Ints:
    """The most wrong rows among n with which at least `right` of m others are right, but for the risk.

    -1 where n rows are too few even if none is wrong.

    Examples
    --------
    >>> most_allowed(np.array([45, 46, 78, 106]), np.full(4, 10**5), 0.95, 0.1).tolist()
    [0, 0, 1, 2]
    """
    low = np.full(np.shape(n), -1)
    high = np.floor(np.asarray(n, dtype=float) + _NEARLY).astype(int) + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        passed = chance_if_worse(n, np.maximum(middle, 0), m, right) <= risk + _NEARLY
        passed &= middle >= 0
        low, high = np.where(passed, middle, low), np.where(passed, high, np.maximum(middle, low + 1))
    return low


def rows_needed(wrong: Ints, right: float, confidence: float | None) -> Ints:
    """The fewest held-out rows, so many of them wrong, on which everything above a threshold is filled.

    Without confidence those of the average form.

    Examples
    --------
    >>> rows_needed(np.arange(5), 0.95, 0.9).tolist()
    [45, 77, 105, 132, 158]
    >>> rows_needed(np.arange(2), 0.95, None).tolist()
    [19, 39]
    """
    wrong = np.asarray(wrong, dtype=np.int64)
    if confidence is None:
        return np.ceil((1 + wrong) / (1 - right) - _NEARLY).astype(np.int64) - 1
    low, high = wrong, np.full_like(wrong, _MOST)
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = bdtr(wrong, middle, 1 - right) <= 1 - confidence + _NEARLY
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def share_right(n: float, k: float, m: int, stated: float) -> ShareRight | None:
    """The share right of m filled rows, n held-out rows like them of which k were wrong; None if m is 0.

    A threshold is chosen where few held-out rows happen to be wrong, so these alone say too much. The mean
    with what is stated of the filled rows is nearer to the truth. The interval is that of Clopper and Pearson
    for as many rows as tell the same when the filled rows, too, vary by chance. Without held-out
    rows there is what is stated, and nothing says how far it is from the truth.
    """
    if not m:
        return None
    if n <= 0:
        return ShareRight(stated, 0.0, 1.0, 0.0, 0.0)
    estimate = (1 - k / n + stated) / 2
    rows = 1 / (1 / n + 1 / m)
    wrong, good = rows * (1 - estimate), rows * estimate
    low = float(betaincinv(good, wrong + 1, _OUTSIDE)) if good > _NEARLY else 0.0
    high = float(betaincinv(good + 1, wrong - 1, 1 - _OUTSIDE)) if wrong > 1 + _NEARLY else 1.0
    return ShareRight(estimate, min(low, estimate), max(high, estimate), n, k)

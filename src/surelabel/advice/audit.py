"""Checking filled labels at random: a bound on the share right that holds whenever one stops.

Rows are drawn without replacement from the m that were filled. For each number of wrong rows there is a bet
against it: that fewer are wrong, by a mixture over all smaller numbers. If it is the truth, what a bettor
owns is a fair game, and exceeds 1 / risk at any time with at most that risk (Ville). Numbers against which
so much was won are ruled out; the largest that is left bounds the number wrong (Waudby-Smith and Ramdas
2020, arXiv 2006.04347).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ..common.types import Bools, Floats, Ints

_CONFIDENCE = 0.95
# The mixture bets on a number of wrong rows w as 1 / (w + 1) to this power: few wrong rows are likely.
_POWER = 1.0


@dataclass(frozen=True)
class Audit:
    """What checked rows say about all that were filled.

    Parameters
    ----------
    checked, wrong : int
        Rows checked so far, and how many of them were wrong.
    filled : int
        Rows filled in all, the checked ones among them.
    low : float
        At least this share of the filled labels is right, with the confidence.
    confidence : float, default=0.95
        That the bound is true at all times, however often one looks.

    Examples
    --------
    >>> print(Audit(120, 2, 1294, 0.952))
    with 95% confidence at least 95.2% of the 1,294 filled labels are right (2 of 120 checked were wrong)
    >>> print(Audit(0, 0, 1294, 0.0))
    none of the 1,294 filled labels has been checked yet
    """

    checked: int
    wrong: int
    filled: int
    low: float
    confidence: float = _CONFIDENCE

    @property
    def share_right(self) -> float:
        """The share of checked rows that is right; NaN before the first."""
        return 1 - self.wrong / self.checked if self.checked else float("nan")

    def __str__(self) -> str:
        if not self.checked:
            return f"none of the {self.filled:,} filled labels has been checked yet"
        # Rounded down: what is said must hold.
        low = np.floor(1000 * self.low + 1e-9) / 10
        return (
            f"with {self.confidence:.0%} confidence at least {low:.1f}% of the "
            f"{self.filled:,} filled labels are right ({self.wrong:,} of {self.checked:,} checked were wrong)"
        )


def audited(wrong: Bools, filled: int, confidence: float = _CONFIDENCE) -> Audit:
    """What rows checked at random say, in the order in which they were checked.

    Parameters
    ----------
    wrong : ndarray of bool of shape (n,)
        Whether each was wrong. Drawn uniformly without replacement from all rows that were filled.
    filled : int
        How many were filled, at least n.
    confidence : float, default=0.95
        Of the bound, at all times together.

    Examples
    --------
    >>> round(audited(np.zeros(100, bool), 1000).low, 3)
    0.968
    >>> round(audited(np.arange(100) == 50, 1000).low, 3)
    0.939
    >>> audited(np.zeros(40, bool), 40).low
    1.0
    """
    wrong = np.asarray(wrong, dtype=bool)
    n, k = len(wrong), int(wrong.sum())
    if n > filled:
        raise ValueError(f"{n} rows were checked, but only {filled} were filled.")
    # What was ruled out stays so. A bound is at its best just before a row turns out wrong, or at the end.
    best = filled
    for when in [*np.flatnonzero(wrong).tolist(), n]:
        best = min(best, most_wrong(when, int(wrong[:when].sum()), filled, 1 - confidence))
    return Audit(n, k, filled, 1 - best / filled if filled else 0.0, confidence)


def most_wrong(n: int, k: int, m: int, risk: float) -> int:
    """The most wrong rows among m that are not ruled out once n were checked, of which k were wrong.

    Examples
    --------
    >>> most_wrong(0, 0, 200, 0.05), most_wrong(100, 0, 200, 0.05), most_wrong(200, 3, 200, 0.05)
    (200, 4, 3)
    """
    if not n:
        return m
    total = np.arange(m + 1)
    log_capital = _log_capital(total, n, k, m)
    # More wrong rows than there can be are ruled out for certain, and fewer than were seen.
    left = (total >= k) & (total <= m - (n - k)) & (log_capital < -np.log(risk))
    return int(total[left].max(initial=k))


def checks_needed(audit: Audit, goal: float) -> int | None:
    """How many further rows, all of them right, until the bound reaches a goal; None if it never can.

    It is the least that it takes: rows that turn out wrong add to it.

    Examples
    --------
    >>> checks_needed(Audit(0, 0, 1000, 0.0), 0.95)
    64
    >>> checks_needed(Audit(90, 60, 1000, 0.2), 0.95) is None
    True
    """
    m, k, risk = audit.filled, audit.wrong, 1 - audit.confidence
    most = int(np.floor((1 - goal) * m + 1e-9))
    if audit.low >= goal - 1e-12:
        return 0
    if k > most:
        return None
    low, high = audit.checked, m
    while high - low > 1:
        middle = (low + high) // 2
        enough = most_wrong(middle, k, m, risk) <= most
        low, high = (low, middle) if enough else (middle, high)
    return high - audit.checked


def _log_capital(total: Ints, n: int, k: int, m: int) -> Floats:
    """The logarithm of what has been won against each number of wrong rows by betting on fewer, (m + 1,)."""
    chance = _log_chance(total, n, k, m)
    prior = -_POWER * np.log1p(total)
    fewer = _log_sums(prior + chance) - _log_sums(prior)
    with np.errstate(invalid="ignore"):
        won = np.concatenate([[-np.inf], fewer[:-1]]) - chance
    return np.where(np.isfinite(chance), won, np.inf)


def _log_chance(total: Ints, n: int, k: int, m: int) -> Floats:
    """The logarithm of the chance of k wrong among n if so many of m are, up to a constant, (m + 1,)."""
    out = np.full(len(total), -np.inf)
    some = (total >= k) & (total <= m - (n - k))
    w = total[some]
    out[some] = gammaln(w + 1) - gammaln(w - k + 1) + gammaln(m - w + 1) - gammaln(m - w - (n - k) + 1)
    return out


def _log_sums(x: Floats) -> Floats:
    """Logarithms of the running sums of exp(x), shape of x."""
    finite = np.isfinite(x)
    top = float(x[finite].max()) if finite.any() else 0.0
    with np.errstate(divide="ignore"):
        return top + np.log(np.cumsum(np.exp(x - top)))

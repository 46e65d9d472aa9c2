"""How much to label in a round: the ramp over rounds, the class prior, quotas and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from .common.types import Floats, Ints

# Products such as 0.2 * 0.5 * 10 may come out slightly above a whole number;
# a quota must not gain a row from that.
_ROUNDING = 1e-9
_OUTSIDE = 0.025  # on each side of an interval of 95%


class Limits(NamedTuple):
    """What a plan must keep to.

    Parameters
    ----------
    lower, upper : ndarrays of shape (K,)
        Least and most mass of each class, a row having 1.
    left_out : pair of floats
        Least and most that rows leave out together.
    spare : float
        What classes leave unused together, where that is one more row of the plan: then `lower`, `upper` and
        `left_out` count what it gives too.
    """

    lower: Floats
    upper: Floats | Ints
    left_out: tuple[float, float]
    spare: float = 0.0


@dataclass(frozen=True)
class Budget:
    """What a round may label: a share of the pool, split by class.

    Parameters
    ----------
    share : float
        Fraction of the pool to label in this round.
    prior : ndarray of shape (K,)
        Class frequencies, summing to 1; a class at 0 gets no label.
    pool : int
        Rows still unlabelled.
    shares : pair of ndarrays of shape (K,), optional
        Least and most that the share of each class may be, where few labels tell (`share_interval`).

    See Also
    --------
    surelabel.Allocation : The labels that are given within it.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import Budget
    >>> Budget(share=0.5, prior=np.array([0.7, 0.3]), pool=20).quota
    array([7, 3])
    """

    share: float
    prior: Floats
    pool: int
    shares: tuple[Floats, Floats] | None = None

    @property
    def quota(self) -> Ints:
        """Most rows each class may get, shape (K,)."""
        return _whole(self.share * self.prior * self.pool)


def ramp(n_rounds: int) -> Floats:
    """Share of the pool to label in each round, falling and summing to 1, shape (T,)."""
    steps = np.arange(n_rounds, 0, -1)
    return steps / steps.sum()


def _whole(x: ArrayLike) -> Ints:
    """Round up to whole rows, shape of x."""
    return np.ceil(np.asarray(x) - _ROUNDING).astype(int)


def class_frequencies(codes: Ints, weight: Floats | None, n_classes: int) -> Floats:
    """Weighted share of each class, shape (K,)."""
    counts = np.bincount(codes, weights=weight, minlength=n_classes)
    return counts / counts.sum()


def smoothed(prior: Floats, skew: float = 5.0) -> Floats:
    """Average with the uniform vector over the seen classes where skewed, shape (K,).

    A few labelled rows say little about a rare class; halving the distance to
    uniform keeps its quota from vanishing.
    """
    seen = prior > 0
    if prior[seen].max() <= skew * prior[seen].min():
        return prior
    return np.where(seen, (prior + 1 / seen.sum()) / 2, 0.0)


def apportion(total: int, shares: Floats | Ints) -> Ints:
    """Whole numbers that sum to total in proportion to shares, shape (K,).

    Largest remainders: each class is within one row of its exact part, also when
    there are fewer rows than classes.
    """
    exact = total * shares / shares.sum()
    parts = np.floor(exact + _ROUNDING).astype(int)
    short = total - parts.sum()
    # Stable on ties: the lower class first, the same on every machine.
    parts[np.argsort(parts - exact, kind="stable")[:short]] += 1
    return parts


def whole_mass(mass: Floats) -> Ints:
    """The classes' mass as whole rows that sum to the total, shape (K,)."""
    total = round(mass.sum())
    return apportion(total, mass) if total else np.zeros(len(mass), dtype=int)


def share_interval(counts: Floats | Ints) -> tuple[Floats, Floats]:
    """Where the share of each class lies by so many labelled rows of it, a pair of (K,).

    The interval of Clopper and Pearson at 95%. A class without any labelled row stays at 0.

    Examples
    --------
    >>> least, most = share_interval(np.array([10, 40, 0]))
    >>> least.round(2), most.round(2)
    (array([0.1 , 0.66, 0.  ]), array([0.34, 0.9 , 0.  ]))
    """
    counts = np.asarray(counts, dtype=float)
    others = counts.sum() - counts
    least = np.where(counts > 0, betaincinv(np.maximum(counts, _ROUNDING), others + 1, _OUTSIDE), 0.0)
    most = np.where(others > 0, betaincinv(counts + 1, np.maximum(others, _ROUNDING), 1 - _OUTSIDE), 1.0)
    return least, np.where(counts > 0, most, 0.0)


def _paper_bounds(n: int, budget: Budget, low: float, high: float) -> Limits:
    """The paper's marginals: slack row and slack column of a plan of (N + 1) x (K + 1) cells."""
    upper, left_out = high * budget.prior * n, n * (1 - budget.share * low)
    return Limits(upper, upper, (left_out, left_out), n * (high - budget.share * low))


def _unscaled_bounds(n: int, budget: Budget, low: float, high: float) -> Limits:
    """The paper's inequalities: caps not scaled by the share, the minimum in total."""
    least = int(_whole(budget.share * low * n))
    return Limits(np.zeros(len(budget.prior)), _whole(high * budget.prior * n), (0, n - least))


def _released_bounds(n: int, budget: Budget, low: float, high: float) -> Limits:
    """Caps scaled by the share; the minimum holds in total (the released code)."""
    least = int(_whole(budget.share * low * n))
    return Limits(np.zeros(len(budget.prior)), _whole(budget.share * high * budget.prior * n), (0, n - least))


def _per_class_bounds(n: int, budget: Budget, low: float, high: float) -> Limits:
    """Every class within its own range (what the paper promises), which is wider where few labels tell it."""
    least, most, least_out = low * budget.prior, high * budget.prior, 0
    if budget.shares is not None:
        least, most = np.minimum(least, budget.shares[0]), np.maximum(most, budget.shares[1])
        # Together the classes get no more for it.
        least_out = max(n - int(_whole(budget.share * high * n)), 0)
    # Rounded down: a row must not be forced into a class that expects less than one.
    floors, most_out = np.floor(budget.share * least * n), n - int(_whole(budget.share * low * n))
    return Limits(floors, _whole(budget.share * most * n), (least_out, most_out))


# By name: of n rows, the budget, and the smallest and largest multiple of the prior -> the limits.
BOUNDS: dict[str, Callable[[int, Budget, float, float], Limits]] = {
    "paper": _paper_bounds,
    "unscaled": _unscaled_bounds,
    "released": _released_bounds,
    "per_class": _per_class_bounds,
}

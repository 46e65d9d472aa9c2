"""The semi-dual of a thin transport problem: one unknown per column.

With the row potentials eliminated, a row of mass r and costs C gives column k the mass
q_k = r * softmax((g - C) / epsilon)_k, and the dual is a concave function of g alone. Its
gradient and Hessian need two sums over rows, `Terms`, which add up over blocks of rows
wherever these lie. Its value is not needed: on a concave function slopes tell enough, and
unlike differences of values they are not lost in rounding.

Where rows may stay unassigned, that is one more column whose cost is 0: g then has one
entry more than the costs have columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import isqrt
from operator import add
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv, dsyev

from ..common.types import Bools, Floats, Ints

# Mass of each row of a block: one number where all are equal, else (n,).
Mass = Any
# Cells with less than exp(-REACH) of their row's mass, all together, are left out.
REACH = 26.0
# Beyond this exp overflows; a share of exp(-FAR) is as good as none. Less would be quicker
# to find, but the mass of a column far from all rows says how far it has to go.
FAR = 700.0
# A column's mass may be off by this factor for a Newton step.
_FAR_OFF = 20.0


@dataclass(frozen=True)
class Terms:
    """Sums over rows at one g; those of several blocks add up.

    Parameters
    ----------
    column_sum : ndarray of shape (K,)
        Mass of each column.
    gram : ndarray of shape (K, K)
        Sum of q q' / r.
    cost : float
        Cost of the plan.
    """

    column_sum: Floats
    gram: Floats
    cost: float

    def hessian(self, epsilon: float) -> Floats:
        """Second derivatives of the dual, their sign flipped, shape (K, K)."""
        out = self.gram / -epsilon
        out.flat[:: len(out) + 1] += self.column_sum / epsilon
        return out

    def noise(self, epsilon: float) -> float:
        """Rounding error of the Hessian."""
        return 1e-14 * self.column_sum.max() / epsilon

    def __add__(self, other: Terms) -> Terms:
        return Terms(self.column_sum + other.column_sum, self.gram + other.gram, self.cost + other.cost)


@dataclass(frozen=True)
class Total:
    """A sum of Terms in twice the digits of a double, so that the sum does not depend on the order of adding.

    Parameters
    ----------
    high, low : ndarrays of shape (K + K * K + 1,)
        The sum rounded, and what the rounding left.
    """

    high: Floats
    low: Floats

    @classmethod
    def of(cls, terms: Terms) -> Total:
        """The terms of one chunk of rows."""
        high = np.concatenate([terms.column_sum, terms.gram.ravel(), [terms.cost]])
        return cls(high, np.zeros_like(high))

    def __add__(self, other: Total) -> Total:
        high = self.high + other.high
        back = high - self.high  # Knuth's two-sum: what was lost is known exactly
        lost = (self.high - (high - back)) + (other.high - back)
        return Total(high, self.low + other.low + lost)

    def rounded(self) -> Terms:
        """The sum as Terms."""
        values = self.high + self.low
        k = (isqrt(4 * len(values) - 3) - 1) // 2
        return Terms(values[:k], values[k:-1].reshape(k, k), float(values[-1]))


def total(terms: Iterable[Terms]) -> Total:
    """The sum over chunks."""
    return reduce(add, map(Total.of, terms))


def summed(terms: Iterable[Terms]) -> Terms:
    """The sum over chunks, rounded; that of one chunk is the chunk's own."""
    first, *others = terms
    return total([first, *others]).rounded() if others else first


def sums_by(number: Ints, weight: Floats, n: int) -> Floats:
    """Sum of the weights of each number below n, shape (n,)."""
    sums: Any = np.bincount(number, weight, n)  # NumPy's annotations know whole numbers only
    return sums


def advantage(cost: Floats, g: Floats) -> Floats:
    """G - C for a block, the free column included, shape (K, n)."""
    n, k = cost.shape
    # Columns as rows: sums over the few columns then run along whole vectors.
    out = np.empty((len(g), n))
    np.subtract(g[:k, None], cost.T, out=out[:k])
    out[k:] = g[k:, None]
    return out


def shares(cost: Floats, g: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """Share of its row that each cell gets, (K, n), and log sum exp of each row, (n,)."""
    share = advantage(cost, g)
    share /= epsilon
    top = share.max(axis=0)
    share -= top
    np.maximum(share, -FAR, out=share)
    np.exp(share, out=share)
    # Added up in the order of columns also where NumPy would take one row for a plain vector:
    # what a row gets must not depend on the block it comes in.
    norm = share.sum(axis=0) if share.shape[1] != 1 else np.repeat(share, 2, axis=1).sum(axis=0)[:1]
    share /= norm
    return share, top + np.log(norm)


def block_terms(cost: Floats, mass: Mass, g: Floats, epsilon: float) -> Terms:
    """Terms of a block of rows: cost (n, K), mass a number or (n,), at potentials g."""
    root = shares(cost, g, epsilon)[0]
    root *= np.sqrt(mass)
    gram = root @ root.T
    weighted = root
    weighted *= np.sqrt(mass)
    paid = float(np.einsum("kn,nk->", weighted[: cost.shape[1]], cost))
    return Terms(weighted.sum(axis=1), gram, paid)


@dataclass(frozen=True)
class Bounds:
    """The range of each column's mass, and what the dual makes of it.

    At the optimum a column is at its lower bound where g > 0, at its upper bound where
    g < 0, and between them where g = 0.
    """

    lower: Floats
    upper: Floats
    total: float

    @cached_property
    def fixed(self) -> Bools:
        """Columns whose mass is given, not bounded: their potential has no kink at 0."""
        return self.lower == self.upper

    @cached_property
    def all_fixed(self) -> bool:
        """Whether no potential has a kink."""
        return bool(self.fixed.all())

    def value(self, g: Floats) -> float:
        """What the bounds add to the dual."""
        if self.all_fixed:
            return float(self.lower @ g)
        return float(self.lower @ g.clip(0) + self.upper @ g.clip(None, 0))

    def active(self, g: Floats, column_sum: Floats) -> tuple[Bools | slice, Floats, Ints | None]:
        """Of each potential: whether it is free to move, the mass it aims at, and its side of 0.

        The side is -1 or 1 where it is or moves to, and 0 if it stays at its kink.
        """
        if self.all_fixed:  # saves many small steps in the most frequent case
            return slice(None), self.lower, None
        wants = np.where(column_sum < self.lower, 1, np.where(column_sum > self.upper, -1, 0))
        side = np.where(g == 0, wants, np.sign(g))
        return self.fixed | (side != 0), np.where(side > 0, self.lower, self.upper), side

    def stopped(self, g: Floats, side: Ints | None) -> Floats:
        """G, each potential that would cross its kink stopped there: the next step decides."""
        return g if side is None else np.where(~self.fixed & (g * side < 0), 0.0, g)

    def miss(self, column_sum: Floats) -> float:
        """Mass by which columns miss their range, over the total mass."""
        off = np.maximum(self.lower - column_sum, column_sum - self.upper)
        return float(np.maximum(off, 0.0).sum() / self.total)

    def scaled(self, factor: float) -> Bounds:
        """The bounds for a sample of the rows."""
        return Bounds(self.lower * factor, self.upper * factor, self.total * factor)


@dataclass(frozen=True)
class Point:
    """A g, the terms there, and how far it is from the optimum."""

    g: Floats
    terms: Terms
    miss: float
    gap: float
    error: float


# Potentials g and epsilon -> the terms there.
Evaluate = Callable[[Floats, float], Terms]


def point_at(evaluate: Evaluate, g: Floats, epsilon: float, bounds: Bounds) -> Point:
    """Evaluate the dual at g and certify it."""
    terms = evaluate(g, epsilon)
    gap = float(g @ terms.column_sum) - bounds.value(g)
    scale = abs(terms.cost) + epsilon * bounds.total
    miss = bounds.miss(terms.column_sum)
    return Point(g, terms, miss, gap, max(miss, abs(gap) / scale))


def newton(
    evaluate: Evaluate,
    g: Floats,
    epsilon: float,
    bounds: Bounds,
    goal: float,
    max_iter: int,
    longest: float,
    held: Callable[[Floats], bool] = lambda g: True,
    short: float = 0.0,
) -> tuple[Point, int]:
    """Damped Newton steps, none longer than `longest`, on the potentials free to move.

    Stops at the goal, after max_iter evaluations, once g is where `evaluate` no longer
    holds, or with a step shorter than `short`: that is taken to lead to the goal, unevaluated.
    Returns the last point and the number of evaluations.
    """
    damping = 1e-10
    point, n_iter = point_at(evaluate, g, epsilon, bounds), 1
    while point.error > goal and n_iter < max_iter and held(point.g):
        g, terms = point.g, point.terms
        free, target, side = bounds.active(g, terms.column_sum)
        gradient = (terms.column_sum - target)[free]
        direction = np.zeros_like(g)
        if not _far_off(terms.column_sum[free], target[free]):
            hessian = terms.hessian(epsilon)[free][:, free]
            direction[free] = -_damped_solve(hessian, gradient, damping, terms.noise(epsilon))
        # Where rows are settled the Hessian says nothing, and a step from it leads anywhere.
        far = np.abs(direction).max()
        direction *= min(1.0, longest / max(far, longest))
        length = 1.0
        for _ in range(6 if far else 0):
            trial = bounds.stopped(g + length * direction, side)
            if short and length == 1 and span(trial - g) < short:
                return replace(point, g=trial, error=goal), n_iter
            new = point_at(evaluate, trial, epsilon, bounds)
            n_iter += 1
            step = (trial - g)[free]
            before: Any = gradient @ step
            after: Any = (new.terms.column_sum - target)[free] @ step
            # Past the lowest point of the line the slope turns; a little past is still lower.
            if before < 0 and after <= -0.5 * before:
                point, damping = new, damping / 10 if length == 1 else damping * 10
                break
            length *= np.clip(before / min(before - after, -np.finfo(float).tiny), 0.05, 0.3)
        else:
            # One Sinkhorn update of all columns: slow, never worse.
            g = _sinkhorn(g, terms.column_sum, epsilon, bounds)
            point = point_at(evaluate, g, epsilon, bounds)
            n_iter += 1
            damping *= 100
        damping = min(max(damping, 1e-14), 1e3)
    return point, n_iter


def span(values: Floats) -> float:
    """From the lowest to the highest; np.ptp takes twice as long on a few."""
    return values.max() - values.min()


def _far_off(column_sum: Floats, target: Floats) -> bool:
    """Whether a column is off by a factor too large for a quadratic model."""
    return bool((np.maximum(column_sum, target) > _FAR_OFF * np.minimum(column_sum, target)).any())


def _damped_solve(hessian: Floats, gradient: Floats, damping: float, noise: float) -> Floats:
    # In proportion to each column's own curvature: a column that is nearly settled must
    # stay free to go a long way.
    hessian.flat[:: len(hessian) + 1] += damping * np.abs(hessian.diagonal()) + noise
    _, solution, failed = dposv(hessian, gradient)
    if failed:  # rounding made it indefinite
        return np.linalg.pinv(hessian, rcond=1e-12, hermitian=True) @ gradient
    return solution


def _sinkhorn(g: Floats, column_sum: Floats, epsilon: float, bounds: Bounds) -> Floats:
    with np.errstate(divide="ignore"):
        # A sum that became 0 by underflow still gets a finite logarithm.
        free_sum = np.log(np.maximum(column_sum, 1e-300)) - g / epsilon
        within = np.clip(free_sum, np.log(bounds.lower), np.log(bounds.upper))
    return epsilon * (within - free_sum)


def sampling_error(point: Point, epsilon: float, bounds: Bounds) -> float:
    """How far g may be off for having seen a sample of the rows only: two deviations."""
    free = bounds.fixed | (point.g != 0)
    if not free.any():
        return 0.0
    terms = point.terms
    # NumPy's own takes many times as long on a few columns.
    curvature, axes, _ = dsyev(terms.hessian(epsilon)[free][:, free])
    if curvature[-1] <= terms.noise(epsilon):  # every row is settled, over a wide range of g
        return np.inf
    seen = curvature > 1e-8 * curvature[-1]  # adding one number to all potentials changes nothing
    inverse = (axes[:, seen] / curvature[seen]) @ axes[:, seen].T
    return 2 * float(np.sqrt((inverse**2 @ terms.column_sum[free]).max()))

"""The semi-dual of a thin transport problem: one unknown per column.

With the row potentials eliminated, a row of mass r and costs C gives column k the mass
q_k = r * softmax((g - C) / epsilon)_k, and the dual is a concave function of g alone. Its
gradient and Hessian need two sums over rows, `Terms`, which add up over blocks of rows
wherever these lie. Its value is not needed: on a concave function slopes tell enough, and
unlike differences of values they do not drown in rounding.

Where rows may stay unassigned, that is one more column whose cost is 0: g then has one
entry more than the costs have columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dposv

# Cells with less than exp(-REACH) of their row's mass, all together, are left out.
REACH = 26.0
# Beyond this exp overflows; the share is 0 there anyway.
_FAR = 700.0
# Up to here a dense product beats a sparse one.
_FEW_COLUMNS = 32


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

    column_sum: np.ndarray
    gram: np.ndarray
    cost: float

    def hessian(self, epsilon):
        """Second derivatives of the dual, their sign flipped, shape (K, K)."""
        out = self.gram / -epsilon
        out.flat[:: len(out) + 1] += self.column_sum / epsilon
        return out

    def __add__(self, other):
        return Terms(self.column_sum + other.column_sum, self.gram + other.gram, self.cost + other.cost)


def advantage(cost, g):
    """G - C for a block, the free column included, shape (K, n)."""
    n, k = cost.shape
    # Columns as rows: sums over the few columns then run along whole vectors.
    out = np.empty((len(g), n))
    np.subtract(g[:k, None], cost.T, out=out[:k])
    out[k:] = g[k:, None]
    return out


def shares(cost, g, epsilon):
    """Share of its row that each cell gets, (K, n), and log sum exp of each row, (n,)."""
    share = advantage(cost, g)
    share /= epsilon
    top = share.max(axis=0)
    share -= top
    # Many cells are so far behind the best of their row that exp is 0, and slow to find.
    near = share > -_FAR
    np.exp(share, out=share, where=near)
    share *= near
    norm = share.sum(axis=0)
    share /= norm
    return share, top + np.log(norm)


def block_terms(cost, mass, g, epsilon):
    """Terms of a block of rows: cost (n, K), mass a number or (n,), at potentials g."""
    root = shares(cost, g, epsilon)[0]
    root *= np.sqrt(mass)
    gram = root @ root.T
    weighted = root
    weighted *= np.sqrt(mass)
    paid = float(np.einsum("kn,nk->", weighted[: cost.shape[1]], cost))
    return Terms(weighted.sum(axis=1), gram, paid)


@dataclass(frozen=True)
class Survivors:
    """The cells that can matter while g moves little: all else is settled.

    Most rows have one column in reach and are settled; most others have two, and then
    a logistic function says all. The rest is kept cell by cell.

    Parameters
    ----------
    settled, settled_cost : ndarray of shape (K,), float
        Mass and cost of rows with one column in reach.
    pair, pair_gap, pair_mass : ndarrays of shape (n2,)
        Rows with two in reach, a < b: the number a * K + b, C_a - C_b, and the mass.
    pair_cost : float
        Cost of those rows if all went to b.
    row, column, cost : ndarrays of shape (cells,)
        The cells of the other rows, row after row.
    mass : ndarray of shape (n3,)
        Mass of those rows.
    """

    settled: np.ndarray
    settled_cost: float
    pair: np.ndarray
    pair_gap: np.ndarray
    pair_mass: np.ndarray
    pair_cost: float
    row: np.ndarray
    column: np.ndarray
    cost: np.ndarray
    mass: np.ndarray

    def terms(self, g, epsilon):
        """As `block_terms`, over the cells kept."""
        settled = Terms(self.settled, np.diag(self.settled), self.settled_cost)
        return settled + self._pair_terms(g, epsilon) + self._other_terms(g, epsilon)

    def _pair_terms(self, g, epsilon):
        k = len(g)
        behind = np.subtract.outer(g, g).ravel()[self.pair]
        behind -= self.pair_gap
        behind *= -1 / epsilon
        np.minimum(behind, _FAR, out=behind)
        odds = np.exp(behind, out=behind)
        odds += 1
        share = np.divide(1, odds, out=odds)
        weighted = share * self.pair_mass
        cost = self.pair_cost + float(weighted @ self.pair_gap)
        to_a = np.bincount(self.pair, weighted, k * k).reshape(k, k)
        weighted *= share
        square = np.bincount(self.pair, weighted, k * k).reshape(k, k)
        whole = self._pair_whole
        cross = to_a - square
        own = square.sum(axis=1) + (whole - 2 * to_a + square).sum(axis=0)
        column_sum = to_a.sum(axis=1) + (whole - to_a).sum(axis=0)
        return Terms(column_sum, cross + cross.T + np.diag(own), cost)

    def _other_terms(self, g, epsilon):
        k, n = len(g), len(self.mass)
        if not n:
            return Terms(np.zeros(k), np.zeros((k, k)), 0.0)
        start, root_mass = self._start, self._root_mass
        share = g[self.column]
        share -= self.cost
        share /= epsilon
        share -= np.maximum.reduceat(share, start)[self.row]
        np.exp(share, out=share)
        share *= (root_mass / np.add.reduceat(share, start))[self.row]
        if k <= _FEW_COLUMNS:
            dense = np.zeros((n, k))
            dense[self.row, self.column] = share
            gram = dense.T @ dense
        else:
            root = sp.csr_array((share, self.column, np.append(start, len(share))), (n, k))
            gram = (root.T @ root).toarray()
        weighted = share * root_mass[self.row]
        return Terms(np.bincount(self.column, weighted, k), gram, float(weighted @ self.cost))

    @cached_property
    def _pair_whole(self):
        k = len(self.settled)
        return np.bincount(self.pair, self.pair_mass, k * k).reshape(k, k)

    @cached_property
    def _start(self):
        return np.searchsorted(self.row, np.arange(len(self.mass)))

    @cached_property
    def _root_mass(self):
        return np.sqrt(self.mass)


def survivors(blocks, g, reach):
    """Screen (cost, mass) blocks: keep the cells within `reach` of the best of their row."""
    found = [_screen(cost, np.broadcast_to(mass, len(cost)), g, reach) for cost, mass in blocks]
    ends = np.cumsum([0] + [len(part["mass"]) for part in found])
    for part, end in zip(found, ends, strict=False):
        part["row"] = part["row"] + end
    sums = {"settled", "settled_cost", "pair_cost"}
    joined: dict[str, Any] = {
        name: sum(part[name] for part in found)
        if name in sums
        else np.concatenate([part[name] for part in found])
        for name in found[0]
    }
    return Survivors(**joined)


def near_columns(near):
    """How many columns are near, the sum of their numbers and that of the squares, (3, n).

    These name the column of a row with one, and both of a row with two; one product is
    far quicker than a search along each row.
    """
    number = np.arange(len(near), dtype=np.float32)
    return np.stack([np.ones_like(number), number, number**2]) @ near.astype(np.float32)


def _screen(cost, mass, g, reach):
    k = len(g)
    lead = advantage(cost, g)
    best = lead.max(axis=0)
    near = lead >= best - reach
    count, first, second = near_columns(near)

    one = np.flatnonzero(count == 1)
    settled = np.bincount(first[one].astype(np.intp), mass[one], k)

    two = np.flatnonzero(count == 2)
    apart = np.sqrt(2 * second[two] - first[two] ** 2)
    a = np.rint((first[two] - apart) / 2).astype(np.intp)
    b = np.rint((first[two] + apart) / 2).astype(np.intp)
    cost_b = g[b] - lead[b, two]

    more = np.flatnonzero(count > 2)
    position, column = np.nonzero(near[:, more].T)
    return {
        "settled": settled,
        "settled_cost": float(g @ settled - best[one] @ mass[one]),
        "pair": a * k + b,
        "pair_gap": g[a] - lead[a, two] - cost_b,
        "pair_mass": mass[two],
        "pair_cost": float(cost_b @ mass[two]),
        "row": position,
        "column": column,
        "cost": g[column] - lead[column, more[position]],
        "mass": mass[more],
    }


@dataclass(frozen=True)
class Bounds:
    """The range of each column's mass, and what the dual makes of it.

    At the optimum a column is at its lower bound where g > 0, at its upper bound where
    g < 0, and between them where g = 0.
    """

    lower: np.ndarray
    upper: np.ndarray
    total: float

    @cached_property
    def fixed(self):
        """Columns whose mass is given, not bounded: their potential has no kink at 0."""
        return self.lower == self.upper

    def value(self, g):
        """What the bounds add to the dual."""
        return float(self.lower @ g.clip(0) + self.upper @ g.clip(None, 0))

    def side(self, g, column_sum):
        """The side of 0 that each potential is on or moves to: -1, 1, or 0 if it stays."""
        wants = np.where(column_sum < self.lower, 1, np.where(column_sum > self.upper, -1, 0))
        return np.where(g == 0, wants, np.sign(g)).astype(int)

    def miss(self, column_sum):
        """Mass by which columns miss their range, over the total mass."""
        return float(np.maximum(self.lower - column_sum, column_sum - self.upper).clip(0).sum() / self.total)

    def scaled(self, factor):
        """The bounds for a sample of the rows."""
        return Bounds(self.lower * factor, self.upper * factor, self.total * factor)


@dataclass(frozen=True)
class Point:
    """A g, the terms there, and how far it is from the optimum."""

    g: np.ndarray
    terms: Terms
    miss: float
    gap: float
    error: float


def point_at(evaluate, g, epsilon, bounds):
    """Evaluate the dual at g and certify it."""
    terms = evaluate(g, epsilon)
    gap = float(g @ terms.column_sum) - bounds.value(g)
    scale = abs(terms.cost) + epsilon * bounds.total
    miss = bounds.miss(terms.column_sum)
    return Point(g, terms, miss, gap, max(miss, abs(gap) / scale))


def newton(evaluate, g, epsilon, bounds, goal, max_iter, longest, radius=np.inf):
    """Damped Newton steps, none longer than `longest`, on the potentials free to move.

    Stops at the goal, after max_iter evaluations, or once g is further than radius from
    where it began. Returns the last point and the number of evaluations.
    """
    begin, damping = g, 1e-10
    point = point_at(evaluate, g, epsilon, bounds)
    n_iter = 1
    while point.error > goal and n_iter < max_iter and np.abs(point.g - begin).max() <= radius:
        g, terms = point.g, point.terms
        side = bounds.side(g, terms.column_sum)
        free = bounds.fixed | (side != 0)
        target = np.where(side > 0, bounds.lower, bounds.upper)
        gradient = (terms.column_sum - target)[free]
        direction = np.zeros_like(g)
        if not _far_off(terms.column_sum[free], target[free]):
            noise = 1e-14 * terms.column_sum.max() / epsilon
            hessian = terms.hessian(epsilon)[free][:, free]
            direction[free] = -_damped_solve(hessian, gradient, damping, noise)
        # Where rows are settled the Hessian says nothing, and a step from it leads anywhere.
        direction *= min(1.0, longest / max(np.abs(direction).max(), longest))
        length = 1.0
        for _ in range(6 if direction.any() else 0):
            trial = g + length * direction
            # A potential that would cross its kink stops there; the next step decides.
            trial[~bounds.fixed & (trial * side < 0)] = 0.0
            new = point_at(evaluate, trial, epsilon, bounds)
            n_iter += 1
            step = (trial - g)[free]
            before, after = gradient @ step, (new.terms.column_sum - target)[free] @ step
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


def _far_off(column_sum, target):
    """Whether a column is off by more than e^3: too far for a quadratic model."""
    floor = np.finfo(float).tiny
    off = np.log(np.maximum(column_sum, floor)) - np.log(np.maximum(target, floor))
    return np.abs(off).max(initial=0) > 3


def _damped_solve(hessian, gradient, damping, noise):
    # In proportion to each column's own curvature: a column that is nearly settled must
    # stay free to go a long way.
    hessian.flat[:: len(hessian) + 1] += damping * np.abs(hessian.diagonal()) + noise
    _, solution, failed = dposv(hessian, gradient)
    if failed:  # rounding made it indefinite
        return np.linalg.pinv(hessian, rcond=1e-12, hermitian=True) @ gradient
    return solution


def _sinkhorn(g, column_sum, epsilon, bounds):
    with np.errstate(divide="ignore"):
        # A sum that underflowed is at least moved as far as doubles reach.
        free_sum = np.log(np.maximum(column_sum, 1e-300)) - g / epsilon
        within = np.clip(free_sum, np.log(bounds.lower), np.log(bounds.upper))
    return epsilon * (within - free_sum)


def sampling_error(point, epsilon, bounds):
    """How far g may be off for having seen a sample of the rows only: two deviations."""
    free = bounds.fixed | (point.g != 0)
    if not free.any():
        return 0.0
    inverse = np.linalg.pinv(point.terms.hessian(epsilon)[free][:, free], rcond=1e-8, hermitian=True)
    variance = np.einsum("ij,j,ij->i", inverse, point.terms.column_sum[free], inverse)
    return 2 * float(np.sqrt(variance.clip(0).max()))

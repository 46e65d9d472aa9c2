"""Optimal transport of many rows to few columns, each column's mass given or bounded.

The problem: minimise <Q, C> + epsilon * sum Q (log Q - 1) over Q >= 0 whose rows sum to
`row_mass` and whose columns sum to a value within [lower, upper]; rows may leave mass
unassigned where `slack` allows it. `surelabel.semidual` has the mathematics. This file
has the strategy: solve for a small sample of the rows, then a larger one, then all, each
time starting from the last potentials and looking only at the cells that can matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from .linear import settle, solve_open
from .semidual import (
    REACH,
    Bounds,
    Point,
    advantage,
    block_terms,
    newton,
    sampling_error,
    shares,
    survivors,
)

# A block has about this many cells: small enough for the cache, large enough for NumPy.
_BLOCK_CELLS = 1 << 16
# The sample may grow to this many cells before all rows are taken.
_SAMPLE_CELLS = 3_000_000
_GROWTH = 8
# Mean number of cells per row that are worth keeping to allow g a longer way.
_CELLS_PER_ROW = 4
# A sample is only a start for the next: no more evaluations than this.
_SAMPLE_ITER = 15
_SAMPLE_GOAL = 1e-2
# All rows: what is not solved from the sample's potentials by then needs another way.
_WARM_ITER = 100


class Rows:
    """Costs of all rows, read block by block.

    Parameters
    ----------
    cost : array of shape (N, K), or callable
        An array or memory map; or a function that returns an iterator over blocks of
        rows, called once for each pass.
    transform : callable, optional
        Applied to each block, so that costs need not be held for all rows at once.
    """

    def __init__(self, cost, transform: Callable | None = None):
        if isinstance(cost, Iterator):
            raise TypeError(
                "cost is an iterator, which can be read only once. Pass a function that returns a new one."
            )
        self._source: Any = cost if callable(cost) else None
        self._array: Any = None if callable(cost) else np.asanyarray(cost)
        if self._array is not None and self._array.ndim != 2:
            raise ValueError(f"cost must have rows and columns; its shape is {self._array.shape}.")
        self._transform = transform

    @cached_property
    def shape(self):
        """(N, K)."""
        if self._array is not None:
            return self._array.shape
        sizes = [np.shape(block) for block in self._source()]
        if not sizes:
            raise ValueError("cost has no block of rows.")
        return sum(n for n, _ in sizes), sizes[0][1]

    def __iter__(self):
        """Blocks as doubles, shape (n, K)."""
        for block in [self._array] if self._source is None else self._source():
            step = max(256, _BLOCK_CELLS // max(block.shape[1], 1))
            for begin in range(0, len(block), step):
                yield self._read(block[begin : begin + step])

    def _read(self, block):
        # Single precision is widened first: its logarithms are too coarse.
        block = np.asarray(block, dtype=float)
        return block if self._transform is None else self._transform(block)

    def take(self, rows):
        """Some rows, in ascending order, shape (n, K)."""
        if self._array is not None:
            return self._read(self._array[rows])
        picked, begin = [], 0
        for block in self:
            inside = rows[(rows >= begin) & (rows < begin + len(block))] - begin
            picked.append(block[inside])
            begin += len(block)
        return np.concatenate(picked)


@dataclass(frozen=True)
class Certificate:
    """How good a plan is, shown by its dual solution.

    Parameters
    ----------
    epsilon : float
        Strength of the entropy the plan was made with.
    n_iter : int
        Evaluations of the dual, those on samples of the rows included.
    n_passes : int
        How often all rows were read.
    marginal_error : float
        Mass by which columns miss their bounds, over the total mass, with what the cells
        left out can add. Rows hold exactly.
    gap : float
        Duality gap: how far the plan's cost can be above the optimum.
    cost : float
        Cost of the plan, <Q, C>.
    converged : bool
        Whether error and relative gap are within the tolerance.
    """

    epsilon: float
    n_iter: int
    n_passes: int
    marginal_error: float
    gap: float
    cost: float
    converged: bool


@dataclass(frozen=True)
class Assignment:
    """The best column of each row.

    Parameters
    ----------
    column : ndarray of shape (N,)
        The column with most of the row's mass.
    mass : ndarray of shape (N,)
        That mass.
    slack : ndarray of shape (N,)
        The mass the row leaves unassigned.
    """

    column: np.ndarray
    mass: np.ndarray
    slack: np.ndarray


@dataclass(frozen=True)
class Solution:
    """A transport plan with its certificate; what has N rows is made when asked for.

    Parameters
    ----------
    column_potential : ndarray of shape (K,)
        The dual solution; -inf for a column that may get nothing.
    column_sum : ndarray of shape (K,)
        Mass of each column.
    certificate : Certificate
        How good the plan is.
    masses : callable
        Returns an iterator over blocks of the plan, the unassigned mass as last column
        where there is one, shape (n, K or K + 1).
    potentials : callable
        Returns an iterator over blocks of the row potentials, shape (n,).
    """

    column_potential: np.ndarray
    column_sum: np.ndarray
    certificate: Certificate
    masses: Callable[[], Iterator[np.ndarray]]
    potentials: Callable[[], Iterator[np.ndarray]]

    @property
    def plan(self):
        """Mass moved from each row to each column, shape (N, K)."""
        return np.concatenate([block[:, : len(self.column_sum)] for block in self.masses()])

    @property
    def row_potential(self):
        """The dual solution of the rows, shape (N,)."""
        return np.concatenate(list(self.potentials()))

    def assignment(self) -> Assignment:
        """The best column of each row, without the dense plan."""
        columns, masses, slacks = [], [], []
        for block in self.masses():
            inner, slack = block[:, : len(self.column_sum)], block[:, len(self.column_sum) :]
            columns.append(inner.argmax(axis=1))
            masses.append(inner.max(axis=1))
            slacks.append(slack.sum(axis=1))
        return Assignment(np.concatenate(columns), np.concatenate(masses), np.concatenate(slacks))


@dataclass(frozen=True)
class Problem:
    """A problem as the solvers see it: closed columns dropped, slack as one more bound."""

    rows: Rows
    mass: Any
    bounds: Bounds
    n: int

    def blocks(self):
        """(cost, mass) of each block of rows."""
        begin = 0
        for cost in self.rows:
            if not np.isfinite(cost.sum()):
                raise ValueError(
                    f"cost must be finite; rows {begin} to {begin + len(cost) - 1} hold a cell that is not."
                )
            yield cost, self.mass if np.ndim(self.mass) == 0 else self.mass[begin : begin + len(cost)]
            begin += len(cost)

    def sample(self, size, rng):
        """A problem on some of the rows, its bounds in proportion."""
        picked = np.sort(rng.integers(0, self.n, size))
        mass = self.mass if np.ndim(self.mass) == 0 else self.mass[picked]
        total = float(np.sum(np.broadcast_to(mass, size)))
        if not total:
            return None
        return Problem(
            Rows(self.rows.take(picked)), mass, self.bounds.scaled(total / self.bounds.total), size
        )


def solve(cost, row_mass, column_mass, epsilon=0.01, tol=1e-9, *, slack=None, max_iter=2000) -> Solution:
    """Solve the bounded transport problem.

    Parameters
    ----------
    cost : array of shape (N, K), callable or Rows
        Finite costs: an array, a memory map, or a function that returns an iterator over
        blocks of rows. Beyond it, memory is needed for a block and the cells that matter.
    row_mass : float or array of shape (N,)
        Mass that leaves each row.
    column_mass : array of shape (K,), or a pair of such (lower, upper)
        Mass that each column receives, or the range it must lie in.
    epsilon : float, default=0.01
        Strength of the entropy, in the unit of the costs. 0: the exact linear programme.
    tol : float, default=1e-9
        Largest marginal error, and gap relative to the cost, that count as converged.
    slack : float or pair of floats, optional
        Mass that rows may leave unassigned in total, at no cost, or its range.
    max_iter : int, default=2000
        Most evaluations of the dual.

    Returns
    -------
    Solution

    Examples
    --------
    Three rows and two columns that take one row each; the dearest row is left out:

    >>> from surelabel.transport import solve
    >>> solution = solve([[0.1, 2.0], [2.0, 0.1], [1.0, 1.5]], 1.0, [1, 1], slack=1)
    >>> solution.plan.round(3)
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    >>> solution.certificate.converged
    True
    """
    problem, is_open = _problem(cost, row_mass, column_mass, slack, epsilon)
    if epsilon == 0:
        return _exact(problem, is_open, tol, max_iter)
    point, n_iter, n_passes = _entropic(problem, epsilon, tol, max_iter)
    g, terms, k = point.g, point.terms, len(is_open)

    def masses():
        for block, mass in problem.blocks():
            yield _spread((shares(block, g, epsilon)[0] * mass).T, is_open)

    def potentials():
        for block, _ in problem.blocks():
            yield -epsilon * shares(block, g, epsilon)[1]

    return Solution(
        column_potential=_spread(g[None], is_open, -np.inf)[0, :k],
        column_sum=_spread(terms.column_sum[None], is_open)[0, :k],
        certificate=Certificate(
            epsilon=epsilon,
            n_iter=n_iter,
            n_passes=n_passes,
            marginal_error=float(point.miss + np.exp(-REACH)),
            gap=point.gap,
            cost=terms.cost,
            converged=bool(point.error <= tol),
        ),
        masses=masses,
        potentials=potentials,
    )


def _exact(problem, is_open, tol, max_iter):
    """Epsilon 0: potentials of a low temperature, then the linear programme of what is open."""
    costs = np.concatenate(
        [cost for cost, _ in (problem.sample(1024, np.random.default_rng(0)) or problem).blocks()]
    )
    # Low against what tells rows apart, so that few of them stay open.
    cold = 1e-4 * (costs.min(axis=1).std() or np.ptp(costs) or 1.0)
    point, n_iter, n_passes = _entropic(problem, cold, 1e-4, max_iter)
    bounds, reach = problem.bounds, _reach(cold, len(point.g))
    gap, g, sums, paid = np.inf, point.g, point.terms.column_sum, point.terms.cost
    plan: Any = None
    for _ in range(12):
        settled = settle(problem.blocks(), point.g, reach)
        n_passes += 1
        solved = solve_open(settled, bounds)
        if solved is not None:
            (row, column, mass), g, open_cost = solved
            whole = np.flatnonzero(settled.column >= 0)
            weight = np.broadcast_to(problem.mass, problem.n)[whole]
            plan = sp.csr_array(
                (
                    np.append(weight, mass),
                    (np.append(whole, row), np.append(settled.column[whole], column)),
                ),
                (problem.n, len(g)),
            )
            sums = settled.mass + np.bincount(column, mass, len(g))
            paid = settled.cost + open_cost
            gap = paid - bounds.value(g) + _row_value(problem, g)
            n_passes += 1
            if gap <= tol * (abs(paid) + cold * bounds.total):
                break
        reach *= 8
    k = len(is_open)

    def masses():
        begin = 0
        for block, _ in problem.blocks():
            yield _spread(plan[begin : begin + len(block)].toarray(), is_open)
            begin += len(block)

    def potentials():
        for block, _ in problem.blocks():
            yield -advantage(block, g).max(axis=0)

    miss = bounds.miss(sums)
    return Solution(
        column_potential=_spread(g[None], is_open, -np.inf)[0, :k],
        column_sum=_spread(sums[None], is_open)[0, :k],
        certificate=Certificate(
            epsilon=0.0,
            n_iter=n_iter,
            n_passes=n_passes,
            marginal_error=miss,
            gap=float(gap),
            cost=float(paid),
            converged=bool(gap <= tol * (abs(paid) + cold * bounds.total) and miss <= tol),
        ),
        masses=masses,
        potentials=potentials,
    )


def _row_value(problem, g):
    """Sum over rows of the best advantage: what rows add to the dual, its sign flipped."""
    return sum(float(np.sum(advantage(cost, g).max(axis=0) * mass)) for cost, mass in problem.blocks())


def _spread(values, is_open, fill=0.0):
    """Values of the open columns, and of the slack, among all columns, shape (n, K or K + 1)."""
    if is_open.all():
        return values
    slack = values.shape[1] - is_open.sum()
    out = np.full((len(values), len(is_open) + slack), fill)
    out[:, np.append(is_open, np.ones(slack, dtype=bool))] = values
    return out


def _problem(cost, row_mass, column_mass, slack, epsilon):
    rows = cost if isinstance(cost, Rows) else Rows(cost)
    n, k = rows.shape
    mass = np.asarray(row_mass, dtype=float)
    lower, upper = _range(column_mass, k)
    total = float(mass * n if mass.ndim == 0 else mass.sum())
    _check(mass, lower, upper, epsilon, n)
    is_open = upper > 0
    if not is_open.all():
        rows = Rows(lambda inner=rows: (block[:, is_open] for block in inner))
    lower, upper = lower[is_open], upper[is_open]
    least, most = slack if isinstance(slack, tuple) else (slack, slack)
    if most:
        lower, upper = np.append(lower, least), np.append(upper, most)
    _check_feasible(lower, upper, total)
    # Equal masses are one number: no array of N ones is made or read.
    if mass.ndim and np.ptp(mass) == 0:
        mass = mass[0]
    return Problem(rows, float(mass) if mass.ndim == 0 else mass, Bounds(lower, upper, total), n), is_open


def _range(column_mass, k):
    lower, upper = column_mass if isinstance(column_mass, tuple) else (column_mass, column_mass)
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    if lower.shape != (k,) or upper.shape != (k,):
        raise ValueError(f"cost has {k} columns and column_mass {lower.size}.")
    return lower, upper


def _check(mass, lower, upper, epsilon, n):
    if not n:
        raise ValueError("cost has no rows.")
    if mass.ndim and mass.shape != (n,):
        raise ValueError(f"cost has {n} rows and row_mass {mass.size} entries.")
    if not epsilon >= 0:
        raise ValueError(f"epsilon must not be negative; it is {epsilon}.")
    if (mass < 0).any() or (lower < 0).any():
        raise ValueError("Masses must not be negative.")
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        k = crossed[0]
        raise ValueError(f"Column {k} must get at least {lower[k]:g} and at most {upper[k]:g}.")


def _check_feasible(lower, upper, total):
    leeway = 1e-9 * max(total, 1.0)
    if lower.sum() > total + leeway:
        raise ValueError(
            f"The columns' lower bounds sum to {lower.sum():g}, {lower.sum() - total:g} more "
            f"than the rows' mass {total:g}. Lower them."
        )
    if upper.sum() < total - leeway:
        raise ValueError(
            f"The columns' upper bounds sum to {upper.sum():g}, {total - upper.sum():g} less "
            f"than the rows' mass {total:g}. Raise them, or allow slack."
        )


def _entropic(problem: Problem, epsilon, tol, max_iter) -> tuple[Point, int, int]:
    """Solve on growing samples, then on all rows; the point, evaluations and passes."""
    levels = [*_samples(problem), problem]
    first = levels[0]
    costs = np.concatenate([cost for cost, _ in first.blocks()])
    best, longest = costs.min(axis=1), float(np.ptp(costs)) + epsilon
    g = _start(best, first.bounds, costs.shape[1])
    n_iter = n_passes = 0
    radius = np.inf
    for level in levels:
        last = level is problem
        # A sample says little about differences far below its own noise.
        eps = epsilon if last else max(epsilon, best.std() * np.sqrt(costs.shape[1] / level.n) / 2)
        # Half the tolerance: cells that were left out may add to the error.
        goal, budget = (tol / 2, max_iter - n_iter) if last else (_SAMPLE_GOAL, _SAMPLE_ITER)
        if level is first:
            point, used = _cold(level, g, eps, goal, budget, longest, best.std() / 8)
            passes = used
        else:
            radius = _worthwhile(radius, costs, g, eps)
            point, used, passes = _warm(level, g, eps, goal, budget, longest, radius)
        n_iter += used
        n_passes += passes if last else 0
        g = point.g
        if not last:
            radius = np.clip(sampling_error(point, eps, level.bounds), 2 * eps, 50 * eps)
    return point, n_iter, n_passes


def _samples(problem):
    k = problem.rows.shape[1]
    rng = np.random.default_rng(0)
    size = max(1024, 20 * k)
    while size < problem.n / 2 and size * k <= _SAMPLE_CELLS:
        if sample := problem.sample(size, rng):
            yield sample
        size *= _GROWTH


def _start(best, bounds, k):
    """Potentials at which about the right number of rows prefers a column to the slack."""
    g = np.zeros(len(bounds.lower))
    if len(g) > k:
        least = max(bounds.total - bounds.upper[k], bounds.lower[:k].sum()) / bounds.total
        rank = min(int(0.9 * least * len(best)), len(best) - 1)
        price = np.partition(best, rank)[rank]
        # The side that is bounded gets the potential; the other stays at its kink.
        if bounds.lower[:k].any():
            g[:k] = price
        else:
            g[k] = -price
    return g


def _cold(problem, g, epsilon, goal, budget, longest, hottest):
    """Newton on every cell, from a higher temperature down; the point and evaluations."""

    def evaluate(g, eps):
        return reduce(add, (block_terms(cost, mass, g, eps) for cost, mass in problem.blocks()))

    used = 0
    steps = int(np.log(max(hottest, epsilon) / epsilon) / np.log(4))
    for eps in epsilon * 4.0 ** np.arange(steps, -1, -1):
        stage = goal if eps == epsilon else 1e-2
        point, n = newton(evaluate, g, eps, problem.bounds, stage, min(40, budget - used), longest)
        g, used = point.g, used + n
        if point.error > stage or used >= budget:
            break
    if point.error > goal and used < budget:
        point, n = _anneal(evaluate, problem.bounds, epsilon, goal, budget - used, longest)
        used += n
    return point, used


def _anneal(evaluate, bounds, epsilon, goal, budget, longest):
    """The slow and sure way: follow the path of solutions from high to low temperature.

    As the plan hardens, the potentials become linear in the temperature, so the next are
    foretold by the last two.
    """
    eps, ratio, used = longest, 0.3, 0
    point, n = newton(evaluate, np.zeros(len(bounds.lower)), eps, bounds, 1e-6, budget, longest)
    used += n
    before = None
    while eps > epsilon and used < budget:
        new_eps = max(eps * ratio, epsilon)
        guess = point.g
        if before is not None:
            guess = point.g + (point.g - before[1]) * (new_eps - eps) / (eps - before[0])
            guess[~bounds.fixed & (guess * point.g <= 0)] = 0.0
        stage = goal if new_eps == epsilon else 1e-6
        new, n = newton(evaluate, guess, new_eps, bounds, stage, min(40, budget - used), longest)
        used += n
        if new.error > stage and new_eps < 0.98 * eps and used < budget:
            ratio = ratio**0.5  # too far at once
            continue
        before, eps, point = (eps, point.g), new_eps, new
        ratio = max(ratio * 0.7, 0.1)
    return point, used


def _warm(problem, g, epsilon, goal, budget, longest, radius):
    """Newton on the cells that can matter; the point, evaluations and passes."""
    used = n_passes = 0
    while used < min(budget, _WARM_ITER) and n_passes < 30:
        n_passes += 1
        cells = survivors(problem.blocks(), g, _reach(epsilon, len(g)) + 2 * radius)
        most = min(50, budget - used)
        point, n = newton(cells.terms, g, epsilon, problem.bounds, goal, most, longest, radius)
        used += n
        moved = np.abs(point.g - g).max()
        if moved <= radius and (point.error <= goal or used >= budget):
            return point, used, n_passes
        # Further off, cells that were left out may matter: look again from there.
        g = g + (point.g - g) * min(radius / max(moved, radius), 1.0)
    point, n = _cold(problem, g, epsilon, goal, max(budget - used, 1), longest, epsilon)
    return point, used + n, n_passes + n


def _reach(epsilon, k):
    """How far behind the best of its row a cell may be and still count."""
    return (REACH + np.log(k)) * epsilon


def _worthwhile(radius, costs, g, epsilon):
    """The radius, or less where it would keep too many cells."""
    behind = advantage(costs, g)
    behind -= behind.max(axis=0)
    while radius > 4 * epsilon:
        kept = np.count_nonzero(behind >= -_reach(epsilon, len(g)) - 2 * radius)
        if kept <= _CELLS_PER_ROW * len(costs):
            break
        radius /= 2
    return radius

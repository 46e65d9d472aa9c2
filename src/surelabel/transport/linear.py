"""The exact limit, epsilon = 0: the linear programme behind the transport problem.

Potentials of a low temperature settle nearly all rows: their best column leads by more
than the potentials can be off. What is left is a small linear programme over the other
rows. Its dual solution then certifies the whole, and where it does not, more rows are
left open and the step is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from ..common.types import Floats, Ints
from .entropic import entropic, reach
from .problem import Problem
from .screening import near_columns
from .semidual import Bounds, Mass, advantage, sums_by

# Pieces of the plan: row, column and mass of each, shape (n,).
_Pieces = tuple[Ints, Ints, Floats]


@dataclass(frozen=True)
class Exact:
    """The exact solution: potentials (K,), mass of each column (K,), plan (N, K), sparse."""

    g: Floats
    column_sum: Floats
    plan: Any
    n_iter: int
    n_passes: int
    gap: float
    cost: float
    converged: bool


def exact(problem: Problem, tol: float, max_iter: int) -> Exact:
    """Solve the linear programme: low temperature first, then the rows it leaves open."""
    if len(problem.bounds.lower) == 1:
        return _to_one_column(problem)
    sample = problem.sample(1024, np.random.default_rng(0)) or problem
    costs = np.concatenate([cost for cost, _ in sample.blocks()])
    # Low compared with how much costs of rows differ: some hundred rows stay open, whatever N.
    cold = min(10 / problem.n, 1e-2) * (costs.min(axis=1).std() or np.ptp(costs) or 1.0)
    point, n_iter, n_passes = entropic(problem, cold, 1e-4, max_iter)
    width = reach(cold, len(point.g))
    while True:
        settled = _settle(problem.blocks(), point.g, width)
        everything_open = len(settled.rows) == problem.n
        solved = _solve_open(settled, problem.bounds)
        n_passes += 1
        if solved is not None:
            cells, g, open_cost = solved
            cost = settled.cost + open_cost
            gap = cost - problem.bounds.value(g) + _row_value(problem, g)
            n_passes += 1
            converged = bool(gap <= tol * (abs(cost) + cold * problem.bounds.total))
            if converged or everything_open:
                plan, column_sum = _plan(problem, settled, cells)
                return Exact(g, column_sum, plan, n_iter, n_passes, float(gap), float(cost), converged)
        elif everything_open:
            raise ValueError("The linear programme has no solution within the bounds.")
        width *= 8


def _to_one_column(problem: Problem) -> Exact:
    """The solution where there is no choice."""
    mass = np.broadcast_to(problem.mass, problem.n)
    cost = sum(float((block[:, 0] * weight).sum()) for block, weight in problem.blocks() if block.shape[1])
    return Exact(np.zeros(1), mass.sum(keepdims=True), sp.csr_array(mass[:, None]), 0, 1, 0.0, cost, True)


def _plan(problem: Problem, settled: _Settled, cells: _Pieces) -> tuple[Any, Floats]:
    row, column, mass = cells
    whole = np.flatnonzero(settled.column >= 0)
    weight = np.broadcast_to(problem.mass, problem.n)[whole]
    at = np.append(whole, row), np.append(settled.column[whole], column)
    plan = sp.csr_array((np.append(weight, mass), at), (problem.n, len(settled.mass)))
    return plan, settled.mass + sums_by(column, mass, len(settled.mass))


def _row_value(problem: Problem, g: Floats) -> float:
    """Sum over rows of the best advantage: what rows add to the dual, its sign flipped."""
    return sum(float(np.sum(advantage(cost, g).max(axis=0) * mass)) for cost, mass in problem.blocks())


@dataclass(frozen=True)
class _Settled:
    """Rows split into those that are settled and those left open.

    Parameters
    ----------
    column : ndarray of shape (N,)
        Column of each settled row; -1 for an open one.
    mass : ndarray of shape (K,)
        Mass of the settled rows, by column.
    cost : float
        Cost of the settled rows.
    rows, costs, masses : ndarrays of shape (n,), (n, K), (n,)
        The open rows, with the free column's cost where there is one.
    """

    column: Ints
    mass: Floats
    cost: float
    rows: Ints
    costs: Floats
    masses: Floats


def _settle(blocks: Iterable[tuple[Floats, Mass]], g: Floats, width: float) -> _Settled:
    """Settle the rows whose best column leads by more than `width`."""
    columns, rows, costs, masses = [], [], [], []
    settled, paid, begin = np.zeros(len(g)), 0.0, 0
    for cost, mass in blocks:
        mass = np.broadcast_to(mass, len(cost))
        lead = advantage(cost, g)
        best = lead.max(axis=0)
        count, which, _ = near_columns(lead >= best - width)
        is_open = count > 1
        column = np.where(is_open, -1, which).astype(np.int32)
        here = sums_by(column[~is_open], mass[~is_open], len(g))
        settled += here
        paid += float(g @ here - best[~is_open] @ mass[~is_open])
        columns.append(column)
        rows.append(begin + np.flatnonzero(is_open))
        costs.append((g[:, None] - lead[:, is_open]).T)
        masses.append(mass[is_open])
        begin += len(cost)
    joined = (np.concatenate(parts) for parts in (rows, costs, masses))
    return _Settled(np.concatenate(columns), settled, paid, *joined)


def _programme(costs: Floats, masses: Floats, bounds: Bounds) -> tuple[Floats, Floats] | None:
    """The transport of some rows as a linear programme: plan (n, K), potentials (K,), or None."""
    n, k = costs.shape
    by_row: Any = sp.kron(sp.eye_array(n), np.ones((1, k)), format="csr")
    by_column: Any = sp.kron(np.ones((1, n)), sp.eye_array(k), format="csr")
    both: Any = sp.vstack([by_column, -by_column])
    result = linprog(
        costs.ravel(),
        A_eq=by_row,
        b_eq=masses,
        A_ub=both,
        b_ub=np.concatenate([bounds.upper, -bounds.lower]),
    )
    if result.x is None or not result.success:
        return None
    above, below = result.ineqlin.marginals[:k], result.ineqlin.marginals[k:]
    return result.x.reshape(n, k), above - below


def _solve_open(settled: _Settled, bounds: Bounds) -> tuple[_Pieces, Floats, float] | None:
    """Solve for the open rows: cells (row, column, mass), potentials, cost; None if impossible.

    Rows with equal costs are one row to the programme, and whole rows again afterwards.
    """
    if not len(settled.rows) or (settled.mass > bounds.upper + 1e-9 * bounds.total).any():
        return None
    kinds, kind = np.unique(settled.costs, axis=0, return_inverse=True)
    kind = kind.ravel()
    left = Bounds(
        np.maximum(bounds.lower - settled.mass, 0), np.maximum(bounds.upper - settled.mass, 0), bounds.total
    )
    solved = _programme(kinds, sums_by(kind, settled.masses, len(kinds)), left)
    if solved is None:
        return None
    plan, g = solved
    order = np.argsort(kind, kind="stable")
    cells = _whole_rows(plan, settled.masses[order], settled.rows[order], kind[order])
    return cells, g, float((plan * kinds).sum())


def _whole_rows(plan: Floats, masses: Floats, rows: Ints, kind: Ints) -> _Pieces:
    """Distribute each kind's mass over its rows, column after column: (row, column, mass)."""
    # Rows of all kinds on one line, and the cells of the plan on the same line: where both
    # cut it into pieces, each piece lies in one row and one column.
    row_end = np.cumsum(masses)
    cell_end = np.cumsum(plan.ravel())
    cuts = np.union1d(row_end, cell_end)
    middle = (np.append(0.0, cuts[:-1]) + cuts) / 2
    mass = np.diff(cuts, prepend=0.0)
    row = np.searchsorted(row_end, middle).clip(max=len(rows) - 1)
    column = np.searchsorted(cell_end, middle).clip(max=plan.size - 1) % plan.shape[1]
    real = mass > 1e-12 * max(row_end[-1], 1.0)
    return rows[row[real]], column[real], mass[real]

"""Optimal transport of rows to columns, each column's mass given or bounded.

The problem: minimise <Q, C> + epsilon * sum Q (log Q - 1) over Q >= 0 whose rows sum
to `row_mass` and whose columns sum to a value within [lower, upper]. There are many
rows and few columns, so the row potentials are eliminated exactly and what is left is
a concave function of one potential g_k per column, maximised by damped Newton steps.
At the optimum a column sits at its lower bound where g_k > 0, at its upper bound where
g_k < 0, and between them where g_k = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import logsumexp


@dataclass(frozen=True)
class Certificate:
    """How good a plan is, shown by its dual solution.

    Parameters
    ----------
    epsilon : float
        Strength of the entropy the plan was made with.
    n_iter : int
        Passes over the cost matrix.
    marginal_error : float
        Mass by which columns miss their bounds, over the total mass. Rows hold exactly.
    gap : float
        Duality gap: how far the plan's cost can be above the optimum.
    converged : bool
        Whether both are within the tolerance.
    """

    epsilon: float
    n_iter: int
    marginal_error: float
    gap: float
    converged: bool


@dataclass(frozen=True)
class Solution:
    """A transport plan with its certificate.

    Parameters
    ----------
    plan : ndarray of shape (N, K)
        Mass moved from each row to each column.
    column_potential : ndarray of shape (K,)
        The dual solution; -inf for a column that may get nothing.
    certificate : Certificate
        How good the plan is.
    """

    plan: np.ndarray
    column_potential: np.ndarray
    certificate: Certificate


def solve(cost, row_mass, column_mass, epsilon=0.01, tol=1e-9, max_iter=1000):
    """Solve the bounded transport problem.

    Parameters
    ----------
    cost : array of shape (N, K)
        Finite costs.
    row_mass : array of shape (N,)
        Mass that leaves each row.
    column_mass : array of shape (K,), or a pair of such (lower, upper)
        Mass that each column receives, or the range it must lie in.
    epsilon : float, default=0.01
        Strength of the entropy, in the unit of the costs.
    tol : float, default=1e-9
        Largest marginal error and relative gap that count as converged.
    max_iter : int, default=1000
        Most passes over the cost matrix.

    Returns
    -------
    Solution

    Examples
    --------
    Two rows, two columns, one unit each; the cheap cells are taken:

    >>> from surelabel.transport import solve
    >>> solve([[0.0, 1.0], [1.0, 0.0]], [1, 1], [1, 1]).plan.round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    cost = np.asarray(cost, dtype=float)
    row_mass = np.asarray(row_mass, dtype=float)
    lower, upper = _column_range(column_mass)
    _check(cost, row_mass, lower, upper, epsilon)
    open_columns = upper > 0
    problem = _Problem(cost[:, open_columns], row_mass, lower[open_columns], upper[open_columns], tol)
    g = np.zeros(open_columns.sum())
    n_iter = 0
    for eps in _cooling(cost, epsilon):
        # Only the last temperature needs the full precision.
        goal = tol if eps == epsilon else 1e-3
        g, passes = _newton(problem, g, eps, goal, max_iter - n_iter)
        n_iter += passes
    point = problem.at(g, epsilon)
    plan = np.zeros_like(cost)
    plan[:, open_columns] = point.plan
    potential = np.full(len(upper), -np.inf)
    potential[open_columns] = g
    certificate = Certificate(
        epsilon=epsilon,
        n_iter=n_iter,
        marginal_error=float(point.marginal_error),
        gap=float(point.gap),
        converged=bool(point.error <= tol),
    )
    return Solution(plan, potential, certificate)


def _column_range(column_mass):
    lower, upper = column_mass if isinstance(column_mass, tuple) else (column_mass, column_mass)
    return np.array(lower, dtype=float), np.array(upper, dtype=float)


def _check(cost, row_mass, lower, upper, epsilon):
    if not np.isfinite(cost).all():
        raise ValueError(f"cost must be finite; {(~np.isfinite(cost)).sum()} cells are not.")
    if not epsilon > 0:
        raise ValueError(f"epsilon must be above 0; it is {epsilon}.")
    if (row_mass < 0).any() or (lower < 0).any():
        raise ValueError("Masses must not be negative.")
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        k = crossed[0]
        raise ValueError(f"Column {k} must get at least {lower[k]:g} and at most {upper[k]:g}.")
    total = row_mass.sum()
    slack = 1e-9 * max(total, 1.0)
    if lower.sum() > total + slack:
        raise ValueError(
            f"The columns' lower bounds sum to {lower.sum():g}, {lower.sum() - total:g} more "
            f"than the rows' mass {total:g}. Lower them."
        )
    if upper.sum() < total - slack:
        raise ValueError(
            f"The columns' upper bounds sum to {upper.sum():g}, {total - upper.sum():g} less "
            f"than the rows' mass {total:g}. Raise them."
        )


def _cooling(cost, epsilon):
    """Temperatures from the scale of the costs down to epsilon."""
    hottest = np.ptp(cost) / 4 if cost.size else 0.0
    steps = max(0, int(np.ceil(np.log(max(hottest, epsilon) / epsilon) / np.log(5))))
    return [epsilon * 5.0**k for k in range(steps, 0, -1)] + [epsilon]


@dataclass(frozen=True)
class _Point:
    """The dual function and what it says of the plan, at one g."""

    value: float
    plan: np.ndarray
    column_sum: np.ndarray
    log_norm: np.ndarray
    marginal_error: float
    gap: float
    error: float


@dataclass(frozen=True)
class _Problem:
    cost: np.ndarray
    row_mass: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    tol: float

    def at(self, g, epsilon):
        """Everything about the dual at g; to be minimised, so its sign is flipped."""
        score = (g - self.cost) / epsilon
        top = score.max(axis=1, keepdims=True)
        weight = np.exp(score - top)
        norm = weight.sum(axis=1, keepdims=True)
        plan = weight * (self.row_mass[:, None] / norm)
        column_sum = plan.sum(axis=0)
        log_norm = (top + np.log(norm))[:, 0]
        value = epsilon * self.row_mass @ log_norm - self.bound_value(g)
        total = max(self.row_mass.sum(), np.finfo(float).tiny)
        miss = np.maximum(self.lower - column_sum, column_sum - self.upper).clip(0).sum()
        gap = g @ column_sum - self.bound_value(g)
        scale = np.abs((plan * self.cost).sum()) + epsilon * total
        error = max(miss / total, abs(gap) / scale)
        return _Point(value, plan, column_sum, log_norm, miss / total, gap, error)

    def bound_value(self, g):
        return self.lower @ g.clip(0) + self.upper @ g.clip(None, 0)

    def hessian(self, point, epsilon):
        share = point.plan / np.maximum(self.row_mass, np.finfo(float).tiny)[:, None]
        return (np.diag(point.column_sum) - point.plan.T @ share) / epsilon

    def side(self, g, column_sum):
        """The side of its kink each potential is on or moves to: -1, 0 (stays), 1."""
        wants = np.where(column_sum < self.lower, 1, np.where(column_sum > self.upper, -1, 0))
        return np.where(g == 0, wants, np.sign(g)).astype(int)


def _newton(problem, g, epsilon, goal, max_iter):
    """Minimise by damped Newton steps on the potentials that are free to move."""
    point = problem.at(g, epsilon)
    fixed_mass = problem.lower == problem.upper
    damping = 1e-9
    for n_iter in range(1, max_iter + 1):
        if point.error <= goal:
            return g, n_iter
        side = problem.side(g, point.column_sum)
        target = np.where(side > 0, problem.lower, problem.upper)
        free = fixed_mass | (side != 0)
        gradient = (point.column_sum - target)[free]
        hessian = problem.hessian(point, epsilon)[np.ix_(free, free)]
        step = np.zeros_like(g)
        step[free] = -_damped_solve(hessian, gradient, damping)
        trial = g + step
        # A potential that would cross its kink stops there; the next step decides.
        trial[~fixed_mass & (trial * side < 0)] = 0.0
        new = problem.at(trial, epsilon)
        promised = gradient @ (trial - g)[free]
        # Near the optimum the promise drowns in rounding: there the error decides.
        noise = 1e-13 * max(abs(point.value), 1.0)
        if new.value - point.value <= 1e-4 * promised < 0 or (
            abs(promised) <= noise and new.error < point.error
        ):
            g, point, damping = trial, new, max(damping / 10, 1e-14)
            continue
        g = _scaling_step(problem, point, epsilon)
        point = problem.at(g, epsilon)
        damping = min(damping * 100, 1e3)
    return g, max_iter


def _damped_solve(hessian, gradient, damping):
    ridge = damping * max(hessian.trace(), np.finfo(float).tiny)
    try:
        return cho_solve(cho_factor(hessian + ridge * np.eye(len(hessian))), gradient)
    except LinAlgError:
        return _damped_solve(hessian, gradient, damping * 100)


def _scaling_step(problem, point, epsilon):
    """The potentials after one Sinkhorn update of all columns: slow, never worse."""
    some = problem.row_mass > 0
    log_row = np.log(problem.row_mass[some]) - point.log_norm[some]
    # In the log domain, since a column's sum may underflow.
    free_sum = logsumexp(log_row[:, None] - problem.cost[some] / epsilon, axis=0)
    with np.errstate(divide="ignore"):
        within = np.clip(free_sum, np.log(problem.lower), np.log(problem.upper))
    return epsilon * (within - free_sum)

"""What users call, `solve`, and the records it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..common.types import Bools, Floats, Ints
from .augmented import Augmented
from .entropic import entropic
from .interface import Transportable
from .linear import Exact, exact
from .problem import ColumnMass, Cost, Problem, Rows, Slack, read_problem
from .semidual import REACH, Bounds, Point, advantage, shares

# Returns an iterator over blocks of what has N rows.
_Blocks = Callable[[], Iterator[Floats]]


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

    See Also
    --------
    solve : Returns it with the plan, as `Solution.certificate`.

    Examples
    --------
    >>> from surelabel.transport import solve
    >>> certificate = solve([[0.1, 2.0], [2.0, 0.1]], 1.0, [1, 1]).certificate
    >>> certificate.converged, certificate.gap < 1e-8
    (True, True)
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

    See Also
    --------
    Solution.assignment : Makes it from a plan.

    Examples
    --------
    >>> from surelabel.transport import solve
    >>> best = solve([[0.1, 2.0], [2.0, 0.1], [1.0, 1.5]], 1.0, [1, 1], slack=1).assignment()
    >>> best.column, best.mass.round(3), best.slack.round(3)
    (array([0, 1, 0]), array([1., 1., 0.]), array([0., 0., 1.]))
    """

    column: Ints
    mass: Floats
    slack: Floats


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

    See Also
    --------
    solve : Returns it.

    Examples
    --------
    >>> from surelabel.transport import solve
    >>> solution = solve([[0.1, 2.0], [2.0, 0.1], [1.0, 1.5]], 1.0, [1, 1], slack=1)
    >>> solution.column_sum.round(3)
    array([1., 1.])
    >>> solution.rows([1]).round(3)
    array([[0., 1.]])
    """

    column_potential: Floats
    column_sum: Floats
    certificate: Certificate
    masses: _Blocks
    potentials: _Blocks

    @property
    def plan(self) -> Floats:
        """Mass moved from each row to each column, shape (N, K)."""
        return np.concatenate([block[:, : len(self.column_sum)] for block in self.masses()])

    def rows(self, which: ArrayLike) -> Floats:
        """The plan of some rows, given by their positions, shape (n, K); without the dense plan."""
        which, begin = np.asarray(which, dtype=int), 0
        out = np.zeros((len(which), len(self.column_sum)))
        for block in self.masses():
            here = (which >= begin) & (which < begin + len(block))
            out[here] = block[which[here] - begin, : len(self.column_sum)]
            begin += len(block)
        return out

    @property
    def row_potential(self) -> Floats:
        """The dual solution of the rows, shape (N,)."""
        return np.concatenate(list(self.potentials()))

    def assignment(self) -> Assignment:
        """The best column of each row, without the dense plan."""
        found = [_assigned(block, len(self.column_sum)) for block in self.masses()]
        parts = zip(*((each.column, each.mass, each.slack) for each in found), strict=True)
        return Assignment(*(np.concatenate(part) for part in parts))


@dataclass(frozen=True)
class Rule:
    """A plan as a function of a row's costs: what it gives to rows of mass 1, wherever they are.

    Parameters
    ----------
    g : ndarray
        Potentials of the open columns, and of the slack if there is any.
    epsilon : float
        Strength of the entropy.
    is_open : ndarray of shape (K,)
        Which columns may get mass.

    See Also
    --------
    solve : A plan of rows that are all here.

    Examples
    --------
    At equal potentials a row goes to its cheapest column:

    >>> import numpy as np
    >>> from surelabel.transport import Rule
    >>> rule = Rule(np.zeros(2), epsilon=0.01, is_open=np.array([True, True]))
    >>> rule(np.array([[0.1, 2.0], [2.0, 0.1]])).column
    array([0, 1])
    """

    g: Floats
    epsilon: float
    is_open: Bools

    def __call__(self, cost: Floats) -> Assignment:
        """The best column of each row of cost (n, K)."""
        masses = shares(cost[:, self.is_open], self.g, self.epsilon)[0].T
        return _assigned(_spread(masses, self.is_open), len(self.is_open))


def _assigned(masses: Floats, k: int) -> Assignment:
    """The best of k columns in each row of a plan, of which what follows them is unassigned."""
    inner, slack = masses[:, :k], masses[:, k:]
    return Assignment(inner.argmax(axis=1), inner.max(axis=1), slack.sum(axis=1))


def solve_rule(
    problem: Transportable,
    is_open: Bools,
    epsilon: float,
    tol: float = 1e-9,
    max_iter: int = 2000,
    spare: float = 0.0,
) -> tuple[Rule, Floats, Certificate]:
    """Solve a problem whose rows of mass 1 are elsewhere: a Rule, the columns' mass and a Certificate.

    Parameters
    ----------
    problem : object with n, k, bounds, costs, sample, terms and screened
        As `Problem` has them.
    is_open : ndarray of shape (K,)
        Which columns may get mass.
    epsilon, tol, max_iter, spare
        As in `solve`; epsilon above 0.
    """
    point, mass, certificate = _found(problem, epsilon, tol, max_iter, spare)
    return Rule(point.g, epsilon, is_open), _spread(mass[None], is_open)[0, : len(is_open)], certificate


def _found(
    problem: Transportable, epsilon: float, tol: float, max_iter: int, spare: float
) -> tuple[Point, Floats, Certificate]:
    """The solution with entropy, the mass that rows give each column, and a Certificate.

    Of a problem with spare mass the bounds are those of all rows; the rows alone have that much less.
    """
    if not spare:
        point, n_iter, n_passes = entropic(problem, epsilon, tol, max_iter)
        return point, point.terms.column_sum, _certified(point, epsilon, tol, n_iter, n_passes)
    bounds = problem.bounds
    rows: Any = replace(problem, bounds=Bounds(bounds.lower, bounds.upper, bounds.total - spare))  # type: ignore[type-var]
    both = Augmented(rows, spare, bounds)
    point, n_iter, n_passes = entropic(both, epsilon, tol, max_iter)
    mass = point.terms.column_sum - both.unused(point.g, epsilon)
    return point, mass, _certified(point, epsilon, tol, n_iter, n_passes)


def _certified(point: Point, epsilon: float, tol: float, n_iter: int, n_passes: int) -> Certificate:
    return Certificate(
        epsilon=epsilon,
        n_iter=n_iter,
        n_passes=n_passes,
        marginal_error=float(point.miss + np.exp(-REACH)),
        gap=point.gap,
        cost=point.terms.cost,
        converged=bool(point.error <= tol),
    )


def solve(
    cost: Cost | Rows,
    row_mass: ArrayLike,
    column_mass: ColumnMass,
    epsilon: float = 0.01,
    tol: float = 1e-9,
    *,
    slack: Slack = None,
    spare: float = 0.0,
    max_iter: int = 2000,
) -> Solution:
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
    spare : float, default=0.0
        Mass that columns leave unused in total, at no cost: one more row, with entropy on it as on all
        others. `column_mass` and `slack` are then what rows and it give together, and must be given, not
        bounded. It is no part of the plan.
    max_iter : int, default=2000
        Most evaluations of the dual.

    Returns
    -------
    Solution

    See Also
    --------
    Rows : Costs that are computed block by block.
    surelabel.Transport : Labels from such a plan.

    Examples
    --------
    Three rows and two columns that take one row each; the most expensive row is left out:

    >>> from surelabel.transport import solve
    >>> solution = solve([[0.1, 2.0], [2.0, 0.1], [1.0, 1.5]], 1.0, [1, 1], slack=1)
    >>> solution.plan.round(3)
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    >>> solution.certificate.converged
    True
    """
    problem, is_open = read_problem(cost, row_mass, column_mass, slack, epsilon, spare)
    if spare and not problem.bounds.all_fixed:
        raise ValueError("With spare mass, column_mass and slack must be masses, not ranges of them.")
    if epsilon == 0:
        problem = _unspared(problem, spare)
        return _from_exact(exact(problem, tol, max_iter), problem, is_open)
    point, mass, certificate = _found(problem, epsilon, tol, max_iter, spare)

    def masses() -> Iterator[Floats]:
        for block, mass in problem.blocks():
            yield _spread((shares(block, point.g, epsilon)[0] * mass).T, is_open)

    def potentials() -> Iterator[Floats]:
        for block, _ in problem.blocks():
            yield -epsilon * shares(block, point.g, epsilon)[1]

    return _solution(point.g, mass, certificate, masses, potentials, is_open)


def _unspared(problem: Problem, spare: float) -> Problem:
    """The same without entropy: what columns may leave unused makes their mass a range."""
    if not spare:
        return problem
    upper = problem.bounds.upper
    return replace(problem, bounds=Bounds(np.zeros_like(upper), upper, problem.bounds.total - spare))


def _from_exact(found: Exact, problem: Problem, is_open: Bools) -> Solution:
    def masses() -> Iterator[Floats]:
        begin = 0
        for block, _ in problem.blocks():
            yield _spread(found.plan[begin : begin + len(block)].toarray(), is_open)
            begin += len(block)

    def potentials() -> Iterator[Floats]:
        for block, _ in problem.blocks():
            yield -advantage(block, found.g).max(axis=0)

    certificate = Certificate(
        epsilon=0.0,
        n_iter=found.n_iter,
        n_passes=found.n_passes,
        marginal_error=problem.bounds.miss(found.column_sum),
        gap=found.gap,
        cost=found.cost,
        converged=found.converged,
    )
    return _solution(found.g, found.column_sum, certificate, masses, potentials, is_open)


def _solution(
    g: Floats,
    column_sum: Floats,
    certificate: Certificate,
    masses: _Blocks,
    potentials: _Blocks,
    is_open: Bools,
) -> Solution:
    k = len(is_open)
    return Solution(
        column_potential=_spread(g[None], is_open, -np.inf)[0, :k],
        column_sum=_spread(column_sum[None], is_open)[0, :k],
        certificate=certificate,
        masses=masses,
        potentials=potentials,
    )


def _spread(values: Floats, is_open: Bools, fill: float = 0.0) -> Floats:
    """Values of the open columns, and of the slack, among all columns, shape (n, K or K + 1)."""
    if is_open.all():
        return values
    slack = values.shape[1] - is_open.sum()
    out = np.full((len(values), len(is_open) + slack), fill)
    out[:, np.append(is_open, np.ones(slack, dtype=bool))] = values
    return out

"""The problem: rows read block by block, masses and bounds, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..common.types import Bools, Floats, Ints
from .screening import Screened, survivors
from .semidual import Bounds, Mass, Terms, Total, block_terms, total

# What each row pays for each column (N, K), or a function that returns an iterator over blocks of rows.
Cost = ArrayLike | Callable[[], Iterator[ArrayLike]]
# Mass of each column (K,), or its range: a pair of (K,).
ColumnMass = ArrayLike | tuple[ArrayLike, ArrayLike]
# Mass that rows may leave unassigned in total, or its range.
Slack = float | tuple[float, float] | None

# A block has about this many cells: small enough for the cache, large enough for NumPy.
_BLOCK_CELLS = 1 << 17
# Blocks in a chunk: sums over a chunk are made in one place, wherever the rows come from.
_CHUNK_BLOCKS = 8


def chunk_rows(k: int) -> int:
    """Rows in a chunk of an array with k columns."""
    return _CHUNK_BLOCKS * _block_rows(k)


def _block_rows(k: int) -> int:
    return max(256, _BLOCK_CELLS // max(k, 1))


class Rows:
    """Costs of all rows, read block by block.

    Parameters
    ----------
    cost : array of shape (N, K), or callable
        An array or memory map; or a function that returns an iterator over blocks of
        rows, called once for each pass.
    transform : callable, optional
        Applied to each block, so that costs need not be held for all rows at once.

    See Also
    --------
    solve : Takes it in place of an array of costs.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel.transport import Rows, solve
    >>> p = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> solve(Rows(p, lambda block: -np.log(block)), 1.0, [1, 1]).plan.round(3)
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, cost: Cost, transform: Callable[[Floats], Floats] | None = None) -> None:
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
    def shape(self) -> tuple[int, int]:
        """(N, K)."""
        if self._array is not None:
            return self._array.shape
        sizes = [np.shape(block) for block in self._source()]
        if not sizes:
            raise ValueError("cost has no block of rows.")
        return sum(n for n, _ in sizes), sizes[0][1]

    def __iter__(self) -> Iterator[Floats]:
        """Blocks as doubles, shape (n, K)."""
        for block in [self._array] if self._source is None else self._source():
            step = _block_rows(block.shape[1])
            for begin in range(0, len(block), step):
                yield self._read(block[begin : begin + step])

    def _read(self, block: ArrayLike) -> Floats:
        # Single precision is widened first: its logarithms are too coarse.
        block = np.asarray(block, dtype=float)
        return block if self._transform is None else self._transform(block)

    def take(self, rows: Ints) -> Floats:
        """Some rows, in ascending order, shape (n, K)."""
        if self._array is not None:
            return self._read(np.take(self._array, rows, axis=0))
        picked, begin = [], 0
        for block in self:
            inside = rows[(rows >= begin) & (rows < begin + len(block))] - begin
            picked.append(block[inside])
            begin += len(block)
        return np.concatenate(picked)


@dataclass(frozen=True)
class Problem:
    """A problem as the solvers see it: closed columns dropped, slack as one more bound."""

    rows: Rows
    mass: Mass
    bounds: Bounds
    n: int

    @property
    def k(self) -> int:
        """Columns that may get mass, the slack not counted."""
        return self.rows.shape[1]

    def blocks(self) -> Iterator[tuple[Floats, Mass]]:
        """(cost, mass) of each block of rows."""
        begin = 0
        for cost in self.rows:
            if not np.isfinite(cost.sum()):
                raise ValueError(
                    f"cost must be finite; rows {begin} to {begin + len(cost) - 1} hold a cell that is not."
                )
            yield cost, self.mass if np.ndim(self.mass) == 0 else self.mass[begin : begin + len(cost)]
            begin += len(cost)

    def costs(self) -> Floats:
        """Costs of all rows, shape (N, K); for few of them."""
        return np.concatenate([cost for cost, _ in self.blocks()])

    def total(self, g: Floats, epsilon: float) -> Total:
        """Terms at g over every cell, not rounded yet."""
        return total(
            reduce(add, (block_terms(cost, mass, g, epsilon) for cost, mass in chunk))
            for chunk in self._chunks()
        )

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over every cell."""
        return self.total(g, epsilon).rounded()

    def screened(self, g: Floats, reach: float) -> Screened:
        """The cells within `reach` of the best of their row at g."""
        return Screened([survivors(chunk, g, reach) for chunk in self._chunks()])

    def _chunks(self) -> Iterator[list[tuple[Floats, Mass]]]:
        blocks = self.blocks()
        while chunk := list(islice(blocks, _CHUNK_BLOCKS)):
            yield chunk

    def sample(self, size: int, rng: np.random.Generator) -> Problem | None:
        """A problem on some of the rows, its bounds in proportion."""
        picked = np.sort(rng.integers(0, self.n, size))
        mass = self.mass if np.ndim(self.mass) == 0 else self.mass[picked]
        total = _total(mass, size)
        if not total:
            return None
        return Problem(
            Rows(self.rows.take(picked)), mass, self.bounds.scaled(total / self.bounds.total), size
        )


def read_problem(
    cost: Cost | Rows,
    row_mass: ArrayLike,
    column_mass: ColumnMass,
    slack: Slack,
    epsilon: float,
    spare: float = 0.0,
) -> tuple[Problem, Bools]:
    """The problem in the solvers' terms, checked, and which columns may get mass, (K,)."""
    rows = cost if isinstance(cost, Rows) else Rows(cost)
    n, k = rows.shape
    mass = np.asarray(row_mass, dtype=float)
    bounds, is_open = read_bounds(n, k, mass, column_mass, slack, epsilon, spare)
    rows = opened(rows, is_open)
    # Equal masses are one number: no array of N ones is made or read.
    if mass.ndim and np.ptp(mass) == 0:
        mass = mass[0]
    return Problem(rows, mass[()], bounds, n), is_open


def opened(rows: Rows, is_open: Bools) -> Rows:
    """Rows without the columns that may get nothing."""
    return rows if is_open.all() else Rows(lambda: (block[:, is_open] for block in rows))


def read_bounds(
    n: int, k: int, mass: Floats, column_mass: ColumnMass, slack: Slack, epsilon: float, spare: float = 0.0
) -> tuple[Bounds, Bools]:
    """Bounds of the columns that may get mass, the slack among them, and which these are, (K,)."""
    lower, upper = _range(column_mass, k)
    if not 0 <= spare < np.inf:
        raise ValueError(f"spare must be a mass, 0 or more; it is {spare}.")
    total = _total(mass, n) + spare
    _check(mass, lower, upper, epsilon, n)
    is_open = upper > 0
    lower, upper = lower[is_open], upper[is_open]
    least, most = slack if isinstance(slack, tuple) else (slack or 0, slack or 0)
    if not 0 <= least <= most:
        raise ValueError(f"slack must be a mass or a range of masses; it is {slack}.")
    if most:
        lower, upper = np.append(lower, least), np.append(upper, most)
    _check_feasible(lower, upper, total)
    return Bounds(lower, upper, total), is_open


def _total(mass: Mass, n: int) -> float:
    return float(mass * n if np.ndim(mass) == 0 else mass.sum())


def _range(column_mass: ColumnMass, k: int) -> tuple[Floats, Floats]:
    lower, upper = column_mass if isinstance(column_mass, tuple) else (column_mass, column_mass)
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    if lower.shape != (k,) or upper.shape != (k,):
        raise ValueError(f"cost has {k} columns and column_mass {lower.size}.")
    return lower, upper


def _check(mass: Floats, lower: Floats, upper: Floats, epsilon: float, n: int) -> None:
    if not n:
        raise ValueError("cost has no rows.")
    if mass.ndim and mass.shape != (n,):
        raise ValueError(f"cost has {n} rows and row_mass {mass.size} entries.")
    if not epsilon >= 0:
        raise ValueError(f"epsilon must not be negative; it is {epsilon}.")
    if (mass < 0).any() or (lower < 0).any():
        raise ValueError("Masses must not be negative.")
    if not mass.any():
        raise ValueError("The rows have no mass; at least one must have some.")
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        k = crossed[0]
        raise ValueError(f"Column {k} must get at least {lower[k]:g} and at most {upper[k]:g}.")


def _check_feasible(lower: Floats, upper: Floats, total: float) -> None:
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

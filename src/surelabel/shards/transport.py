"""The transport problem whose rows are in pieces: the solver sees samples and sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ..allocation import Transport
from ..common.types import Bools, Floats, Ints
from ..transport.problem import Problem, Rows, chunk_rows, opened
from ..transport.screening import Screened
from ..transport.semidual import Bounds, Terms, Total
from .pieces import Each, Pieces, Span


def spans_of(sizes: Ints | list[int], step: int) -> list[list[Span]]:
    """Pieces cut anew at multiples of step: for each new piece, spans (piece, begin, end) of the old.

    Examples
    --------
    >>> spans_of([3, 2, 4], 4)
    [[(0, 0, 3), (1, 0, 1)], [(1, 1, 2), (2, 0, 3)], [(2, 3, 4)]]
    """
    ends = np.cumsum(sizes)
    begins, n = ends - sizes, int(ends[-1])
    # A new piece begins where the first multiple of step lies in an old one, and ends where the next begins.
    starts = np.unique(-(-begins // step) * step)
    starts = starts[starts < n]
    out = []
    for start, end in zip(starts, [*starts[1:], n], strict=True):
        here = np.flatnonzero((begins < end) & (ends > start) & (begins < ends))
        spans = [(int(j), int(max(start - begins[j], 0)), int(min(end, ends[j]) - begins[j])) for j in here]
        out.append(spans)
    return out


@dataclass(frozen=True)
class FarProblem:
    """As `surelabel.transport.problem.Problem`, with rows of mass 1 elsewhere.

    Parameters
    ----------
    pieces : Pieces
        Probabilities, cut at whole chunks: so every sum over a chunk is the same as on one machine,
        and the total does not depend on which chunks are in which piece.
    sizes : ndarray
        Rows in each piece.
    allocator : Transport
        Knows the costs.
    is_open : ndarray of shape (K,)
        Classes that may get rows.
    bounds : Bounds
        Of these.
    """

    pieces: Pieces
    sizes: Ints
    allocator: Transport
    is_open: Bools
    bounds: Bounds

    @classmethod
    def of(
        cls, pieces: Pieces, sizes: Ints, allocator: Transport, is_open: Bools, bounds: Bounds
    ) -> FarProblem:
        """From pieces (n, K) of any sizes."""
        spans = spans_of(sizes, chunk_rows(len(is_open)))
        new_sizes = np.array([sum(end - begin for _, begin, end in each) for each in spans])
        return cls(pieces.cut(spans), new_sizes, allocator, is_open, bounds)

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.sizes.sum())

    @property
    def k(self) -> int:
        """Columns that may get mass, the slack not counted."""
        return int(self.is_open.sum())

    def costs(self) -> Floats:
        """Costs of all rows, shape (N, K); for few of them."""
        return self._costs(np.arange(self.n))

    def sample(self, size: int, rng: np.random.Generator) -> Problem:
        """A problem on some of the rows, its bounds in proportion, here."""
        costs = self._costs(np.sort(rng.integers(0, self.n, size)))
        return Problem(Rows(costs), 1.0, self.bounds.scaled(float(size) / self.bounds.total), size)

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over every cell."""
        return _sum(self.pieces.ask(_total, self.allocator, self.is_open, g, epsilon)).rounded()

    def screened(self, g: Floats, reach: float) -> _FarScreened:
        """The cells within `reach` of the best of their row at g, where the rows are."""
        return _FarScreened(self.pieces.make(_screened, self.allocator, self.is_open, g, reach), g, reach)

    def _costs(self, ranks: Ints) -> Floats:
        ends = np.cumsum(self.sizes)
        which = np.split(ranks, np.searchsorted(ranks, ends[:-1]))
        wanted = [i for i, rows in enumerate(which) if len(rows)]
        rows = [which[i] - (ends[i] - self.sizes[i]) for i in wanted]
        p = np.concatenate(self.pieces.some(wanted).ask(_taken, Each(rows)))
        return np.ascontiguousarray(self.allocator.costs(p)[:, self.is_open])


@dataclass(frozen=True)
class _FarScreened:
    """As `surelabel.transport.screening.Screened`, with cells where the rows are."""

    pieces: Pieces
    g: Floats
    width: float

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms over the cells kept."""
        return _sum(self.pieces.ask(_screened_total, g, epsilon)).rounded()

    def narrowed(self, g: Floats, width: float) -> _FarScreened:
        """Screened again, from these cells alone, with a smaller width."""
        return _FarScreened(self.pieces.make(_narrowed, g, width), g, width)


def _sum(totals: Iterable[Total]) -> Total:
    return reduce(add, totals)


def _problem(p: Floats, allocator: Transport, is_open: Bools) -> Problem:
    # Only the solver needs bounds.
    return Problem(
        opened(Rows(p, allocator.costs), is_open), 1.0, Bounds(np.empty(0), np.empty(0), 0.0), len(p)
    )


def _total(p: Floats, allocator: Transport, is_open: Bools, g: Floats, epsilon: float) -> Total:
    return _problem(p, allocator, is_open).total(g, epsilon)


def _screened(p: Floats, allocator: Transport, is_open: Bools, g: Floats, reach: float) -> Screened:
    return _problem(p, allocator, is_open).screened(g, reach)


def _screened_total(cells: Screened, g: Floats, epsilon: float) -> Total:
    return cells.total(g, epsilon)


def _narrowed(cells: Screened, g: Floats, width: float) -> Screened:
    return cells.narrowed(g, width)


def _taken(p: Floats, rows: Ints) -> Floats:
    return p[rows]

"""Only the cells that can matter: most rows have one column in reach and are settled.

While the potentials stay near those of the screening, `Survivors` give the same terms as
all cells do. Costs enter as leads, g - C at the potentials of the screening, and only how
much g has moved since then counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.types import Bools, Floats, Ints
from .semidual import FAR, Mass, Terms, Total, advantage, summed, sums_by, total

# Up to this many columns, sums over them are faster along whole vectors than along rows.
_FEW_COLUMNS = 32
# What a product within a matrix product costs, in products that are looked up.
_DENSE_PRODUCT = 0.01

# What makes up the pairs (code, gap, mass), and the others (cells in each row, column, lead, mass).
_PairParts = tuple[Ints, Floats, Mass]
_CellParts = tuple[Ints, Ints, Floats, Mass]
# Rows split: masses of the settled (K,), their lead and that of the pairs, pairs, others.
_Split = tuple[Floats, float, _PairParts, _CellParts]


@dataclass(frozen=True)
class _Pairs:
    """Rows with two columns in reach, a < b: a logistic function gives their shares.

    Rows of the same two columns stand together, so that sums over them run along whole vectors.

    Parameters
    ----------
    k : int
        Number of columns.
    code, count : ndarrays of shape (groups,)
        The number a * k + b of each two columns, ascending, and how many rows have them.
    gap : ndarray of shape (n,)
        Lead of b less that of a.
    mass : float or ndarray of shape (n,)
        Mass of the rows.
    """

    k: int
    code: Ints
    count: Ints
    gap: Floats
    mass: Mass

    @classmethod
    def of(cls, k: int, code: Ints, gap: Floats, mass: Mass) -> _Pairs:
        """Pairs from rows in any order, the code of each given."""
        # Sorting short whole numbers is many times faster.
        order = np.argsort(code.astype(np.min_scalar_type(k * k)), kind="stable")
        count = np.bincount(code, minlength=k * k)
        there = np.flatnonzero(count)
        return cls(k, there, count[there], gap[order], _at(mass, order))

    def terms(self, moved: Floats, epsilon: float) -> Terms:
        """Terms of these rows, the Gram matrix without diagonal; the cost is what a's lead lacks to b's."""
        behind = self._gap(moved)
        behind *= 1 / epsilon
        np.minimum(behind, FAR, out=behind)
        odds = np.exp(behind, out=behind)
        odds += 1
        share = np.divide(1, odds, out=odds)
        weighted = share * self.mass
        cost = float(weighted @ self.gap)
        to_a = self._by_pair(weighted)
        weighted *= share
        both = to_a - self._by_pair(weighted)
        return Terms(to_a.sum(axis=1) + (self._whole - to_a).sum(axis=0), both + both.T, cost)

    def rebased(self, moved: Floats) -> tuple[float, _PairParts]:
        """Lead over that of the screening, and what makes up the pairs from there."""
        code = np.repeat(self.code, self.count)
        return float(self._whole.sum(axis=0) @ moved), (code, self._gap(moved), self.mass)

    def _gap(self, moved: Floats) -> Floats:
        out = np.repeat(np.subtract.outer(-moved, -moved).take(self.code), self.count)
        out += self.gap
        return out

    def _by_pair(self, weight: Floats) -> Floats:
        out = np.zeros(self.k**2)
        if len(self.code):
            out[self.code] = np.add.reduceat(weight, self._begin)
        return out.reshape(self.k, self.k)

    @cached_property
    def _begin(self) -> Ints:
        return np.cumsum(self.count) - self.count

    @cached_property
    def _whole(self) -> Floats:
        return self._by_pair(np.broadcast_to(self.mass, len(self.gap)))


@dataclass(frozen=True)
class _Others:
    """Rows with more columns in reach, those with most of them first.

    The first cells of all rows come first, then the second cells of those that have two,
    and so on: what is done along a row is done to whole vectors.

    Parameters
    ----------
    k : int
        Number of columns.
    column, lead : ndarrays of shape (cells,)
        Column and lead of each cell.
    lengths : list of int
        How many rows have a first cell, how many a second, and so on.
    mass : float or ndarray of shape (n,)
        Mass of the rows.
    """

    k: int
    column: Ints
    lead: Floats
    lengths: list[int]
    mass: Mass

    def terms(self, moved: Floats, epsilon: float) -> Terms:
        """Terms of these rows, the Gram matrix's diagonal left open; the cost is the lead, sign flipped."""
        if not self.lengths:
            return Terms(np.zeros(self.k), np.zeros((self.k, self.k)), 0.0)
        share = moved.take(self.column)
        share += self.lead
        share *= 1 / epsilon
        layers = self._layers(share)
        top = _highest(layers)
        for layer in layers:
            layer -= top[: len(layer)]
        np.exp(share, out=share)
        norm = layers[0].copy()
        for layer in layers[1:]:
            norm[: len(layer)] += layer
        scale = np.sqrt(self.mass) / norm
        for layer in layers:
            layer *= scale[: len(layer)]
        weighted = share * self._root_mass
        return Terms(sums_by(self.column, weighted, self.k), self._gram(share), -float(weighted @ self.lead))

    def narrowed(self, moved: Floats, width: float) -> _Split:
        """Settled masses, lead, and what makes up the pairs and the others left."""
        lead = self.lead + moved.take(self.column)
        limit = _highest(self._layers(lead)) - width
        near = np.flatnonzero(lead >= limit.take(self._row))
        near = near[np.argsort(self._row[near], kind="stable")]
        count = np.bincount(self._row[near], minlength=len(limit))
        return _by_count(self.k, count, self.column[near], lead[near], self.mass)

    def _layers(self, cells: Floats) -> list[Floats]:
        return [cells[end - length : end] for end, length in zip(self._ends, self.lengths, strict=True)]

    def _gram(self, share: Floats) -> Floats:
        k, n = self.k, self.lengths[0]
        if n * k**2 * _DENSE_PRODUCT < self._n_products:
            dense = np.zeros((n, k))
            dense.ravel()[self._cell] = share
            return dense.T @ dense
        left, right, code = self._products
        half = sums_by(code, share.take(left) * share.take(right), k * k).reshape(k, k)
        return half + half.T

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(self.lengths))

    @cached_property
    def _row(self) -> Ints:
        return np.concatenate([np.arange(length) for length in self.lengths])

    @cached_property
    def _cell(self) -> Ints:
        return self._row * self.k + self.column

    @cached_property
    def _root_mass(self) -> Mass:
        return np.sqrt(self.mass) if np.ndim(self.mass) == 0 else np.sqrt(self.mass)[self._row]

    @property
    def _n_products(self) -> int:
        return sum(q * n for q, n in enumerate(self.lengths))

    @cached_property
    def _products(self) -> tuple[Ints, Ints, Ints]:
        """Each two cells of one row: their places, and the number of the two columns."""
        begin = [0, *self._ends]
        both = [(p, q, np.arange(n)) for q, n in enumerate(self.lengths) for p in range(q)]
        left = np.concatenate([begin[p] + row for p, _, row in both])
        right = np.concatenate([begin[q] + row for _, q, row in both])
        return left, right, self.column[left] * self.k + self.column[right]


@dataclass(frozen=True)
class Survivors:
    """The cells that can matter while g moves little: all else is settled.

    Parameters
    ----------
    g : ndarray of shape (K,)
        The potentials of the screening.
    width : float
        How far behind the best of its row a cell may be there and still be kept.
    settled : ndarray of shape (K,)
        Mass of rows with one column in reach.
    lead : float
        Lead of those rows, and of the pairs if all went to b, times their mass.
    pairs, others
        The rows that are not settled: with two columns in reach, and with more.
    """

    g: Floats
    width: float
    settled: Floats
    lead: float
    pairs: _Pairs
    others: _Others

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """As `block_terms`, over the cells kept."""
        moved = g - self.g
        pairs, others = self.pairs.terms(moved, epsilon), self.others.terms(moved, epsilon)
        column_sum = self.settled + pairs.column_sum + others.column_sum
        gram = pairs.gram + others.gram
        # The shares of a row sum to 1, so each row of the Gram matrix sums to the column's mass.
        diagonal = np.einsum("kk->k", gram)
        diagonal[:] = 0
        diagonal[:] = column_sum - gram.sum(axis=1)
        cost = float(self.g @ column_sum) - self.lead + pairs.cost + others.cost
        return Terms(column_sum, gram, cost)

    def narrowed(self, g: Floats, width: float) -> Survivors:
        """Screened again, from these cells alone, with a smaller width."""
        moved, k = g - self.g, len(g)
        lead, pairs = self.pairs.rebased(moved)
        settled, lead, others = self.settled, lead + self.lead + float(self.settled @ moved), self.others
        if others.lengths:
            new_settled, new_lead, new_pairs, rest = others.narrowed(moved, width)
            settled, lead = settled + new_settled, lead + new_lead
            code, gap, mass = (_joined(parts) for parts in zip(pairs, new_pairs, strict=True))
            pairs = code, gap, mass
            others = _layered(k, *rest)
        return Survivors(g, width, settled, lead, _Pairs.of(k, *pairs), others)


@dataclass(frozen=True)
class Screened:
    """The survivors of all chunks of rows."""

    chunks: list[Survivors]

    @property
    def g(self) -> Floats:
        """The potentials of the screening."""
        return self.chunks[0].g

    @property
    def width(self) -> float:
        """How far behind the best of its row a cell may be there and still be kept."""
        return self.chunks[0].width

    def total(self, g: Floats, epsilon: float) -> Total:
        """As `terms`, not rounded yet."""
        return total(chunk.terms(g, epsilon) for chunk in self.chunks)

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """As `block_terms`, over the cells kept."""
        return summed(chunk.terms(g, epsilon) for chunk in self.chunks)

    def narrowed(self, g: Floats, width: float) -> Screened:
        """Screened again, from these cells alone, with a smaller width."""
        return Screened([chunk.narrowed(g, width) for chunk in self.chunks])


def _highest(layers: list[Floats]) -> Floats:
    """The highest cell of each row."""
    out = layers[0].copy()
    for layer in layers[1:]:
        head = out[: len(layer)]
        np.maximum(head, layer, out=head)
    return out


def _by_count(k: int, count: Ints, column: Ints, lead: Floats, mass: Mass) -> _Split:
    """Split cells, row after row, `count` of them in each row, into settled, pairs and others."""
    begin = np.cumsum(count) - count
    one, two, more = (np.flatnonzero(which) for which in (count == 1, count == 2, count > 2))
    at = begin[one]
    settled = _by_column(column[at], _at(mass, one), k)
    total = _weigh(lead[at], _at(mass, one))
    at = begin[two]
    pairs = column[at] * k + column[at + 1], lead[at + 1] - lead[at], _at(mass, two)
    total += _weigh(lead[at + 1], _at(mass, two))
    cells = np.repeat(count > 2, count)
    return settled, total, pairs, (count[more], column[cells], lead[cells], _at(mass, more))


def survivors(blocks: Iterable[tuple[Floats, Mass]], g: Floats, reach: float) -> Survivors:
    """Screen (cost, mass) blocks: keep the cells within `reach` of the best of their row."""
    screen = _screen if len(g) <= _FEW_COLUMNS else _screen_long_rows
    settled, lead, pairs, others = zip(*(screen(cost, mass, g, reach) for cost, mass in blocks), strict=True)
    code, gap, pair_mass = (_joined(parts) for parts in zip(*pairs, strict=True))
    count, column, cell_lead, mass = (_joined(parts) for parts in zip(*others, strict=True))
    return Survivors(
        g,
        reach,
        np.sum(settled, axis=0, dtype=float),
        sum(lead),
        _Pairs.of(len(g), code, gap, pair_mass),
        _layered(len(g), count, column, cell_lead, mass),
    )


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 or np.ndim(parts[0]) == 0 else np.concatenate(parts)


def _layered(k: int, count: Ints, column: Ints, lead: Floats, mass: Mass) -> _Others:
    """Others from cells row after row, `count` of them in each."""
    order = np.argsort(-count, kind="stable")
    begin = (np.cumsum(count) - count)[order]
    most = count.max(initial=0)
    lengths = (len(count) - np.cumsum(np.bincount(count, minlength=most + 1))[:most]).tolist()
    place = np.concatenate([begin[:length] + p for p, length in enumerate(lengths)] or [begin])
    return _Others(k, column[place], lead[place], lengths, _at(mass, order))


def near_columns(near: Bools) -> NDArray[np.float32]:
    """How many columns are near, the sum of their numbers and that of the squares, (3, n).

    These name the column of a row with one, and both of a row with two; one product is
    far quicker than a search along each row.
    """
    number = np.arange(len(near), dtype=np.float32)
    return np.stack([np.ones_like(number), number, number**2]) @ near.astype(np.float32)


def _screen_long_rows(cost: Floats, mass: Mass, g: Floats, reach: float) -> _Split:
    """As `_screen`, row by row, which many columns make worthwhile."""
    n, k = len(cost), len(g)
    lead = np.empty((n, k))
    np.subtract(g[: cost.shape[1]], cost, out=lead[:, : cost.shape[1]])
    lead[:, cost.shape[1] :] = g[cost.shape[1] :]
    near = np.flatnonzero(lead >= lead.max(axis=1, keepdims=True) - reach)
    row, column = np.divmod(near, k)
    return _by_count(k, np.bincount(row, minlength=n), column, lead.ravel()[near], mass)


def _screen(cost: Floats, mass: Mass, g: Floats, reach: float) -> _Split:
    """Of one block: settled masses, lead, what makes up the pairs and what makes up the others."""
    n, k = len(cost), len(g)
    lead = advantage(cost, g)
    best = lead.max(axis=0)
    near = lead >= best - reach
    count, total, squares = near_columns(near)

    one = np.flatnonzero(count == 1)
    settled = _by_column(total[one].astype(np.intp), _at(mass, one), k)

    two = np.flatnonzero(count == 2)
    total, squares = total.take(two), squares.take(two)
    apart = np.sqrt(2 * squares - total**2)
    b = np.rint((total + apart) / 2).astype(np.intp)
    a = total.astype(np.intp) - b
    lead_a, lead_b = lead.take(a * n + two), lead.take(b * n + two)
    pairs = a * k + b, lead_b - lead_a, _at(mass, two)

    more = np.flatnonzero(count > 2)
    cell = np.flatnonzero(near[:, more].T)
    row, column = np.divmod(cell, k)
    others = count[more].astype(np.intp), column, lead.take(column * n + more.take(row)), _at(mass, more)
    return settled, _weigh(best[one], _at(mass, one)) + _weigh(lead_b, pairs[2]), pairs, others


def _at(mass: Mass, rows: Ints) -> Mass:
    """Mass of some rows; one number stays one."""
    return mass if np.ndim(mass) == 0 else mass[rows]


def _by_column(column: Ints, mass: Mass, k: int) -> Floats:
    """Mass of each column; one number is the mass of each row."""
    if np.ndim(mass) == 0:
        return np.bincount(column, minlength=k) * mass
    return sums_by(column, mass, k)


def _weigh(values: Floats, mass: Mass) -> float:
    return float(values.sum() * mass if np.ndim(mass) == 0 else values @ mass)

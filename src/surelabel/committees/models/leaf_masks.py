"""Which leaf of each tree a row falls into, found for all trees at once.

A tree sends a row right at some of its nodes, and each of these closes the leaves to the left of it. The
first leaf that is still open is the row's. So a tree is a mask of open leaves for each value of each column,
and the masks of a row's values are joined by a bitwise and: no tree is walked (this is called QuickScorer).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.types import Floats, Ints, Values

MOST_LEAVES = 16
# Rows whose masks are in memory at once: few enough for a processor's cache.
_BLOCK_ROWS = 512
# The lowest bit that is set in each mask; no row has a mask without any.
_LOWEST = np.zeros(1 << MOST_LEAVES, dtype=np.uint8)
for _bit in reversed(range(MOST_LEAVES)):
    _LOWEST[1 << _bit :: 1 << (_bit + 1)] = _bit


@dataclass(frozen=True, eq=False)
class LeafMasks:
    """Trees of at most 16 leaves, on columns that hold few whole numbers.

    Parameters
    ----------
    columns : ndarray of shape (c,)
        The columns that any tree looks at.
    masks : ndarray of shape (c, n_values + 1, T)
        Leaves of each tree that a value leaves open; the last value is "missing".
    values : ndarray of shape (T, 16)
        What each leaf says.
    """

    columns: Ints
    masks: NDArray[np.uint16]
    values: Floats

    @classmethod
    def of(cls, trees: Sequence[Values], n_values: int) -> LeafMasks:
        """Of the nodes of trees of scikit-learn's gradient boosting, on columns of 0, 1, ... n_values - 1."""
        inner = [nodes["feature_idx"][nodes["is_leaf"] == 0] for nodes in trees]
        columns = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *inner])).astype(np.int64)
        masks = np.full((len(columns), n_values + 1, len(trees)), (1 << MOST_LEAVES) - 1, dtype=np.uint16)
        values = np.zeros((len(trees), MOST_LEAVES))
        for t, nodes in enumerate(trees):
            _close(nodes, masks[:, :, t], columns, values[t])
        return cls(columns, masks, values)

    def leaves(self, X: Floats) -> NDArray[np.uint8]:
        """The leaf of each tree, counted from the left, shape (n, T); X (n, d) holds whole numbers or NaN."""
        seen = X[:, self.columns]
        codes = np.where(np.isnan(seen), self.masks.shape[1] - 1, seen).astype(np.intp)
        open_ = np.full((len(X), len(self.values)), (1 << MOST_LEAVES) - 1, dtype=np.uint16)
        for column, masks in zip(codes.T, self.masks, strict=True):
            open_ &= masks.take(column, axis=0)
        return _LOWEST.take(open_)

    def sums(self, X: Floats, n_outputs: int) -> Floats:
        """What the leaves of a row say, summed over every n_outputs-th tree, shape (n, n_outputs)."""
        flat, first = self.values.ravel(), MOST_LEAVES * np.arange(len(self.values), dtype=np.int32)
        out = np.empty((len(X), n_outputs))
        for start in range(0, len(X), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            said = flat.take(self.leaves(X[rows]) + first)
            out[rows] = said.reshape(len(said), -1, n_outputs).sum(axis=1)
        return out


def _close(nodes: Any, masks: NDArray[np.uint16], columns: Ints, values: Floats) -> None:
    """Close leaves in the masks (c, n_values + 1) of one tree, and write what its leaves (16,) say."""
    # Lists: to read fields of single nodes takes many times as long.
    names = ("is_leaf", "value", "left", "right", "num_threshold", "missing_go_to_left")
    is_leaf, value, left, right, threshold, missing_left = (nodes[name].tolist() for name in names)
    column, n_values = np.searchsorted(columns, nodes["feature_idx"]).tolist(), masks.shape[1] - 1
    n_leaves = 0

    def below(at: int) -> int:
        """Mask of the leaves below a node, which are numbered from left to right."""
        nonlocal n_leaves
        if is_leaf[at]:
            values[n_leaves] = value[at]
            n_leaves += 1
            return 1 << (n_leaves - 1)
        on_left, on_right = below(left[at]), below(right[at])
        closed = np.uint16(~on_left & 0xFFFF)
        masks[column[at], max(floor(min(threshold[at], n_values)) + 1, 0) : n_values] &= closed
        if not missing_left[at]:
            masks[column[at], n_values] &= closed
        return on_left | on_right

    below(0)

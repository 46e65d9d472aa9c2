"""The nearest of some thousand rows, for very many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from ...common.types import Bools, Floats, Ints

# Rows compared at a time: few enough for a processor's cache.
_BLOCK_ROWS = 128
# Rows of each group: of the nearest groups all rows are looked at, of the others none.
_GROUP = 20
# Error of a squared distance in single precision, as a share of the squared lengths of what it is between.
_ROUNDING = 8 * float(np.finfo(np.float32).eps)


def nearest(index: NearestNeighbors, X: Floats) -> Ints:
    """What `index.kneighbors` gives, in no order, shape (n, k), in half its time.

    Most rows are settled in single precision. Where the next row after the k nearest is as far as the last of
    these, up to rounding, the index itself is asked: which of them it takes must not depend on the precision.

    Examples
    --------
    >>> nearest(NearestNeighbors(n_neighbors=1).fit([[0.0], [1.0], [5.0]]), np.array([[4.0]]))
    array([[2]])
    """
    nodes, k = index._fit_X, index.n_neighbors
    if k >= -(-len(nodes) // _GROUP):
        return index.kneighbors(X, return_distance=False)
    out, settled = _nearest(nodes, X, k)
    if not settled.all():
        out[~settled] = index.kneighbors(X[~settled], return_distance=False)
    return out


def _nearest(nodes: Floats, X: Floats, k: int) -> tuple[Ints, Bools]:
    """The k nearest nodes of each row of X in single precision, (n, k), and whether that settles it, (n,).

    Nodes are in groups. The k + 1 nearest are in at most k + 1 groups, and no other group has a node as near;
    so only the nodes of the k + 1 groups with the nearest node are ranked.
    """
    d, n_groups = nodes.shape[1], -(-len(nodes) // _GROUP)
    centre = nodes.mean(axis=0)
    against = _against(nodes - centre, n_groups)
    longest, others = float(against[d, : len(nodes)].max()), n_groups * np.arange(_GROUP)
    out, settled = np.empty((len(X), k), dtype=np.intp), np.empty(len(X), dtype=bool)
    for start in range(0, len(X), _BLOCK_ROWS):
        block = X[start : start + _BLOCK_ROWS]
        rows = np.ones((len(block), d + 1), dtype=np.float32)
        rows[:, :d] = block - centre
        far = rows @ against
        of_group = far.reshape(len(far), _GROUP, n_groups).min(axis=1)
        groups = np.argpartition(of_group, k, axis=1)[:, : k + 1]
        those = (groups[:, :, None] + others).reshape(len(far), -1)
        of_those = np.take_along_axis(far, those, axis=1)
        best = np.argpartition(of_those, (k - 1, k), axis=1)[:, : k + 1]
        last, following = np.take_along_axis(of_those, best[:, k - 1 :], axis=1).T
        own = np.einsum("ij,ij->i", rows, rows)
        settled[start : start + len(far)] = following - last > _ROUNDING * (own + longest)
        out[start : start + len(far)] = np.take_along_axis(those, best[:, :k], axis=1)
    return out, settled


def _against(nodes: Floats, n_groups: int) -> Any:
    """What rows with a 1 at their end are multiplied by: squared distances, less the rows' own lengths.

    Shape (d + 1, n_groups * 20); there are as many columns as all groups need, the last of them far away.
    """
    n, d = nodes.shape
    out = np.zeros((d + 1, n_groups * _GROUP), dtype=np.float32)
    out[:d, :n] = -2 * nodes.T
    out[d, :n] = (nodes**2).sum(axis=1)
    out[d, n:] = np.finfo(np.float32).max
    return out

"""Dask collections -> shards of a table, and back."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client
from numpy.typing import DTypeLike

from ..classifier import PseudoLabelClassifier
from ..common.types import Table as AnyTable
from ..common.types import Values
from ..shards.pieces import Pieces
from .place import OnCluster

# A dask array, dataframe or series, or a list of Delayed; for predictions also a table in memory.
Collection = Any

_FRAMES: Any = (dd.DataFrame, dd.Series)


@dataclass(frozen=True)
class Opened:
    """What a fit is given.

    Parameters
    ----------
    x, y : Pieces
        The shards of X and of y.
    heading : matrix or None
        A table of one row where X is an array: its columns have no names.
    several : bool
        Whether y has a cell for each of several labels.
    """

    x: Pieces
    y: Pieces
    heading: AnyTable | None
    several: bool


def opened(X: Collection, y: Collection | str | list[Any], client: Client) -> Opened:
    """X and y, which may name columns of X, in shards."""
    labels: Collection = y
    if isinstance(y, str):
        X, labels = _parted(X, [y])
    elif isinstance(y, list) and all(map(_is_name, y)):
        X, labels = _parted(X, y)
    n_dim = getattr(labels, "ndim", 1)
    if n_dim not in (1, 2):
        raise ValueError(f"y must have one label a row, or a cell for each label; it has {n_dim} dimensions.")
    several = n_dim == 2 and labels.shape[1] > 1
    if n_dim == 2 and not several:  # a column
        labels = labels[labels.columns[0]] if isinstance(labels, _FRAMES) else labels[:, 0]
    place = OnCluster(client)
    shards = Pieces(_delayed_shards(X, "X"), place), Pieces(_delayed_shards(labels, "y"), place)
    return Opened(*shards, _heading(X), several)


def _is_name(one: Any) -> bool:
    return isinstance(one, Hashable) and not dask.is_dask_collection(one)


def _parted(X: Collection, names: list[Any]) -> tuple[Collection, Collection]:
    """The columns of X that hold no labels, and those that do."""
    strange = [name for name in names if name not in getattr(X, "columns", ())]
    if strange:
        raise ValueError(f"y names the column {strange[0]!r}, which X does not have.")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"y names columns of X, each once; it is {names!r}.")
    return X.drop(columns=names), X[names]


def _delayed_shards(collection: Collection, name: str) -> list[Any]:
    """The chunks of a dask array, or partitions of a dataframe or series, in order, as Delayed."""
    if isinstance(collection, list) and collection and all(map(dask.is_dask_collection, collection)):
        return collection
    if isinstance(collection, da.Array):
        if collection.ndim == 2 and len(collection.chunks[1]) > 1:
            collection = collection.rechunk({1: -1})
        return collection.to_delayed().ravel().tolist()
    if isinstance(collection, _FRAMES):
        # Optimised, a column by itself may come in fewer partitions than the table it is from.
        return collection.to_delayed(optimize_graph=False)
    raise TypeError(
        f"{name} must be a dask array or dataframe, or a list of Delayed; it is a "
        f"{type(collection).__name__}. A table that fits in memory is for PseudoLabelClassifier."
    )


def as_frame(lines: Pieces, types: dict[str, str]) -> dd.DataFrame:
    """A line for each row, as a dask dataframe with a partition for each shard of the table."""
    meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})
    return dd.from_delayed(lines.shards, meta=meta, verify_meta=False)


def predicted(
    clf: PseudoLabelClassifier,
    method: str,
    X: Collection,
    shape: tuple[float, ...],
    dtype: DTypeLike,
) -> da.Array | Values:
    """What a fitted classifier predicts: a dask array for a dask collection, else an array."""
    if not dask.is_dask_collection(X):
        return getattr(clf, method)(X)
    there = dask.delayed(clf, traverse=False)
    found = [dask.delayed(_predict)(there, method, x, shape[1:], dtype) for x in _delayed_shards(X, "X")]
    return da.concatenate([da.from_delayed(each, shape, dtype=dtype) for each in found])


def _predict(
    clf: PseudoLabelClassifier, method: str, X: AnyTable, shape: tuple[int, ...], dtype: DTypeLike
) -> Values:
    return getattr(clf, method)(X) if len(X) else np.empty((0, *shape), dtype)


def _heading(X: Collection) -> AnyTable | None:
    return np.empty((1, X.shape[1])) if isinstance(X, da.Array) else None

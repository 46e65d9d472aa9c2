"""Dask collections -> shards of a table, and back."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client

from ..classifier import PseudoLabelClassifier
from ..common.types import Table as AnyTable
from ..common.types import Values
from ..shards.pieces import Pieces
from .place import OnCluster

# A dask array, dataframe or series, or a list of Delayed; for predictions also a table in memory.
Collection = Any

_FRAMES: Any = (dd.DataFrame, dd.Series)


def opened(X: Collection, y: Collection | str, client: Client) -> tuple[Pieces, Pieces, AnyTable | None]:
    """The shards of X and of y, and a table of no rows where X is an array: its columns have no names."""
    if isinstance(y, str):
        if y not in getattr(X, "columns", ()):
            raise ValueError(f"y names the column {y!r}, which X does not have.")
        X, y = X.drop(columns=[y]), X[y]
    if getattr(y, "ndim", 1) != 1:
        raise ValueError(f"y must have one label for each row; it has {y.ndim} dimensions.")
    place = OnCluster(client)
    return Pieces(_delayed_shards(X, "X"), place), Pieces(_delayed_shards(y, "y"), place), _heading(X)


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
    dtype: np.dtype[Any],
) -> da.Array | Values:
    """What a fitted classifier predicts: a dask array for a dask collection, else an array."""
    if not dask.is_dask_collection(X):
        return getattr(clf, method)(X)
    there = dask.delayed(clf, traverse=False)
    found = [dask.delayed(_predict)(there, method, x) for x in _delayed_shards(X, "X")]
    return da.concatenate([da.from_delayed(each, shape, dtype=dtype) for each in found])


def _predict(clf: PseudoLabelClassifier, method: str, X: AnyTable) -> Values:
    if not len(X):
        return np.empty((0, len(clf.classes_)) if method == "predict_proba" else 0)
    return getattr(clf, method)(X)


def _heading(X: Collection) -> AnyTable | None:
    return np.empty((1, X.shape[1])) if isinstance(X, da.Array) else None

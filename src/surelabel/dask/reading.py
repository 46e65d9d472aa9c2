"""Dask collections -> shards of a table, and back."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from ..classifier import PseudoLabelClassifier
from ..common.types import Table as AnyTable
from ..common.types import Values
from ..reading.columns import Columns
from ..reading.features import header
from ..reading.targets import Targets, read_targets
from ..reading.unlabeled import is_unlabeled
from . import shard
from .excerpt import Table
from .pieces import Each, Pieces

# What found labels weigh where they are trained on: "full" is refused before.
_FOUND = "balanced"

# A dask array, dataframe or series, or a list of Delayed; for predictions also a table in memory.
Collection = Any

# With more different values than this, y does not hold classes.
_MOST_LABELS = 100_000
# Share of the workers' memory that the table may take. A larger one is read again for each step.
_KEPT = 0.25
_FRAMES: Any = (dd.DataFrame, dd.Series)
_TYPES = {"i": "Int64", "u": "UInt64", "b": "boolean", "f": "float64"}


def read(
    clf: PseudoLabelClassifier, X: Collection, y: Collection | str, client: Client
) -> tuple[Table, Pieces, Targets]:
    """The shards of a table and their labels before the first round; clf learns columns and classes."""
    if isinstance(y, str):
        if y not in getattr(X, "columns", ()):
            raise ValueError(f"y names the column {y!r}, which X does not have.")
        X, y = X.drop(columns=[y]), X[y]
    if getattr(y, "ndim", 1) != 1:
        raise ValueError(f"y must have one label for each row; it has {y.ndim} dimensions.")
    x, labels = Pieces(_delayed_shards(X, "X"), client), Pieces(_delayed_shards(y, "y"), client)
    if len(labels) != len(x):
        raise ValueError(
            f"X comes in {len(x)} shards and y in {len(labels)}. Give both the same chunks or partitions."
        )
    columns = Columns() if clf.columns is None else clone(clf.columns)
    names = [f"Shard {i} of X" for i in range(len(x))]
    glances = x.ask(shard.glance, labels, columns, Each(names))
    used = [i for i, glance in enumerate(glances) if glance.n]
    if not used:
        raise ValueError("X has no rows.")
    x, labels = x.some(used), labels.some(used)
    columns.fit_surveys([glances[i].columns for i in used], [names[i] for i in used])
    targets = _targets(clf, [glances[i] for i in used])
    clf.columns_, clf.classes_ = columns, targets.classes
    validate_data(clf, header(_heading(X, columns)), skip_check_array=True)
    sizes = np.array([glances[i].n for i in used])
    if sum(glance.n_bytes for glance in glances) <= _KEPT * _memory(client):
        x = x.make(shard.itself)
    table = Table(x, sizes, columns, len(targets.classes), _FOUND)
    return table, labels.make(shard.start, targets, _FOUND), targets


def _memory(client: Client) -> int:
    """What all workers may use, in bytes."""
    return sum(worker["memory_limit"] or 0 for worker in client.scheduler_info(-1)["workers"].values())


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


def described(table: Table, labels: Pieces, classes: Values) -> dd.DataFrame:
    """A line for each row, as a dask dataframe with a partition for each shard of the table."""
    types = {
        "label": _TYPES.get(classes.dtype.kind, "string"),
        "probability": "float64",
        "gap": "float64",
        "confidence": "float64",
        "round": "int16",
        "status": "string",
    }
    types |= dict.fromkeys(("guess", "runner_up"), types["label"])
    order = ["label", "guess", "probability", "gap", "confidence", "runner_up", "round", "status"]
    types = {name: types[name] for name in order}
    lines = table.x.later(shard.described, labels, classes, Each(table.begins.tolist()), types)
    meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})
    return dd.from_delayed(lines, meta=meta, verify_meta=False)


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


def _targets(clf: PseudoLabelClassifier, glances: list[shard.Glance]) -> Targets:
    each = [glance.labels for glance in glances]
    if any(labels.dtype == object for labels in each):
        each = [labels.astype(object) for labels in each]
    values = pd.unique(np.concatenate(each))
    if len(values) > _MOST_LABELS:
        raise ValueError(f"y holds {len(values):,} different values; labels are classes.")
    if clf.classes is None and is_unlabeled(values, clf.missing_label).all():
        n = sum(glance.n for glance in glances)
        raise ValueError(f"y has no labelled row: all {n} are unlabelled.")
    return read_targets(values, clf.missing_label, clf.classes)


def _heading(X: Collection, columns: Columns) -> AnyTable:
    if isinstance(X, da.Array):
        return np.empty((1, X.shape[1]))
    return pd.DataFrame(columns=columns.names_)

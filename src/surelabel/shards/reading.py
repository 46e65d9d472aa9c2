"""Shards of X and y -> a table whose columns and labels are understood, and what is known of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from ..classifier import PseudoLabelClassifier
from ..common.types import AnyLabels, Values
from ..common.types import Table as AnyTable
from ..reading.columns import Columns
from ..reading.features import header
from ..reading.indicators import Indicators, read_indicators
from ..reading.targets import Targets, distinct, read_targets
from ..reading.unlabeled import is_auto, is_unlabeled
from . import shard
from .excerpt import Table
from .pieces import Each, Pieces

# What found labels weigh where they are trained on: "full" is refused before.
_FOUND = "balanced"
# With more different values than this, y does not hold classes.
_MOST_LABELS = 100_000
_TYPES = {"i": "Int64", "u": "UInt64", "b": "boolean", "f": "float64"}


def read(
    clf: PseudoLabelClassifier, x: Pieces, labels: Pieces, heading: AnyTable | None = None
) -> tuple[Table, Pieces, Targets]:
    """The table and its labels before the first round; clf learns columns and classes.

    `heading` is a table with as many columns, where these have no names.
    """
    table, labels, glances = _looked_at(clf, x, labels, heading, distinct)
    targets = _targets(clf, glances)
    clf.classes_ = targets.classes
    table = replace(table, n_classes=len(targets.classes))
    return table, labels.make(shard.start, targets, _FOUND), targets


def read_cells(
    clf: PseudoLabelClassifier, x: Pieces, y: Pieces, heading: AnyTable | None = None
) -> tuple[Table, list[Pieces], Indicators]:
    """The same where rows have several labels, with the labels of each; the values are those that y holds."""
    mark = -1 if is_auto(clf.missing_label) else clf.missing_label
    seen = partial(shard.cells_seen, mark=mark, classes=clf.classes)
    table, y, glances = _looked_at(clf, x, y, heading, seen)
    names, _ = glances[0].labels
    found = [pd.unique(np.concatenate(each)) for each in zip(*(g.labels[1] for g in glances), strict=True)]
    longest = max(map(len, found))
    values = np.column_stack([np.pad(each, (0, longest - len(each)), mode="edge") for each in found])
    known = replace(read_indicators(values, clf.missing_label), classes=names)
    clf.classes_ = known.classes
    codes = y.make(shard.cells, mark)
    return table, [codes.make(shard.start_cells, k, _FOUND) for k in range(len(names))], known


def _looked_at(
    clf: PseudoLabelClassifier,
    x: Pieces,
    labels: Pieces,
    heading: AnyTable | None,
    seen: Callable[[AnyLabels], Any],
) -> tuple[Table, Pieces, list[shard.Glance]]:
    """The shards that have rows, as a table of two classes, their labels as they came, and a look at each."""
    if len(labels) != len(x):
        raise ValueError(
            f"X comes in {len(x)} shards and y in {len(labels)}. Give both the same chunks or partitions."
        )
    columns = Columns() if clf.columns is None else clone(clf.columns)
    glances = x.ask(shard.glance, labels, columns, x.place.size_of, Each(list(range(len(x)))), seen)
    used = [i for i, glance in enumerate(glances) if glance.n]
    if not used:
        raise ValueError("X has no rows.")
    x, labels, glances = x.some(used), labels.some(used), [glances[i] for i in used]
    columns.fit_surveys([glance.columns for glance in glances], [f"Shard {i} of X" for i in used])
    clf.columns_ = columns
    heading = pd.DataFrame(columns=columns.names_) if heading is None else heading
    validate_data(clf, header(heading), skip_check_array=True)
    sizes = np.array([glance.n for glance in glances])
    if x.place.has_room_for(sum(glance.n_bytes for glance in glances)):
        x = x.make(shard.itself)
    return Table(x, sizes, columns, 2, _FOUND), labels, glances


def line_types(classes: Values) -> dict[str, str]:
    """What is said of each row, by name, and the type of each column."""
    label = _TYPES.get(classes.dtype.kind, "string")
    return {
        "label": label,
        "guess": label,
        "probability": "float64",
        "gap": "float64",
        "confidence": "float64",
        "runner_up": label,
        "round": "int16",
        "status": "string",
    }


def lines(table: Table, labels: Pieces, classes: Values) -> Pieces:
    """A frame for each shard of the table, with a line for each row: its label and why."""
    types = line_types(classes)
    return table.x.later(shard.described, labels, classes, Each(table.begins.tolist()), types)


def cell_line_types(names: Values) -> dict[str, str]:
    """What is said of each row where it has several labels, and the type of each column.

    The columns of a label have its name before them. Of two answers the runner-up is always the other.
    """
    types = line_types(np.array([0, 1]))
    del types["runner_up"]
    types = {"value": types.pop("label")} | types
    return {f"{label}_{name}": kind for label in names.tolist() for name, kind in types.items()}


def cell_lines(table: Table, labels: list[Pieces], names: Values) -> Pieces:
    """A frame for each shard of the table, with a line for each row: its labels and why."""
    begins = Each(table.begins.tolist())
    return table.x.later(shard.described_cells, names.tolist(), begins, cell_line_types(names), *labels)


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

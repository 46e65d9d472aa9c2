"""Shards of X and y -> a table whose columns and labels are understood, and what is known of each row."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
# With more different values than this, y does not hold classes.
_MOST_LABELS = 100_000
_TYPES = {"i": "Int64", "u": "UInt64", "b": "boolean", "f": "float64"}


def read(
    clf: PseudoLabelClassifier, x: Pieces, labels: Pieces, heading: AnyTable | None = None
) -> tuple[Table, Pieces, Targets]:
    """The table and its labels before the first round; clf learns columns and classes.

    `heading` is a table with as many columns, where these have no names.
    """
    if len(labels) != len(x):
        raise ValueError(
            f"X comes in {len(x)} shards and y in {len(labels)}. Give both the same chunks or partitions."
        )
    columns = Columns() if clf.columns is None else clone(clf.columns)
    names = [f"Shard {i} of X" for i in range(len(x))]
    glances = x.ask(shard.glance, labels, columns, x.place.size_of, Each(names))
    used = [i for i, glance in enumerate(glances) if glance.n]
    if not used:
        raise ValueError("X has no rows.")
    x, labels = x.some(used), labels.some(used)
    columns.fit_surveys([glances[i].columns for i in used], [names[i] for i in used])
    targets = _targets(clf, [glances[i] for i in used])
    clf.columns_, clf.classes_ = columns, targets.classes
    heading = pd.DataFrame(columns=columns.names_) if heading is None else heading
    validate_data(clf, header(heading), skip_check_array=True)
    sizes = np.array([glances[i].n for i in used])
    if x.place.has_room_for(sum(glance.n_bytes for glance in glances)):
        x = x.make(shard.itself)
    table = Table(x, sizes, columns, len(targets.classes), _FOUND)
    return table, labels.make(shard.start, targets, _FOUND), targets


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

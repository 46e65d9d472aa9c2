"""What goes into a run: files read, columns understood, labels found."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..files import (
    TEXT_KINDS,
    InputError,
    Kind,
    Table,
    features,
    format_of,
    kinds_of,
    read_table,
    target_values,
)
from .settings import Settings

ADDED = [
    f"surelabel_{name}" for name in ("status", "confidence", "guess", "probability", "runner_up", "round")
]
_PLAIN = (bool, int, float)
# As Python writes them, and few enough digits to be exact in every format.
_WHOLE = re.compile("0|-?[1-9][0-9]{0,14}")


@dataclass(frozen=True)
class Source:
    """A half-labelled table, ready to be fitted.

    Parameters
    ----------
    table : Table
        The file.
    more : Table or None
        The file of unlabelled rows.
    kinds : dict of str to Kind
        What each column is taken for.
    labels : ndarray of shape (n,)
        Labels of the rows of `table`, None where there is none.
    """

    table: Table
    more: Table | None
    kinds: dict[str, Kind]
    labels: np.ndarray

    @property
    def classes(self) -> list:
        """Classes in the order of their names."""
        return sorted({label for label in self.labels if label is not None}, key=str)

    @property
    def counts(self) -> dict[Any, int]:
        """Labelled rows of each class."""
        counts = Counter(label for label in self.labels if label is not None)
        return {label: counts[label] for label in self.classes}

    @property
    def n_unlabeled(self) -> int:
        """Rows without a label, in both files."""
        more = 0 if self.more is None else len(self.more.frame)
        return int(sum(label is None for label in self.labels)) + more

    @property
    def notes(self) -> list[str]:
        """What the reader decided by itself."""
        return [note for table in (self.table, self.more) if table is not None for note in table.notes]

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each file."""
        found = {"data": self.table.digest}
        return found if self.more is None else found | {"unlabeled": self.more.digest}

    def features(self) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """X of the rows of `table`, and of those of `more`."""
        X = features_of(self.table, self.kinds)
        if self.more is None:
            return X, None
        more = features_of(self.more, self.kinds)
        return X, more.set_axis(range(len(X), len(X) + len(more)))

    def problems(self) -> list[str]:
        """What a person should know before spending time, in sentences."""
        found = [
            f"Class {label!r} has only {count} labelled row{'s' if count > 1 else ''}."
            for label, count in self.counts.items()
            if count < 3
        ]
        if len(self.counts) < 2:
            found.append(f"The labelled rows hold {len(self.counts)} class; at least two are needed.")
        if not self.n_unlabeled:
            found.append("Every row has a label; there is nothing to fill in.")
        if not any(kind.used for kind in self.kinds.values()):
            found.append("No column can be learnt from; see --categorical.")
        found += [
            f"Column {kind.name!r} is empty in {kind.n_missing / len(self.table.frame):.0%} of rows."
            for kind in self.kinds.values()
            if kind.used and kind.n_missing > 0.5 * len(self.table.frame)
        ]
        return found


def opened(settings: Settings) -> Source:
    """Read the files that settings name."""
    table, more = _tables(settings)
    _check_new(table)
    kinds = kinds_of(table.frame, settings.target, settings.drop, settings.categorical, settings.id)
    labels = _uniform(target_values(table.frame, settings.target, settings.missing_label))
    if more is not None:
        _check_new(more)
        _check_unlabeled(more, settings)
    source = Source(table, more, kinds, labels)
    if not any(kind.used for kind in kinds.values()):
        seen = ", ".join(f"{kind.name}: {kind.kind}" for kind in kinds.values() if kind.kind != "target")
        raise InputError(
            f"{settings.data}: no column can be learnt from ({seen or 'there is no other'}). "
            "--categorical makes a category of one."
        )
    if not source.counts:
        raise InputError(
            f"{settings.data}: none of the {len(labels):,} rows has a label in column {settings.target!r}."
        )
    return source


def features_of(table: Table, kinds: dict[str, Kind]) -> pd.DataFrame:
    """X of a file whose columns are taken for what those of another were; errors name the file."""
    missing = [name for name, kind in kinds.items() if kind.used and name not in table.frame.columns]
    if missing:
        raise InputError(f"{table.path} lacks the column {missing[0]!r}, which is learnt from.")
    try:
        return features(table.frame, kinds)
    except InputError as error:
        raise InputError(f"{table.path}: {error}") from error


def _tables(settings):
    """Both files; an encoding is meant for those that are text, a sheet for those of Excel."""
    paths = [path for path in (settings.data, settings.unlabeled) if path is not None]
    formats = [_kind(path) for path in paths]
    sheets = [settings.sheet if kind == "xlsx" else None for kind in formats]
    encodings = [settings.encoding if kind in TEXT_KINDS else None for kind in formats]
    if not any(sheets):
        sheets[0] = settings.sheet  # to be refused
    if not any(encodings):
        encodings[0] = settings.encoding
    tables = [read_table(*each) for each in zip(paths, sheets, encodings, strict=True)]
    return tables[0], tables[1] if len(tables) > 1 else None


def _kind(path):
    try:
        return format_of(path).kind
    except InputError:
        return ""  # reading it will say why


def _uniform(labels):
    """Labels of which every format gives the same: whole numbers as such, and dates as text."""
    texts = {str(label) for label in labels if label is not None and not isinstance(label, _PLAIN)}
    texts |= {label for label in labels if isinstance(label, str)}
    as_number = all(_WHOLE.fullmatch(text) for text in texts)
    known = {text: int(text) if as_number else text for text in texts}
    found = np.empty(len(labels), dtype=object)
    found[:] = [
        label if isinstance(label, _PLAIN) or label is None else known[str(label)] for label in labels
    ]
    return found


def _check_new(table):
    already = [name for name in ADDED if name in table.frame.columns]
    if already:
        raise InputError(
            f"{table.path} already has the column {already[0]!r}: it is the outcome of an earlier run. "
            "Give the file that run was made from, or rename the column."
        )


def _check_unlabeled(more, settings):
    if settings.target not in more.frame.columns:
        return
    labels = target_values(more.frame, settings.target, settings.missing_label)
    known = np.flatnonzero(labels != np.array(None))
    if len(known):
        raise InputError(
            f"{more.path} has labels in column {settings.target!r}, the first in row {known[0] + 1:,}: it is "
            "meant for rows without. Move them to the labelled file."
        )

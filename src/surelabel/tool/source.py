"""What goes into a run: files read, columns understood, labels found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..files import InputError, Kind, Table, features, kinds_of, read_table, target_values
from .settings import Settings

ADDED = [f"surelabel_{name}" for name in ("status", "confidence", "guess", "runner_up", "round")]


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
        X = features(self.table.frame, self.kinds)
        if self.more is None:
            return X, None
        more = features(self.more.frame, self.kinds)
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
            found.append("No column can be used as a feature; see --categorical.")
        found += [
            f"Column {kind.name!r} is empty in {kind.n_missing / len(self.table.frame):.0%} of rows."
            for kind in self.kinds.values()
            if kind.used and kind.n_missing > 0.5 * len(self.table.frame)
        ]
        return found


def opened(settings: Settings) -> Source:
    """Read the files that settings name."""
    table = read_table(settings.data, settings.sheet, settings.encoding)
    _check_new(table)
    kinds = kinds_of(table.frame, settings.target, settings.drop, settings.categorical, settings.id)
    labels = target_values(table.frame, settings.target, settings.missing_label)
    more = None
    if settings.unlabeled is not None:
        more = read_table(settings.unlabeled)
        _check_new(more)
        _check_columns(more, kinds)
    source = Source(table, more, kinds, labels)
    if not any(kind.used for kind in kinds.values()):
        raise InputError(f"{settings.data}: no column can be used as a feature. See --categorical.")
    if not source.counts:
        raise InputError(
            f"{settings.data}: none of the {len(labels):,} rows has a label in column {settings.target!r}."
        )
    return source


def _check_new(table):
    already = [name for name in ADDED if name in table.frame.columns]
    if already:
        raise InputError(
            f"{table.path} already has the column {already[0]!r}: it is the outcome of an earlier run. "
            "Give the file that run was made from, or rename the column."
        )


def _check_columns(more, kinds):
    missing = [name for name, kind in kinds.items() if kind.used and name not in more.frame.columns]
    if missing:
        raise InputError(f"{more.path} lacks the column {missing[0]!r} that the labelled file has.")

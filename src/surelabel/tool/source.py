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

_ADDED = ("status", "confidence", "guess", "probability", "runner_up", "round")
# How cells of several labels may be written.
_ANSWERS = {"1": 1, "true": 1, "yes": 1, "0": 0, "false": 0, "no": 0}
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
    labels : ndarray of shape (n,) or (n, L)
        Labels of the rows of `table`, None where there is none. Of several labels: 1 or 0.
    targets : tuple of str
        The label columns.
    answers : tuple of L dicts
        Of several labels: how 1 and 0 are written in each column.
    """

    table: Table
    more: Table | None
    kinds: dict[str, Kind]
    labels: np.ndarray
    targets: tuple[str, ...]
    answers: tuple[dict[int, Any], ...] = ()

    @property
    def several(self) -> bool:
        """Whether rows have several labels."""
        return self.labels.ndim == 2

    @property
    def y(self):
        """Labels for `fit`."""
        return pd.DataFrame(self.labels, columns=self.targets) if self.several else self.labels.copy()

    @property
    def added(self) -> list[str]:
        """Columns that say why, beside the labels."""
        stems = [f"surelabel_{name}" for name in self.targets] if self.several else ["surelabel"]
        return [name for stem in stems for name in added(stem)]

    @property
    def classes(self) -> list:
        """Classes in the order of their names; or the labels as they come."""
        if self.several:
            return list(self.targets)
        return sorted({label for label in self.labels if label is not None}, key=str)

    @property
    def counts(self) -> dict[Any, int]:
        """Labelled rows of each class, or rows that have each label."""
        if self.several:
            return dict(zip(self.targets, (self.labels == 1).sum(axis=0).tolist(), strict=True))
        counts = Counter(label for label in self.labels if label is not None)
        return {label: counts[label] for label in self.classes}

    @property
    def n_unlabeled(self) -> int:
        """Rows without a label, or of which not all labels are known, in both files."""
        more = 0 if self.more is None else len(self.more.frame)
        missing = self.labels == np.array(None)
        return int((missing.any(axis=1) if self.several else missing).sum()) + more

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
        what = "Label" if self.several else "Class"
        found = [
            f"{what} {label!r} has only {count} labelled row{'s' if count != 1 else ''}."
            for label, count in self.counts.items()
            if count < 3
        ]
        if len(self.counts) < 2 and not self.several:
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
    targets, several = _targets(table.frame, settings)
    kinds = kinds_of(table.frame, targets, settings.drop, settings.categorical, settings.id)
    columns = [uniform(target_values(table.frame, name, settings.missing_label)) for name in targets]
    labels, answers = _cells(columns, targets) if several else (columns[0], ())
    source = Source(table, more, kinds, labels, targets, answers)
    for one in (table, more):
        if one is not None:
            _check_new(one, source)
    if more is not None:
        for name in targets:
            _check_unlabeled(more, name, settings.missing_label)
    if not any(kind.used for kind in kinds.values()):
        seen = ", ".join(f"{kind.name}: {kind.kind}" for kind in kinds.values() if kind.kind != "target")
        raise InputError(
            f"{settings.data}: no column can be learnt from ({seen or 'there is no other'}). "
            "--categorical makes a category of one."
        )
    if (labels == np.array(None)).all():
        raise InputError(
            f"{settings.data}: none of the {len(labels):,} rows has a label in column {targets[0]!r}"
            + (" or the others." if several else ".")
        )
    return source


def added(stem="surelabel"):
    """Names of the columns that say why a label was given."""
    return [f"{stem}_{name}" for name in _ADDED]


def _targets(frame, settings):
    """The label columns, and whether rows have several labels."""
    if settings.target_prefix is not None:
        found = tuple(str(name) for name in frame.columns if str(name).startswith(settings.target_prefix))
        if not found:
            raise InputError(
                f"{settings.data}: no column begins with {settings.target_prefix!r}, which --target-prefix "
                "names. surelabel inspect shows the columns."
            )
        return found, True
    # A comma may be part of a name.
    if settings.target in frame.columns or "," not in settings.target:
        return (settings.target,), False
    names = tuple(name.strip() for name in settings.target.split(","))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"--target names {twice[0]!r} twice.")
    return names, True


def _cells(columns, names):
    """Cells of several labels as 1, 0 or None, shape (n, L), and how 1 and 0 are written in each."""
    labels = np.full((len(columns[0]), len(columns)), None, dtype=object)
    answers = []
    for k, (values, name) in enumerate(zip(columns, names, strict=True)):
        written: dict[int, Any] = {}
        for row in np.flatnonzero(values != np.array(None)):
            answer = _ANSWERS.get(str(values[row]).lower())
            if answer is None:
                raise InputError(
                    f"Column {name!r} holds {values[row]!r} in row {row + 1:,}. One of several label columns "
                    "says whether a row has the label: 1 or 0, true or false, yes or no, or empty."
                )
            labels[row, k] = answer
            written.setdefault(answer, values[row])
        answers.append(written)
    return labels, tuple(answers)


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


def uniform(labels):
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


def _check_new(table, source):
    already = [name for name in source.added if name in table.frame.columns]
    if already:
        raise InputError(
            f"{table.path} already has the column {already[0]!r}: it is the outcome of an earlier run. "
            "Give the file that run was made from, or rename the column."
        )


def _check_unlabeled(more, target, missing_label):
    if target not in more.frame.columns:
        return
    labels = target_values(more.frame, target, missing_label)
    known = np.flatnonzero(labels != np.array(None))
    if len(known):
        raise InputError(
            f"{more.path} has labels in column {target!r}, the first in row {known[0] + 1:,}: it is "
            "meant for rows without. Move them to the labelled file."
        )

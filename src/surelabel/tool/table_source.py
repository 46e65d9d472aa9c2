"""Rows in memory: a file, and perhaps another of unlabelled rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..classifier import PseudoLabelClassifier
from ..common.types import Values
from ..files import InputError, Kind, Table, features, write_table
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from . import summary
from .filled_table import filled, reason_columns
from .run_folder import RunFolder
from .settings import Settings
from .source import Labelling, Source


@dataclass(frozen=True)
class TableSource(Source):
    """A half-labelled table in memory.

    Parameters
    ----------
    facts : Facts
        What is known of it before any work.
    tables : list of Table
        The file, and the file of unlabelled rows if there is one.
    labels : ndarray of shape (n,) or (n, L)
        Labels of the rows of the first file, None where there is none. Of several labels: 1 or 0.
    targets : tuple of str
        The label columns.
    answers : tuple of L dicts
        Of several labels: how 1 and 0 are written in each column.
    """

    tables: list[Table]
    labels: Values
    targets: tuple[str, ...]
    answers: tuple[dict[int, Any], ...] = ()

    @property
    def y(self) -> Any:
        """Labels for `fit`."""
        if self.facts.several:
            return pd.DataFrame(self.labels, columns=self.targets)
        return self.labels.copy()

    def features(self) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """X of the rows of the first file, and of those of the second; positions count through both."""
        X, *more = (features_of(table, self.facts.kinds) for table in self.tables)
        if not more:
            return X, None
        return X, more[0].set_axis(range(len(X), len(X) + len(more[0])))

    def labelling(self, settings: Settings, folder: RunFolder) -> TableLabelling:
        """The work that settings ask for, in this process."""
        clf = settings.classifier(list(self.facts.counts), self.facts.several)
        return TableLabelling(self, folder, clf, *self.features())

    def problems(self) -> list[str]:
        """What a person should know before spending time, in sentences."""
        facts, n_rows = self.facts, len(self.labels)
        what = "Label" if facts.several else "Class"
        found = [
            f"{what} {label!r} has only {count} labelled row{'s' if count != 1 else ''}."
            for label, count in facts.counts.items()
            if count < 3
        ]
        if len(facts.counts) < 2 and not facts.several:
            found.append(f"The labelled rows hold {len(facts.counts)} class; at least two are needed.")
        if not facts.n_unlabeled:
            found.append("Every row has a label; there is nothing to fill in.")
        if not any(kind.used for kind in facts.kinds.values()):
            found.append("No column can be learnt from; see --categorical.")
        found += [
            f"Column {kind.name!r} is empty in {kind.n_missing / n_rows:.0%} of rows."
            for kind in facts.kinds.values()
            if kind.used and kind.n_missing > 0.5 * n_rows
        ]
        return found


@dataclass
class TableLabelling(Labelling):
    """The work on a table in memory.

    Parameters
    ----------
    source : TableSource
        The table.
    folder : RunFolder
        Where to keep and to write.
    clf : PseudoLabelClassifier
        The classifier to fit.
    X, more : DataFrame
        Features of the rows of both files.
    """

    source: TableSource
    folder: RunFolder
    clf: PseudoLabelClassifier
    X: pd.DataFrame
    more: pd.DataFrame | None

    def rounds(self) -> Iterator[Round | LabelRounds]:
        """Label round by round; what is known after each is in the folder."""
        after = self.folder.kept()
        for round in self.clf.fit_rounds(self.X, self.source.y, X_unlabeled=self.more, after=after):
            self.folder.keep(self.clf.checkpoint())
            yield round

    def finish_early(self) -> bool:
        """Train on the labels so far, without the guard: it takes long, and --resume will run it."""
        self.clf.finish(guard=False)
        return True

    def fitted(self) -> PseudoLabelClassifier:
        """The classifier."""
        return self.clf

    def write_labels(self) -> list[Path]:
        """The rows of each file with labels filled in where sure, and why, in the format it came in."""
        source, start, paths = self.source, 0, []
        columns = list(self._columns())
        reasons = [name for _, stem, _, _ in columns for name in reason_columns(stem)]
        for table, name in zip(source.tables, source.facts.outputs, strict=True):
            rows = slice(start, start + len(table.frame))
            frame = table.frame
            for target, stem, one, labels in columns:
                audit, found_in = one.pseudo_labels_, one.labeled_iter_[rows]
                frame = filled(frame, target, labels[rows], found_in, audit, start, stem)
            if source.facts.several:  # of two answers, the runner-up is always the other
                frame = frame.drop(columns=[f"{stem}_runner_up" for _, stem, _, _ in columns])
            with self.folder.files.placing(name) as path:
                write_table(frame, path, table.format, guarded=[*source.targets, *reasons])
            paths.append(self.folder.path / name)
            start = rows.stop
        return paths

    def summary(self) -> summary.Summary:
        """Rows by class, or cells by label."""
        return (summary.of_cells if self.source.facts.several else summary.of_classes)(self.clf)

    def features(self) -> pd.DataFrame:
        """X of the rows of both files."""
        return self.X if self.more is None else pd.concat([self.X, self.more])

    def _columns(self) -> Iterator[tuple[str, str, PseudoLabelClassifier, Values]]:
        """For each label column its name, how the added ones begin, its classifier, and its labels (n,)."""
        source = self.source
        if not source.facts.several:
            labels = np.asarray(self.clf.transduction_, dtype=object)
            yield source.targets[0], "surelabel", self.clf, labels
            return
        for name, one, answers in zip(source.targets, self.clf.estimators_, source.answers, strict=True):
            cells = [answers.get(cell) for cell in one.transduction_.tolist()]
            yield name, f"surelabel_{name}", one, np.array(cells, dtype=object)


def features_of(table: Table, kinds: dict[str, Kind]) -> pd.DataFrame:
    """X of a file, its columns read as the kinds found in another file; errors name the file."""
    missing = [name for name, kind in kinds.items() if kind.used and name not in table.frame.columns]
    if missing:
        raise InputError(f"{table.path} lacks the column {missing[0]!r}, which is learnt from.")
    try:
        return features(table.frame, kinds)
    except InputError as error:
        raise InputError(f"{table.path}: {error}") from error

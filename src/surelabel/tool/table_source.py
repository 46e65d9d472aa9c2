"""Rows in memory: a file, and perhaps another of unlabelled rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..cells import Kind, features, features_and_notes
from ..classifier import PseudoLabelClassifier
from ..common.notice import notice
from ..common.types import Ints, Values
from ..files import InputError, Table, write_table
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from . import summary
from .filled_table import filled, reason_columns
from .final_opinion import as_final, opinions
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
        first, *others = self.tables
        X = features(first.frame, self.facts.kinds)
        more = [features_of(other, self.facts.kinds) for other in others]
        if not more:
            return X, None
        return X, more[0].set_axis(range(len(X), len(X) + len(more[0])))

    def labelling(self, settings: Settings, folder: RunFolder) -> TableLabelling:
        """The work that settings ask for, in this process."""
        clf = settings.classifier(list(self.facts.counts), self.facts.several, self.facts.columns)
        return TableLabelling(self, folder, clf, *self.features(), settings.guard_formulas)


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
    guard_formulas : bool, default=False
        Whether to guard all text against spreadsheets, not only what is added.
    """

    source: TableSource
    folder: RunFolder
    clf: PseudoLabelClassifier
    X: pd.DataFrame
    more: pd.DataFrame | None
    guard_formulas: bool = False

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
        """The classifier; of rows that came unlabelled it knows what is written beside their labels."""
        for one, lines in zip(self._each, self._final_lines, strict=True):
            one.pseudo_labels_ = lines
        if self.source.facts.several:
            self.clf.pseudo_labels_ = _cells(self.clf.pseudo_labels_, self.clf.classes_, self._final_lines)
        return self.clf

    def write_labels(self) -> list[Path]:
        """The rows of each file with labels filled in where sure, and why, in the format it came in."""
        source, start, paths = self.source, 0, []
        columns = list(self._columns())
        reasons = [name for column in columns for name in reason_columns(column.stem)]
        added: dict[str, Any] = dict.fromkeys(reasons)
        for table, name in zip(source.tables, source.facts.outputs, strict=True):
            rows = slice(start, start + len(table.frame))
            frame = table.frame
            for column in columns:
                labels, rounds = column.labels[rows], column.rounds[rows]
                frame = filled(frame, column.target, labels, rounds, column.lines, start, column.stem)
            if source.facts.several:  # of two answers, the runner-up is always the other
                frame = frame.drop(columns=[f"{column.stem}_runner_up" for column in columns])
            filled_in = {column.target: column.rounds[rows] > 0 for column in columns}
            with self.folder.files.placing(name) as path:
                write_table(frame, path, table.format, added | filled_in, guard_all=self.guard_formulas)
            paths.append(self.folder.path / name)
            start = rows.stop
        return paths

    def summary(self) -> summary.Summary:
        """Rows by class, or cells by label."""
        if self.source.facts.several:
            return summary.of_cells(self.clf)
        return summary.of_classes(self.clf, self._final_lines[0])

    def features(self) -> pd.DataFrame:
        """X of the rows of both files."""
        return self.X if self.more is None else pd.concat([self.X, self.more])

    @cached_property
    def _final_lines(self) -> list[pd.DataFrame]:
        """For each label column, a line for each row that came unlabelled, as the final classifier has it."""
        each = self._each
        if all(one._asked for one in each):
            return [as_final(one.pseudo_labels_) for one in each]
        X = self.features()
        unknown = np.column_stack([one.labeled_iter_ for one in each]) != 0
        rows = np.flatnonzero(unknown.any(axis=1))
        said = opinions(self.clf, X.iloc[rows])
        return [
            opinion.rows(unknown[rows, k]).of(one.pseudo_labels_)
            for k, (one, opinion) in enumerate(zip(each, said, strict=True))
        ]

    @property
    def _each(self) -> list[PseudoLabelClassifier]:
        """The classifier of each label column."""
        return self.clf.estimators_ if self.source.facts.several else [self.clf]

    def _columns(self) -> Iterator[_Column]:
        """What is known of the rows, for each label column."""
        source = self.source
        if not source.facts.several:
            labels = np.asarray(self.clf.transduction_, dtype=object)
            yield _Column(
                source.targets[0], "surelabel", labels, self.clf.labeled_iter_, self._final_lines[0]
            )
            return
        each = zip(source.targets, self.clf.estimators_, source.answers, self._final_lines, strict=True)
        for name, one, answers, lines in each:
            labels = np.array([answers.get(cell) for cell in one.transduction_.tolist()], dtype=object)
            said = lines.assign(guess=[answers.get(cell, cell) for cell in lines["guess"].tolist()])
            yield _Column(name, f"surelabel_{name}", labels, one.labeled_iter_, said)


def _cells(cells: pd.DataFrame, names: Values, lines: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """A line for each unknown cell, with what the lines of each label say of it."""
    out = cells.copy()
    for name, of_label in zip(names, lines, strict=True):
        for column in ("guess", "probability", "gap"):
            out.loc[(cells["label"] == name).to_numpy(), column] = of_label[column].to_numpy()
    return out


@dataclass(frozen=True)
class _Column:
    """What a run knows of the cells of a label column.

    Parameters
    ----------
    target : str
        Its name.
    stem : str
        How the columns begin that say why.
    labels : ndarray of shape (n,)
        Given or found, as they are written.
    rounds : ndarray of shape (n,)
        Round in which a label was found; 0 given, -1 none.
    lines : DataFrame
        A line for each cell that came unlabelled, by the row's position.
    """

    target: str
    stem: str
    labels: Values
    rounds: Ints
    lines: pd.DataFrame


def features_of(table: Table, kinds: dict[str, Kind]) -> pd.DataFrame:
    """X of a file, its columns read as the kinds found in another file; cells that do not fit are told."""
    X, notes = read_features(table, kinds)
    for name, (what, _) in notes.items():
        notice(f"{table.path}, column {name!r}: {what}")
    return X


def read_features(table: Table, kinds: dict[str, Kind]) -> tuple[pd.DataFrame, dict[str, tuple[str, str]]]:
    """X of another file; of each column in which cells count as missing, what to know and what to do."""
    missing = [name for name, kind in kinds.items() if kind.used and name not in table.frame.columns]
    if missing:
        raise InputError(f"{table.path} lacks the column {missing[0]!r}, which is learnt from.")
    try:
        return features_and_notes(table.frame, kinds)
    except InputError as error:
        raise InputError(f"{table.path}: {error}") from error

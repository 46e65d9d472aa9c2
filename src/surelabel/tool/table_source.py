"""Rows in memory: a file, and perhaps another of unlabelled rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..cells import Kind, features, features_and_notes
from ..classifier import PseudoLabelClassifier
from ..common.notice import notice
from ..common.types import Bools, Values
from ..files import InputError, Table, write_table
from ..handing_out import FilledLabels, hand_out, judged_by_held_out
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
    sampled : ndarray of shape (n,), optional
        Which given labels are a random sample, of the rows of both files; None: all. Where people have
        answered since, `labels` may be those of both files too.
    """

    tables: list[Table]
    labels: Values
    targets: tuple[str, ...]
    answers: tuple[dict[int, Any], ...] = ()
    sampled: Bools | None = None

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
        below = more[0].set_axis(range(len(X), len(X) + len(more[0])))
        return (pd.concat([X, below]), None) if len(self.labels) > len(X) else (X, below)

    def labelling(self, settings: Settings, folder: RunFolder) -> TableLabelling:
        """The work that settings ask for, in this process."""
        clf = settings.classifier(list(self.facts.counts), self.facts.several, self.facts.columns)
        return TableLabelling(self, settings, folder, clf, *self.features())


@dataclass
class TableLabelling(Labelling):
    """The work on a table in memory.

    Parameters
    ----------
    source : TableSource
        The table.
    settings : Settings
        What was asked.
    folder : RunFolder
        Where to keep and to write.
    clf : PseudoLabelClassifier
        The classifier to fit; or that of a run that is over, and labels are decided anew.
    X, more : DataFrame
        Features of the rows of both files.
    is_over : bool, default=False
        Whether the classifier knows already what is written beside each label.
    is_cut_short : bool, default=False
        Whether a person stopped it, so that no labelled row was held out.
    """

    source: TableSource
    settings: Settings
    folder: RunFolder
    clf: PseudoLabelClassifier
    X: pd.DataFrame
    more: pd.DataFrame | None
    is_over: bool = False
    is_cut_short: bool = False

    def rounds(self) -> Iterator[Round | LabelRounds]:
        """Label round by round; what is known after each is in the folder."""
        after = self.folder.kept()
        self.clf.sampled_ = self.source.sampled
        for round in self.clf.fit_rounds(self.X, self.source.y, X_unlabeled=self.more, after=after):
            self.folder.keep(self.clf.checkpoint())
            yield round

    def finish_early(self) -> bool:
        """Train on the labels so far, without the guard: it takes long, and --resume will run it."""
        self.clf.finish(guard=False)
        self.is_cut_short = True
        return True

    def fitted(self) -> PseudoLabelClassifier:
        """The classifier; of rows that came unlabelled it knows what is written beside their labels."""
        if not self.is_over:
            each = self._final_lines()
            for one, lines in zip(self._each, each, strict=True):
                one.pseudo_labels_ = lines
            if self.source.facts.several:
                self.clf.pseudo_labels_ = _cells(self.clf.pseudo_labels_, self.clf.classes_, each)
            self.is_over = True
        hand_out(self.clf, self.filling())
        return self.clf

    def filling(self, right: float | None = None) -> FilledLabels:
        """Which labels are handed out, and what is promised of them; `right` other than was asked."""
        asked, right = self.settings, self.settings.right if right is None else right
        # Who wants no row held out, or cannot wait for it, gets the estimate.
        judged = judged_by_held_out(self.clf) or (asked.guard and not self.is_cut_short)
        promise = asked.promise and judged
        return self.clf.fill(right, asked.confidence, per_class=asked.per_class, promise=promise)

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
                sampled = None if source.sampled is None else source.sampled[rows]
                frame = filled(frame, column.target, column.lines, start, column.stem, sampled)
            if source.facts.several:  # of two answers, the runner-up is always the other
                frame = frame.drop(columns=[f"{column.stem}_runner_up" for column in columns])
            filled_in = {column.target: column.handed_out(rows) for column in columns}
            with self.folder.files.placing(name) as path:
                guard_all = self.settings.guard_formulas
                write_table(frame, path, table.format, added | filled_in, guard_all=guard_all)
            paths.append(self.folder.path / name)
            start = rows.stop
        return paths

    def summary(self) -> summary.Summary:
        """Rows by class, or cells by label."""
        if self.source.facts.several:
            return summary.of_cells(self.clf)
        return summary.of_classes(self.clf, self.filling())

    def features(self) -> pd.DataFrame:
        """X of the rows of both files."""
        return self.X if self.more is None else pd.concat([self.X, self.more])

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
            yield _Column(source.targets[0], "surelabel", self.clf.pseudo_labels_)
            return
        for name, one, answers in zip(source.targets, self.clf.estimators_, source.answers, strict=True):
            lines = one.pseudo_labels_
            written = {
                column: pd.Series(
                    [answers.get(cell, cell) for cell in lines[column].tolist()], lines.index, dtype=object
                )
                for column in ("guess", "filled")
            }
            yield _Column(name, f"surelabel_{name}", lines.assign(**written))


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
    lines : DataFrame
        A line for each cell that came unlabelled, by the row's position; labels as they are written.
    """

    target: str
    stem: str
    lines: pd.DataFrame

    def handed_out(self, rows: slice) -> Bools:
        """Which of some rows get a label, shape (n,)."""
        found = np.zeros(rows.stop - rows.start, dtype=bool)
        places = self.lines.index[self.lines["filled"].notna()].to_numpy()
        found[places[(places >= rows.start) & (places < rows.stop)] - rows.start] = True
        return found


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

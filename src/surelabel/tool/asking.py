"""What a finished run would ask a person, beside the cells of the rows: from its folder, without training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..cells import Kind
from ..classifier import PseudoLabelClassifier
from ..common.types import Floats, Ints, Values
from ..files import InputError, Table, format_of, read_table, write_table
from ..filling import GIVEN
from ..saving.model_file import load
from .filled_table import reason_columns, stem_of
from .finished_run import check_out
from .run_folder import RunFolder
from .table_source import features_of

# Columns of a row that a person is shown, and groups of values of a column by which its worth is told.
_SHOWN, _GROUPS = 4, 10


@dataclass(frozen=True)
class FinishedRows:
    """The rows of a finished run, or those with a given label, and its classifier.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted on the rows.
    X : DataFrame of shape (n, d)
        What was learnt from, on the positions of the rows.
    cells : DataFrame of shape (n, c)
        The rows as they were given, without what the run added, on their positions.
    targets : tuple of str
        The label columns.
    kinds : dict of Kind
        What each column was taken for.
    n_first : int
        Rows of the first file; the others came by --unlabeled.
    all_here : bool, default=True
        Whether these are all rows.
    """

    clf: PseudoLabelClassifier
    X: pd.DataFrame
    cells: pd.DataFrame
    targets: tuple[str, ...]
    kinds: dict[str, Kind]
    n_first: int
    all_here: bool = True

    def naming_columns(self) -> list[str]:
        """Columns that name the rows."""
        return [name for name, kind in self.kinds.items() if kind.kind == "identifier" and name in self.cells]

    def telling_columns(self) -> list[str]:
        """Columns that a person should see first: free text, then those that tell classes apart best."""
        text = [name for name, kind in self.kinds.items() if kind.used and kind.kind in ("text", "url")]
        others = [name for name in self.X.columns if name in self.cells and name not in text]
        clf = self.clf.estimators_[0] if self.clf.several_labels else self.clf
        given = clf._given
        codes = pd.factorize(given["label"])[0]
        rows = given["row"].to_numpy()
        worth = [share_explained(self.X[name].loc[rows], codes) for name in others]
        best = [others[k] for k in np.argsort(-np.array(worth), kind="stable")] if others else []
        return (text + best)[:_SHOWN]

    def named(self, found: pd.DataFrame) -> pd.DataFrame:
        """Found rows with their number, their cells and what was found, for a file."""
        rows = found["row"].to_numpy()
        in_first = rows < self.n_first
        number = np.where(in_first, rows, rows - self.n_first) + 1
        first: dict[str, Any] = {"surelabel_row": number}
        if self.all_here and self.n_first < len(self.cells):
            first["surelabel_file"] = np.where(in_first, "labels", "unlabeled")
        rest = found.drop(columns="row").add_prefix("surelabel_").reset_index(drop=True)
        cells = self.cells.loc[rows].reset_index(drop=True)
        return pd.concat([pd.DataFrame(first), cells, rest], axis=1)


def finished_rows(folder: RunFolder) -> FinishedRows:
    """The rows of a run that came to its end, read from the tables that it wrote."""
    record = folder.finished_record()
    if _in_shards(record):
        raise InputError(
            f"{folder.path} is a run in shards, which keeps nothing to choose rows by. In Python, "
            "next_rows() of a DaskPseudoLabelClassifier names them; surelabel next does, of --engine local."
        )
    clf, kinds = load(folder.model), folder.kinds()
    several = clf.several_labels
    targets = tuple(map(str, clf.classes_)) if several else (record["settings"]["target"],)
    added = {name for target in targets for name in reason_columns(stem_of(target, several))}
    encoding = record["settings"].get("encoding")
    tables = [_read(folder.path / name, encoding) for name in record["outputs"]]
    used = {name: kinds[name] for name in clf.columns_.names_}
    X = pd.concat([features_of(table, used) for table in tables], ignore_index=True)
    if len(X) != len(clf.labeled_iter_):
        raise InputError(
            f"{folder.path} has {len(X):,} rows in its tables, and its model knows "
            f"{len(clf.labeled_iter_):,}: rows were added or removed since. Label the table again: surelabel "
            "label."
        )
    frames = [table.frame.drop(columns=[c for c in table.frame if c in added]) for table in tables]
    cells = _as_given(pd.concat(frames, ignore_index=True), clf, targets)
    return FinishedRows(clf, X, cells, targets, kinds, len(tables[0].frame))


def labelled_rows(folder: RunFolder) -> FinishedRows:
    """At least the rows of a run that came with a label; of one in shards, a file at a time is in memory."""
    record = folder.finished_record()
    if not _in_shards(record):
        return finished_rows(folder)
    clf, kinds, target = load(folder.model), folder.kinds(), record["settings"]["target"]
    given = np.sort(clf.doubtful_labels()["row"].to_numpy())
    used = {name: kinds[name] for name in clf.columns_.names_}
    status = reason_columns()[0]
    begin, X, cells = 0, [], []
    for path in sorted(path for name in record["outputs"] for path in (folder.path / name).glob("*.parquet")):
        table = _read(path, None)
        end = begin + len(table.frame)
        rows = given[(given >= begin) & (given < end)]
        if len(rows):
            if status in table.frame and (table.frame[status].iloc[rows - begin] != GIVEN).any():
                break
            here = replace(table, frame=table.frame.iloc[rows - begin].reset_index(drop=True))
            X.append(features_of(here, used).set_axis(rows))
            cells.append(here.frame.drop(columns=reason_columns(), errors="ignore").set_axis(rows))
        begin = end
    if sum(map(len, cells)) != len(given):
        raise InputError(
            f"{folder.path} has other rows in its tables than its model knows: rows were added or removed "
            "since. Label the table again: surelabel label."
        )
    return FinishedRows(clf, pd.concat(X), pd.concat(cells), (target,), kinds, begin, all_here=False)


def _in_shards(record: dict[str, Any]) -> bool:
    return bool(record["settings"].get("engine", "local") != "local")


def _as_given(cells: pd.DataFrame, clf: PseudoLabelClassifier, targets: tuple[str, ...]) -> pd.DataFrame:
    """Rows without the labels that the run filled in: a person is not to be led by them."""
    each = clf.estimators_ if clf.several_labels else [clf]
    for name, one in zip(targets, each, strict=True):
        if name in cells:
            cells = cells.assign(**{name: cells[name].mask(one.labeled_iter_ != 0)})
    return cells


def _read(path: Path, encoding: str | None) -> Table:
    if not path.exists():
        raise InputError(f"{path} is gone: the run wrote it. Label the table again: surelabel label.")
    text = format_of(path).kind in ("csv", "tsv")
    return read_table(path, None, encoding if text else None)


def asked(run: FinishedRows, n: int) -> pd.DataFrame:
    """Rows to label next, with what is said of them."""
    return run.clf.next_rows(run.X, n=n)


def doubted(run: FinishedRows, n: int) -> pd.DataFrame:
    """The n given labels that look most wrong; of all rows, with those that speak against them."""
    found = run.clf.doubtful_labels(run.X if run.all_here else None)
    if "against" not in found:
        return found.iloc[:n]
    words = [", ".join(f"{row + 1}" for row in rows) for rows in found["against"]]
    out = found.assign(against=pd.Series(words, index=found.index, dtype=object)).iloc[:n]
    out.attrs.update(found.attrs)
    return out


def write_asked(run: FinishedRows, found: pd.DataFrame, folder: RunFolder, out: Path) -> None:
    """Write found rows with their cells into a file that the user names; unknown labels stay empty."""
    form = format_of(out)
    check_out(out, folder)
    frame = run.named(found)
    added = [str(name) for name in frame.columns if name not in run.cells]
    write_table(frame, out, form, added)


def share_explained(column: pd.Series[Any], codes: Ints) -> float:
    """How well groups of a column tell classes apart: 0 is not at all, 1 is always.

    The share of rows of the most frequent class of their group, above that of the most frequent class of all.

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> share_explained(pd.Series([1.0, 1.0, 2.0, 2.0]), codes), share_explained(pd.Series(["a"] * 4), codes)
    (1.0, 0.0)
    """
    group = _grouped(column)
    table = np.zeros((int(group.max()) + 1, int(codes.max()) + 1))
    np.add.at(table, (group, codes), 1)
    base = table.sum(axis=0).max()
    return float((table.max(axis=1).sum() - base) / max(len(codes) - base, 1))


def _grouped(column: pd.Series[Any]) -> Ints:
    """Groups of the cells of a column, at most ten and one for those that are missing, shape (n,)."""
    if not pd.api.types.is_numeric_dtype(column):
        codes = pd.factorize(column)[0]
        common = np.argsort(-np.bincount(codes[codes >= 0], minlength=1), kind="stable")[:_GROUPS]
        return np.where(np.isin(codes, common), codes, -1) + 1
    values: Floats = column.to_numpy(dtype=float, na_value=np.nan)
    known: Values = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), dtype=int)
    edges = np.unique(np.quantile(known, np.linspace(0, 1, _GROUPS + 1)[1:-1]))
    return np.where(np.isnan(values), 0, np.searchsorted(edges, values, side="left") + 1)

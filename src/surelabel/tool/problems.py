"""What a person should know of a table before spending time on it: where it is, what it is, what to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from ..cells import Kind, features, is_mark, marks_in, option
from ..cells.kinds import SAID
from ..common.types import Bools, Values
from ..files import listed
from ..reading.column_parts import CATEGORIES, TEXTS
from ..reading.identifiers import Signal, signal
from .leaks import GivenClasses
from .look_alike import apart, look_alikes
from .table_source import TableSource, read_features

# Of problems of one sort, so many are told one by one.
_FEW = 5
_FEWEST_ROWS = 3
_MOST_LEVELS = 10_000
# So many rows that all differ name something; so many digits in each are a code.
_MANY, _LONG_CODE = 20, 5


@dataclass(frozen=True)
class Problem:
    """Something a person should know.

    Parameters
    ----------
    where : str
        The column, or what else it is about.
    what : str
        What it is, in a sentence.
    advice : str
        What can be done about it.
    """

    where: str
    what: str
    advice: str = ""


def problems(source: TableSource) -> list[Problem]:
    """All that a person should know of a table.

    Parameters
    ----------
    source : TableSource
        The table, read. A second file whose columns do not fit the first is refused.
    """
    first, *others = source.tables
    more = [read_features(each, source.facts.kinds) for each in others]
    seen = _Seen(
        source, features(first.frame, source.facts.kinds), [X for X, _ in more], [notes for _, notes in more]
    )
    checks: tuple[Callable[[_Seen], Iterable[Problem]], ...] = (
        _of_reading,
        _of_classes,
        _of_labels,
        _of_cells,
        _of_marks,
        _of_use,
        _of_copies,
        _of_near_unique,
        _of_look_alikes,
    )
    return [problem for check in checks for problem in check(seen)]


@dataclass(frozen=True)
class _Seen:
    """A table, the features of its rows, and those of other files with their cells that count as missing."""

    source: TableSource
    X: pd.DataFrame
    more: list[pd.DataFrame]
    notes: list[dict[str, tuple[str, str]]]

    @cached_property
    def columns(self) -> dict[str, Values]:
        """The columns that are learnt from, each of shape (n,); vectors as tuples."""
        return {str(name): _plain(self.kinds[str(name)].kind, column) for name, column in self.X.items()}

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each column is taken for."""
        return self.source.facts.kinds

    @cached_property
    def labelled(self) -> Bools:
        """Which rows of the first file have a label, shape (n,)."""
        known = self.source.labels != np.array(None)
        return known.any(axis=1) if known.ndim == 2 else known

    def told(self, name: str) -> Signal | None:
        """What a column tells of the classes of the labelled rows by itself."""
        cells = self.source.tables[0].frame[name][self.labelled]
        return signal(cells.tolist(), pd.factorize(self.source.labels[self.labelled])[0])

    def label_columns(self) -> Iterator[tuple[str, Values]]:
        """Each label column and its labels (n,)."""
        labels = self.source.labels
        yield from zip(self.source.targets, labels.T if labels.ndim == 2 else [labels], strict=True)


def _plain(kind: str, column: pd.Series[Any]) -> Values:
    """A column whose cells can be compared."""
    if kind == "vector":
        return column.map(tuple).to_numpy()
    if kind == "time":  # Arrow's, of which a missing one is neither equal nor different
        return column.astype(object).where(column.notna(), None).to_numpy(dtype=object)
    return column.to_numpy()


def _of_reading(seen: _Seen) -> Iterator[Problem]:
    """What the readers of the files decided by themselves."""
    for table in seen.source.tables:
        for note in table.notes:
            yield Problem(table.path.name, note.removeprefix(str(table.path)).lstrip(":, "))


def _of_classes(seen: _Seen) -> Iterator[Problem]:
    """Whether there is something to learn and to fill in."""
    facts = seen.source.facts
    where = listed(seen.source.targets)
    if len(facts.counts) < 2 and not facts.several:
        yield Problem(where, f"The labelled rows hold {len(facts.counts)} class; at least two are needed.")
    if not facts.n_unlabeled:
        yield Problem(where, "Every row has a label; there is nothing to fill in.")
    what, whats = ("Label", "labels") if facts.several else ("Class", "classes")
    rare = {label: n for label, n in facts.counts.items() if n < _FEWEST_ROWS}
    advice = "Label some more rows of it." if len(rare) == 1 else "Label some more rows of them."
    if len(rare) > _FEW:
        names = listed([repr(label) for label in rare])
        few = f"{len(rare):,} {whats} have fewer than {_FEWEST_ROWS} labelled rows: {names}."
        yield Problem(where, few, advice)
        return
    for label, n in rare.items():
        yield Problem(
            where,
            f"{what} {label!r} has only {_rows(n, 'labelled')}.",
            advice if label == list(rare)[-1] else "",
        )


def _of_labels(seen: _Seen) -> Iterator[Problem]:
    """Labels that are hardly what they seem."""
    facts = seen.source.facts
    if facts.several:
        return
    target, labels = next(seen.label_columns())
    names = {str(label): label for label in facts.counts}
    for name in filter(is_mark, names):
        yield Problem(
            target,
            f"{name!r} is taken for a class, and looks like the mark of a missing label.",
            f"If it is one: --missing-label {name!r}",
        )
    n_labelled = sum(facts.counts.values())
    if len(names) > _MANY and 2 * len(names) > n_labelled:
        yield Problem(
            target,
            f"{len(names):,} classes in {n_labelled:,} labelled rows: it hardly is a column of classes.",
            "Numbers cannot be filled in; name another --target, or put them into a few classes.",
        )
    alike = []
    for group in look_alikes(names):
        rows = [np.flatnonzero(labels == names[name])[0] + 1 for name in group]
        each = [f"{shown} (row {row:,})" for shown, row in zip(apart(group), rows, strict=True)]
        alike.append(
            Problem(
                target,
                f"{listed(each)} look alike, and are different classes.",
                "Write them alike if they are one class.",
            )
        )
    yield from alike[:_FEW]
    if len(alike) > _FEW:
        yield Problem(target, f"{len(alike) - _FEW:,} more groups of classes look alike.")


def _of_cells(seen: _Seen) -> Iterator[Problem]:
    """Cells that are not what the rest of their column is, and columns that are perhaps read wrongly."""
    first = [Problem(kind.name, kind.note, kind.advice) for kind in seen.kinds.values() if kind.note]
    yield from _gathered(first, "hold cells that are not what the rest of the column is; see why, above.")
    names = _of_names(seen)
    yield from _gathered(
        list(names), "look like names of the rows, and are not learnt from.", "See --categorical and --text."
    )
    for table, notes in zip(seen.source.tables[1:], seen.notes, strict=True):
        other = [
            Problem(name, f"In {table.path.name}: {what}", advice) for name, (what, advice) in notes.items()
        ]
        yield from _gathered(other, f"hold cells in {table.path.name} that are not what the column was.")


def _of_names(seen: _Seen) -> Iterator[Problem]:
    """Columns that are not learnt from, as they seem to name rows, and are codes or tell the class."""
    for kind in seen.kinds.values():
        if kind.kind != "identifier" or kind.why == SAID:
            continue
        name, codes = kind.name, kind.why.startswith("codes")
        what = f"Not learnt from, as it looks like a name of the row: {kind.why}"
        told = None if seen.source.facts.several else seen.told(name)
        if told is not None:
            use = "text" if codes else "number"
            yield Problem(
                name,
                f"{what}; but {told}.",
                "If rows are sorted by class, or were numbered once it was known: "
                f"{option('id', name)}. If not, use it: {option(use, name)}",
            )
        elif codes:
            yield Problem(
                name,
                f"{what}.",
                f"If it holds categories: {option('categorical', name)}. If it holds words: "
                f"{option('text', name)}",
            )


def _of_marks(seen: _Seen) -> Iterator[Problem]:
    """Marks such as n/a: one rule for the table, which is told where they occur."""
    missing, kept = _Marks(), _Marks()
    for name in seen.columns:
        kind = seen.kinds[name].kind
        if kind in TEXTS or kind == "vector" or not (seen.kinds[name].n_missing or kind in CATEGORIES):
            continue
        marks = marks_in(seen.source.tables[0].frame[name])
        if marks:
            (kept if kind in CATEGORIES else missing).add(name, marks)
    rules, advice = [], []
    if missing.columns:
        verb = "counts" if len(missing.marks) == 1 else "count"
        rules.append(
            f"{missing} {verb} as missing in columns of numbers and dates: {_names(missing.columns)}."
        )
    if kept.columns:
        are = "is a category of its own" if len(kept.marks) == 1 else "are categories of their own"
        rules.append(f"{kept} {are} in columns of categories: {_names(kept.columns)}.")
        advice.append("Empty the cells of categories that are meant to be missing.")
    if missing.columns and kept.columns:
        keep = option("categorical", missing.columns[0])
        advice.append(f"To keep a mark as a category in {missing.columns[0]!r}: {keep}")
    if rules:
        yield Problem("marks", " ".join(rules), " ".join(advice))


@dataclass(frozen=True)
class _Marks:
    """Marks, in the order of their first occurrence, and the columns they stand in."""

    marks: dict[str, None] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    def add(self, name: str, marks: Iterable[str]) -> None:
        self.columns.append(name)
        self.marks.update(dict.fromkeys(marks))

    def __str__(self) -> str:
        return _names(self.marks)


def _of_use(seen: _Seen) -> Iterator[Problem]:
    """Columns that give the label away, and columns that are empty where they are needed."""
    X, labelled = seen.X, seen.labelled
    missing = X.isna().to_numpy()
    n_labelled = int(labelled.sum())
    n_unlabelled = len(X) - n_labelled + sum(map(len, seen.more))
    given = n_labelled - missing[labelled].sum(axis=0)
    others = (~missing[~labelled]).sum(axis=0) + sum(
        each[X.columns].notna().to_numpy().sum(axis=0) for each in seen.more
    )
    found = defaultdict[str, list[Problem]](list)
    classes = [GivenClasses.of(*each) for each in seen.label_columns()]
    for j, (name, column) in enumerate(seen.columns.items()):
        drop = f"leave it out: {option('drop', name)}"
        leak = next(filter(None, (one.leak(column, others[j]) for one in classes)), None)
        share = missing[:, j].mean()
        if leak is not None:
            found["tell the class of every labelled row."].append(
                Problem(name, leak, f"If it was made from the label, {drop}")
            )
        elif not given[j]:
            what = f"No value in the {_rows(n_labelled, 'labelled')}, so nothing is learnt from it."
            found["have no value in the labelled rows."].append(
                Problem(name, what, f"Fill it in for some of them, or {drop}")
            )
        elif n_unlabelled and not others[j]:
            what = f"No value in the {_rows(n_unlabelled, 'unlabelled')}, where it would be needed."
            found["have no value in the unlabelled rows."].append(Problem(name, what, drop.capitalize()))
        elif share > 0.5:
            found["are empty in more than half of the rows."].append(
                Problem(name, f"Empty in {share:.0%} of the rows.")
            )
    for many, each in found.items():
        yield from _gathered(each, many, "See --drop." if "label" in many else "")


def _of_copies(seen: _Seen) -> Iterator[Problem]:
    """Columns that hold the same as another one."""
    first: dict[Any, str] = {}
    found = []
    for name, column in seen.columns.items():
        levels: tuple[Any, ...] = ()
        if column.dtype == object:
            column, known = pd.factorize(column)
            levels = tuple(known)
        other = first.setdefault((str(column.dtype), sha256(column.tobytes()).digest(), levels), name)
        if other != name:
            leave = f"Leave it out: {option('drop', name)}"
            found.append(Problem(name, f"Holds the same as {other!r}, so that it counts twice.", leave))
    yield from _gathered(found, "hold the same as another column.", "See --drop.")


def _of_near_unique(seen: _Seen) -> Iterator[Problem]:
    """Columns that are learnt from and perhaps only name the rows."""
    found = []
    for name, column in seen.columns.items():
        kind, n_known = seen.kinds[name], len(column) - seen.kinds[name].n_missing
        what = None
        if kind.kind == "number" and kind.n_distinct == len(column) >= _MANY and _is_code(column):
            what = "A different whole number in every row."
        if kind.kind in CATEGORIES and n_known > _FEW and 2 * kind.n_distinct > n_known:
            what = f"{kind.n_distinct:,} different categories in {n_known:,} cells: few rows share one."
        if what is not None:
            found.append(Problem(name, what, f"If it only names the rows: {option('id', name)}"))
    yield from _gathered(found, "differ in nearly every row.", "If they only name the rows: --id")


def _is_code(values: Values) -> bool:
    """Whether whole numbers look like those of a register: all as long as each other, or going up."""
    if not (values == np.floor(values)).all():
        return False
    digits = {len(f"{abs(value):.0f}") for value in values}
    return bool((np.diff(values) > 0).all()) or (len(digits) == 1 and min(digits) >= _LONG_CODE)


def _of_look_alikes(seen: _Seen) -> Iterator[Problem]:
    """Names of columns, and categories, that differ only in how they are written."""
    found = []
    for name in seen.columns:
        if seen.kinds[name].kind in CATEGORIES and seen.kinds[name].n_distinct <= _MOST_LEVELS:
            groups = look_alikes(seen.X[name].dropna().unique())
            if groups:
                more = f" and {len(groups) - 1:,} more groups" if len(groups) > 1 else ""
                what = f"{listed(apart(groups[0]))}{more} look alike, and are different categories."
                found.append(Problem(name, what, "Write them alike if they are the same."))
    yield from _gathered(found, "hold categories that look alike.", "Write them alike if they are the same.")
    names = [str(name) for name in seen.source.tables[0].frame]
    for group in look_alikes(names)[:_FEW]:
        yield Problem("columns", f"The names {listed(apart(group))} look alike, and are different columns.")
    for name in names:
        if name != name.strip() or not name.isprintable():
            what = f"The name {name!a} has spaces around it, or characters that cannot be seen."
            yield Problem("columns", what, "Write it without them, so that it can be named.")


def _gathered(found: list[Problem], many: str, advice: str = "") -> list[Problem]:
    """Problems of one sort, each by itself if they are few."""
    if len(found) <= _FEW:
        return found
    names = _names(problem.where for problem in found)
    return [Problem(f"{len(found):,} columns", f"{names} {many}", advice)]


def _rows(n: int, which: str) -> str:
    return f"{n:,} {which} row{'s' * (n != 1)}"


def _names(columns: Iterable[str]) -> str:
    return listed([repr(name) for name in columns])

"""What was made of each column, what it contributed, and the words that speak for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..cells.kinds import UNUSED
from ..committees.text import joined
from ..common.notice import logger
from ..common.types import Fitted, Ints, Table
from ..reading.column_parts import TEXTS
from ..reading.column_values import is_frame, raw_columns
from ..reading.features import as_table, take
from .about import Details
from .class_words import class_words
from .contribution import Contribution, contributions, differing
from .data import aligned_rows, class_names, codes_of
from .names import count

# Rows that are mixed up, columns that are tried, and rows and cells that are asked about in all: about
# a second's work.
_MOST_ROWS, _FEWEST_ROWS = 200, 50
_MOST_COLUMNS, _FEWEST_COLUMNS = 200, 20
_MOST_ASKED, _MOST_CELLS = 20_000, 20_000_000
# Rows whose words are counted, and classes whose words are told.
_MOST_TEXTS, MOST_CLASSES = 5_000, 30
_NOT_TOLD = "X is not the table of the fit, so what its columns contribute is not told: %s"


@dataclass(frozen=True)
class ColumnLine:
    """A column of the user's.

    Parameters
    ----------
    name : object
        Its name; its number where it has none.
    kind, why : str
        What it was taken for, and the reason.
    contribution : Contribution or None
        What it contributed; None where that was not measured.
    used : bool
        Whether the classifier reads it.
    """

    name: Any
    kind: str
    why: str
    contribution: Contribution | None
    used: bool


@dataclass(frozen=True)
class ColumnSection:
    """What the columns contribute.

    Parameters
    ----------
    lines : tuple of ColumnLine
        Those that contribute most first, then those not measured, then those not used.
    words : tuple of (str, tuple of str)
        Classes, the most frequent first, and the words that speak for each; none without free text.
    n_rows : int
        Unlabelled rows among which values were mixed up.
    notes : tuple of str
        What was left out, in sentences.
    """

    lines: tuple[ColumnLine, ...]
    words: tuple[tuple[str, tuple[str, ...]], ...]
    n_rows: int
    notes: tuple[str, ...]


def column_section(clf: Fitted, X: Table | None, details: Details = None) -> ColumnSection | None:
    """What the columns of X contribute to the guesses of a fitted classifier of one label.

    None where there is no X, fewer than two unlabelled rows, or where X is not the table of the fit, which is
    logged: it lacks columns, its cells are of another kind, or a function that makes vectors is not set.
    """
    if X is None or len(clf.pseudo_labels_) < 2:
        return None
    X = as_table(X)
    if not _can_read(clf, X):
        logger.info(_NOT_TOLD, "it has other columns, or a function of `embedding` is not set")
        return None
    if is_frame(X) and clf.columns_.names_ is not None:
        X = X[clf.columns_.names_]
    rows = aligned_rows(clf, X, "X")
    some = np.random.default_rng(0).choice(rows, min(len(rows), _MOST_ROWS), replace=False)
    try:
        table = clf.columns_.transform(take(X, np.sort(some)))
    except ValueError as error:  # a table to look at, where the fit had numbers made of it
        logger.info(_NOT_TOLD, error)
        return None
    found, n_rows = _contributions(clf, table)
    known = {column["name"]: column for column in (details or {}).get("columns") or ()}
    lines = _lines(clf, X, found, known)
    n_tried, n_used = len(found), sum(line.used for line in lines)
    notes = []
    if n_tried < n_used:
        notes.append(
            f"Of {count(n_used, 'column')}, {n_tried:,} were tried: those whose values differ most between "
            "the classes guessed."
        )
    words = _words(clf, X, rows)
    if words and len(clf.classes_) > MOST_CLASSES:
        notes.append(f"Words are told of the {MOST_CLASSES} classes that are guessed most often.")
    return ColumnSection(tuple(lines), words, n_rows, tuple(notes))


def contribution_frame(section: ColumnSection | None) -> pd.DataFrame:
    """Columns that were tried: column, kind, fall, changed."""
    lines = () if section is None else section.lines
    tried = [(line, line.contribution) for line in lines if line.contribution is not None]
    return pd.DataFrame(
        [(line.name, line.kind, found.fall, found.changed) for line, found in tried],
        columns=["column", "kind", "fall", "changed"],
    )


def _can_read(clf: Fitted, X: Table) -> bool:
    """Whether X has the columns of the fit, and what it takes to read them is there."""
    columns = clf.columns_
    if isinstance(columns.embedding, Mapping) and None in columns.embedding.values():
        return False
    if columns.names_ is None or not is_frame(X):
        return X.shape[1] == clf.n_features_in_
    return set(columns.names_) <= set(X.columns)


def _contributions(clf: Fitted, table: Table) -> tuple[dict[Any, Contribution], int]:
    """What columns contribute, by name or number, and among how many rows."""
    groups = _groups(clf, table)
    asked = min(_MOST_ASKED, _MOST_CELLS // table.shape[1])
    n = min(table.shape[0], max(asked // len(groups), _FEWEST_ROWS))
    most = min(_MOST_COLUMNS, max(asked // n, _FEWEST_COLUMNS))
    ask = clf.estimator_.predict_proba
    if len(groups) > most:
        chosen = differing(table, np.asarray(ask(table)).argmax(axis=1), groups, most)
        groups = {name: groups[name] for name in chosen}
    fewer = take(table, np.linspace(0, table.shape[0] - 1, n).astype(int))
    return contributions(ask, fewer, groups), n


def _groups(clf: Fitted, table: Table) -> dict[Any, list[int]]:
    """Positions of the columns that models read, by the column of the user's that they come from."""
    if clf.columns_.names_ is None:
        return {j: [j] for j in range(table.shape[1])}
    # Models of the first release made nothing of a column but itself.
    origin = vars(clf.columns_).get("origin_of_", {})
    groups: dict[Any, list[int]] = {}
    for j, name in enumerate(table.columns):
        groups.setdefault(origin.get(name, name), []).append(j)
    return groups


def _lines(
    clf: Fitted, X: Table, found: Mapping[Any, Contribution], known: Mapping[Any, Mapping[str, Any]]
) -> list[ColumnLine]:
    columns = clf.columns_
    lines = []
    if columns.names_ is None:
        names = list(X.columns) if is_frame(X) else [f"column {j}" for j in range(X.shape[1])]
        lines += [ColumnLine(name, "number", "", found.get(j), True) for j, name in enumerate(names)]
    else:
        reasons = vars(columns).get("why_", {})
        for name in columns.names_:
            kind = columns.kinds_.get(name, "number")
            said = known.get(name, {})
            why = said.get("why") or reasons.get(name, "")
            lines.append(ColumnLine(name, said.get("kind", kind), why, found.get(name), kind not in UNUSED))
    # The command line leaves columns out before the fit.
    lines += [
        ColumnLine(name, column["kind"], column.get("why", ""), None, False)
        for name, column in known.items()
        if column["kind"] in UNUSED and column["kind"] != "target" and name not in (columns.names_ or ())
    ]
    return sorted(lines, key=_rank)


def _rank(line: ColumnLine) -> tuple[bool, float]:
    return not line.used, -line.contribution.fall if line.contribution else np.inf


def _words(clf: Fitted, X: Table, rows: Ints) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Classes, the most frequent first, with their words; classes without any are left out."""
    columns = clf.columns_
    texts = [j for j, name in enumerate(columns.names_ or ()) if columns.kinds_.get(name) in TEXTS]
    if not texts:
        return ()
    some = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MOST_TEXTS)).astype(int))
    cells = raw_columns(take(X, rows[some]), None if is_frame(X) else columns.names_)
    # The form in which free text is told from categories.
    frame = pd.DataFrame({j: list(cells.values())[j][1].astype(object) for j in texts}, dtype=object)
    guess = codes_of(clf, clf.pseudo_labels_["guess"].iloc[some])
    names = class_names(clf)
    found = class_words(joined(frame), guess, len(names))
    often = np.argsort(-np.bincount(guess[guess >= 0], minlength=len(names)), kind="stable")[:MOST_CLASSES]
    return tuple((names[code], tuple(found[code])) for code in often if found[code])

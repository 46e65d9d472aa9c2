"""Several labels a row, in every form a user brings <-> cells that are yes, no or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length

from ..common.limits import is_missing
from ..common.settings import shown
from ..common.types import AnyLabels, Bools, Ints, Table, Values
from .containers import opened_labels
from .targets import Targets, read_targets
from .unlabeled import AUTO, check_mark, equals, is_auto, values_of

_ROW = (list, tuple, set, frozenset, np.ndarray)
_HELP = (
    "A cell says whether a row has a label: 1 or 0, or missing where that is not known. If a row of y is one "
    "class, make text of it."
)


@dataclass(frozen=True)
class Indicators:
    """Which rows have which labels, as far as that is known.

    Parameters
    ----------
    values : ndarray of shape (n, L)
        The caller's cells, as numbers.
    classes : ndarray of shape (L,)
        Names of the labels.
    codes : ndarray of shape (n, L)
        1 has the label, 0 has it not, -1 unknown.
    """

    values: Values
    classes: Values
    codes: Ints

    @property
    def dtype(self) -> str:
        """The type of an answer in the caller's form, as a text: numbers that are missing nowhere."""
        return self.values.dtype.str if self.values.dtype.kind in "iub" else "int64"

    def extended(self, n: int, missing_label: Any) -> Indicators:
        """The same with n unknown rows below, marked the way the caller marks them."""
        if not n:
            return self
        values, shape = self.values, (n, len(self.classes))
        if values.dtype.kind == "u" and is_auto(missing_label):
            values = values.astype(np.int64)
        mark = self._mark(missing_label)
        more = np.full(shape, mark, dtype=float if np.isnan(mark) else values.dtype)
        codes = np.concatenate([self.codes, np.full(shape, -1)])
        return Indicators(np.concatenate([values, more]), self.classes, codes)

    def _mark(self, missing_label: Any) -> float:
        if is_auto(missing_label) and self.values.dtype.kind in "iu":
            return -1
        number = isinstance(missing_label, (int, float)) and self.values.dtype.kind != "b"
        return missing_label if number else np.nan

    def column(self, k: int) -> Targets:
        """One label as a question of yes (1) or no (0)."""
        return Targets(self.values[:, k], np.array([0, 1]), self.codes[:, k])

    def as_classes(self) -> Targets:
        """The label of each row, where none has more than one; shape (n,)."""
        unknown = (self.codes < 0).all(axis=1)
        found = (self.codes == 1).sum(axis=1)
        odd = np.flatnonzero(~unknown & (found != 1))
        if len(odd):
            known = self.codes[odd[0]]
            what = "is partly unknown" if (known < 0).any() and not found[odd[0]] else f"has {found[odd[0]]}"
            raise ValueError(
                f"labels_per_row=1 takes rows that have one label or are wholly unknown; row {odd[0]} {what}."
            )
        codes = np.where(unknown, -1, (self.codes == 1).argmax(axis=1))
        return _Choices(self.values, self.classes, codes)


@dataclass(frozen=True)
class _Choices(Targets):
    """One label for each row, which came as a cell for each label: values has shape (n, L)."""

    def filled(self, codes: Ints) -> Values:
        """The caller's cells with those now known filled in, shape (n, L)."""
        new = (self.codes < 0) & (codes >= 0)
        values = self.values.copy()
        values[new] = codes[new, None] == np.arange(len(self.classes))
        return values


def has_several(y: AnyLabels) -> bool:
    """Whether y says of each row which of several labels it has.

    A matrix, sparse or not, or a frame of two columns or more; or a list of tags for each row.

    Examples
    --------
    >>> has_several([[1, 0], [0, 1]]), has_several([["calm", "sad"], [], None]), has_several([1, 0])
    (True, True, False)
    """
    shape = getattr(y, "shape", None)
    if shape is not None and len(shape) == 2:
        return shape[1] > 1
    rows = _rows(y)
    # [[0], [1]] is a column.
    return rows is not None and any(_is_tags(row) or len(row) != 1 for row in rows if isinstance(row, _ROW))


def read_labels(asked: Any, X: Table, y: AnyLabels, n_rows: int) -> tuple[Targets | Indicators, str | None]:
    """Labels of one or of several a row, for n_rows rows; and the type of y's cells, if it has any.

    Parameters
    ----------
    asked : PseudoLabelClassifier
        Its missing_label, classes and labels_per_row say how y is read.
    X : matrix or frame
        The rows of y, which must be as many.
    y : any labels
        As in `fit`.
    n_rows : int
        Rows with those that come below, unlabelled.
    """
    if not has_several(y):
        targets = read_targets(y, asked.missing_label, asked.classes)
        check_consistent_length(X, targets.codes)
        return targets.extended(n_rows - len(targets.codes), asked.missing_label), None
    cells = read_indicators(y, asked.missing_label, asked.classes)
    check_consistent_length(X, cells.codes)
    kind = cells.dtype
    cells = cells.extended(n_rows - len(cells.codes), asked.missing_label)
    return cells if asked.labels_per_row is None else cells.as_classes(), kind


def _rows(y: AnyLabels) -> Sequence[Any] | None:
    """Rows of y where each is an object of its own; None for anything else."""
    if isinstance(y, (list, tuple)):
        return y
    if isinstance(y, (np.ndarray, pd.Series)):
        return list(y) if y.dtype == object else None
    series = nw.from_native(y, series_only=True, pass_through=True)
    return series.to_list() if isinstance(series, nw.Series) and series.dtype == nw.List else None


def _is_tags(row: Iterable[Any]) -> bool:
    return isinstance(row, (set, frozenset)) or any(isinstance(tag, str) for tag in row)


def read_indicators(y: AnyLabels, missing_label: Any = AUTO, classes: AnyLabels | None = None) -> Indicators:
    """Read several labels a row in any form.

    Parameters
    ----------
    y : matrix or frame of shape (n, L), or n lists of tags
        Cells are 1 or 0 (True or False); NaN, None, pd.NA and -1 are unknown. Of lists, those
        of text, of unequal lengths, and sets, are tags; None instead of a list is an unknown row.
    missing_label : scalar, default="auto"
        Another mark of an unknown cell than -1. None: no other mark.
    classes : array-like, optional
        Names of the columns of a matrix; for lists all tags, also those no row has.

    Returns
    -------
    Indicators

    Examples
    --------
    >>> read_indicators([[1, 0, -1], [0, 1, 1]]).codes
    array([[ 1,  0, -1],
           [ 0,  1,  1]])
    >>> tags = read_indicators([["calm", "sad"], ["sad"], None])
    >>> tags.classes, tags.codes.tolist()
    (array(['calm', 'sad'], dtype=object), [[1, 1], [0, 1], [-1, -1]])
    """
    check_mark(missing_label)
    rows = None if hasattr(y, "shape") and len(y.shape) == 2 else _rows(y)
    if rows is not None:
        lists = [row for row in rows if isinstance(row, _ROW)]
        if any(map(_is_tags, lists)) or len({len(row) for row in lists}) > 1:
            return _from_tags(rows, classes)
        y = np.array([row if isinstance(row, _ROW) else [None] * len(lists[0]) for row in rows], dtype=object)
    columns, names = _columns(y)
    if classes is not None:
        declared = values_of(opened_labels(classes, "classes"))
        if len(declared) != len(columns) or (names is not None and list(names) != declared.tolist()):
            raise ValueError(
                f"classes={declared.tolist()} does not name the {len(columns)} columns of y"
                + (f", {list(names)}." if names is not None else ".")
            )
        names = declared
    names = np.arange(len(columns)) if names is None else names
    mark = -1 if is_auto(missing_label) else missing_label
    codes = [_codes(values, name, mark) for values, name in zip(columns, names, strict=True)]
    cells = np.column_stack(codes)
    if is_auto(missing_label) and not (cells == 0).any() and any(equals(v, -1).any() for v in columns):
        raise ValueError(
            "y holds -1 and 1 and no 0, so -1 may be no, or unknown. Write 0 for no; or say that -1 is "
            "unknown: missing_label=-1."
        )
    # They are objects only because whole numbers have no missing value.
    values = [
        np.where(c < 0, np.nan, c) if v.dtype == object else v for v, c in zip(columns, codes, strict=True)
    ]
    return Indicators(np.column_stack(values), np.asarray(names), cells)


def known_part(y: AnyLabels, classes: Values, missing_label: Any = AUTO) -> tuple[Ints, Ints]:
    """Positions of the rows that are known in full, and their cells (n, L), for scoring."""
    cells = read_indicators(y, missing_label, classes)
    rows = np.flatnonzero((cells.codes >= 0).all(axis=1))
    if not len(rows):
        raise ValueError(f"None of the {len(cells.codes)} rows to score is known in full.")
    return rows, cells.codes[rows]


def _columns(y: AnyLabels) -> tuple[list[Values], Values | None]:
    """Columns of a matrix or frame, and their names; None where they have none."""
    if hasattr(y, "toarray"):  # sparse
        return list(y.toarray().T), None
    frame = nw.from_native(y, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        y = np.asarray(opened_labels(y))
        return [values_of(y[:, k]) for k in range(y.shape[1])], None
    dtype = object if all(isinstance(name, str) for name in frame.columns) else None
    columns = [values_of(column.to_native()) for column in frame.iter_columns()]  # names may be numbers
    return columns, np.array(frame.columns, dtype=dtype)


def _codes(values: Values, name: Any, mark: Any) -> Ints:
    """1, 0 or -1 for each cell of a label, shape (n,)."""
    unknown = pd.isna(values)
    if not is_missing(mark):
        unknown |= equals(values, mark)
    known = values[~unknown]
    yes, no = _is(known, 1), _is(known, 0)
    strange = np.flatnonzero(~unknown)[~(yes | no)]
    if len(strange):
        raise ValueError(
            f"Label {_plain(name)!r} holds {_plain(values[strange[0]])!r} in row {strange[0]}. {_HELP}"
        )
    codes = np.full(len(values), -1)
    codes[~unknown] = yes
    return codes


def _is(known: Values, answer: int) -> Bools:
    if known.dtype != object:
        return known == answer
    return np.array([not isinstance(v, str) and bool(v == answer) for v in known], dtype=bool)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_text(tag: Any) -> bool:
    return isinstance(tag, str)


def _from_tags(rows: Sequence[Any], classes: AnyLabels | None) -> Indicators:
    """From the tags of each row; a row that is no list must be missing."""
    known = np.array([isinstance(row, _ROW) for row in rows])
    for number in np.flatnonzero(~known).tolist():
        if not is_missing(rows[number]):
            raise ValueError(
                f"Row {number} of y is {rows[number]!r}: a list of tags, or None where they are unknown."
            )
    lengths = [len(row) if has else 0 for row, has in zip(rows, known, strict=True)]
    at = np.repeat(np.arange(len(rows)), lengths)
    each = [tag for row in np.flatnonzero(known).tolist() for tag in rows[row]]
    if len({isinstance(tag, str) for tag in each if not is_missing(tag)}) > 1:
        mixed = next(list(row) for row in rows if isinstance(row, _ROW) and not all(map(_is_text, row)))
        raise ValueError(
            f"Rows of y are lists of tags, and tags are text or numbers, not both: {shown(mixed)}. If a row "
            f"is one class, make text of it, such as {shown(str(mixed))}."
        )
    tags = read_targets(each, None, classes)
    if (tags.codes < 0).any():
        raise ValueError(
            f"Row {at[tags.codes < 0][0]} of y has a tag that is missing. Rows of unknown tags are None."
        )
    codes = np.where(known[:, None], 0, np.full((len(rows), len(tags.classes)), -1))
    codes[at, tags.codes] = 1
    return Indicators(codes, tags.classes, codes)

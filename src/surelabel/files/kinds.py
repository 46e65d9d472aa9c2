"""What each column of a table is taken for, why, and the features that follow."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..common.types import Values
from .cells import Cells, category_cells, cells_of, first_strange, is_whole, label_cells
from .errors import InputError, no_such

_USED = ("number", "category", "date")
_ID_NAMES = {"id", "ids", "uuid", "guid", "index", "idx", "key", "pk", "rowid", "identifier"}
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_UNKNOWN = {"number": np.float64("nan"), "date": np.datetime64("NaT", "us")}
_FEWEST_COUNTED = 10
_FEWEST_TEXT = 50
_EXAMPLES = 3
_EXAMPLE_LENGTH = 40


@dataclass(frozen=True)
class Kind:
    """What one column is taken for.

    Parameters
    ----------
    name : str
        The column.
    kind : str
        "target", "number", "category", "date", or one that is not used as a feature:
        "text", "identifier", "constant", "dropped".
    why : str
        The reason, in words.
    n_missing : int
        Cells without a value.
    n_distinct : int
        Values that differ.
    examples : tuple of str
        The first few of them.
    """

    name: str
    kind: str
    why: str
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]

    @property
    def used(self) -> bool:
        """Whether the column is a feature."""
        return self.kind in _USED


def kinds_of(
    frame: pd.DataFrame,
    target: str | Collection[str],
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    identifiers: Collection[str] = (),
) -> dict[str, Kind]:
    """Tell what each column is.

    The rules, of which the first that holds decides:

    1. The target and the columns named in `drop`, `identifiers` and `categorical` are what
       they are said to be. Columns of lists or records are dropped.
    2. The empty cell, null and NaN are missing. A column is a constant if no cell has a
       value, or if all have the same one.
    3. Text is a number if every cell with a value is a finite decimal number such as -1.5 or
       2e-3: digits without underscores, without zeros in front (007 is none), spaces around
       allowed; inf and nan are none. Among numbers, the words NA, N/A, #N/A, null, None, nan
       and ? in any case, and cells of spaces, are missing; `why` names the words.
    4. Text is a date if every cell is an ISO 8601 day or time (2024-05-31, 2024-05-31T12:00),
       all with or all without an offset from UTC.
    5. A column is an identifier if no cell is missing, all differ, and either it holds text
       or whole numbers and a part of its name is id, uuid, guid, index, idx, key, pk, rowid
       or identifier; or it holds whole numbers that count up by one over 10 rows or more.
    6. Text is free text if at least 50 cells have a value and more than half of those differ.
    7. Other text, truth values and columns that came as categories are categories, in which
       words such as NA are categories of their own.

    Typed columns follow the same rules, so that one table gives the same features as CSV,
    as Parquet and as a frame. A column typed as categories stays one.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    target : str, or collection of str
        The label column, or columns.
    drop, categorical, identifiers : collection of str
        Columns to leave out, to read as categories, and to leave out as identifiers.

    Returns
    -------
    dict of str to Kind
        In the order of the columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"width": ["1.5", "NA", "2"], "code": ["007", "7", ""], "kind": ["a", "b", ""]})
    >>> kinds = kinds_of(frame, "kind")
    >>> kinds["width"].kind, kinds["width"].n_missing, kinds["width"].why
    ('number', 1, "every cell is a number; missing: 'NA'")
    >>> kinds["code"].kind, kinds["kind"].kind
    ('category', 'target')
    """
    targets = [target] if isinstance(target, str) else list(target)
    for name in targets:
        target_column(frame, name)
    said = dict.fromkeys(drop, "dropped")
    for kind, names in (("identifier", identifiers), ("category", categorical)):
        for name in names:
            if said.setdefault(name, kind) != kind:
                raise InputError(f"Column {name!r} cannot be both {said[name]} and {kind}. Name it once.")
    for name in said:
        if name not in frame.columns:
            raise no_such("column", name, frame.columns)
        if name in targets:
            raise InputError(f"Column {name!r} holds the labels; it cannot be {said[name]} too.")
    return {
        name: _kind(name, frame[name], "target" if name in targets else said.get(name))
        for name in map(str, frame)
    }


def target_column(frame: pd.DataFrame, target: str) -> pd.Series:
    """The label column, or an error that says which name may have been meant.

    Examples
    --------
    >>> target_column(pd.DataFrame({"species": ["cat"]}), "speceis")
    Traceback (most recent call last):
        ...
    surelabel.files.errors.InputError: No column 'speceis'; did you mean 'species'? Columns: species.
    """
    if target not in frame.columns:
        raise no_such("column", target, frame.columns)
    return frame[target]


def features(frame: pd.DataFrame, kinds: dict[str, Kind]) -> pd.DataFrame:
    """The columns that are used, typed.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    kinds : dict of str to Kind
        What its columns are; see `kinds_of`.

    Returns
    -------
    DataFrame
        Numbers as float64 (missing: NaN), dates as datetime64[us] (NaT), categories as
        objects that are text (None).

    Examples
    --------
    >>> frame = pd.DataFrame({"width": ["1.5", "NA"], "colour": ["red", ""], "kind": ["a", ""]})
    >>> features(frame, kinds_of(frame, "kind"))
       width colour
    0    1.5    red
    1    NaN   None
    """
    used = {name: _feature(name, frame[name], kind.kind) for name, kind in kinds.items() if kind.used}
    return pd.DataFrame(used, index=frame.index, copy=False)


def _feature(name: str, column: pd.Series, kind: str) -> pd.Series:
    cells = category_cells(column) if kind == "category" else cells_of(column)
    if kind in _UNKNOWN and cells.kind == "text":
        row = first_strange(cells.values, kind)
        if row is not None:
            strange = cells.values[row].as_py()[:_EXAMPLE_LENGTH]
            raise InputError(f"Column {name!r} was a {kind} and now holds {strange!r}, in row {row + 1}.")
        return pd.Series(np.full(len(column), _UNKNOWN[kind]), index=column.index)
    if cells.kind != ("text" if kind == "category" else kind):
        raise InputError(f"Column {name!r} was a {kind} and now holds a {cells.kind} in each row.")
    if kind == "category":
        return pd.Series(shared_objects(cells.values), index=column.index, dtype=object)
    values = cells.values.to_numpy(zero_copy_only=False)
    return pd.Series(values, index=column.index, copy=False)


def shared_objects(text: pa.Array) -> Values:
    """Text as Python strings, one string per distinct value; None where missing, shape (N,)."""
    codes = text.dictionary_encode()
    levels = np.array([*codes.dictionary.to_pylist(), None], dtype=object)
    return levels[codes.indices.fill_null(len(levels) - 1).to_numpy()]


def _kind(name: str, column: pd.Series, said: str | None) -> Kind:
    read = {"category": category_cells, "target": label_cells}.get(said or "", cells_of)
    cells = read(column)
    if cells.kind == "nested":
        if said not in (None, "dropped"):
            raise InputError(f"Column {name!r} holds lists or records; it cannot be a {said}.")
        return Kind(name, "dropped", "holds lists or records", 0, 0, ())
    missing = cells.values.null_count
    distinct = pc.count_distinct(cells.values, mode="only_valid").as_py()
    kind, why = _judged(name, cells, missing, distinct, said)
    return Kind(name, kind, why, missing, distinct, _examples(column))


def _judged(name: str, cells: Cells, missing: int, distinct: int, said: str | None) -> tuple[str, str]:
    """Kind and reason, by the rules of `kinds_of`."""
    count = len(cells.values)
    known = count - missing
    if said in ("target", "dropped", "identifier"):
        return said, {"target": "the label column", "dropped": "left out"}.get(said, "said to be one")
    if distinct == 0:
        return "constant", "no cell has a value"
    if distinct == 1 and not missing:
        return "constant", "all cells are the same"
    if said == "category":
        return "category", "said to be one"
    if cells.declared:
        return "category", "typed as categories"
    reason = _identifier(name, cells) if distinct == count else None
    if reason:
        return "identifier", reason
    if cells.kind == "number":
        words = "; missing: " + ", ".join(map(repr, cells.words)) if cells.words else ""
        return "number", f"every cell is a number{words}"
    if cells.kind == "date":
        return "date", "every cell is an ISO 8601 date"
    if known >= _FEWEST_TEXT and 2 * distinct > known:
        return "text", f"{distinct:,} of {known:,} cells differ: free text"
    return "category", f"{distinct:,} different values"


def _identifier(name: str, cells: Cells) -> str | None:
    """Why a column whose cells all differ identifies rows, or None."""
    whole = cells.kind == "number" and is_whole(cells.values)
    parts = {part.lower() for part in _NAME_PARTS.findall(str(name))}
    if (cells.kind == "text" or whole) and parts & _ID_NAMES:
        return f"all cells differ, and the name holds {min(parts & _ID_NAMES)!r}"
    if whole and len(cells.values) >= _FEWEST_COUNTED:
        steps = np.diff(cells.values.to_numpy(zero_copy_only=False))
        if (steps == 1).all():
            return "counts up by one"
    return None


def _examples(column: pd.Series) -> tuple[str, ...]:
    head = column.iloc[:1000].dropna()
    distinct = dict.fromkeys(text for value in head if (text := str(value)))
    return tuple(text[:_EXAMPLE_LENGTH] for text in list(distinct)[:_EXAMPLES])

"""What each column of a table is taken for, and why."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from ..common.errors import InputError, no_such
from ..common.limits import is_missing
from .column import Cells, category_cells, cells_of, is_whole, label_cells
from .remarks import on_errors, on_read, on_unread, why_read

_USED = ("number", "category", "date")
_ID_NAMES = {"id", "ids", "uuid", "guid", "index", "idx", "key", "pk", "rowid", "identifier"}
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FEWEST_COUNTED = 10
_FEWEST_TEXT = 50
_EXAMPLES = 3
_LOOKED_AT = 1000
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
    notation : str
        How its numbers are written, as 1234.5 would be; of categories that are numbers or dates and told
        apart by value, "number" or "date".
    n_stray : int
        Cells that count as missing though something stands in them, marks such as NA apart.
    note, advice : str
        What a person should know of the column, and can do about it.
    """

    name: str
    kind: str
    why: str
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]
    notation: str = ""
    n_stray: int = 0
    note: str = ""
    advice: str = ""

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
    3. Text is a number if nearly every cell with a value is one, such as -1.5 or 2e-3: digits
       without underscores, without zeros in front (007 is none), spaces around allowed. A whole
       column may be written with decimal commas, marks between thousands, a percent sign, a
       currency or a unit; where a comma may be either, it is what it is in the other columns,
       else a mark between thousands. Nearly every cell: 199 of 200, or 19 of 20 if at most five
       different cells are no numbers, none of which is a code such as 007.
    4. Text is a date if nearly every cell is an ISO 8601 day or time (2024-05-31, 2024-05-31T12:00),
       all with or all without an offset from UTC.
       Among numbers and dates, all other cells are missing, as are infinite numbers; so are marks
       such as NA, n/a, null, None, nan, ? and -, however many they are. `why` and `note` say so.
    5. A column is an identifier if no cell is missing, all differ, and either it holds text
       or whole numbers and a part of its name is id, uuid, guid, index, idx, key, pk, rowid
       or identifier; or it holds whole numbers that count up by one over 10 rows or more.
    6. Text is free text if at least 50 cells have a value and more than half of those differ.
    7. Other text, truth values and columns that came as categories are categories, in which
       marks such as NA are categories of their own; errors of spreadsheets such as #DIV/0! are
       missing.

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
    said |= dict.fromkeys(targets, "target")
    kinds = _read(frame, said, ".")
    if not any(decimal == "," for _, decimal in kinds.values()):
        return {name: kind for name, (kind, _) in kinds.items()}
    # Some columns have decimal commas, so that 1.234 may be a thousand in others, unless those have points.
    commas = _read(frame, said, ",")
    mixed = any(decimal == "." for _, decimal in commas.values())
    return {name: kind for name, (kind, _) in (kinds if mixed else commas).items()}


def target_column(frame: pd.DataFrame, target: str) -> pd.Series:
    """The label column, or an error that says which name may have been meant.

    Examples
    --------
    >>> target_column(pd.DataFrame({"species": ["cat"]}), "speceis")
    Traceback (most recent call last):
        ...
    surelabel.common.errors.InputError: No column 'speceis'; did you mean 'species'? Columns: species.
    """
    if target not in frame.columns:
        raise no_such("column", target, frame.columns)
    return frame[target]


def _read(frame: pd.DataFrame, said: dict[str, str], decimal: str) -> dict[str, tuple[Kind, str]]:
    """What each column is, and the decimal mark that it shows, if it shows one."""
    return {name: _kind(name, frame[name], said.get(name), decimal) for name in map(str, frame)}


def _kind(name: str, column: pd.Series, said: str | None, decimal: str) -> tuple[Kind, str]:
    if said == "category":
        cells = category_cells(column)
    else:
        cells = label_cells(column) if said == "target" else cells_of(column, decimal)
    if cells.kind == "nested":
        if said not in (None, "dropped"):
            raise InputError(f"Column {name!r} holds lists or records; it cannot be a {said}.")
        return Kind(name, "dropped", "holds lists or records", 0, 0, ()), ""
    missing = cells.values.null_count
    distinct = pc.count_distinct(cells.values, mode="only_valid").as_py()
    kind, why = _judged(name, cells, missing, distinct, said)
    found = Kind(name, kind, why, missing, distinct, _examples(column), notation=cells.by)
    survey = cells.survey
    if survey is not None and kind == survey.kind:
        note, advice = on_read(survey, name)
        notation = str(survey.notation) if kind == "number" else ""
        found = replace(found, notation=notation, n_stray=survey.n_stray, note=note, advice=advice)
        return found, survey.notation.decimal if survey.decided else ""
    if kind in ("category", "text"):
        note, advice = on_unread(survey, kind, found.examples) if said is None else ("", "")
        if survey is not None and survey.kind == "text":
            note, advice = on_errors(survey)
        found = replace(found, note=note, advice=advice)
    return found, ""


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
    if cells.kind in ("number", "date"):
        return cells.kind, why_read(cells.kind, cells.survey)
    if known >= _FEWEST_TEXT and 2 * distinct > known:
        return "text", f"{distinct:,} of {known:,} cells differ: free text"
    return "category", f"{distinct:,} different values" if distinct > 1 else "one value, or none"


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
    distinct: dict[str, None] = {}
    for value in column.iloc[:_LOOKED_AT]:
        if not is_missing(value) and (text := str(value)):
            distinct[text] = None
        if len(distinct) == _EXAMPLES:
            break
    return tuple(text[:_EXAMPLE_LENGTH] for text in distinct)

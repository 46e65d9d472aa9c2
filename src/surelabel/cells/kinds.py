"""What each column of a table is taken for, and why."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from ..common.errors import InputError, no_such
from ..common.limits import is_missing
from .column import Cells, category_cells, cells_of, cells_said, is_whole, label_cells, text_cells
from .dates import ISO, MONTH_FIRST
from .remarks import on_doubt, on_errors, on_read, on_unread, why_read
from .survey import PLAINLY, Habits, glimpse
from .words import Wording

UNUSED = ("target", "identifier", "constant", "dropped")
SAID = "said to be one"
# With more values than this a column of categories has many levels.
MOST_LEVELS = 50
_ID_NAMES = {"id", "ids", "uuid", "guid", "index", "idx", "key", "pk", "rowid", "identifier"}
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FEWEST_COUNTED = 10
_PHRASE, _SENTENCE = 3, 4
_NEARLY_ALL = 0.9
_DAY = 86_400_000_000
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
        "number", "category", "many levels", "text", "url", "date", "time", "date and time", "vector", or one
        that is not learnt from: "target", "identifier", "constant", "dropped".
    why : str
        The reason, in words.
    n_missing : int
        Cells without a value.
    n_distinct : int
        Values that differ.
    examples : tuple of str
        The first few of them.
    notation : str
        How its numbers are written, as 1234.5 would be; its dates, as the last day of 2024 would be, nothing
        if that is 2024-12-31; of categories that are numbers or dates and told apart by value, "number" or
        "date".
    n_stray : int
        Cells that count as missing though something stands in them, marks such as NA apart.
    note, advice : str
        What a person should know of the column, and can do about it.
    doubt : str
        Of that, what could be read in two ways, and the way out.
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
    doubt: str = ""

    @property
    def used(self) -> bool:
        """Whether the column is a feature."""
        return self.kind not in UNUSED


def kinds_of(
    frame: pd.DataFrame,
    target: str | Collection[str],
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    identifiers: Collection[str] = (),
    text: Collection[str] = (),
    date: Collection[str] = (),
    number: Collection[str] = (),
) -> dict[str, Kind]:
    """Tell what each column is.

    The rules, of which the first that holds decides:

    1. The target and the columns named in `drop`, `identifiers`, `categorical`, `text`, `date` and `number`
       are what they are said to be. Columns of lists of equally many numbers are vectors; of other lists,
       or of records, dropped.
    2. The empty cell, null and NaN are missing. A column is a constant if no cell has a
       value, or if all have the same one.
    3. Text is a number if nearly every cell with a value is one, such as -1.5 or 2e-3: digits
       without underscores, without zeros in front (007 is none), spaces around allowed. A whole
       column may be written with decimal commas, marks between thousands, a percent sign, a
       currency or a unit; where a comma may be either, it is what it is in the other columns,
       else a mark between thousands. Nearly every cell: 199 of 200, or 19 of 20 if at most five
       different cells are no numbers, none of which is a code such as 007.
    4. Text is a time of day (13:30, 13:30:05, 1:30 PM) or a date (2024-12-31, with or without an offset from
       UTC, 31/12/2024, 12/31/2024, 31.12.2024, 2024/12/31, 31-Dec-2024, Dec 31, 2024; alone or before a time
       of day) if nearly every cell is one. A number above 12 tells day from month; without any, the
       other columns tell; else the day comes first, and `note` says so. Years may have two digits where
       something tells day from month.
       Among numbers, dates and times all other cells are missing, as are infinite numbers; so are marks
       such as NA, n/a, null, None, nan, ? and -, however many they are. `why` and `note` say so.
    5. A column is an identifier if no cell is missing, all differ, and either it holds words or codes
       or whole numbers and a part of its name is id, uuid, guid, index, idx, key, pk, rowid
       or identifier; or it holds whole numbers that count up by one over 10 rows or more.
    6. Truth values and columns that came as categories are categories, and so is text of at most 50
       different values; unless more than half of its cells differ and they have 3 words or more. With more
       values than 50, a column of categories has many levels.
    7. Text is a URL, or path, if nine cells of ten are one. It is free text from 4 words on average, or if
       more than half of the cells differ and most words are made of letters. It is an identifier if more
       than nine of ten cells differ. Else it is a category of many levels.
       Among categories marks such as NA are categories of their own; errors of spreadsheets such as #DIV/0!
       are missing.

    Words are counted in every script; where words have no spaces between them, by their usual length. Rules
    3 to 7 look at cells from all over the column.

    Typed columns follow the same rules, so that one table gives the same features as CSV,
    as Parquet and as a frame. A column typed as categories stays one.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    target : str, or collection of str
        The label column, or columns.
    drop, categorical, identifiers, text, date, number : collection of str
        Columns to leave out, to read as categories, to leave out as identifiers, to read as free text, as
        dates or times of day, and as numbers.

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
    >>> kinds_of(pd.DataFrame({"when": ["1/2/2024", "3/4/2024"]}), ())["when"].note
    "'1/2/2024' may be 1 February 2024 or 2 January 2024; it is read as 1 February 2024."
    """
    targets = [target] if isinstance(target, str) else list(target)
    for name in targets:
        target_column(frame, name)
    said = dict.fromkeys(drop, "dropped")
    lists = {"identifier": identifiers, "category": categorical, "text": text, "date": date, "number": number}
    for kind, names in lists.items():
        for name in names:
            if said.setdefault(name, kind) != kind:
                raise InputError(f"Column {name!r} cannot be both {said[name]} and {kind}. Name it once.")
    for name in said:
        if name not in frame.columns:
            raise no_such("column", name, frame.columns)
        if name in targets:
            raise InputError(f"Column {name!r} holds the labels; it cannot be {said[name]} too.")
    return kinds_together({name: frame[name] for name in frame}, said | dict.fromkeys(targets, "target"))


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


def kinds_together(columns: Mapping[Any, pd.Series], said: Mapping[Any, str]) -> dict[Any, Kind]:
    """What each column is by the rules of `kinds_of`; one may tell how another is written.

    Parameters
    ----------
    columns : dict of Series
        Columns by name, which may have different lengths.
    said : dict of str
        What some of them are said to be: "target", "dropped", "identifier", "category", "text", "date" or
        "number".

    Examples
    --------
    >>> columns = {"a": pd.Series(["1/13/2024"]), "b": pd.Series(["1/2/2024", "2/2/2024"])}
    >>> {name: kind.notation for name, kind in kinds_together(columns, {"a": "date"}).items()}
    {'a': '12/31/2024', 'b': '12/31/2024'}
    """
    found = _read(columns, said, PLAINLY)
    habits = Habits("," if "," in _decimals(found) else ".", day_first=_orders(found) != {False})
    if habits != PLAINLY:
        found = _read(columns, said, habits)
        # Some columns have decimal commas, so that 1.234 may be a thousand in others, unless those have
        # points.
        if habits.decimal == "," and "." in _decimals(found):
            found = _read(columns, said, replace(habits, decimal="."))
    return {name: kind for name, (kind, _) in found.items()}


# What each column is, and how it is written, if it shows that.
_Found = dict[Any, tuple[Kind, Habits | None]]


def _decimals(found: _Found) -> set[str]:
    """The decimal marks of columns that show one."""
    return {habits.decimal for kind, habits in found.values() if habits and kind.kind == "number"}


def _orders(found: _Found) -> set[bool]:
    """Whether the day comes first, in columns that show it."""
    return {habits.day_first for kind, habits in found.values() if habits and kind.kind != "number"}


def _read(columns: Mapping[Any, pd.Series], said: Mapping[Any, str], habits: Habits) -> _Found:
    return {name: _kind(name, column, said.get(name), habits) for name, column in columns.items()}


def _kind(name: Any, column: pd.Series, said: str | None, habits: Habits) -> tuple[Kind, Habits | None]:
    cells = _cells(column, said, habits)
    if cells.kind in ("nested", "vector"):
        return _of_lists(name, cells, said), None
    missing = cells.values.null_count
    distinct = pc.count_distinct(cells.values, mode="only_valid").as_py()
    kind, why = _judged(name, cells, missing, distinct, said)
    found = Kind(name, kind, why, missing, distinct, _examples(column), notation=cells.by)
    survey = cells.survey
    if survey is not None and survey.kind == cells.kind != "text" and kind != "identifier":
        note, advice = on_read(survey, name)
        notation = str(survey.notation) if kind == "number" else survey.form if survey.form != ISO else ""
        found = replace(
            found,
            notation=notation,
            n_stray=survey.n_stray,
            note=note,
            advice=advice,
            doubt=" ".join(on_doubt(survey)).strip(),
        )
        shown = Habits(survey.notation.decimal, survey.form != MONTH_FIRST)
        return found, shown if survey.decided else None
    if cells.kind == "text" and kind not in UNUSED:
        note, advice = on_unread(survey, kind, found.examples) if said is None else ("", "")
        if survey is not None and survey.kind == "text":
            note, advice = on_errors(survey)
        found = replace(found, note=note, advice=advice)
    return found, None


def _cells(column: pd.Series, said: str | None, habits: Habits) -> Cells:
    if said == "category":
        return category_cells(column)
    if said == "text":
        return text_cells(column)
    if said in ("date", "number"):
        return cells_said(column, said, habits)
    return label_cells(column) if said == "target" else cells_of(column, habits)


def _of_lists(name: Any, cells: Cells, said: str | None) -> Kind:
    """Of a column whose cells hold more than one value."""
    if said not in (None, "dropped"):
        raise InputError(f"Column {name!r} holds lists or records; it cannot be a {said}.")
    if cells.kind == "nested" or said == "dropped":
        return Kind(name, "dropped", "left out" if said else "holds lists or records", 0, 0, ())
    missing = int(np.isnan(cells.values).all(axis=1).sum())
    return Kind(name, "vector", f"every cell holds {cells.values.shape[1]:,} numbers", missing, 0, ())


def _judged(name: Any, cells: Cells, missing: int, distinct: int, said: str | None) -> tuple[str, str]:
    """Kind and reason, by the rules of `kinds_of`."""
    if said in ("target", "dropped", "identifier"):
        return said, {"target": "the label column", "dropped": "left out"}.get(said, SAID)
    if said in ("date", "number") and cells.kind.replace("time", "date") != said:
        raise InputError(f"Column {name!r} is said to be a {said}, and holds {cells.kind}s.")
    if distinct == 0:
        return "constant", "no cell has a value"
    if distinct == 1 and not missing:
        return "constant", "all cells are the same"
    if said in ("category", "text"):
        return ("many levels" if said == "category" and distinct > MOST_LEVELS else said), SAID
    if cells.declared:
        return ("many levels" if distinct > MOST_LEVELS else "category"), "typed as categories"
    if cells.kind == "text":
        return _worded(name, cells, missing, distinct)
    reason = _identifier(name, cells) if distinct == len(cells.values) and said is None else None
    if reason:
        return "identifier", reason
    kind = "date and time" if cells.kind == "date" and _has_times(cells) else cells.kind
    return kind, why_read(cells.kind, cells.survey)


def _worded(name: Any, cells: Cells, missing: int, distinct: int) -> tuple[str, str]:
    """Kind and reason of a column of text, by its words."""
    known = len(cells.values) - missing
    some = glimpse(cells.values)
    if not some and not pc.any(pc.not_equal(pc.utf8_trim_whitespace(cells.values), "")).as_py():
        return "constant", "no cell has a value"
    wording = Wording.of(some)
    named = _id_name(name) if distinct == len(cells.values) and wording.words < _SENTENCE else None
    if named:
        return "identifier", f"all cells differ, and the name holds {named!r}"
    most_differ = 2 * distinct > known
    if distinct <= MOST_LEVELS and not (most_differ and wording.words >= _PHRASE):
        return "category", f"{distinct:,} different values" if distinct > 1 else "one value, or none"
    if wording.addresses >= _NEARLY_ALL:
        return "url", "URLs or paths"
    if wording.words >= _SENTENCE:
        return "text", f"free text, {wording.words:.0f} words on average"
    if most_differ and 2 * wording.lettered > 1:
        return "text", f"names or titles: {distinct:,} of {known:,} cells differ"
    # Where most cells are numbers, a person has to say what the others are.
    measured = cells.survey is not None and cells.survey.mostly
    if distinct > _NEARLY_ALL * known and distinct > MOST_LEVELS and not measured:
        return "identifier", f"codes: {distinct:,} of {known:,} cells differ"
    kind = "many levels" if distinct > MOST_LEVELS else "category"
    return kind, f"{distinct:,} different values in {known:,} cells"


def _has_times(cells: Cells) -> bool:
    """Whether a date has a time of day."""
    moments = cells.values.drop_null().to_numpy(zero_copy_only=False).astype("datetime64[us]")
    return bool((moments.astype(np.int64) % _DAY != 0).any())


def _identifier(name: Any, cells: Cells) -> str | None:
    """Why a column whose cells all differ identifies rows, or None."""
    if cells.kind != "number" or not is_whole(cells.values):
        return None
    steps = np.diff(cells.values.to_numpy(zero_copy_only=False))
    return why_identifier(name, len(cells.values), bool((steps == 1).all()))


def why_identifier(name: Any, n: int, counts_up: bool) -> str | None:
    """Why whole numbers that all differ identify rows, or None.

    Parameters
    ----------
    name : str
        The column.
    n : int
        Rows.
    counts_up : bool
        Whether each number is one more than the number before.

    Examples
    --------
    >>> why_identifier("userId", 2, False)
    "all cells differ, and the name holds 'id'"
    >>> why_identifier("row", 10, True)
    'counts up by one'
    """
    named = _id_name(name)
    if named:
        return f"all cells differ, and the name holds {named!r}"
    return "counts up by one" if counts_up and n >= _FEWEST_COUNTED else None


def _id_name(name: Any) -> str | None:
    """The part of a name that says that a column names the rows, or None."""
    return min({part.lower() for part in _NAME_PARTS.findall(str(name))} & _ID_NAMES, default=None)


def _examples(column: pd.Series) -> tuple[str, ...]:
    distinct: dict[str, None] = {}
    for value in column.iloc[:_LOOKED_AT]:
        if not is_missing(value) and (text := str(value)):
            distinct[text] = None
        if len(distinct) == _EXAMPLES:
            break
    return tuple(text[:_EXAMPLE_LENGTH] for text in distinct)

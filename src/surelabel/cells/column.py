"""What the cells of one column are, whatever held them: numbers, dates, times, vectors or text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..common.limits import LARGEST_EXACT, is_missing
from .dates import ISO, is_dated
from .notation import PLAIN, Notation
from .survey import (
    LONGEST_MARK,
    PLAINLY,
    Habits,
    Survey,
    dates_in,
    errors_in,
    glimpse,
    is_mark,
    likely_dates,
    likely_numbers,
    numbers_in,
    parsed,
    survey_of,
    survey_of_typed,
    times_in,
)
from .values import decoded, is_text, python_values, to_arrow, vectors

_WHOLE = r"\A(?:0|-?[1-9][0-9]*)\z"
_SPACE = " \t"
_TEXT = pa.large_string()


@dataclass(frozen=True)
class Cells:
    """One column, read.

    Parameters
    ----------
    kind : {"number", "date", "time", "text", "vector", "nested"}
        What the values are.
    values : pyarrow.Array of shape (N,)
        Doubles, timestamps in microseconds, seconds of the day, or text; null where missing. Of vectors:
        an array of numbers of shape (N, d), NaN where missing.
    declared : bool
        Whether the column came as categories by type.
    by : {"", "number", "date"}
        Of categories: whether they are told apart as numbers or dates, not by how they are written.
    survey : Survey, optional
        Which cells are numbers, dates or times, and which are not; None where most are none of these.
    """

    kind: str
    values: Any
    declared: bool = False
    by: str = ""
    survey: Survey | None = None


def cells_of(column: pd.Series, habits: Habits = PLAINLY) -> Cells:
    """One column of a frame of any types, read; habits tell what is meant where it could be either."""
    text = _text(column)
    if text is None:
        return _typed(column)
    survey = survey_of(text, habits)
    if survey is not None and survey.believable:
        return Cells(survey.kind, survey.values, survey=survey)
    wrong = errors_in(text)
    return Cells("text", text if wrong is None else wrong.values, survey=survey or wrong)


def cells_said(column: pd.Series, kind: str, habits: Habits = PLAINLY) -> Cells:
    """A column read as "number" or "date" because a person says so, whatever most of its cells are."""
    text = _text(column)
    if text is None:
        return _typed(column)
    cells = glimpse(text)
    if kind == "number":
        survey = likely_numbers(text, cells, habits.decimal) or numbers_in(text, PLAIN)
    else:
        survey = likely_dates(text, list(filter(is_dated, cells)), habits.day_first) or dates_in(text)
    return Cells(survey.kind, survey.values, survey=survey)


def cells_as(column: pd.Series, kind: str, notation: str = "") -> Cells:
    """A column read as numbers, dates or times because another one was, whatever most of its cells are."""
    text = _text(column)
    if text is None:
        return _typed(column)
    if kind == "number":
        survey = numbers_in(text, Notation.of(notation) if notation else PLAIN)
    else:
        survey = times_in(text) if kind == "time" else dates_in(text, notation or ISO)
    return Cells(kind, survey.values, survey=survey)


def text_cells(column: pd.Series) -> Cells:
    """A column as free text, in which blank cells are missing."""
    text = _text(column)
    if text is None:
        cells = category_cells(column)
        return cells if cells.kind != "text" else Cells("text", cells.values)
    blank = pc.equal(pc.utf8_trim_whitespace(text), "")
    return Cells("text", pc.if_else(blank, pa.scalar(None, _TEXT), text))


def category_cells(column: pd.Series, by: str | None = None) -> Cells:
    """A column as categories: as written, or as numbers or dates if `by` says so; if None, by what it is."""
    text = _text(column)
    if text is None:
        cells = _typed(column)
        if cells.kind in ("nested", "text", "vector"):
            return cells
        arrow = to_arrow(column)
        whole = arrow is not None and pa.types.is_integer(arrow.type)
        names = _one_array(arrow).cast(_TEXT) if whole else _names(cells)  # as doubles, long ones would merge
        return Cells("text", names, by="" if cells.kind == "time" else cells.kind, survey=cells.survey)
    survey = None
    if by is None:
        survey = survey_of(text)
        plain = survey is not None and survey.believable and survey.notation == PLAIN and survey.form == ISO
        by = survey.kind if survey is not None and plain and survey.kind != "time" else ""
    elif by:
        survey = numbers_in(text, PLAIN) if by == "number" else dates_in(text)
    wrong = errors_in(text)
    names = text if wrong is None else wrong.values
    if by and survey is not None:
        names = pc.coalesce(_names(Cells(by, survey.values)), names)
        if by == "number":
            # Whole numbers stay as they are written, for the same reason.
            trimmed = pc.utf8_trim(text, _SPACE)
            names = pc.if_else(pc.match_substring_regex(trimmed, _WHOLE), trimmed, names)
    return Cells("text", names, by=by, survey=wrong)


def label_cells(column: pd.Series) -> Cells:
    """The label column: text stays text, in which only the empty cell is missing."""
    text = _text(column)
    return Cells("text", text) if text is not None else _typed(column)


def marks_in(column: pd.Series) -> dict[str, int]:
    """How often each mark of a missing value, such as n/a, stands in a column.

    Parameters
    ----------
    column : Series of shape (N,)
        A column of a table, as text or typed.

    Examples
    --------
    >>> marks_in(pd.Series(["red", "?", "NA", "?"]))
    {'?': 2, 'NA': 1}
    """
    text = _text(column)
    if text is None:
        return {}
    trimmed = pc.utf8_trim(text, _SPACE)
    short = trimmed.filter(pc.less_equal(pc.binary_length(trimmed), LONGEST_MARK))
    counts = short.value_counts()
    found = zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True)
    return {cell: n for cell, n in found if is_mark(cell)}


def is_whole(values: pa.Array) -> bool:
    """Whether all doubles that are not missing are whole numbers that doubles tell apart."""
    known = values.drop_null().to_numpy(zero_copy_only=False)
    return bool((np.abs(known) <= LARGEST_EXACT).all() and (known == np.floor(known)).all())


def _text(column: pd.Series) -> pa.Array | None:
    """The cells of a column of text, null where empty; None of columns that have another type."""
    arrow = to_arrow(column)
    if arrow is not None:
        return _without_empty(_one_array(arrow).cast(_TEXT)) if is_text(arrow.type) else None
    values = python_values(column)
    known = [value for value in values if value is not None]
    if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in known):
        return None
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return None
    return _without_empty(pa.array([None if value is None else str(value) for value in values], _TEXT))


def _typed(column: pd.Series) -> Cells:
    """A column that is no text: its type tells what it is."""
    arrow = to_arrow(column)
    if arrow is None:
        values = python_values(column)
        if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in values):
            return _nested(values)
        return _number_cells(pa.array([None if value is None else float(value) for value in values]))
    values = _one_array(decoded(arrow))
    kind = values.type
    if pa.types.is_dictionary(arrow.type):
        return Cells("text", _without_empty(_as_text(values)), declared=True)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _number_cells(_doubles(values))
    if pa.types.is_duration(kind):
        microseconds = values.cast(pa.duration("us"), safe=False).cast(pa.int64())
        return _number_cells(pc.divide(_doubles(microseconds), 1e6))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Cells("date", _microseconds(values))
    if pa.types.is_time(kind):
        return Cells("time", pc.divide(_doubles(values.cast(pa.time64("us")).cast(pa.int64())), 1e6))
    if pa.types.is_nested(kind):
        return _nested(values.to_pylist())
    return Cells("text", _without_empty(_as_text(values)))


def _nested(values: Sequence[Any]) -> Cells:
    found = vectors(values)
    return Cells("nested", None) if found is None else Cells("vector", found)


def _number_cells(doubles: pa.Array) -> Cells:
    """Numbers; those that are infinite are strays."""
    survey = survey_of_typed(doubles)
    return Cells("number", survey.values, survey=survey)


def _one_array(chunked: pa.ChunkedArray) -> pa.Array:
    array = chunked.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _without_empty(text: pa.Array) -> pa.Array:
    empty = pc.equal(text, "")
    return pc.if_else(empty, pa.scalar(None, _TEXT), text) if pc.any(empty).as_py() else text


def _doubles(values: pa.Array) -> pa.Array:
    if pa.types.is_decimal(values.type):
        return parsed(values.cast(_TEXT))  # Arrow's own cast is off by one in the last digit
    doubles = values.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_nan(doubles), pa.scalar(None, pa.float64()), doubles)


def _microseconds(values: pa.Array) -> pa.Array:
    moments = values.cast(pa.timestamp("us", getattr(values.type, "tz", None)), safe=False)
    return moments.cast(pa.timestamp("us"))


def _names(cells: Cells) -> pa.Array:
    """Names of numbers, dates or times as categories."""
    if cells.kind == "time":
        microseconds = pc.round(pc.multiply(cells.values, 1e6)).cast(pa.int64())
        return _as_text(microseconds.cast(pa.time64("us")))
    return cells.values.cast(_TEXT) if cells.kind == "date" else _as_text(cells.values)


def _as_text(values: pa.Array) -> pa.Array:
    """Values as categories are named: whole doubles without a decimal point."""
    if is_text(values.type) or pa.types.is_integer(values.type):
        return values.cast(_TEXT)
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "True", "False").cast(_TEXT)
    if pa.types.is_floating(values.type):
        codes = values.dictionary_encode()
        return pa.array(map(_name, codes.dictionary.to_pylist()), _TEXT).take(codes.indices)
    return pa.array([None if value is None else str(value) for value in values.to_pylist()], _TEXT)


def _name(value: float) -> str | None:
    if is_missing(value):
        return None
    return str(int(value)) if value.is_integer() and abs(value) <= LARGEST_EXACT else str(value)

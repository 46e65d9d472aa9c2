"""What the cells of one column are, whatever held them: numbers, dates or text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..common.limits import LARGEST_EXACT, is_missing
from .values import decoded, is_text, python_values, to_arrow

NUMBER = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE = r"\A(?:0|-?[1-9][0-9]*)\z"
_DAY = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_LOCAL = _DAY + "(?:" + _TIME + r")?\z"
_ZONED = _DAY + _TIME + r"(?:Z|[+-][0-9]{2}:?[0-9]{2})\z"
# What people write for a number they do not have, in small letters.
_MISSING_WORDS = ("?", "#n/a", "n/a", "na", "nan", "none", "null")
_SPACE = " \t"
# A few rows are enough to tell most columns of text from numbers; the rest need not be read.
_GLIMPSE = 1000
_TEXT = pa.large_string()


@dataclass(frozen=True)
class Cells:
    """One column, read.

    Parameters
    ----------
    kind : {"number", "date", "text", "nested"}
        What the values are.
    values : pyarrow.Array of shape (N,)
        Doubles, timestamps in microseconds, or text; null where missing.
    declared : bool
        Whether the column came as categories by type.
    words : tuple of str
        Words among numbers that were taken for missing.
    """

    kind: str
    values: Any
    declared: bool = False
    words: tuple[str, ...] = ()


def cells_of(column: pd.Series) -> Cells:
    """One column of a frame of any types, read."""
    arrow = to_arrow(column)
    if arrow is None:
        return _from_objects(column)
    declared = pa.types.is_dictionary(arrow.type)
    values = _one_array(decoded(arrow))
    kind = values.type
    if declared:
        return Cells("text", _without_empty(_as_text(values)), declared=True)
    if is_text(kind):
        return _from_text(_without_empty(values.cast(_TEXT)))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Cells("number", _doubles(values))
    if pa.types.is_duration(kind):
        return Cells(
            "number", pc.divide(_doubles(values.cast(pa.duration("us"), safe=False).cast(pa.int64())), 1e6)
        )
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Cells("date", _microseconds(values))
    if pa.types.is_nested(kind):
        return Cells("nested", values)
    return Cells("text", _without_empty(_as_text(values)))


def category_cells(column: pd.Series) -> Cells:
    """A column as categories: numbers are told apart by value, not by how they are written."""
    cells = cells_of(column)
    if cells.kind == "nested" or cells.declared:
        return cells
    if cells.kind == "date":
        return Cells("text", cells.values.cast(_TEXT))
    if cells.kind == "text":
        return cells
    arrow = to_arrow(column)
    values = _one_array(decoded(arrow)) if arrow is not None else cells.values
    if is_text(values.type):
        # Whole numbers stay as they are written: as doubles, long ones would merge.
        trimmed = pc.utf8_trim(values.cast(_TEXT), _SPACE)
        trimmed = pc.if_else(cells.values.is_valid(), trimmed, pa.scalar(None, _TEXT))
        whole = pc.all(pc.match_substring_regex(trimmed, _WHOLE)).as_py()
        values = trimmed if whole else cells.values
    return Cells("text", _as_text(values), words=cells.words)


def label_cells(column: pd.Series) -> Cells:
    """The label column: text stays text, in which only the empty cell is missing."""
    arrow = to_arrow(column)
    if arrow is not None and is_text(decoded(arrow).type):
        return Cells("text", _without_empty(_one_array(decoded(arrow)).cast(_TEXT)))
    return cells_of(column)


def first_strange(text: pa.Array, kind: str) -> int | None:
    """The first row of text that spoils a column of numbers or dates; None if every cell is missing."""
    fits = re.compile(NUMBER if kind == "number" else f"{_LOCAL}|{_ZONED}".replace(r"\z", ""))
    cells = enumerate((cell or "").strip(_SPACE) for cell in text.to_pylist())
    words = _MISSING_WORDS if kind == "number" else ()
    known = [(row, cell) for row, cell in cells if cell and cell.lower() not in words]
    # Where each fits by itself, they do not fit together, or one is out of range.
    return next((row for row, cell in known if not fits.fullmatch(cell)), known[0][0] if known else None)


def is_whole(values: pa.Array) -> bool:
    """Whether all doubles that are not missing are whole numbers that doubles tell apart."""
    known = values.drop_null().to_numpy(zero_copy_only=False)
    return bool((np.abs(known) <= LARGEST_EXACT).all() and (known == np.floor(known)).all())


def _as_numbers(text: pa.Array) -> tuple[pa.Array, tuple[str, ...]] | None:
    """Doubles, and the words taken for missing; None if any other cell is no number."""
    if _numbers(text.slice(0, _GLIMPSE)) is None:
        return None
    found = _numbers(text)
    # A few rows of such words alone decide nothing; a whole column of them is no column of numbers.
    return None if found is None or found[0].null_count == len(found[0]) else found


def _numbers(text: pa.Array) -> tuple[pa.Array, tuple[str, ...]] | None:
    trimmed = pc.utf8_trim(text, _SPACE)
    fits = pc.match_substring_regex(trimmed, r"\A" + NUMBER + r"\z")
    rest = pc.filter(trimmed, pc.invert(fits), null_selection_behavior="drop").unique().to_pylist()
    words = tuple(sorted(word for word in rest if word))
    if any(word.lower() not in _MISSING_WORDS for word in words):
        return None
    if rest:
        trimmed = pc.if_else(fits, trimmed, pa.scalar(None, _TEXT))
    doubles = _parsed(trimmed)
    return None if pc.any(pc.is_inf(doubles)).as_py() else (doubles, words)


def _parsed(text: pa.Array) -> pa.Array:
    """Text of numbers as doubles, just as Python's float reads it."""
    if pc.any(pc.starts_with(text, "+")).as_py():
        text = pc.replace_substring_regex(text, r"\A\+", "")
    try:
        return text.cast(pa.float64())
    except pa.ArrowInvalid:
        # Arrow refuses what overflows or underflows.
        return pa.array([None if cell is None else float(cell) for cell in text.to_pylist()], pa.float64())


def _as_dates(text: pa.Array) -> pa.Array | None:
    """Timestamps of microseconds; None if any cell is no ISO 8601 date."""
    pattern = next(
        (p for p in (_LOCAL, _ZONED) if _all_match(text.slice(0, _GLIMPSE), p) and _all_match(text, p)), None
    )
    if pattern is None or text.null_count == len(text):
        return None
    codes = text.dictionary_encode()
    parsed = pd.to_datetime(codes.dictionary.to_pylist(), format="ISO8601", errors="coerce", utc=True)
    if parsed.isna().any():
        return None
    moments = pa.array(parsed.tz_localize(None).to_numpy().astype("datetime64[us]"))
    return moments.take(codes.indices)


def _all_match(text: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(text, pattern), min_count=0).as_py()


def _from_text(text: pa.Array) -> Cells:
    numbers = _as_numbers(text)
    if numbers is not None:
        return Cells("number", numbers[0], words=numbers[1])
    dates = _as_dates(text)
    return Cells("text", text) if dates is None else Cells("date", dates)


def _from_objects(column: pd.Series) -> Cells:
    """A column of several types: numbers where all are, else the text of each."""
    values = python_values(column)
    known = [value for value in values if value is not None]
    if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in known):
        return Cells("nested", None)
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return Cells("number", pa.array([None if value is None else float(value) for value in values]))
    text = pa.array([None if is_missing(value) else str(value) for value in values], _TEXT)
    return _from_text(_without_empty(text))


def _one_array(chunked: pa.ChunkedArray) -> pa.Array:
    array = chunked.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _without_empty(text: pa.Array) -> pa.Array:
    empty = pc.equal(text, "")
    return pc.if_else(empty, pa.scalar(None, _TEXT), text) if pc.any(empty).as_py() else text


def _doubles(values: pa.Array) -> pa.Array:
    if pa.types.is_decimal(values.type):
        return _parsed(values.cast(_TEXT))  # Arrow's own cast is off by one in the last digit
    doubles = values.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_nan(doubles), pa.scalar(None, pa.float64()), doubles)


def _microseconds(values: pa.Array) -> pa.Array:
    moments = values.cast(pa.timestamp("us", getattr(values.type, "tz", None)), safe=False)
    return moments.cast(pa.timestamp("us"))


def _as_text(values: pa.Array) -> pa.Array:
    """Values as categories are named: whole doubles without a decimal point."""
    if is_text(values.type):
        return values.cast(_TEXT)
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "True", "False").cast(_TEXT)
    if pa.types.is_integer(values.type):
        return values.cast(_TEXT)
    if pa.types.is_floating(values.type):
        doubles = _doubles(values)
        if is_whole(doubles):
            return doubles.cast(pa.int64()).cast(_TEXT)
        values = doubles
    return pa.array([None if value is None else str(value) for value in values.to_pylist()], _TEXT)

"""What the cells of a column of text are: numbers, dates, marks of missing values, or strays among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from .notation import PLAIN, Notation, fitting, likely

# What people write for a value they do not have, in small letters.
_MARKS = ("?", "-", "--", "\u2013", "\u2014", ".", "n/a", "n.a.", "na", "nan", "none", "null", "<na>")
LONGEST_MARK = max(len(mark.encode()) for mark in _MARKS)
# What spreadsheets write for a value they could not compute.
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_LOCAL = f"{_DAY}(?:{_TIME})?"
_ZONED = rf"{_DAY}{_TIME}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})"
_CODE = re.compile("[+-]?0[0-9]+")
_SPACE = " \t"
_TEXT = pa.large_string()
# So many cells, spread evenly, tell what is worth a look at all of them.
_GLIMPSE = 1000
_SHOWN = 3
# A program writes one word for what it lacks, perhaps often; typing errors differ and are rare; codes such as
# A12 among numbers are many and differ. So a column of numbers may have one stray in 20 cells if few of them
# differ, else one in 200.
_OFTEN, _RARE, _FEW = 20, 200, 5


@dataclass(frozen=True)
class Survey:
    """The cells of a column, compared with numbers, with dates, or with any text.

    Parameters
    ----------
    kind : {"number", "date", "text"}
        What the cells are compared with.
    values : pyarrow.Array of shape (N,)
        Doubles, timestamps in microseconds, or text; null where a cell is empty, a mark or a stray.
    n_known : int
        Cells that are neither empty nor marks.
    n_stray : int
        Of those, the ones that are no number, or no date; of text, the errors of spreadsheets.
    strays : tuple of (int, str)
        The first few different strays: row, from 0, and cell.
    marks : tuple of str
        Marks of missing values.
    believable : bool
        Whether strays are so few, and so few of them different, that the column is of this kind all the same.
    notation : Notation
        How the numbers are written.
    decided : bool
        Whether the decimal mark cannot be the other one; False also where that was not looked into.
    ambiguous : tuple of (str, float, float), optional
        A cell whose decimal mark could be either, what it was taken for, and what it else may be.
    """

    kind: str
    values: pa.Array
    n_known: int
    n_stray: int
    strays: tuple[tuple[int, str], ...]
    marks: tuple[str, ...]
    believable: bool
    notation: Notation = PLAIN
    decided: bool = False
    ambiguous: tuple[str, float, float] | None = None

    @property
    def n_fitting(self) -> int:
        """Cells that are numbers, dates, or text."""
        return self.n_known - self.n_stray


def is_mark(cell: str) -> bool:
    """Whether a cell says that there is no value.

    Examples
    --------
    >>> is_mark("N/A"), is_mark("Namibia")
    (True, False)
    """
    return cell.strip().lower() in _MARKS


def survey_of(text: pa.Array, decimal: str = ".") -> Survey | None:
    """The cells compared with what most of them are; None where most are neither numbers nor dates.

    Parameters
    ----------
    text : pyarrow.Array of shape (N,)
        Cells; null where empty.
    decimal : {".", ","}
        The decimal mark that is meant where it could be either.
    """
    cells = _glimpse(text)
    numbers = _likely_numbers(text, cells, decimal)
    if numbers is not None:
        return numbers
    if 2 * sum(re.fullmatch(f"{_LOCAL}|{_ZONED}", cell) is not None for cell in cells) >= len(cells) > 0:
        return dates_in(text)
    return None


def _likely_numbers(text: pa.Array, cells: Sequence[str], decimal: str) -> Survey | None:
    plain = None
    if 10 * fitting(cells, PLAIN) >= 9 * len(cells):
        plain = numbers_in(text, PLAIN)
        if plain.believable and decimal == ".":
            return plain
    each = [numbers_in(text, notation) for notation in likely(cells)]
    fewest = min((one.n_stray for one in each), default=0)
    best = [one for one in each if one.n_stray == fewest]
    if not best:
        return None
    found = next((one for one in best if one.notation.decimal == decimal), best[0])
    if plain is not None and plain.believable and not (found.notation.decimal == decimal and len(best) > 1):
        return replace(plain, decided=len(best) == 1)
    other = next((one for one in best if one is not found), None)
    if other is None:
        return replace(found, decided=True)
    differ = pc.index(pc.not_equal(found.values, other.values), True).as_py()
    if differ < 0:
        return found
    return replace(
        found,
        ambiguous=(text[differ].as_py(), found.values[differ].as_py(), other.values[differ].as_py()),
    )


def numbers_in(text: pa.Array, notation: Notation) -> Survey:
    """The cells compared with numbers in a notation."""
    trimmed = pc.utf8_trim(text, _SPACE)
    fits = pc.match_substring_regex(trimmed, rf"\A(?:{notation.pattern})\z")
    values = parsed(notation.plain(_where(fits, trimmed)))
    values = _where(pc.is_finite(values), values)
    return replace(_compared("number", trimmed, values), notation=notation)


def dates_in(text: pa.Array) -> Survey:
    """The cells compared with ISO 8601 dates, all with or all without an offset from UTC."""
    trimmed = pc.utf8_trim(text, _SPACE)
    cells = _glimpse(text)
    pattern = max(_LOCAL, _ZONED, key=lambda one: sum(re.fullmatch(one, cell) is not None for cell in cells))
    fits = pc.match_substring_regex(trimmed, rf"\A(?:{pattern})\z")
    codes = _where(fits, trimmed).dictionary_encode()
    days = pd.to_datetime(codes.dictionary.to_pylist(), format="ISO8601", errors="coerce", utc=True)
    moments = days.tz_localize(None).to_numpy().astype("datetime64[us]")
    known = pa.array(moments, pa.timestamp("us"), mask=np.asarray(days.isna()))
    return _compared("date", trimmed, known.take(codes.indices))


def survey_of_typed(doubles: pa.Array) -> Survey:
    """Numbers by type, of which those that are infinite are strays."""
    endless = pc.is_inf(doubles)
    n_known = len(doubles) - doubles.null_count
    if not pc.any(endless).as_py():
        return Survey("number", doubles, n_known, 0, (), (), True)
    rows = np.flatnonzero(endless.fill_null(False).to_numpy(zero_copy_only=False))
    strays = tuple((int(row), str(doubles[row].as_py())) for row in rows[:_SHOWN])
    return Survey("number", _where(pc.invert(endless), doubles), n_known, len(rows), strays, (), True)


def errors_in(text: pa.Array) -> Survey | None:
    """Text in which spreadsheets left errors, without those; None where there are none."""
    wrong = pc.is_in(text, pa.array(ERRORS, _TEXT))
    if not pc.any(wrong).as_py():
        return None
    return _compared("text", text, _where(pc.invert(wrong), text))


def parsed(text: pa.Array) -> pa.Array:
    """Plainly written numbers as doubles, just as Python's float reads them."""
    if pc.any(pc.starts_with(text, "+")).as_py():
        text = pc.replace_substring_regex(text, r"\A\+", "")
    try:
        return text.cast(pa.float64())
    except pa.ArrowInvalid:
        # Arrow refuses what overflows or underflows.
        return pa.array([None if cell is None else float(cell) for cell in text.to_pylist()], pa.float64())


def _compared(kind: str, text: pa.Array, values: pa.Array) -> Survey:
    """Which cells of text have no value, and why."""
    if values.null_count == text.null_count:
        n_known = len(text) - text.null_count
        return Survey(kind, values, n_known, 0, (), (), n_known > 0)
    rest = text.filter(pc.and_(text.is_valid(), values.is_null())).value_counts()
    counts = dict(zip(rest.field(0).to_pylist(), rest.field(1).to_pylist(), strict=True))
    blank = counts.pop("", 0)
    marks = {cell: n for cell, n in counts.items() if is_mark(cell)}
    strays = {cell: n for cell, n in counts.items() if cell not in marks}
    typed = {cell: n for cell, n in strays.items() if cell not in ERRORS}
    n_known = len(text) - text.null_count - blank - sum(marks.values())
    n_typed = sum(typed.values())
    few = n_typed * (_OFTEN if len(typed) <= _FEW else _RARE) <= n_known
    # Zeros in front are no typing error: where one cell is a code, all are.
    codes = kind == "number" and any(_CODE.fullmatch(cell) for cell in typed)
    n_stray = sum(strays.values())
    return Survey(
        kind,
        values,
        n_known,
        n_stray,
        tuple((pc.index(text, cell).as_py(), cell) for cell in list(strays)[:_SHOWN]),
        tuple(sorted(marks)),
        n_stray < n_known and few and not codes,
    )


def _glimpse(text: pa.Array) -> list[str]:
    """Cells from all over a column, without marks and errors."""
    known = text.drop_null()
    rows = np.unique(np.linspace(0, len(known) - 1, min(_GLIMPSE, len(known))).astype(int))
    cells = (cell.strip(_SPACE) for cell in known.take(pa.array(rows, pa.int64())).to_pylist())
    return [cell for cell in cells if cell and cell not in ERRORS and not is_mark(cell)]


def _where(keep: pa.Array, values: pa.Array) -> pa.Array:
    """Values, null where they are not kept."""
    return pc.if_else(keep, values, pa.scalar(None, values.type))

"""What the cells of a column of text are: numbers, dates, times, marks of missing values, or strays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .dates import DAY_FIRST, ISO, MONTH_FIRST, clocks, has_short_years, is_clock, likely_forms, moments
from .notation import PLAIN, Notation, fitting, likely

# What people write for a value they do not have, in small letters.
_MARKS = ("?", "-", "--", "\u2013", "\u2014", ".", "n/a", "n.a.", "na", "nan", "none", "null", "<na>")
LONGEST_MARK = max(len(mark.encode()) for mark in _MARKS)
# What spreadsheets write for a value they could not compute.
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
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
_MOST = 2 / 3


@dataclass(frozen=True)
class Habits:
    """How a table is written where its cells do not tell.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark that is meant where it could be either.
    day_first : bool
        Whether 1/2/2024 is the first of February.
    """

    decimal: str = "."
    day_first: bool = True


PLAINLY = Habits()


@dataclass(frozen=True)
class Survey:
    """The cells of a column, compared with numbers, with dates, or with any text.

    Parameters
    ----------
    kind : {"number", "date", "time", "text"}
        What the cells are compared with.
    values : pyarrow.Array of shape (N,)
        Doubles, timestamps in microseconds, seconds of the day, or text; null where a cell is empty, a mark
        or a stray.
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
    form : str
        How the dates are written, as the last day of 2024 would be.
    decided : bool
        Whether the decimal mark, or which number is the day, cannot be the other one; False also where that
        was not looked into.
    ambiguous : tuple of (str, str, str), optional
        A cell that could be read in two ways, what it was taken for, and what it else may be.
    short_years : bool
        Whether years have two digits.
    """

    kind: str
    values: pa.Array
    n_known: int
    n_stray: int
    strays: tuple[tuple[int, str], ...]
    marks: tuple[str, ...]
    believable: bool
    notation: Notation = PLAIN
    form: str = ISO
    decided: bool = False
    ambiguous: tuple[str, str, str] | None = None
    short_years: bool = False

    @property
    def n_fitting(self) -> int:
        """Cells that are numbers, dates, or text."""
        return self.n_known - self.n_stray

    @property
    def mostly(self) -> bool:
        """Whether so many cells fit that one may wonder why the column is of another kind."""
        return self.kind != "text" and self.n_fitting >= _MOST * self.n_known


def is_mark(cell: str) -> bool:
    """Whether a cell says that there is no value.

    Examples
    --------
    >>> is_mark("N/A"), is_mark("Namibia")
    (True, False)
    """
    return cell.strip().lower() in _MARKS


def survey_of(text: pa.Array, habits: Habits = PLAINLY) -> Survey | None:
    """The cells compared with what most of them are; None where most are neither numbers, dates nor times.

    Parameters
    ----------
    text : pyarrow.Array of shape (N,)
        Cells; null where empty.
    habits : Habits
        What is meant where it could be either.
    """
    cells = glimpse(text)
    numbers = likely_numbers(text, cells, habits.decimal)
    return numbers if numbers is not None else likely_dates(text, cells, habits.day_first)


def likely_dates(text: pa.Array, cells: Sequence[str], day_first: bool) -> Survey | None:
    """The cells compared with times of day, or with dates in the form that fits most; None if few fit."""
    if is_clock(cells):
        return times_in(text)
    forms = likely_forms(cells)
    if not forms:
        return None
    if not {DAY_FIRST, MONTH_FIRST} & set(forms) or ISO in forms:
        return replace(dates_in(text, forms[0]), short_years=has_short_years(cells, forms[0]))
    # A rare cell may decide: the glimpse has not seen all.
    each = [dates_in(text, form) for form in (DAY_FIRST, MONTH_FIRST)]
    fewest = min(one.n_stray for one in each)
    best = [one for one in each if one.n_stray == fewest]
    found = best[0] if day_first else best[-1]
    short = has_short_years(cells, found.form)
    # Days are put before months wherever points stand between them.
    if len(best) == 1 or all("." in cell for cell in cells):
        return replace(each[0] if len(best) > 1 else found, decided=True, short_years=short)
    if short:
        return None  # neither day nor month nor year is certain
    other = best[-1] if found is best[0] else best[0]
    differ = pc.index(pc.not_equal(found.values, other.values), True).as_py()
    if differ < 0:
        return found
    days = [one.values[differ].as_py() for one in (found, other)]
    taken, else_ = (f"{day.day} {day:%B %Y}" for day in days)
    return replace(found, ambiguous=(text[differ].as_py(), taken, else_))


def likely_numbers(text: pa.Array, cells: Sequence[str], decimal: str) -> Survey | None:
    """The cells compared with numbers in the notation that fits most; None if few fit."""
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
    taken, else_ = (f"{one.values[differ].as_py():.15g}" for one in (found, other))
    return replace(found, ambiguous=(text[differ].as_py(), taken, else_))


def numbers_in(text: pa.Array, notation: Notation) -> Survey:
    """The cells compared with numbers in a notation."""
    trimmed = pc.utf8_trim(text, _SPACE)
    fits = pc.match_substring_regex(trimmed, rf"\A(?:{notation.pattern})\z")
    values = parsed(notation.plain(_where(fits, trimmed)))
    values = _where(pc.is_finite(values), values)
    return replace(_compared("number", trimmed, values), notation=notation)


def dates_in(text: pa.Array, form: str = ISO) -> Survey:
    """The cells compared with dates of a form; of ISO 8601, all with or all without an offset from UTC."""
    trimmed = pc.utf8_trim(text, _SPACE)
    return replace(_compared("date", trimmed, moments(trimmed, form)), form=form)


def times_in(text: pa.Array) -> Survey:
    """The cells compared with times of day."""
    trimmed = pc.utf8_trim(text, _SPACE)
    return _compared("time", trimmed, clocks(trimmed))


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


def glimpse(text: pa.Array) -> list[str]:
    """Cells from all over a column, without marks and errors."""
    known = text.drop_null()
    rows = np.unique(np.linspace(0, len(known) - 1, min(_GLIMPSE, len(known))).astype(int))
    cells = (cell.strip(_SPACE) for cell in known.take(pa.array(rows, pa.int64())).to_pylist())
    return [cell for cell in cells if cell and cell not in ERRORS and not is_mark(cell)]


def _where(keep: pa.Array, values: pa.Array) -> pa.Array:
    """Values, null where they are not kept."""
    return pc.if_else(keep, values, pa.scalar(None, values.type))

"""How dates and times of day are written: 2024-12-31, 31/12/2024, 12/31/2024, Dec 31, 2024, 1:30 PM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..common.types import Values

# A form is named by how it writes the last day of 2024.
ISO, DAY_FIRST, MONTH_FIRST = "2024-12-31", "31/12/2024", "12/31/2024"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_D, _M, _Y = "(?P<d>[0-9]{1,2})", "(?P<m>[0-9]{1,2})", "(?P<y>[0-9]{4}|[0-9]{2})"
_NAMED = f"(?P<m>(?i:{_NAME}))"
_CLOCK = (
    r"(?P<h>[0-9]{1,2}):(?P<min>[0-5][0-9])(?::(?P<s>[0-5][0-9])(?P<f>\.[0-9]{1,9})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_FORMS = {
    DAY_FIRST: f"{_D}[./-]{_M}[./-]{_Y}",
    MONTH_FIRST: f"{_M}[./-]{_D}[./-]{_Y}",
    "2024/12/31": f"(?P<y>[0-9]{{4}})[./-]{_M}[./-]{_D}",
    "31 Dec 2024": rf"{_D}\.?[ /-]?{_NAMED}\.?,?[ /-]?{_Y}",
    "Dec 31, 2024": rf"{_NAMED}\.? {_D}(?:st|nd|rd|th)?,? {_Y}",
}
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_LOCAL = f"{_DAY}(?:{_TIME})?"
_ZONED = rf"{_DAY}{_TIME}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})"
# Years of two digits, as most programs read them.
_FIRST_OF_TWO = 1969
_SECONDS = 86_400


def likely_forms(cells: Sequence[str]) -> list[str]:
    """The forms of dates that fit most cells, likeliest first; none if few fit.

    Examples
    --------
    >>> likely_forms(["31.12.2024", "01.02.2024"])
    ['31/12/2024']
    >>> likely_forms(["1/2/2024", "3/4/2024"])
    ['31/12/2024', '12/31/2024']
    >>> likely_forms(["1 of 2"])
    []
    """
    text = pa.array(cells, pa.large_string())
    fits = {form: len(text) - moments(text, form).null_count for form in (ISO, *_FORMS)} if cells else {}
    most = max(fits.values(), default=0)
    return [form for form, n in fits.items() if n == most and 2 * n >= len(cells)] if most else []


def is_clock(cells: Sequence[str]) -> bool:
    """Whether at least half of the cells are times of day.

    Examples
    --------
    >>> is_clock(["13:30", "1:30 PM"]), is_clock(["13.30"]), is_clock([])
    (True, False, False)
    """
    return 2 * sum(re.fullmatch(_CLOCK, cell) is not None for cell in cells) >= len(cells) > 0


def is_dated(cell: str) -> bool:
    """Whether a cell looks like a date or a time of day.

    Examples
    --------
    >>> is_dated("Dec 31, 2024 1:30 PM"), is_dated("13:30"), is_dated("soon")
    (True, True, False)
    """
    forms = (_CLOCK, _LOCAL, _ZONED, *(f"(?:{form})(?:(?:,? |T){_CLOCK})?" for form in _FORMS.values()))
    return any(re.fullmatch(form, cell) for form in forms)


def has_short_years(cells: Sequence[str], form: str) -> bool:
    """Whether cells of a form have years of two digits."""
    if form == ISO:
        return False
    found = (re.match(_FORMS[form] + "(?![0-9])", cell) for cell in cells)
    return any(match is not None and len(match["y"]) == len("24") for match in found)


def moments(text: pa.Array, form: str) -> pa.Array:
    """Cells of a form as timestamps in microseconds, null where they are none, shape (N,).

    Examples
    --------
    >>> moments(pa.array(["9/30/1990 0:00:00", "30/9/1990"]), MONTH_FIRST).to_pylist()
    [datetime.datetime(1990, 9, 30, 0, 0), None]
    """
    codes = text.cast(pa.large_string()).dictionary_encode()
    read = _iso if form == ISO else _parts
    return read(codes.dictionary, form).take(codes.indices)


def clocks(text: pa.Array) -> pa.Array:
    """Times of day as seconds since midnight, null where they are none, shape (N,).

    Examples
    --------
    >>> clocks(pa.array(["13:30", "1:30:05 PM", "12:00 am", "25:00"])).to_pylist()
    [48600.0, 48605.0, 0.0, None]
    """
    codes = text.cast(pa.large_string()).dictionary_encode()
    found = pc.extract_regex(codes.dictionary, rf"\A{_CLOCK}\z")
    seconds, valid = _seconds(found)
    return pa.array(seconds, pa.float64(), mask=~valid).take(codes.indices)


def _iso(cells: pa.Array, form: str) -> pa.Array:
    """ISO 8601, all with or all without an offset from UTC."""
    fitting = [pc.match_substring_regex(cells, rf"\A(?:{one})\z") for one in (_LOCAL, _ZONED)]
    fits = max(fitting, key=lambda one: pc.sum(one).as_py() or 0)
    known = pc.if_else(fits, cells, pa.scalar(None, cells.type)).to_pylist()
    days = pd.to_datetime(pd.Series(known, dtype=object), format="ISO8601", errors="coerce", utc=True)
    values = days.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return pa.array(values, pa.timestamp("us"), mask=days.isna().to_numpy())


def _parts(cells: pa.Array, form: str) -> pa.Array:
    found = pc.extract_regex(cells, rf"\A(?:{_FORMS[form]})(?:(?:,? |T){_CLOCK})?\z")
    valid = found.is_valid().to_numpy(zero_copy_only=False)
    year, day = _whole(found, "y"), _whole(found, "d")
    two = pc.binary_length(pc.struct_field(found, "y")).fill_null(0).to_numpy(zero_copy_only=False) == 2
    year = np.where(two, _FIRST_OF_TWO + (year - _FIRST_OF_TWO) % 100, year)
    month = _month_numbers(found) if "Dec" in form else _whole(found, "m")
    seconds, timed = _seconds(found)
    has_time = pc.not_equal(pc.struct_field(found, "h"), "").fill_null(False).to_numpy(zero_copy_only=False)
    valid &= (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1) & (timed | ~has_time)
    months = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + np.where(valid, day - 1, 0)
    valid &= days.astype("datetime64[M]") == months  # there is no 31 June
    microseconds = np.where(has_time & valid, np.round(seconds * 1e6), 0).astype("timedelta64[us]")
    return pa.array(days.astype("datetime64[us]") + microseconds, pa.timestamp("us"), mask=~valid)


def _whole(found: pa.Array, part: str) -> Any:
    """A part as whole numbers, 0 where there is none, shape (n,)."""
    cells = pc.struct_field(found, part)
    known = pc.if_else(pc.equal(cells, ""), pa.scalar("0", cells.type), cells).fill_null("0")
    return known.cast(pa.int64()).to_numpy(zero_copy_only=False)


def _month_numbers(found: pa.Array) -> Any:
    names = pc.utf8_slice_codeunits(pc.utf8_lower(pc.struct_field(found, "m")), 0, 3)
    known = pc.index_in(names, pa.array(_MONTHS, names.type)).fill_null(-1)
    return known.to_numpy(zero_copy_only=False).astype(np.int64) + 1


def _seconds(found: pa.Array) -> tuple[Values, Values]:
    """Seconds since midnight, and whether there is such a time of day, each of shape (n,)."""
    hour, half = _whole(found, "h"), pc.utf8_lower(pc.struct_field(found, "half")).fill_null("")
    twelve = pc.not_equal(half, "").to_numpy(zero_copy_only=False)
    late = pc.equal(half, "p").to_numpy(zero_copy_only=False)
    valid = np.where(twelve, (hour >= 1) & (hour <= 12), hour < 24)
    hour = np.where(twelve, hour % 12 + 12 * late, hour)
    part = pc.struct_field(found, "f")
    fraction = pc.if_else(pc.equal(part, ""), pa.scalar("0", part.type), part).fill_null("0")
    seconds = 3600.0 * hour + 60 * _whole(found, "min") + _whole(found, "s")
    seconds = seconds + fraction.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return seconds, valid & found.is_valid().to_numpy(zero_copy_only=False)

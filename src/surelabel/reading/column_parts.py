"""What becomes of a column: the columns of numbers, categories and text that models read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..cells.column import cells_as
from ..cells.kinds import UNUSED
from ..common.notice import notice
from ..common.types import Floats, Values
from .column_survey import Survey
from .column_values import RawColumn, misfit
from .dates import calendar

DATES = ("date", "time", "date and time")
CATEGORIES = ("category", "many levels")
TEXTS = ("text", "url")
_RECURRING = ("month", "day of week", "hour")
_CATEGORY = " (category)"
_ROWS = "rows"
# The last day of 2024 where dates are numbers.
SECONDS = "1735603200"


def parts_of(kind: str, surveys: Sequence[Survey]) -> list[str]:
    """The parts of a column of some kind: "" is the column itself.

    Examples
    --------
    >>> parts_of("number", []), parts_of("many levels", [])
    ([''], ['', 'rows'])
    """
    if kind in UNUSED:
        return []
    if kind == "vector":
        return [str(j) for j in range(max(survey.width for survey in surveys))]
    if kind == "many levels":
        return ["", _ROWS]
    if kind not in DATES:
        return [""]
    seen = recurring(surveys)
    several = [part for part, values in seen.items() if len(values) > 1]
    numbers = [] if kind == "time" else several
    return ["", *numbers, *(part + _CATEGORY for part in several if part in _RECURRING)]


def recurring(surveys: Sequence[Survey]) -> dict[str, set[float]]:
    """Years, months, days of the week and hours that occur."""
    names = dict.fromkeys(name for survey in surveys for name in survey.parts)
    return {name: set().union(*(survey.parts.get(name, set()) for survey in surveys)) for name in names}


def named(name: Any, parts: Sequence[str], taken: set[Any]) -> dict[str, Any]:
    """Names of the parts of a column, none of which is taken.

    Examples
    --------
    >>> named("when", ["", "year"], {"when", "when: year"})
    {'': 'when', 'year': "when: year'"}
    """
    names = {}
    for part in parts:
        names[part] = f"{name}: {part}" if part else name
        while part and names[part] in taken:
            names[part] += "'"
    return names


def category_part(part: str) -> str | None:
    """Of which part this one is the categories; None where it is of numbers."""
    return part.removesuffix(_CATEGORY) if part.endswith(_CATEGORY) else None


def dated(
    values: Floats, parts: Mapping[str, Any], origin: float, levels: Mapping[Any, list[Any]]
) -> dict[Any, Any]:
    """Columns of dates or times, by name: seconds from the first, and parts that recur."""
    found = calendar(values)
    columns: dict[Any, Any] = {}
    for part, name in parts.items():
        of = category_part(part)
        if of is not None:
            columns[name] = as_categories(found[of], levels[name])
        else:
            columns[name] = found[part] if part else values - origin
    return columns


def as_categories(values: Values, levels: Sequence[Any]) -> pd.Categorical:
    """Values as categories; those that are no level are missing."""
    codes = pd.Index(levels, dtype=object).get_indexer(pd.Index(values, dtype=object))
    return pd.Categorical.from_codes(codes, categories=pd.Index(levels))


def frequency(codes: Values, rows: Sequence[int], values: Values) -> Floats:
    """How often the level of a cell came in fit, log(1 + rows); 0 if never, NaN where missing, shape (n,)."""
    known = np.append(np.log1p(np.asarray(rows, dtype=float)), 0.0)[codes]
    return np.where(pd.isna(values), np.nan, known)


def measured(name: Any, kind: str, notation: str, raw: RawColumn) -> Floats:
    """Numbers, seconds since 1970, or seconds of the day, NaN where missing, shape (n,).

    Cells of text are read as in fit; those that cannot be are missing, with a notice. More than half of them
    are an error.
    """
    expected = kind.removesuffix(" and time")
    found, values = raw
    if found == "string":
        return _parsed(name, expected, notation, values)
    if pd.isna(values).all():
        return np.full(len(values), np.nan)
    if found != expected and not (found == "number" and notation == SECONDS):
        now = misfit(expected, found, values)
        raise ValueError(f"Column {name!r} held {expected}s in fit and now holds {now}.")
    return values.astype(float)


def _parsed(name: Any, expected: str, notation: str, values: Values) -> Floats:
    cells = cells_as(pd.Series(values, dtype=object), expected, notation)
    survey = cells.survey
    if survey is not None and survey.n_stray:
        row, stray = survey.strays[0]
        if 2 * survey.n_stray > survey.n_known:
            now = f"{stray!r}, in row {row}"
            raise ValueError(f"Column {name!r} held {expected}s in fit and now holds {now}.")
        notice(
            f"Column {name!r}: {survey.n_stray} of {survey.n_known} cells are no {expected}s, such as "
            f"{stray!r}; they count as missing.",
            advice=True,
        )
    found = cells.values.to_numpy(zero_copy_only=False)
    if expected != "date":
        return found
    return np.where(np.isnat(found), np.nan, found.astype("datetime64[us]").astype(np.int64) / 1e6)

"""Stands for what pandas has: frames, columns, indexes, categories, dates.

Names and parts of stands are in the files: to change them is to change the format's version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import Ints, Values
from .codec import Stand


class Extended(Stand):
    """An array of one of pandas's own types: objects and the name of the type."""

    @staticmethod
    def parts(value: Any) -> tuple[Values, str]:
        """Values as objects; the type by name."""
        return np.asarray(value.astype(object), dtype=object), str(value.dtype)

    @staticmethod
    def made(values: Values, dtype: Any) -> Any:
        """The array."""
        return pd.array(values, dtype=dtype)


class Categories(Stand, of=[pd.Categorical]):
    """A categorical array."""

    @staticmethod
    def parts(value: pd.Categorical) -> tuple[Ints, pd.Index[Any], bool]:
        """Codes, categories and whether these are in order."""
        return np.asarray(value.codes), value.categories, bool(value.ordered)

    @staticmethod
    def made(codes: Ints, categories: pd.Index[Any], ordered: bool) -> pd.Categorical:
        """The array."""
        return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


class Zoned(Stand):
    """Dates with a time zone."""

    @staticmethod
    def parts(value: Any) -> tuple[Values, str]:
        """Dates in UTC, and the zone."""
        return pd.DatetimeIndex(value).tz_convert(None).to_numpy(), str(value.dtype.tz)

    @staticmethod
    def made(values: Values, zone: str) -> Any:
        """The array."""
        return pd.DatetimeIndex(values).tz_localize("UTC").tz_convert(zone).array


def _column(values: Any) -> Any:
    """The values of a Series or an Index: an array that NumPy knows, or a stand."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values.to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        return values.array
    return (Zoned if isinstance(dtype, pd.DatetimeTZDtype) else Extended).instead_of(values.array)


class RowNames(Stand, of=[pd.Index]):
    """A pandas Index."""

    @staticmethod
    def parts(value: pd.Index[Any]) -> tuple[Any, Any]:
        """Values and name."""
        return _column(value), value.name

    @staticmethod
    def made(values: Any, name: Any) -> pd.Index[Any]:
        """The Index."""
        return pd.Index(values, dtype=values.dtype, name=name)


class Range(Stand, of=[pd.RangeIndex]):
    """Row numbers."""

    @staticmethod
    def parts(value: pd.RangeIndex) -> tuple[int, int, int, Any]:
        """Start, stop, step and name."""
        return value.start, value.stop, value.step, value.name

    @staticmethod
    def made(start: int, stop: int, step: int, name: Any) -> pd.RangeIndex:
        """The Index."""
        return pd.RangeIndex(start, stop, step, name=name)


class Levels(Stand, of=[pd.MultiIndex]):
    """An index of several levels."""

    @staticmethod
    def parts(value: pd.MultiIndex) -> tuple[list[Any], list[Ints], list[Any]]:
        """Levels, codes and names."""
        return list(value.levels), [np.asarray(codes) for codes in value.codes], list(value.names)

    @staticmethod
    def made(levels: list[Any], codes: list[Any], names: list[Any]) -> pd.MultiIndex:
        """The Index."""
        return pd.MultiIndex(levels, codes, names=names)


class Column(Stand, of=[pd.Series]):
    """A pandas Series."""

    @staticmethod
    def parts(value: pd.Series) -> tuple[Any, pd.Index[Any], Any]:
        """Values, index and name."""
        return _column(value), value.index, value.name

    @staticmethod
    def made(values: Any, index: pd.Index[Any], name: Any) -> pd.Series:
        """The Series."""
        _check_lengths([values], index)
        return pd.Series(values, index=index, name=name, dtype=values.dtype)


class Frame(Stand, of=[pd.DataFrame]):
    """A pandas DataFrame."""

    @staticmethod
    def parts(value: pd.DataFrame) -> tuple[pd.Index[Any], list[Any], pd.Index[Any]]:
        """Column names, columns and index."""
        return value.columns, [_column(value.iloc[:, j]) for j in range(value.shape[1])], value.index

    @staticmethod
    def made(names: pd.Index[Any], columns: list[Any], index: pd.Index[Any]) -> pd.DataFrame:
        """The DataFrame."""
        _check_lengths(columns, index)
        series = {j: pd.Series(values, index=index, dtype=values.dtype) for j, values in enumerate(columns)}
        frame = pd.DataFrame(series, index=index)
        frame.columns = names
        return frame


def _check_lengths(columns: Sequence[Any], index: pd.Index[Any]) -> None:
    # pandas would repeat a single value over an index of any length.
    if any(np.shape(values) != (len(index),) for values in columns):
        raise ValueError(f"columns do not have the {len(index)} rows of their index")


class Moment(Stand, of=[pd.Timestamp]):
    """A date."""

    @staticmethod
    def parts(value: pd.Timestamp) -> tuple[np.datetime64, str | None]:
        """The date in UTC, and the zone."""
        return value.asm8, None if value.tz is None else str(value.tz)

    @staticmethod
    def made(value: np.datetime64, zone: str | None) -> pd.Timestamp:
        """The date."""
        moment = pd.Timestamp(value)
        return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


class Duration(Stand, of=[pd.Timedelta]):
    """A length of time."""

    @staticmethod
    def parts(value: pd.Timedelta) -> tuple[np.timedelta64]:
        """As NumPy has it."""
        return (value.asm8,)

    @staticmethod
    def made(value: np.timedelta64) -> pd.Timedelta:
        """As pandas has it."""
        return pd.Timedelta(value)


class Span(Stand, of=[pd.Interval]):
    """An interval, such as pd.cut gives."""

    @staticmethod
    def parts(value: Any) -> tuple[Any, Any, str]:
        """Both ends, and which belong to it."""
        return value.left, value.right, value.closed

    @staticmethod
    def made(left: Any, right: Any, closed: Any) -> Any:
        """The interval."""
        return pd.Interval(left, right, closed)


class Term(Stand, of=[pd.Period]):
    """A period, such as a month."""

    @staticmethod
    def parts(value: pd.Period) -> tuple[int, str]:
        """Its number and what is counted."""
        return value.ordinal, value.freqstr

    @staticmethod
    def made(ordinal: int, freq: str) -> pd.Period:
        """The period."""
        return pd.Period(ordinal=ordinal, freq=freq)


class Missing(Stand, of=[type(pd.NA), type(pd.NaT)]):
    """pandas's own marks of a missing value."""

    @staticmethod
    def parts(value: Any) -> tuple[bool]:
        """Whether it is the mark of a missing date."""
        return (value is pd.NaT,)

    @staticmethod
    def made(date: bool) -> Any:
        """The mark."""
        return pd.NaT if date else pd.NA

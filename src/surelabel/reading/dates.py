"""Dates and times as numbers: seconds since 1970 or midnight, and the parts that recur."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..common.limits import is_missing
from ..common.types import Floats, Values


def seconds(column: nw.Series[Any]) -> Floats:
    """Dates as seconds since 1970, durations as their seconds; NaN where missing, shape (n,)."""
    if column.dtype == nw.Duration:
        return float_values(column.dt.total_microseconds()) / 1e6
    zone = column.dtype.time_zone if isinstance(column.dtype, nw.Datetime) else None
    return float_values(column.cast(nw.Datetime("us", zone)).dt.timestamp("us")) / 1e6


def moments(values: Values) -> Values:
    """Python's dates and times as NumPy's, those with a time zone in UTC, shape (n,).

    Examples
    --------
    >>> from datetime import date
    >>> moments(np.array([date(2024, 5, 1)], dtype=object)).astype("datetime64[D]")
    array(['2024-05-01'], dtype='datetime64[D]')
    """
    return pd.to_datetime(values, utc=True).tz_localize(None).to_numpy()


def float_values(column: nw.Series[Any]) -> Floats:
    """Numbers of a column as floats, NaN where missing, shape (n,)."""
    native = column.to_native()
    if isinstance(native, pd.Series):
        return native.to_numpy(dtype=float, na_value=np.nan)
    return column.cast(nw.Float64).to_numpy().astype(float)


def seconds_of_day(values: Iterable[Any]) -> Floats:
    """Times of day as seconds since midnight, NaN where missing, shape (n,).

    Examples
    --------
    >>> from datetime import time
    >>> seconds_of_day([time(13, 30), None])
    array([48600.,    nan])
    """
    return np.array([np.nan if is_missing(value) else _seconds(value) for value in values], dtype=float)


def _seconds(value: Any) -> float:
    return 3600.0 * value.hour + 60 * value.minute + value.second + value.microsecond / 1e6


def calendar(seconds: Floats) -> dict[str, Floats]:
    """Year, month, day of the week (Monday is 1) and hour of dates, NaN where missing, each of shape (n,).

    Parameters
    ----------
    seconds : ndarray of shape (n,)
        Seconds since 1970.

    Examples
    --------
    >>> {name: part.tolist() for name, part in calendar(np.array([3600.0, np.nan])).items()}
    {'year': [1970.0, nan], 'month': [1.0, nan], 'day of week': [4.0, nan], 'hour': [1.0, nan]}
    """
    missing = np.isnan(seconds)
    whole = np.where(missing, 0, np.floor(seconds)).astype(np.int64)
    days = whole // 86_400
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    parts = {
        "year": months // 12 + 1970,
        "month": months % 12 + 1,
        "day of week": (days + 3) % 7 + 1,
        "hour": whole % 86_400 // 3600,
    }
    return {name: np.where(missing, np.nan, part) for name, part in parts.items()}

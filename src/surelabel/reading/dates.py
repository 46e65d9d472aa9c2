"""Dates and times as numbers: seconds since 1970, later counted from the first date of the column."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

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

import datetime as dt

import narwhals as nw
import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from surelabel.reading.dates import float_values, moments, seconds

MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))


def series(native):
    return nw.from_native(native, series_only=True)


@given(st.lists(MOMENTS, min_size=1))
def test_seconds_are_those_since_1970_in_every_library(cells):
    expected = [(cell - dt.datetime(1970, 1, 1)) / dt.timedelta(seconds=1) for cell in cells]
    for native in (pd.Series(cells), polars.Series(cells)):
        assert_array_equal(seconds(series(native)), expected)


@given(st.lists(st.timedeltas(dt.timedelta(days=-9999), dt.timedelta(days=9999)), min_size=1))
def test_a_duration_is_its_seconds(cells):
    expected = [cell.total_seconds() for cell in cells]
    assert_array_equal(seconds(series(polars.Series(cells))), expected)
    # narwhals cuts the last microsecond of some durations of pandas.
    assert_allclose(seconds(series(pd.Series(cells))), expected, rtol=0, atol=1.1e-6)


def test_objects_with_a_zone_are_moved_to_utc():
    east = dt.timezone(dt.timedelta(hours=2))
    cells = np.array([dt.datetime(2024, 5, 1, 2, tzinfo=east), dt.datetime(2024, 5, 1, tzinfo=dt.UTC)])
    assert len(set(moments(cells))) == 1


@pytest.mark.parametrize("dtype", ["Int64", "float64", "boolean", "int64[pyarrow]"])
def test_gaps_of_any_kind_are_nan(dtype):
    assert_array_equal(float_values(series(pd.Series([1, None, 0], dtype=dtype))), [1, np.nan, 0])
    assert_array_equal(float_values(series(polars.Series([1, None, 0]))), [1, np.nan, 0])

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from surelabel.reading.column_survey import Survey, levels_of
from surelabel.reading.column_values import is_frame, is_sparse, raw_columns

COLUMNS = {
    "number": [1.5, None, -2.0],
    "truth": [True, None, False],
    "day": [dt.date(2020, 1, 1), None, dt.date(1969, 12, 31)],
    "moment": [dt.datetime(2020, 1, 1, 12), None, dt.datetime(2020, 1, 2)],
    "text": ["b", None, "a"],
}
KINDS = {"number": "number", "truth": "number", "day": "date", "moment": "date", "text": "string"}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_the_same_in_every_form_of_table(name):
    cells = COLUMNS[name]
    forms = [
        raw_columns(pd.DataFrame({name: cells}))[name],
        raw_columns(polars.DataFrame({name: cells}))[name],
        raw_columns(np.array(cells, dtype=object)[:, None])[0],
    ]
    for kind, values in forms:
        assert kind == KINDS[name]
        missing = pd.isna(values)
        assert missing.tolist() == [False, True, False]
        assert_array_equal(values[~missing], forms[0][1][~missing])


# narwhals does not know the type of zones with an underscore.
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_one_moment_is_one_number_whatever_the_zone(zone):
    utc = pd.Series(pd.to_datetime(["2024-05-01T12:00", None, "2024-12-01T12:00"], utc=True))
    kind, values = raw_columns(pd.DataFrame({"when": utc.dt.tz_convert(zone)}))["when"]
    assert kind == "date"
    assert_array_equal(values, [1714564800, np.nan, 1733054400])


def test_what_a_sparse_matrix_leaves_out_is_zero():
    X = np.array([[0.0, 2.0], [1.0, 0.0]])
    for j, (kind, values) in raw_columns(sp.csr_array(X)).items():
        assert kind == "number"
        assert_array_equal(values, X[:, j])
    assert is_sparse(sp.csr_array(X))
    assert not is_sparse(X)
    assert is_frame(polars.DataFrame())
    assert not is_frame(X)


def test_names_are_those_of_the_frame_or_those_given_or_numbers():
    X = np.zeros((2, 2))
    assert list(raw_columns(X)) == [0, 1]
    assert list(raw_columns(X, ["a", "b"])) == ["a", "b"]
    assert list(raw_columns(pd.DataFrame(X, columns=["c", "d"]), ["a", "b"])) == ["c", "d"]


def test_numbers_of_any_kind_are_numbers_and_one_word_makes_all_categories():
    numbers = np.array([1, 2.5, Decimal("3.5"), np.float32(1), np.bool_(True), None], dtype=object)
    kind, values = raw_columns(numbers[:, None])[0]
    assert kind == "number"
    assert_array_equal(values, [1, 2.5, 3.5, 1, 1, np.nan])
    kind, values = raw_columns(np.append(numbers, "one")[:, None])[0]
    assert kind == "category"
    assert values[-2] is None


NO_VALUES = [{}, [1], {1}, (1, 2), frozenset([1]), np.ones(2), lambda: None, object(), int]


@pytest.mark.parametrize("cell", NO_VALUES, ids=lambda cell: type(cell).__name__)
def test_a_cell_that_is_no_value_is_named_by_column_and_row(cell):
    X = np.array(["a", None, None], dtype=object)[:, None]
    X[2, 0] = cell
    with pytest.raises(TypeError, match=rf"Column 'b', row 2: .* not '{type(cell).__name__}'. Make columns"):
        raw_columns(X, ["b"])


@pytest.mark.parametrize(
    "cells",
    [
        polars.Series([[1], [2, 3]]),
        polars.Series([["a"], ["b"]], dtype=polars.Array(polars.String, 1)),
        polars.Series([{"x": 1}, {"x": 2}]),
    ],
)
def test_a_column_of_nested_type_is_named(cells):
    with pytest.raises(TypeError, match=r"Column 'b': .* Make columns of its parts"):
        raw_columns(polars.DataFrame({"b": cells}))


@pytest.mark.parametrize("dtype", [complex, object])
def test_complex_columns_are_refused_by_name(dtype):
    with pytest.raises(ValueError, match="Complex data not supported: column 'b'"):
        raw_columns(pd.DataFrame({"a": [1, 2], "b": np.array([1j, 2.0], dtype=dtype)}))


def test_numbers_too_large_for_a_float_are_infinite():
    cells = np.array([10**400, -(10**400), 5], dtype=object)
    assert raw_columns(cells[:, None])[0][1].tolist() == [np.inf, -np.inf, 5]


@given(st.lists(st.one_of(st.none(), st.text(), st.integers()), max_size=20), st.randoms())
def test_a_survey_does_not_depend_on_the_order_of_rows(cells, random):
    mixed = random.sample(cells, len(cells))
    one, other = (np.array([*values, None], dtype=object)[:-1] for values in (cells, mixed))
    assert Survey.of("category", one) == Survey.of("category", other)
    levels = Survey.of("category", one).levels
    assert levels_of(levels) == levels_of(random.sample(list(levels), len(levels)))
    assert Survey.of("category", one).empty == (not levels)


def test_a_survey_of_dates_knows_the_first():
    assert Survey.of("date", np.array([3.0, np.nan, 1.0])).first == 1.0
    assert Survey.of("date", np.array([np.nan])) == Survey(
        "date", 1, 0, parts=dict.fromkeys(["year", "month", "day of week", "hour"], frozenset())
    )

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from surelabel.reading.columns import Columns
from surelabel.reading.features import as_table, category_mask, is_constant, numbers, row_index, take

DAYS = [dt.datetime(2024, 1, 1), None, dt.datetime(2024, 1, 2)]
SECONDS = [0.0, np.nan, 86400.0]


@pytest.mark.parametrize(
    ("column", "kind", "read"),
    [
        ([1, None, 3], "number", [1.0, np.nan, 3.0]),
        ([True, None, False], "number", [1.0, np.nan, 0.0]),
        ([Decimal("1.5"), None, Decimal(2)], "number", [1.5, np.nan, 2.0]),
        ([None, None, None], "number", [np.nan] * 3),
        (["b", None, "a"], "category", [1.0, np.nan, 0.0]),
        (DAYS, "date", SECONDS),
        ([None if day is None else day.date() for day in DAYS], "date", SECONDS),
        ([None if day is None else day - DAYS[0] for day in DAYS], "number", SECONDS),
        ([dt.time(9), None, dt.time(8)], "time", [32400.0, np.nan, 28800.0]),
    ],
    ids=["ints", "bools", "decimals", "nothing", "text", "datetimes", "dates", "durations", "times"],
)
@pytest.mark.parametrize("library", [pd, polars])
def test_columns_are_read_by_their_type(library, column, kind, read):
    columns = Columns()
    table = columns.fit_transform(library.DataFrame({"x": column}))
    assert columns.kinds_ == {"x": kind}
    assert_array_equal(numbers(table)[:, 0], read)
    assert category_mask(table)[0] == (kind == "category")


@pytest.mark.parametrize(
    "dtype", ["Int64", "Float32", "boolean", "int64[pyarrow]", "bool[pyarrow]", "category", "str", "string"]
)
def test_pandas_extension_types_keep_their_gaps(dtype):
    column = pd.Series([1, 0, 1] if dtype[0] in "IFbi" else ["b", "a", "b"]).astype(dtype)
    table = Columns().fit_transform(pd.DataFrame({"x": column.mask([False, False, True])}))
    assert_array_equal(numbers(table)[:, 0], [1, 0, np.nan])


@pytest.mark.parametrize("dtype", [polars.Categorical, polars.Enum(["z", "b", "a"])])
def test_polars_categories_are_ordered_like_text(dtype):
    table = Columns().fit_transform(polars.DataFrame({"x": polars.Series(["b", "a", None], dtype=dtype)}))
    assert_array_equal(numbers(table)[:, 0], [1, 0, np.nan])


def test_dates_keep_their_seconds_in_single_precision():
    when = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=100, freq="s")})
    assert len(np.unique(numbers(Columns().fit_transform(when)).astype(np.float32))) == 100


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_mean_the_same_in_every_unit(unit, zone):
    frame = pd.DataFrame({"x": pd.DatetimeIndex(DAYS, tz=zone).as_unit(unit)})
    assert_array_equal(Columns().fit_transform(frame)["x"], SECONDS)


def test_dates_are_counted_from_the_first_of_fit():
    columns = Columns()
    columns.fit_transform(pd.DataFrame({"x": DAYS}))
    assert columns.transform(pd.DataFrame({"x": [dt.datetime(2023, 12, 31)]}))["x"].tolist() == [-86400.0]


def test_a_column_of_dates_that_was_empty_in_fit_can_be_read():
    columns = Columns()
    columns.fit_transform(pd.DataFrame({"x": pd.to_datetime([None, None])}))
    assert np.isfinite(columns.transform(pd.DataFrame({"x": DAYS[:1]}))["x"]).all()


@pytest.mark.parametrize("column", [["a"], [1.5], DAYS[:1]])
@pytest.mark.parametrize("empty_first", [True, False])
def test_a_part_where_all_is_missing_takes_the_kind_of_the_other(column, empty_first):
    empty, full = pd.DataFrame({"x": [None, None]}), pd.DataFrame({"x": column})
    whole = pd.DataFrame({"x": [None, None, *column] if empty_first else [*column, None, None]})
    parts = (empty, full) if empty_first else (full, empty)
    assert_frame_equal(Columns().fit_transform(*parts), Columns().fit_transform(whole))


def test_parts_of_different_kinds_need_a_word():
    number, text = pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": ["a"]})
    with pytest.raises(ValueError, match=r"Column 'x' is of kind number in X and category in X_unlabeled"):
        Columns().fit_transform(number, text)
    assert len(Columns(categorical=["x"]).fit_transform(number, text)) == 3


@pytest.mark.parametrize("names", ["x", 5, True])
def test_columns_to_be_categories_are_a_list(names):
    for read in (Columns(categorical=names).fit_transform, Columns(categorical=names).survey):
        with pytest.raises(TypeError, match="categorical must be a list of column names"):
            read(pd.DataFrame({"x": [1, 2]}))


def test_numbers_can_be_declared_categories():
    columns = Columns(categorical=["zip"])
    table = columns.fit_transform(pd.DataFrame({"zip": [30, 10, 20], "x": [1, 2, 3]}))
    assert category_mask(table).tolist() == [True, False]
    with pytest.warns(UserWarning, match="'zip': 1 of 2 rows hold a category not seen"):
        again = columns.transform(pd.DataFrame({"zip": [20, 99], "x": [1, 2]}))
    assert_array_equal(numbers(again), [[1, 1], [np.nan, 2]])


def test_a_category_of_numbers_is_found_again_as_numbers():
    columns = Columns()
    columns.fit_transform(pd.DataFrame({"zip": pd.Categorical([10, 20])}))
    assert_array_equal(numbers(columns.transform(pd.DataFrame({"zip": [20, 10]})))[:, 0], [1, 0])


def test_categories_do_not_depend_on_the_order_of_rows():
    frame = pd.DataFrame({"x": ["b", 2, "a", 1]})
    one, other = Columns(), Columns()
    one.fit_transform(frame)
    other.fit_transform(frame[::-1])
    assert one.levels_ == other.levels_


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (Columns(categorical=["zap"]), "categorical names the column 'zap'"),
        (Columns(order="none"), "order must be .*'none'"),
    ],
)
def test_wrong_settings_are_named(columns, message):
    with pytest.raises(ValueError, match=message):
        columns.fit_transform(pd.DataFrame({"zip": [1, 2]}))


@pytest.mark.parametrize("library", [pd, polars])
def test_columns_are_matched_by_name(library):
    columns = Columns()
    frame = library.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    table = columns.fit_transform(frame)
    turned = frame[["b", "a"]]
    assert list(columns.arrange(turned).columns) == ["a", "b"]
    assert list(Columns(order="same").arrange(turned).columns) == ["b", "a"]
    assert_frame_equal(columns.transform(turned), table)


def test_an_array_is_read_by_position_after_a_frame():
    columns = Columns()
    table = columns.fit_transform(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert_frame_equal(columns.transform(np.array([[1.0, "x"], [2.0, "y"]], dtype=object)), table)


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"a": [1, None], "b": [3, 4]}, dtype="Int64"),
        polars.DataFrame({"a": [1, None], "b": [3, 4]}),
        np.array([[1, 3], [None, 4]], dtype=object),
        pd.DataFrame({"a": [1, np.nan], "b": [3, 4], "c": pd.to_datetime([None, None])}),
        pd.DataFrame({"a": [1, np.nan], "b": [3, 4], "c": pd.Categorical([None, None])}),
    ],
)
def test_after_an_array_of_numbers_all_that_is_numbers_is_read(given):
    columns = Columns()
    columns.fit_transform(np.ones((2, given.shape[1])))
    read = columns.transform(given)
    assert read.dtype == float
    assert_array_equal(read, [[1, 3, np.nan][: given.shape[1]], [np.nan, 4, np.nan][: given.shape[1]]])


def test_numbers_beside_text_in_lists_stay_numbers():
    columns = Columns()
    columns.fit_transform([[1.5, "a"], [2.5, "b"]])
    assert columns.kinds_ == {0: "number", 1: "category"}


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_matrices_become_rows_of_floats(form):
    table = as_table(form(np.eye(3, dtype=int)))
    assert (table.format, table.dtype) == ("csr", float)
    assert_array_equal(take(table, [2]).toarray(), [[0, 0, 1]])


def test_a_gap_in_a_sparse_matrix_is_named():
    with pytest.raises(ValueError, match=r"NaN, and is sparse: column 1, row 2\..*X\.toarray\(\)"):
        as_table(sp.csc_array([[0.0, 1.0], [1.0, 0.0], [1.0, np.nan]]))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, r"rows and columns; it is of shape \(2,\)"),
        (np.ones((2, 2, 2)), ValueError, r"rows and columns; it is of shape \(2, 2, 2\)"),
        ([[1, 2], [3, 4], [5]], ValueError, "row 0 has 2, row 2 has 1"),
        ([[1, "a"], ["b"]], ValueError, "row 0 has 2, row 1 has 1"),
        (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
        (sp.csr_array(np.eye(2) * 1j), ValueError, "Complex data not supported"),
        (np.zeros((2, 2), dtype="V4"), TypeError, "raw bytes"),
    ],
)
def test_what_is_no_matrix_of_values_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        as_table(X)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="new in NumPy 2")
def test_new_text_of_numpy_is_text():
    X = np.array([["a", "b"], ["c", "d"]], dtype=np.dtypes.StringDType())
    assert as_table(X).dtype == object


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_of_floats_are_not_copied(dtype):
    X = np.ones((3, 2), dtype=dtype)
    assert as_table(X) is X


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e39])
def test_range_is_checked_up_to_single_precision(value):
    largest = float(np.finfo(np.float32).max)
    assert as_table([[largest], [-largest]]).shape == (2, 1)
    with pytest.raises(ValueError, match="column 1, row 2 holds"):
        as_table([[0, 0], [np.nan, 0], [0, value]])


@pytest.mark.parametrize(
    ("X", "constant"),
    [
        (np.ones((3, 2)), True),
        (np.full((3, 2), np.nan), True),
        (np.array([[1.0, 1.0], [1.0, 2.0]]), False),
        (np.array([[1.0], [np.nan]]), False),
        (pd.DataFrame({"a": [1.0, 1.0], "b": pd.Categorical(["x", "x"])}), True),
        (pd.DataFrame({"a": [1.0, 1.0], "b": pd.Categorical(["x", "y"])}), False),
        (pd.DataFrame({"a": [1.0, 1.0], "b": pd.Categorical(["x", None])}), False),
        (sp.csr_array([[0.0, 1.0], [0.0, 1.0]]), True),
        (sp.csr_array([[0.0, 1.0], [0.0, 0.0]]), False),
    ],
)
def test_constant_means_no_two_rows_differ(X, constant):
    assert is_constant(X) == constant


def test_rows_are_known_by_the_callers_index_or_numbered():
    assert row_index(pd.DataFrame({"a": [1, 2]}, index=["x", "y"])).tolist() == ["x", "y"]
    assert row_index(np.ones((2, 1)), 5).tolist() == [5, 6]
    assert row_index(polars.DataFrame({"a": [1, 2]})).tolist() == [0, 1]

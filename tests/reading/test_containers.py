import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from surelabel.reading.containers import opened_labels, opened_table, shown, unmasked

FRAME = pd.DataFrame({"size": [1.5, 2.5, 3.5], "colour": ["red", "blue", "red"]})


@pytest.mark.parametrize(
    "X",
    [
        polars.from_pandas(FRAME).lazy(),
        {name: FRAME[name].tolist() for name in FRAME},
        {name: FRAME[name].to_numpy() for name in FRAME},
        FRAME.to_dict("records"),
        FRAME.to_records(index=False),
    ],
    ids=["lazy frame", "dict of lists", "dict of arrays", "rows that are dicts", "records"],
)
def test_what_names_its_columns_becomes_a_frame(X):
    table = opened_table(X)
    assert_frame_equal(
        pd.DataFrame(table.to_dict(as_series=False)) if hasattr(X, "collect") else table, FRAME
    )


def test_columns_of_a_dict_go_by_their_order_not_by_an_index():
    columns = {"a": pd.Series([1, 2], index=[0, 1]), "b": pd.Series([3, 4], index=[1, 0])}
    assert_array_equal(opened_table(columns).to_numpy(), [[1, 3], [2, 4]])


def test_columns_of_a_dict_keep_their_types_and_gaps():
    columns = {
        "a": pd.Categorical(["x", "y"]),
        "b": np.ma.masked_array([1, 2], mask=[False, True]),
        "c": pd.array([1, None], dtype="Int64"),
    }
    table = opened_table(columns)
    assert isinstance(table["a"].dtype, pd.CategoricalDtype)
    assert table.isna().to_numpy().tolist() == [[False, False, False], [False, True, True]]


@pytest.mark.parametrize(
    "X", [np.ones((2, 2)), [[1, 2]], sp.csr_array(np.eye(2)), sp.dok_array(np.eye(2)), FRAME, [], ()]
)
def test_tables_stay_what_they_are(X):
    assert opened_table(X) is X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ((row for row in [[1]]), r"X is a generator; pass list\(X\)"),
        (map(list, [[1]]), r"X is a map; pass list\(X\)"),
        ("birds.csv", "X must be a table.*it is 'birds.csv'"),
        (None, "X must be a table.*it is None"),
        (3, "X must be a table.*it is 3"),
        ({1, 2}, "X must be a table.*it is of type set"),
        (object(), "X must be a table.*it is of type object"),
    ],
)
def test_what_is_no_table_is_refused(X, message):
    with pytest.raises(TypeError, match=message):
        opened_table(X)


def test_columns_of_unequal_lengths_are_named():
    with pytest.raises(ValueError, match="as many rows as each other; 'a' has 1, 'b' has 2"):
        opened_table({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (np.array([1.5, 2.5]), np.nan),
        (np.array([1, 2]), None),
        (np.array([True, False]), None),
        (np.array(["a", "b"]), None),
        (np.array(["a", "b"], dtype=object), None),
        (np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), np.datetime64("NaT")),
    ],
)
def test_what_is_masked_is_missing(values, missing):
    masked = np.ma.masked_array(values.copy(), mask=[False, True])
    plain = unmasked(masked)
    assert not isinstance(plain, np.ma.MaskedArray)
    assert plain[0] == values[0]
    assert pd.isna(plain[1])
    assert missing is not None or plain[1] is None
    assert_array_equal(masked.data, values)
    assert_array_equal(unmasked(np.ma.masked_array(values)), values)


def test_masked_whole_numbers_of_a_table_stay_numbers():
    table = opened_table(np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]]))
    assert_array_equal(table, [[1, np.nan], [3, 4]])


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (np.ma.masked_array([3, 5], mask=[False, True]), [3, None]),
        ([3, np.ma.masked], [3, None]),
        (pa.array(["a", None]), ["a", None]),
        (pa.chunked_array([["a"], [None]]), ["a", None]),
        (sp.csr_array([[3], [5]]), [[3], [5]]),
    ],
)
def test_labels_are_taken_out_of_what_holds_them(y, labels):
    opened = opened_labels(y)
    assert (opened.tolist() if isinstance(opened, np.ndarray) else opened) == labels


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ((k for k in [1]), r"y is a generator; pass list\(y\)"),
        ({0: 1}.values(), r"y is a dict_values; pass list\(y\)"),
        ("species", r"y is the text 'species'; pass the labels themselves, such as X\['species'\]"),
        ({0: 1}, "y must be a list, an array or a series of labels; it is of type dict"),
        ({1, 2}, "it is of type set"),
        (7, "it is 7"),
    ],
)
def test_what_holds_no_labels_is_refused(y, message):
    with pytest.raises(TypeError, match=message):
        opened_labels(y)


def test_values_are_shown_in_a_line():
    assert shown("a") == "'a'"
    assert shown(int) == "the class int"
    assert "\n" not in shown(np.ones((5, 5)))
    assert len(shown("x" * 1000)) < 70

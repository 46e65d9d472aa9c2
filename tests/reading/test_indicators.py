import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy import sparse

from surelabel.reading.indicators import has_several, read_indicators

CELLS = np.array([[1, 0, 1], [0, 1, 0], [-1, -1, -1], [1, -1, 0]])
NAMES = ["calm", "happy", "sad"]


def masked():
    return np.ma.masked_array(np.where(CELLS < 0, 1, CELLS), mask=CELLS < 0)


def frame(cells=CELLS):
    return pd.DataFrame(cells, columns=NAMES)


def with_nan(cells=CELLS):
    return np.where(cells < 0, np.nan, cells)


FORMS = {
    "integers": CELLS,
    "int8": CELLS.astype(np.int8),
    "floats with NaN": with_nan(),
    "floats with -1": CELLS.astype(float),
    "objects with None": np.where(CELLS < 0, None, CELLS.astype(object)),
    "bools with None": np.where(CELLS < 0, None, (CELLS == 1).astype(object)),
    "lists": CELLS.tolist(),
    "a list of arrays": list(CELLS),
    "lists with a row that is None": [*CELLS[:2].tolist(), None, [1, None, 0]],
    "frame": frame(),
    "nullable integers": frame().astype("Int64").mask(CELLS < 0),
    "nullable booleans": frame(CELLS == 1).astype("boolean").mask(CELLS < 0),
    "polars": pl.DataFrame(with_nan(), schema=NAMES, orient="row"),
    "polars with nulls": pl.DataFrame(
        [[None if cell < 0 else cell for cell in row] for row in CELLS.tolist()], schema=NAMES, orient="row"
    ),
    "masked": masked(),
    "csr": sparse.csr_matrix(CELLS),
    "coo array": sparse.coo_array(CELLS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_cells_is_read_alike(form):
    y = FORMS[form]
    assert has_several(y)
    read = read_indicators(y)
    assert_array_equal(read.codes, CELLS)
    named = isinstance(y, (pd.DataFrame, pl.DataFrame))
    assert_array_equal(read.classes, NAMES if named else range(3))


TAGS = [["calm", "sad"], ["happy"], None, []]


@pytest.mark.parametrize(
    "y",
    [
        TAGS,
        [("calm", "sad", "calm"), {"happy"}, float("nan"), np.array([], dtype=str)],
        pd.Series(TAGS, index=[7, 8, 9, 3]),
        pl.Series(TAGS),
        np.array(TAGS, dtype=object),
    ],
    ids=["lists", "mixed", "pandas", "polars", "objects"],
)
def test_tags_are_read_by_name_and_a_list_without_any_is_known(y):
    assert has_several(y)
    read = read_indicators(y)
    assert_array_equal(read.classes, NAMES)
    assert_array_equal(read.codes, [[1, 0, 1], [0, 1, 0], [-1, -1, -1], [0, 0, 0]])
    assert_array_equal(read_indicators(y, classes=["angry", *NAMES]).codes[:, 1:], read.codes)


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        ["a", None],
        np.array([[0], [1]]),
        [[0], [1]],
        pd.Series(["a", "b"]),
        pd.DataFrame({"y": [0]}),
    ],
)
def test_one_label_is_not_several(y):
    assert not has_several(y)


@given(arrays(np.int8, st.tuples(st.integers(2, 8), st.integers(2, 4)), elements=st.integers(-1, 1)))
def test_what_is_read_is_what_was_written(cells):
    if (cells < 0).any() and not (cells == 0).any():
        with pytest.raises(ValueError, match="holds -1 and 1 and no 0"):
            read_indicators(cells)
        return
    read = read_indicators(cells)
    assert_array_equal(read.codes, cells)
    assert_array_equal(read.values, cells)
    more = read.extended(2, "auto")
    assert_array_equal(more.codes, np.vstack([cells, np.full((2, cells.shape[1]), -1)]))
    assert_array_equal(read_indicators(more.values, -1).codes, more.codes)


@pytest.mark.parametrize(
    ("y", "missing_label", "dtype"),
    [
        (CELLS, "auto", "i"),
        (np.where(CELLS < 0, 255, CELLS).astype(np.uint8), 255, "u"),
        (CELLS[:2].astype(np.uint8), "auto", "i"),
        (CELLS[:2] == 1, "auto", "f"),
        (with_nan(), None, "f"),
    ],
    ids=["integers", "declared", "unsigned", "bools", "floats"],
)
def test_rows_added_are_unknown_in_a_form_that_can_say_so(y, missing_label, dtype):
    read = read_indicators(y, missing_label).extended(1, missing_label)
    assert read.values.dtype.kind == dtype
    assert_array_equal(read_indicators(read.values, missing_label).codes, read.codes)


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        ([[0, 1], [2, 1]], {}, "Label 0 holds 2 in row 1"),
        (pd.DataFrame({"a": ["yes", "no"], "b": [0, 1]}), {}, "Label 'a' holds 'yes' in row 0"),
        ([[0, -1], [1, 1]], {"missing_label": None}, "Label 1 holds -1 in row 0"),
        ([[1, -1], [-1, 1]], {}, "holds -1 and 1 and no 0"),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), {}, "'a' 2 times"),
        ([["a"], "b"], {}, "Row 1 of y is 'b'"),
        ([["a", None], ["b"]], {}, "Row 0 of y has a tag that is missing"),
        ([["a"], ["b", "c"]], {"classes": ["a", "b"]}, "y holds 'c', which is not among"),
        (frame(), {"classes": ["a", "b", "c"]}, "does not name the 3 columns of y, .*calm"),
        (CELLS, {"classes": ["a", "b"]}, "does not name the 3 columns"),
    ],
)
def test_what_is_wrong_is_named(y, settings, message):
    with pytest.raises(ValueError, match=message):
        read_indicators(y, **settings)


def test_rows_of_one_label_are_classes():
    cells = read_indicators(np.array([[0, 1, 0], [-1, -1, -1], [1, -1, -1]]))
    assert_array_equal(cells.as_classes().codes, [1, -1, 0])
    filled = cells.as_classes().filled(np.array([1, 2, 0]))
    assert_array_equal(filled, [[0, 1, 0], [0, 0, 1], [1, -1, -1]])


@pytest.mark.parametrize(
    ("row", "what"), [([1, 1], "has 2"), ([0, 0], "has 0"), ([0, -1], "is partly unknown")]
)
def test_rows_of_more_or_less_than_one_label_are_no_classes(row, what):
    with pytest.raises(ValueError, match=f"row 1 {what}"):
        read_indicators(np.array([[0, 1], row])).as_classes()


def test_columns_of_a_frame_may_be_named_by_numbers():
    frame = pd.DataFrame([[1, 0, None], [0, 1, 1]], columns=[7, 0, 3]).astype("Int64")
    found = read_indicators(frame)
    assert found.classes.tolist() == [7, 0, 3]
    assert found.codes.tolist() == [[1, 0, -1], [0, 1, 1]]


@pytest.mark.parametrize("y", [[("a", 1), ("b", 2), None], [["a"], [1], ["b", "c"]]])
def test_tags_of_text_and_numbers_are_refused_with_a_way_out(y):
    with pytest.raises(
        ValueError, match=r"tags are text or numbers, not both: .* If a row is one class, make"
    ):
        read_indicators(y)


def test_rows_of_numbers_that_are_no_cells_are_refused_with_a_way_out():
    with pytest.raises(
        ValueError, match=r"Label 0 holds 3 in row 1. .* If a row of y is one class, make text"
    ):
        read_indicators([(1, 2), (3, 4), None])

import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_array_equal

from surelabel.reading.targets import labeled_part, read_targets
from surelabel.reading.unlabeled import append_missing, is_unlabeled, values_of

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "dtype", "values"),
    [
        ([0, 1, -1], "i", [0, 1, -1]),
        ([0.0, NAN], "f", [0.0, NAN]),
        ([0, 1.5, None], "f", [0.0, 1.5, NAN]),
        ([True, False], "b", [True, False]),
        (np.array([1, 2], dtype=object), "i", [1, 2]),
        (np.array(["a", "b"]), "O", ["a", "b"]),
        (pd.Series([2**60 + 1, None], dtype="Int64"), "O", [2**60 + 1, None]),
        (pd.array([2**60 + 1, None], dtype="Int64"), "O", [2**60 + 1, None]),
        (polars.Series([2**60 + 1, None]), "O", [2**60 + 1, None]),
        (pd.Categorical(["b", "a"]), "O", ["b", "a"]),
        (range(3), "i", [0, 1, 2]),
    ],
)
def test_labels_become_a_plain_array(y, dtype, values):
    read = values_of(y)
    assert read.dtype.kind == dtype
    for one, other in zip(read.tolist(), values, strict=True):
        assert one == other or (pd.isna(one) and pd.isna(other))


@pytest.mark.parametrize(
    ("y", "missing_label", "expected"),
    [
        ([0, 1, -1], "auto", [0, 0, 1]),
        ([-1, 0, None], "auto", [0, 0, 1]),
        ([-1.0, 1.0, NAN], "auto", [0, 0, 1]),
        (["a", "", None, NAN, -1, pd.NA], "auto", [0, 1, 1, 1, 1, 1]),
        ([True, False, None, -1], "auto", [0, 0, 1, 1]),
        ([0, 1, 255], 255, [0, 0, 1]),
        ([0, 1, -1], 1, [0, 1, 0]),
        ([0, 1, -1], None, [0, 0, 0]),
        ([0, 1, -1], NAN, [0, 0, 0]),
        ([0, 1, -1], pd.NA, [0, 0, 0]),
        ([-1.0, 0.0], -1, [1, 0]),
        (["a", "-1", ""], "-1", [0, 1, 0]),
        (["a", "-1", "nan"], None, [0, 0, 0]),
        (["1", "2"], 1, [0, 0]),
        ([True, False, None], 1, [0, 0, 1]),
        ([1, 2, 3], "?", [0, 0, 0]),
    ],
)
def test_marks_of_unlabelled_rows(y, missing_label, expected):
    assert_array_equal(is_unlabeled(y, missing_label), np.array(expected, dtype=bool))


def test_minus_one_and_one_alone_are_classes_with_a_warning():
    with pytest.warns(UserWarning, match="both are read as classes"):
        assert not is_unlabeled([-1, 1, 1]).any()


@pytest.mark.parametrize("y", [[-1.0, 0.0], ["-1", "a"], ["nan", "a"]])
def test_marks_in_doubt_are_refused(y):
    with pytest.raises(ValueError, match="missing_label=None"):
        is_unlabeled(y)


def test_codes_and_classes_give_the_labels_back():
    targets = read_targets(["b", None, "a", "", "b"])
    assert_array_equal(targets.classes, ["a", "b"])
    assert_array_equal(targets.codes, [1, -1, 0, -1, 1])
    assert_array_equal(targets.filled(np.array([1, 0, 0, -1, 1])), ["b", "a", "a", "", "b"])


def test_filling_keeps_the_labels_that_were_given():
    targets = read_targets([5, 7, -1])
    assert_array_equal(targets.filled(np.array([1, 0, 1])), [5, 7, 7])
    assert_array_equal(targets.values, [5, 7, -1])


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, 1, -1], [3, 2, 1], [2, 0, -1]),
        ([-1, 1, 0], [-1, 0, 1], [0, 2, 1]),
        ([-1, 1, 1], [0, 1], [-1, 1, 1]),
        ([1.0, NAN], [0, 1], [1, -1]),
        (["b", None], ["a", "b"], [1, -1]),
    ],
)
def test_declared_classes_set_the_codes(y, classes, codes):
    targets = read_targets(y, classes=classes)
    assert_array_equal(targets.classes, sorted(classes))
    assert_array_equal(targets.codes, codes)


def test_a_label_that_was_not_declared_is_named():
    with pytest.raises(ValueError, match=r"y holds 'c', which is not among classes=\['a', 'b'\]"):
        read_targets(["a", "c"], classes=["a", "b"])


@pytest.mark.parametrize(
    ("values", "missing_label", "classes", "marker", "dtype"),
    [
        (np.array([0, 1], dtype=np.int8), "auto", [0, 1], -1, "int8"),
        (np.array([0, 1], dtype=np.uint8), "auto", [0, 1], -1, "int64"),
        (np.array([0, 1]), 9, [0, 1], 9, "int64"),
        (np.array([-1, 1]), "auto", [-1, 1], NAN, "float64"),
        (np.array([0, 1]), None, [0, 1], NAN, "float64"),
        (np.array([-1, 2**60 + 1]), "auto", [-1, 2**60 + 1], None, "object"),
        (np.array([0.0, 1.0]), "auto", [0.0, 1.0], NAN, "float64"),
        (np.array([True, False]), "auto", [False, True], None, "object"),
        (np.array(["a", "b"], dtype=object), "auto", ["a", "b"], None, "object"),
        (np.array(["a", "b"], dtype=object), "?", ["a", "b"], "?", "object"),
    ],
)
def test_rows_behind_are_marked_so_that_they_read_back(values, missing_label, classes, marker, dtype):
    extended = append_missing(values, 2, missing_label, np.array(classes))
    assert extended.dtype == dtype
    assert_array_equal(extended[:2], values)
    assert extended[2] is marker or extended[2] == marker or np.isnan(marker)
    assert_array_equal(is_unlabeled(extended, missing_label), [False, False, True, True])


@pytest.mark.parametrize(
    ("y", "classes", "missing_label", "rows"),
    [
        ([1, -1, 1], [0, 1], "auto", [0, 2]),
        ([1, -1, 1], [-1, 1], "auto", [0, 1, 2]),
        ([1.0, -1.0], [-1.0, 0.0, 1.0], "auto", [0, 1]),
        (["a", None, "b"], ["a", "b"], "auto", [0, 2]),
        ([7, -1, 0], [-1, 0], 7, [1, 2]),
    ],
)
def test_classes_tell_which_rows_count_in_a_score(y, classes, missing_label, rows):
    found, truth = labeled_part(y, np.array(classes), missing_label)
    assert_array_equal(found, rows)
    assert truth.tolist() == [y[row] for row in rows]

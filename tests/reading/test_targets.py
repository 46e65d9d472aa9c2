from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction

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
        ([2**63, -1], "O", [2**63, -1]),
        ([2**63, 2**64 - 1], "u", [2**63, 2**64 - 1]),
        ([2**70, -1], "O", [2**70, -1]),
        ([date(2024, 1, 1), None], "M", [date(2024, 1, 1), None]),
        ([datetime(2024, 1, 1, 12), NAN], "M", [datetime(2024, 1, 1, 12), None]),
        # Strings of their own are new in NumPy 2.
        *(
            [(np.array(["a", ""], dtype=np.dtypes.StringDType()), "O", ["a", ""])]
            if hasattr(np.dtypes, "StringDType")
            else []
        ),
        (pd.DataFrame({"y": ["a", "b"]}), "O", ["a", "b"]),
        (np.ma.masked_array([0, 7], mask=[False, True]), "O", [0, None]),
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


@pytest.mark.parametrize("y", [[-1.0, 0.0], ["-1", "a"], ["nan", "a"], np.array([0, -1]).astype(np.uint8)])
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


def test_dates_are_classes():
    targets = read_targets([date(2024, 1, 2), None, date(2024, 1, 1)])
    assert targets.classes.tolist() == [date(2024, 1, 1), date(2024, 1, 2)]
    assert_array_equal(targets.codes, [1, -1, 0])
    assert targets.filled(np.array([1, 0, 0])).tolist()[1] == date(2024, 1, 1)


@pytest.mark.parametrize(
    "label",
    [
        Decimal("1.10"),
        Fraction(1, 2),
        Enum("Species", ["CAT"]).CAT,
        2**70,
        -(2**63) - 1,
        1j,
        b"cat",
        {"a": 1},
        datetime(2024, 1, 1, tzinfo=UTC),
        pd.Interval(0, 1),
        pd.Period("2024"),
        int,
    ],
    ids=str,
)
def test_labels_that_are_neither_text_nor_numbers_nor_dates_are_shown_with_a_way_out(label):
    with pytest.raises(ValueError, match=r"Unknown label type: y holds .* make text of it, such as"):
        read_targets(np.array([label, None, label], dtype=object))


@pytest.mark.parametrize("labels", [[2**63, -1, 5], [2**63, -(2**63), None]])
def test_whole_numbers_of_both_ends_are_not_rounded(labels):
    with pytest.raises(ValueError, match="9223372036854775808, a number beyond 64 bits"):
        read_targets(labels, missing_label=None)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "classes is empty"),
        (["a", "b", "a"], "classes names 'a' twice"),
        (["a", "b", None], "holds a missing value"),
        (["a", "b", NAN], "holds a missing value"),
        ([["a", "b"]], "a list of labels, not of lists"),
        (["a", "b", "?"], r"missing_label='\?' is among classes"),
    ],
)
def test_classes_that_make_no_sense_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        read_targets(["a", "b", "?"], missing_label="?", classes=classes)


@pytest.mark.parametrize("classes", [3, "ab", {"a", "b"}, {"a": 1}])
def test_classes_that_are_no_list_are_refused(classes):
    with pytest.raises(TypeError, match="classes must be a list, an array or a series"):
        read_targets(["a", "b"], classes=classes)


@pytest.mark.parametrize("mark", [[0, -1], (0,), {0}, np.array([0, -1]), [], {}, len])
def test_a_mark_is_one_value(mark):
    with pytest.raises(TypeError, match="missing_label must be one value"):
        is_unlabeled([0, 1, -1], mark)


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


def test_many_named_classes_of_few_rows_are_no_regression():
    names = [f"class {i % 20}" for i in range(30)]
    assert len(read_targets(np.array([*names, None], dtype=object), None, None).classes) == 20
    with pytest.warns(UserWarning, match="regression|unique classes"):
        read_targets(np.arange(30.0) % 20, None, None)


def test_a_class_with_half_of_a_surrogate_pair_is_refused():
    with pytest.raises(ValueError, match=r"y holds 'a\\ud800': half of a surrogate pair is no text. Rename"):
        read_targets(["a\ud800", "b", None])

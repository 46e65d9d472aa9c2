import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelabel.reading.unlabeled import AUTO, append_missing, equals, is_unlabeled, settled_mark

CELLS = st.one_of(st.text(max_size=2), st.integers(-2, 2), st.booleans(), st.none(), st.just(float("nan")))


def objects(cells):
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


@given(st.lists(CELLS), st.one_of(st.text(max_size=2), st.integers(-2, 2), st.booleans()))
def test_only_a_value_of_the_markers_own_kind_equals_it(cells, marker):
    expected = [type(cell) is type(marker) and cell == marker for cell in cells]
    assert equals(objects(cells), marker).tolist() == expected


@pytest.mark.parametrize("missing_label", [None, float("nan"), "?", -9])
@given(cells=st.lists(CELLS))
def test_what_is_missing_is_unlabelled_whatever_the_mark_and_a_declared_mark_is_the_only_other(
    cells, missing_label
):
    found = is_unlabeled(objects(cells), missing_label)
    missing = [cell is None or cell != cell for cell in cells]
    marked = [type(cell) is type(missing_label) and cell == missing_label for cell in cells]
    assert found.tolist() == [a or b for a, b in zip(missing, marked, strict=True)]


@pytest.mark.parametrize(
    ("classes", "mark"), [([0, 1], -1), ([-1, 0, 1], None), (["a", "b"], AUTO), ([0.5, 1.5], AUTO)]
)
def test_classes_settle_what_minus_one_is(classes, mark):
    assert settled_mark(AUTO, np.array(classes)) == mark
    assert settled_mark("?", np.array(classes)) == "?"


@pytest.mark.parametrize(
    ("values", "missing_label"),
    [
        ([0, 1, 2], AUTO),
        ([0, 1, 2], -9),
        ([-1, 0, 1], None),
        ([0.5, 1.5, 2.5], AUTO),
        ([2**60, 2**60 + 1, 2**60], None),
        (["a", "b", "c"], AUTO),
        (["a", "b", "c"], "?"),
        ([True, False, True], AUTO),
    ],
)
def test_rows_that_are_appended_are_the_only_unlabelled_ones_and_labels_stay_as_they_are(
    values, missing_label
):
    array = objects(values) if isinstance(values[0], str) else np.array(values)
    longer = append_missing(array, 2, missing_label, np.unique(array))
    assert longer[:3].tolist() == values
    assert is_unlabeled(longer, missing_label).tolist() == [False] * 3 + [True] * 2

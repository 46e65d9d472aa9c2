import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from surelabel.reading.answers import Answer, answered
from surelabel.reading.indicators import read_indicators
from surelabel.reading.targets import read_targets

ROWS = pd.Index(["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("y", "new"),
    [
        (np.array([0, 1, -1, -1]), 7),
        (["cat", "dog", None, None], "owl and more"),
        (np.array(["cat", "dog", "", ""]), "owl and more"),
        (np.array([0.0, 1.0, np.nan, np.nan]), 2.0),
    ],
)
def test_answers_replace_labels_and_bring_new_classes(y, new):
    targets = read_targets(y)
    old = targets.classes.tolist()
    now = answered(targets, [Answer("c", new), Answer("a", old[1])], ROWS)
    labels = [now.classes.tolist()[code] if code >= 0 else None for code in now.codes]
    assert labels == [old[1], old[1], new, None]
    assert now.classes.tolist() == sorted(now.classes.tolist())
    assert_array_equal(now.filled(np.full(4, len(now.classes) - 1))[:3], [old[1], old[1], new])
    # What came in is not changed.
    assert targets.classes.tolist() == old


def test_declared_classes_without_rows_stay():
    targets = read_targets(["cat", "dog", None, None], classes=["cat", "dog", "elk"])
    assert answered(targets, [Answer("c", "owl")], ROWS).classes.tolist() == ["cat", "dog", "elk", "owl"]


def test_cells_are_answered_one_by_one():
    cells = read_indicators(pd.DataFrame({"calm": [1.0, 0, np.nan, 1], "happy": [0, np.nan, np.nan, 1]}))
    now = answered(cells, [Answer("c", 1, "calm"), Answer("a", 1, "happy")], ROWS)
    assert_array_equal(now.codes, [[1, 1], [0, -1], [1, -1], [1, 1]])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("z", "cat"), "no row 'z'"),
        (Answer("a", 3), "An answer is 3, and the classes are"),
        (Answer("a", None), "An answer is missing"),
        (Answer("a", "cat", "calm"), "Leave label out"),
    ],
)
def test_answers_that_cannot_be_meant_are_refused(answer, words):
    with pytest.raises(ValueError, match=words):
        answered(read_targets(["cat", "dog", None, None]), [answer], ROWS)


def test_a_row_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="more than once"):
        answered(read_targets(["cat", "dog", None]), [Answer("a", "cat")], pd.Index(["a", "a", "b"]))

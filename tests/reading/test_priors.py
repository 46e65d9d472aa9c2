import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from surelabel.budget import smoothed
from surelabel.reading.priors import (
    check_classes,
    check_prior,
    learnable,
    named_prior,
    named_shares,
    resolved_prior,
)

CLASSES = np.array(["cat", "dog", "owl"])
FOUND = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize(
    "prior",
    [
        [0.2, 0.7, 0.1],
        {"owl": 0.1, "cat": 0.2, "dog": 0.7},
        pd.Series({"dog": 0.7, "cat": 0.2, "owl": 0.1}),  # as value_counts() orders them
    ],
)
def test_shares_go_by_name_where_they_have_one(prior):
    assert_array_equal(named_prior(prior, CLASSES), [0.2, 0.7, 0.1])


def test_a_class_that_is_not_named_gets_nothing():
    assert_array_equal(named_shares({"dog": 1.0}, CLASSES), [0, 1, 0])


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"dgo": 1.0}, "names 'dgo', which is not among"),
        ([0.5, 0.5], "2 entries for 3 classes"),
        ([1.5, -0.5, 0.0], "shares from 0 to 1"),
        ([np.nan, 0.5, 0.5], "shares from 0 to 1"),
        ([0.5, 0.2, 0.2], "sum to 1"),
        ("uniform", "it is 'uniform'"),
        ({"owl": 1.0}, r"leaves out 'cat', 'dog', .*: \{'cat': ..., 'dog': ..., 'owl': ...\}; 0 says"),
        (pd.Series({"cat": 1.0}), "leaves out 'dog', of which there are labelled rows"),
        ({}, "leaves out 'cat', 'dog'"),
        ({"cat": 0.0, "dog": 0.0, "owl": 1.0}, "nothing to the classes with labels"),
        ({"cat": "half", "dog": 0.5}, "must be numbers, a share for each class: .*'half'"),
        ([[1], [1, 2], 0], "must be numbers, a share for each class"),
        ({0.5, 0.3, 0.2}, "must be numbers, a share for each class"),
        (0.5, "1 entries for 3 classes"),
    ],
)
def test_what_is_no_prior_is_refused(prior, message):
    with pytest.raises(ValueError, match=message):
        check_prior(prior, CLASSES, np.array([3, 2, 0]))


@pytest.mark.parametrize(
    "prior", [None, "labeled", {"cat": 1.0, "dog": 0}, {"cat": 0.5, "dog": 0.5, "owl": 0}]
)
def test_a_class_without_labels_may_be_left_out_and_others_may_have_none(prior):
    check_prior(prior, CLASSES, np.array([3, 2, 0]))


@given(
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.lists(st.integers(0, 9), min_size=3, max_size=3)
)
def test_a_resolved_prior_sums_to_one_and_is_zero_where_nothing_is_labelled(shares, counts):
    counts = np.array(counts) + np.array([1, 0, 0])
    found = counts / counts.sum()
    prior = resolved_prior(np.array(shares) / np.sum(shares), found, CLASSES)
    assert_allclose(prior.sum(), 1)
    assert not prior[found == 0].any()


def test_words_name_what_the_labels_show():
    assert_array_equal(resolved_prior("labeled", FOUND, CLASSES), FOUND)
    assert_array_equal(resolved_prior(None, FOUND, CLASSES), FOUND)
    assert_array_equal(resolved_prior("smoothed", FOUND, CLASSES), smoothed(FOUND))
    assert_array_equal(resolved_prior({"owl": 1.0}, np.array([0.6, 0.4, 0]), CLASSES), [0.6, 0.4, 0])


@pytest.mark.parametrize("counts", [[3, 0, 0], [0, 0, 0]])
def test_fewer_than_two_classes_are_refused(counts):
    with pytest.raises(ValueError, match=r"one class only, 'cat'|No labelled row"):
        check_classes(CLASSES, np.array(counts), auto_missing=False)


def test_minus_one_is_spoken_of_only_where_it_may_have_been_taken_for_a_mark():
    for auto, hinted in [(True, True), (False, False)]:
        with pytest.raises(ValueError, match="one class only, 1") as raised:
            check_classes(np.array([1]), np.array([3]), auto_missing=auto)
        assert ("missing_label=None" in str(raised.value)) == hinted


def test_classes_with_one_row_or_none_are_spoken_of():
    with pytest.warns(UserWarning) as caught:  # noqa: PT030
        check_classes(CLASSES, np.array([3, 1, 0]), auto_missing=False)
    assert [str(warning.message) for warning in caught] == [
        "Class 'dog' has one labelled row only.",
        "Class 'owl' has no labelled row, so no row can get it.",
    ]


def test_many_classes_with_one_row_are_one_notice():
    with pytest.warns(
        UserWarning, match=r"7 classes have one labelled row only: 0, 1, 2, 3, 4, \.\.\.\."
    ) as caught:
        check_classes(np.arange(9), np.array([1] * 7 + [2] * 2), auto_missing=False)
    assert len(caught) == 1


@pytest.mark.parametrize(
    "names",
    [
        ["cat", "CAT", "cat ", "dog"],
        ["cat", "dog", "c\u200bat"],
        ["new york", "new  york", "dog"],
        ["caf\u00e9", "cafe\u0301", "dog"],
    ],
)
def test_classes_that_look_alike_are_named(names):
    with pytest.warns(UserWarning, match="look alike are kept apart: ") as caught:
        check_classes(np.array(names, dtype=object), np.full(len(names), 2), auto_missing=False)
    (said,) = [str(warning.message) for warning in caught]
    assert all((repr(name) in said) == (name != "dog") for name in names)


@pytest.mark.parametrize(
    "names", [["cat", "cats"], ["1", "01", "1.0"], [0, 1], [True, False], ["a", "\u00e4"]]
)
def test_classes_that_differ_visibly_are_not(names):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_classes(np.array(names), np.full(len(names), 2), auto_missing=False)


@pytest.mark.parametrize(("counts", "said"), [((3, 0), "No known row"), ((0, 3), "Every known row")])
def test_a_label_that_never_varies_cannot_be_learnt(counts, said):
    with pytest.warns(UserWarning, match=said):
        assert not learnable(np.array(counts), "sad")


def test_a_label_that_varies_can_be_learnt():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learnable(np.array([2, 2]), "sad")
    with pytest.warns(UserWarning, match="One known row only lacks it"):
        assert learnable(np.array([1, 2]), "sad")
    with pytest.raises(ValueError, match="'sad' is unknown in every row"):
        learnable(np.array([0, 0]), "sad")

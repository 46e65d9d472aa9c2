import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from surelabel.committees.member_fitting import (
    aligned,
    as_often,
    fit_folds,
    seeded,
    seeds_of,
    stratified_folds,
)

LABELS = st.lists(st.integers(0, 3), min_size=2, max_size=40)


@given(LABELS, st.integers(2, 6), st.integers(0, 9))
def test_each_row_is_held_out_once_or_there_are_no_folds(labels, n_folds, seed):
    codes = np.array(labels)
    folds = stratified_folds(codes, n_folds, np.random.RandomState(seed))
    if np.bincount(codes).max() < 2:
        assert not folds
        return
    assert_array_equal(np.sort(np.concatenate([held for _, held in folds])), np.arange(len(codes)))
    assert 2 <= len(folds) <= n_folds
    assert all(len(np.intersect1d(seen, held)) == 0 for seen, held in folds)


@given(LABELS, st.data())
def test_rows_come_in_proportion_to_their_weight_and_no_class_is_lost(labels, data):
    codes = np.array(labels)
    weight = np.array(data.draw(st.lists(st.floats(0.01, 5), min_size=len(codes), max_size=len(codes))))
    rows = as_often(codes, weight)
    assert set(codes[rows]) == set(labels)
    times = np.bincount(rows, minlength=len(codes))
    assert times.max() <= 11
    heavier = weight[:, None] > 2 * weight.min() + weight
    for i, j in np.argwhere(heavier & (codes[:, None] == codes)):
        assert times[i] + 2 >= times[j]


def test_equal_weights_are_each_row_once():
    assert_array_equal(as_often(np.array([0, 1, 1, 0]), np.full(4, 0.3)), np.arange(4))


def test_probabilities_of_absent_classes_are_zero():
    assert_array_equal(aligned(np.array([[0.25, 0.75]]), np.array([0, 2]), 4), [[0.25, 0, 0.75, 0]])


def test_every_random_state_is_set_and_the_original_is_left_alone():
    model = make_pipeline(ExtraTreesClassifier(2), LogisticRegression())
    copies = [seeded(model, np.random.RandomState(seed)) for seed in (0, 0, 1)]
    states = [[copy.get_params()[name] for name in seeds_of(copy)] for copy in copies]
    assert states[0] == states[1] != states[2]
    assert len(set(states[0])) == 2
    assert all(model.get_params()[name] is None for name in seeds_of(model))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_held_out_prediction_is_that_of_a_model_without_the_row(weighted, blobs):
    X, _, truth = blobs
    weight = np.linspace(1, 2, len(X)) if weighted else None
    folds = stratified_folds(truth, 3, np.random.RandomState(0))
    model, p = fit_folds(GaussianNB(), X, truth, folds, weight)
    assert model is None  # it was not needed
    for seen, held in folds:
        alone = GaussianNB().fit(X[seen], truth[seen], None if weight is None else weight[seen])
        assert_array_equal(p[held], alone.predict_proba(X[held]))

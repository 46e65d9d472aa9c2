import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from xgboost import XGBClassifier

from surelabel import RandomXGBoost, csa
from surelabel.committees import random_xgboost as boosting
from surelabel.committees.random_xgboost import draw, shortened

SCHEDULES = ["short", "paper"]


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(params=["two classes", "three classes"])
def problem(request, iris, cancer):
    return cancer if request.param == "two classes" else iris


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_one_seed_one_committee_for_every_n_jobs(schedule, problem):
    X, y = problem
    one, two = (
        RandomXGBoost(4, schedule=schedule, n_jobs=jobs, random_state=0).fit(X, y).predict_members(X)
        for jobs in (1, 2)
    )
    assert_array_equal(one, two)


def test_one_seed_one_labelling_for_every_n_jobs(iris):
    X, y = iris
    y = np.where(np.arange(150) % 5 == 0, y, -1)
    one, two = (
        csa(committee=RandomXGBoost(3), n_rounds=2, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2)
    )
    assert_array_equal(one.transduction_, two.transduction_)


def test_the_papers_schedule_grows_the_trees_of_xgbclassifier(problem):
    X, y = problem
    weight = np.linspace(0.5, 2, len(y))
    committee = RandomXGBoost(2, schedule="paper", random_state=0).fit(X, y, weight)
    for parameters, P in zip(committee.parameters_, committee.predict_members(X), strict=True):
        alone = XGBClassifier(**parameters, n_jobs=1).fit(X, y, sample_weight=weight)
        assert_allclose(P, alone.predict_proba(X), atol=1e-6)


def test_the_short_schedule_learns_as_much_from_fewer_trees(cancer):
    X, y = cancer
    paper = RandomXGBoost(5, schedule="paper", random_state=0).fit(X[::2], y[::2])
    short = RandomXGBoost(5, random_state=0).fit(X[::2], y[::2])
    assert short.parameters_ == paper.parameters_
    trees = [sum(member.num_boosted_rounds() for member in each.members_) for each in (short, paper)]
    assert 5 * trees[0] < trees[1]
    assert short.score(X[1::2], y[1::2]) > paper.score(X[1::2], y[1::2]) - 0.02


def test_shortened_keeps_trees_times_rate():
    parameters = {"learning_rate": 0.03, "n_estimators": 500, "max_depth": 3}
    assert shortened(parameters) == {"learning_rate": 0.3, "n_estimators": 50, "max_depth": 3}
    assert shortened(parameters | {"n_estimators": 501})["n_estimators"] == 51


def test_draws_are_from_the_papers_ranges():
    rng = np.random.RandomState(0)
    members = [draw(rng) for _ in range(200)]
    for name, low, high in [
        ("learning_rate", 0.01, 0.3),
        ("max_depth", 3, 20),
        ("subsample", 0.5, 1),
        ("colsample_bytree", 0.4, 1),
        ("colsample_bylevel", 0.4, 1),
        ("n_estimators", 100, 1000),
    ]:
        values = [member[name] for member in members]
        assert low <= min(values) < low + (high - low) / 10
        assert high - (high - low) / 10 < max(values) <= high
    assert len({member["random_state"] for member in members}) == 200


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix, pd.DataFrame])
def test_prediction_in_blocks_is_prediction_in_one_go(form, problem, monkeypatch):
    X, y = problem
    X = form(X)
    committee = RandomXGBoost(2, random_state=0).fit(X, y)
    at_once = committee.predict_members(X)
    monkeypatch.setattr(boosting, "_BLOCK", 37)
    assert_array_equal(committee.predict_members(X[:] if sp.issparse(X) else X), at_once)


def test_weights_count(iris):
    X, y = iris
    X = X[:, :1]  # one column leaves the classes mixed
    weight = np.where(y == 2, 10.0, 1.0)
    even, heavy = (RandomXGBoost(2, random_state=0).fit(X, y, w).predict_proba(X) for w in (None, weight))
    assert heavy[:, 2].mean() > even[:, 2].mean() + 0.1
    assert_allclose(RandomXGBoost(2, random_state=0).fit(X, y, np.ones(150)).predict_proba(X), even)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_categories_are_no_order_and_missing_values_are_read(schedule):
    # The middle category alone is of class 1: no threshold on its code finds it.
    X = pd.DataFrame({"animal": pd.Categorical(["ant", "bee", "cow", None] * 20), "x": [1.0, np.nan] * 40})
    y = np.array([0, 1, 0, 2] * 20)
    committee = RandomXGBoost(2, schedule=schedule, random_state=0).fit(X, y)
    assert committee.score(X, y) == 1
    kinds = committee.members_[0].feature_types
    assert kinds == ["c", "q"]


def test_cells_that_a_sparse_matrix_leaves_out_are_missing(iris):
    X, y = iris
    X = np.where(X > 1.5, X, 0)
    sparse = RandomXGBoost(2, random_state=0).fit(sp.csr_matrix(X), y).predict_proba(sp.csr_matrix(X))
    missing = np.where(X == 0, np.nan, X)
    assert_allclose(RandomXGBoost(2, random_state=0).fit(missing, y).predict_proba(missing), sparse)


def test_classes_may_be_absent_few_or_named(iris):
    X, y = iris
    gap = y != 1
    committee = RandomXGBoost(2, random_state=0).fit(X[gap], np.array(["ant", "bee", "cow"])[y[gap]])
    assert committee.classes_.tolist() == ["ant", "cow"]
    assert committee.predict_members(X).shape == (2, 150, 2)
    assert_allclose(committee.predict_members(X).sum(axis=2), 1, rtol=1e-6)
    assert set(committee.predict(X)) == {"ant", "cow"}
    alone = RandomXGBoost(2, random_state=0).fit(X[:50], y[:50])
    assert_allclose(alone.predict_proba(X), np.ones((150, 1)), atol=1e-5)


def test_a_committee_is_copied_and_saved_as_any_estimator(iris):
    X, y = iris
    committee = RandomXGBoost(2, schedule="paper", random_state=0)
    assert clone(committee).get_params() == committee.get_params()
    committee.fit(X, y)
    assert not hasattr(clone(committee), "members_")
    again = pickle.loads(pickle.dumps(committee))
    assert_array_equal(again.predict_members(X), committee.predict_members(X))


def test_unlabelled_rows_change_nothing(iris):
    X, y = iris
    one = RandomXGBoost(2, random_state=0).fit(X, y)
    two = RandomXGBoost(2, random_state=0).fit(X, y, X_unlabeled=X)
    assert_array_equal(one.predict_members(X), two.predict_members(X))


def test_what_cannot_be_is_an_error_that_says_so(iris):
    with pytest.raises(ValueError, match="schedule must be one of short, paper; it is 'long'"):
        RandomXGBoost(2, schedule="long").fit(*iris)
    with pytest.raises(ValueError, match="n_members must be a whole number from 1 to 10,000; it is 0"):
        RandomXGBoost(0).fit(*iris)


def test_missing_xgboost_names_the_extra(monkeypatch, iris):
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[xgboost-cpu\]"'):
        RandomXGBoost(2).fit(*iris)


def test_two_builds_of_xgboost_at_once_warn(monkeypatch, iris):
    monkeypatch.setattr(boosting, "installed", lambda package: "3.0")
    with pytest.warns(UserWarning, match="Both xgboost and xgboost-cpu are installed"):
        RandomXGBoost(1).fit(*iris)

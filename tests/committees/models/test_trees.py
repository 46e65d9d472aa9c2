import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier

from surelabel.committees.member_fitting import fit_folds, stratified_folds
from surelabel.committees.models.trees import OutOfBag, forest


@pytest.fixture
def table(rng):
    y = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 3)) + 2 * y[:, None], columns=list("abc"))
    X["d"] = pd.Categorical(np.array(["x", "y", "z"])[y])
    X.loc[::7, "a"] = np.nan
    return X, y


def seeded(n=50):
    return OutOfBag(RandomForestClassifier(n, random_state=0))


def test_a_row_is_judged_by_trees_that_have_not_seen_its_label(table):
    X, y = table
    folds = stratified_folds(y, 3, np.random.RandomState(0))
    _, p = fit_folds(seeded(), X, y, folds)
    assert (p.argmax(axis=1) == y).mean() > 0.85
    # A forest learns labels without meaning by heart, and held out they are guessed no better than by chance.
    noise = np.random.default_rng(0).permutation(y)
    by_heart, held = fit_folds(seeded(), X[["b"]], noise, folds)
    assert (by_heart.predict(X[["b"]]) == noise).mean() > 0.8
    assert (held.argmax(axis=1) == noise).mean() < 0.6
    assert_allclose(p.sum(axis=1), 1)


def test_the_forest_is_the_one_that_fit_grows_and_keeps_no_opinions(table):
    X, y = table
    fitted, _ = fit_folds(seeded(), X, y, stratified_folds(y, 3, np.random.RandomState(0)))
    assert_array_equal(fitted.predict_proba(X), seeded().fit(X, y).predict_proba(X))
    assert not hasattr(fitted.forest_, "oob_decision_function_")


def test_rows_that_every_tree_has_seen_get_the_shares_of_the_classes():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, p = fit_folds(seeded(1), X, y, [(np.arange(4), np.arange(4, 8))])
    assert_allclose(p.sum(axis=1), 1)
    assert (np.isclose(p, [0.75, 0.25]).all(axis=1)).any()


def test_without_folds_nothing_is_held_out(table):
    X, y = table
    fitted, p = fit_folds(forest(5), X, y, [])
    assert p.shape == (90, 0)
    assert fitted.score(X, y) > 0.8


def test_a_forest_says_what_its_library_says(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    model = seeded(9).fit(X, y)
    assert_array_equal(model.predict_proba(X), model.forest_.predict_proba(X))
    with pytest.raises(ValueError, match="features"):
        model.predict_proba(X[:, :2])

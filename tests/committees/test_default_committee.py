"""The default committee on tables that break single models: better than guessing, and no word of trouble."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from surelabel import csa

pytestmark = pytest.mark.slow


def learnt(X, y, labelled, least, **settings):
    """Fit on these labelled rows; the share of the others that is predicted correctly is at least this."""
    y_few = np.full(len(y), -1)
    y_few[labelled] = y[labelled]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*labelled row only|None of the|Unlabelled rows hurt", UserWarning)
        clf = csa(random_state=0, **settings).fit(X, y_few)
    hidden = np.setdiff1d(np.arange(len(y)), labelled)
    predicted = clf.predict(X.iloc[hidden] if isinstance(X, pd.DataFrame) else X[hidden])
    assert (predicted == y[hidden]).mean() >= least
    assert not clf.estimator_.failed_
    return clf


def classes(rng, n, k, d=6, apart=4.0):
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[y], y


@pytest.mark.parametrize("each", [2, 3, 5])
def test_few_labels_of_each_class(each, rng):
    X, y = classes(rng, 300, 3)
    learnt(X, y, np.arange(3 * each), 0.9)


def test_many_classes(rng):
    X, y = classes(rng, 800, 40)
    learnt(X, y, np.arange(120), 0.8)


def test_rare_classes_keep_their_place(rng):
    X, y = classes(rng, 600, 4)
    y = np.where((y == 3) & (np.arange(600) > 40), 0, y)  # about ten rows are left of the last class
    X[y == 3] += 10
    clf = learnt(X, y, np.arange(80), 0.75)
    assert set(clf.predict(X[y == 3])) == {3}


def test_many_columns(rng):
    X, y = make_classification(
        400, 500, n_informative=20, n_redundant=60, class_sep=2.0, random_state=0, shuffle=False
    )
    order = rng.permutation(400)
    learnt(X[order], y[order], np.arange(100), 0.7)


def test_one_column_of_a_hundred_says_it_all(rng):
    y = rng.integers(0, 2, 500)
    X = rng.normal(size=(500, 100))
    X[:, 37] += 5 * y
    learnt(X, y, np.arange(80), 0.9)


def test_rows_that_come_several_times(rng):
    X, y = classes(rng, 120, 3, apart=2.0)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    order = rng.permutation(480)
    learnt(X[order], y[order], np.arange(90), 0.85)


def test_signals(rng):
    """Up, down and flat: single columns tell little, neighbouring ones together do."""
    y = np.arange(300) % 3
    slope = np.array([1.0, -1.0, 0.0])[y]
    X = slope[:, None] * np.linspace(-1, 1, 60) + rng.normal(size=(300, 60)).cumsum(axis=1) / 4
    clf = learnt(X, y, np.arange(60), 0.6)
    assert any("smooth" in name for name in clf.estimator_.weights_)


def test_categories_alone(rng):
    y = rng.integers(0, 2, 400)
    numbers = pd.DataFrame({"a": np.where(rng.random(400) < 0.9, y, 1 - y), "b": rng.integers(0, 30, 400)})
    X = "level " + numbers.astype(str)
    clf = learnt(X, y, np.arange(80), 0.8)
    # Without numbers there is nothing to scale otherwise.
    assert not any("quantiles" in name or name == "graph" for name in clf.estimator_.weights_)


def test_one_seed_gives_one_result_for_every_number_of_jobs(rng):
    X, y = classes(rng, 200, 3)
    one, two = (learnt(X, y, np.arange(40), 0.8, n_jobs=jobs).predict_proba(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from surelabel.committees.models.gaussian import Gaussian


@pytest.fixture
def clouds(rng):
    """Three classes, 300 rows each, the last one wide."""
    y = np.repeat([0, 1, 2], 300)
    X = rng.normal(size=(900, 3)) * np.where(y == 2, 3.0, 1.0)[:, None] + 2.0 * (y == 1)[:, None]
    return X, y


def test_with_many_rows_it_is_discriminant_analysis(clouds):
    X, y = clouds
    straight = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    curved = QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X)
    for own_shape, expected in ((False, straight), (True, curved)):
        p = Gaussian(own_shape).fit(X, y).predict_proba(X)
        assert np.abs(p - expected).mean() < 0.02
        assert (p.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.97


@pytest.mark.parametrize("own_shape", [False, True])
def test_a_row_of_weight_two_is_two_rows(own_shape, clouds):
    X, y = (each[::15] for each in clouds)
    weight = np.where(np.arange(len(X)) % 3, 1.0, 2.0)
    weighted = Gaussian(own_shape).fit(X, y, weight)
    often = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = Gaussian(own_shape).fit(X[often], y[often])
    assert_allclose(weighted.means_, repeated.means_)
    # How much is shrunk depends on the number of rows, too.
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.1)


@pytest.mark.parametrize("own_shape", [False, True])
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.eye(6), np.arange(12.0).reshape(6, 2) // 6])
def test_few_rows_and_columns_that_do_not_vary_are_survived(own_shape, X):
    y = np.array([0, 0, 0, 1, 1, 2])  # a class with one row, too
    p = Gaussian(own_shape).fit(X, y).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1)


def test_own_shapes_tell_a_wide_class_from_a_narrow_one(rng):
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 5)) * np.where(y, 3.0, 1.0)[:, None]
    assert Gaussian(own_shape=True).fit(X[:100], y[:100]).score(X, y) > 0.85
    assert Gaussian().fit(X[:100], y[:100]).score(X, y) < 0.65

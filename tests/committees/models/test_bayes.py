import numpy as np
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from surelabel.committees.models.bayes import Bayes


def test_where_all_columns_vary_it_is_gaussian_naive_bayes(blobs):
    X, _, truth = blobs
    theirs = GaussianNB(var_smoothing=1e-2).fit(X, truth)
    assert_allclose(Bayes().fit(X, truth).predict_proba(X), theirs.predict_proba(X))


def test_a_column_that_is_constant_in_the_labelled_rows_does_not_decide_alone():
    """Variances are not below 0.01, however little the columns vary."""
    y = np.arange(20) % 2
    X = np.column_stack([0.1 * y, np.zeros(20)])
    model = Bayes().fit(X, y)
    assert_allclose(model.var_, 0.01)
    far = np.array([[0.0, 5.0], [0.1, -5.0]])
    assert model.predict(far).tolist() == [0, 1]
    assert_allclose(model.predict_proba(far), model.predict_proba(far * [1, 0]))

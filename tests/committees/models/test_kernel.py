import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from surelabel.committees.models.kernel import Kernel, margins


@pytest.fixture(params=[2000, 50], ids=["exact", "approximate"])
def kernel(request):
    return Kernel(max_rows=request.param, random_state=0)


@pytest.mark.filterwarnings("ignore:n_components > n_samples:UserWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_sum_to_one_and_the_most_probable_class_is_predicted(kernel, n_classes, blobs):
    X, _, truth = blobs
    X, truth = X[truth < n_classes], truth[truth < n_classes]
    p = kernel.fit(X, truth).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(kernel.classes_[p.argmax(axis=1)], kernel.predict(X))
    assert kernel.score(X, truth) > 0.97


def test_the_unit_of_the_columns_does_not_matter(blobs):
    X, _, truth = blobs
    one, other = Kernel().fit(X, truth), Kernel().fit(1000 * X, truth)
    assert_allclose(one.predict_proba(X), other.predict_proba(1000 * X), rtol=1e-6)


def test_a_row_of_weight_two_is_two_rows(blobs):
    X, _, truth = blobs
    weight = 1 + np.arange(len(X)) % 2
    weighted = Kernel().fit(X, truth, sample_weight=weight.astype(float))
    assert_array_equal(
        weighted.predict(X), Kernel().fit(X.repeat(weight, 0), truth.repeat(weight)).predict(X)
    )


def test_columns_that_do_not_vary_are_survived():
    assert np.isfinite(Kernel().fit(np.zeros((6, 2)), [0, 1] * 3).predict_proba(np.zeros((1, 2)))).all()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_margins_are_those_of_the_machine(n_classes, rng):
    X, y = rng.normal(size=(200, 3)), np.arange(200) % n_classes
    machine = SVC(C=10.0, gamma=0.2).fit(X, y, rng.random(200))
    rows = rng.normal(size=(1100, 3))
    assert_allclose(margins(machine, rows), machine.decision_function(rows), atol=1e-9)


def test_rows_that_do_not_vary(rng):
    X = np.tile(rng.normal(size=7), (20, 1))
    model = Kernel().fit(X, np.arange(20) % 2)
    assert_allclose(margins(model.model_, X), model.model_.decision_function(X), atol=1e-9)
    assert_allclose(model.predict_proba(X + 1).sum(axis=1), 1)

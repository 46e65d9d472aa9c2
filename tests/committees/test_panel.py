import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from surelabel import Panel, RandomXGBoost, Repeated, trees
from surelabel.committees.base import Committee
from surelabel.committees.panel import as_committee

COMMITTEES = [
    Repeated(trees(3), 3),
    Repeated(GaussianNB(), 3, over="bootstrap"),
    Panel([GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())]),
    RandomXGBoost(2),
]


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("committee", COMMITTEES)
def test_members_give_probabilities_and_the_committee_their_mean(committee, iris):
    X, y = iris
    committee = committee.set_params(random_state=0).fit(X, y)
    P = committee.predict_members(X)
    assert P.shape == (len(committee.members_), 150, 3)
    assert_allclose(P.sum(axis=2), 1, rtol=1e-6)
    assert_allclose(committee.predict_proba(X), P.mean(axis=0))
    assert committee.score(X, y) > 0.9


@pytest.mark.parametrize("committee", COMMITTEES)
def test_one_seed_one_committee_for_every_n_jobs(committee, iris):
    X, y = iris
    one, two = (
        committee.set_params(random_state=0, n_jobs=jobs).fit(X, y).predict_members(X) for jobs in (1, 2)
    )
    assert_array_equal(one, two)


@pytest.mark.parametrize("committee", COMMITTEES)
def test_classes_keep_their_names_and_may_have_gaps(committee, iris):
    X, y = iris
    names = np.array(["ant", "bee", "cow"])[y]
    assert set(committee.fit(X, names).predict(X)) == {"ant", "bee", "cow"}
    assert set(committee.fit(X, y * 5).predict(X)) == {0, 5, 10}


def test_members_differ_by_seed_or_by_rows(iris):
    X, y = iris
    stump = DecisionTreeClassifier(splitter="random", max_depth=1)
    P = Repeated(stump, 2, random_state=0).fit(X, y).predict_members(X)
    assert (P[0] != P[1]).any()
    bootstrap = Repeated(GaussianNB(), 2, over="bootstrap", random_state=0).fit(X, y)
    assert (bootstrap.predict_members(X)[0] != bootstrap.predict_members(X)[1]).any()


def test_bootstrap_never_loses_a_class():
    X, y = np.arange(12.0)[:, None], np.array([0] * 11 + [1])
    committee = Repeated(GaussianNB(), 20, over="bootstrap", random_state=0).fit(X, y)
    assert all(len(present) == 2 for present in committee.present_)


def test_weights_reach_the_last_step_of_a_pipeline(iris):
    X, y = iris
    weight = np.where(y == 2, 5.0, 1.0)
    committee = Panel([make_pipeline(StandardScaler(), GaussianNB())]).fit(X, y, weight)
    alone = GaussianNB().fit(StandardScaler().fit_transform(X), y, weight)
    assert_allclose(committee.predict_proba(X), alone.predict_proba(StandardScaler().fit_transform(X)))


def test_a_member_that_takes_no_weights_gets_rows_as_often_as_they_weigh(iris):
    X, y = iris
    rows = np.arange(0, 150, 5)
    weight = np.where(np.isin(np.arange(150), rows), 1.0, 0.0)
    weighted = Panel([KNeighborsClassifier()]).fit(X, y, weight).predict_proba(X)
    assert_allclose(weighted, KNeighborsClassifier().fit(X[rows], y[rows]).predict_proba(X))


@pytest.mark.parametrize("committee", [Repeated(trees(20), 2), RandomXGBoost(2)])
def test_categories_and_missing_values_are_read(committee):
    X = pd.DataFrame({"animal": pd.Categorical(["cat", "dog", None] * 20), "x": [1.0, np.nan] * 30})
    y = np.array([0, 1, 2] * 20)
    assert committee.set_params(random_state=0).fit(X, y).score(X, y) == 1


def test_a_list_and_a_single_classifier_are_committees(iris):
    X, y = iris
    assert as_committee([GaussianNB(), GaussianNB()]).fit(X, y).predict_members(X).shape == (2, 150, 3)
    assert as_committee(GaussianNB()).fit(X, y).predict_members(X).shape == (1, 150, 3)


def test_over_must_be_known(iris):
    with pytest.raises(ValueError, match="over must be one of seeds, bootstrap; it is 'luck'"):
        Repeated(GaussianNB(), over="luck").fit(*iris)


class Stranger(GaussianNB):
    """A committee that knows nothing of ours, and takes no unlabelled rows."""

    def predict_members(self, X):
        return np.stack([self.predict_proba(X)] * 2)


def test_a_committee_of_somebody_elses_making_is_wrapped(iris):
    X, y = iris
    wrapped = as_committee(Stranger())
    assert isinstance(wrapped, Committee)
    assert not wrapped.uses_unlabeled
    weight = np.where(y == 2, 5.0, 1.0)
    fitted = wrapped.fit(X, y, weight, X)
    assert_array_equal(fitted.opinion(X)[0], GaussianNB().fit(X, y, weight).predict_proba(X))
    assert as_committee(wrapped) is wrapped


class Counting(Committee):
    """The least that a committee of one's own must give."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, X_unlabeled=None, *, run=None):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_, self.saw_pool_ = counts / counts.sum(), X_unlabeled is not None
        return self

    def predict_members(self, X):
        return np.tile(self.shares_, (2, len(X), 1))


def test_every_ability_has_a_default_that_is_right_for_any_classifier(iris):
    X, y = iris
    committee = Counting().fit(X, y, None, X)
    assert_array_equal(committee.opinion(X), committee.predict_members(X))
    assert_array_equal(committee.predict_proba(X), committee.predict_members(X)[0])
    assert not committee.blind(X, y).saw_pool_
    anew = committee.refit(X[:60], y[:60], rng=np.random.RandomState(0))
    assert anew is not committee
    assert_allclose(anew.shares_, [50 / 60, 10 / 60])
    assert anew.random_state is not None
    assert committee.for_prediction() is committee
    assert committee.without(np.arange(3)) is committee

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelabel import Panel, Unlike, csa
from surelabel.committees.failing import Failure, attempt, probabilities, survivors
from surelabel.model_selection import hide_labels


class Stubborn(GaussianNB):
    """Raises in training."""

    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("I do not learn")


class Silent(GaussianNB):
    """Raises when it is asked about rows it was not trained on."""

    def predict_proba(self, X):
        if len(X) > 30:
            raise RuntimeError("I do not speak")
        return super().predict_proba(X)


class Moody(GaussianNB):
    """Raises in one fold only: where the first row is not among those trained on."""

    def fit(self, X, y, sample_weight=None):
        if not (np.asarray(X) == load_iris().data[0]).all(axis=1).any():
            raise RuntimeError("not in this fold")
        return super().fit(X, y, sample_weight)


class Undecided(GaussianNB):
    """Gives NaN."""

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class Narrow(GaussianNB):
    """Forgets a class."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, :2]


class Loud(GaussianNB):
    """Gives numbers that are no probabilities."""

    def predict_proba(self, X):
        return super().predict_proba(X) * 7


class Slow(GaussianNB):
    """Never ends in time."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(5)
        return super().fit(X, y, sample_weight)


BAD = [Stubborn, Silent, Moody, Undecided, Narrow, Loud]


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("bad", BAD)
def test_a_committee_goes_on_without_a_member_that_fails(bad, iris):
    X, y = iris
    good = Unlike({"good": GaussianNB()}, random_state=0).fit(X, y)
    models = {"good": GaussianNB(), "bad": bad()}
    committee = Unlike(models, random_state=0)
    with pytest.warns(UserWarning, match="goes on without members that could not be .*: bad ") as caught:
        P = committee.fit(X, y).predict_members(X)
    assert len(caught) == 1
    assert list(committee.failed_) == ["bad"]
    assert_allclose(P.mean(axis=0), good.predict_members(X).mean(axis=0))


@pytest.mark.parametrize("bad", [Stubborn, Silent, Undecided, Narrow, Loud])
def test_a_panel_does_too(bad, iris):
    X, y = iris
    committee = Panel([GaussianNB(), bad()])
    with pytest.warns(UserWarning, match=f"goes on without members that could not be .*: {bad.__name__} "):
        P = committee.fit(X, y).predict_members(X)
    assert list(committee.failed_) == [bad.__name__]
    assert_array_equal(P, Panel([GaussianNB()]).fit(X, y).predict_members(X))


def test_a_whole_run_goes_on_and_tells_of_it_once(iris):
    X, y = iris
    y_few = hide_labels(y, 0.8, random_state=0)
    models = {"good": GaussianNB(), "linear": LogisticRegression(max_iter=500)}
    with pytest.warns(UserWarning, match=r"bad \(RuntimeError: I do not learn\)") as caught:
        clf = csa(committee=Unlike(models | {"bad": Stubborn()}), random_state=0).fit(X, y_few)
    assert len(caught) == 1
    assert clf.estimator_.failed_ == {"bad": "RuntimeError: I do not learn"}
    assert clf.score(X, y) > 0.9


def test_it_fails_only_if_none_is_left_and_gives_all_reasons(iris):
    models = {"one": Stubborn(), "two": Narrow()}
    with pytest.raises(ValueError, match=r"No member .* one: RuntimeError: I do not learn; two: Val"):
        Unlike(models).fit(*iris)
    with pytest.raises(RuntimeError, match="I do not learn"):
        Panel([Stubborn()]).fit(*iris)


def test_a_member_that_never_ends_a_fold_is_left_behind(iris):
    X, y = iris
    committee = Unlike({"good": GaussianNB(), "slow": Slow()}, member_seconds=0.5, random_state=0)
    begin = time.perf_counter()
    with pytest.warns(UserWarning, match=r"slow \(TimeoutError: it did not end within 0.5 seconds\)"):
        committee.fit(X, y)
    assert time.perf_counter() - begin < 5
    assert list(committee.seats_) == ["good"]


def test_results_and_failures_are_told_apart():
    failed = {}
    with pytest.warns(UserWarning, match="goes on without"):
        left = survivors({"a": 1, "b": Failure(ValueError("no"))}, "asked", failed)
    assert left == {"a": 1}
    assert failed == {"b": "ValueError: no"}
    assert survivors({"a": 1, "b": Failure(ValueError("no"))}, "asked", failed) == {"a": 1}  # told once
    assert survivors({"b": Failure(ValueError("no"))}, "asked", failed, n_others=1) == {}


def test_an_attempt_gives_what_the_work_gives():
    assert attempt(None, divmod, 7, 2) == attempt(5.0, divmod, 7, 2) == (3, 1)
    assert attempt(None, divmod, 7, 0).reason.startswith("ZeroDivisionError")


def test_rows_that_a_model_cannot_judge_get_every_class_alike(iris):
    class Partly(GaussianNB):
        def predict_proba(self, X):
            p = super().predict_proba(X)
            p[0] = np.nan
            return p

    X, y = iris
    p = probabilities(Partly().fit(X, y), X)
    assert_allclose(p[0], 1 / 3)
    assert np.isfinite(p).all()

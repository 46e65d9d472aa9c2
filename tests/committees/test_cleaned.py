"""Labels that look wrong teach less, where held-out rows say that it is better; else nothing changes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from surelabel import Panel, Unlike, csa, load, trees
from surelabel.committees.base import Committee
from surelabel.committees.cleaned import Cleaned
from surelabel.heldout import HeldOut

WRONG = np.arange(0, 150, 6)


@pytest.fixture
def blobs():
    """Three classes that are easy to tell apart; one label in six is wrong."""
    X, truth = make_blobs(150, centers=3, cluster_std=1.0, random_state=2)
    y = truth.copy()
    y[WRONG] = (y[WRONG] + 1) % 3
    return X, y, truth


def two():
    return Panel([GaussianNB(), trees(10)])


class Memory(Committee):
    """Knows the label of the nearest row by heart: what it was taught shows in what it says."""

    def fit(self, X, y, sample_weight=None, X_unlabeled=None, *, run=None):
        self.model = KNeighborsClassifier(1).fit(X, y)
        self.classes_ = np.unique(y)
        return self

    def predict_members(self, X):
        return self.model.predict_proba(X)[None]


@pytest.mark.parametrize("committee", [Memory(), Panel([GaussianNB()])])
def test_wrong_labels_are_left_out_and_the_committee_is_nearer_to_the_truth(blobs, committee):
    X, y, truth = blobs
    cleaned = Cleaned(committee, "drop", random_state=0).fit(X, y)
    assert cleaned.cleaning.used
    assert np.isin(WRONG, cleaned.cleaning.rows).mean() > 0.5
    assert (cleaned.cleaning.weight == 0).all()
    assert (cleaned.predict(X) == truth).mean() > (y == truth).mean()


def test_down_weighted_labels_still_count(blobs):
    X, y, _ = blobs
    cleaned = Cleaned(Panel([GaussianNB()]), "down-weight", random_state=0).fit(X, y)
    assert ((cleaned.cleaning.weight > 0) & (cleaned.cleaning.weight < 1)).all()
    assert np.isin(WRONG, cleaned.cleaning.rows).all()


def test_where_nothing_is_gained_it_is_the_committee_alone():
    X, y = make_blobs(150, centers=3, cluster_std=1.0, random_state=2)
    alone = Unlike({"bayes": GaussianNB(), "trees": trees(5)}, random_state=0).fit(X, y)
    cleaned = Cleaned(Unlike({"bayes": GaussianNB(), "trees": trees(5)}, random_state=0)).fit(X, y)
    assert not cleaned.cleaning.used
    assert_array_equal(cleaned.predict_members(X), alone.predict_members(X))
    assert_array_equal(cleaned.opinions().P, alone.opinions().P)
    assert "were trained on" in str(cleaned.cleaning)


def test_every_label_is_a_judge_with_the_label_as_it_was_given(blobs):
    X, y, _ = blobs
    held = Cleaned(Memory(), "drop", random_state=0).fit(X, y).opinions()
    assert isinstance(held, HeldOut)
    assert_array_equal(held.codes, y)
    assert_allclose(held.weight, 1)


def test_who_judges_has_no_part_in_what_is_cleaned(blobs, monkeypatch):
    """Without a fold, the same labels are cleaned whatever the labels of the fold are."""
    X, y, _ = blobs
    committee, seen = Memory(), []
    monkeypatch.setattr(
        "surelabel.committees.cleaned.stratified_folds", lambda codes, n, rng: folds(len(codes))
    )
    monkeypatch.setattr("surelabel.committees.cleaned.lesson_weights", lambda held, way: note(seen, held))

    def held_out_of(labels):
        seen.clear()
        Cleaned(committee, "drop", random_state=0).fit(X, labels)
        return next(held for held in seen if len(held) == 100)

    other = y.copy()
    first = np.arange(150) % 3 == 0
    other[first] = (other[first] + 2) % 3  # the labels of the first fold only
    before, after = held_out_of(y), held_out_of(other)
    assert_array_equal(before.codes, after.codes)
    assert_array_equal(before.P, after.P)


def folds(n):
    number = np.arange(n) % 3
    return [(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(3)]


def note(seen, held):
    seen.append(held)
    return np.ones(len(held))


def test_a_class_is_never_cleaned_away():
    X = np.r_[np.zeros((40, 1)), np.full((40, 1), 9.0), np.zeros((6, 1))]
    y = np.r_[np.zeros(40), np.ones(40), np.full(6, 2)].astype(int)  # the third class looks like the first
    cleaned = Cleaned(Memory(), "drop", random_state=0).fit(X, y)
    kept = np.setdiff1d(np.arange(80, 86), cleaned.cleaning.rows)
    assert len(kept) >= 3


def test_too_few_labels_to_tell_change_nothing():
    X, y = np.arange(4.0)[:, None], np.arange(4)
    cleaned = Cleaned(Memory()).fit(X, y)
    assert cleaned.cleaning is None
    assert_array_equal(cleaned.predict(X), y)


@pytest.fixture
def partly(blobs):
    X, y, truth = blobs
    return X, np.where(np.arange(150) < 100, y, -1), truth


@pytest.mark.parametrize("committee", [two(), Unlike({"bayes": GaussianNB(), "trees": trees(5)})])
def test_a_classifier_tells_what_it_cleaned_and_keeps_every_given_label(partly, committee, tmp_path):
    X, y, truth = partly
    with pytest.warns(UserWarning, match="of 100 given labels look wrong"):
        clf = csa(committee=committee, clean="drop", random_state=0).fit(X, y)
    assert clf.cleaned_.n_given == 100
    assert set(clf.cleaned_.rows) <= set(range(100))
    assert_array_equal(clf.transduction_[:100], y[:100])  # nothing is changed by itself
    assert len(clf.doubtful_labels()) == 100
    assert len(clf.held_out_) == 100
    assert (clf.predict(X) == truth).mean() > 0.9
    clf.save(tmp_path / "model.skops")
    assert str(load(tmp_path / "model.skops").cleaned_) == str(clf.cleaned_)


def test_without_clean_nothing_is_looked_for(partly):
    X, y, _ = partly
    assert csa(committee=two(), random_state=0).fit(X, y).cleaned_ is None


@pytest.mark.parametrize("way", ["sweep", 1, True])
def test_what_cannot_be_done_is_refused(partly, way):
    X, y, _ = partly
    with pytest.raises(ValueError, match="clean must be None or one of drop, down-weight"):
        csa(clean=way).fit(X, y)
    with pytest.raises(ValueError, match="estimator= names another classifier"):
        csa(clean="drop", estimator=GaussianNB()).fit(X, y)


def test_several_labels_a_row_are_cleaned_one_by_one(partly):
    X, y, _ = partly
    cells = np.where(y[:, None] >= 0, np.eye(3)[y.clip(0)], np.nan)
    with pytest.warns(UserWarning, match="given labels"):
        clf = csa(committee=two(), clean="drop", random_state=0).fit(X, cells)
    assert clf.cleaned_ is None
    assert all(one.cleaned_.n_given == 100 for one in clf.estimators_)

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_info

from surelabel import Threshold, TTest, Unlike, csa, trees, unlike_models
from surelabel.committees import unlike
from surelabel.committees.encoded import Encoded
from surelabel.committees.member_fitting import as_often, fit_folds, stratified_folds
from surelabel.committees.models.graph import Spreading, heaviest
from surelabel.committees.models.kernel import Kernel
from surelabel.heldout.weights import sharpened
from surelabel.rounds.method import method_of


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def few(**settings):
    return Unlike({"bayes": GaussianNB(), "trees": trees(5)}, random_state=0, **settings)


def test_seats_are_the_members_and_their_mean_the_prediction(iris):
    X, y = iris
    committee = few().fit(X, y)
    P = committee.predict_members(X)
    assert P.shape == (20, 150, 3)
    assert sum(committee.seats_.values()) == 20
    assert_allclose(P.sum(axis=2), 1)
    assert_allclose(committee.predict_proba(X), sharpened(P.mean(axis=0), committee.power_))
    moments = committee.opinion(X)
    assert_allclose(moments.mean, committee.predict_proba(X))
    assert_allclose(moments.variance, P.var(axis=0), atol=1e-12)
    assert moments.n_members == 20
    assert_allclose(sum(committee.weights_.values()), 1)
    assert committee.score(X, y) > 0.9


def test_a_model_that_knows_nothing_hardly_counts(iris):
    X, y = iris
    committee = Unlike([GaussianNB(), DummyClassifier(strategy="uniform")], random_state=0).fit(X, y)
    assert committee.seats_ == {"GaussianNB": 19, "DummyClassifier": 1}  # never one voice alone
    assert committee.scores_["GaussianNB"] > 0.9 > committee.scores_["DummyClassifier"]


def test_refit_keeps_the_weights_and_learns_the_rows(iris):
    X, y = iris
    first = few().fit(X[::10], y[::10])
    before = first.predict_proba(X)
    later = first.refit(X, y)
    assert later.weights_ == first.weights_
    assert np.abs(later.predict_proba(X) - before).max() > 0.01
    assert_array_equal(first.predict_proba(X), before)


def test_weights_without_some_rows_are_made_on_the_others(iris):
    X, y = iris
    committee = few().fit(X, y)
    held = np.arange(0, 150, 3)
    swapped = y.copy()
    swapped[held] = 2 - swapped[held]
    other = few().fit(X, y)
    other._trials = replace(other._trials, codes=swapped)
    assert committee.without(held).weights_ == other.without(held).weights_
    assert committee.without(held).weights_ != committee.weights_


def test_blind_is_a_fit_without_unlabelled_rows(iris):
    X, y = iris
    models = {"bayes": GaussianNB(), "trees": trees(5), "kernel": Encoded(Kernel())}
    seeing = Unlike(models, random_state=0).fit(X[::5], y[::5], X_unlabeled=X)
    blind = seeing.blind(X[::5], y[::5])
    fresh = Unlike(models, random_state=0).fit(X[::5], y[::5])
    assert_array_equal(blind.predict_members(X), fresh.predict_members(X))
    assert list(blind.weights_.values()) == list(fresh.weights_.values())
    assert set(seeing.weights_) == {"bayes", "trees", "kernel", "kernel, labels alone"}
    assert set(blind.weights_) == {"bayes", "trees", "kernel, labels alone"}
    assert blind.members_["trees"] is seeing.members_["trees"]


def test_refit_takes_over_what_never_sees_unlabelled_rows(iris):
    X, y = iris
    models = {"trees": trees(5), "kernel": Encoded(Kernel())}
    first = Unlike(models, random_state=0).fit(X[::5], y[::5], X_unlabeled=X)
    blind = first.blind(X[::5], y[::5])
    like = copy(first).refit(X[::2], y[::2], X_unlabeled=X)
    alone = copy(blind).refit(X[::2], y[::2])
    assert_array_equal(
        copy(blind).refit(X[::2], y[::2], like=like).predict_members(X), alone.predict_members(X)
    )


def test_opinions_are_of_models_and_weights_that_have_not_seen_the_row(iris):
    X, y = iris
    models = {"bayes": GaussianNB(), "kernel": Encoded(Kernel())}
    committee = Unlike(models, random_state=0).fit(X[::3], y[::3], X_unlabeled=X)
    said = committee.opinions()
    assert said.names == ("labels alone", "with unlabelled rows")
    assert (said.share_right > 0.9).all()
    for _, held in committee._trials.folds:
        # Other labels in a fold change weights and exponents elsewhere, and nothing that is said of the fold.
        other = copy(committee)
        codes = committee._trials.codes.copy()
        codes[held] = (codes[held] + 1) % 3
        other._trials = replace(committee._trials, codes=codes)
        assert_array_equal(other.opinions().P[:, held], said.P[:, held])


def test_for_prediction_predicts_the_same_and_keeps_no_trial(iris):
    X, y = iris
    committee = few().fit(X, y)
    assert_array_equal(committee.for_prediction().predict_members(X), committee.predict_members(X))
    assert "_trials" not in vars(committee.for_prediction().for_prediction())


def test_one_label_of_each_class_leaves_all_models_equal(iris):
    X, y = iris
    committee = few().fit(X[::50], y[::50])
    assert committee.weights_ == {"bayes": 0.5, "trees": 0.5}
    assert np.isnan(list(committee.scores_.values())).all()


def test_same_result_for_every_n_jobs(iris):
    X, y = iris
    one, two = (few(n_jobs=jobs).fit(X, y).predict_members(X) for jobs in (1, 2))
    assert_array_equal(one, two)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", list(unlike_models()))
def test_every_model_reads_gaps_and_categories_and_learns(name, iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = pd.Categorical(np.array(["x", "y", "z"])[y])
    frame.loc[::7, "a"] = np.nan
    frame.loc[::11, "e"] = np.nan
    model = unlike_models()[name]
    _, p = fit_folds(model, frame, y, stratified_folds(y, 3, np.random.RandomState(0)))
    assert (p.argmax(axis=1) == y).mean() > 0.85
    fitted = unlike_models()[name].fit(frame, y)
    assert_allclose(fitted.predict_proba(frame).sum(axis=1), 1)
    assert (fitted.predict(frame) == y).mean() > 0.85


@pytest.mark.parametrize("model", [GaussianNB(), Encoded(Spreading()), Encoded(Kernel()), trees(3)])
def test_held_out_predictions_do_not_depend_on_the_held_out_labels(model, iris):
    X, y = iris
    # A class must stay in place for the others to keep their codes.
    folds = stratified_folds(y, 3, np.random.RandomState(0))
    model.set_params(**{k: 0 for k in model.get_params() if k.endswith("random_state")})
    before = fit_folds(model, X, y, folds)[1]
    for _, held in folds:
        wrong = y.copy()
        wrong[held] = (y[held] + 1) % 3
        assert_array_equal(fit_folds(model, X, wrong, folds)[1][held], before[held])


@pytest.mark.slow
def test_sparse_and_wide_tables(rng):
    X = rng.poisson(0.05, size=(80, 1500)).astype(float)
    y = np.repeat([0, 1], 40)
    X[y == 1, :20] += 1
    for table in (csr_array(X), X):
        committee = Unlike(random_state=0, n_folds=2).fit(table, y)
        assert committee.score(table, y) > 0.9


def test_unlabelled_rows_find_the_signal_among_noise(rng):
    """Fifty columns of noise hide three copies of one signal; unlabelled rows give it away."""
    signal = rng.normal(size=(600, 1))
    X = np.hstack([signal + 0.1 * rng.normal(size=(600, 5)), rng.normal(size=(600, 60))])
    y = (np.abs(signal[:, 0]) > 0.7).astype(int)
    model = unlike_models()["kernel on components"]
    seeing = model.fit(X[:30], y[:30], X_unlabeled=X[30:]).predict(X[30:])
    assert (seeing == y[30:]).mean() > 0.9
    blind = Encoded(Kernel()).fit(X[:30], y[:30]).predict(X[30:])
    assert (blind == y[30:]).mean() < 0.75


def test_rows_come_as_often_as_they_weigh():
    codes = np.array([0, 0, 0, 1])
    assert_array_equal(as_often(codes, np.array([1.0, 2.0, 0.0, 1.0])), [0, 1, 1, 3])
    # No class is lost and no row comes more than ten times.
    rows = as_often(np.repeat([0, 1], [3, 100]), np.repeat([1.0, 1e-6], [3, 100]))
    assert_array_equal(np.bincount(rows)[:3], [10, 10, 10])
    assert (rows >= 3).sum() == 1


def test_a_model_without_weights_joins_a_weighted_run(iris):
    X, y = iris
    weight = np.where(y == 2, 0.1, 1.0)
    committee = Unlike([GaussianNB(), KNeighborsClassifier(5)], random_state=0)
    assert committee.fit(X, y, sample_weight=weight).score(X, y) > 0.9


@pytest.mark.slow
def test_default_reads_a_frame_and_gives_a_verdict(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = np.array(["x", "y", "z"])[y]
    y_few = np.where(np.arange(150) % 5 == 0, y, -1)
    clf = csa(random_state=0, n_rounds=2).fit(frame, y_few)
    assert clf.score(frame, y) > 0.95
    assert clf.verdict_.n_rows == 30
    without = {name.removesuffix(", labels alone") for name in clf.estimator_.weights_}
    # Four columns are in no order, so that models of smooth columns have nothing to see.
    assert without == {name for name in unlike_models() if "smooth" not in name}


@pytest.mark.filterwarnings("ignore:.* one labelled row only")
def test_the_default_works_with_one_label_of_each_class(iris):
    X, y = iris
    clf = csa(random_state=0, n_rounds=1).fit(X, np.where(np.arange(150) % 50 == 0, y, -1))
    assert clf.verdict_ is None
    assert clf.score(X, y) > 0.7


@pytest.mark.filterwarnings("ignore:No column of X varies|None of the")
def test_the_default_survives_columns_that_do_not_vary():
    y = np.r_[0, 1, 0, 1, 0, 1, np.full(34, -1)]
    nearly = np.zeros((40, 1))
    nearly[[1, 20, 22, 25, 30]] = 1
    for X in (np.zeros((40, 2)), nearly):
        proba = csa(random_state=0, n_rounds=1).fit(X, y).predict_proba(X)
        assert_allclose(proba.sum(axis=1), 1)


def test_the_unit_of_the_weights_does_not_matter(iris):
    X, y = iris
    one, other = (few().fit(X, y, sample_weight=np.full(150, w)).weights_ for w in (1.0, 1 / 150))
    assert one == pytest.approx(other, abs=0.05)  # models themselves may round


def test_threads_of_the_process_are_left_as_they_were(iris):
    def threads():
        return [(lib["prefix"], lib["num_threads"]) for lib in threadpool_info()]

    before = threads()
    few(n_jobs=2).fit(*iris).predict(iris[0])
    assert threads() == before


def test_a_graph_too_large_keeps_every_class_and_the_heaviest_rows(rng):
    X = rng.normal(size=(400, 2))
    y = np.r_[np.zeros(398, dtype=int), 1, 1]
    weight = np.where(np.arange(400) % 2, 0.1, 1.0)
    kept = heaviest(y, weight, 200, np.random.RandomState(0))
    assert len(kept) == 200
    assert set(y[kept]) == {0, 1}
    assert (weight[kept] == 1).mean() > 0.98
    graph = Spreading(max_nodes=200, random_state=0).fit(X, y, sample_weight=weight)
    assert graph.predict_proba(X[-2:])[:, 1].max() > 0


def test_predictions_of_blocks_are_those_of_the_whole(iris, monkeypatch):
    X, y = iris
    committee = few().fit(X, y)
    whole = committee.predict_proba(X)
    monkeypatch.setattr(unlike, "_BLOCK_ROWS", 40)
    assert_allclose(committee.predict_proba(X), whole)


@pytest.mark.parametrize(
    ("found_weight", "told", "nodes"),
    [("balanced", "this is the supervised model", 30), ("none", "their shape alone took part", 180)],
)
def test_where_nothing_is_found_the_rows_teach_by_their_shape_or_not_at_all(found_weight, told, nodes, iris):
    X, y = iris
    committee = Unlike({"graph": Encoded(Spreading())})
    settings = {"allocator": Threshold(1.0), "guard": False, "random_state": 0}
    clf = csa(committee=committee, found_weight=found_weight, **settings)
    with pytest.warns(UserWarning, match=told):
        clf.fit(X[::5], y[::5], X_unlabeled=X)
    members = clf.estimator_.members_.values()
    assert max(len(member.classifier_.distribution_) for member in members) == nodes


def test_confidence_of_a_recipe_follows_its_committee():
    def floor(clf):
        return method_of(clf).confidence.floor

    assert floor(csa()) == floor(csa(committee=few())) == floor(csa(committee=None)) == 2
    others = [GaussianNB(), KNeighborsClassifier()]
    assert floor(csa(committee=others)) == floor(csa().set_params(committee=others)) == 0.1
    assert floor(csa(confidence=TTest(floor=0.5))) == 0.5


def test_models_that_spread_labels_hear_only_of_those_given(iris):
    X, y = iris
    models = {"graph": Encoded(Spreading()), "bayes": GaussianNB()}
    given = np.zeros(150)
    given[::5] = 1.0
    first = Unlike(models, random_state=0).fit(X[::5], y[::5], X_unlabeled=X[given == 0])
    wrong = np.where(given > 0, y, (y + 1) % 3)
    members = first.refit(X, wrong, given=given).members_
    assert (members["graph"].predict(X) == y).mean() > 0.8
    assert (members["bayes"].predict(X) == y).mean() < 0.5


def test_few_rows_of_many_classes_are_no_reason_to_speak_of_regression(rng):
    y = np.repeat(np.arange(12), 2)
    X = rng.normal(size=(24, 3)) + 5 * rng.normal(size=(12, 3))[y]
    few(n_folds=2).fit(X, y).predict(X)  # warnings are errors here

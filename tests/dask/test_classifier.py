"""The estimator on a real cluster: two workers, each a process of its own."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

pytest.importorskip("distributed")

import dask.dataframe as dd
from clusters import assert_same_labels, fitted, in_shards
from distributed import Client
from remarks import remarks

from surelabel import (
    AdaptiveThreshold,
    Entropy,
    Panel,
    PseudoLabelClassifier,
    RandomXGBoost,
    Repeated,
    Transport,
    TTest,
    Unlike,
    csa,
    flexmatch,
    text_models,
    trees,
    ups,
)
from surelabel.committees.encoded import Encoded
from surelabel.committees.models.bayes import Bayes
from surelabel.committees.models.graph import Spreading
from surelabel.dask import DaskPseudoLabelClassifier, LostSchedulerError
from surelabel.model_selection import hide_labels
from surelabel.shards import transport as far_transport
from surelabel.shards.pieces import Pieces


def unlike():
    """Two of the default models: one encoded over the pool, one that spreads labels by itself."""
    models = {"linear": Encoded(LogisticRegression(max_iter=50)), "graph": Encoded(Spreading())}
    return Unlike(models, n_folds=2)


def default_csa(guard):
    return csa(committee=unlike(), n_rounds=2, guard=guard, random_state=0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, hide_labels(y, 0.9, random_state=0)


@pytest.fixture(scope="module")
def digits_on_one_machine(digits):
    return default_csa(guard=True).fit(*digits)


@pytest.mark.parametrize(("n_shards", "guard"), [(1, False), (3, True), (7, False)])
def test_digits_get_the_labels_of_one_machine(client, digits, digits_on_one_machine, n_shards, guard):
    one = digits_on_one_machine
    many = fitted(default_csa(guard), *digits, n_shards)
    assert_same_labels(one, many)
    assert many.n_iter_ == one.n_iter_
    assert many.termination_condition_ == one.termination_condition_
    assert str(many.verdict_) == (str(one.verdict_) if guard else "None")
    assert_array_equal(many.predict(digits[0]), one.predict(digits[0]))
    assert_frame_equal(many.next_rows(n=10), one.next_rows(n=10))
    if guard:
        assert_frame_equal(many.doubtful_labels(), one.doubtful_labels())
    for asked in ({"right": 0.9}, {"right": 0.8, "confidence": 0.9}, {"right": 0.9, "per_class": True}):
        assert_array_equal(many.fill(**asked).codes, one.fill(**asked).codes if guard else -1)


@pytest.fixture(scope="module")
def many_rows():
    """200,000 rows of ten classes, a third of them twice, so that there are ties."""
    X, truth = make_blobs(200_000, n_features=5, centers=10, cluster_std=3.0, random_state=0)
    X = np.round(X, 1)
    X[1::3], truth[1::3] = X[::3][: len(X[1::3])], truth[::3][: len(X[1::3])]
    return X, np.where(np.arange(len(X)) % 400 == 0, truth, -1)


def cheap():
    members = [GaussianNB(), GaussianNB(var_smoothing=0.1), GaussianNB(var_smoothing=1.0)]
    return csa(committee=Panel(members), n_rounds=2, guard=False, random_state=0)


@pytest.fixture(scope="module")
def many_rows_on_one_machine(many_rows):
    return cheap().fit(*many_rows)


@pytest.mark.parametrize("n_shards", [1, 3, 7])
def test_200_000_rows_get_the_labels_of_one_machine(client, many_rows, many_rows_on_one_machine, n_shards):
    many = fitted(cheap(), *many_rows, n_shards)
    assert [round.labelled for round in many.history_] == [
        round.labelled for round in many_rows_on_one_machine.history_
    ]
    assert_same_labels(many_rows_on_one_machine, many)


@pytest.mark.parametrize(
    "settings",
    [
        {"confidence": Entropy()},
        {"allocator": AdaptiveThreshold(0.7)},
        {"allocator": Transport("released", 0.1)},
    ],
    ids=["entropy", "adaptive", "released"],
)
def test_other_cells_of_the_grid_give_the_labels_of_one_machine(client, digits, settings):
    clf = csa(committee=Repeated(trees(5), 3), guard=False, n_rounds=2, random_state=0, **settings)
    one = PseudoLabelClassifier(**clf.get_params(deep=False)).fit(*digits)
    assert_same_labels(one, fitted(clf, *digits, 3))


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 300
    truth = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, truth + rng.normal(0, 0.3, n)),
            "colour": np.where(rng.random(n) < 0.2, None, np.array(["red", "green", "blue"])[truth]),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(truth * 10 + rng.integers(0, 9, n), "D"),
        }
    )
    X.loc[200:, "colour"] = None  # a part without any category
    y = pd.Series(np.array(["cat", "dog", "owl"])[truth], dtype=object).where(rng.random(n) < 0.2, None)
    return X, y


@pytest.mark.parametrize("named", [True, False])
def test_frames_are_read_as_on_one_machine(client, frame, named, tmp_path):
    X, y = (each.set_axis(np.arange(0, 600, 2)) for each in frame)
    clf = csa(committee=Repeated(trees(5), 3), guard=False, n_rounds=2, random_state=0)
    one = PseudoLabelClassifier(**clf.get_params(deep=False)).fit(X, y)
    table = dd.from_pandas(X.assign(species=y), npartitions=3)
    many = DaskPseudoLabelClassifier(clf)
    many.fit(*((table, "species") if named else (table[list(X)], table["species"])))
    assert_same_labels(one, many)
    assert many.classifier_.columns_.levels_ == one.columns_.levels_
    assert_array_equal(many.predict(table[list(X)]).compute(), one.predict(X))
    assert_array_equal(many.predict_proba(X), one.predict_proba(X))
    assert_frame_equal(many.next_rows(n=10), one.next_rows(n=10))
    with pytest.raises(ValueError, match="is a copy"):
        pickle.loads(pickle.dumps(many)).next_rows()
    many.labels_.to_parquet(tmp_path / "labels")
    written = pd.read_parquet(tmp_path / "labels")
    assert written["label"].fillna("").tolist() == pd.Series(one.transduction_).fillna("").tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"committee": [LogisticRegression(), GaussianNB()]},
        {"committee": LogisticRegression()},
        {"committee": Unlike([LogisticRegression(), GaussianNB()], n_folds=2)},
        {"committee": Repeated(trees(5), 3), "estimator": LogisticRegression()},
    ],
    ids=["list", "one", "unlike", "final"],
)
def test_models_that_cannot_read_a_table_are_given_numbers_as_on_one_machine(client, frame, settings):
    X, y = frame
    clf = csa(**settings, guard=False, n_rounds=2, random_state=0)
    told = "LogisticRegression.* cannot read categories and gaps; X becomes numbers first"
    with pytest.warns(UserWarning, match=told):
        one = PseudoLabelClassifier(**clf.get_params(deep=False)).fit(X, y)
    table = dd.from_pandas(X.assign(species=y), npartitions=3)
    with pytest.warns(UserWarning, match=told):
        many = DaskPseudoLabelClassifier(clf).fit(table, "species")
    assert_same_labels(one, many)
    assert_array_equal(many.predict(X), one.predict(X))


def test_gaps_of_one_shard_without_labels_are_seen_before_any_training(client, frame):
    X, y = frame
    X = X[["size"]].fillna(0.0)
    X.loc[250, "size"], y[200:] = np.nan, None
    models = [LogisticRegression(), GaussianNB()]
    clf = csa(committee=models, confidence=Entropy(), guard=False, n_rounds=2, random_state=0)
    with pytest.warns(UserWarning, match="LogisticRegression and GaussianNB cannot read gaps"):
        many = DaskPseudoLabelClassifier(clf).fit(*in_frames(X, y))
    with pytest.warns(UserWarning, match="LogisticRegression and GaussianNB cannot read gaps"):
        assert_same_labels(clf.fit(X, y), many)


def in_frames(X, y):
    table = dd.from_pandas(X.assign(species=y), npartitions=3)
    return table, "species"


class Fragile(GaussianNB):
    """A model whose worker dies the first time it does something."""

    def __init__(self, marker=None, phase="fit"):
        super().__init__()
        self.marker = marker
        self.phase = phase

    def fit(self, X, y, sample_weight=None):
        self._die_once("fit")
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        self._die_once("predict")
        return super().predict_proba(X)

    def _die_once(self, phase):
        marker = None if self.marker is None else Path(self.marker)
        if phase == self.phase and marker is not None and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def blobs_of_six_thousand():
    X, truth = make_blobs(6_000, centers=4, n_features=3, cluster_std=3.0, random_state=1)
    return X, np.where(np.arange(len(X)) % 100 == 0, truth, -1)


def fragile(marker=None, phase="fit"):
    committee = Panel([Fragile(marker, phase), GaussianNB(var_smoothing=0.1)])
    return csa(committee=committee, confidence=TTest(floor=0), n_rounds=2, guard=False, random_state=0)


@pytest.mark.parametrize("phase", ["fit", "predict", "allocate"])
def test_a_worker_killed_in_the_middle_changes_nothing(
    client, blobs_of_six_thousand, phase, tmp_path, monkeypatch
):
    X, y = blobs_of_six_thousand
    marker = tmp_path / "died"
    if phase == "allocate":
        ask, steps = Pieces.ask, []

        def ask_and_kill(self, work, *args):
            if work is far_transport._screened_total:
                steps.append(work)
            if len(steps) == 2 and not marker.exists():
                marker.touch()
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            return ask(self, work, *args)

        monkeypatch.setattr(Pieces, "ask", ask_and_kill)
    many = fitted(fragile(str(marker), phase), X, y, 4)
    assert marker.exists()
    monkeypatch.undo()
    assert_same_labels(fragile().fit(X, y), many)


def test_a_run_goes_on_from_its_folder_after_the_scheduler_is_lost(client, blobs_of_six_thousand, tmp_path):
    X, y = blobs_of_six_thousand
    address_file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(address_file)]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", *options],
        stderr=subprocess.DEVNULL,
    )
    worker = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", *options],
        stderr=subprocess.DEVNULL,
    )
    folder = tmp_path / "run"
    try:
        with Client(scheduler_file=str(address_file), timeout=15) as doomed:
            doomed.wait_for_workers(1, timeout=90)
            cut_off = DaskPseudoLabelClassifier(cheap(), folder=folder)
            rounds = cut_off.fit_rounds(in_shards(X, 4), in_shards(y, 4))
            assert next(rounds).number == 1
            scheduler.kill()
            scheduler.wait()
            with pytest.raises(LostSchedulerError, match="same folder"):
                next(rounds)
    finally:
        scheduler.kill()
        worker.kill()
        scheduler.wait()
        worker.wait()
    with client.as_current():
        resumed = DaskPseudoLabelClassifier(cheap(), folder=folder)
        numbers = [round.number for round in resumed.fit_rounds(in_shards(X, 4), in_shards(y, 4))]
        assert numbers == [2]
        assert_same_labels(cheap().fit(X, y), resumed)
        with pytest.raises(ValueError, match="holds another run: rows in each shard was"):
            fitted(cheap(), X, y, 3, folder=folder)


COMMITTEES = {
    "Repeated": Repeated(trees(5), 3, random_state=0),
    "Unlike": Unlike({"bayes": Encoded(Bayes()), "trees": trees(5)}, random_state=0),
    "RandomXGBoost": RandomXGBoost(2, random_state=0),
}


@pytest.mark.parametrize("committee", COMMITTEES.values(), ids=COMMITTEES)
def test_a_committee_on_joblibs_dask_backend_is_that_of_one_machine(client, digits, committee):
    X, y = digits[0][digits[1] >= 0], digits[1][digits[1] >= 0]
    alone = committee.fit(X, y).predict_members(X)
    with parallel_config("dask"):
        assert_array_equal(committee.fit(X, y).predict_members(X), alone)


def all_rows(p, budget):
    return Transport()(p, budget)


@pytest.mark.parametrize(
    ("clf", "error", "words"),
    [
        (ups(), ValueError, "negatives"),
        (csa(found_weight="full"), ValueError, "found_weight"),
        (csa(confidence=lambda P: np.ones(P.shape[1])), TypeError, "the confidence is one of TTest"),
        (flexmatch(allocator=all_rows), TypeError, "the allocator is one of Transport"),
        (csa(allocator=Transport(epsilon=0)), ValueError, "epsilon is above 0"),
    ],
    ids=["negatives", "full", "confidence", "allocator", "epsilon"],
)
def test_what_needs_all_rows_in_one_place_is_refused_at_once(client, digits, clf, error, words):
    with pytest.raises(error, match=words):
        fitted(clf, *digits, 3)


def test_bad_input_is_named(client, digits):
    X, y = digits
    bad = X.copy()
    bad[700, 3] = np.inf
    for X_bad, y_bad, words in [
        (in_shards(bad, 3), in_shards(y, 3), "Shard 1 of X: .* column 3, row 101 holds infinity"),
        (in_shards(X, 3), in_shards(y, 2), "X comes in 3 shards and y in 2"),
        (in_shards(X, 3), in_shards(np.full(len(y), -1), 3), "all 1797 are unlabelled"),
        (dd.from_pandas(pd.DataFrame(X)), "digit", "'digit', which X does not have"),
    ]:
        with pytest.raises(ValueError, match=words):
            DaskPseudoLabelClassifier(csa()).fit(X_bad, y_bad)
    with pytest.raises(TypeError, match="it is a ndarray"):
        DaskPseudoLabelClassifier(csa()).fit(X, y)


def test_free_text_is_read_as_on_one_machine(client):
    X, truth = remarks(150)
    X = X.assign(size=truth + np.random.default_rng(0).normal(size=150))
    y = pd.Series(np.array(["cat", "dog", "owl"])[truth], dtype=object).where(np.arange(150) < 36, None)
    words = {
        name: model for name, model in text_models().items() if name in ("linear on text", "Bayes on words")
    }
    clf = csa(committee=Unlike(words, n_folds=2), guard=False, n_rounds=2, random_state=0)
    # With text alone, and in shards without a label.
    for table in (X, X[["remark"]]):
        one = PseudoLabelClassifier(**clf.get_params(deep=False)).fit(table, y)
        many = DaskPseudoLabelClassifier(clf).fit(*in_frames(table, y))
        assert_same_labels(one, many)
        assert_array_equal(many.predict_proba(table), one.predict_proba(table))
        assert (one.predict(table) == np.array(["cat", "dog", "owl"])[truth]).mean() > 0.9

"""More labelled rows than the client takes: members that all workers train together."""

import json
import os
import signal
from dataclasses import replace
from threading import Timer

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

pytest.importorskip("distributed")

import dask.dataframe as dd
from clusters import assert_same_labels, fitted, in_shards, labels_of
from dask.sizeof import sizeof

from surelabel import RandomXGBoost, Repeated, csa, trees
from surelabel.dask import DaskPseudoLabelClassifier, spread
from surelabel.shards import shard
from surelabel.shards.excerpt import Table


def boosted(n_members=3, **options):
    return csa(committee=RandomXGBoost(n_members), n_rounds=2, guard=False, random_state=0, **options)


@pytest.fixture
def nothing_gathered(monkeypatch):
    def excerpt(*args):
        raise AssertionError("labelled rows came to the client")

    monkeypatch.setattr(Table, "excerpt", excerpt)


@pytest.fixture(scope="module")
def mixed():
    """Numbers with holes, and categories, for three classes of which one is rare; a third of the labels."""
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 1_500, p=[0.5, 0.4, 0.1])
    colour = np.where(rng.random(1_500) < 0.8, truth, rng.integers(0, 3, 1_500))
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(1_500) < 0.1, np.nan, truth + rng.normal(0, 0.8, 1_500)),
            "colour": pd.Categorical(np.array(["red", "green", "blue"])[colour]),
        }
    )
    return frame, truth, np.where(rng.random(1_500) < 0.3, truth, -1)


def test_labelled_rows_that_stay_in_one_part_give_the_labels_of_one_machine(client, mixed, nothing_gathered):
    frame, _, y = mixed
    many = DaskPseudoLabelClassifier(boosted(), gather_rows=100)
    many.fit(dd.from_pandas(frame, npartitions=1), in_shards(y, 1))
    one = boosted().fit(frame, y)
    assert_same_labels(one, many)
    assert_array_equal(many.predict(frame), one.predict(frame))


def test_labelled_rows_that_stay_in_several_parts_give_about_those_labels(client, mixed, nothing_gathered):
    frame, _, y = mixed
    whole = dd.from_pandas(frame.assign(y=y), npartitions=4)
    many = DaskPseudoLabelClassifier(boosted(5), gather_rows=100).fit(whole, "y")
    one = boosted(5).fit(frame, y)
    assert (many.predict(frame) == one.predict(frame)).mean() > 0.95
    assert many.next_rows(n=10)["pile"].tolist() == (["unsure"] * 4 + ["random"]) * 2
    with pytest.raises(ValueError, match="more labelled rows than gather_rows=100"):
        many.doubtful_labels()
    ours, theirs = labels_of(many), labels_of(one)
    both = ours["label"].notna().to_numpy() & theirs["label"].notna().to_numpy()
    assert both.sum() > 0.8 * theirs["label"].notna().sum()
    assert (ours["label"][both] == theirs["label"][both]).mean() > 0.97
    # Losses of all workers end a member's training, not those of the worker's own rows.
    sizes = [
        [m.num_boosted_rounds() for m in clf.members_]
        for clf in (many.classifier_.estimator_, one.estimator_)
    ]
    assert_allclose(*sizes, rtol=0.3)


def test_a_worker_killed_while_all_train_a_member_is_survived(client, mixed, monkeypatch, nothing_gathered):
    frame, _, y = mixed
    grow, calls = spread._grow, []

    def grow_and_kill(client, plan, lessons):
        calls.append(plan)
        if len(calls) > 1:
            return grow(client, plan, lessons)
        pid = next(iter(client.run(os.getpid).values()))
        killer = Timer(2, os.kill, (pid, signal.SIGKILL))
        killer.start()
        try:
            return grow(client, replace(plan, n_trees=20_000, may_end=False), lessons)
        finally:
            killer.cancel()

    monkeypatch.setattr(spread, "_grow", grow_and_kill)
    many = DaskPseudoLabelClassifier(boosted(), gather_rows=100)
    many.fit(dd.from_pandas(frame, npartitions=4), in_shards(y, 4))
    assert len(calls) == 3 * 3 + 1  # three members in two rounds and at the end, and one of them twice
    assert many.n_iter_ == 2
    assert (many.predict(frame) == boosted().fit(frame, y).predict(frame)).mean() > 0.9


@pytest.mark.parametrize(
    "clf",
    [
        csa(committee=Repeated(trees(3), 3), n_rounds=1, guard=False, random_state=0),
        boosted(estimator=LogisticRegression()),
    ],
    ids=["committee", "estimator"],
)
def test_what_needs_labelled_rows_in_one_place_gets_them_with_a_warning(client, mixed, clf):
    X, y = mixed[0][["size"]].fillna(0).to_numpy(), mixed[2]
    with pytest.warns(UserWarning, match=r"come to the client, more than gather_rows=100\. .*RandomXGBoost"):
        many = fitted(clf, X, y, 3, gather_rows=100)
    assert_same_labels(clf.fit(X, y), many)


@pytest.mark.parametrize("gather_rows", [0, 10**6])
def test_parts_without_a_labelled_row_and_classes_without_one_are_no_trouble(client, mixed, gather_rows):
    frame, _, y = mixed
    y = np.where((np.arange(len(y)) >= 500) & (np.arange(len(y)) < 1000), -1, y)
    recipe = boosted(classes=[0, 1, 2, 3])
    many = DaskPseudoLabelClassifier(recipe, gather_rows=gather_rows)
    with pytest.warns(UserWarning, match="Class 3 has no labelled row"):
        many.fit(dd.from_pandas(frame, npartitions=3), in_shards(y, 3))
    with pytest.warns(UserWarning, match="Class 3 has no labelled row"):
        one = recipe.fit(frame, y)
    assert many.predict_proba(frame).shape == (len(frame), 4)
    assert (many.predict(frame) == one.predict(frame)).mean() > 0.95
    if gather_rows:
        assert_same_labels(one, many)


@pytest.mark.parametrize("rows", [None, -1, 0.5])
def test_a_number_of_rows_that_is_none_is_named(client, mixed, rows):
    with pytest.raises(ValueError, match=f"gather_rows must be a number of rows, 0 or more; it is {rows}"):
        DaskPseudoLabelClassifier(boosted(), gather_rows=rows).fit(
            dd.from_pandas(mixed[0], npartitions=1), in_shards(mixed[2], 1)
        )


def test_members_are_as_if_trained_by_one_thread_and_dask_knows_their_rows(client, mixed):
    frame, _, y = mixed
    many = DaskPseudoLabelClassifier(boosted(2), gather_rows=0)
    many.fit(dd.from_pandas(frame, npartitions=2), in_shards(y, 2))
    config = json.loads(many.classifier_.estimator_.members_[0].save_config())
    assert config["learner"]["generic_param"]["nthread"] == "1"
    lesson = shard.Lesson(np.zeros((1000, 20), np.float32), np.zeros(1000, int), np.zeros(1000), np.zeros(20))
    assert sizeof(lesson) > 80_000


def test_without_labelled_rows_in_one_place_there_is_no_verdict(client, mixed):
    frame, _, y = mixed
    many = DaskPseudoLabelClassifier(boosted().set_params(guard=True), gather_rows=100)
    with pytest.warns(UserWarning, match="no verdict"):
        many.fit(dd.from_pandas(frame, npartitions=2), in_shards(y, 2))
    assert many.verdict_ is None

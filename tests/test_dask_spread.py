"""More labelled rows than the client takes: members that all workers train together."""

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
from clusters import assert_same_labels, fitted, in_parts, labels_of

from surelabel import RandomXGBoost, csa
from surelabel.dask import DaskPseudoLabelClassifier, spread
from surelabel.dask.excerpt import Table


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
    many.fit(dd.from_pandas(frame, npartitions=1), in_parts(y, 1))
    one = boosted().fit(frame, y)
    assert_same_labels(one, many)
    assert_array_equal(many.predict(frame), one.predict(frame))


def test_labelled_rows_that_stay_in_several_parts_give_about_those_labels(client, mixed, nothing_gathered):
    frame, _, y = mixed
    whole = dd.from_pandas(frame.assign(y=y), npartitions=4)
    many = DaskPseudoLabelClassifier(boosted(5), gather_rows=100).fit(whole, "y")
    one = boosted(5).fit(frame, y)
    assert (many.predict(frame) == one.predict(frame)).mean() > 0.95
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
    grow, deaths = spread._grow, []

    def grow_and_kill(client, plan, lessons):
        if not deaths:
            pid = next(iter(client.run(os.getpid).values()))
            slow = replace(plan, n_trees=20_000, may_end=False)
            deaths.append(Timer(2, os.kill, (pid, signal.SIGKILL)))
            deaths[0].start()
            return grow(client, slow, lessons)
        return grow(client, plan, lessons)

    monkeypatch.setattr(spread, "_grow", grow_and_kill)
    many = DaskPseudoLabelClassifier(boosted(), gather_rows=100)
    many.fit(dd.from_pandas(frame, npartitions=4), in_parts(y, 4))
    assert len(deaths) == 1
    assert many.n_iter_ == 2
    assert (many.predict(frame) == boosted().fit(frame, y).predict(frame)).mean() > 0.9


@pytest.mark.parametrize(
    ("clf", "words"),
    [
        (csa(), r"but Unlike needs them in one place.*gather_rows=4.*RandomXGBoost"),
        (boosted(estimator=LogisticRegression()), "LogisticRegression.*leave out estimator="),
    ],
    ids=["committee", "estimator"],
)
def test_what_cannot_train_where_the_rows_are_is_refused(client, mixed, clf, words):
    frame, _, y = mixed
    with pytest.raises(ValueError, match=words):
        fitted(clf, frame[["size"]].to_numpy(), y, 3, gather_rows=100)


def test_without_labelled_rows_in_one_place_there_is_no_verdict(client, mixed):
    frame, _, y = mixed
    many = DaskPseudoLabelClassifier(boosted().set_params(guard=True), gather_rows=100)
    with pytest.warns(UserWarning, match="no verdict"):
        many.fit(dd.from_pandas(frame, npartitions=2), in_parts(y, 2))
    assert many.verdict_ is None

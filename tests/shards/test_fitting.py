"""A fit on shards in this process gives what a fit on the whole table gives."""

import gc
import weakref
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import surelabel
from surelabel import Panel, Unlike, csa, ups
from surelabel.committees.encoded import Encoded
from surelabel.committees.models.graph import Spreading
from surelabel.handing_out import decided
from surelabel.model_selection import hide_labels
from surelabel.shards.fitting import Fit
from surelabel.shards.here import Here
from surelabel.shards.pieces import Each, Pieces


def recipe(**settings):
    """Two of the default models: one encoded over the pool, one that spreads labels by itself."""
    models = {"linear": Encoded(LogisticRegression(max_iter=50)), "graph": Encoded(Spreading())}
    return csa(committee=Unlike(models, n_folds=2), n_rounds=2, random_state=0, **settings)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, hide_labels(y, 0.9, random_state=0)


@pytest.fixture(scope="module")
def whole(digits):
    return recipe().fit(*digits)


def in_shards(array, n_shards):
    return Pieces(np.array_split(array, n_shards), Here())


def begun(clf, X, y, n_shards):
    return Fit.begun(clone(clf), in_shards(X, n_shards), in_shards(y, n_shards), X[:1])


@pytest.mark.parametrize("n_shards", [1, 3, 7])
def test_shards_get_the_labels_the_verdict_and_the_promise_of_the_whole_table(digits, whole, n_shards):
    fit = begun(recipe(), *digits, n_shards)
    labelled = [round.labelled for round in fit.rounds()]
    assert labelled == [round.labelled for round in whole.history_]
    lines = pd.concat(fit.lines().fetched(), ignore_index=True)
    lines = lines[lines["round"] != 0].reset_index(drop=True)
    one = whole.pseudo_labels_.reset_index(drop=True)
    for name in ("label", "guess", "runner_up"):
        found, expected = (each[name].where(each[name].notna(), -1) for each in (lines, one))
        assert_array_equal(found.to_numpy(int), expected.to_numpy(int))
    for name in ("probability", "gap", "confidence", "round"):
        assert_array_equal(lines[name].to_numpy(), one[name].to_numpy())
    assert lines["status"].tolist() == one["status"].tolist()
    assert str(fit.clf.verdict_) == str(whole.verdict_)
    assert_array_equal(fit.clf.evidence_.pool_score, whole.evidence_.pool_score)
    assert_array_equal(fit.clf.evidence_.score, whole.evidence_.score)
    assert_array_equal(fit.clf.predict_proba(digits[0]), whole.predict_proba(digits[0]))


@pytest.mark.parametrize("n_shards", [1, 3, 7])
def test_shards_ask_what_the_whole_table_asks(digits, whole, n_shards, tmp_path):
    fit = begun(recipe(), *digits, n_shards)
    for _ in fit.rounds():
        pass
    for n, seed in ((10, 0), (60, 1)):
        assert_frame_equal(fit.asking().next_rows(n, seed), whole.next_rows(n=n, random_state=seed))
    doubts, expected = fit.clf.doubtful_labels(), whole.doubtful_labels()
    assert_frame_equal(doubts, expected)
    assert doubts.attrs == expected.attrs
    fit.clf.save(tmp_path / "model.skops")
    assert_frame_equal(surelabel.load(tmp_path / "model.skops").doubtful_labels(), expected)
    with pytest.raises(ValueError, match="knows no single row: leave X out"):
        fit.clf.doubtful_labels(digits[0])


def test_where_every_row_is_labelled_there_is_none_to_ask_about(blobs):
    X, _, truth = blobs
    fit = begun(csa(committee=Panel([GaussianNB(), LogisticRegression()]), random_state=0), X, truth, 3)
    with pytest.warns(UserWarning, match="no unlabelled row"):
        list(fit.rounds())
    with pytest.raises(ValueError, match="no row to ask about"):
        fit.asking().next_rows(5)
    with pytest.raises(ValueError, match="at least 1; it is 0"):
        fit.asking().next_rows(0)


def test_a_fit_goes_on_from_its_folder(digits, whole, tmp_path):
    cut_off = begun(recipe(), *digits, 3).rounds(tmp_path)
    assert next(cut_off).number == 1
    cut_off.close()
    resumed = begun(recipe(), *digits, 3)
    assert [round.number for round in resumed.rounds(tmp_path)] == [2]
    assert [round.labelled for round in resumed.clf.history_] == [r.labelled for r in whole.history_]
    with pytest.raises(ValueError, match="holds another run: rows in each shard was"):
        next(begun(recipe(), *digits, 4).rounds(tmp_path))


def test_what_needs_all_rows_in_one_place_is_refused(digits):
    with pytest.raises(ValueError, match="all rows in one place"):
        begun(ups(), *digits, 3)


class Made:
    """A value that knows how many others of its kind there are."""

    alive: ClassVar = weakref.WeakSet()
    most: ClassVar = 0

    def __init__(self, _):
        Made.alive.add(self)
        gc.collect()
        Made.most = max(Made.most, len(Made.alive))


def test_what_a_recipe_makes_is_in_memory_one_shard_at_a_time():
    Made.most = 0
    shards = Pieces(range(5), Here()).later(Made)
    assert shards.ask(lambda made: 1) == [1] * 5
    kept = shards.make(lambda made, i: i, Each(list(range(5)))).wait("making")
    assert kept.fetched() == list(range(5))
    assert Made.most == 1


def test_a_task_is_done_once_and_lets_go_of_what_it_was_made_of():
    calls = []

    def count(shard):
        calls.append(shard)
        return Made(shard)

    first = Pieces([1, 2], Here()).make(count)
    assert calls == []
    second = first.make(lambda made: 7)
    del first
    assert second.fetched() == second.fetched() == [7, 7]
    assert calls == [1, 2]
    gc.collect()
    assert not Made.alive


def test_where_no_row_is_held_out_labels_stand_on_what_the_rounds_stated(digits):
    whole = recipe(guard=False).fit(*digits)
    fit = begun(recipe(guard=False), *digits, 3)
    for _ in fit.rounds():
        pass
    for right in (0.6, 0.9):
        assert_array_equal(
            decided(fit.clf, right, None, False, exact=False, promise=False).codes,
            whole.fill(right, promise=False).codes,
        )
    assert not decided(fit.clf, 0.9, None, False, exact=False, promise=True).n_filled
    with pytest.raises(ValueError, match="fitted on shards and knows no single row"):
        fit.clf.fill()
    with pytest.raises(ValueError, match="fitted on shards"):
        fit.clf.next_rows()
    with pytest.raises(ValueError, match="guard=False"):
        fit.clf.doubtful_labels()


def test_nothing_is_promised_where_labelled_rows_are_not_like_the_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    truth = (X[:, 0] > 0).astype(int)
    X[200:, 1] += 4  # what is labelled has other values here
    y = np.where(np.arange(900) < 200, truth, -1)
    fit = begun(
        csa(committee=Panel([GaussianNB(), LogisticRegression()]), n_rounds=2, random_state=0), X, y, 3
    )
    for _ in fit.rounds():
        pass
    assert not fit.clf.likeness_.alike
    found = decided(fit.clf, 0.9, None, False, exact=False, promise=True)
    assert found.form == "nothing"
    assert "nothing is promised" in found.promise

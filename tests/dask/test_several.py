"""Several labels a row on a cluster: what one machine finds, label by label."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

pytest.importorskip("distributed")

import dask.dataframe as dd
from clusters import in_shards, texts

from surelabel import Entropy, Panel, csa, load
from surelabel.dask import DaskPseudoLabelClassifier

NAMES = ["calm", "happy", "sad"]


def recipe(**settings):
    members = [GaussianNB(), GaussianNB(var_smoothing=0.1), LogisticRegression()]
    return csa(committee=Panel(members), **{"n_rounds": 2, "random_state": 0} | settings)


@pytest.fixture(scope="module")
def songs():
    """240 songs and which moods they have, as far as that is known: of some rows in part."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(240, 4)), columns=["tempo", "loudness", "key", "length"])
    y = pd.DataFrame({"calm": X["tempo"] > 0, "happy": X["loudness"] > 0.4, "sad": X["loudness"] < -0.4})
    return X, y.astype(float).mask(rng.random(y.shape) < 0.6)


@pytest.fixture(scope="module")
def on_one_machine(songs):
    return recipe().fit(*songs)


def table(songs, n_shards):
    return dd.from_pandas(pd.concat(songs, axis=1), npartitions=n_shards)


def assert_same_cells(one, many):
    lines = many.labels_.compute().reset_index(drop=True)
    values = lines[[f"{name}_value" for name in many.classes_]].astype(float).to_numpy()
    assert_array_equal(values, np.where(one.labeled_iter_ < 0, np.nan, one.transduction_))
    for name, clf in zip(one.classes_, one.estimators_, strict=True):
        own = lines[lines[f"{name}_round"] != 0]
        alone = clf.pseudo_labels_
        for column in ("guess", "status"):
            assert texts(own[f"{name}_{column}"]) == texts(alone[column])
        for column in ("probability", "gap", "confidence", "round"):
            assert_array_equal(own[f"{name}_{column}"].to_numpy(), alone[column].to_numpy())


@pytest.mark.parametrize("n_shards", [1, 3])
def test_every_label_gets_what_one_machine_gives_it(client, songs, on_one_machine, n_shards, tmp_path):
    X, _ = songs
    one, shards = on_one_machine, table(songs, n_shards)
    many = DaskPseudoLabelClassifier(recipe()).fit(shards, NAMES)
    assert one.history_[0].labelled
    assert_same_cells(one, many)
    assert many.classes_.tolist() == NAMES
    assert list(map(str, many.history_)) == list(map(str, one.history_))
    assert (many.n_iter_, many.termination_condition_) == (one.n_iter_, one.termination_condition_)
    assert str(many.verdict_) == str(one.verdict_)
    assert_array_equal(many.classifier_.class_prior_, one.class_prior_)
    for asked in ({"right": 0.95}, {"right": 0.8, "confidence": 0.9}, {"right": 0.9, "per_class": True}):
        assert_array_equal(many.fill(**asked).codes, one.fill(**asked).codes)
    found = many.predict(shards[list(X)])
    assert found.dtype == one.predict(X).dtype
    assert_array_equal(found.compute(), one.predict(X))
    assert_array_equal(many.predict_proba(shards[list(X)]).compute(), one.predict_proba(X))
    many.classifier_.save(tmp_path / "songs.surelabel")
    assert_array_equal(load(tmp_path / "songs.surelabel").predict_proba(X), one.predict_proba(X))
    for each, alone in zip(many.classifier_.estimators_, one.estimators_, strict=True):
        assert_array_equal(each.classes_, alone.classes_)
        assert [round.labelled for round in each.history_] == [round.labelled for round in alone.history_]


def test_cells_of_an_array_and_settings_of_each_label_are_read_as_on_one_machine(client, songs):
    X, y = np.ascontiguousarray(songs[0]), songs[1].fillna(-1).to_numpy(int)
    settings = {"classes": NAMES, "class_prior": {"calm": 0.5}, "guard": False}
    # A linear model rounds otherwise on an array as a worker received it.
    members = [GaussianNB(), GaussianNB(var_smoothing=0.1), GaussianNB(var_smoothing=1.0)]
    clf = recipe(**settings).set_params(committee=Panel(members))
    one = clone(clf).fit(X, y)
    many = DaskPseudoLabelClassifier(clf).fit(in_shards(X, 3), in_shards(y, 3))
    assert_same_cells(one, many)
    assert many.classes_.tolist() == NAMES
    assert_array_equal(many.fill().codes, one.fill().codes)


def test_a_label_that_cannot_be_learnt_is_filled_in_nowhere(client, songs):
    X, y = songs
    y = y.assign(sad=y["sad"].mask(y["sad"] == 1))
    with pytest.warns(UserWarning, match="Label 'sad': No known row has it, so it is filled in nowhere"):
        one = recipe().fit(X, y)
    with pytest.warns(UserWarning, match="Label 'sad': No known row has it, so it is filled in nowhere"):
        many = DaskPseudoLabelClassifier(recipe()).fit(table((X, y), 3), NAMES)
    assert_same_cells(one, many)
    assert many.classifier_.estimators_[2].n_iter_ == 0
    assert_array_equal(many.fill().codes, one.fill().codes)
    assert_array_equal(many.predict_proba(X), one.predict_proba(X))


def test_models_that_cannot_read_the_table_are_given_numbers_as_on_one_machine(client, songs):
    X, y = songs
    X = X.assign(key=np.where(X["key"] > 0, "major", "minor"))
    told = "LogisticRegression.* cannot read categories"
    with pytest.warns(UserWarning, match=told):
        one = recipe(guard=False).fit(X, y)
    with pytest.warns(UserWarning, match=told):
        many = DaskPseudoLabelClassifier(recipe(guard=False)).fit(table((X, y), 3), NAMES)
    assert_same_cells(one, many)
    assert_array_equal(many.predict(X), one.predict(X))


def test_one_column_is_a_question_of_its_own(client, songs):
    X, y = songs
    shards = table((X, y[["calm"]]), 2)
    one = recipe(guard=False).fit(X, y["calm"])
    for given in (["calm"], "calm"):
        many = DaskPseudoLabelClassifier(recipe(guard=False)).fit(shards, given)
        assert_array_equal(many.classes_, one.classes_)
        assert_array_equal(many.predict(X), one.predict(X))


@pytest.mark.parametrize(
    ("settings", "options", "error", "words"),
    [
        ({}, {"folder": "run"}, ValueError, "folder= keeps the rounds of one label"),
        ({}, {"gather_rows": 10}, ValueError, "Label 'calm' is known of .* more than gather_rows=10"),
        ({"labels_per_row": 1}, {}, ValueError, "labels_per_row=1 reads a cell for each label as classes"),
        ({"confidence": Entropy()}, {}, TypeError, "trusts whole rows, all their labels together"),
    ],
    ids=["folder", "gather_rows", "labels_per_row", "whole rows"],
)
def test_what_is_for_one_label_or_one_machine_is_refused(client, songs, settings, options, error, words):
    with pytest.raises(error, match=words):
        DaskPseudoLabelClassifier(recipe(**settings), **options).fit(table(songs, 2), NAMES)


def test_bad_cells_and_columns_are_named(client, songs):
    X, y = songs
    bad = y.copy()
    bad.loc[130, "happy"] = 2
    for given, names, words in [
        ((X, bad), NAMES, "Shard 1 of y: Label 'happy' holds 2.0 in row 10"),
        (songs, ["calm", "glad"], "y names the column 'glad', which X does not have"),
        (songs, ["calm", "calm"], "y names columns of X, each once"),
        ((X, y.assign(sad=np.nan)), NAMES, "Label 'sad' is unknown in every row"),
        ((X, y.replace(0, -1)), NAMES, "-1 may be no, or unknown"),
    ]:
        with pytest.raises(ValueError, match=words):
            DaskPseudoLabelClassifier(recipe()).fit(table(given, 2), names)
    with pytest.raises(ValueError, match="it has 3 dimensions"):
        DaskPseudoLabelClassifier(recipe()).fit(in_shards(X.to_numpy(), 2), da.zeros((240, 2, 2)))


def test_given_cells_are_judged_and_cells_to_label_next_are_for_one_machine(client, songs, on_one_machine):
    one = on_one_machine
    many = DaskPseudoLabelClassifier(recipe()).fit(table(songs, 3), NAMES)
    columns = ["row", "label", "value", "score", "doubtful"]
    assert_frame_equal(many.doubtful_labels()[columns], one.doubtful_labels()[columns])
    with pytest.raises(ValueError, match="next_rows\\(\\) is for a table in memory"):
        many.next_rows()

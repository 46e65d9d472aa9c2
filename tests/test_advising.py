import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.datasets import make_blobs

import surelabel
from surelabel import Repeated, csa, trees


@pytest.fixture(scope="module")
def table():
    """Three classes that touch, half of 120 labels known, three of these wrong; rows have names."""
    X, truth = make_blobs(120, centers=3, cluster_std=1.0, random_state=3)
    X = pd.DataFrame(X, columns=["a", "b"], index=[f"row {k}" for k in range(120)])
    y = np.array(["ant", "bee", "cat"], dtype=object)[truth]
    given = np.where(np.arange(120) % 2, None, y)
    given[[10, 20, 30]] = ["bee" if name == "ant" else "ant" for name in y[[10, 20, 30]]]
    return X, given, y


@pytest.fixture(scope="module")
def fitted(table):
    X, y, _ = table
    return csa(committee=Repeated(trees(10), n_members=5), random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def several(table):
    X, _, y = table
    cells = pd.DataFrame({"calm": (y == "ant") * 1.0, "happy": (y != "cat") * 1.0}, index=X.index)
    cells.iloc[1::2, 0], cells.iloc[::3, 1] = np.nan, np.nan
    return csa(committee=Repeated(trees(5), n_members=3), random_state=0).fit(X, cells), cells


@pytest.mark.parametrize("with_rows", [True, False])
def test_rows_to_ask_about_are_unlabelled_and_on_the_callers_index(fitted, table, with_rows):
    X, y, _ = table
    asked = fitted.next_rows(X if with_rows else None, n=10)
    assert list(asked.columns) == [
        "row",
        "guess",
        "probability",
        "runner_up",
        "gap",
        "pile",
        "why",
        "expected",
    ]
    assert_array_equal(X.index[asked["row"]], asked.index)
    assert all(label is None for label in y[asked["row"]])
    assert asked["pile"].value_counts().to_dict() == {"unsure": 8, "random": 2}
    unsure = asked[asked["pile"] == "unsure"]
    assert unsure["gap"].max() <= fitted.pseudo_labels_["gap"].abs().median()
    assert unsure["why"].str.contains(" or ").all()


def test_with_rows_probabilities_are_the_final_classifiers(fitted, table):
    X = table[0]
    asked = fitted.next_rows(X, n=10)
    p = np.sort(fitted.predict_proba(X.loc[asked.index]), axis=1)
    np.testing.assert_allclose(asked["gap"], p[:, -1] - p[:, -2])


def test_a_class_with_few_labels_asks_for_typical_rows(table):
    X, _, y = table
    first = [k for name in ("ant", "bee", "cat") for k in np.flatnonzero(y == name)[:2]]
    few = np.where(np.isin(np.arange(120), first), y, None)
    clf = csa(committee=Repeated(trees(5), n_members=3), random_state=0)
    asked = clf.fit(X, few).next_rows(X, n=10)
    assert asked["pile"].value_counts().to_dict() == {"typical": 8, "random": 2}
    assert asked["why"].iloc[0] == "typical of rows that have no label near them"


def test_wrong_labels_are_doubted_first_and_rows_speak_against_them(fitted, table):
    X, y, truth = table
    doubts = fitted.doubtful_labels(X)
    assert len(doubts) == 60
    assert_array_equal(doubts["label"], y[doubts["row"]])
    first = doubts.iloc[:6]
    wrong = {"row 10", "row 20", "row 30"}
    assert wrong <= set(first.index)
    for name in wrong:
        line = doubts.loc[name]
        assert line["suggestion"] == truth[X.index.get_loc(name)]
        assert all(y[X.index.get_loc(other)] == line["suggestion"] for other in line["against"])
    assert "of 60 given labels are expected to be wrong" in doubts.attrs["expected"]
    assert "against" not in fitted.doubtful_labels()


def test_all_of_it_survives_saving(fitted, table, tmp_path):
    fitted.save(tmp_path / "model.skops")
    again = surelabel.load(tmp_path / "model.skops")
    assert_frame_equal(again.next_rows(table[0]), fitted.next_rows(table[0]))
    assert_frame_equal(again.next_rows(), fitted.next_rows())
    assert_frame_equal(again.doubtful_labels(table[0]), fitted.doubtful_labels(table[0]))


@pytest.mark.parametrize("with_rows", [True, False])
def test_of_several_labels_cells_are_asked_about_and_doubted(several, table, with_rows):
    clf, cells = several
    X = table[0] if with_rows else None
    asked = clf.next_rows(X, n=20)
    assert {"calm", "happy"} == set(asked["label"])
    assert "runner_up" not in asked
    assert all(
        np.isnan(cells.loc[row, label]) for row, label in zip(asked.index, asked["label"], strict=True)
    )
    assert not asked.duplicated(["row", "label"]).any()
    doubts = clf.doubtful_labels(X)
    assert len(doubts) == int(cells.notna().to_numpy().sum())
    assert all(
        cells.loc[row, label] == value
        for row, label, value in zip(doubts.index, doubts["label"], doubts["value"], strict=True)
    )


def test_rows_of_no_weight_are_not_doubted(table):
    X, y, _ = table
    weight = np.ones(120)
    weight[:6] = 0
    clf = csa(committee=Repeated(trees(5), n_members=3), random_state=0).fit(X, y, sample_weight=weight)
    assert_array_equal(np.sort(clf.doubtful_labels()["row"]), np.arange(6, 120, 2))


def test_what_cannot_be_told_is_refused_in_words(fitted, table):
    X, y, _ = table
    with pytest.raises(ValueError, match="X has 7 rows, and fit had 120"):
        fitted.next_rows(X[:7])
    with pytest.raises(ValueError, match="at least 1; it is 0"):
        fitted.next_rows(n=0)
    unguarded = csa(committee=Repeated(trees(5), n_members=3), guard=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="guard=True"):
        unguarded.doubtful_labels()
    del unguarded._given
    with pytest.raises(ValueError, match="older release"):
        unguarded.next_rows()


def test_what_was_learnt_holds_in_later_fits_and_after_loading(table, tmp_path):
    X, y, truth = table
    clf = csa(committee=Repeated(trees(5), n_members=3), guard=False, random_state=0).fit(X[:100], y[:100])
    clf.learn(["row 10", "row 119"], ["ant", "dog"]).learn(["row 10"], [truth[10]])
    clf.save(tmp_path / "model.skops")
    again = surelabel.load(tmp_path / "model.skops")
    # A class with a single row is told of; the answer about a row of X_unlabeled counts as well.
    with pytest.warns(UserWarning, match="dog"):
        again.fit(X[:100], y[:100], X_unlabeled=X[100:])
    assert again.transduction_[10] == truth[10]
    assert again.transduction_[119] == "dog"
    assert "dog" in again.classes_
    assert {10, 119} <= set(again._given["row"])
    with pytest.raises(ValueError, match="2 rows and 1 labels"):
        clf.learn([1, 2], ["ant"])

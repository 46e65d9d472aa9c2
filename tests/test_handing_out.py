"""The labels that a fitted classifier hands out: on the caller's rows, again and again, saved or not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

import surelabel
from surelabel import csa, pl
from surelabel.advice.audit import audited
from surelabel.model_selection import hide_labels


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:700], y[:700]
    frame = pd.DataFrame(X, index=[f"digit {n}" for n in range(len(X))])
    return frame, np.array([f"is {n}" for n in y], dtype=object), hide_labels(y, 0.8, random_state=0)


def few(y, shown):
    """Labels as text, None where they are hidden."""
    return np.where(shown < 0, None, y)


@pytest.fixture(scope="module")
def fitted(digits):
    X, y, shown = digits
    return csa(random_state=0).fit(X, few(y, shown))


def test_labels_are_on_the_callers_rows(fitted, digits):
    X, y, shown = digits
    filling = fitted.fill(right=0.9)
    truth = pd.Series(y, index=X.index)[shown < 0]
    assert filling.labels.index.equals(truth.index)
    filled = filling.labels.notna()
    assert filled.sum() == filling.n_filled > 300
    assert (filling.labels[filled] == truth[filled]).mean() >= 0.9


def test_more_is_asked_and_less_is_filled(fitted):
    n_filled = [fitted.fill(right).n_filled for right in (0.8, 0.9, 0.95, 0.99)]
    assert n_filled == sorted(n_filled, reverse=True)
    assert fitted.fill(0.9, confidence=0.9).n_filled <= fitted.fill(0.9).n_filled
    curve = fitted.fill_curve()
    assert curve.average[list(curve.right).index(0.9)] == fitted.fill(0.9).n_filled


def test_the_table_has_a_line_for_each_class(fitted):
    filling = fitted.fill(0.9, per_class=True)
    table = filling.table
    assert table.index.tolist() == fitted.classes_.tolist()
    assert table["filled"].sum() == filling.n_filled
    assert (table["promised"] == (table["filled"] > 0)).all()


def test_the_default_filling_is_beside_what_became_of_each_row(fitted):
    lines = fitted.pseudo_labels_
    labels = fitted.fill().labels
    assert lines["filled"].equals(labels)
    strict = fitted.fill(0.99).labels.notna()
    assert strict.any()
    assert lines.loc[strict, "score"].min() > lines.loc[~strict, "score"].max()


def test_a_saved_classifier_fills_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    assert surelabel.load(tmp_path / "model").fill(0.97).labels.equals(fitted.fill(0.97).labels)


def test_rows_aside_take_no_part_and_stay_given(digits):
    X, y, shown = digits
    clf = csa(random_state=0, aside=0.5).fit(X, few(y, shown))
    n_given = int((shown >= 0).sum())
    exact = clf.fill(0.9, exact=True)
    assert exact.n_labelled == round(n_given / 2)
    assert clf.fill(0.9).n_labelled == n_given - exact.n_labelled
    assert (clf.transduction_[shown >= 0] == y[shown >= 0]).all()
    assert (clf.labeled_iter_ == 0).sum() == n_given
    assert len(clf.pseudo_labels_) == len(exact.labels) == (shown < 0).sum()


def test_exact_needs_rows_aside(fitted):
    with pytest.raises(ValueError, match=r"exact=True stands on .* Fit with aside=0\.3"):
        fitted.fill(exact=True)


@pytest.mark.parametrize("asked", [{"right": 1}, {"right": 95}, {"right": 0.9, "confidence": 90}])
def test_a_share_is_between_0_and_1(fitted, asked):
    with pytest.raises(ValueError, match="must be a number above 0 and below 1"):
        fitted.fill(**asked)


def test_another_method_can_promise_too(digits):
    X, y, shown = digits
    clf = pl(committee=GaussianNB(), random_state=0).fit(X, few(y, shown))
    filling = clf.fill(0.6)
    assert filling.n_labelled == (shown >= 0).sum()
    assert (
        filling.labels.dropna() == pd.Series(y, index=X.index)[filling.labels.dropna().index]
    ).mean() > 0.6


def test_without_held_out_rows_nothing_is_promised(digits):
    X, y, shown = digits
    clf = pl(committee=GaussianNB(), guard=False).fit(X, few(y, shown))
    assert str(clf.fill()).startswith("no label filled in: no labelled row was held out")
    estimate = clf.fill(promise=False)
    assert estimate.n_filled > 0
    assert "nothing is promised" in str(estimate)


def test_cells_of_several_labels_are_filled(digits):
    X, y, shown = digits
    Y = pd.DataFrame({name: np.where(shown < 0, np.nan, y == name) for name in ("is 0", "is 1")}, X.index)
    clf = csa(random_state=0).fit(X.iloc[:300], Y.iloc[:300])
    filling, lines = clf.fill(), clf.pseudo_labels_
    assert filling.labels.index.equals(lines.index)
    right = [
        float(y[X.index.get_loc(row)] == name) for row, name in zip(lines.index, lines["label"], strict=True)
    ]
    filled = filling.labels.notna().to_numpy()
    assert (filling.labels[filled].to_numpy() == np.array(right)[filled]).mean() > 0.95
    assert filling.classes == (("is 0", 0), ("is 0", 1), ("is 1", 0), ("is 1", 1))


def test_labels_of_chosen_rows_promise_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["age", "height", "weight"])
    y = np.where(X["height"] > 0, "tall", "small")
    young = np.flatnonzero(X["age"] < -0.5)[:80]
    at_random = rng.permutation(400)[:80]
    committee = GaussianNB()
    for rows, alike in ((young, False), (at_random, True)):
        given = np.full(400, None, dtype=object)
        given[rows] = y[rows]
        filling = csa(committee=committee, n_rounds=1, random_state=0).fit(X, given).fill(0.8)
        assert (filling.form == "average") == alike
        assert (filling.differing is None) == alike
        if not alike:
            assert filling.differing[0] == "age"
            assert "not like the others, by age" in str(filling)


def test_answers_to_chosen_rows_teach_and_do_not_count_for_a_promise(digits):
    X, y, shown = digits
    clf = csa(committee=GaussianNB(), n_rounds=1, random_state=0).fit(X, few(y, shown))
    before = clf.fill(0.6).n_labelled
    asked = clf.next_rows(X, n=10).index
    truth = pd.Series(y, index=X.index)
    clf.learn(asked, truth[asked]).fit(X, few(y, shown))
    assert (clf.labeled_iter_ == 0).sum() == (shown >= 0).sum() + 10
    assert clf.fill(0.6).n_labelled == before == (shown >= 0).sum()


def test_a_random_sample_stays_one_when_rows_of_one_kind_were_asked_about():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(600, 3)), columns=["age", "height", "weight"])
    y = np.where(X["height"] > 0, "tall", "small")
    at_random = rng.permutation(600)[:80]
    given = np.full(600, None, dtype=object)
    given[at_random] = y[at_random]
    old = np.setdiff1d(np.flatnonzero(X["age"] > 0.3), at_random)
    clf = csa(committee=GaussianNB(), n_rounds=1, random_state=0)
    assert clf.learn(old, y[old]).fit(X, given).likeness_.alike
    # Were the old ones labelled by the user, nobody would know that they were chosen.
    given[old] = y[old]
    assert not csa(committee=GaussianNB(), n_rounds=1, random_state=0).fit(X, given).likeness_.alike


def test_a_check_by_a_person_promises_what_the_audit_says(fitted):
    filling = fitted.fill(0.9)
    drawn = filling.labels.dropna().sample(60, random_state=0)
    seen = filling.audited(drawn)
    assert seen.form == "audited"
    assert seen.right == pytest.approx(audited(np.zeros(60, bool), filling.n_filled).low, abs=1e-3)
    assert seen.right <= audited(np.zeros(60, bool), filling.n_filled).low
    assert f"at least {100 * seen.right:.4g}% with 95% confidence, by a person's check" in str(seen)
    one_unknown = drawn.astype(object).mask(np.arange(60) == 30)
    assert filling.audited(one_unknown).share.wrong == 1
    assert filling.audited(one_unknown).right < seen.right
    assert filling.audited(drawn[:0]).form == "nothing"


def test_only_filled_rows_can_be_checked(fitted):
    filling = fitted.fill(0.9)
    drawn = filling.labels.dropna()[:5]
    with pytest.raises(ValueError, match="row 'no such row' is not filled in"):
        filling.audited(drawn.rename({drawn.index[0]: "no such row"}))
    with pytest.raises(ValueError, match="there twice"):
        filling.audited(drawn.iloc[[0, 0]])

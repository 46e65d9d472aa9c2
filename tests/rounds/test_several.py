"""Several labels a row: what ties the labels together, and what does not."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import surelabel
from surelabel import (
    Entropy,
    Everything,
    Labels,
    Parts,
    Repeated,
    Threshold,
    TotalVariance,
    Transport,
    TTest,
    csa,
    flexmatch,
    pl,
    report,
    sla,
    ups,
)
from surelabel.bounds import committee_votes
from surelabel.heldout import Verdict
from surelabel.reporting.overview import labels
from surelabel.rounds.checkpoint import Checkpoint
from surelabel.rounds.engine import Strand
from surelabel.rounds.loop import in_step
from surelabel.rounds.one_machine import OneMachine, trusted
from surelabel.rounds.several import pooled
from surelabel.rounds.training import Seeds, Trainer

NAMES = ["calm", "happy", "sad"]


@pytest.fixture
def moods(rng):
    """90 rows with three labels, 36 known in full, 18 in part, 36 not at all; and the truth."""
    X = rng.normal(size=(90, 4))
    truth = (X[:, :3] + 0.3 * X[:, 3:] > [0.0, 0.3, -0.3]).astype(int)
    y = truth.copy()
    y[54:] = -1
    y[36:45, 0] = -1
    y[45:54, 1:] = -1
    return X, y, truth


def few():
    return Repeated(GaussianNB(), 3, over="bootstrap")


def small(recipe=csa, **settings):
    return recipe(**{"committee": few(), "random_state": 0, "guard": False} | settings)


@pytest.mark.parametrize("recipe", [csa, sla, ups, flexmatch, pl], ids=lambda recipe: recipe.__name__)
def test_known_cells_never_change_and_the_rest_is_accounted_for(recipe, moods):
    X, y, truth = moods
    clf = small(recipe).fit(X, y)
    assert_array_equal(clf.transduction_[y >= 0], y[y >= 0])
    assert_array_equal(clf.labeled_iter_ == 0, y >= 0)
    assert_array_equal(clf.transduction_ >= 0, clf.labeled_iter_ >= 0)
    found = clf.labeled_iter_ > 0
    assert found.sum() > 20
    assert (clf.transduction_[found] == truth[found]).mean() > 0.8
    lines = clf.pseudo_labels_
    rows, labels = np.nonzero(y < 0)
    assert_array_equal(lines.index, rows)
    assert_array_equal(lines["label"], labels)
    accepted = (lines["status"] == "accepted").to_numpy()
    assert_array_equal(accepted, found[rows, labels])
    assert_array_equal(lines["value"][accepted].astype(int), clf.transduction_[rows, labels][accepted])
    assert [len(round.rows) for round in clf.history_] == [
        (clf.labeled_iter_ == round.number).sum() for round in clf.history_
    ]
    assert_array_equal(clf.predict(X), clf.predict_proba(X) > 0.5)


@pytest.mark.parametrize("guard", [True, False])
def test_a_label_whose_cells_are_trusted_one_by_one_is_a_run_of_its_own(guard, moods):
    X, y, _ = moods
    clf = small(n_rounds=3, guard=guard).fit(X, y)
    for k, of_label in enumerate(clf.estimators_):
        alone = small(n_rounds=3, guard=guard).fit(X, y[:, k])
        assert_array_equal(clf.transduction_[:, k], alone.transduction_)
        assert_allclose(clf.predict_proba(X)[:, k], alone.predict_proba(X)[:, 1], atol=1e-9)
        assert_array_equal(of_label.predict(X), alone.predict(X))
        pd.testing.assert_frame_equal(of_label.pseudo_labels_, alone.pseudo_labels_)
        assert clf.class_prior_[k] == alone.class_prior_[1]
        if guard:
            assert of_label.verdict_.gain == alone.verdict_.gain


@pytest.mark.parametrize("confidence", [TotalVariance(), Entropy()], ids=str)
def test_total_variance_and_entropy_trust_whole_rows(confidence, moods):
    X, y, truth = moods
    y = np.where(np.arange(len(y))[:, None] < 36, truth, -1)
    clf = small(confidence=confidence, n_rounds=1).fit(X, y)
    sure = clf.pseudo_labels_["confidence"].to_numpy().reshape(-1, 3)
    assert_array_equal(sure, sure[:, [0, 0, 0]])
    n_sure = (sure[:, 0] > 0).sum()
    assert 27 <= n_sure < 40  # half of the rows, and ties
    assert clf.history_[0].candidates == 3 * n_sure


def test_the_measure_of_a_row_is_the_mean_of_those_of_its_unknown_cells():
    pools = [np.array([0, 2, 5]), np.array([2, 3])]
    measured = [np.array([0.1, 0.4, 0.2]), np.array([0.0, 0.9])]
    by_row = {0: 0.1, 2: 0.2, 3: 0.9, 5: 0.2}
    limit = np.quantile(list(by_row.values()), 0.5)
    for pool, confidence in zip(pools, trusted(TotalVariance(), pools, measured), strict=True):
        assert_allclose(confidence, [limit - by_row[row] for row in pool], atol=1e-12)
    (alone,) = trusted(TotalVariance(), pools[:1], measured[:1])
    assert_array_equal(alone, TotalVariance().trust(measured[0]))
    assert_array_equal(trusted(TTest(), pools, measured)[1], measured[1])


def test_quotas_hold_for_yes_and_no_of_every_label(moods):
    X, y, _ = moods
    clf = small(sla, allocator=Threshold(0.0), n_rounds=2).fit(X, y)
    for round in clf.history_:
        for one in round.by_label.values():
            assert (one.selected <= one.budget.quota).all()
    clf = small(class_prior=[0.3, 0.9, 0.5], n_rounds=1).fit(X, y)
    assert_allclose(clf.class_prior_, [0.3, 0.9, 0.5])
    assert_allclose(clf.history_[0].by_label[1].budget.prior, [0.1, 0.9])
    of_given = (y[y[:, 0] >= 0, 0] == 1).mean()
    assert_allclose(small(class_prior={1: 0.9}, n_rounds=1).fit(X, y).class_prior_[:2], [of_given, 0.9])


def test_strands_end_each_at_its_own_time(moods):
    """A label that is known everywhere takes no part; the others go on."""
    X, y, truth = moods
    y[:, 2] = truth[:, 2]
    clf = small(n_rounds=2).fit(X, y)
    assert [list(round.by_label) for round in clf.history_] == [[0, 1], [0, 1]]
    assert_array_equal(clf.transduction_[:, 2], truth[:, 2])
    strands = [
        Strand(Labels.start(y[:, k], 2), np.array([0.5, 0.5]), Trainer(few(), Seeds(0))) for k in (0, 2)
    ]
    parts = Parts(few(), TTest(), Transport())
    assert [[round is None for round in turn] for turn in in_step(OneMachine(X), strands, parts, 1)] == [
        [False, True]
    ]


def test_with_one_label_a_row_it_is_the_multi_class_path(blobs):
    X, y, truth = blobs
    cells = np.where(y[:, None] < 0, -1, y[:, None] == np.arange(3))
    plain = small(guard=True).fit(X, y)
    clf = small(guard=True, labels_per_row=1).fit(X, cells)
    assert_array_equal(clf.predict_proba(X), plain.predict_proba(X))
    assert_array_equal(clf.predict(X), np.eye(3)[plain.predict(X)])
    assert_array_equal(clf.labeled_iter_, plain.labeled_iter_)
    pd.testing.assert_frame_equal(clf.pseudo_labels_, plain.pseudo_labels_)
    found = plain.transduction_ >= 0
    assert_array_equal(clf.transduction_[found], np.eye(3)[plain.transduction_[found]])
    assert (clf.transduction_[~found] == -1).all()
    assert clf.score(X, np.eye(3)[truth]) == plain.score(X, truth)
    assert clf.verdict_.gain == plain.verdict_.gain


def test_a_setting_of_labels_per_row_that_is_none_is_named(moods):
    X, y, _ = moods
    with pytest.raises(ValueError, match="labels_per_row must be None or 1; it is 2"):
        small(labels_per_row=2).fit(X, y)


@pytest.mark.parametrize("form", ["frame", "sparse", "tags", "lists"])
def test_every_form_gives_the_same_answers(form, moods):
    X, _, truth = moods
    y = np.where(np.arange(len(truth))[:, None] < 54, truth, -1)
    expected = small(n_rounds=2).fit(X, y)
    tags = [[name for name, has in zip(NAMES, row, strict=True) if has] for row in truth.tolist()]
    y = {
        "frame": pd.DataFrame(np.where(y < 0, np.nan, y), columns=NAMES),
        "sparse": sparse.csr_array(y),
        "tags": tags[:54] + [None] * 36,
        "lists": y.tolist(),
    }[form]
    clf = small(n_rounds=2).fit(X, y)
    assert_array_equal(clf.predict_proba(X), expected.predict_proba(X))
    assert_array_equal(clf.labeled_iter_, expected.labeled_iter_)
    assert_array_equal(clf.classes_, NAMES if form in ("frame", "tags") else [0, 1, 2])
    assert clf.predict(X).dtype == np.int64


def test_unlabelled_rows_may_be_kept_apart(moods):
    X, y, _ = moods
    together = small(n_rounds=2).fit(X, y)
    apart = small(n_rounds=2).fit(X[:54], y[:54], X_unlabeled=X[54:])
    assert_array_equal(apart.transduction_, together.transduction_)
    pd.testing.assert_frame_equal(apart.pseudo_labels_, together.pseudo_labels_)


def test_lines_are_on_the_callers_index(moods):
    X, y, _ = moods
    frame = pd.DataFrame(X, index=[f"song {n}" for n in range(len(X))])
    lines = small(n_rounds=1).fit(frame, y).pseudo_labels_
    assert list(lines.index[:2]) == ["song 36", "song 37"]
    assert list(lines.loc["song 45", "label"]) == [1, 2]


def test_only_rows_known_in_full_are_scored(moods):
    X, y, truth = moods
    clf = small(n_rounds=1).fit(X, y)
    right = (clf.predict(X) == truth).all(axis=1)
    assert clf.score(X, truth) == right.mean()
    assert clf.score(X, y) == right[:36].mean()
    with pytest.raises(ValueError, match="None of the 9 rows to score is known in full"):
        clf.score(X[45:54], y[45:54])


def test_a_run_goes_on_where_it_was_cut_off(moods):
    X, y, _ = moods
    y[:, 2] = np.where(y[:, 2] < 0, 0, y[:, 2])
    whole, cut_off, resumed = (small(confidence=TotalVariance()) for _ in range(3))
    whole.fit(X, y)
    for round in cut_off.fit_rounds(X, y):
        if round.number == 2:
            data = cut_off.checkpoint().to_bytes()
            break
    after = Checkpoint.from_bytes(data)
    assert [round.number for round in resumed.fit_rounds(X, y, after=after)] == [3, 4, 5]
    assert_array_equal(resumed.transduction_, whole.transduction_)
    assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    assert [str(round) for round in resumed.history_] == [str(round) for round in whole.history_]
    with pytest.raises(ValueError, match="other data: it has 3 labels a row"):
        small().set_params(n_rounds=3).fit_rounds(X, y[:, :2], after=after).__next__()
    with pytest.raises(ValueError, match="its rows have several labels"):
        next(small().fit_rounds(X, y[:, 0], after=after))


def test_a_loop_may_be_left_and_finished(moods):
    X, y, _ = moods
    clf = small()
    for _ in clf.fit_rounds(X, y):
        break
    assert clf.finish().termination_condition_ == "stopped"
    assert clf.n_iter_ == 1


@pytest.mark.slow
def test_it_comes_back_from_a_file(moods, tmp_path):
    X, y, _ = moods
    clf = small(guard=True, n_rounds=2).fit(pd.DataFrame(X).add_prefix("f"), pd.DataFrame(y, columns=NAMES))
    clf.save(tmp_path / "moods.surelabel")
    again = surelabel.load(tmp_path / "moods.surelabel")
    X = pd.DataFrame(X).add_prefix("f")
    assert_array_equal(again.predict(X), clf.predict(X))
    assert again.history_[1].by_label["sad"].number == 2
    assert str(again.verdict_) == str(clf.verdict_)
    pd.testing.assert_frame_equal(again.pseudo_labels_, clf.pseudo_labels_)


def test_a_label_that_says_nothing_is_left_alone(moods):
    X, y, _ = moods
    y[:36, 0] = 0
    y[45:54, 0] = 0
    with pytest.warns(UserWarning, match="Label 0: No known row has it, so it is filled in nowhere"):
        clf = small().fit(X, y)
    assert (clf.predict(X)[:, 0] == 0).all()
    assert_array_equal(clf.transduction_[:, 0], y[:, 0])
    assert (clf.labeled_iter_[:, 1:] > 0).any()
    assert clf.termination_condition_ == "max_iter"
    y[0, 0] = 1
    with pytest.warns(UserWarning, match="Label 0: One known row only has it"):
        small(n_rounds=1).fit(X, y)


def test_a_label_known_nowhere_is_an_error(moods):
    X, y, _ = moods
    y[:, 1] = -1
    with pytest.raises(ValueError, match="Label 1 is unknown in every row"):
        small().fit(X, y)


def test_warnings_name_the_label_and_point_at_the_caller(moods):
    X, _, truth = moods
    with pytest.warns(UserWarning, match="y has no unlabelled cell") as caught:
        small().fit(X, truth)
    assert caught[0].filename == __file__
    y = np.where(np.arange(len(truth))[:, None] < 36, truth, -1)
    with pytest.warns(UserWarning, match=r"None of the 162 unlabelled cells was labelled \(162 below"):
        small(confidence=Everything(), allocator=Threshold(1.0)).fit(X, y)


def test_verbose_names_the_labels(moods, capsys):
    X, y, _ = moods
    small(n_rounds=1, guard=True, verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("round 1: ")
    assert [line[:25] for line in lines[1:]] == [f"Label {k}: unlabelled rows:" for k in range(3)]


def test_rows_without_weight_teach_nothing(moods):
    X, y, _ = moods
    weight = np.ones(len(y))
    weight[::5] = 0
    clf = small(n_rounds=2).fit(X, y, sample_weight=weight)
    without = small(n_rounds=2).fit(X[weight > 0], y[weight > 0])
    assert_allclose(clf.predict_proba(X), without.predict_proba(X))
    assert (clf.labeled_iter_[::5] <= 0).all()


def test_any_final_classifier_will_do(moods):
    X, y, truth = moods
    clf = small(estimator=LogisticRegression()).fit(X, y)
    assert isinstance(clf.estimators_[0].estimator_, LogisticRegression)
    assert (clf.predict(X) == truth).mean() > 0.8


def test_one_verdict_from_several():
    verdicts = [Verdict(0.8, 0.9, 10.0, 2.0, 40, 1.0), None, Verdict(0.7, 0.7, 0.0, 4.0, 20, 2.0)]
    said = pooled(verdicts)
    assert str(said) == (
        "no evidence: +5.0 points (-0.9 to +10.9 with 95% confidence); with 60 held-out cells a difference "
        "under 5.9 points cannot be seen"
    )
    assert (said.semi_supervised, said.supervised, said.unit) == (0.8, 0.75, "cells")
    assert pooled([None]) is None


def test_pictures_are_of_one_label(moods):
    X, y, _ = moods
    clf = small().fit(X, y)
    with pytest.raises(ValueError, match=r"one label at a time: take one of the 3 estimators_"):
        clf.plot.rounds()
    with pytest.raises(ValueError, match=r"the classifier of one, such as clf.estimators_\[0\]"):
        committee_votes(clf, X)


def handed_out(clf, y):
    """Cells that are filled in: 1, 0, or -1 for none."""
    out = np.full(y.shape, -1)
    for k, one in enumerate(clf.estimators_):
        filled = one.pseudo_labels_["filled"]
        out[y[:, k] < 0, k] = filled.where(filled.notna(), -1).astype(int)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("guard", [True, False])
def test_a_page_of_all_labels_counts_cells_and_links_to_a_page_of_each(moods, tmp_path, guard):
    X, y, truth = moods
    names = ["calm", "<b>happy</b>", "sad"]
    clf = small(guard=guard).fit(X, pd.DataFrame(np.where(y < 0, np.nan, y), columns=names))
    told = {"X": X, "y_true": pd.DataFrame(truth, columns=names), "details": {"input": "moods.csv"}}
    assert report(clf, tmp_path / "moods.html", **told) == tmp_path / "moods.html"
    pages = ["moods-1.html", "moods-2.html", "moods-3.html", "moods.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == pages
    html = (tmp_path / "moods.html").read_text()
    assert [f'href="{page}"' in html for page in pages] == [True, True, True, False]
    assert "<b>happy" not in html
    assert "&lt;b&gt;happy" in html
    assert "<script" not in html
    filled = handed_out(clf, y)
    found = filled >= 0
    assert f"<b>{found.sum()}</b><span>of {(y < 0).sum()} unknown cells filled in" in html
    if found.any():
        assert f"<b>{(filled == truth)[found].mean():.1%}</b>" in html
    assert ("held-out labelled cells" in html) == guard
    frame = labels(clf, truth.T)
    assert_array_equal(frame["known"], (y >= 0).sum(axis=0))
    assert_array_equal(frame["found_yes"], (filled == 1).sum(axis=0))
    assert_array_equal(frame["known"] + frame["found"] + frame["left"], [len(X)] * 3)
    assert "moods.csv, sad" in (tmp_path / "moods-3.html").read_text()
    assert "moods.csv, sad" not in html
    with pytest.raises(ValueError, match="does not name the 3 columns"):
        report(clf, tmp_path / "other.html", y_true=pd.DataFrame(truth, columns=names[::-1]))


def test_cells_of_unknown_truth_are_not_judged_and_links_lead_somewhere(moods, tmp_path):
    X, y, truth = moods
    clf = small().fit(X, y)
    for one in clf.estimators_:
        one.pseudo_labels_ = one.pseudo_labels_.assign(filled=one.pseudo_labels_["guess"])
    filled = handed_out(clf, y)
    half = pd.DataFrame(truth).astype("Int64")
    half.iloc[::2] = pd.NA
    html = report(clf, tmp_path / "a#1?b%.html", y_true=half).read_text()
    judged = (filled >= 0) & (np.arange(len(X))[:, None] % 2 == 1)
    assert f"<b>{(filled == truth)[judged].mean():.1%}</b><span>of these are right" in html
    assert 'href="a%231%3Fb%25-1.html"' in html


def test_there_is_a_page_where_nothing_was_filled_in(moods, tmp_path):
    X, y, _ = moods
    with pytest.warns(UserWarning, match="None of"):
        clf = small(n_rounds=0).fit(X, y)
    html = report(clf, tmp_path / "moods.html").read_text()
    assert f"of {(y < 0).sum()} unknown cells, all were not asked" in html

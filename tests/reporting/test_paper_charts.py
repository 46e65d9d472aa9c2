"""The paper's figures 1 and 2 on a user's own run, from what the rounds keep."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from surelabel import Transport, TTest, csa, load
from surelabel.reporting import paper_charts


@pytest.fixture(scope="module")
def kept():
    from sklearn.datasets import make_blobs

    from surelabel import Repeated, trees

    X, truth = make_blobs(120, centers=3, cluster_std=2.5, random_state=3)
    y = np.where(np.arange(120) < 24, truth, -1)
    parts = {"committee": Repeated(trees(5), n_members=3), "allocator": Transport("paper", 0.05)}
    clf = csa(**parts, n_rounds=2, guard=False, random_state=0)
    for _ in clf.fit_rounds(X, y, keep_plans=True):
        pass
    return clf, csa(**parts, n_rounds=2, guard=False, random_state=0).fit(X, y), X


def test_a_round_keeps_what_it_was_decided_by(kept):
    clf, plain, _ = kept
    assert_array_equal(clf.transduction_, plain.transduction_)  # keeping changes nothing
    assert all(round.kept is None for round in plain.history_)
    for round in clf.history_:
        found = round.kept
        assert found.P.shape == (3, round.pool, 3)
        assert_allclose(found.P.sum(axis=2), 1)
        assert (found.confidence > 0).sum() == round.candidates
        assert (found.plan[found.confidence <= 0] == 0).all()
        assert_array_equal(found.rows[found.codes >= 0], round.rows)
        # The plan is the allocator's on the mean of P, over the rows that the test trusts.
        sure = found.confidence > 0
        again = Transport("paper", 0.05)(found.P[:, sure].mean(axis=0), round.budget)
        assert_allclose(again.plan(np.arange(sure.sum())), found.plan[sure], atol=1e-9)
        assert_array_equal(TTest().for_committee(clf.estimator_)(found.P) > 0, sure)


def test_what_is_kept_is_saved(kept, tmp_path):
    clf, *_ = kept
    clf.save(tmp_path / "kept.surelabel")
    again = load(tmp_path / "kept.surelabel").history_[0].kept
    assert_array_equal(again.plan, clf.history_[0].kept.plan)


def test_figure_1_shows_the_steps_of_the_same_rows(kept):
    clf, plain, _ = kept
    found = clf.history_[0].kept
    cells = paper_charts.round_frame(found, ["a", "b", "c"], 10)
    wide = cells.pivot_table(index=["row", "class"], columns="step", values="value")
    row = found.rows.tolist().index(wide.index[0][0])
    assert_allclose(wide.iloc[0]["plan"], found.plan[row, 0])
    assert_allclose(wide.iloc[0]["mean of members"], found.P[:, row, 0].mean())
    assert len(cells) == 4 * 10 * 3
    assert clf.plot.one_round(1, rows=10).to_dict()["mark"]["type"] == "rect"
    with pytest.raises(ValueError, match="keep_plans=True"):
        plain.plot.one_round()


def test_figure_2_has_every_row_that_came_unlabelled(kept):
    clf, _, X = kept
    chart = clf.plot.trust(X).to_dict()
    (rows,) = chart["datasets"].values()
    assert len(rows) == 96
    assert_allclose([row["first"] for row in rows], X[24:, 0])
    with pytest.raises(ValueError, match="X has 5 rows, the table of the fit 120"):
        clf.plot.trust(X[:5])

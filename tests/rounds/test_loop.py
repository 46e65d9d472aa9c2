from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelabel import (
    Everything,
    Labels,
    Negatives,
    Parts,
    Round,
    Status,
    Threshold,
    TTest,
    Unlike,
    csa,
    pl,
)
from surelabel.rounds import asking as judging
from surelabel.rounds import loop, rounds
from surelabel.rounds.checkpoint import Checkpoint
from surelabel.rounds.labels import balanced
from surelabel.rounds.one_machine import OneMachine

UNIFORM = np.full(3, 1 / 3)


def run(blobs, committee, **options):
    X, y, _ = blobs
    labels = Labels.start(y, n_classes=3)
    parts = options.pop("parts", Parts(committee, TTest(), Threshold(0.5)))
    yielded = list(rounds(X, labels, parts, prior=UNIFORM, random_state=0, **options))
    return labels, yielded


def test_rounds_are_records_that_add_up(blobs, committee):
    labels, yielded = run(blobs, committee, n_rounds=3)
    assert [round.number for round in yielded] == [1, 2, 3]
    for before, after in pairwise(yielded):
        assert after.pool == before.pool - len(before.rows)
    for round in yielded:
        assert isinstance(round, Round)
        assert_array_equal(round.selected, np.bincount(round.codes, minlength=3))
        assert (round.selected <= round.budget.quota).all()
        assert len(round.rows) <= round.candidates <= round.pool
        assert set(round.seconds) == {"train", "predict", "allocate"}
        assert_array_equal(labels.codes[round.rows], round.codes)
        assert (labels.round[round.rows] == round.number).all()


def test_labels_found_are_right_and_given_ones_untouched(blobs, committee):
    _, y, truth = blobs
    labels, _ = run(blobs, committee)
    found = labels.codes >= 0
    assert (labels.codes[found] == truth[found]).all()
    assert_array_equal(labels.codes[:12], y[:12])
    assert (labels.status[:12] == Status.GIVEN).all()


def test_the_caller_may_stop_after_any_round(blobs, committee):
    X, y, _ = blobs
    labels = Labels.start(y, n_classes=3)
    for _ in rounds(X, labels, Parts(committee, TTest(), Threshold(0.5)), prior=UNIFORM, random_state=0):
        break
    assert set(labels.round) == {-1, 0, 1}


def test_ends_when_nothing_is_selected(blobs, committee):
    parts = Parts(committee, Everything(), Threshold(1.0))
    labels, yielded = run(blobs, committee, parts=parts)
    assert len(yielded) == 1
    assert (labels.status[12:] == Status.BELOW).all()


def test_ends_when_the_pool_is_empty(blobs, committee):
    labels, yielded = run(blobs, committee, parts=Parts(committee, Everything(), Threshold(0)), n_rounds=1)
    assert len(yielded) == 1
    assert not len(labels.pool)
    X, *_ = blobs
    assert list(rounds(X, labels, Parts(committee, Everything(), Threshold(0)), prior=UNIFORM)) == []


def test_nobody_trusted_is_a_round_with_nothing_allocated(blobs, committee):
    parts = Parts(committee, lambda P: np.full(P.shape[1], -1.0), Threshold(0))
    labels, yielded = run(blobs, committee, parts=parts)
    assert [round.candidates for round in yielded] == [0]
    assert (labels.status[12:] == Status.UNSURE).all()


def test_rows_without_weight_neither_train_nor_count(blobs, committee):
    _, y, _ = blobs
    weight = np.ones(len(y))
    weight[[0, 50]] = 0
    labels = Labels.start(y, n_classes=3, weight=weight)
    assert 50 not in labels.pool
    assert 0 not in labels.training()[0]
    assert labels.status[50] == Status.WEIGHTLESS


class Recorder(GaussianNB):
    """Remembers what it was trained on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.seen.append((X, y, sample_weight))
        return super().fit(X, y, sample_weight)


@pytest.fixture
def overlapping():
    """Classes 0 and 1 overlap and class 2 is far away: many rows are surely not 2."""
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 2)) + np.array([[0, 0], [1, 0], [9, 9]])[truth]
    y = np.where(np.arange(150) < 30, truth, -1)
    return X, y, truth


def test_negative_labels_reach_the_learner(overlapping):
    from surelabel import Repeated

    Recorder.seen = []
    committee = Repeated(Recorder(), 3, over="bootstrap")
    parts = Parts(committee, TTest(), Threshold(0.95), Negatives())
    labels, yielded = run(overlapping, committee, parts=parts, n_rounds=2)
    assert yielded[0].negatives > 0
    rows, codes, weight = labels.training()
    soft = labels.codes[rows] < 0
    assert soft.any()
    # Each such row stands once per class that is left, its weights summing to 1.
    shares = np.bincount(rows[soft], weights=weight[soft])
    np.testing.assert_allclose(shares[shares > 0], 1)
    assert (labels.soft[rows[soft], codes[soft]] > 0).all()
    # And the second round's members were trained with them.
    assert any(w is not None and (w < 1).any() for _, _, w in Recorder.seen)


def test_negative_labels_lower_the_class_ruled_out(overlapping):
    """What the learner is told shows in what it says."""
    X, y, _ = overlapping
    labels = Labels.start(y, n_classes=3)
    row = labels.pool[0]
    before = GaussianNB().fit(*_data(X, labels))
    labels.soft = np.zeros((150, 3))
    labels.soft[row] = [0, 0.5, 0.5]
    after = GaussianNB().fit(*_data(X, labels))
    assert after.predict_proba(X[[row]])[0, 0] < before.predict_proba(X[[row]])[0, 0]


def _data(X, labels):
    rows, codes, weight = labels.training()
    return X[rows], codes, weight


def test_found_labels_weigh_no_more_than_the_given_ones(monkeypatch):
    labels = Labels.start(np.array([0, 1, -1, -1, -1, -1]), n_classes=2)
    labels.codes[2:], labels.round[2:] = 0, 1
    rows, _, weight = labels.training()
    np.testing.assert_array_equal(rows, range(6))
    # Class 0 as much as it was given, and both classes half of the whole, as among the given.
    np.testing.assert_allclose(weight, [0.75, 1.5, *[0.1875] * 4])
    # Nor are many more of them trained on.
    monkeypatch.setattr("surelabel.rounds.labels._FOUND_ROWS", 1)
    np.testing.assert_array_equal(labels.training()[0], [0, 1, 2, 4])
    labels.found = "full"
    assert labels.training()[2] is None


def test_blocks_of_the_pool_give_what_one_block_gives(overlapping, monkeypatch):
    from surelabel import Entropy, Repeated

    committee = Repeated(GaussianNB(), 3, over="bootstrap")
    for confidence in (TTest(), Entropy()):
        parts = Parts(committee, confidence, Threshold(0.9), Negatives())
        whole, _ = run(overlapping, committee, parts=parts)
        monkeypatch.setattr(judging, "_BLOCK_ROWS", 7)
        blocks, _ = run(overlapping, committee, parts=parts)
        monkeypatch.undo()
        np.testing.assert_array_equal(blocks.codes, whole.codes)
        np.testing.assert_allclose(blocks.confidence, whole.confidence)


def test_found_labels_outweigh_no_given_ones_and_keep_the_mix_of_classes():
    codes = np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    found = np.arange(10) >= 4
    weight = balanced(np.ones(10), codes, found, 3)
    assert_allclose(weight[:4].sum() + weight[4:].sum(), 7)  # 4 given, 3 of class 0 found
    assert_allclose(weight[codes == 1].sum() / weight.sum(), 1 / 4)
    assert_allclose(weight[:3].sum(), weight[4:].sum())


def test_sketch_holds_the_surest_rows_first_and_what_they_were_given(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, random_state=0, guard=False).fit(X, y)
    for round in clf.history_:
        sketch, table = round.sketch, clf.pseudo_labels_
        assert len(sketch.rows) == min(round.candidates, 200)
        assert np.isin(sketch.rows[sketch.codes >= 0], round.rows).all()
        assert (sketch.codes >= 0).sum() == len(round.rows)  # all candidates are in the picture here
        assert (sketch.plan >= 0).all()
        assert (sketch.plan.sum(axis=1) <= 1 + 1e-5).all()
        given = np.isin(table.index, sketch.rows[sketch.codes >= 0])
        assert (np.diff(table["confidence"].loc[sketch.rows[sketch.codes >= 0]]) <= 0).all()
        assert_allclose(table["probability"][given].max(), sketch.p[sketch.codes >= 0].max(), rtol=1e-6)


def test_sketch_of_a_threshold_shows_the_labels(blobs, committee):
    X, y, _ = blobs
    sketch = pl(committee=committee, random_state=0, guard=False).fit(X, y).history_[0].sketch
    assert (sketch.plan.argmax(axis=1)[sketch.codes >= 0] == sketch.codes[sketch.codes >= 0]).all()
    assert not sketch.plan[sketch.codes < 0].any()


def test_checkpoint_keeps_the_sketch_and_the_gap(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, random_state=0)
    for _ in clf.fit_rounds(X, y):
        before = clf.checkpoint()
        break
    after = Checkpoint.from_bytes(before.to_bytes())
    assert_array_equal(after.columns["gap"], before.columns["gap"])
    for name, value in vars(before.history[0].sketch).items():
        assert_array_equal(getattr(after.history[0].sketch, name), value)


def test_rounds_that_rule_classes_out_never_settle(blobs, monkeypatch):
    """A committee that heard of classes ruled out is not the one that did not."""
    X, y, _ = blobs
    seen = []

    class Watched(OneMachine):
        def train(self, strand, trainer, before=None):
            seen.append(before)
            return super().train(strand, trainer, before)

    monkeypatch.setattr(loop, "_SETTLED", 2.0)  # every round has settled
    monkeypatch.setattr(loop, "OneMachine", Watched)
    committee = Unlike([GaussianNB(), LogisticRegression()])
    for negatives, asked in ((None, [None, None, 2]), (Negatives(), [None, None, None])):
        seen.clear()
        parts = Parts(committee, TTest(), Threshold(0.5), negatives)
        list(rounds(X, Labels.start(y, n_classes=3), parts, prior=UNIFORM, n_rounds=3, random_state=0))
        assert seen == asked

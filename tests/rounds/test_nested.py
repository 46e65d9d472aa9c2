from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

from surelabel import Everything, Labels, Parts, PseudoLabelClassifier, Repeated, Threshold, Unlike, trees
from surelabel.allocation import Allocation, Status
from surelabel.rounds.final import Final, final
from surelabel.rounds.nested import nested
from surelabel.rounds.training import Seeds, Trainer


def blobs(rng, n=60):
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + 4 * y[:, None], y


class Wrong(BaseEstimator):
    """Gives every row the wrong class."""

    def __call__(self, p, budget):
        codes = 1 - p.argmax(axis=1)
        return Allocation(codes, np.full(len(p), Status.ACCEPTED, dtype=object))


def spied(model, seen):
    class Spy(type(model)):
        def fit(self, X, y, sample_weight=None):
            seen.append({tuple(x): c for x, c in zip(np.asarray(X), y, strict=True)})
            return super().fit(X, y, sample_weight)

    return Spy()


@pytest.mark.parametrize("unlike", [False, True])
def test_no_model_sees_the_label_of_a_row_it_is_judged_on(unlike, rng, monkeypatch):
    X, y = blobs(rng)
    codes = np.where(np.arange(60) < 30, y, -1)
    seen = []
    committee = (
        Unlike([spied(GaussianNB(), seen)])
        if unlike
        else Repeated(spied(GaussianNB(), seen), 2, over="bootstrap")
    )
    trainer = Trainer(committee, Seeds(0))
    labels = Labels.start(codes, 2)
    for one in (trainer, trainer.blind()):
        one(lambda _: (X, labels))
    seen.clear()
    hidden = []

    def prior(fold):
        hidden.append(np.flatnonzero(fold.weight == 0))
        return np.full(2, 0.5)

    def judged(model, rows):
        """No model that was trained since the fold began knows a row that is now predicted."""
        for known in seen:
            assert not any(tuple(row) in known for row in rows)
        if model is arms[-1]:
            seen.clear()  # a new fold follows
        return model.predict_proba(rows)

    arms = []

    def watched(estimator, trainer, lesson):
        model = final(estimator, trainer, lesson)
        arms.append(model.model)
        return Final(SimpleNamespace(predict_proba=partial(judged, model.model)), model.present)

    monkeypatch.setattr("surelabel.rounds.nested.final", watched)
    parts = Parts(committee, Everything(), Threshold(0.5))
    said = nested(X, labels, parts, trainer, prior=prior, random_state=0)
    assert len(said) == 30
    assert said.share_right[0] > 0.9
    assert sorted(np.concatenate(hidden)) == list(range(30))
    assert len(arms) == 2 * len(hidden)


def test_bad_pseudo_labels_are_found_out_and_not_used(rng):
    X, y = blobs(rng, 200)
    y_few = np.where(np.arange(200) < 60, y, -1)
    settings = {"found_weight": "full", "n_rounds": 1, "random_state": 0}
    committee = Repeated(trees(5), 3)
    with pytest.warns(UserWarning, match="Unlabelled rows hurt: by .* guard=False keeps the other"):
        clf = PseudoLabelClassifier(committee, Everything(), Wrong(), **settings).fit(X, y_few)
    assert clf.verdict_.word == "hurt"
    assert clf.termination_condition_ == "hurt"
    assert clf.score(X, y) > 0.9
    trusting = PseudoLabelClassifier(committee, Everything(), Wrong(), guard=False, **settings).fit(X, y_few)
    assert trusting.verdict_ is None
    assert trusting.score(X, y) < 0.7


def test_one_label_of_each_class_gives_no_verdict(rng):
    X, y = blobs(rng)
    y_few = np.where(np.arange(60) < 2, y, -1)
    with pytest.warns(UserWarning, match="one labelled row only"):
        clf = PseudoLabelClassifier(
            Repeated(trees(5), 3), allocator=Threshold(0.1), confidence=Everything()
        ).fit(X, y_few)
    assert clf.verdict_ is None

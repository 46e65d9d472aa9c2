import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelabel import Labels, Panel, Repeated, Unlike, trees
from surelabel.committees.models.default import unlike_models
from surelabel.rounds.training import Seeds, Trainer, some_of


@pytest.fixture
def table(rng):
    y = np.arange(60) % 2
    return rng.normal(size=(60, 2)) + 3 * y[:, None], np.where(np.arange(60) < 20, y, -1)


def lesson_of(X, labels):
    return lambda before: (X, labels if before is None else labels.before(before))


def found(y, rows, number):
    """Labels after a round has found some."""
    labels = Labels.start(y, n_classes=2)
    labels.codes[rows], labels.round[rows] = rows % 2, number
    return labels


COMMITTEES = {
    "any": Panel([GaussianNB()]),
    "seeded": Repeated(trees(3), 2),
    "weighted": Unlike([GaussianNB(), LogisticRegression()]),
    "pool": Unlike({name: unlike_models()[name] for name in ("linear", "graph")}),
}


@pytest.mark.parametrize("committee", COMMITTEES.values(), ids=COMMITTEES)
def test_nothing_is_trained_twice_on_the_same_labels(committee, table):
    X, y = table
    trainer = Trainer(committee, Seeds(0))
    start = lesson_of(X, Labels.start(y, n_classes=2))
    assert trainer(start) is trainer(start)
    later = lesson_of(X, found(y, np.arange(20, 30), 1))
    assert trainer(later) is not trainer(start)
    assert trainer(later, before=1) is trainer(start)


@pytest.mark.parametrize("committee", COMMITTEES.values(), ids=COMMITTEES)
def test_what_comes_out_does_not_depend_on_what_was_asked_for_before(committee, table):
    X, y = table
    start = lesson_of(X, Labels.start(y, n_classes=2))
    later = lesson_of(X, found(y, np.arange(20, 30), 1))
    in_order, at_once, backwards = (Trainer(committee, Seeds(3)) for _ in range(3))
    in_order(start)
    backwards.blind()(start)
    for lesson in (later, start):
        expected = in_order(lesson).predict_proba(X)
        assert_array_equal(at_once(lesson).predict_proba(X), expected)
        assert_array_equal(backwards(lesson).predict_proba(X), expected)
        assert_array_equal(
            at_once.blind()(lesson).predict_proba(X), in_order.blind()(lesson).predict_proba(X)
        )


@pytest.mark.parametrize("committee", COMMITTEES.values(), ids=COMMITTEES)
def test_a_blind_trainer_gives_what_training_without_a_pool_gives(committee, table):
    X, y = table
    labels = Labels.start(y, n_classes=2)
    trainer = Trainer(committee, Seeds(0))
    trainer(lesson_of(X, labels))
    blind = trainer.blind()(lesson_of(X, labels)).predict_proba(X)
    given = np.flatnonzero(y >= 0)
    no_pool = Trainer(committee, Seeds(0))(lesson_of(X[given], Labels.start(y[given], n_classes=2)))
    assert_array_equal(blind, no_pool.predict_proba(X))


def test_steps_have_random_numbers_of_their_own():
    seeds = Seeds.of(5)
    draws = {step: seeds.rng(step).randint(10**6) for step in range(4)}
    assert len(set(draws.values())) == 4
    assert Seeds.of(np.random.RandomState(0)) == Seeds.of(np.random.RandomState(0))
    assert seeds.held_out(np.array([3, 4])) != seeds.held_out(np.array([4, 5]))


def test_some_of_a_pool_is_all_of_a_small_one():
    assert_array_equal(some_of(4, 5, np.random.RandomState(0)), np.arange(4))
    some = some_of(1000, 50, np.random.RandomState(0))
    assert len(np.unique(some)) == 50
    assert (np.diff(some) > 0).all()

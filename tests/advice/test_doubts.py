import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from surelabel.advice.doubts import Doubts, doubtful, number_wrong
from surelabel.heldout import HeldOut


def record(p, codes):
    return HeldOut(("one",), p[None], codes, np.ones(len(codes)), np.arange(len(codes)) % 5)


def drawn(rng, n=300, K=3, sharp=0.2):
    """Probabilities, and classes drawn as they say."""
    p = rng.dirichlet(np.full(K, sharp), n)
    return p, (rng.random((n, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)


def flipped(codes, share, K, rng):
    wrong = rng.random(len(codes)) < share
    return np.where(wrong, (codes + rng.integers(1, K, len(codes))) % K, codes), wrong


def test_wrong_labels_come_first_and_the_suggestion_is_another_class(rng):
    p, truth = drawn(rng)
    codes, wrong = flipped(truth, 0.1, 3, rng)
    doubts = doubtful(record(p, codes))
    assert roc_auc_score(wrong, -doubts.score) > 0.9
    assert (doubts.suggestion != codes).all()
    sure = p.max(axis=1) > 0.9
    assert (doubts.suggestion[wrong & sure] == truth[wrong & sure]).mean() > 0.9


def test_doubts_do_not_depend_on_the_order_of_classes(rng):
    p, codes = drawn(rng)
    order = rng.permutation(3)
    one, other = doubtful(record(p, codes)), doubtful(record(p[:, order], np.argsort(order)[codes]))
    np.testing.assert_array_equal(one.score, other.score)
    assert (one.expected, one.low, one.high) == (other.expected, other.low, other.high)


@pytest.mark.parametrize("sharp", [0.05, 0.3, 1.0])
def test_overlapping_classes_are_not_taken_for_wrong_labels(sharp, rng):
    lows = [number_wrong(*drawn(rng, sharp=sharp))[1] for _ in range(100)]
    assert np.mean(np.array(lows) == 0) >= 0.95


def test_many_wrong_labels_among_clear_classes_are_counted(rng):
    inside, seen = [], []
    for _ in range(100):
        p, truth = drawn(rng, n=600, sharp=0.02)
        codes, wrong = flipped(truth, 0.2, 3, rng)
        _, low, high = number_wrong(p, codes)
        seen.append(low > 0)
        inside.append(low <= wrong.sum() <= high)
    assert np.mean(inside) >= 0.95
    assert np.mean(seen) >= 0.95


def test_classes_that_cannot_be_predicted_tell_nothing(rng):
    expected, low, high = number_wrong(rng.dirichlet(np.ones(3), 100), rng.integers(0, 3, 100))
    assert (expected, low) == (0.0, 0)
    assert high > 50


def test_words_say_where_it_may_be_none(rng):
    few = Doubts(*[np.zeros(9)] * 4, 1.0, 0, 3)
    assert str(few).endswith("; it may be none")
    both = Doubts.together([few, Doubts(*[np.zeros(5)] * 4, 3.0, 2, 4)])
    assert (len(both), both.expected, both.low, both.high) == (14, 4.0, 2, 7)
    assert "none" not in str(both)

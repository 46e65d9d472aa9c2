import numpy as np
import pytest
from scipy.stats import binomtest

from surelabel.heldout import HeldOut
from surelabel.heldout.calibration import by_guess, by_probability


@pytest.fixture
def held(rng):
    """Labels drawn as the probabilities say."""
    p = rng.dirichlet(np.ones(3), 600)
    codes = (rng.random((600, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)
    return HeldOut(("one",), p[None], codes, np.ones(600), np.arange(600) % 5)


def test_what_is_stated_rightly_is_right_as_often(held):
    groups = by_probability(held, np.array([0.0, 0.5, 0.7, 0.9, 1.0]))
    assert sum(group.n for group in groups) == 600
    for group in groups:
        assert group.low <= group.stated <= group.high


def test_intervals_are_exact_and_groups_are_by_the_guess(held):
    groups = by_guess(held)
    for k, group in enumerate(groups):
        here = held.P[0].argmax(axis=1) == k
        right = int(held.right[0, here].sum())
        expected = binomtest(right, int(here.sum())).proportion_ci()
        assert (group.n, group.right) == (here.sum(), right / here.sum())
        assert (group.low, group.high) == pytest.approx((expected.low, expected.high))


def test_a_class_that_is_never_guessed_has_no_figure(held):
    never = HeldOut(
        ("one",), np.eye(3)[np.zeros((1, 4), dtype=int)], np.zeros(4, dtype=int), np.ones(4), np.arange(4)
    )
    first, *others = by_guess(never)
    assert (first.right, first.low < 1, first.high) == (1.0, True, 1.0)
    assert others == [None, None]

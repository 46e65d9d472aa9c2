import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from surelabel import Budget
from surelabel.budget import BOUNDS, apportion, class_frequencies, ramp, share_interval, smoothed


def test_ramp_falls_and_sums_to_one():
    assert_allclose(ramp(5), np.array([5, 4, 3, 2, 1]) / 15)


def test_quota_rounds_up_but_not_for_rounding_noise():
    assert_array_equal(Budget(0.2, np.array([0.5, 0.49, 0.01, 0.0]), 10).quota, [1, 1, 1, 0])


def test_frequencies_are_weighted():
    assert_allclose(class_frequencies(np.array([0, 1, 1]), np.array([2.0, 1.0, 1.0]), 3), [0.5, 0.5, 0])


@pytest.mark.parametrize(
    ("prior", "expected"),
    [([0.5, 0.5], [0.5, 0.5]), ([0.9, 0.1], [0.7, 0.3]), ([0.9, 0.1, 0.0], [0.7, 0.3, 0.0])],
)
def test_smoothing_moves_a_skewed_prior_half_way_to_uniform(prior, expected):
    assert_allclose(smoothed(np.array(prior)), expected)


@given(st.integers(0, 1000), st.lists(st.floats(0.001, 1), min_size=1, max_size=20))
def test_apportioned_rows_sum_to_the_total_and_are_within_one_of_their_part(total, shares):
    shares = np.array(shares)
    parts = apportion(total, shares)
    assert parts.sum() == total
    assert (np.abs(parts - total * shares / shares.sum()) < 1 + 1e-6).all()


def test_the_interval_of_a_share_holds_the_share_and_narrows_with_rows():
    few, many = share_interval(np.array([2, 18])), share_interval(np.array([200, 1800]))
    for least, most in (few, many):
        assert (least < [0.1, 0.9]).all()
        assert (most > [0.1, 0.9]).all()
    assert (few[1] - few[0] > 3 * (many[1] - many[0])).all()
    assert_allclose(share_interval(np.array([0, 5])), [[0.0, 0.478], [0.0, 1.0]], atol=1e-3)


def test_bounds_are_wider_where_few_labels_tell_the_shares():
    prior = np.array([0.1, 0.9])
    told = BOUNDS["per_class"](100, Budget(0.5, prior, 100), 0.9, 1.1)
    seen = BOUNDS["per_class"](100, Budget(0.5, prior, 100, share_interval(np.array([2, 18]))), 0.9, 1.1)
    assert (seen[0] <= told[0]).all()
    assert seen[0][0] == 0  # no row is forced into a class of which two rows were seen
    assert (seen[1] >= told[1]).all()
    assert seen[2] == told[2]

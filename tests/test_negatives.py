import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from surelabel import Budget, Negatives
from surelabel.negatives import remaining, rule_out


def test_negatives_leave_the_other_classes_in_proportion():
    p = np.array([[0.6, 0.3, 0.1], [0.4, 0.3, 0.3]])
    soft = Negatives(gamma=0.2, kappa=0.05)(p, np.zeros_like(p), Budget(1.0, np.full(3, 1 / 3), 2))
    assert_allclose(soft, [[2 / 3, 1 / 3, 0], [0, 0, 0]])


def test_negatives_are_the_gradient_of_minus_log_one_minus_p(rng):
    """Cross-entropy against the soft target and UPS's loss pull the logits alike."""
    logits = rng.normal(size=4)
    p = np.exp(logits) / np.exp(logits).sum()
    ruled_out = np.array([[True, False, True, False]])
    target = remaining(p[None], ruled_out)[0]
    kept = p[~ruled_out[0]].sum()
    gradient = p - np.where(ruled_out[0], 0, p) / kept  # of -log(sum of kept p)
    assert_allclose(p - target, gradient)


def test_a_row_with_one_class_left_is_no_negative():
    p = np.array([[0.95, 0.05], [0.5, 0.5]])
    assert not rule_out(p, np.zeros_like(p), 0.2, 0.05, np.array([9, 9])).any()


def test_negatives_need_low_spread_and_respect_the_quota():
    p = np.array([[0.5, 0.4, 0.1], [0.5, 0.45, 0.05], [0.5, 0.4, 0.1]])
    spread = np.array([[0, 0, 0.5], [0, 0, 0], [0, 0, 0]])
    ruled_out = rule_out(p, spread, 0.2, 0.05, np.array([1, 1, 1]))
    assert_array_equal(np.argwhere(ruled_out), [[1, 2]])

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import stats

from surelabel import Entropy, Everything, Spread, TotalVariance, TTest
from surelabel.confidence import entropy, two_best, welch_t


@st.composite
def probabilities(draw, least_members=2):
    """P (M, N, K), with zeros, ties and members that agree exactly among them."""
    M, N, K = draw(st.integers(least_members, 6)), draw(st.integers(1, 5)), draw(st.integers(2, 5))
    weight = draw(arrays(float, (M, N, K), elements=st.sampled_from([0, 1e-300, 1e-9, 0.1, 0.2, 0.5, 1, 3])))
    weight[weight.sum(axis=2) == 0] = 1
    P = weight / weight.sum(axis=2, keepdims=True)
    return np.repeat(P[:1], M, axis=0) if draw(st.booleans()) else P


@given(probabilities())
def test_t_is_never_nan_nor_negative_and_dof_stays_in_its_range(P):
    t, dof = welch_t(P)
    assert (t >= 0).all()
    assert (dof >= len(P) - 1 - 1e-9).all()
    assert (dof <= 2 * (len(P) - 1) + 1e-9).all()


@given(probabilities(), st.randoms(use_true_random=False))
def test_t_ignores_the_order_of_members(P, random):
    order = random.sample(range(len(P)), len(P))
    t, _ = welch_t(P, floor=0.1)
    assert_allclose(welch_t(P[order], floor=0.1)[0], t, rtol=1e-9, atol=1e-12)


@given(probabilities(), st.randoms(use_true_random=False))
def test_t_moves_with_its_row(P, random):
    order = random.sample(range(P.shape[1]), P.shape[1])
    assert_allclose(welch_t(P[:, order])[0], welch_t(P)[0][order])


def test_t_ignores_the_order_of_classes(rng):
    P = rng.dirichlet(np.ones(4), (5, 30))
    assert_allclose(welch_t(P[:, :, rng.permutation(4)])[0], welch_t(P)[0])


def test_t_and_dof_equal_scipys_welch(rng):
    P = rng.dirichlet(np.ones(3), (7, 50))
    t, dof = welch_t(P)
    first, second = two_best(P.mean(axis=0))
    rows = np.arange(50)
    theirs = stats.ttest_ind(P[:, rows, first], P[:, rows, second], equal_var=False)
    # SciPy divides by M - 1 where the method divides by M.
    assert_allclose(t, theirs.statistic * np.sqrt(7 / 6), rtol=1e-12)
    assert_allclose(dof, theirs.df, rtol=1e-12)


@pytest.mark.parametrize("times", [2, 5])
def test_repeating_the_members_scales_t_by_the_root(rng, times):
    P = rng.dirichlet(np.ones(3), (4, 20))
    assert_allclose(welch_t(np.tile(P, (times, 1, 1)))[0], welch_t(P)[0] * np.sqrt(times))


def test_critical_value_is_students_two_sided(rng):
    P = rng.dirichlet(np.ones(3), (20, 40))
    t, dof = welch_t(P)
    assert_allclose(TTest(alpha=0.05, floor=0)(P), t - stats.t.ppf(0.975, dof))
    assert ((stats.t.ppf(0.975, dof) > 2) & (stats.t.ppf(0.975, dof) < 2.1)).all()


def test_one_row_of_exact_agreement_does_not_reject_the_others():
    """A NaN from 0 / 0 in one row used to spread to all."""
    agreed = np.tile([0.7, 0.3], (4, 1))
    tied = np.tile([0.5, 0.5], (4, 1))
    varied = np.array([[0.9, 0.1], [0.8, 0.2], [0.95, 0.05], [0.85, 0.15]])
    confidence = TTest(floor=0)(np.stack([agreed, tied, varied], axis=1))
    assert confidence[0] == np.inf
    assert confidence[1] < 0
    assert 0 < confidence[2] < np.inf


def test_floor_asks_for_a_gap_even_where_members_agree():
    barely = np.tile([0.51, 0.49], (20, 1))[:, None, :]
    assert TTest(floor=0)(barely)[0] > 0
    assert TTest(floor=0.1)(barely)[0] < 0


@pytest.mark.parametrize("part", [TTest(), TotalVariance(), Spread()])
def test_a_committee_of_one_is_an_error_that_says_so(part):
    with pytest.raises(ValueError, match=f"{type(part).__name__} compares the members .* has 1"):
        part(np.full((1, 3, 2), 0.5))


@pytest.mark.parametrize("part", [TotalVariance(), Entropy()])
def test_the_upper_half_is_rejected(part, rng):
    P = rng.dirichlet(np.ones(3), (5, 100))
    assert (part(P) > 0).sum() == 50


@pytest.mark.parametrize("part", [TotalVariance(), Entropy()])
def test_rows_without_any_uncertainty_are_trusted_however_many(part):
    sure = np.tile([1.0, 0.0], (3, 8, 1))
    torn = np.stack([np.tile([x, 1 - x], (2, 1)) for x in (0.2, 0.5, 0.9)])
    assert (part(np.concatenate([sure, torn], axis=1)) > 0).tolist() == [True] * 8 + [False] * 2


def test_entropy_is_scipys(rng):
    P = rng.dirichlet(np.ones(4), (3, 10))
    assert_allclose(entropy(P), stats.entropy(P.mean(axis=0), axis=1))


def test_spread_trusts_its_bound_itself():
    P = np.array([[[0.75, 0.25]], [[0.25, 0.75]]])
    assert Spread(kappa=0.25)(P)[0] > 0
    assert Spread(kappa=0.2499)(P)[0] < 0


@settings(max_examples=20)
@given(probabilities(least_members=1))
def test_everything_is_trusted(P):
    assert (Everything()(P) > 0).all()

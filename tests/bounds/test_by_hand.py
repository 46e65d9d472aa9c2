"""Figures of the theorems worked out by hand: each constant, power and norm shows in one of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import trapezoid
from scipy.optimize import linprog
from scipy.stats import norm as normal

from surelabel.bounds import (
    MeanSetting,
    ipm_bound,
    repaired_probability,
    sharp_probability,
    tandem_loss,
    total_variation,
    wasserstein,
)

NORMS = [1, 2, np.inf]


def all_right(norm, counts=(400, 100), variances=(1.0, 4.0, 4.0, 1.0)):
    """Nothing but noise: four columns, two classes, no wrong label."""
    return MeanSetting(counts, variances, 1.0, np.arange(2.0)[:, None] * np.ones(len(variances)), norm)


@pytest.mark.parametrize(("norm", "root"), [(1, 4), (2, 2), (np.inf, 1)])
def test_the_repaired_form_gives_each_column_its_part_by_the_norm(norm, root):
    """Each column has 0.6 of a part of 0.6 root: n t^2 / (2 v) is 72, 18, 18, 72 and 18, 4.5, 4.5, 18."""
    left = 2 * (2 * np.exp(-72) + 2 * np.exp(-18) + 2 * np.exp(-18) + 2 * np.exp(-4.5))
    assert_allclose(repaired_probability(all_right(norm), 2.4 * root), 1 - left, rtol=1e-9)


def test_the_repaired_form_by_hand_where_labels_are_wrong():
    """Gaps 3, nine in ten right: bias 0.6, Var(I) 0.09. delta 8.6 leaves 8, a quarter of it for each term."""
    setting = MeanSetting([100, 50], [1e-9], 0.9, [[0.0], [3.0]])
    assert_allclose(setting.bias, 0.6)
    assert_allclose(repaired_probability(setting, 8.6), 1 - 0.09 * 9 * (1 / 100 + 1 / 50) / 4, rtol=1e-6)
    together = MeanSetting([100, 50], [1e-9], 0.9, [[0.0], [3.0]], correlation=1.0)
    assert_allclose(repaired_probability(together, 8.6), 1 - 2 * 0.09 * 9 / 4, rtol=1e-6)


@pytest.mark.parametrize(("norm", "width"), [(1, np.sqrt(10)), (2, 2.0), (np.inf, 2.0)])
def test_the_lipschitz_constants_by_hand(norm, width):
    """A mean of n rows moves by sigma / sqrt(n) as its Gaussian moves by 1; classes add up as squares."""
    setting = all_right(norm)
    assert_allclose(setting.width, width)
    assert_allclose(setting.noise[1], width * np.sqrt(1 / 400 + 1 / 100))


@pytest.mark.parametrize("norm", NORMS)
def test_the_lipschitz_constant_is_the_steepest_slope(norm):
    """Of the summed norms of the means' noise, as a function of standard Gaussians: by its gradient."""
    setting = all_right(norm)
    scale = np.sqrt(setting.variances / setting.counts[:, None])
    rng = np.random.default_rng(0)
    at = np.concatenate([rng.normal(size=(2000, 2, 4)), np.eye(4)[:, None] * np.ones((4, 2, 1))])
    step = 1e-6
    value = np.linalg.norm(at * scale, ord=norm, axis=2).sum(axis=1)
    moved = at + step * np.eye(8).reshape(8, 1, 2, 4)
    slopes = (np.linalg.norm(moved * scale, ord=norm, axis=3).sum(axis=2) - value) / step
    steepest = np.linalg.norm(slopes, axis=0).max()
    assert steepest <= setting.noise[1] * (1 + 1e-4)
    assert steepest >= setting.noise[1] * 0.999


def test_the_expected_noise_by_hand():
    root = 1 / 20 + 1 / 10
    assert_allclose(all_right(1).noise[0], 6 * np.sqrt(2 / np.pi) * root)
    assert_allclose(all_right(2).noise[0], np.sqrt(10) * root)
    t = np.linspace(0, 20, 200_001)
    below = np.prod([2 * normal.cdf(t / s) - 1 for s in (1, 2, 2, 1)], axis=0)
    assert_allclose(all_right(np.inf).noise[0], trapezoid(1 - below, t) * root, rtol=2e-3)
    assert all_right(np.inf).noise[0] >= trapezoid(1 - below, t) * root


@pytest.mark.parametrize("norm", NORMS)
def test_the_sharp_form_is_a_gaussian_tail_where_no_label_is_wrong(norm):
    setting = all_right(norm)
    mean, scale = setting.noise
    assert_allclose(sharp_probability(setting, mean + 2 * scale), 1 - np.exp(-2), rtol=1e-9)


def test_the_sharp_form_by_hand_where_nothing_but_labels_varies():
    """Var 0.09 x 9 / n of each class; Cantelli where they hang together, Bernstein where they do not.

    Of splits in hundredths, the best leaves noise that is not there its one hundredth.
    """
    setting = MeanSetting([100, 50], [0.0], 0.9, [[0.0], [3.0]])
    variance, excess = 0.81 * 0.03, 0.5
    bernstein = np.exp(-(excess**2) / (2 * (variance + 3 / 50 * excess / 3)))
    assert bernstein < variance / (variance + excess**2)
    assert_allclose(sharp_probability(setting, 0.6 + excess / 0.99), 1 - bernstein, rtol=1e-9)
    together = MeanSetting([100, 50], [0.0], 0.9, [[0.0], [3.0]], correlation=1.0)
    cantelli = (2 * 0.3 * 3) ** 2
    assert_allclose(sharp_probability(together, 0.6 + 4 / 0.99), 1 - cantelli / (cantelli + 16), rtol=1e-9)


def test_wasserstein_is_the_linear_programmes_and_total_variation_where_all_are_1_apart(rng):
    weights, prior = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
    places = rng.normal(size=5)
    apart = np.abs(places[:, None] - places)
    A = np.vstack([np.kron(np.eye(5), np.ones(5)), np.kron(np.ones(5), np.eye(5))])
    exact = linprog(apart.ravel(), A_eq=A, b_eq=np.concatenate([weights, prior])).fun
    assert_allclose(wasserstein(weights, prior, apart), exact, atol=1e-8)
    assert_allclose(wasserstein(weights, prior, 1 - np.eye(5)), total_variation(weights, prior), atol=1e-8)


def test_ipm_by_hand_with_both_distances():
    """Two members, one chosen; N = 101, confidence 0.95: sqrt(d + ln(101 / 0.05) / 200)."""
    wrong = np.zeros((2, 101), dtype=bool)
    chance = np.log(101 / 0.05) / 200
    small = 1e-5
    near = ipm_bound(wrong, [1, 0], [0.9, 0.1], apart=[[0, small], [small, 0]])
    # A tenth of the weight moves by 4e-5, for each member of a pair.
    assert_allclose(near.bound, min(4 * np.sqrt(2 * 0.1 * 4 * small + chance), 1))
    many = np.zeros((2, 10_001), dtype=bool)
    chance = np.log(10_001 / 0.05) / 20_000
    near = ipm_bound(many, [1, 0], [0.9, 0.1], apart=[[0, small], [small, 0]])
    assert_allclose(near.bound, 4 * np.sqrt(2 * 0.1 * 4 * small + chance))
    # Of pairs: 1 on the first against 0.81 of the prior.
    far = ipm_bound(many, [1, 0], [0.999, 0.001])
    assert_allclose(far.bound, 4 * np.sqrt(1 - 0.999**2 + chance))
    assert tandem_loss(many) == 0


def test_the_gap_of_tandem_losses_is_lipschitz_in_the_share_on_which_members_differ(rng):
    """What `apart` rests on: the squared gap of two pairs that share a member differs by 4 a at most."""
    for _ in range(200):
        n, new = rng.integers(5, 40, 2)
        a = rng.uniform(0, 0.3)
        wrong = rng.random((3, n + new)) < rng.uniform(0, 1)
        wrong[1] = wrong[0] ^ (rng.random(n + new) < a)
        share = max((wrong[0] != wrong[1])[:n].mean(), (wrong[0] != wrong[1])[n:].mean())
        both = wrong[:2] & wrong[2]
        gaps = (both[:, n:].mean(axis=1) - both[:, :n].mean(axis=1)) ** 2
        assert abs(gaps[0] - gaps[1]) <= min(4 * share, 1) + 1e-12


def test_what_is_no_distance_is_refused():
    with pytest.raises(ValueError, match="apart must be 2 x 2 numbers, none below 0"):
        wasserstein([1, 0], [0, 1], [[0, -1], [1, 0]])

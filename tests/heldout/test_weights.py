import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar

from surelabel.heldout.weights import exponents, mixture_weights, sharpened


@pytest.fixture
def held_out(rng):
    """Held-out probabilities (M, n, K) of three members, of which the first is right most often."""
    codes = rng.integers(0, 3, 200)
    logits = rng.normal(size=(3, 200, 3))
    logits[np.arange(3)[:, None], np.arange(200), codes] += np.array([3.0, 1.0, 0.0])[:, None]
    P = np.exp(logits)
    return P / P.sum(axis=2, keepdims=True), codes


def test_the_power_1_changes_nothing_and_0_leaves_nothing(held_out):
    p = held_out[0][0]
    assert_allclose(sharpened(p, 1.0), p, rtol=1e-6)
    assert_allclose(sharpened(p, 0.0), 1 / 3)


def test_powers_keep_the_order_of_classes_and_multiply(held_out):
    p = held_out[0][0]
    assert (sharpened(p, 3.0).argsort(axis=1) == p.argsort(axis=1)).all()
    assert_allclose(sharpened(sharpened(p, 0.5), 1.6), sharpened(p, 0.8), rtol=1e-5)


def test_a_model_that_is_too_sure_is_made_less_so(held_out, rng):
    p, weight = sharpened(held_out[0][0], 1.0), np.ones(200)
    codes = (rng.random((200, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)  # drawn as p says: calibrated
    right, sharper, flatter = exponents(
        np.stack([p, sharpened(p, 3.0), sharpened(p, 0.4)]), codes, weight
    ).tolist()
    assert 0.8 < right < 1.25
    assert right / 3 < sharper < right / 2  # a little is held to 1
    assert flatter > 1.5


def test_exponents_are_those_of_a_general_optimiser_and_ignore_each_other(held_out):
    P, codes = held_out
    found = exponents(P, codes, np.ones(200))
    for p, power in zip(P, found, strict=True):

        def loss(x, p=p):
            fit = np.log(sharpened(p, np.exp(x))[np.arange(200), codes])
            return -fit.mean() + 0.02 * x**2

        best = minimize_scalar(loss, bounds=(-2.5, 2), method="bounded", options={"xatol": 1e-9}).x
        assert_allclose(power, np.exp(best), rtol=1e-4)
        assert_allclose(exponents(p[None], codes, np.ones(200)), power)


def test_weights_are_shares_and_the_better_member_has_more(held_out):
    w = mixture_weights(*held_out, np.ones(200))
    assert_allclose(w.sum(), 1)
    assert (np.diff(w) < 0).all()


def test_weights_move_with_their_members_and_ignore_the_order_of_rows(held_out, rng):
    P, codes = held_out
    members, rows = rng.permutation(3), rng.permutation(200)
    w = mixture_weights(P, codes, np.ones(200))
    assert_allclose(mixture_weights(P[members], codes, np.ones(200)), w[members])
    assert_allclose(mixture_weights(P[:, rows], codes[rows], np.ones(200)), w)


def test_a_row_of_weight_two_is_two_rows(held_out):
    P, codes = held_out
    twice = mixture_weights(P.repeat(2, axis=1), codes.repeat(2), np.ones(400))
    assert_allclose(mixture_weights(P, codes, np.full(200, 2.0)), twice)


def test_equal_members_and_no_rows_are_equal_weights(held_out):
    P, codes = held_out
    assert_allclose(mixture_weights(P[[0, 0]], codes, np.ones(200)), 0.5)
    assert_allclose(mixture_weights(P, codes, np.zeros(200)), 1 / 3)


def test_weights_are_those_of_a_general_optimiser(held_out):
    P, codes = held_out
    likelihood = P[:, np.arange(200), codes]

    def loss(logits):
        w = np.exp(logits - np.logaddexp.reduce(logits))
        return -np.log(w @ likelihood).sum() - np.log(w).sum()  # the prior: three rows, split evenly

    best = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12}).x
    expected = np.exp(best - np.logaddexp.reduce(best))
    assert_allclose(mixture_weights(P, codes, np.ones(200), n_iter=5000), expected, atol=1e-4)

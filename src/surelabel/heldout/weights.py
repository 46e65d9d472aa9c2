"""How much each candidate is worth: calibration and weights from rows that were held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, softmax

from ..common.types import Floats, Ints
from .record import HeldOut

_SMALLEST_PROBABILITY = 1e-6
# How strongly exponents are held to 1, and weights to each other, in held-out rows.
_TRUST_AS_IS = 0.02
_PRIOR_ROWS = 3.0
# Exponents are looked for within e**-2.5 and e**2; a step is at most a factor e.
_LEAST_LOG, _MOST_LOG, _LONGEST_STEP = -2.5, 2.0, 1.0
_STEPS = 12


@dataclass(frozen=True, eq=False)
class Blend:
    """One prediction from those of several candidates: each to a power, then their weighted mean.

    Parameters
    ----------
    exponents, weights : ndarrays of shape (C,)
        Of each candidate; weights sum to 1.
    """

    exponents: Floats
    weights: Floats

    def __call__(self, P: Floats) -> Floats:
        """From P (C, n, K) to the mean, shape (n, K)."""
        return np.tensordot(self.weights, sharpened(P, self.exponents[:, None, None]), axes=1)


def blend(held: HeldOut) -> Blend:
    """The blend that explains held-out classes best; the mean of all candidates where there is no row."""
    if not len(held):
        return Blend(np.ones(len(held.P)), np.full(len(held.P), 1 / len(held.P)))
    powers = exponents(held.P, held.codes, held.weight)
    sharp = sharpened(held.P, powers[:, None, None])
    return Blend(powers, mixture_weights(sharp, held.codes, held.weight))


def calibrated_blend(held: HeldOut) -> Callable[[Floats], Floats]:
    """The best blend, its mean to the power that fits the classes best: P (C, n, K) -> p (n, K)."""
    made = blend(held)
    if not len(held):
        return made
    power = exponents(made(held.P)[None], held.codes, held.weight)[0]
    return lambda P: sharpened(made(P), power)


def sharpened(p: Floats, exponent: float | Floats) -> Floats:
    """Probabilities to the power of exponent, normalised, shape of p."""
    return softmax(exponent * _logs(p), axis=-1)


def exponents(P: Floats, codes: Ints, weight: Floats) -> Floats:
    """The powers that make the probabilities of each candidate, P (C, n, K), fit the classes best, (C,).

    Below 1 where a candidate is too sure of itself. Newton's method on the logarithm of all powers at once.
    """
    logs, share = _logs(P), weight / weight.sum()
    actual = logs[:, np.arange(len(codes)), codes] @ share
    x = np.zeros(len(P))
    for _ in range(_STEPS):
        power = np.exp(x)
        p = np.exp(log_softmax(power[:, None, None] * logs, axis=2))
        mean = (p * logs).sum(axis=2)
        slope = power * (mean @ share - actual) + 2 * _TRUST_AS_IS * x
        # The curvature without the part that may be negative.
        bend = power**2 * (((p * logs**2).sum(axis=2) - mean**2) @ share) + 2 * _TRUST_AS_IS
        x = np.clip(x - np.clip(slope / bend, -_LONGEST_STEP, _LONGEST_STEP), _LEAST_LOG, _MOST_LOG)
    return np.exp(x)


def mixture_weights(P: Floats, codes: Ints, weight: Floats, n_iter: int = 300) -> Floats:
    """Weights under which the candidates' mean explains the held-out classes best, shape (C,).

    P (C, n, K) are held-out probabilities. Expectation maximisation of a concave function;
    the prior is worth three rows, split evenly.
    """
    likelihood = P[:, np.arange(len(codes)), codes].clip(_SMALLEST_PROBABILITY)
    w = np.full(len(P), 1 / len(P))
    for _ in range(n_iter):
        w = w * (likelihood @ (weight / (w @ likelihood))) + _PRIOR_ROWS / len(P)
        w /= w.sum()
    return w


def _logs(p: Floats) -> Floats:
    return np.log(np.clip(p, _SMALLEST_PROBABILITY, None))

"""How much each member of a committee is worth: calibration and weights from held-out rows."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from ..common.types import Floats, Ints

_SMALLEST_PROBABILITY = 1e-6
# How strongly exponents are held to 1, and weights to each other, in held-out rows.
_TRUST_AS_IS = 0.02
_PRIOR_ROWS = 3.0


def sharpened(p: Floats, exponent: float | Floats) -> Floats:
    """Probabilities to the power of exponent, normalised, shape of p."""
    return softmax(exponent * _logs(p), axis=-1)


def exponent(p: Floats, codes: Ints, weight: Floats) -> float:
    """The power that makes held-out probabilities p (n, K) fit the classes best, a float.

    Below 1 where a model is too sure of itself.
    """
    logs, rows = _logs(p), np.arange(len(codes))

    def loss(log_power: float) -> float:
        fit = log_softmax(np.exp(log_power) * logs, axis=1)[rows, codes]
        return -np.average(fit, weights=weight) + _TRUST_AS_IS * log_power**2

    return float(np.exp(minimize_scalar(loss, bounds=(-2.5, 2), method="bounded").x))


def mixture_weights(P: Floats, codes: Ints, weight: Floats, n_iter: int = 300) -> Floats:
    """Weights under which the members' mean explains the held-out classes best, shape (M,).

    P (M, n, K) are held-out probabilities. Expectation maximisation of a concave function;
    the prior is worth three rows, split evenly.
    """
    likelihood = P[:, np.arange(len(codes)), codes].clip(_SMALLEST_PROBABILITY)
    w = np.full(len(P), 1 / len(P))
    for _ in range(n_iter):
        share = w[:, None] * likelihood
        w = (share / share.sum(axis=0)) @ weight + _PRIOR_ROWS / len(P)
        w /= w.sum()
    return w


def _logs(p: Floats) -> Floats:
    return np.log(np.clip(p, _SMALLEST_PROBABILITY, None))

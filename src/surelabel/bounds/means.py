"""Theorem 1: how surely found labels estimate the class means, as printed and as it holds.

The error is the sum over classes of the distance between the mean of the rows found for a
class and the true mean. Each function maps a `MeanSetting` and delta to a probability that it
is at most delta. docs/theory.md derives them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..common.types import Floats
from .records import MeanBound
from .setting import MeanSetting

_SPLITS = np.linspace(0, 1, 101)[:, None]
_MOST_ROWS = 10**15


def printed_probability(setting: MeanSetting, delta: ArrayLike) -> Floats:
    """The probability as the paper prints it, shape of delta.

    It does not always hold: it lacks the shift by wrong labels, a square, and the split of
    delta over classes. The norm, and which of the other classes a wrong row is from, the paper
    leaves open; here they are the setting's norm and the farthest class.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float or array
        The summed error allowed.

    Returns
    -------
    ndarray of the shape of delta

    See Also
    --------
    mean_probability : What does hold.

    Examples
    --------
    >>> far = MeanSetting([1000, 1000], [1.0], 0.5, [[0.0], [100.0]])
    >>> float(printed_probability(far, 50.0).round(2))  # the error is close to 100, always
    0.92
    """
    delta = np.asarray(delta, dtype=float)
    squared = delta**2
    noise = 2 * np.exp(-_ratio(squared[..., None, None] * setting.counts[:, None], 8 * setting.variances))
    labels = 4 * setting.label_variance * setting.gaps
    return np.clip(1 - noise.sum(axis=(-2, -1)) - _ratio(labels.sum(), squared), 0, 1)


def repaired_probability(setting: MeanSetting, delta: ArrayLike) -> Floats:
    """The paper's own argument with its gaps closed, shape of delta.

    Chebyshev's inequality and a union over classes and columns, on what delta leaves after the
    bias, split evenly over 2 K terms.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float or array
        The summed error allowed.

    Returns
    -------
    ndarray of the shape of delta

    See Also
    --------
    sharp_probability : Without the union over classes and columns.
    mean_probability : The higher of the two.

    Examples
    --------
    >>> near = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> repaired_probability(near, [0.8, 2.0]).round(2)
    array([0.  , 0.98])
    """
    K, d = setting.means.shape
    slack = np.maximum(np.asarray(delta, dtype=float) - setting.bias, 0)
    part = slack / (2 * K)  # for the noise, and for the labels, of each class
    column = part / d ** (1 / setting.norm)
    noise = 2 * np.exp(-_ratio(column[..., None, None] ** 2 * setting.counts[:, None], 2 * setting.variances))
    spread = setting.correlation + (1 - setting.correlation) / setting.counts
    labels = (setting.label_variance * spread * setting.gaps**2).sum()
    return np.clip(1 - noise.sum(axis=(-2, -1)) - _ratio(labels, part**2), 0, 1)


def sharp_probability(setting: MeanSetting, delta: ArrayLike) -> Floats:
    """Without any union over classes or columns, shape of delta.

    The summed noise is a Lipschitz function of Gaussians, and the summed shift by wrong labels
    one variable with a known variance; delta less bias and expected noise is split
    between these two as is best.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float or array
        The summed error allowed.

    Returns
    -------
    ndarray of the shape of delta

    See Also
    --------
    repaired_probability : The paper's own argument.
    mean_probability : The higher of the two.

    Examples
    --------
    >>> near = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> sharp_probability(near, [0.8, 2.0]).round(2)
    array([0.68, 1.  ])
    """
    noise_mean, noise_scale = setting.noise
    slack = np.maximum(np.asarray(delta, dtype=float) - setting.bias - noise_mean, 0)
    flat = slack.reshape(1, -1)
    noise = np.exp(-_ratio(((1 - _SPLITS) * flat) ** 2, 2 * noise_scale**2))
    failure = noise + _label_tail(setting, _SPLITS * flat)
    return np.clip(1 - failure.min(axis=0), 0, 1).reshape(slack.shape)


def mean_probability(setting: MeanSetting, delta: ArrayLike) -> Floats:
    """At least this surely the summed error is at most delta: the better of two bounds, shape of delta.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float or array
        The summed error allowed.

    Returns
    -------
    ndarray of the shape of delta

    See Also
    --------
    repaired_probability, sharp_probability : The two.
    mean_bound : The same as a sentence.

    Examples
    --------
    >>> near = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> mean_probability(near, [0.2, 0.8, 1.2]).round(2)
    array([0.  , 0.68, 1.  ])
    """
    return np.maximum(repaired_probability(setting, delta), sharp_probability(setting, delta))


def mean_bound(setting: MeanSetting, delta: float) -> MeanBound:
    """What holds for delta, beside what is printed.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float
        The summed error allowed.

    Returns
    -------
    MeanBound

    See Also
    --------
    error_for : The delta of a probability.
    estimated_setting : The quantities of a fitted classifier.

    Examples
    --------
    >>> print(mean_bound(MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]]), 0.8))
    error at most 0.8 with probability 0.68 or more (as printed in the paper: 0.00)
    """
    return MeanBound(
        float(delta),
        float(mean_probability(setting, delta)),
        float(printed_probability(setting, delta)),
        setting.bias,
    )


def error_for(setting: MeanSetting, probability: float = 0.95) -> float:
    """The smallest delta that holds with the given probability.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    probability : float, default=0.95
        How surely it is to hold.

    See Also
    --------
    mean_bound : The probability of a delta.
    rows_needed : How many rows bring it down.

    Examples
    --------
    >>> near = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> round(error_for(near, 0.95), 2)
    0.94
    """
    _check_probability(probability)
    labels = np.sqrt(setting.label_variance.max()) * setting.gaps.max()
    # Where nothing varies, any small number above the bias is enough.
    scale = sum(setting.noise) + labels or 1e-9 * max(setting.bias, 1.0)
    low, high = 0.0, scale
    while mean_probability(setting, setting.bias + high) < probability:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        enough = mean_probability(setting, setting.bias + middle) >= probability
        low, high = (low, middle) if enough else (middle, high)
    return float(setting.bias + high)


def rows_needed(setting: MeanSetting, delta: float, probability: float = 0.95) -> int:
    """The smallest number of found rows, in the shares of the setting, for delta to hold that surely.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities.
    delta : float
        The summed error allowed.
    probability : float, default=0.95
        How surely it is to hold.

    See Also
    --------
    error_for : The error that the setting's own rows allow.

    Examples
    --------
    >>> near = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> rows_needed(near, 0.8)
    638
    >>> rows_needed(near, 0.2)
    Traceback (most recent call last):
    ...
    ValueError: No number of rows gives an error of 0.2 with probability 0.95: 0.283 may remain. ...
    """
    _check_probability(probability)

    def enough(n: int) -> bool:
        return bool(mean_probability(setting.resized(n), delta) >= probability)

    if not enough(_MOST_ROWS):
        least = error_for(setting.resized(_MOST_ROWS), probability)
        raise ValueError(
            f"No number of rows gives an error of {delta:.3g} with probability {probability:.3g}: "
            f"{least:.3g} may remain. Allow more than that, or find labels that are right more often."
        )
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def selection_shift(correct: ArrayLike, share: ArrayLike, prior: ArrayLike) -> Floats:
    """How far choosing rows by what they look like can move a class mean, in standard deviations, shape (K,).

    The theorem takes rows to be right or wrong whatever they look like. A model chooses them by
    their looks, and of a Gaussian the part of probability a has its mean at most
    density(quantile(a)) / a standard deviations from the whole, whichever part it is.

    Parameters
    ----------
    correct : array of shape (K,)
        Probability that a label found for the class is right.
    share : array of shape (K,)
        Share of all unlabelled rows that got the class.
    prior : array of shape (K,)
        Share of all unlabelled rows that are of the class.

    Returns
    -------
    ndarray of shape (K,)

    See Also
    --------
    MeanSetting : Takes it, times the deviation of a row, as `shift`.

    Examples
    --------
    >>> selection_shift([1.0, 1.0], [0.5, 0.25], [0.5, 0.5]).round(2)  # half of the second class is left out
    array([0. , 0.8])
    """
    correct, share, prior = (np.asarray(value, dtype=float) for value in (correct, share, prior))
    right = _ratio(share * correct, prior)
    wrong = _ratio(share * (1 - correct), 1 - prior)
    return correct * _farthest_mean(right) + (1 - correct) * _farthest_mean(wrong)


def with_shift(setting: MeanSetting, share: ArrayLike, prior: ArrayLike) -> MeanSetting:
    """The setting with the most that the choice of rows can do added to its bias."""
    shift = setting.width * selection_shift(setting.correct, share, prior)
    return replace(setting, shift=shift)


def _farthest_mean(part: Floats) -> Floats:
    """Mean of the upper `part` of a standard normal, shape of part; 0 for all or nothing of it."""
    part = np.clip(part, 0, 1)
    inside = (part > 0) & (part < 1)
    a = np.where(inside, part, 0.5)
    return np.where(inside, np.exp(-(ndtri(a) ** 2) / 2) / np.sqrt(2 * np.pi) / a, 0.0)


def _label_tail(setting: MeanSetting, excess: Floats) -> Floats:
    """Probability that wrong labels cost `excess` more than on average, shape of excess."""
    v, gaps, rho = setting.label_variance, setting.gaps, setting.correlation
    alone = (v * gaps**2 / setting.counts).sum()
    together = (np.sqrt(v) * gaps).sum() ** 2  # by Cauchy and Schwarz, however they depend on each other
    variance = (1 - rho) * alone + rho * together
    if variance == 0:
        return np.zeros_like(excess)
    tail = variance / (variance + excess**2)  # Cantelli
    if rho == 0:
        largest = (gaps / setting.counts).max()
        tail = np.minimum(tail, np.exp(-(excess**2) / (2 * (variance + largest * excess / 3))))  # Bernstein
    return tail


def _ratio(top: ArrayLike, bottom: ArrayLike) -> Floats:
    """A quotient where 0 / 0 is 0: what is not there cannot err."""
    top, bottom = np.broadcast_arrays(np.asarray(top, dtype=float), np.asarray(bottom, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(top == 0, 0.0, top / np.where(bottom == 0, 0.0, bottom))


def _check_probability(probability: float) -> None:
    if not 0 < probability < 1:
        raise ValueError(f"probability must be between 0 and 1; it is {probability}.")

"""How good a method's probabilities are: of the rows for the test, and of the unlabelled ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..common.types import Floats, Ints
from .datasets import Split
from .grid import Outcome, percent_right

_BINS = 15
_LEAST_P = 1e-6  # what a loss takes for a probability of 0
_DIGITS = 4
_LONGEST = 200  # characters of a warning that are kept


@dataclass(frozen=True)
class Said:
    """What a method says of the rows whose labels it was not given.

    Parameters
    ----------
    pool, test : ndarray of shape (N, K)
        Probabilities.
    details : dict
        What else it knows.
    seconds : dict
        Seconds, where it knows better than a clock around it.
    warned : list of str
        What it warned of.
    """

    pool: Floats
    test: Floats
    details: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)


def judged(split: Split, said: Said) -> Outcome:
    """What comes of it: accuracies, losses and calibration."""
    details: dict[str, Any] = {
        "pool_accuracy": percent_right(said.pool.argmax(axis=1), split.y_u),
        "log_loss": log_loss(said.test, split.y_t),
        "pool_log_loss": log_loss(said.pool, split.y_u),
        "calibration": calibration_error(said.pool, split.y_u),
        "calibration_by_tenths": error_by_tenths(said.pool, split.y_u),
        "stated": stated(said.pool, split.y_u),
        "warnings": len(said.warned),
    }
    if said.warned:
        details["warned"] = sorted({text.splitlines()[0][:_LONGEST] for text in said.warned if text})
    accuracy = percent_right(said.test.argmax(axis=1), split.y_t)
    return Outcome(accuracy, details | said.details, dict(said.seconds))


def log_loss(p: Floats, codes: Ints) -> float:
    """Mean of -log of the true class's probability; of 0 as if it were a millionth.

    Examples
    --------
    >>> log_loss(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0]))
    0.3466
    """
    of_truth = np.maximum(p[np.arange(len(codes)), codes], _LEAST_P)
    return round(float(-np.log(of_truth).mean()), _DIGITS)


def calibration_error(p: Floats, codes: Ints) -> float:
    """How far stated and true shares of right labels differ, in percent: the mean over 15 bins of equal mass.

    Examples
    --------
    >>> calibration_error(np.array([[0.9, 0.1]] * 15), np.zeros(15, dtype=int))
    10.0
    """
    sure, right = p.max(axis=1), p.argmax(axis=1) == codes
    bins = np.array_split(np.argsort(sure, kind="stable"), _BINS)
    apart = sum(abs((sure[rows] - right[rows]).sum()) for rows in bins)
    return round(float(100 * apart / len(codes)), _DIGITS)


def error_by_tenths(p: Floats, codes: Ints) -> float:
    """The same over ten bins of equal width, as it is most often measured; few rows blur it less.

    Examples
    --------
    >>> error_by_tenths(np.array([[0.95, 0.05], [0.45, 0.55]]), np.array([0, 0]))
    30.0
    """
    sure, right = p.max(axis=1), p.argmax(axis=1) == codes
    tenths = _tenths(p)
    apart = sum(abs((sure[tenths == k] - right[tenths == k]).sum()) for k in range(10))
    return round(float(100 * apart / len(codes)), _DIGITS)


def stated(p: Floats, codes: Ints) -> list[list[int]]:
    """Rows whose label is stated at 0 to 0.1, ... 0.9 to 1, and how many of these labels are right.

    Examples
    --------
    >>> stated(np.array([[0.85, 0.15], [0.2, 0.8]]), np.array([0, 0]))[8]
    [2, 1]
    """
    tenths, right = _tenths(p), p.argmax(axis=1) == codes
    return [[int((tenths == k).sum()), int(right[tenths == k].sum())] for k in range(10)]


def _tenths(p: Floats) -> Ints:
    """Which tenth the probability of each guess lies in, shape (N,)."""
    # In floating point 0.8 may be a bit less.
    return np.minimum((10 * p.max(axis=1) + 1e-9).astype(int), 9)

"""For every share right: how many rows can be filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.types import Bools, Floats, Ints
from .average import on_average
from .confident import N_STEPS, with_confidence
from .evidence import Evidence
from .steps import Steps, estimated_error, steps_of

# Shares right: from 50% to 80% by five points, to 98% by one, then 98.5, 99 and 99.5%.
GRID = (*(n / 100 for n in (*range(50, 80, 5), *range(80, 99))), 0.985, 0.99, 0.995)


@dataclass(frozen=True, eq=False)
class Curve:
    """How many rows can be filled, by the share that is to be right.

    Parameters
    ----------
    right : ndarray of shape (G,)
        Shares right.
    estimated, average, confident : ndarrays of shape (G,)
        Rows that can be filled: as far as held-out rows and stated probabilities tell, without a promise;
        with the promise on average; with the promise that holds with `confidence`.
    confidence : float
        Of the last.
    m : int
        Unlabelled rows.
    """

    right: Floats
    estimated: Ints
    average: Ints
    confident: Ints
    confidence: float
    m: int


def fill_curve(evidence: Evidence, confidence: float = 0.9, right: Sequence[float] = GRID) -> Curve:
    """How many rows can be filled for each share right.

    Every point is a decision by itself: the promise holds for the one that is chosen beforehand.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score = 1 - 0.5 * rng.random(1200) ** 3
    >>> right, zeros = rng.random(1200) < score, np.zeros(1200, int)
    >>> evidence = Evidence(score[:200], zeros[:200], right[:200], np.ones(200), score[200:], zeros[200:], 1)
    >>> curve = fill_curve(evidence, right=[0.8, 0.9, 0.95])
    >>> curve.estimated.tolist(), curve.average.tolist(), curve.confident.tolist()
    ([1000, 919, 707], [1000, 924, 721], [1000, 800, 260])
    """
    steps = steps_of(evidence)
    few = steps.spread(N_STEPS)
    error = estimated_error(steps)
    estimated = [_filled(steps, _last(error <= 1 - share + 1e-12)) for share in right]
    average = [_filled(steps, on_average(steps, share)) for share in right]
    confident = [_filled(few, with_confidence(few, share, confidence)) for share in right]
    return Curve(
        np.array(right), np.array(estimated), np.array(average), np.array(confident), confidence, steps.m
    )


def _last(passed: Bools) -> int:
    places = np.flatnonzero(passed)
    return int(places[-1]) if len(places) else -1


def _filled(steps: Steps, place: int) -> int:
    return int(steps.filled[place]) if place >= 0 else 0

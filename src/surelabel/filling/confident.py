"""The confident form: at least `right` of the filled labels are right, with a confidence.

Thresholds are tested from strict to loose until the first that fails (fixed-sequence testing); the last that
passed is used. With several classes each has such a sequence, and Holm's method shares the risk among them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..common.types import Floats, Ints
from .bounds import chance_if_worse
from .steps import Steps

# Thresholds that are tested, at even shares of the rows.
N_STEPS = 50
_NEARLY = 1e-12


def with_confidence(steps: Steps, right: float, confidence: float) -> int:
    """The loosest step before the first that fails; -1 if none passes.

    Parameters
    ----------
    steps : Steps
        Few of them (`Steps.spread`), from strict to loose.
    right, confidence : float
        What is asked.
    """
    return int(last_passed([steps], right, confidence)[0])


def last_passed(each: Sequence[Steps], right: float, confidence: float) -> Ints:
    """The loosest step of each class before the first that fails, shape (K,), -1 if none passes.

    With this confidence the promise holds in all classes at once. The risk is shared evenly among the classes
    that have rows enough; a class of which all steps passed leaves its share to the others (Holm).
    """
    risk = 1 - confidence + _NEARLY
    chances = [chance_if_worse(steps.n, steps.wrong, steps.filled, right) for steps in each]
    best = [chance_if_worse(steps.n, 0 * steps.wrong, steps.filled, right) for steps in each]
    open_ = [k for k, chance in enumerate(best) if (chance <= risk).any()]
    passed = np.full(len(each), -1)
    shares = np.zeros(len(each))
    shares[open_] = risk / max(len(open_), 1)
    while open_:
        for k in open_:
            passed[k] = _passed(chances[k], best[k], shares[k])
        done = [k for k in open_ if passed[k] == len(each[k]) - 1]
        if not done or len(done) == len(open_):
            break
        open_ = [k for k in open_ if k not in done]
        shares[open_] += shares[done].sum() / len(open_)
    return passed


def _passed(chance: Floats, best: Floats, risk: float) -> int:
    """The last step before the first failure; steps that fail even if no row is wrong are left out."""
    able = np.flatnonzero(best <= risk)
    failed = np.flatnonzero(chance[able] > risk)
    stop = failed[0] if len(failed) else len(able)
    return int(able[stop - 1]) if stop else -1

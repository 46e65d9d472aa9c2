"""The confident form: at least `right` of the filled labels are right, with a confidence.

Thresholds are tested from one to looser ones until the first that fails (fixed-sequence testing); the last
that passed is used. The first is the one most likely to pass if stated probabilities are true: the order of
tests may depend on scores, not on which guesses were right. A sequence from the strictest threshold on would
often end at once, by a single wrong row. With several classes each has its sequence, and Holm's method shares
the risk.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtr

from ..common.types import Ints
from .bounds import most_allowed
from .steps import Steps

# Thresholds that are tested, at even shares of the rows.
N_STEPS = 50
# Wrong rows in addition to those that the stated probabilities say, of all held-out rows.
_MORE_WRONG = 0.5
_NEARLY = 1e-9


def with_confidence(steps: Steps, right: float, confidence: float) -> int:
    """The loosest step before the first that fails; -1 if the first fails.

    Parameters
    ----------
    steps : Steps
        Few of them (`Steps.spread`), from strict to loose.
    right, confidence : float
        What is asked.
    """
    return int(last_passed([steps], right, confidence)[0])


def last_passed(each: Sequence[Steps], right: float, confidence: float) -> Ints:
    """The loosest step of each class before the first that fails, shape (K,), -1 if the first fails.

    With this confidence the promise holds in all classes at once. The risk is shared evenly among the classes
    that have rows enough; a class of which all steps passed leaves its share to the others (Holm).
    """
    risk = 1 - confidence
    able = [(most_allowed(steps.n, steps.filled, right, risk) >= 0).any() for steps in each]
    passed, shares = np.full(len(each), -1), np.where(able, risk / max(sum(able), 1), 0.0)
    left = np.flatnonzero(able)
    while len(left):
        for k in left.tolist():
            passed[k] = _passed(each[k], right, shares[k])
        done = np.array([passed[k] == len(each[k]) - 1 for k in left.tolist()])
        if not done.any() or done.all():
            break
        shares[left[~done]] += shares[left[done]].sum() / (~done).sum()
        left = left[~done]
    return passed


def _passed(steps: Steps, right: float, risk: float) -> int:
    """The last step before the first failure; steps that would fail without any wrong row are left out."""
    allowed = most_allowed(steps.n, steps.filled, right, risk)
    able = np.flatnonzero(allowed >= 0)
    if not len(able):
        return -1
    allowed, n, wrong = allowed[able], steps.n[able], steps.wrong[able]
    expected = np.minimum(steps.stated[able] + _MORE_WRONG / steps.n_all, 1.0)
    first = int(bdtr(allowed, np.floor(n + _NEARLY).astype(int), expected).argmax())
    failed = np.flatnonzero(wrong[first:] > allowed[first:] + _NEARLY)
    stop = first + failed[0] if len(failed) else len(able)
    return int(able[stop - 1]) if stop > first else -1

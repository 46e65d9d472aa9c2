"""How many more labels a promise would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.types import Bools, Floats
from .bounds import most_wrong, rows_needed
from .confident import N_STEPS
from .evidence import Evidence
from .steps import Steps, estimated_error, steps_of

_NEARLY = 1e-9
# Errors fall with the number of labels to this power: what predicts best on tables for choosing.
_LEARNING = 0.8
# In three of four cases on all tables the true number of further labels was within these factors of it.
_LOW, _HIGH = 1 / 14, 3.0
# Numbers of labels that are looked at: each is so much more than the one before, up to so many times today's.
_FACTOR, _MOST = 1.02, 100.0
SHARES = (0.5, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class More:
    """How many more labels at random it takes until a share of the table can be filled under the promise.

    Parameters
    ----------
    share : float
        Of the unlabelled rows.
    labels : int or None
        Further labels; 0 if it can be filled now, None if no number that the table has seems enough. A rough
        figure: in the median it is off by a factor of two, more often too high than too low (`between`).
    """

    share: float
    labels: int | None

    @property
    def between(self) -> tuple[int, int] | None:
        """Where the number lies in about three of four cases; None where none seems enough.

        Examples
        --------
        >>> More(0.8, 100).between
        (7, 300)
        """
        return None if self.labels is None else (int(_LOW * self.labels), int(np.ceil(_HIGH * self.labels)))


def rows_missing(steps: Steps, right: float, confidence: float | None) -> int:
    """The fewest further random labels, all of them guessed right, with which something can be filled.

    0 where something can be filled now. It is the least that it takes, not what is to be expected.
    """
    some = steps.spread(N_STEPS)
    share = some.filled / max(some.m, 1)
    if not len(some):
        return int(rows_needed(np.array(0), right, confidence))
    if confidence is None:
        # One wrong row more, or, where little is stated to be wrong, as many as there were.
        one_more = np.ceil((1 + some.wrong_of_all) / (1 - right) / share - _NEARLY) - 1
        enough = np.ceil(1 / (1 - right) / share - _NEARLY) - 1
        seen = np.ceil(some.wrong_of_all / (1 - right) / share - _NEARLY)
        stated = some.expected <= 1 - right + _NEARLY
        least = np.where(stated, np.maximum(enough, seen), one_more) - some.n_all
    else:
        wrong = np.ceil(some.wrong - _NEARLY).astype(int)
        least = np.ceil((rows_needed(wrong, right, confidence) - some.n) / share - _NEARLY)
    return max(int(least.min()), 0)


def labels_needed(
    evidence: Evidence,
    right: float = 0.95,
    confidence: float | None = None,
    shares: Sequence[float] = SHARES,
) -> tuple[More, ...]:
    """How many more labels at random it takes until shares of the table can be filled under the promise.

    With more labels the bounds come closer to the errors, and the errors themselves become fewer. What is
    known of them now is what held-out rows and stated probabilities tell of the best rows, by their share.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score = 1 - 0.5 * rng.random(1200) ** 3
    >>> right, zeros = rng.random(1200) < score, np.zeros(1200, int)
    >>> evidence = Evidence(score[:200], zeros[:200], right[:200], np.ones(200), score[200:], zeros[200:], 1)
    >>> [(each.share, each.labels) for each in labels_needed(evidence, 0.9, confidence=0.9)]
    [(0.5, 0), (0.8, 0), (0.9, 64), (0.95, 122)]
    """
    steps = steps_of(evidence)
    if not len(steps):
        return tuple(More(share, None) for share in shares)
    some = steps.spread(N_STEPS)
    share, error = some.filled / some.m, estimated_error(some)
    now = max(steps.n_all, 1.0)
    most = min(_MOST * now, now + steps.m)
    numbers = _numbers(now, most)
    reached = np.array(
        [_reached(n, share, error * (now / n) ** _LEARNING, right, confidence) for n in numbers]
    )
    return tuple(More(one, _first(numbers - now, reached >= one - _NEARLY)) for one in shares)


def _numbers(now: float, most: float) -> Floats:
    """Numbers of labels to look at."""
    return np.minimum(now * _FACTOR ** np.arange(int(np.log(most / now) / np.log(_FACTOR)) + 2), most)


def _reached(n: float, share: Floats, error: Floats, right: float, confidence: float | None) -> float:
    """The share that can be filled with n labels if the best rows, by their share, have these errors."""
    wrong = n * share * error
    if confidence is None:
        passed = np.maximum(error, 1 / (1 + n) / share) <= 1 - right + _NEARLY
    else:
        passed = most_wrong(n * share, wrong, confidence) <= 1 - right
    return float(share[passed].max(initial=0.0))


def _first(labels: Floats, enough: Bools) -> int | None:
    return int(np.ceil(labels[enough.argmax()])) if enough.any() else None

"""How the committee is trained, round after round and for the guard, doing nothing twice."""

from __future__ import annotations

from copy import copy
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..committees.member_fitting import fit_weighted, seeded
from ..common.limits import LARGEST_SEED
from ..reading.features import take

# Unlabelled rows that are shown to a committee that can learn from them.
_CONTEXT_ROWS = 20_000
# Steps beyond any round: the final classifier, the guard, and runs that hold out rows.
FINAL, GUARD, GUARD_POOL, _HELD_OUT = 1_000_000, 1_000_001, 1_000_002, 2_000_000


class Trainer:
    """Trains the committee anew in each round, on what is labelled by then.

    A committee with a method `refit` is asked to keep what its first `fit` found out about
    its members. One that learns from unlabelled rows is shown some of the pool. What is
    random in a round depends on the seed and the round alone, so that a run can go on
    where another was cut off.

    Parameters
    ----------
    committee : committee
        Copied, never fitted itself.
    random_state : int or RandomState, optional
        Seeds the copies.
    """

    def __init__(self, committee, random_state=None):
        self.committee = committee
        self.seed = random_state
        if not isinstance(random_state, Integral):
            self.seed = check_random_state(random_state).randint(LARGEST_SEED)
        self.first: Any = None
        self._seeing: Any = None
        self._first_labels: Any = None
        self._last: Any = None

    @property
    def shows_pool(self):
        """Whether unlabelled rows take part in training."""
        return self._seeing is None and getattr(self.committee, "uses_unlabeled", False)

    @property
    def settles(self):
        """Whether training again on nearly the same labels gives nearly the same committee.

        Not where members are drawn anew each time.
        """
        return hasattr(self.committee, "refit")

    def rng(self, step=0):
        """The random numbers of one step, a RandomState."""
        return np.random.RandomState([self.seed, step] if step else self.seed)

    def __call__(self, X, labels):
        """A committee fitted on the labels so far."""
        step = labels.last
        if step and self.first is None and self.settles:
            self(X, labels.before(1))  # another run did so
        rows, codes, weight = labels.training()
        known = labels.places(rows), codes, np.ones(len(rows)) if weight is None else weight
        if self._last is not None and all(map(np.array_equal, known, self._last[0])):
            return self._last[1]  # nothing was labelled since
        data = take(X, rows), codes, weight, self._context(X, labels.pool, step)
        like: Any = None if self._seeing is None else self._seeing._fitted_on(known)
        if self.first is not None and hasattr(self.first, "refit"):
            given = np.where(labels.round[rows] == 0, labels.weight[rows], 0.0)
            fitted = copy(self.first).refit(*data, like=like, given=given)
        elif hasattr(like, "blind"):
            fitted = like.blind(*data[:3])
        else:
            fitted = fit_weighted(seeded(self.committee, self.rng(step)), *data)
        if self.first is None:
            self.first, self._first_labels = fitted, known
        self._last = known, fitted
        return fitted

    def blind(self):
        """A trainer that shows labelled rows only, also where the committee could learn from others.

        What this trainer made of the same labels is taken over as far as it is blind too.
        """
        other = Trainer(self.committee, self.seed)
        other._seeing = self
        return other

    def without(self, held, seeing=None):
        """A trainer for a run that holds out some rows of the first fit.

        A blind one takes over from `seeing`, the trainer of the same run that is not.
        """
        other = Trainer(self.committee, self.rng(_HELD_OUT + int(held[0])).randint(LARGEST_SEED))
        if hasattr(self.first, "without"):
            other.first = self.first.without(held)
        other._seeing = seeing
        return other

    def _fitted_on(self, known):
        """The committee of these labels, if it is still there."""
        for labels, fitted in [(self._first_labels, self.first), self._last or (None, None)]:
            if labels is not None and all(map(np.array_equal, known, labels)):
                return fitted
        return None

    def _context(self, X, pool, step):
        if not self.shows_pool or not len(pool):
            return None
        return take(X, pool[self.shown(len(pool), step)])

    def shown(self, n, step):
        """Ranks in a pool of n of the rows that are shown to the committee in a step."""
        return some_of(n, _CONTEXT_ROWS, self.rng(step))


def some_of(n, most, rng):
    """Ranks of at most `most` of n rows, drawn at random, ascending; without an array of n.

    Examples
    --------
    >>> some_of(10**12, 3, np.random.RandomState(0)).shape
    (3,)
    """
    if n <= most:
        return np.arange(n)
    generator = np.random.default_rng(rng.randint(LARGEST_SEED))
    return np.sort(generator.choice(n, most, replace=False, shuffle=False))

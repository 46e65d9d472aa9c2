"""The loop: train, judge, allocate, repeat. A generator of `Round` records.

Progress bars, early stopping and asking a person are the caller's `for`:

>>> import numpy as np
>>> from sklearn.naive_bayes import GaussianNB
>>> from surelabel import Repeated, Threshold, TTest
>>> rng = np.random.default_rng(0)
>>> X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(4, 1, (50, 2))])
>>> labels = Labels.start(np.r_[[0] * 3, [-1] * 47, [1] * 3, [-1] * 47], n_classes=2)
>>> parts = Parts(Repeated(GaussianNB(), 5, over="bootstrap"), TTest(), Threshold())
>>> for round in rounds(X, labels, parts, prior=np.array([0.5, 0.5]), n_rounds=2, random_state=0):
...     print(round)
round 1: 94 unlabelled, 46 sure, 32 labelled
round 2: 62 unlabelled, 45 sure, 22 labelled
>>> int((labels.codes >= 0).sum())
60
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .allocation import Allocation, Status
from .budget import Budget, ramp
from .committee import aligned, seeded
from .confidence import two_best
from .features import take
from .transport import Certificate


@dataclass(frozen=True)
class Parts:
    """The cell of the grid: who votes, whom to trust, how to allocate.

    Parameters
    ----------
    committee : classifier with `predict_members`
        What yields P.
    confidence : callable
        P (M, N, K) -> confidence (N,).
    allocator : callable
        (p (N, K), Budget) -> Allocation.
    negatives : callable, optional
        (P (M, N, K), Budget) -> soft targets (N, K) of rows with a class ruled out.
    """

    committee: Any
    confidence: Callable
    allocator: Callable
    negatives: Callable | None = None


@dataclass(frozen=True)
class Round:
    """What happened in one round.

    Parameters
    ----------
    number : int
        Counted from 1.
    budget : Budget
        Share of the pool, class prior and pool size; its `quota` is the most per class.
    candidates : int
        Rows the committee was sure of.
    selected : ndarray of shape (K,)
        Rows labelled, by class.
    negatives : int
        Rows with a class ruled out.
    rows, codes : ndarrays of shape (n,)
        Which rows were labelled, and how.
    seconds : dict
        Wall time of "train", "predict", "confidence", "allocate".
    certificate : Certificate or None
        What the transport solver says of its plan.
    """

    number: int
    budget: Budget
    candidates: int
    selected: np.ndarray
    negatives: int
    rows: np.ndarray
    codes: np.ndarray
    seconds: dict[str, float]
    certificate: Certificate | None = None

    @property
    def pool(self) -> int:
        """Rows unlabelled when the round began."""
        return self.budget.pool

    def __str__(self):
        line = (
            f"round {self.number}: {self.pool} unlabelled, {self.candidates} sure, {len(self.rows)} labelled"
        )
        return line + (f", {self.negatives} with a class ruled out" if self.negatives else "")


@dataclass
class Labels:
    """What is known of every row so far; `rounds` writes into it.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each row; -1 is unlabelled.
    weight : ndarray of shape (n,)
        Sample weights.
    n_classes : int
        K.
    round : ndarray of shape (n,)
        Round in which the row was labelled; 0 is given, -1 never.
    guess, runner_up : ndarrays of shape (n,)
        The two best classes when the committee was last asked; -1 never asked.
    probability : ndarray of shape (n,)
        Of the label, or of the guess where there is none.
    confidence : ndarray of shape (n,)
        Above 0 is trusted.
    status : ndarray of shape (n,)
        A `Status` each.
    soft : ndarray of shape (n, K) or None
        Soft targets of unlabelled rows with a class ruled out.
    """

    codes: np.ndarray
    weight: np.ndarray
    n_classes: int
    round: np.ndarray
    guess: np.ndarray
    runner_up: np.ndarray
    probability: np.ndarray
    confidence: np.ndarray
    status: np.ndarray
    soft: np.ndarray | None = field(default=None, repr=False)

    @classmethod
    def start(cls, codes, n_classes, weight=None):
        """Labels before the first round."""
        n = len(codes)
        weight = np.ones(n) if weight is None else weight
        given = codes >= 0
        left = np.where(weight > 0, Status.UNASKED, Status.WEIGHTLESS)
        return cls(
            codes=codes.copy(),
            weight=weight,
            n_classes=n_classes,
            round=np.where(given, 0, -1),
            guess=np.full(n, -1),
            runner_up=np.full(n, -1),
            probability=np.full(n, np.nan),
            confidence=np.full(n, np.nan),
            status=np.where(given, Status.GIVEN, left).astype(object),
        )

    @property
    def pool(self):
        """Rows still unlabelled, as positions."""
        return np.flatnonzero((self.codes < 0) & (self.weight > 0))

    def training(self):
        """What to train on: rows, codes, and weights (None if all are 1).

        A row with soft targets comes once per class, weighted by its share.
        """
        rows = np.flatnonzero((self.codes >= 0) & (self.weight > 0))
        codes, weight = self.codes[rows], self.weight[rows]
        if self.soft is not None:
            seen = np.bincount(codes, minlength=self.n_classes) > 0
            cells = (self.soft > 0) & (self.codes < 0)[:, None] & seen
            soft_rows, soft_codes = np.nonzero(cells)
            share = self.soft[soft_rows, soft_codes]
            rows = np.concatenate([rows, soft_rows])
            codes = np.concatenate([codes, soft_codes])
            weight = np.concatenate([weight, share * self.weight[soft_rows]])
        return rows, codes, None if (weight == 1).all() else weight

    def record(self, pool, number, p, confidence, allocation: Allocation, candidates):
        """Write down what the round found of each row of the pool."""
        codes = np.full(len(pool), -1)
        codes[candidates] = allocation.codes
        status = np.full(len(pool), Status.UNSURE, dtype=object)
        status[candidates] = allocation.status
        best, second = two_best(p)
        shown = np.where(codes >= 0, codes, best)
        self.codes[pool] = codes
        self.round[pool] = np.where(codes >= 0, number, -1)
        self.guess[pool] = best
        self.runner_up[pool] = np.where(shown == best, second, best)
        self.probability[pool] = p[np.arange(len(pool)), shown]
        self.confidence[pool] = confidence
        self.status[pool] = status


def votes(committee, X, labels: Labels, rows):
    """Probabilities of each member of a fitted committee for some rows, shape (M, N, K)."""
    return aligned(committee.predict_members(take(X, rows)), committee.classes_, labels.n_classes)


def rounds(X, labels: Labels, parts: Parts, *, prior, n_rounds=5, random_state=None) -> Iterator[Round]:
    """Label the pool round by round.

    Parameters
    ----------
    X : matrix or frame with n rows
        All rows, labelled or not, in the form `Columns` gives.
    labels : Labels
        What is known; written into.
    parts : Parts
        The method.
    prior : ndarray of shape (K,)
        Class frequencies, summing to 1.
    n_rounds : int, default=5
        Most rounds. Ends early when the pool is empty or nothing was selected.
    random_state : int or RandomState, optional
        Seeds the committees.

    Yields
    ------
    Round
    """
    rng = check_random_state(random_state)
    for number, share in enumerate(ramp(n_rounds), start=1):
        pool = labels.pool
        if not len(pool):
            return
        budget = Budget(share, prior, len(pool))
        seconds: dict[str, float] = {}
        with _timed(seconds, "train"):
            rows, codes, weight = labels.training()
            committee = seeded(parts.committee, rng).fit(take(X, rows), codes, sample_weight=weight)
        with _timed(seconds, "predict"):
            P = votes(committee, X, labels, pool)
        with _timed(seconds, "confidence"):
            p = P.mean(axis=0)
            confidence = parts.confidence(P)
            candidates = confidence > 0
        with _timed(seconds, "allocate"):
            allocation = _allocate(parts.allocator, p[candidates], budget)
            labels.record(pool, number, p, confidence, allocation, candidates)
            labels.soft = _ruled_out(parts.negatives, P, budget, pool, labels)
        chosen = labels.codes[pool] >= 0
        yield Round(
            number=number,
            budget=budget,
            candidates=int(candidates.sum()),
            selected=np.bincount(labels.codes[pool[chosen]], minlength=labels.n_classes),
            negatives=0 if labels.soft is None else int(labels.soft[pool].any(axis=1).sum()),
            rows=pool[chosen],
            codes=labels.codes[pool[chosen]],
            seconds=seconds,
            certificate=allocation.certificate,
        )
        if not chosen.any():
            return


def _allocate(allocator, p, budget):
    if len(p):
        return allocator(p, budget)
    return Allocation(np.empty(0, dtype=int), np.empty(0, dtype=object))


def _ruled_out(negatives, P, budget, pool, labels):
    """Soft targets over all rows, made anew each round: the committee has changed."""
    if negatives is None:
        return None
    soft = np.zeros((len(labels.codes), labels.n_classes))
    soft[pool] = negatives(P, budget)
    soft[labels.codes >= 0] = 0
    return soft


@contextmanager
def _timed(seconds, part):
    start = time.perf_counter()
    yield
    seconds[part] = time.perf_counter() - start

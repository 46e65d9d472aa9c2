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
round 2: 62 unlabelled, 25 sure, 11 labelled
>>> int((labels.codes >= 0).sum())
49
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..allocation import Allocation
from ..budget import Budget, ramp
from ..common.durations import timed
from ..transport import Certificate
from .asking import measure
from .labels import Labels
from .training import Trainer

# Guesses that change from one round to the next, as a share: below, training again adds nothing.
SETTLED = 0.001
# Rows of a round that are kept for a picture of it.
_SKETCH_ROWS = 200


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
        (p (N, K), standard deviation over members (N, K), Budget) -> soft targets (N, K) of
        rows with a class ruled out.
    """

    committee: Any
    confidence: Any
    allocator: Callable
    negatives: Callable | None = None


@dataclass(frozen=True)
class Sketch:
    """Some rows that the committee was sure of in a round, evenly from the surest to the least sure.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Which rows.
    p : ndarray of shape (n, K)
        The committee's mean probabilities.
    plan : ndarray of shape (n, K)
        What the transport plan gave them; the labels given, as ones, where there was no plan.
    codes : ndarray of shape (n,)
        The labels given; -1 for none.
    """

    rows: np.ndarray
    p: np.ndarray
    plan: np.ndarray
    codes: np.ndarray


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
        Wall time of "train", "predict" (with the confidence) and "allocate".
    certificate : Certificate or None
        What the transport solver says of its plan.
    changed : float
        Share of the pool whose most probable class is not that of the round before; NaN in
        the first.
    sketch : Sketch or None
        Some of the rows, for a picture of the plan.
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
    changed: float = float("nan")
    sketch: Sketch | None = field(default=None, repr=False)

    @property
    def pool(self) -> int:
        """Rows unlabelled when the round began."""
        return self.budget.pool

    @property
    def labelled(self) -> int:
        """Rows labelled; on a cluster they are not among `rows`, which is then empty."""
        return int(self.selected.sum())

    def __str__(self):
        line = (
            f"round {self.number}: {self.pool} unlabelled, {self.candidates} sure, {self.labelled} labelled"
        )
        return line + (f", {self.negatives} with a class ruled out" if self.negatives else "")


@dataclass(eq=False)
class Strand:
    """One question put to every row, and how far its answer has come.

    Parameters
    ----------
    labels : Labels
        What is known; written into.
    prior : ndarray of shape (K,)
        Class frequencies, summing to 1.
    trainer : Trainer
        Fits the committee.
    done : list of Round
        Rounds that made the labels so far; the next ones are added.
    """

    labels: Labels
    prior: np.ndarray
    trainer: Trainer
    done: list[Round] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the pool is empty, or the last round labelled nothing."""
        return not len(self.labels.pool) or bool(self.done and not len(self.done[-1].rows))


@dataclass(frozen=True)
class Opinion:
    """What a committee thinks of the pool, before anything is decided.

    Parameters
    ----------
    pool : ndarray of shape (N,)
        Rows still unlabelled.
    p : ndarray of shape (N, K)
        The members' mean.
    spread : ndarray of shape (N, K) or None
        Their standard deviation; None where nothing asks for it.
    measured : ndarray of shape (N,)
        What the confidence measures of each row by itself.
    changed : float
        As in `Round`.
    seconds : dict
        Wall time of "train" and "predict".
    """

    pool: np.ndarray
    p: np.ndarray
    spread: np.ndarray | None
    measured: np.ndarray
    changed: float
    seconds: dict[str, float]


def rounds(
    X, labels: Labels, parts: Parts, *, prior, n_rounds=5, random_state=None, trainer=None, done=()
) -> Iterator[Round]:
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
        Most rounds. Ends early when the pool is empty or nothing was selected. When hardly
        any guess changed in a round, the next ones go on with its committee.
    random_state : int or RandomState, optional
        Seeds the committees.
    trainer : Trainer, optional
        For those who need the fitted committee afterwards; it has its own random state.
    done : sequence of Round, default=()
        Rounds that made the labels so far; the next ones follow as if never interrupted.

    Yields
    ------
    Round
    """
    trainer = Trainer(parts.committee, random_state) if trainer is None else trainer
    strand = Strand(labels, prior, trainer, list(done))
    for _ in in_step(X, [strand], parts, n_rounds):
        yield strand.done[-1]


def in_step(X, strands: list[Strand], parts: Parts, n_rounds=5) -> Iterator[list[Round | None]]:
    """Rounds of several strands at once: all are judged before any row is labelled.

    Strands share the rows and nothing else, but for a confidence that looks at whole rows.

    Parameters
    ----------
    X, parts, n_rounds
        As in `rounds`.
    strands : list of Strand
        What is asked of the rows.

    Yields
    ------
    list of Round
        One for each strand; None for those that are over.
    """
    begun = max((len(strand.done) for strand in strands), default=0)
    for number, share in list(enumerate(ramp(n_rounds), start=1))[begun:]:
        active = [strand for strand in strands if not strand.over]
        if not active:
            return
        opinions = [judge(X, strand, parts) for strand in active]
        confidences = trusted(parts.confidence, opinions)
        for strand, opinion, confidence in zip(active, opinions, confidences, strict=True):
            strand.done.append(settle(strand, parts, opinion, confidence, number, share))
        yield [strand.done[-1] if strand in active else None for strand in strands]


def judge(X, strand: Strand, parts: Parts) -> Opinion:
    """Train the committee and ask it about the pool."""
    labels, trainer, done = strand.labels, strand.trainer, strand.done
    pool = labels.pool
    # Classes ruled out are found anew in each round, so there is always something new to learn.
    settles = trainer.settles and parts.negatives is None
    settled = next((r.number for r in done if settles and r.changed < SETTLED), None)
    seconds: dict[str, float] = {}
    with timed(seconds, "train"):
        committee = trainer(X, labels if settled is None else labels.before(settled))
    with timed(seconds, "predict"):
        p, spread, measured = measure(committee, X, labels.n_classes, pool, parts)
    return Opinion(
        pool=pool,
        p=p,
        spread=spread,
        measured=measured,
        changed=float((p.argmax(axis=1) != labels.guess[pool]).mean()) if done else np.nan,
        seconds=seconds,
    )


def trusted(confidence, opinions: list[Opinion]):
    """The confidence of each opinion's rows, a list of (N,); whole rows by their mean measure."""
    trust = getattr(confidence, "trust", None)
    if trust is None:
        return [opinion.measured for opinion in opinions]
    if not getattr(confidence, "whole_rows", False):
        return [trust(opinion.measured) for opinion in opinions]
    pools = np.concatenate([opinion.pool for opinion in opinions])
    rows, place, times = np.unique(pools, return_inverse=True, return_counts=True)
    total = np.bincount(place, np.concatenate([opinion.measured for opinion in opinions]), len(rows))
    joint = trust(total / times)
    return np.split(joint[place], np.cumsum([len(opinion.pool) for opinion in opinions])[:-1])


def settle(strand: Strand, parts: Parts, opinion: Opinion, confidence, number, share) -> Round:
    """Give labels to the rows that are trusted, and write down what was found of each."""
    budget, seconds = Budget(share, strand.prior, len(opinion.pool)), dict(opinion.seconds)
    with timed(seconds, "allocate"):
        soft = None if parts.negatives is None else parts.negatives(opinion.p, opinion.spread, budget)
    return decide(
        strand.labels, number, budget, opinion.p, confidence, parts.allocator, soft, seconds, opinion.changed
    )


def decide(
    labels: Labels, number, budget, p, confidence, allocator, soft=None, seconds=None, changed=np.nan
) -> Round:
    """Label the pool by what a committee thinks of it: write into labels, and say what happened.

    Parameters
    ----------
    labels : Labels
        Written into.
    number : int
        Of the round.
    budget : Budget
        What the round may label.
    p : ndarray of shape (N, K)
        Mean probabilities of the pool.
    confidence : ndarray of shape (N,)
        Above 0 is trusted.
    allocator : callable
        (p (N, K), Budget) -> Allocation.
    soft : ndarray of shape (N, K), optional
        Soft targets of rows with a class ruled out.
    seconds : dict, optional
        Wall time so far, by part.
    changed : float, optional
        Of the `Round`.
    """
    seconds = {} if seconds is None else seconds
    pool, candidates = labels.pool, confidence > 0
    with timed(seconds, "allocate"):
        allocation = _allocate(allocator, p[candidates], budget)
        labels.record(pool, number, p, confidence, allocation, candidates)
        labels.soft = _ruled_out(soft, pool, labels)
    chosen = pool[labels.codes[pool] >= 0]
    return Round(
        number=number,
        budget=budget,
        candidates=int(candidates.sum()),
        selected=np.bincount(labels.codes[chosen], minlength=labels.n_classes),
        negatives=0 if labels.soft is None else int(labels.soft[pool].any(axis=1).sum()),
        rows=chosen,
        codes=labels.codes[chosen],
        seconds=seconds,
        certificate=allocation.certificate,
        changed=changed,
        sketch=_sketch(pool, p, confidence, allocation),
    )


def _allocate(allocator, p, budget):
    if len(p):
        return allocator(p, budget)
    return Allocation(np.empty(0, dtype=int), np.empty(0, dtype=object))


def _sketch(pool, p, confidence, allocation):
    sure = np.flatnonzero(confidence > 0)
    n = min(len(sure), _SKETCH_ROWS)
    if not n:
        return None
    ranking = np.argsort(-confidence[sure], kind="stable")
    some = ranking[np.arange(n) * len(sure) // n]
    rows, codes = sure[some], allocation.codes[some]
    given = codes[:, None] == np.arange(p.shape[1])
    plan = given if allocation.plan is None else allocation.plan(some)
    return Sketch(pool[rows], p[rows].astype(np.float32), plan.astype(np.float32), codes)


def _ruled_out(of_pool, pool, labels):
    """Soft targets over all rows, made anew each round: the committee has changed."""
    if of_pool is None:
        return None
    soft = np.zeros((len(labels.codes), labels.n_classes))
    soft[pool] = of_pool
    soft[labels.codes >= 0] = 0
    return soft

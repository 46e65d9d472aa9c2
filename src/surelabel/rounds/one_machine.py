"""The engine for a table that is in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..allocation import Allocation
from ..budget import Budget
from ..committees.base import Committee
from ..committees.member_fitting import aligned
from ..common.types import Bools, Floats, Ints, Table
from ..confidence import Confidence
from ..reading.features import take
from .asking import Answers, answers, best_guesses, best_of
from .engine import Engine, Labelled, Opinion, Strand
from .labels import Labels
from .records import Kept, Parts, Sketch
from .training import Trainer

# Rows of a round that are kept for a picture of it.
_SKETCH_ROWS = 200


@dataclass(frozen=True)
class _Judged:
    """What is thought of each row of the pool: the answers, and how far each row is trusted, (N,)."""

    answers: Answers
    confidence: Floats


@dataclass(frozen=True)
class _Members(Answers):
    """Answers, and what each member says, (M, N, K)."""

    P: Floats


@dataclass(frozen=True)
class _Said:
    """What a committee that is asked once said of the rows (N,) that are still unlabelled.

    And of all that came unlabelled, the best class and its probability (m,).
    """

    pool: Ints
    answers: Answers
    best: tuple[Floats, Ints]

    def of(self, still: Bools) -> _Said:
        """What was said of some of the rows."""
        return self if still.all() else replace(self, pool=self.pool[still], answers=self.answers.of(still))


@dataclass(frozen=True)
class OneMachine(Engine):
    """Rows in memory.

    Parameters
    ----------
    X : matrix or frame with n rows
        All rows, labelled or not, in the form `Columns` gives.
    keep_plans : bool, default=False
        Whether rounds keep P and the plan of all rows.
    """

    X: Table
    keep_plans: bool = False

    def pool(self, strand: Strand) -> int:
        """Rows still unlabelled."""
        return len(strand.labels.pool)

    def lesson(self, strand: Strand, trainer: Trainer, before: int | None = None) -> tuple[Table, Labels]:
        """All rows, and what is known of them: now, or before a round."""
        return self.X, strand.labels if before is None else strand.labels.before(before)

    def at_first(self, strand: Strand) -> tuple[Table, Labels]:
        """All rows, and what was known of them before the first round."""
        return self.X, strand.labels.afresh(strand.labels.weight)

    def ask(self, strand: Strand, committee: Committee, method: Parts) -> Answers:
        """What a fitted committee thinks of each row of the pool by itself."""
        found = self._asked(strand, committee, method)
        if not self.keep_plans:
            return found
        members = committee.predict_members(take(self.X, strand.labels.pool))
        return _Members(**vars(found), P=aligned(members, committee.classes_, strand.labels.n_classes))

    def _asked(self, strand: Strand, committee: Committee, method: Parts) -> Answers:
        labels = strand.labels
        if strand.learns_found:
            return answers(committee, self.X, labels.n_classes, labels.pool, method)
        if strand.said is None:
            pool = labels.before(1).pool
            said = answers(committee, self.X, labels.n_classes, pool, method)
            strand.said = _Said(pool, said, best_of(said.p))
        # Rows that have got a label do not come back: what was said of them is not kept.
        strand.said = strand.said.of(labels.codes[strand.said.pool] < 0)
        return strand.said.answers

    def trust(self, strands: list[Strand], asked: list[Answers], method: Parts) -> list[Opinion]:
        """Which rows are trusted, an opinion for each strand."""
        pools = [strand.labels.pool for strand in strands]
        confidences = trusted(method.confidence, pools, [each.measured for each in asked])
        return [
            Opinion(
                pool=len(pool),
                candidates=int((confidence > 0).sum()),
                changed=_changed(each.p, strand, pool),
                rows=_Judged(each, confidence),
            )
            for strand, pool, each, confidence in zip(strands, pools, asked, confidences, strict=True)
        ]

    def allocate(
        self, strand: Strand, opinion: Opinion, method: Parts, budget: Budget
    ) -> tuple[Allocation, Floats | None]:
        """Labels of the candidates; soft targets of rows with a class ruled out, shape (N, K), or None."""
        said, confidence = opinion.rows.answers, opinion.rows.confidence
        soft = None if method.negatives is None else method.negatives(said.p, said.spread, budget)
        return allocated(method.allocator, said.p[confidence > 0], budget), soft

    def guesses(
        self, strand: Strand, predict: Callable[[Table, int], Floats] | None = None
    ) -> tuple[Floats, Ints]:
        """The probability of the best class of each row that came unlabelled, and that class, (m,) each."""
        if predict is None:
            return strand.said.best
        labels = strand.labels
        return best_guesses(self.X, labels.before(1).pool, labels.n_classes, predict)

    def record(self, strand: Strand, opinion: Opinion, allocation: Any, number: int) -> Labelled:
        """Write the labels of a round into the strand."""
        given, soft = allocation
        pool, said, confidence = strand.labels.pool, opinion.rows.answers, opinion.rows.confidence
        found = recorded(strand.labels, number, said.p, confidence, given, soft)
        return replace(found, kept=_kept(pool, said, confidence, given)) if self.keep_plans else found


def _kept(pool: Ints, said: _Members, confidence: Floats, given: Allocation) -> Kept:
    sure = np.flatnonzero(confidence > 0)
    codes, plan = np.full(len(pool), -1), np.zeros_like(said.p)
    codes[sure] = given.codes
    as_ones = given.codes[:, None] == np.arange(said.P.shape[2])
    plan[sure] = as_ones if given.plan is None else given.plan(np.arange(len(sure)))
    return Kept(pool, said.P, confidence, plan, codes)


def _changed(p: Floats, strand: Strand, pool: Ints) -> float:
    if not strand.history:
        return np.nan
    return float((p.argmax(axis=1) != strand.labels.guess[pool]).mean())


def trusted(confidence: Confidence, pools: list[Ints], measured: list[Floats]) -> list[Floats]:
    """The confidence of each strand's rows, a list of (N,); whole rows by their mean measure."""
    if not confidence.whole_rows:
        return [confidence.trust(each) for each in measured]
    rows, place, times = np.unique(np.concatenate(pools), return_inverse=True, return_counts=True)
    total = np.bincount(place, np.concatenate(measured), len(rows))
    joint = confidence.trust(total / times)
    return np.split(joint[place], np.cumsum([len(pool) for pool in pools])[:-1])


def allocated(allocator: Callable[[Floats, Budget], Allocation], p: Floats, budget: Budget) -> Allocation:
    """What an allocator gives the candidates p (N, K); nothing where there are none."""
    if len(p):
        return allocator(p, budget)
    return Allocation(np.empty(0, dtype=int), np.empty(0, dtype=object))


def recorded(
    labels: Labels,
    number: int,
    p: Floats,
    confidence: Floats,
    allocation: Allocation,
    soft: Floats | None = None,
) -> Labelled:
    """Write what a round found of the pool into labels, and say what it came to.

    Parameters
    ----------
    labels : Labels
        Written into.
    number : int
        Of the round.
    p : ndarray of shape (N, K)
        Mean probabilities of the pool.
    confidence : ndarray of shape (N,)
        Above 0 is trusted.
    allocation : Allocation
        Of the rows that are trusted.
    soft : ndarray of shape (N, K), optional
        Soft targets of rows with a class ruled out.
    """
    pool, candidates = labels.pool, confidence > 0
    labels.record(pool, number, p, confidence, allocation, candidates)
    labels.soft = _ruled_out(soft, pool, labels)
    chosen = pool[labels.codes[pool] >= 0]
    return Labelled(
        selected=np.bincount(labels.codes[chosen], minlength=labels.n_classes),
        certificate=allocation.certificate,
        negatives=0 if labels.soft is None else int(labels.soft[pool].any(axis=1).sum()),
        rows=chosen,
        codes=labels.codes[chosen],
        sketch=_sketch(pool, p, confidence, allocation),
    )


def _sketch(pool: Ints, p: Floats, confidence: Floats, allocation: Allocation) -> Sketch | None:
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


def _ruled_out(of_pool: Floats | None, pool: Ints, labels: Labels) -> Floats | None:
    """Soft targets over all rows, made anew each round: the committee has changed."""
    if of_pool is None:
        return None
    soft = np.zeros((len(labels.codes), labels.n_classes))
    soft[pool] = of_pool
    soft[labels.codes >= 0] = 0
    return soft

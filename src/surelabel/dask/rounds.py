"""The loop over a table in parts: as `surelabel.rounds.loop.rounds`, each step where the rows are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..allocation import Threshold
from ..budget import Budget, ramp
from ..committees.base import trained_by
from ..common.durations import timed
from ..confidence import Confidence, Entropy, TotalVariance
from ..rounds.loop import SETTLED, Parts, Round
from ..rounds.training import Trainer
from . import shard
from .allocation import Deal, check_allocator, deal
from .excerpt import Table
from .pieces import Each, Pieces, trains_on
from .selection import cuts, quantile
from .spread import fit_spread


@dataclass
class State:
    """What is known between two rounds: labels of each part, on the cluster."""

    labels: Pieces
    history: list[Round]


def check(method: Parts):
    """Refuse what needs all rows in one place."""
    if method.negatives is not None:
        raise ValueError("Classes ruled out (negatives=) need all rows in one place; leave them out.")
    known = isinstance(method.confidence, Confidence)
    compares = known and type(method.confidence).trust is not Confidence.trust
    if not known or (compares and not isinstance(method.confidence, (Entropy, TotalVariance))):
        raise TypeError(
            f"{method.confidence!r} may compare rows, which are not in one place. On a cluster the "
            "confidence is one of TTest(), Entropy(), TotalVariance(), Spread() and Everything()."
        )
    check_allocator(method.allocator)


def excerpt_for(table: Table, labels: Pieces, trainer: Trainer, before=None):
    """Table and labels for a trainer: what is labelled before a round, or by now."""

    def shown(n, last):
        return trainer.shown(n, last) if trainer.shows_pool else np.empty(0, dtype=int)

    return table.excerpt(labels, shown, before)


def fitted(table: Table, labels: Pieces, trainer: Trainer, before=None):
    """A committee, its members trained on the cluster."""
    if table.spread:
        return fit_spread(table, labels, trainer)
    with trained_by(trains_on(labels.client)):
        return trainer(*excerpt_for(table, labels, trainer, before))


def recall(table: Table, labels: Pieces, trainer: Trainer):
    """Train what a trainer takes from its first round, where another run went through that."""
    if trainer.settles:
        fitted(table, labels, trainer, before=1)


def rounds(
    table: Table, state: State, method: Parts, trainer: Trainer, *, prior, n_rounds
) -> Iterator[Round]:
    """Label the pool round by round; state is written into.

    Parameters
    ----------
    table : Table
        The table.
    state : State
        Labels so far, and the rounds that made them.
    method : surelabel.rounds.loop.Parts
        Committee, confidence and allocator.
    trainer : Trainer
        Trains the committee.
    prior : ndarray of shape (K,)
        Class frequencies.
    n_rounds : int
        Most rounds.
    """
    done = state.history
    for number, share in enumerate(ramp(n_rounds), start=1):
        if number <= len(done):
            continue
        pool = np.array([each.pool for each in state.labels.ask(shard.counts, None)])
        if not pool.sum() or (done and not done[-1].labelled):
            return
        settled = next((r.number for r in done if trainer.settles and r.changed < SETTLED), None)
        budget = Budget(share, prior, int(pool.sum()))
        seconds: dict[str, float] = {}
        with timed(seconds, "train"):
            committee = fitted(table, state.labels, trainer, settled)
        with timed(seconds, "predict"):
            judged = judge(table, state.labels, committee, method, pool)
            tallies = np.array(judged.ask(shard.tally, state.labels))
        with timed(seconds, "allocate"):
            candidates = judged.make(shard.sure)
            dealt = settle(method.allocator, candidates, tallies[:, 0], budget)
            kept = cuts(candidates.make(shard.offered, dealt.rule), dealt.quota)
            state.labels = state.labels.make(shard.record, judged, dealt.rule, Each(kept), number)
            state.labels.wait("writing down part")
            selected = np.sum(state.labels.ask(shard.by_class, number), axis=0)
            del judged, candidates  # the workers need not keep them until the next round
        round = Round(
            number=number,
            budget=budget,
            candidates=int(tallies[:, 0].sum()),
            selected=selected,
            negatives=0,
            rows=np.empty(0, dtype=int),
            codes=np.empty(0, dtype=int),
            seconds=seconds,
            certificate=dealt.certificate,
            changed=float(tallies[:, 1].sum() / pool.sum()) if done else float("nan"),
        )
        done.append(round)
        yield round


def judge(table: Table, labels: Pieces, committee, method: Parts, pool) -> Pieces:
    """What a committee thinks of each part's pool, of which `pool` are the sizes."""
    begins = (np.cumsum(pool) - pool).tolist()
    n = int(pool.sum())
    held, alike = labels.hold(committee), replace(method, committee=None)
    judged = labels.make(shard.judge, table.x, held, table.columns, alike, Each(begins), n)
    judged.wait("asking the committee of part")
    if type(method.confidence).trust is Confidence.trust:
        return judged
    return judged.make(shard.trust, quantile(judged.make(shard.measured), n, method.confidence.share))


def settle(allocator, candidates: Pieces, sizes, budget) -> Deal:
    """The round's deal; without candidates there is nothing to settle."""
    if not sizes.sum():
        return deal(Threshold(), candidates, sizes, budget)
    return deal(allocator, candidates, sizes, budget)

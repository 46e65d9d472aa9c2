"""The engine for a table in shards: each step is done where the rows are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..allocation import Threshold
from ..budget import Budget
from ..committees.base import Committee
from ..common.types import Floats, Ints
from ..confidence import Confidence
from ..rounds.engine import Engine, Labelled, Opinion, Strand
from ..rounds.labels import Labels
from ..rounds.nested import pool_shown
from ..rounds.records import Parts
from ..rounds.training import Trainer
from . import shard
from .allocation import Deal, check_allocator, deal
from .excerpt import Table
from .pieces import Each, Pieces
from .selection import Cut, cuts, quantile


@dataclass(frozen=True)
class _Deal:
    """What was decided over all rows together, and which rows of each shard are within the quotas."""

    deal: Deal
    kept: list[Cut]


@dataclass(frozen=True)
class Sharded(Engine):
    """Rows in shards; `labels` of a strand are the labels of each shard, where it is.

    Parameters
    ----------
    table : Table
        All shards.
    """

    table: Table

    def pool(self, strand: Strand) -> int:
        """Rows still unlabelled."""
        return int(self._pools(strand).sum())

    def lesson(self, strand: Strand, trainer: Trainer, before: int | None = None) -> tuple[Any, Labels]:
        """The rows that a trainer needs, from all shards, as one small table here."""

        def shown(n: int, last: int) -> Ints:
            return trainer.seeds.shown(n, last) if trainer.shows_pool else np.empty(0, dtype=int)

        return self.table.excerpt(strand.labels, shown, before)

    def at_first(self, strand: Strand) -> tuple[Any, Labels] | None:
        """Rows and what was known of them before the first round."""
        rows, labels = self.table.excerpt(strand.labels, lambda n, _: pool_shown(strand.trainer, n), before=1)
        return rows, labels.afresh(labels.weight)

    def ask(self, strand: Strand, committee: Committee, method: Parts) -> tuple[Pieces, Ints]:
        """What a committee thinks of the rows of each shard, where they are; and how many these are."""
        if strand.learns_found:
            return self._judged(strand, committee, method), self._pools(strand)
        if strand.said is None:
            strand.said = self._judged(strand, committee, method, before=1)
        return strand.said.make(shard.still_asked, strand.labels), self._pools(strand)

    def _judged(
        self, strand: Strand, committee: Committee, method: Parts, before: int | None = None
    ) -> Pieces:
        """What a committee thinks of the pool as it is, or as it was before a round."""
        pools = self._pools(strand, before)
        begins = (np.cumsum(pools) - pools).tolist()
        held, alike = strand.labels.hold(committee), replace(method, committee=None)
        asked = strand.labels.make(
            shard.judge, self.table.x, held, self.table.columns, alike, Each(begins), int(pools.sum()), before
        )
        return asked.wait("asking the committee about shard")

    def trust(self, strands: list[Strand], asked: list[Any], method: Parts) -> list[Opinion]:
        """Which rows are trusted, an opinion for each strand."""
        return [
            _opinion(strand, judged, int(pools.sum()), method.confidence)
            for strand, (judged, pools) in zip(strands, asked, strict=True)
        ]

    def allocate(self, strand: Strand, opinion: Opinion, method: Parts, budget: Budget) -> _Deal:
        """Decide what needs all rows: the plan, and the quotas."""
        judged, sizes = opinion.rows
        candidates = judged.make(shard.sure)
        # Without candidates there is nothing to decide, and any allocator will do.
        allocator = method.allocator if sizes.sum() else Threshold()
        dealt = deal(allocator, candidates, sizes, budget)
        return _Deal(dealt, cuts(candidates.make(shard.offered, dealt.rule), dealt.quota))

    def guesses(
        self, strand: Strand, predict: Callable[[Any, int], Floats] | None = None
    ) -> tuple[Floats, Ints]:
        """The probability of the best class of each row that came unlabelled, and that class, (m,) each."""
        if predict is None:
            found = strand.said.ask(shard.best)
        else:
            held = strand.labels.hold(predict)
            found = strand.labels.ask(shard.guessed, self.table.x, held, self.table.columns)
        scores, guesses = zip(*found, strict=True)
        return np.concatenate(scores), np.concatenate(guesses)

    def record(self, strand: Strand, opinion: Opinion, allocation: _Deal, number: int) -> Labelled:
        """Write the labels of a round into each shard's."""
        judged, _ = opinion.rows
        strand.labels = strand.labels.make(
            shard.record, judged, allocation.deal.rule, Each(allocation.kept), number
        )
        strand.labels.wait("writing down shard")
        selected = np.sum(strand.labels.ask(shard.by_class, number), axis=0)
        return Labelled(selected, allocation.deal.certificate)

    def _pools(self, strand: Strand, before: int | None = None) -> Ints:
        """Rows still unlabelled in each shard, or unlabelled before a round."""
        return np.array([each.pool for each in strand.labels.ask(shard.counts, before)])


def _opinion(strand: Strand, judged: Pieces, n: int, confidence: Confidence) -> Opinion:
    if confidence.trusted_share is not None:
        limit = quantile(judged.make(shard.measured), n, confidence.trusted_share)
        judged = judged.make(shard.trust, limit)
    sure, changed = np.array(judged.ask(shard.tally, strand.labels)).T
    return Opinion(
        pool=n,
        candidates=int(sure.sum()),
        changed=float(changed.sum() / n) if strand.history else float("nan"),
        rows=(judged, sure),
    )


def check(method: Parts) -> None:
    """Refuse what needs all rows in one place."""
    if method.negatives is not None:
        raise ValueError("Classes ruled out (negatives=) need all rows in one place; leave them out.")
    compares = type(method.confidence).trust is not Confidence.trust
    if compares or not method.confidence.row_by_row:
        raise TypeError(
            f"{method.confidence!r} may compare rows, which are not in one place. In shards the "
            "confidence is one of TTest(), Entropy(), TotalVariance(), Spread() and Everything()."
        )
    check_allocator(method.allocator)

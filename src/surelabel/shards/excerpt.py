"""The rows that training needs, from all shards of the table, as one small table here.

All rows with a given label come; of those with a label that was found and of the pool, as many as one
machine would train on, and the same ones. So the rest of the package trains on an excerpt as on the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from ..common.types import Floats, Ints
from ..reading.columns import Columns
from ..rounds.labels import Labels, spaced
from . import shard
from .pieces import Each, Pieces

# Rows of each kind on which a model is tried, over all shards.
_TRIED_ROWS = 500


@dataclass
class _Excerpt(Labels):
    """Labels of some rows of a table.

    Parameters
    ----------
    place : ndarray of shape (n,)
        Where the rows are in the table.
    step : int
        The last round in which a row of the table was labelled.
    """

    place: Ints = field(default_factory=lambda: np.empty(0, dtype=int))
    step: int = 0

    @property
    def last(self) -> int:
        """The last round in which a row was labelled; 0 for none."""
        return max(super().last, self.step)

    def places(self, rows: Ints) -> Ints:
        """Where rows are in the table."""
        return self.place[rows]

    def afresh(self, weight: Floats) -> Self:
        """The same rows before the first round, with these weights."""
        return replace(super().afresh(weight), step=0)


@dataclass(frozen=True)
class Table:
    """All shards of the table.

    Parameters
    ----------
    x : Pieces
        Features as they came.
    sizes : ndarray
        Rows in each shard.
    columns : Columns
        How features are read.
    n_classes : int
        K.
    found : str
        What labels found weigh in training.
    """

    x: Pieces
    sizes: Ints
    columns: Columns
    n_classes: int
    found: str

    @property
    def begins(self) -> Ints:
        """Position of the first row of each shard."""
        return np.cumsum(self.sizes) - self.sizes

    def excerpt(
        self, labels: Pieces, shown: Callable[[int, int], Ints], before: int | None = None
    ) -> tuple[Any, Labels]:
        """Table and labels to train on, with the rows of the pool that `shown(n, last)` ranks.

        Parameters
        ----------
        labels : Pieces
            Labels of each shard.
        shown : callable
            (size of the pool, last round) -> ranks of the rows to show, ascending.
        before : int, optional
            Labels found in this round or later count as unknown.
        """
        counts = labels.ask(shard.counts, before)
        given = sum(int(each.given.sum()) for each in counts)
        found = ranks(
            spaced(sum(each.found for each in counts), given, self.found), [c.found for c in counts]
        )
        last = max(each.last for each in counts)
        pool = [each.pool for each in counts]
        context = ranks(shown(sum(pool), last), pool)
        wanted = [i for i, each in enumerate(counts) if each.given.any() or len(found[i]) or len(context[i])]
        rows = labels.some(wanted).ask(
            shard.some,
            self.x.some(wanted),
            self.columns,
            before,
            Each([found[i] for i in wanted]),
            Each([context[i] for i in wanted]),
        )
        place = np.concatenate([self.begins[i] + each.rows for i, each in zip(wanted, rows, strict=True)])
        codes = np.concatenate([each.codes for each in rows])
        start = Labels.start(codes, self.n_classes, None, self.found)
        start.round = np.concatenate([each.round for each in rows])
        return _stacked([each.X for each in rows]), _Excerpt(**vars(start), place=place, step=last)

    def sample(self, labels: Pieces) -> tuple[Any, Ints]:
        """A few rows of every shard, on which models are tried, and their codes, -1 for no label."""
        rows = labels.ask(shard.a_few, self.x, self.columns, -(-_TRIED_ROWS // len(self.sizes)))
        return _stacked([each.X for each in rows]), np.concatenate([each.codes for each in rows])


def ranks(chosen: Ints, sizes: Sequence[int]) -> list[Ints]:
    """Ranks over all shards, ascending, as ranks within each shard of these sizes: a list of arrays."""
    ends = np.cumsum(sizes)
    of_shards = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    return [own - begin for own, begin in zip(of_shards, ends - sizes, strict=True)]


def _stacked(tables: Sequence[Any]) -> Any:
    if isinstance(tables[0], pd.DataFrame):
        return pd.concat(tables, ignore_index=True)
    return np.concatenate(tables)

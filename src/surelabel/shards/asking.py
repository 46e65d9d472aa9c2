"""What a person may be asked about a table in shards, once it is fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from ..advice.next_rows import NOTHING_TO_ASK, Ask, Pool, check_n, explained, next_rows
from ..common.types import Ints, RandomState, Values
from . import shard
from .excerpt import Table, ranks
from .pieces import Each, Pieces


@dataclass(frozen=True, eq=False)
class Asking:
    """Chooses rows to ask about, as long as the shards can be reached.

    Parameters
    ----------
    table : Table
        All shards.
    labels : Pieces
        Labels of each shard, after the last round.
    classes : ndarray of shape (K,)
        The classes.
    counts : ndarray of shape (K,)
        Labelled rows of each.
    """

    table: Table
    labels: Pieces
    classes: Values
    counts: Ints

    def next_rows(self, n: int, random_state: RandomState = 0) -> pd.DataFrame:
        """Rows that a person should label next, as `PseudoLabelClassifier.next_rows` without X.

        A few bytes of each unlabelled row come here.
        """
        check_n(n)
        found = self.labels.ask(shard.asked)
        rows = [each.rows for each in found]
        pool = Pool(
            np.concatenate([each.gap for each in found]),
            np.concatenate([each.guess for each in found]),
            np.concatenate([each.runner_up for each in found]),
            self.counts,
        )
        if not len(pool):
            raise ValueError(NOTHING_TO_ASK)
        del found
        asks = next_rows(pool, int(n), check_random_state(random_state))
        return explained(self._lines(asks, rows), asks)

    def _lines(self, asks: tuple[Ask, ...], rows: list[Ints]) -> pd.DataFrame:
        """What is said of chosen rows, in their order, where the pool has these rows of each shard."""
        chosen = np.array([ask.row for ask in asks])
        order = np.argsort(chosen)
        of_shards = ranks(chosen[order], [len(each) for each in rows])
        wanted = [i for i, chosen in enumerate(of_shards) if len(chosen)]
        lines = self.labels.some(wanted).ask(
            shard.guesses_of,
            self.table.x.some(wanted),
            self.classes,
            Each([int(self.table.begins[i]) for i in wanted]),
            Each([rows[i][of_shards[i]].astype(int) for i in wanted]),
        )
        return pd.concat(lines).iloc[np.argsort(order)]

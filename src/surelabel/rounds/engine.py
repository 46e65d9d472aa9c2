"""What an engine is: where the rows are, and how the steps of a round are done there.

The loop is written once (`loop.in_step`); a table in memory (`one_machine.OneMachine`) and one in shards
(`surelabel.shards.engine.Sharded`), here or on a Dask cluster, have two engines for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..budget import Budget
from ..committees.base import Committee
from ..common.types import Floats, Ints, Table
from ..transport import Certificate
from .labels import Labels
from .records import Kept, Parts, Round, Sketch
from .training import Trainer


@dataclass(eq=False)
class Strand:
    """What is asked of every row, and what is known of it so far.

    There is one where rows have one label, and one for each label where they have several.

    Parameters
    ----------
    labels : Labels, or what the engine keeps instead
        What is known; written into, or replaced.
    prior : ndarray of shape (K,)
        Class frequencies, summing to 1.
    trainer : Trainer
        Fits the committee.
    history : list of Round
        Rounds that made the labels so far; the next ones are added.
    learns_found : bool, default=True
        Whether committees are trained on labels that were found; without, the one of the first round
        stays, and is asked once.
    shares : pair of ndarrays of shape (K,), optional
        Least and most that the share of each class may be, where it is known from few labels.
    """

    labels: Any
    prior: Floats
    trainer: Trainer
    history: list[Round] = field(default_factory=list)
    learns_found: bool = True
    shares: tuple[Floats, Floats] | None = None
    # What was said of the pool before the first round, where it is not asked about again.
    said: Any = None


@dataclass(frozen=True)
class Opinion:
    """What a committee thinks of the pool, before anything is decided.

    Parameters
    ----------
    pool : int
        Rows still unlabelled.
    candidates : int
        Rows that are trusted.
    changed : float
        Share of the pool whose most probable class is not that of the round before; NaN in the first.
    rows : object
        What the engine knows of each row.
    """

    pool: int
    candidates: int
    changed: float
    rows: Any


@dataclass(frozen=True)
class Labelled:
    """What an engine found in a round; the fields are those of `Round`."""

    selected: Ints
    certificate: Certificate | None = None
    negatives: int = 0
    rows: Ints = field(default_factory=lambda: np.empty(0, dtype=int))
    codes: Ints = field(default_factory=lambda: np.empty(0, dtype=int))
    sketch: Sketch | None = None
    kept: Kept | None = None

    def as_round(
        self, number: int, budget: Budget, candidates: int, seconds: dict[str, float], changed: float
    ) -> Round:
        """The record of the round; the arguments are fields of it."""
        return Round(
            number=number,
            budget=budget,
            candidates=candidates,
            selected=self.selected,
            negatives=self.negatives,
            rows=self.rows,
            codes=self.codes,
            seconds=seconds,
            certificate=self.certificate,
            changed=changed,
            sketch=self.sketch,
            kept=self.kept,
        )


class Engine(ABC):
    """Where the rows are, and how the steps of a round are done there.

    See Also
    --------
    surelabel.dask.DaskPseudoLabelClassifier : Runs on the one for a cluster.

    Examples
    --------
    >>> from surelabel.rounds.engine import Engine
    >>> sorted(Engine.__abstractmethods__)  # what a new one has to say
    ['allocate', 'ask', 'at_first', ...]
    """

    @abstractmethod
    def pool(self, strand: Strand) -> int:
        """Rows still unlabelled."""

    @abstractmethod
    def lesson(self, strand: Strand, trainer: Trainer, before: int | None = None) -> tuple[Table, Labels]:
        """The rows that a trainer needs, and what is known of them: now, or before a round."""

    def train(self, strand: Strand, trainer: Trainer, before: int | None = None) -> Committee:
        """The committee, fitted by a trainer on the labels so far, or on those before a round."""
        return trainer(partial(self.lesson, strand, trainer), before if strand.learns_found else 1)

    @abstractmethod
    def at_first(self, strand: Strand) -> tuple[Table, Labels] | None:
        """Rows and what was known of them before the first round, for the guard.

        None where labelled rows are not in one place.
        """

    @abstractmethod
    def ask(self, strand: Strand, committee: Committee, method: Parts) -> Any:
        """What a fitted committee thinks of each row of the pool by itself; for `trust`."""

    @abstractmethod
    def trust(self, strands: list[Strand], asked: list[Any], method: Parts) -> list[Opinion]:
        """Which rows are trusted, an opinion for each strand."""

    @abstractmethod
    def allocate(self, strand: Strand, opinion: Opinion, method: Parts, budget: Budget) -> Any:
        """Who gets which label, for `record`."""

    @abstractmethod
    def guesses(
        self, strand: Strand, predict: Callable[[Table, int], Floats] | None = None
    ) -> tuple[Floats, Ints]:
        """Of each row that came unlabelled: the probability of its best class, and that class, (m,) each.

        By what `predict` (rows, K) says of them; without, by what the committee said before the first round,
        where it is not asked again.
        """

    @abstractmethod
    def record(self, strand: Strand, opinion: Opinion, allocation: Any, number: int) -> Labelled:
        """Write the labels of a round into the strand."""

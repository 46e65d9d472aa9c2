"""Shards of a table, wherever they are: work goes to them, and what is small comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..committees.base import Runner
from ..common.notice import logger
from ..common.types import Table

_Result = TypeVar("_Result")
# From row `begin` to before row `end` of a piece: (piece, begin, end).
Span = tuple[int, int, int]


@dataclass(frozen=True)
class Each:
    """Arguments that differ from piece to piece."""

    values: list[Any]


class Place(ABC):
    """Where work is done, and where its results stay."""

    @abstractmethod
    def task(self, work: Callable[..., Any], *args: Any) -> Any:
        """A result of work that stays in its place; arguments may be tasks and recipes."""

    @abstractmethod
    def recipe(self, work: Callable[..., Any], *args: Any) -> Any:
        """As `task`, but the work is done each time its result is needed, which is not kept."""

    @abstractmethod
    def fetched(self, tasks: Sequence[Any]) -> list[Any]:
        """The results of tasks."""

    @abstractmethod
    def done(self, tasks: Sequence[Any]) -> Iterator[Any]:
        """The tasks as they end; an error in one of them is raised."""

    def hold(self, value: Any) -> Any:
        """A value for the work on many pieces, sent to its place once."""
        return value

    def runner(self) -> Runner | None:
        """What trains the members of a committee; None for a plain loop in this process."""
        return None

    def has_room_for(self, tables: int) -> bool:
        """Whether so many bytes of features may stay in memory; else they are read each time."""
        return False

    @staticmethod
    def size_of(table: Table) -> int:
        """Bytes of the features of a shard, for `has_room_for`."""
        return 0


class Pieces:
    """Shards of a table, or what was made of each: tasks, or recipes for them.

    Parameters
    ----------
    shards : list of tasks, of recipes, or of small values
        Recipes are made again each time they are needed, and not kept.
    place : Place
        Where.
    """

    def __init__(self, shards: Iterable[Any], place: Place) -> None:
        self.shards = list(shards)
        self.place = place

    def __len__(self) -> int:
        return len(self.shards)

    def make(self, work: Callable[..., Any], *args: Any) -> Pieces:
        """Work on each piece, whose result stays there: work(piece, *args).

        Arguments that are Pieces or Each are taken piece by piece.
        """
        return Pieces(
            [self.place.task(work, self.shards[i], *_at(args, i)) for i in range(len(self))], self.place
        )

    def later(self, work: Callable[..., Any], *args: Any) -> Pieces:
        """As `make`, but a recipe for each piece: the work is done each time it is needed."""
        return Pieces(
            [self.place.recipe(work, self.shards[i], *_at(args, i)) for i in range(len(self))], self.place
        )

    def ask(self, work: Callable[..., _Result], *args: Any) -> list[_Result]:
        """Work on each piece; the results, which should be small, come here."""
        return self.make(work, *args).fetched()

    def fetched(self) -> list[Any]:
        """The pieces themselves."""
        return self.place.fetched(self.shards)

    def cut(self, spans: Iterable[Iterable[Span]]) -> Pieces:
        """New pieces put together from spans of these."""
        task = self.place.task
        joined = [task(_joined, *[task(_cut, self.shards[j], a, b) for j, a, b in each]) for each in spans]
        return Pieces(joined, self.place)

    def some(self, which: Iterable[int]) -> Pieces:
        """Some of the pieces."""
        return Pieces([self.shards[i] for i in which], self.place)

    def hold(self, value: Any) -> Any:
        """A value for work on all pieces, where they are."""
        return self.place.hold(value)

    def wait(self, what: str) -> Pieces:
        """Wait until all are there, with a line in the log for each."""
        for n, _ in enumerate(self.place.done(self.shards), start=1):
            logger.debug("%s %d of %d", what, n, len(self.shards))
        return self


def _at(args: Sequence[Any], i: int) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, Pieces):
            yield arg.shards[i]
        else:
            yield arg.values[i] if isinstance(arg, Each) else arg


def _cut(piece: Any, begin: int, end: int) -> Any:
    return piece[begin:end]


def _joined(*pieces: Any) -> Any:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

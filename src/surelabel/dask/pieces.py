"""Shards of a table on a cluster: work goes to them, and what is small comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import cloudpickle
import dask
import numpy as np
from distributed import Client, Future, as_completed
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError

from ..committees.base import Runner
from ..common.notice import logger

_Result = TypeVar("_Result")
# From row `begin` to before row `end` of a piece: (piece, begin, end).
Span = tuple[int, int, int]

# Arguments of more bytes than this go to the cluster once, not with each task.
_WORTH_HOLDING = 50_000


class LostSchedulerError(ConnectionError):
    """The scheduler is gone; what a run keeps in its folder is still there.

    See Also
    --------
    DaskPseudoLabelClassifier : With `folder`, the next run goes on after the last round of this one.

    Examples
    --------
    >>> from surelabel.dask import LostSchedulerError
    >>> issubclass(LostSchedulerError, ConnectionError)
    True
    """


@dataclass(frozen=True)
class Each:
    """Arguments that differ from piece to piece."""

    values: list[Any]


@dataclass(frozen=True)
class _Held:
    """A value on the cluster, made by a task from its own bytes.

    Unlike data that is scattered, it comes back when the worker that holds it dies.
    """

    future: Future[Any]


class Pieces:
    """Shards of a table, or what was made of each: results of tasks on some worker, or recipes for them.

    Parameters
    ----------
    shards : list of Future or Delayed
        Delayed ones are made again each time they are needed, and not kept.
    client : Client
        Of the cluster.
    """

    def __init__(self, shards: Iterable[Any], client: Client) -> None:
        self.shards = list(shards)
        self.client = client

    def __len__(self) -> int:
        return len(self.shards)

    def make(self, work: Callable[..., Any], *args: Any) -> Pieces:
        """Work on each piece, whose result stays there: work(piece, *args).

        Arguments that are Pieces or Each are taken piece by piece.
        """
        with lost_scheduler(self.client):
            return Pieces(
                [self._task(work, self.shards[i], *_at(args, i)) for i in range(len(self))], self.client
            )

    def later(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        """As `make`, but a recipe (Delayed) for each piece: the work is done each time it is needed."""
        recipe = dask.delayed(work, pure=False)
        return [recipe(self.shards[i], *_at(args, i)) for i in range(len(self))]

    def ask(self, work: Callable[..., _Result], *args: Any) -> list[_Result]:
        """Work on each piece; the results, which should be small, come here."""
        return self.make(work, *args).fetched()

    def fetched(self) -> list[Any]:
        """The pieces themselves."""
        with lost_scheduler(self.client):
            return self.client.gather(self.shards)

    def cut(self, spans: Iterable[Iterable[Span]]) -> Pieces:
        """New pieces put together from spans of these."""
        with lost_scheduler(self.client):
            joined = [
                self._task(_joined, *[self._task(_cut, self.shards[j], a, b) for j, a, b in each])
                for each in spans
            ]
        return Pieces(joined, self.client)

    def some(self, which: Iterable[int]) -> Pieces:
        """Some of the pieces."""
        return Pieces([self.shards[i] for i in which], self.client)

    def hold(self, value: Any) -> _Held:
        """A value on the cluster, for work on all pieces."""
        return _Held(_held(self.client, value))

    def wait(self, what: str) -> Pieces:
        """Wait until all are there, with a line in the log for each."""
        with lost_scheduler(self.client):
            for n, future in enumerate(as_completed(self.shards), start=1):
                if future.status == "error":
                    future.result()
                logger.debug("%s %d of %d", what, n, len(self.shards))
        return self

    def _task(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        if any(map(dask.is_dask_collection, args)):
            return self.client.compute(dask.delayed(work, pure=False)(*args))
        return self.client.submit(work, *args, pure=False)


def _at(args: Sequence[Any], i: int) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, Pieces):
            yield arg.shards[i]
        elif isinstance(arg, Each):
            yield arg.values[i]
        else:
            yield arg.future if isinstance(arg, _Held) else arg


def _cut(piece: Any, begin: int, end: int) -> Any:
    return piece[begin:end]


def _joined(*pieces: Any) -> Any:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _held(client: Client, value: Any, data: bytes | None = None) -> Future[Any]:
    """A task whose result is the value."""
    data = cloudpickle.dumps(value) if data is None else data
    # Dask warns of large graphs and proposes to scatter, which does not survive a dead worker.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(cloudpickle.loads, data, pure=False)


def trains_on(client: Client) -> Runner:
    """A `Runner` of committees: calls as tasks on the cluster, results in order."""

    def train(calls: Sequence[Any]) -> Iterator[Any]:
        with lost_scheduler(client):
            there = _shared(client, [args for _, args, _ in calls])
            futures = [
                client.submit(partial(work, **options), *[there[id(arg)] for arg in args], pure=False)
                for work, args, options in calls
            ]
            for future in futures:
                yield future.result()

    return train


def _shared(client: Client, calls: Sequence[Sequence[Any]]) -> dict[int, Any]:
    """Each argument of calls by its id; those that are large and come more than once, as a future."""
    times = Counter(id(arg) for args in calls for arg in args)
    there: dict[int, Any] = {}
    for arg in (arg for args in calls for arg in args):
        if id(arg) not in there:
            data = cloudpickle.dumps(arg) if times[id(arg)] > 1 else b""
            there[id(arg)] = _held(client, arg, data) if len(data) > _WORTH_HOLDING else arg
    return there


@contextmanager
def lost_scheduler(client: Client) -> Iterator[None]:
    """A clear error where the scheduler is gone."""
    try:
        yield
    except (CommClosedError, CancelledError, ClosedClientError, TimeoutError, OSError) as error:
        # Futures may be cancelled for other reasons, and a client may be connected again.
        if client.status == "running" and "scheduler" not in str(error):
            raise
        raise LostSchedulerError(
            "The scheduler is gone. What the run kept in its folder is still there: begin again with the "
            "same folder (the tool: with --resume) and another scheduler, and it goes on."
        ) from error

"""Pieces of a table on a cluster: work goes to them, and what is small comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import cloudpickle
import dask
import numpy as np
from distributed import Client, Future, as_completed
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError

from ..common.notice import logger

# Arguments of more bytes than this go to the cluster once, not with each task.
_WORTH_HOLDING = 50_000


class LostSchedulerError(ConnectionError):
    """The scheduler is gone; what a run keeps in its folder is still there."""


@dataclass(frozen=True)
class Each:
    """Arguments that differ from piece to piece."""

    values: list


@dataclass(frozen=True)
class Held:
    """A value on the cluster, made by a task from its own bytes.

    Unlike data that is scattered, it comes back when the worker that holds it dies.
    """

    future: Future


class Pieces:
    """Parts of a table, each a task's result on some worker, or a recipe to read it.

    Parameters
    ----------
    parts : list of Future or Delayed
        Delayed ones are read again for each piece of work, and not kept.
    client : Client
        Of the cluster.
    """

    def __init__(self, parts, client: Client):
        self.parts = list(parts)
        self.client = client

    def __len__(self):
        return len(self.parts)

    def make(self, work: Callable, *args) -> Pieces:
        """Work on each piece, whose result stays there: work(piece, *args).

        Arguments that are Pieces or Each are taken piece by piece.
        """
        with lost_scheduler(self.client):
            return Pieces(
                [self._task(work, self.parts[i], *_at(args, i)) for i in range(len(self))], self.client
            )

    def later(self, work: Callable, *args) -> list:
        """As `make`, but a recipe for each piece, which is followed anew whenever it is needed."""
        recipe = dask.delayed(work, pure=False)
        return [recipe(self.parts[i], *_at(args, i)) for i in range(len(self))]

    def ask(self, work: Callable, *args) -> list:
        """Work on each piece; the results, which should be small, come here."""
        return self.make(work, *args).fetched()

    def fetched(self) -> list:
        """The pieces themselves."""
        with lost_scheduler(self.client):
            return self.client.gather(self.parts)

    def cut(self, spans) -> Pieces:
        """New pieces put together from spans (piece, begin, end) of these."""
        with lost_scheduler(self.client):
            joined = [
                self._task(_joined, *[self._task(_cut, self.parts[j], a, b) for j, a, b in each])
                for each in spans
            ]
        return Pieces(joined, self.client)

    def some(self, which) -> Pieces:
        """Some of the pieces."""
        return Pieces([self.parts[i] for i in which], self.client)

    def hold(self, value) -> Held:
        """A value on the cluster, for work on all pieces."""
        return Held(held(self.client, value))

    def wait(self, what) -> Pieces:
        """Wait until all are there, with a line in the log for each."""
        with lost_scheduler(self.client):
            for n, future in enumerate(as_completed(self.parts), start=1):
                if future.status == "error":
                    future.result()
                logger.debug("%s %d of %d", what, n, len(self.parts))
        return self

    def _task(self, work, *args):
        if any(map(dask.is_dask_collection, args)):
            return self.client.compute(dask.delayed(work, pure=False)(*args))
        return self.client.submit(work, *args, pure=False)


def _at(args, i) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, Pieces):
            yield arg.parts[i]
        elif isinstance(arg, Each):
            yield arg.values[i]
        else:
            yield arg.future if isinstance(arg, Held) else arg


def _cut(piece, begin, end):
    return piece[begin:end]


def _joined(*pieces):
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def held(client: Client, value, data=None) -> Future:
    """A task whose result is the value."""
    data = cloudpickle.dumps(value) if data is None else data
    # Dask warns of large graphs and proposes to scatter, which does not survive a dead worker.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(cloudpickle.loads, data, pure=False)


def trains_on(client: Client):
    """A `Runner` of committees: calls as tasks on the cluster, results in order."""

    def train(calls):
        calls = list(calls)
        with lost_scheduler(client):
            there = _shared(client, [args for _, args, _ in calls])
            futures = [
                client.submit(partial(work, **options), *[there[id(arg)] for arg in args], pure=False)
                for work, args, options in calls
            ]
            for future in futures:
                yield future.result()

    return train


def _shared(client, calls) -> dict[int, Any]:
    """Each argument of calls by its id; those that are large and come more than once, as a future."""
    times = Counter(id(arg) for args in calls for arg in args)
    there: dict[int, Any] = {}
    for arg in (arg for args in calls for arg in args):
        if id(arg) not in there:
            data = cloudpickle.dumps(arg) if times[id(arg)] > 1 else b""
            there[id(arg)] = held(client, arg, data) if len(data) > _WORTH_HOLDING else arg
    return there


@contextmanager
def lost_scheduler(client: Client):
    """A clear error where the scheduler is gone."""
    try:
        yield
    except (CommClosedError, CancelledError, ClosedClientError, TimeoutError, OSError) as error:
        # Futures may be cancelled for other reasons, and a client may have found its way back.
        if client.status == "running" and "scheduler" not in str(error):
            raise
        raise LostSchedulerError(
            "The scheduler is gone. What the run kept in its folder is still there: begin again with the "
            "same folder (the tool: with --resume) and another scheduler, and it goes on."
        ) from error

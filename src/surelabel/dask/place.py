"""A Dask cluster as the place of work on shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any

import cloudpickle
import dask
from dask.sizeof import sizeof
from distributed import Client, Future, as_completed
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError

from ..committees.base import Runner
from ..common.types import Table
from ..shards.pieces import Place

# Arguments of more bytes than this go to the cluster once, not with each task.
_WORTH_HOLDING = 50_000
# Share of the workers' memory that the table may take. A larger one is read again for each step.
_KEPT = 0.25


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


class OnCluster(Place):
    """Tasks are futures, on some worker; recipes are Delayed.

    Parameters
    ----------
    client : Client
        Of the cluster.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def task(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """A future."""
        with lost_scheduler(self.client):
            if any(map(dask.is_dask_collection, args)):
                return self.client.compute(dask.delayed(work, pure=False)(*args))
            return self.client.submit(work, *args, pure=False)

    def recipe(self, work: Callable[..., Any], *args: Any) -> Any:
        """A Delayed."""
        return dask.delayed(work, pure=False)(*args)

    def fetched(self, tasks: Sequence[Any]) -> list[Any]:
        """Their results, on the client."""
        with lost_scheduler(self.client):
            return self.client.gather(list(tasks))

    def done(self, tasks: Sequence[Any]) -> Iterator[Any]:
        """Futures as they end."""
        with lost_scheduler(self.client):
            for future in as_completed(tasks):
                if future.status == "error":
                    future.result()
                yield future

    def hold(self, value: Any) -> Future[Any]:
        """A value on the cluster, made by a task from its own bytes.

        Unlike data that is scattered, it comes back when the worker that holds it dies.
        """
        with lost_scheduler(self.client):
            return _held(self.client, value)

    def runner(self) -> Runner:
        """Calls as tasks on the cluster, results in order."""
        return partial(_trained, self.client)

    def has_room_for(self, tables: int) -> bool:
        """Whether the workers together have enough memory."""
        workers = self.client.scheduler_info(-1)["workers"].values()
        return tables <= _KEPT * sum(worker["memory_limit"] or 0 for worker in workers)

    @staticmethod
    def size_of(table: Table) -> int:
        """Bytes, as Dask estimates them."""
        return int(sizeof(table))


def _held(client: Client, value: Any, data: bytes | None = None) -> Future[Any]:
    """A task whose result is the value."""
    data = cloudpickle.dumps(value) if data is None else data
    # Dask warns of large graphs and proposes to scatter, which does not survive a dead worker.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(cloudpickle.loads, data, pure=False)


def _trained(client: Client, calls: Sequence[Any]) -> Iterator[Any]:
    with lost_scheduler(client):
        there = _shared(client, [args for _, args, _ in calls])
        futures = [
            client.submit(partial(work, **options), *[there[id(arg)] for arg in args], pure=False)
            for work, args, options in calls
        ]
        for future in futures:
            yield future.result()


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

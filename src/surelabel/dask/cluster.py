"""A cluster to run on: one that is there, or one on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import dask
from distributed import Client, LocalCluster

_LOOPBACK = "127.0.0.1"
_CONFIG = {
    # By default half a minute: so long a lost worker is waited for.
    "distributed.comm.timeouts.connect": "15s",
    # By default workers return memory to the system as soon as it is free, and ask for it again for every
    # array. With these settings they keep some of it, and judge rows 1.5 times as fast.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 26,
    # By default every worker's stack is looked at each 10 ms, which only a search for slow code needs.
    "distributed.worker.profile.enabled": False,
}


@contextmanager
def connected(
    scheduler: str | None = None, n_workers: int | None = None, memory: str = "auto"
) -> Iterator[Client]:
    """A client of the scheduler at an address, or of a cluster of processes on this machine.

    Parameters
    ----------
    scheduler : str, optional
        Such as tcp://10.0.0.1:8786.
    n_workers : int, optional
        Processes of a cluster on this machine; one for each processor.
    memory : str, default="auto"
        Most memory of each of these, such as "2GB".
    """
    with dask.config.set(_CONFIG):
        if scheduler is not None:
            try:
                client = Client(scheduler)
            except (OSError, ValueError) as error:
                raise ConnectionError(f"There is no scheduler at {scheduler}: {error}") from error
            with client:
                yield client
            return
        n_workers = n_workers if n_workers and n_workers > 0 else os.cpu_count()
        with (
            LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit=memory,
                # Nobody but this machine may reach it: whoever does can run code.
                host=_LOOPBACK,
                dashboard_address=f"{_LOOPBACK}:0",
                worker_dashboard_address=f"{_LOOPBACK}:0",
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client

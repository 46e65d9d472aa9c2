"""Where a run works: in this process, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from ..files import InputError
from .settings import Settings
from .source import Engine
from .table_reading import read_tables


@contextmanager
def engine_for(settings: Settings) -> Iterator[Engine]:
    """The engine that settings name; a cluster is let go at the end of the block."""
    if settings.engine == "local":
        yield Engine(partial(read_tables, settings))
        return
    try:
        # Dask is an optional package.
        from .shard_source import dask_engine
    except ImportError as error:
        raise InputError(str(error)) from error
    with dask_engine(settings) as engine:
        yield engine

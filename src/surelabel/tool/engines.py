"""What --engine chooses: to read and label in this process, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from ..files import InputError
from .settings import Settings
from .source import Reader
from .table_reading import read_tables


@contextmanager
def open_reader(settings: Settings) -> Iterator[Reader]:
    """A reader for the engine that settings name; a cluster is closed at the end of the block."""
    if settings.engine == "local":
        yield Reader(partial(read_tables, settings))
        return
    try:
        # Dask is an optional package.
        from .shard_source import dask_reader
    except ImportError as error:
        raise InputError(str(error)) from error
    with dask_reader(settings) as reader:
        yield reader

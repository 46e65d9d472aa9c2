"""skops, imported when a model is written or read, and without libraries that it has no use for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# skops looks for all estimators of scikit-learn by importing all its packages. Among them are these, which
# have no estimators and import PyTorch or Dask where they are installed: seconds for nothing.
_OTHERS = [f"sklearn.externals.array_api_compat.{name}" for name in ("torch", "dask", "cupy")]


@cache
def skops_io() -> Any:
    """The module skops.io."""
    # Importing it imports all of scikit-learn: too long for those who save nothing.
    with _unavailable([name for name in _OTHERS if name not in sys.modules]):
        import skops.io
    return skops.io


@contextmanager
def _unavailable(names: list[str]) -> Iterator[None]:
    """To import a module of these names fails, as where it is not installed."""
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(names))  # None: this is how Python itself marks such a module
    try:
        yield
    finally:
        for name in names:
            modules.pop(name, None)

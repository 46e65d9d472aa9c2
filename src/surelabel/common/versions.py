"""Releases of packages, as far as they are installed."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

# What decides the results of a run.
DECISIVE = ("surelabel", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "xgboost", "xgboost-cpu")


def installed(package: str) -> str | None:
    """The release of a package; None where it is not installed.

    Examples
    --------
    >>> installed("no-such-package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def versions(packages: Iterable[str] = DECISIVE) -> dict[str, str]:
    """Python's release, and that of each package that is installed, by name."""
    found = {name: installed(name) for name in packages}
    return {"python": platform.python_version()} | {name: at for name, at in found.items() if at}

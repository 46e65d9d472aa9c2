"""Every method by its name: a function from a split to an `Outcome`, with its settings.

Settings are plain values, so that a digest of them tells two runs apart.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, TypeVar

from .grid import Outcome

_Run = TypeVar("_Run", bound=Callable[..., Outcome])
# Settings -> why a method cannot be run here; "" where it can.
Lacks = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Method:
    """A method: what it is called, what it does, and its settings unless told otherwise.

    Parameters
    ----------
    name, summary : str
        Its name, and what it does.
    run : callable
        Split and settings -> Outcome.
    defaults : dict
        Its settings.
    lacks : callable
        Settings -> why it cannot be run here; "" where it can.
    optional : bool
        Whether it is meant for those only who have what it needs.
    """

    name: str
    run: Callable[..., Outcome]
    summary: str
    defaults: dict[str, Any]
    lacks: Lacks = lambda settings: ""
    optional: bool = False


METHODS: dict[str, Method] = {}


def method(run: _Run) -> _Run:
    """Enter a function into the registry; the defaults of its keywords are its settings."""
    parameters = list(inspect.signature(run).parameters.values())[1:]
    defaults = {p.name: p.default for p in parameters}
    summary = (run.__doc__ or "").splitlines()[0]
    METHODS[run.__name__] = Method(run.__name__, run, summary, defaults)
    return run


def method_that_needs(lacks: Lacks, *, optional: bool = False) -> Callable[[_Run], _Run]:
    """As `method`, for one that cannot be run everywhere."""

    def enter(run: _Run) -> _Run:
        method(run)
        METHODS[run.__name__] = replace(METHODS[run.__name__], lacks=lacks, optional=optional)
        return run

    return enter


def package(name: str, remedy: str) -> Lacks:
    """That a package is not installed, and what to do."""
    return lambda settings: "" if find_spec(name) else f"it needs {name}, which is not installed: {remedy}."


def carry_out(name: str, split: Any, settings: dict[str, Any]) -> Outcome:
    """Run a method on a split; among its seconds are its whole time, and that of the processor."""
    begin, cpu = time.perf_counter(), _cpu_seconds()
    outcome = METHODS[name].run(split, **settings)
    # A method that runs in a process of its own knows better: starting it is no part of the method.
    outcome.seconds.setdefault("cpu", _cpu_seconds() - cpu)
    outcome.seconds["total"] = time.perf_counter() - begin
    return outcome


def _cpu_seconds() -> float:
    """Seconds of the processor for this process and for those it started that have ended."""
    return sum(os.times()[:4])

"""Runs over cells that go on where they were stopped, several at once.

`go` is a generator of `Done` records; progress is the caller's `for`.
"""

from __future__ import annotations

import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from ..common.versions import versions
from . import folder_tables
from .cells import Cell
from .datasets import DataError, Split, load, read_split
from .grid import Outcome
from .registry import METHODS, carry_out
from .store import Store

_PACKAGES = ("surelabel", "numpy", "scipy", "scikit-learn", "pandas", "xgboost-cpu", "xgboost", "torch")


@dataclass(frozen=True)
class Done:
    """A cell that has been run.

    Parameters
    ----------
    cell : Cell
        Which.
    accuracy : float or None
        What it reached; None where it failed.
    failure : str
        Why.
    seconds : float
        How long it took.
    number, of : int
        How many are done, and how many there are.
    left : float
        Seconds until all are.
    """

    cell: Cell
    accuracy: float | None
    failure: str
    seconds: float
    number: int
    of: int
    left: float


def run_cell(cell: Cell, folder: Path | None = None) -> Outcome:
    """Compute a cell on one thread; it depends on nothing but the cell."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return carry_out(cell.method, _split(cell, folder), cell.of_method)


def _split(cell: Cell, folder: Path | None) -> Split:
    read = folder_tables.read_draw if _of_folder(cell) else read_split
    return read(cell.dataset, cell.seed, folder, **cell.of_split)


def _of_folder(cell: Cell) -> bool:
    return cell.settings.get("protocol") == folder_tables.PROTOCOL


def _attempt(cell: Cell, folder: Path | None) -> tuple[Cell, Outcome | None, str, float]:
    begin = time.perf_counter()
    try:
        return cell, run_cell(cell, folder), "", time.perf_counter() - begin
    except Exception as error:  # noqa: BLE001
        # One failure must not end a long run; it is kept, and tried again next time.
        return cell, None, f"{type(error).__name__}: {error}", time.perf_counter() - begin


@dataclass(frozen=True)
class LeftOut:
    """Why runs are left out, and whether that is as it should be: for those with other tables or packages."""

    reason: str
    expected: bool


def runnable(cells: Iterable[Cell], folder: Path | None) -> tuple[list[Cell], list[LeftOut]]:
    """The cells that can be run here, and why the others cannot, each reason once."""
    cells = list(cells)
    # By dataset, so that each is read once.
    by_split = {_of_data(cell): cell for cell in sorted(cells, key=lambda cell: cell.dataset)}
    by_method = {_of_method(cell): cell for cell in cells}
    no_data = {of: left for of, cell in by_split.items() if (left := _lacks_data(cell, folder))}
    no_method = {of: left for of, cell in by_method.items() if (left := _lacks_method(cell))}
    kept = [cell for cell in cells if _of_data(cell) not in no_data and _of_method(cell) not in no_method]
    return kept, list(dict.fromkeys([*no_data.values(), *no_method.values()]))


def _of_data(cell: Cell) -> tuple[str, str]:
    return cell.dataset, repr(cell.of_split) if _of_folder(cell) else ""


def _of_method(cell: Cell) -> tuple[str, str]:
    return cell.method, repr(cell.of_method)


def _lacks_data(cell: Cell, folder: Path | None) -> LeftOut | None:
    try:
        if _of_folder(cell):
            folder_tables.check(cell.dataset, folder, **cell.of_split)
        else:
            load(cell.dataset, folder)
    except DataError as error:
        return LeftOut(str(error), isinstance(error, folder_tables.TooSmallError))
    return None


def _lacks_method(cell: Cell) -> LeftOut | None:
    method = METHODS[cell.method]
    reason = method.lacks(cell.of_method)
    return LeftOut(f"{method.name}: {reason}", method.optional) if reason else None


def to_do(cells: Iterable[Cell], store: Store) -> list[Cell]:
    """Cells that are not in the store, each once, in their order."""
    return list({cell.key: cell for cell in cells if cell not in store}.values())


def go(cells: list[Cell], store: Store, *, folder: Path | None = None, jobs: int = 1) -> Iterator[Done]:
    """Run cells and store what they give; sort the files at the end.

    Parameters
    ----------
    cells : list of Cell
        What to run; see `to_do`.
    store : Store
        Where to.
    folder : path, optional
        Of the CSV files.
    jobs : int, default=1
        Processes, one thread each. The results do not depend on it.

    Yields
    ------
    Done
    """
    expected = _expectation(store)
    weights = {cell.key: expected(cell) for cell in cells}
    begin, behind = time.perf_counter(), 0.0
    total = sum(weights.values())
    results = (
        Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)(
            delayed(_attempt)(cell, folder) for cell in cells
        )
        if cells
        else iter(())
    )
    for number, (cell, outcome, failure, seconds) in enumerate(results, start=1):
        if outcome is not None:
            store.add(cell, outcome)
        else:
            store.fail(cell, failure)
        behind += weights[cell.key]
        left = (time.perf_counter() - begin) * (total - behind) / behind
        yield Done(cell, outcome.accuracy if outcome else None, failure, seconds, number, len(cells), left)
    store.settle()


def _expectation(store: Store) -> Callable[[Cell], float]:
    """How long a cell should take, by how long similar cells took."""
    known: dict[tuple[str, ...], list[float]] = {}
    for (dataset, method, digest, _), record in store.seconds.items():
        for like in [(dataset, method, digest), (dataset, method), (method,), ()]:
            known.setdefault(like, []).append(record["seconds"]["total"])
    typical = {like: median(seconds) for like, seconds in known.items()}

    def seconds(cell: Cell) -> float:
        likes = [(cell.dataset, cell.method, cell.digest), (cell.dataset, cell.method), (cell.method,), ()]
        return max(next((typical[like] for like in likes if like in typical), 1.0), 1e-3)

    return seconds


def circumstances(command: str) -> dict[str, Any]:
    """Machine, versions and command of a run, and nothing that tells whose it is."""
    found = versions(_PACKAGES)
    return {
        "command": command,
        "cores": os.cpu_count(),
        "processor": _processor(),
        "python": found.pop("python"),
        "system": platform.system(),
        "versions": found,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def described() -> list[tuple[str, str]]:
    """Every method's name and what it does."""
    return [(name, method.summary) for name, method in METHODS.items()]

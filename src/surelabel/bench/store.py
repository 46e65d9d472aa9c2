"""Results in files: a JSON line for each cell, a file for each dataset.

What is the same in every run is in <dataset>.jsonl, which is sorted once a run is complete, so
that a run that was killed and started again leaves the same file as one that was not. Seconds
are in <dataset>.seconds.jsonl, runs that failed, and why, in <dataset>.failures.jsonl until they
succeed, and machine, versions and command in runs.jsonl.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..files import InputError, write_bytes
from .cells import Cell, Key
from .grid import Outcome

Record = dict[str, Any]

_RUNS = "runs.jsonl"


def _line_of(record: Record) -> str:
    """A record as its line."""
    return json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n"


def mended(path: Path) -> list[Record]:
    """The records of a file; a last line that was cut off is removed from it."""
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        with path.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())
    return _parsed(path, data[:end])


def _parsed(path: Path, data: bytes) -> list[Record]:
    records = []
    for number, line in enumerate(data.decode().splitlines(), start=1):
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise InputError(f"{path}, line {number}, is not a result: {error}.") from error
    return records


def append(path: Path, *records: Record) -> None:
    """Add a line for each record, all at once; they are on the disk when this returns."""
    with path.open("ab") as file:
        file.write("".join(map(_line_of, records)).encode())
        file.flush()
        os.fsync(file.fileno())


def _rewrite(path: Path, records: Iterable[Record]) -> None:
    """Replace the file as a whole, or not at all; untouched where nothing changes."""
    text = "".join(map(_line_of, records)).encode()
    if not path.exists() or path.read_bytes() != text:
        write_bytes(path, text)


def _key_of(record: Record) -> Key:
    """What tells a record from any other."""
    return record["dataset"], record["method"], record["digest"], record["seed"]


def _about(cell: Cell) -> Record:
    """What a record of a cell begins with."""
    return {"dataset": cell.dataset, "method": cell.method, "digest": cell.digest, "seed": cell.seed}


class Store:
    """The results in a folder.

    Parameters
    ----------
    folder : path
        Made when the first result is written.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.results: dict[Key, Record] = {}
        self.seconds: dict[Key, Record] = {}
        self.failures: dict[Key, Record] = {}
        self._index: dict[tuple[str, str, str], dict[int, Record]] = {}
        self._indexed = 0
        self.runs: list[Record] = mended(self.folder / _RUNS)
        for path in sorted(self.folder.glob("*.jsonl")):
            if path.name != _RUNS:
                into = self._kinds.get(Path(path.stem).suffix, self.results)
                into.update((_key_of(record), record) for record in mended(path))
        for key in self.failures.keys() & self.results:
            del self.failures[key]

    @property
    def _kinds(self) -> dict[str, dict[Key, Record]]:
        """Records by what the names of their files end in."""
        return {"": self.results, ".seconds": self.seconds, ".failures": self.failures}

    def __contains__(self, cell: Cell) -> bool:
        return cell.key in self.results

    def by_seed(self, cell: Cell) -> dict[int, Record]:
        """Results of a cell and of the same cell with other seeds, by seed."""
        if self._indexed != len(self.results):  # a page asks thousands of times
            self._index.clear()
            for key, record in self.results.items():
                self._index.setdefault(key[:3], {})[key[3]] = record
            self._indexed = len(self.results)
        return dict(self._index.get(cell.key[:3], {}))

    def time(self, cell: Cell) -> dict[str, Any]:
        """Its seconds by component."""
        return self.seconds.get(cell.key, {}).get("seconds", {})

    def begin(self, run: Record) -> None:
        """Write down what is about to run; the same again is not repeated."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if run not in self.runs:
            self.runs.append(run)
            append(self.folder / _RUNS, run)

    def add(self, cell: Cell, outcome: Outcome) -> None:
        """Keep a result."""
        about = _about(cell)
        seconds = about | {"seconds": _rounded(outcome.seconds)}
        result = about | {"settings": cell.settings, "accuracy": outcome.accuracy} | outcome.details
        # Seconds first: whoever finds the result finds these too.
        append(self._path(cell.dataset, ".seconds"), seconds)
        append(self._path(cell.dataset), result)
        self.results[cell.key], self.seconds[cell.key] = result, seconds
        self.failures.pop(cell.key, None)

    def fail(self, cell: Cell, why: str) -> None:
        """Keep that a run failed, and why; it counts as not run."""
        failure = _about(cell) | {"settings": cell.settings, "failure": why}
        append(self._path(cell.dataset, ".failures"), failure)
        self.failures[cell.key] = failure

    def settle(self) -> None:
        """Sort every file by what its lines are about; failures that are no more are removed."""
        for suffix, records in self._kinds.items():
            for dataset in sorted({key[0] for key in records}):
                kept = [records[key] for key in sorted(records) if key[0] == dataset]
                _rewrite(self._path(dataset, suffix), kept)
        failing = {key[0] for key in self.failures}
        for path in self.folder.glob("*.failures.jsonl"):
            if path.name.removesuffix(".failures.jsonl") not in failing:
                path.unlink()

    def _path(self, dataset: str, suffix: str = "") -> Path:
        return self.folder / f"{dataset}{suffix}.jsonl"


def _rounded(seconds: dict[str, Any]) -> dict[str, Any]:
    return {
        part: [round(s, 4) for s in value] if isinstance(value, list) else round(value, 4)
        for part, value in seconds.items()
    }

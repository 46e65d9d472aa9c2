"""A run on disk between two rounds: a file for each shard, and one for what is known of all.

Files and facts have the names that they had when a shard was called a part: old folders must be readable.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..files import write_bytes
from ..rounds.checkpoint import Checkpoint
from ..rounds.engine import Strand
from ..rounds.labels import Labels
from ..rounds.records import Round
from .pieces import Each, Pieces, Place

_ANEW = "Name another folder, or remove this one."
# Name of a fact, in folders of every release, and as a message calls it.
SIZES = "rows in each part"
_SHOWN = {SIZES: "rows in each shard"}


class Keeper:
    """Keeps a run in a folder, which all workers can reach where there are any.

    Parameters
    ----------
    folder : str or Path
        The folder; made if it is not there.
    facts : dict
        What the run depends on, as JSON knows it: a run that differs does not go on from here.
    n_shards : int
        Shards of the table.
    """

    def __init__(self, folder: str | Path, facts: dict[str, Any], n_shards: int) -> None:
        self.folder = Path(folder).resolve()  # workers may be elsewhere
        self.facts = facts
        self.n_shards = n_shards
        self.run = self.folder / "parts.json"
        self.history = self.folder / "rounds.npz"

    def begin(self, seed: int) -> tuple[list[Round], int]:
        """The rounds that an earlier run kept here, none if there is none, and the seed that goes on."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            before = json.loads(self.run.read_bytes()) if self.run.exists() else None
        except (OSError, ValueError) as error:
            raise ValueError(f"{self.folder} cannot hold a run: {error}. {_ANEW}") from error
        if before is None:
            write_bytes(self.run, json.dumps({"seed": int(seed), "facts": self.facts}).encode())
            return [], seed
        self._check(before)
        if not self.history.exists():
            return [], before["seed"]
        return list(Checkpoint.from_bytes(self.history.read_bytes()).history), before["seed"]

    def keep(self, strand: Strand) -> None:
        """Write down what is known after a round; from here on labels are read from there."""
        number = strand.history[-1].number
        self._folder_of(number).mkdir(exist_ok=True)
        strand.labels.make(_write, Each(self._paths(number))).wait("keeping shard")
        empty = Labels.start(np.empty(0, dtype=int), len(strand.history[-1].selected))
        # From the moment this file is there, the round counts.
        write_bytes(self.history, Checkpoint.of(empty, strand.history).to_bytes())
        self._sweep(number)

    def labels(self, number: int, n_classes: int, found: str, place: Place) -> Pieces:
        """What is known after a round, of each shard."""
        paths = Pieces(self._paths(number), place)
        return paths.make(_read, n_classes, found)

    def _check(self, before: dict[str, Any]) -> None:
        then, now = before["facts"], self.facts
        differ = [
            f"{_SHOWN.get(name, name)} was {then.get(name)} and is {now.get(name)}"
            for name in (now | then)
            if then.get(name) != now.get(name)
        ]
        if differ:
            raise ValueError(f"{self.folder} holds another run: {'; '.join(differ)}. {_ANEW}")

    def _folder_of(self, number: int) -> Path:
        return self.folder / f"round-{number:03d}"

    def _paths(self, number: int) -> list[str]:
        return [str(self._folder_of(number) / f"part-{i:06d}.npz") for i in range(self.n_shards)]

    def _sweep(self, number: int) -> None:
        """Remove what earlier rounds kept."""
        for folder in self.folder.glob("round-*"):
            if folder != self._folder_of(number):
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()


def _write(labels: Labels, path: str) -> None:
    write_bytes(Path(path), Checkpoint.of(labels, ()).to_bytes())


def _read(path: str, n_classes: int, found: str) -> Labels:
    kept = Checkpoint.from_bytes(Path(path).read_bytes())
    given = np.where(kept.columns["round"] == 0, kept.columns["codes"], -1)
    labels = Labels.start(given, n_classes, None, found)
    kept.restore(labels)
    return labels

"""A run between two rounds, in a folder: weights and labels, of which nothing is run on reading."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..files import write_bytes
from ..rounds.checkpoint import Checkpoint
from ..rounds.labels import Labels
from ..rounds.records import Round

# A network's weights by name, and the labels after its round.
Stored = tuple[dict[str, Tensor], Checkpoint]

_MAGIC = b"surelabel network 1 "


@dataclass(frozen=True)
class Kept:
    """The rounds of one run; a file for each, written whole or not at all.

    Parameters
    ----------
    folder : Path or None
        None keeps nothing.
    about : dict
        What must be the same for a run to go on: plain values.
    """

    folder: Path | None
    about: dict[str, Any]

    def write(self, name: str, model: nn.Module, labels: Labels, history: Iterable[Round]) -> None:
        """Keep a network, and the labels after its round."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        found = np.frombuffer(Checkpoint.of(labels, history).to_bytes(), dtype=np.uint8)
        weights = {part: tensor.cpu() for part, tensor in model.state_dict().items()}
        file = io.BytesIO()
        content = {"about": json.dumps(self.about), "weights": weights, "labels": torch.tensor(found)}
        torch.save(content, file)
        payload = file.getvalue()
        write_bytes(self._path(name), _MAGIC + _digest(payload) + b"\n" + payload)

    def read(self, name: str) -> Stored | None:
        """The weights and labels of a round; None where they are not kept."""
        if self.folder is None or not self._path(name).exists():
            return None
        path = self._path(name)
        head, _, payload = path.read_bytes().partition(b"\n")
        if head != _MAGIC + _digest(payload):
            raise ValueError(f"{path} is damaged, or not a network kept by surelabel. Remove it to go on.")
        content = torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True)
        self._compare(json.loads(content["about"]), path)
        return content["weights"], Checkpoint.from_bytes(content["labels"].numpy().tobytes())

    def _compare(self, before: dict[str, Any], path: Path) -> None:
        now = json.loads(json.dumps(self.about))
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                raise ValueError(
                    f"{path} is of another run: {name} was {before.get(name)!r} and is {now.get(name)!r}. "
                    "Go on with what it was, or name another folder."
                )

    def _path(self, name: str) -> Path:
        return Path(self.folder or ".") / f"{name}.pt"


def _digest(payload: bytes) -> bytes:
    return hashlib.sha256(payload).hexdigest().encode()

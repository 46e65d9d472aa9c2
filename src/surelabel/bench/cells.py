"""One run of a method on a split, and the columns of tables that such runs make."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from ..files import InputError
from . import contenders, methods, text_contenders  # noqa: F401, by which they enter the registry
from .registry import METHODS

# Dataset, method, digest of the settings, seed.
Key = tuple[str, str, str, int]
# Of a split rather than of a method.
_SPLIT = ("labelled", "unlabelled", "balanced", "protocol")


@dataclass(frozen=True)
class Cell:
    """One run: what is computed once and stored on one line."""

    dataset: str
    method: str
    seed: int
    settings: dict[str, Any] = field(hash=False)

    @classmethod
    def of(cls, dataset: str, method: str, seed: int, settings: dict[str, Any]) -> Cell:
        """A cell with all its settings, those of the method by default among them."""
        defaults = METHODS[method].defaults
        unknown = [name for name in settings if name not in defaults and name not in _SPLIT]
        if unknown:
            raise InputError(
                f"{method} has no setting {unknown[0]!r}; it has {', '.join(defaults) or 'none'}."
            )
        return cls(dataset, method, seed, defaults | settings)

    @property
    def digest(self) -> str:
        """Twelve letters that stand for the settings."""
        text = json.dumps(self.settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def key(self) -> Key:
        """What tells a cell from any other."""
        return self.dataset, self.method, self.digest, self.seed

    @property
    def of_split(self) -> dict[str, Any]:
        """Settings of the split, where they are not the paper's: numbers of rows, whose protocol."""
        return {name: value for name, value in self.settings.items() if name in _SPLIT}

    @property
    def of_method(self) -> dict[str, Any]:
        """Settings of the method."""
        return {name: value for name, value in self.settings.items() if name not in _SPLIT}


@dataclass(frozen=True)
class Column:
    """A column of a table, or a point of a figure: a method with settings, under a label."""

    label: str
    method: str
    settings: dict[str, Any] = field(default_factory=dict, hash=False)

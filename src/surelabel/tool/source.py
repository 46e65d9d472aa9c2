"""What a run asks of its rows, wherever they are.

`table_source` answers for a table in memory, `shard_source` for Parquet files on a Dask cluster. A third
place to work in is a third module like these, and a line in `engines`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..classifier import PseudoLabelClassifier
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .facts import Facts
from .run_folder import RunFolder
from .settings import Settings
from .summary import Summary


class Labelling(ABC):
    """The work on the rows of a source; `rounds` comes first, then what was found is written."""

    @abstractmethod
    def rounds(self) -> Iterator[Round | LabelRounds]:
        """Label round by round, from where the folder says; each round is on disk before it is yielded."""

    def finish_early(self) -> bool:
        """Make do with the rounds so far; False where labels can be written after the last round only."""
        return False

    @abstractmethod
    def fitted(self) -> PseudoLabelClassifier:
        """The classifier; the rounds are over."""

    @abstractmethod
    def write_labels(self) -> list[Path]:
        """Write the rows with labels filled in where sure, and why; the files or folders written."""

    @abstractmethod
    def summary(self) -> Summary:
        """What became of the rows, for a person to see."""

    def features(self) -> pd.DataFrame | None:
        """X of all rows, for the report; None where they are not in one place, and there is no report."""
        return None


@dataclass(frozen=True)
class Source(ABC):
    """Rows to label, read and understood; nothing is labelled yet.

    Parameters
    ----------
    facts : Facts
        What is known of them before any work.
    """

    facts: Facts

    @abstractmethod
    def labelling(self, settings: Settings, folder: RunFolder) -> Labelling:
        """The work that settings ask for, which keeps what it finds in a folder."""


@dataclass(frozen=True)
class Engine:
    """A place to work in, for as long as it is open.

    Parameters
    ----------
    read : callable
        Reads the files of the settings: () -> Source.
    dashboard : str, optional
        Address of a page that shows the engine at work.
    """

    read: Callable[[], Source]
    dashboard: str | None = None

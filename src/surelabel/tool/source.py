"""What a run asks of its rows, wherever they are.

`table_source` answers for a table in memory, `shard_source` for Parquet files, here or on a Dask cluster. A
third kind of source is a third module like these, and a line in `run`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..classifier import PseudoLabelClassifier
from ..filling import Filling
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .facts import Facts
from .run_folder import RunFolder
from .settings import Settings
from .summary import Summary


class Labelling(ABC):
    """The work on the rows of a source: first its `rounds`, then what they found is written."""

    @abstractmethod
    def rounds(self) -> Iterator[Round | LabelRounds]:
        """Make the rounds that the folder does not hold yet; each is on disk before it is yielded."""

    def finish_early(self) -> bool:
        """Train the final classifier now; False where it can only be trained after the last round."""
        return False

    @abstractmethod
    def fitted(self) -> PseudoLabelClassifier:
        """The classifier; the rounds are over."""

    @abstractmethod
    def write_labels(self) -> list[Path]:
        """Write the rows with labels filled in where sure, and why; the files or folders written."""

    @abstractmethod
    def filling(self, right: float | None = None) -> Filling:
        """Which labels are handed out, and what is promised of them; `right` other than was asked."""

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
class Reader:
    """Reads the files of a run; what it gives can be worked on for as long as the reader is open.

    Parameters
    ----------
    read : callable
        () -> Source.
    dashboard : str, optional
        Address of a page that shows a cluster at work.
    """

    read: Callable[[], Source]
    dashboard: str | None = None

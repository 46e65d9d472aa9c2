"""What is known of the rows of a run before any work, and what every table must be to be labelled."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cells import Kind
from ..files import InputError
from ..reading.column_parts import CATEGORIES, DATES, TEXTS
from ..reading.columns import Columns

_MOST_CLASSES = 10_000
# The tables that a run writes, by the names of the files without their endings.
OUTPUTS = ("labels", "unlabeled")
# The lists of `Columns`, and the kinds of the columns in them.
_LISTS = {
    "number": ("number",),
    "categorical": CATEGORIES,
    "text": TEXTS,
    "date": DATES,
    "embedding": ("vector",),
}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a run tells of its rows, and which files it reads and writes.

    Parameters
    ----------
    kinds : dict of str to Kind
        What each column is taken for.
    counts : dict
        Labelled rows of each class, in the order of the classes' names. Of several labels: rows that
        have each label, in the order of the columns.
    n_unlabeled : int
        Rows without a label, or of which not all labels are known.
    several : bool, default=False
        Whether rows have several labels.
    notes : tuple of str
        What the reader decided by itself.
    digests : dict of str to str
        A digest of the content of each setting that names files: "data", "unlabeled".
    reads : tuple of Path
        The files that are read.
    outputs : tuple of str
        Names, in the folder of the run, of the tables that will be written.
    record : dict
        What else run.json says of the rows.
    """

    kinds: dict[str, Kind]
    counts: dict[Any, int]
    n_unlabeled: int
    several: bool = False
    notes: tuple[str, ...] = ()
    digests: dict[str, str]
    reads: tuple[Path, ...]
    outputs: tuple[str, ...]
    record: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> Columns:
        """How the classifier reads the columns: as the kinds say, so that nothing is told twice."""
        named: dict[str, Any] = {
            setting: [name for name, kind in self.kinds.items() if kind.kind in kinds]
            for setting, kinds in _LISTS.items()
        }
        return Columns(**named)


def check_used(kinds: dict[str, Kind], data: str) -> None:
    """Refuse a table of which no column can be learnt from."""
    if not any(kind.used for kind in kinds.values()):
        seen = ", ".join(f"{kind.name}: {kind.kind}" for kind in kinds.values() if kind.kind != "target")
        raise InputError(
            f"{data}: no column can be learnt from ({seen or 'there is no other'}). "
            "--categorical makes a category of one."
        )


def check_labelled(n_labelled: int, n_rows: int, data: str, targets: tuple[str, ...]) -> None:
    """Refuse a table without any label."""
    if not n_labelled:
        others = " or the others" if len(targets) > 1 else ""
        raise InputError(f"{data}: none of the {n_rows:,} rows has a label in column {targets[0]!r}{others}.")


def check_classes(n_classes: int, data: str, target: str) -> None:
    """Refuse more classes than can be told apart, over all shards of a table."""
    if n_classes > _MOST_CLASSES:
        raise InputError(
            f"{data}: column {target!r} holds {n_classes:,} different labels; at most {_MOST_CLASSES:,} "
            "classes can be told apart. Is it an identifier? Name the column of classes: --target."
        )

"""Shards of a table: row groups of Parquet files, and the work on one of them, wherever it lies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from ..cells import Kind, features
from ..classifier import PseudoLabelClassifier
from ..common.types import Floats, Ints, Values
from ..files import Format, InputError, check_file, read_row_groups, target_values, write_table
from .earlier_run import EarlierRun, Tally
from .filled_table import filled
from .final_opinion import as_final, opinions
from .run_files import digest_of
from .settings import Settings

# Rows in a shard, as far as row groups allow.
_SHARD_ROWS = 250_000
# Rows that tell what each column is: from all over the table, and the first.
_LOOKED_AT, FIRST_ROWS = 50_000, 1_000
_ROUNDING = 1e-9
_ENDINGS = (".parquet", ".pq")
# A Parquet file of more cells is not held in memory, unless that is asked for.
_CELLS_IN_MEMORY = 40_000_000


@dataclass(frozen=True)
class Shard:
    """Some row groups of a file."""

    path: str
    groups: tuple[int, ...]
    n_rows: int

    def read(self, columns: list[str] | None = None) -> tuple[pd.DataFrame, Format]:
        """Its rows as a frame, and how the file was laid out."""
        return read_row_groups(self.path, list(self.groups), columns)


def files_of(names: Sequence[str]) -> list[Path]:
    """Parquet files by name, by pattern, or all in a folder, in the order of their names."""
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            here = sorted(each for each in path.iterdir() if each.suffix in _ENDINGS)
        else:
            here = [path] if path.exists() else sorted(map(Path, glob(name)))
        if not here:
            raise InputError(f"No Parquet file {name!r}.")
        found += here
    for path in found:
        if path.suffix not in _ENDINGS:
            raise InputError(f"Shards are read from Parquet files; {path} is none.")
    return list(dict.fromkeys(found))


def engine_for(settings: Settings) -> str:
    """The engine that settings name; where they leave it open, shards for a Parquet file that is large."""
    if settings.engine != "auto":
        return settings.engine
    path = Path(settings.data)
    if not settings.can_be_in_shards or path.suffix not in _ENDINGS or not path.is_file():
        return "local"
    footer = _footer(path)
    names = footer.schema.to_arrow_schema().names
    # Rows with several labels, with commas between their names, are in memory.
    large = footer.num_rows * len(names) > _CELLS_IN_MEMORY
    return "shards" if large and settings.target in names else "local"


def shards_of(files: Sequence[Path]) -> tuple[list[Shard], str]:
    """Row groups put together to shards, and a digest of all footers, which tell of every column chunk."""
    shards: list[Shard] = []
    digest = hashlib.sha256()
    for path in files:
        meta = _footer(path)
        groups: list[int] = []
        rows = 0
        for i in range(meta.num_row_groups):
            n = meta.row_group(i).num_rows
            digest.update(repr(meta.row_group(i).to_dict()).encode())
            if groups and rows + n > _SHARD_ROWS:
                shards.append(Shard(str(path.resolve()), tuple(groups), rows))
                groups, rows = [], 0
            groups.append(i)
            rows += n
        if rows:
            shards.append(Shard(str(path.resolve()), tuple(groups), rows))
    if not shards:
        raise InputError(f"{files[0]} has columns and no rows.")
    return shards, digest.hexdigest()


def _footer(path: Path) -> pq.FileMetaData:
    check_file(path)
    try:
        with pq.ParquetFile(path) as file:
            return file.metadata
    except Exception as error:
        # Arrow raises OSError, ValueError and its own kinds, by where the damage is.
        raise InputError(f"{path}: not a readable Parquet file ({error}). Write it again.") from error


def rows_to_look_at(sizes: Sequence[int]) -> list[Ints]:
    """Rows of each shard that tell what the columns are: from all over the table, and the first ones.

    The first ones follow each other, and tell whether a column counts them.

    Examples
    --------
    >>> [rows.tolist() for rows in rows_to_look_at([2, 3])]
    [[0, 1], [0, 1, 2]]
    """
    n = sum(sizes)
    spread = np.linspace(0, n - 1, min(n, _LOOKED_AT)).astype(int)
    rows = np.union1d(spread, np.arange(min(n, FIRST_ROWS)))
    ends = np.cumsum(sizes)
    each = np.split(rows, np.searchsorted(rows, ends[:-1]))
    return [rows - start for rows, start in zip(each, [0, *ends[:-1]], strict=True)]


def counting(kinds: dict[str, Kind], first: dict[str, Kind], n: int) -> dict[str, Kind]:
    """Columns of numbers that count the first rows, and differ in all n that were looked at: identifiers."""
    return {
        name: replace(kind, kind="identifier", why=first[name].why, notation="", note="", advice="")
        for name, kind in kinds.items()
        if kind.kind == "number" and first[name].kind == "identifier" and kind.n_distinct == n
    }


# The work on one shard, here or by a worker of a cluster.


def some_rows(shard: Shard, rows: Ints) -> pd.DataFrame:
    """Some rows, all columns."""
    return shard.read()[0].iloc[rows]


def label_counts(
    shard: Shard, target: str, missing_label: str | None, earlier: EarlierRun | None = None
) -> tuple[Counter[Any], Tally]:
    """How often each label is given; and, where an earlier run wrote the table, whose labels these are."""
    frame, tally = _labels_read(shard, target, missing_label, earlier)
    values = target_values(frame, target, missing_label)
    return Counter(value for value in values if value is not None), tally


def _labels_read(
    shard: Shard, target: str, missing_label: str | None, earlier: EarlierRun | None
) -> tuple[pd.DataFrame, Tally]:
    """The label column, without what an earlier run filled in."""
    if earlier is None:
        return shard.read([target])[0], Tally()
    return earlier.read(shard.read(earlier.needed)[0], missing_label)


def shard_features(shard: Shard, kinds: dict[str, Kind]) -> pd.DataFrame:
    """X; errors name the file."""
    try:
        return features(shard.read()[0], kinds)
    except (InputError, KeyError) as error:
        raise InputError(f"{shard.path}: {error}") from error


def shard_labels(
    shard: Shard,
    target: str,
    missing_label: str | None,
    known: dict[Any, Any],
    earlier: EarlierRun | None = None,
) -> Values:
    """Labels as the classifier has them, None where there is none; shape (n,)."""
    frame, _ = _labels_read(shard, target, missing_label, earlier)
    values = target_values(frame, target, missing_label)
    out = np.empty(len(values), dtype=object)
    out[:] = [None if value is None else known[value] for value in values]
    return out


def write_filled(
    shard: Shard,
    lines: pd.DataFrame,
    clf: PseudoLabelClassifier,
    kinds: dict[str, Kind],
    target: str,
    written: dict[str, Any],
    thresholds: Floats,
    missing_label: str | None,
    earlier: EarlierRun | None,
    path: str,
) -> str:
    """Write the rows with labels filled in, and why; the digest of the file.

    Parameters
    ----------
    shard : Shard
        The rows.
    lines : DataFrame of n lines
        What the rounds found of each row.
    clf : PseudoLabelClassifier
        The final classifier.
    kinds : dict of str to Kind
        What each column is taken for.
    target : str
        The label column.
    written : dict
        Each label by its name -> as it is in the files.
    thresholds : ndarray of shape (K,)
        The least probability of a label that is handed out, by class.
    missing_label : str, optional
        A mark of unlabelled rows besides the empty cell.
    earlier : EarlierRun, optional
        What an earlier run added to the table.
    path : str
        The file to write.
    """
    frame, form = shard.read()
    sampled = None
    if earlier is not None:
        sampled = earlier.sampled(frame, missing_label)
        frame, _ = earlier.read(frame, missing_label)
    lines = lines.set_axis(range(len(lines)))
    unknown = lines["round"].to_numpy() != 0
    if clf._asked:
        said = as_final(lines[unknown])
    else:
        said = opinions(clf, features(frame, kinds).loc[unknown])[0].of(lines[unknown])
    limit = {str(label): threshold for label, threshold in zip(clf.classes_, thresholds, strict=True)}
    # The last digits of a probability depend on the rows that are asked about with it.
    limits = np.array([limit[str(guess)] for guess in said["guess"]], dtype=float)
    handed = said["probability"].to_numpy(dtype=float) >= limits - _ROUNDING
    labels = [written[str(label)] if out else None for label, out in zip(said["guess"], handed, strict=True)]
    said = said.assign(filled=pd.Series(labels, index=said.index, dtype=object))
    table = filled(frame, target, said, 0, sampled=sampled)
    write_table(table, path, form)
    return digest_of(Path(path))

"""A run over many Parquet files on a Dask cluster: as `source` and `work`, each file where it lies."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from ..dask import DaskPseudoLabelClassifier
from ..dask.pieces import Each, Pieces
from ..files import InputError, Kind, features, kinds_of, read_row_groups, target_values, write_table
from ..rounds.loop import Round
from .run_folder import RunFolder, filled
from .settings import Settings
from .source import added, uniform

# Rows in a part, as far as row groups allow.
_PART_ROWS = 250_000
# Rows that tell what each column is.
_HEAD_ROWS = 50_000
_ENDINGS = (".parquet", ".pq")


@dataclass(frozen=True)
class Part:
    """Some row groups of a file."""

    path: str
    groups: tuple[int, ...]
    n_rows: int

    def read(self, columns=None):
        """Its rows as a frame, and how the file was laid out."""
        return read_row_groups(self.path, list(self.groups), columns)


@dataclass(frozen=True)
class ManySource:
    """A half-labelled table in many files.

    Parameters
    ----------
    parts : list of Part
        Its rows, in order.
    kinds : dict of str to Kind
        What each column is taken for, by the first rows.
    target : str
        The label column.
    labels : dict
        Each label as it is in the files -> as the classifier has it.
    counts : dict
        Labelled rows of each class.
    digests : dict
        Of the files' footers, which tell of every column chunk.
    """

    parts: list[Part]
    kinds: dict[str, Kind]
    target: str
    labels: dict[Any, Any]
    counts: dict[Any, int]
    digests: dict[str, str]
    notes: tuple[str, ...] = ()
    several: bool = False

    @property
    def n_unlabeled(self) -> int:
        """Rows without a label."""
        return sum(part.n_rows for part in self.parts) - sum(self.counts.values())


@dataclass(frozen=True)
class ManyOutcome:
    """How a run ended: the classifier, and the folder with a file of labels for each part."""

    clf: DaskPseudoLabelClassifier
    labels: Path


def files_of(names) -> list[Path]:
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
            raise InputError(f"--engine dask reads Parquet files; {path} is none.")
    return list(dict.fromkeys(found))


def parts_of(files) -> tuple[list[Part], str]:
    """Row groups put together to parts, and a digest of all footers."""
    parts, digest = [], hashlib.sha256()
    for path in files:
        try:
            with pq.ParquetFile(path) as file:
                meta = file.metadata
        except Exception as error:
            # Arrow raises OSError, ValueError and its own kinds, by where the damage is.
            raise InputError(f"{path}: not a readable Parquet file ({error}). Write it again.") from error
        groups: list[int] = []
        rows = 0
        for i in range(meta.num_row_groups):
            n = meta.row_group(i).num_rows
            digest.update(repr(meta.row_group(i).to_dict()).encode())
            if groups and rows + n > _PART_ROWS:
                parts.append(Part(str(path.resolve()), tuple(groups), rows))
                groups, rows = [], 0
            groups.append(i)
            rows += n
        if rows:
            parts.append(Part(str(path.resolve()), tuple(groups), rows))
    if not parts:
        raise InputError(f"{files[0]} has columns and no rows.")
    return parts, digest.hexdigest()


def first_rows(parts: list[Part]) -> pd.DataFrame:
    """Rows that tell what each column is: the first ones, from as many parts as it takes."""
    read: list[pd.DataFrame] = []
    for part in parts:
        read.append(part.read()[0])
        if list(read[-1].columns) != list(read[0].columns):
            raise InputError(f"{part.path} has other columns than {parts[0].path}.")
        if sum(map(len, read)) >= _HEAD_ROWS:
            break
    return pd.concat(read, ignore_index=True).iloc[:_HEAD_ROWS]


def opened_many(settings: Settings, parts: list[Part], digest, client) -> ManySource:
    """Look at the parts of a table, whose footers have this digest."""
    target = str(settings.target)
    head = first_rows(parts)
    kinds = kinds_of(head, (target,), settings.drop, settings.categorical, settings.id)
    already = [name for name in added() if name in head.columns]
    if already:
        raise InputError(
            f"{parts[0].path} already has the column {already[0]!r}. Give what it was made from."
        )
    if not any(kind.used for kind in kinds.values()):
        raise InputError(
            f"{settings.data}: no column can be learnt from. --categorical makes a category of one."
        )
    counts: Counter = sum(Pieces(parts, client).ask(_label_counts, target, settings.missing_label), Counter())
    if not counts:
        n = sum(part.n_rows for part in parts)
        raise InputError(f"{settings.data}: none of the {n:,} rows has a label in column {target!r}.")
    raw = np.empty(len(counts), dtype=object)
    raw[:] = list(counts)
    labels = dict(zip(raw, uniform(raw), strict=True))
    by_class: Counter = Counter()
    for label, n in counts.items():
        by_class[labels[label]] += n
    ordered = {label: by_class[label] for label in sorted(by_class, key=str)}
    return ManySource(parts, kinds, target, labels, ordered, {"data": digest})


def work_many(
    settings: Settings, source: ManySource, folder: RunFolder, client, stop
) -> Iterator[Round | ManyOutcome]:
    """Label the rows, and write what was found; a run that is stopped yields no outcome."""
    plain = replace(settings, jobs=None)  # workers are the jobs
    clf = DaskPseudoLabelClassifier(plain.classifier(list(source.counts)), folder=folder.parts)
    parts = Pieces(source.parts, client)
    X = parts.later(_features, source.kinds)
    y = parts.later(_labels, source.target, settings.missing_label, source.labels)
    for round in clf.fit_rounds(X, y):
        yield round
        if stop.asked:
            return
    out = folder.path.resolve() / "labels"
    out.mkdir(exist_ok=True)
    paths = [str(out / f"part-{i:05d}.parquet") for i in range(len(source.parts))]
    lines = Pieces(clf.labels_.to_delayed(optimize_graph=False), client)
    written = {str(label): value for value, label in source.labels.items()}
    parts.make(_write, lines, source.target, written, Each(paths)).wait("writing part")
    clf.classifier_.save(folder.model)
    folder.write_history(clf.classifier_)
    found = sum(round.labelled for round in clf.history_)
    folder.write_run(settings, source, "complete", outputs=["labels"], labelled=found)
    shutil.rmtree(folder.parts)
    yield ManyOutcome(clf, out)


def _label_counts(part: Part, target, missing_label):
    values = target_values(part.read([target])[0], target, missing_label)
    return Counter(value for value in values if value is not None)


def _features(part: Part, kinds):
    try:
        return features(part.read()[0], kinds)
    except (InputError, KeyError) as error:
        raise InputError(f"{part.path}: {error}") from error


def _labels(part: Part, target, missing_label, known):
    values = target_values(part.read([target])[0], target, missing_label)
    out = np.empty(len(values), dtype=object)
    out[:] = [None if value is None else known[value] for value in values]
    return out


def _write(part: Part, lines: pd.DataFrame, target, written, path):
    frame, form = part.read()
    lines = lines.set_axis(range(len(lines)))
    labels = np.empty(len(lines), dtype=object)
    labels[:] = [None if pd.isna(label) else written[str(label)] for label in lines["label"]]
    rounds = lines["round"].to_numpy()
    table = filled(frame, target, labels, rounds, lines[rounds != 0], 0)
    write_table(table, path, form, guarded=[target, *added()])

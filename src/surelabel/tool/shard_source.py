"""Rows in shards, here or on a Dask cluster: each is read and written where it lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..cells import target_column
from ..classifier import PseudoLabelClassifier
from ..files import InputError
from ..filling import Filling
from ..handing_out import decided, judged_by_held_out
from ..rounds.records import Round
from ..shards.fitting import Fit
from ..shards.here import Here
from ..shards.pieces import Each, Pieces, Place
from . import summary
from .earlier_run import EarlierRun, Tally, earlier_run
from .facts import OUTPUTS, Facts, check_classes, check_labelled, check_used
from .label_columns import by_name, uniform
from .run_files import Staged
from .run_folder import RunFolder
from .settings import Settings
from .shards import (
    FIRST_ROWS,
    Shard,
    counting,
    files_of,
    label_counts,
    rows_to_look_at,
    shard_features,
    shard_labels,
    shards_of,
    some_rows,
    write_filled,
)
from .source import Labelling, Reader, Source

_NO_SAMPLE = (
    "a run in shards cannot tell labels of chosen rows from a random sample, so nothing is promised; "
    "--engine local can."
)
_A_SHARD_AT_A_TIME = (
    "rows are read in shards, one after the other (--engine shards); labels go into a folder. The report, "
    "and surelabel review, fill and next, are for tables in memory (--engine local)."
)


@contextmanager
def shard_reader(settings: Settings) -> Iterator[Reader]:
    """A reader of shards; before a cluster is started, the files are looked for."""
    shards, digest = shards_of(files_of([settings.data, *settings.parts]))
    if settings.engine == "shards":
        yield Reader(partial(_read, settings, shards, digest, Here()))
        return
    try:
        # Dask is an optional package.
        from ..dask.cluster import connected
        from ..dask.place import OnCluster
    except ImportError as error:
        raise InputError(str(error)) from error
    with connected(settings.scheduler, settings.jobs) as client:
        yield Reader(partial(_read, settings, shards, digest, OnCluster(client)), client.dashboard_link)


@dataclass(frozen=True)
class ShardSource(Source):
    """A half-labelled table in shards.

    Parameters
    ----------
    facts : Facts
        What is known of it before any work; what each column is taken for, by rows of all shards.
    shards : list of Shard
        Its rows, in order.
    target : str
        The label column.
    labels : dict
        Each label as it is in the files -> as the classifier has it.
    place : Place
        Where they are worked on.
    earlier : EarlierRun, optional
        What an earlier run added to the table.
    is_sample : bool, default=True
        Whether all given labels are a random sample; nothing is promised on others.
    """

    shards: list[Shard]
    target: str
    labels: dict[Any, Any]
    place: Place
    earlier: EarlierRun | None = None
    is_sample: bool = True

    def labelling(self, settings: Settings, folder: RunFolder) -> ShardLabelling:
        """The work that settings ask for, where the shards are."""
        # On a cluster, --jobs is the number of workers; each of them does one thing at a time.
        alone = settings if settings.engine == "shards" else replace(settings, jobs=None)
        clf = alone.classifier(list(self.facts.counts), columns=self.facts.columns)
        missing = settings.missing_label
        shards = Pieces(self.shards, self.place)
        X = shards.later(shard_features, self.facts.kinds)
        y = shards.later(shard_labels, self.target, missing, self.labels, self.earlier)
        return ShardLabelling(self, settings, folder, Fit.begun(clf, X, y))


@dataclass
class ShardLabelling(Labelling):
    """The work on a table in shards.

    Parameters
    ----------
    source : ShardSource
        The table.
    settings : Settings
        What was asked.
    folder : RunFolder
        Where to keep and to write; the workers reach it by the same path.
    fit : Fit
        Of the classifier; it keeps what is known after each round by itself.
    """

    source: ShardSource
    settings: Settings
    folder: RunFolder
    fit: Fit

    def rounds(self) -> Iterator[Round]:
        """Label round by round; what is known after each is in the folder."""
        self.folder.files.make_folder(self.folder.kept_shards.name)
        yield from self.fit.rounds(self.folder.kept_shards)
        self.fit.ask_final()

    def fitted(self) -> PseudoLabelClassifier:
        """The classifier for plain tables."""
        return self.fit.clf

    def write_labels(self) -> list[Path]:
        """A file for each shard, in a folder."""
        own = self.folder.files
        out = own.make_folder(OUTPUTS[0])
        names = [f"{OUTPUTS[0]}/part-{i:05d}.parquet" for i in range(len(self.source.shards))]
        paths = [own.staging(name).resolve() for name in names]  # workers may be in another folder
        written = {str(label): value for value, label in self.source.labels.items()}
        shards = Pieces(self.source.shards, self.source.place)
        files = shards.make(
            write_filled,
            self.fit.lines(),
            shards.hold(self.fitted()),
            self.source.facts.kinds,
            self.source.target,
            written,
            self.filling().thresholds,
            self.settings.missing_label,
            self.source.earlier,
            Each([str(path) for path in paths]),
        )
        digests = files.wait("writing shard").fetched()
        own.place({name: Staged(*each) for name, *each in zip(names, paths, digests, strict=True)})
        return [out]

    def filling(self, right: float | None = None) -> Filling:
        """Which labels are handed out, and what is promised of them; `right` other than was asked."""
        asked, right = self.settings, self.settings.right if right is None else right
        judged = asked.guard or judged_by_held_out(self.fitted())
        promise = asked.promise and judged and self.source.is_sample
        return decided(self.fitted(), right, asked.confidence, asked.per_class, exact=False, promise=promise)

    def summary(self) -> summary.Summary:
        """Rows by class."""
        given = {label: self.source.facts.counts[label] for label in self.fitted().classes_.tolist()}
        return summary.of_filling(given, self.filling())


def _read(settings: Settings, shards: list[Shard], digest: str, place: Place) -> ShardSource:
    """Look at the shards of a table, whose footers have this digest."""
    target = str(settings.target)
    some = _looked_at(shards, place)
    target_column(some, target)
    drop, earlier = settings.drop, earlier_run(some.columns, settings.data, (target,), drop=settings.drop)
    if earlier is not None:
        some, _ = earlier.read(some, settings.missing_label)
        drop = tuple(name for name in drop if name not in earlier.added)
    n_rows = sum(shard.n_rows for shard in shards)
    kinds = settings.kinds(some, (target,), drop)
    if len(some) < n_rows:
        first = settings.kinds(some.iloc[:FIRST_ROWS], (target,), drop)
        kinds |= counting(kinds, first, len(some))
    check_used(kinds, settings.data)
    found = Pieces(shards, place).ask(label_counts, target, settings.missing_label, earlier)
    counts: Counter[Any] = sum((each for each, _ in found), Counter())
    tally = sum((each for _, each in found), Tally())
    check_labelled(len(counts), n_rows, settings.data, (target,))
    check_classes(len(counts), settings.data, target)
    raw = np.empty(len(counts), dtype=object)
    raw[:] = list(counts)
    labels = dict(zip(raw, uniform(raw), strict=True))
    by_class: Counter[Any] = Counter()
    for label, n in counts.items():
        by_class[labels[label]] += n
    facts = Facts(
        kinds=kinds,
        counts=by_name(by_class),
        n_unlabeled=n_rows - sum(counts.values()),
        notes=(
            *(() if earlier is None else (earlier.told(tally),)),
            *((_NO_SAMPLE,) if tally.chosen else ()),
            *((_A_SHARD_AT_A_TIME,) if settings.engine == "shards" else ()),
        ),
        digests={"data": digest},
        reads=tuple(dict.fromkeys(Path(shard.path) for shard in shards)),
        outputs=(OUTPUTS[0],),
        record={"by_hand": tally.by_hand},
    )
    return ShardSource(facts, shards, target, labels, place, earlier, is_sample=not tally.chosen)


def _looked_at(shards: list[Shard], place: Place) -> pd.DataFrame:
    """Rows from all shards, the first ones first; refused where shards have different columns."""
    rows = rows_to_look_at([shard.n_rows for shard in shards])
    read = Pieces(shards, place).ask(some_rows, Each(rows))
    for shard, frame in zip(shards, read, strict=True):
        if list(frame.columns) != list(read[0].columns):
            raise InputError(f"{shard.path} has other columns than {shards[0].path}.")
    return pd.concat([frame for frame in read if len(frame)], ignore_index=True)

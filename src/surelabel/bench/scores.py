"""What the stored lines say: means, intervals, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..common.types import Floats
from .cells import Cell, Column
from .paper import PRINTED_SEEDS
from .store import Record, Store
from .suite import Suite
from .suites import SUITES

# A deviation printed as 1 may have been as little as a half.
_LEAST_DEVIATION = 0.5


@dataclass(frozen=True)
class Score:
    """The accuracies of a column on a dataset.

    Parameters
    ----------
    mean, half : float
        In percent, and half of its 95% interval by Student's t over seeds; NaN for one seed or two.
    n : int
        Seeds.
    printed : tuple or None
        The paper's mean and deviation.
    word : {"agrees", "higher", "lower", ""}
        How ours compares with the paper's by Welch's test at 5%; "" where there is nothing to compare.
    """

    mean: float
    half: float
    n: int
    printed: tuple[float, float] | None = None
    word: str = ""

    def __str__(self) -> str:
        return f"{self.mean:.2f}" + (f" +- {self.half:.2f}" if np.isfinite(self.half) else "")


def interval(values: ArrayLike) -> tuple[float, float]:
    """Mean, and half of its 95% interval by Student's t; NaN below three values, which say little of it."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    half = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 2 else np.nan
    return float(values.mean()), float(half)


def compared(
    values: Sequence[float], printed: tuple[float, float] | None, printed_seeds: int = PRINTED_SEEDS
) -> str:
    """Ours against the paper's mean and deviation over its seeds: agrees, higher or lower."""
    if printed is None or len(values) < 2 or not printed_seeds:
        return ""
    mean, deviation = printed
    test = stats.ttest_ind_from_stats(
        np.mean(values),
        np.std(values, ddof=1),
        len(values),
        mean,
        max(deviation, _LEAST_DEVIATION),
        printed_seeds,
        equal_var=False,
    )
    if not test.pvalue < 0.05:
        return "agrees"
    return "higher" if np.mean(values) > mean else "lower"


def records_of(suite: Suite, store: Store, dataset: str, column: Column) -> dict[int, Record]:
    """Stored results of a column on a dataset, by seed; of the suite's seeds and first split only."""
    found = store.by_seed(Cell.of(dataset, column.method, 0, suite.splits[0] | column.settings))
    return {seed: found[seed] for seed in sorted(found) if seed in suite.numbers}


def by_column(suite: Suite, store: Store, dataset: str) -> dict[str, dict[int, Record]]:
    """Stored results of all columns on a dataset, by label and seed.

    Columns that have all seeds that were planned have those they share: some splits are easier.
    """
    planned = SUITES.get(suite.name, suite).seeds
    found = {column.label: records_of(suite, store, dataset, column) for column in suite.columns}
    complete = [set(records) for records in found.values() if len(records) >= planned]
    shared = set.intersection(*complete) if complete else set()
    return {
        label: {seed: r for seed, r in records.items() if len(records) < planned or seed in shared}
        for label, records in found.items()
    }


def share_stored(suite: Suite, store: Store) -> float:
    """Share of a suite's datasets and columns of which a seed, at least, is stored."""
    found = [bool(records_of(suite, store, d, c)) for d in suite.datasets for c in suite.columns]
    return float(np.mean(found)) if found else 0.0


def accuracies(
    suite: Suite, store: Store, dataset: str, column: Column, measure: str = "accuracy"
) -> dict[int, float]:
    """Accuracies by seed, or what else was measured."""
    records = records_of(suite, store, dataset, column)
    return {seed: record[measure] for seed, record in records.items() if measure in record}


def scores(suite: Suite, store: Store, measure: str = "accuracy") -> dict[str, dict[str, Score]]:
    """A score for each dataset and label of which anything is stored."""
    table: dict[str, dict[str, Score]] = {}
    for dataset in suite.datasets:
        for label, records in by_column(suite, store, dataset).items():
            values = [record[measure] for record in records.values() if measure in record]
            if not values:
                continue
            printed = suite.printed.get(dataset, {}).get(label)
            mean, half = interval(values)
            score = Score(mean, half, len(values), printed, compared(values, printed, suite.printed_seeds))
            table.setdefault(dataset, {})[label] = score
    return table


def seed_line(usual: int, seeds: Sequence[int]) -> str:
    """How many seeds the cells of a table have.

    Examples
    --------
    >>> seed_line(10, [10, 10, 5])
    '10 seeds; where a cell has another number, it is in square brackets.'
    """
    text = "1 seed" if usual == 1 else f"{usual} seeds"
    if set(seeds) == {usual}:
        return f"{text} everywhere."
    return f"{text}; where a cell has another number, it is in square brackets."


@dataclass(frozen=True)
class Paired:
    """Column `label` minus another on the same splits.

    Parameters
    ----------
    label, other : str
        The columns.
    gain : float
        Mean over datasets of the mean difference over seeds.
    better, worse : tuple of str
        Datasets on which the paired difference is significant at 5%, each way.
    p : float
        Of Wilcoxon's signed-rank test over datasets; NaN where too few.
    """

    label: str
    other: str
    gain: float
    better: tuple[str, ...]
    worse: tuple[str, ...]
    p: float


def paired(suite: Suite, store: Store, label: str, measure: str = "accuracy") -> list[Paired]:
    """A column against every other, on the seeds they share."""
    ours = next((column for column in suite.columns if column.label == label), None)
    if ours is None:
        return []
    out = []
    for other in suite.columns:
        gains: dict[str, Floats] = {}
        for dataset in suite.datasets:
            a, b = (accuracies(suite, store, dataset, column, measure) for column in (ours, other))
            shared = sorted(a.keys() & b.keys())
            if shared:
                gains[dataset] = np.array([a[seed] - b[seed] for seed in shared])
        if other is ours or not gains:
            continue
        sure = {d: interval(g) for d, g in gains.items() if len(g) > 1}
        means = np.array([g.mean() for g in gains.values()])
        p = float(stats.wilcoxon(means).pvalue) if len(means) > 4 and means.any() else float("nan")
        out.append(
            Paired(
                label,
                other.label,
                float(means.mean()),
                tuple(d for d, (mean, half) in sure.items() if mean > half),
                tuple(d for d, (mean, half) in sure.items() if mean < -half),
                p,
            )
        )
    return out


@dataclass(frozen=True)
class Ranks:
    """Mean ranks over datasets, 1 is best, and how far apart they must be to differ (Nemenyi, 5%)."""

    mean: dict[str, float]
    distance: float
    p: float
    n_datasets: int

    def groups(self) -> list[list[str]]:
        """Labels that cannot be told apart, longest runs of neighbours only."""
        order = sorted(self.mean, key=self.mean.__getitem__)
        runs: list[tuple[int, int]] = []
        for start, first in enumerate(order):
            run = [name for name in order[start:] if self.mean[name] - self.mean[first] <= self.distance]
            if not runs or start + len(run) > sum(runs[-1]):
                runs.append((start, len(run)))
        return [order[start : start + length] for start, length in runs if length > 1]


def ranks(suite: Suite, store: Store) -> Ranks | None:
    """Ranks of the columns that have results on every dataset; None with fewer than three of either."""
    table = scores(suite, store)
    labels = [c.label for c in suite.columns if all(c.label in row for row in table.values())]
    if len(labels) < 3 or len(table) < 3:
        return None
    means = np.array([[row[label].mean for label in labels] for row in table.values()])
    by_row = stats.rankdata(-means, axis=1)
    k, n = len(labels), len(table)
    spread = float(stats.studentized_range.ppf(0.95, k, np.inf)) / np.sqrt(2)
    flat = all(np.array_equal(a, b) for a, b in pairwise(means.T))
    p = 1.0 if flat else float(stats.friedmanchisquare(*means.T).pvalue)
    mean = dict(zip(labels, by_row.mean(axis=0).tolist(), strict=True))
    return Ranks(mean, float(spread * np.sqrt(k * (k + 1) / (6 * n))), p, n)

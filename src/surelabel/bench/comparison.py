"""Methods on the tables of a folder, the table as the unit: differences on the same splits, and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ..common.types import Floats
from .cells import Cell
from .folder_tables import PROTOCOL
from .store import Record, Store
from .suite import Suite
from .table_suites import belongs, column_of, of_sizes

_INDEX = ["table", "labels", "draw"]
_FEWEST = 5  # tables of which a signed-rank test says anything
_NONE = 1e-9  # points that are no difference
_STATED = 8  # labels stated at 0.8 to 0.9
_TWO_SIDED = float(stats.norm.ppf(0.975))


def as_stored(suite: Suite, store: Store, sizes: Sequence[int] | None = None) -> Suite:
    """The suite with the tables, columns and sizes of which something is stored; or with these sizes."""
    if not suite.half:
        return suite
    found = [(record, column) for record, column in _records(store, store.results) if column is not None]
    mine = [(r, column) for r, column in found if belongs(r["dataset"], suite.half)]
    order = {column: place for place, column in enumerate(suite.columns)}
    columns = dict.fromkeys(column for _, column in mine)
    return replace(
        suite,
        datasets=tuple(sorted({record["dataset"] for record, _ in mine})),
        columns=tuple(sorted(columns, key=lambda column: (order.get(column, len(order)), column.label))),
        splits=of_sizes(sizes or sorted({r["settings"]["labelled"] for r, _ in mine})) or suite.splits,
    )


def _records(store: Store, kind: dict[Any, Record]) -> Iterator[tuple[Record, Any]]:
    for (dataset, method, _, seed), record in kind.items():
        if record["settings"].get("protocol") == PROTOCOL:
            yield record, column_of(method, Cell(dataset, method, seed, record["settings"]).of_method)


def runs_of(suite: Suite, store: Store) -> pd.DataFrame:
    """A line for each stored run of a suite: table, labels, draw, method, what was measured, "cpu"."""
    cpu = {key: record["seconds"].get("cpu", np.nan) for key, record in store.seconds.items()}
    return _lines(suite, store, store.results).assign(cpu=lambda lines: lines["key"].map(cpu.get))


def failures_of(suite: Suite, store: Store) -> pd.DataFrame:
    """A line for each run of a suite that failed, with "failure"."""
    return _lines(suite, store, store.failures)


def _lines(suite: Suite, store: Store, kind: dict[Any, Record]) -> pd.DataFrame:
    labels = {column.label for column in suite.columns}
    sizes = {split.get("labelled") for split in suite.splits}
    about = [*_INDEX, "method", "key"]
    lines = [
        r
        | {"table": r["dataset"], "labels": r["settings"]["labelled"], "draw": r["seed"]}
        | {"method": column.label, "key": (r["dataset"], r["method"], r["digest"], r["seed"])}
        for r, column in _records(store, kind)
        if column is not None
        and column.label in labels
        and r["dataset"] in suite.datasets
        and r["seed"] in suite.numbers
        and r["settings"]["labelled"] in sizes
    ]
    return pd.DataFrame(lines, columns=None if lines else about)


def wide(runs: pd.DataFrame, measure: str = "accuracy") -> pd.DataFrame:
    """A measure with a line for each split and a column for each method."""
    return runs.pivot(index=_INDEX, columns="method", values=measure)


def by_table(values: Any) -> Any:
    """Means of a table over the draws of each size, then over sizes."""
    return values.groupby(level=["table", "labels"]).mean().groupby(level="table").mean()


def by_draw(values: pd.Series) -> pd.Series:
    """Means over sizes, whose splits share their rows for the test."""
    return values.groupby(level=["table", "draw"]).mean()


@dataclass(frozen=True)
class Against:
    """A method less another on the splits they share, in points; the unit is the table.

    Parameters
    ----------
    other : str
        The other.
    runs : int
        Splits they share.
    by_table : Series
        Mean difference of each table.
    mean, error, median : float
        Over tables; the error is the standard error.
    p_rank, p_t : float
        Of Wilcoxon's signed-rank test and of Student's, over tables; NaN where they are too few.
    by_size : dict
        Mean and standard error over tables for each number of labels.
    better, worse : tuple of str
        Tables on which the difference over draws is significant at 5%, by Holm over tables.
    cpu : float
        Median of the ratio of processor seconds.
    """

    other: str
    runs: int
    by_table: pd.Series
    mean: float
    error: float
    median: float
    p_rank: float
    p_t: float
    by_size: dict[int, tuple[float, float]]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    cpu: float


def against(runs: pd.DataFrame, ours: str, measure: str = "accuracy") -> list[Against]:
    """A method against every other, in the order of their means, the closest first."""
    values, cpu = wide(runs, measure), wide(runs, "cpu")
    if ours not in values:
        return []
    found = []
    for other in values.columns.drop(ours):
        difference = (values[ours] - values[other]).dropna()
        if len(difference):
            ratio = (cpu[ours] / cpu[other])[difference.index].median()
            found.append(_against(str(other), difference, float(ratio)))
    return sorted(found, key=lambda each: each.mean)


def _against(other: str, difference: pd.Series, cpu: float) -> Against:
    tables = by_table(difference)
    p = holm(_by_draws(difference))
    sure = [name for name in tables.index if p.get(name, 1.0) < 0.05]
    sizes = difference.groupby(level=["labels", "table"]).mean()
    return Against(
        other,
        len(difference),
        tables,
        *mean_and_error(tables),
        float(tables.median()),
        *_tests(tables.to_numpy()),
        {int(n): mean_and_error(sizes[n]) for n in sizes.index.unique("labels")},
        tuple(name for name in sure if tables[name] > 0),
        tuple(name for name in sure if tables[name] < 0),
        cpu,
    )


def mean_and_error(values: pd.Series) -> tuple[float, float]:
    """Mean and its standard error, NaN for one value."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _tests(means: Floats) -> tuple[float, float]:
    """Of the signed-rank test and of Student's; NaN where there is nothing to test."""
    if len(means) < _FEWEST or np.ptp(means) < _NONE:
        return np.nan, np.nan
    return float(stats.wilcoxon(means).pvalue), float(stats.ttest_1samp(means, 0.0).pvalue)


def _by_draws(difference: pd.Series) -> dict[str, float]:
    """For each table p of the paired test over draws; of three at least."""
    found = {}
    for name, values in by_draw(difference).groupby(level="table"):
        if len(values) > 2:
            # Where all draws differ alike there is nothing to test: no difference, or a sure one.
            flat = np.ptp(values) < _NONE
            p = abs(values.mean()) < _NONE if flat else stats.ttest_1samp(values, 0.0).pvalue
            found[str(name)] = float(p)
    return found


def holm(p: dict[str, float]) -> dict[str, float]:
    """Holm's adjusted p values.

    Examples
    --------
    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted, above = {}, 0.0
    for rank, name in enumerate(sorted(p, key=p.__getitem__)):
        above = max(above, min(1.0, (len(p) - rank) * p[name]))
        adjusted[name] = above
    return adjusted


def mean_ranks(runs: pd.DataFrame, ours: str) -> pd.Series:
    """Mean ranks, 1 is best, over the tables that a method has, of all methods that have these."""
    values = wide(runs)
    values = values[values[ours].notna()] if ours in values else values
    means = by_table(values)
    complete = [name for name in means.columns if means[name].notna().all()]
    shared = values[complete].dropna()
    return by_table(shared).rank(axis=1, ascending=False).mean().sort_values()


@dataclass(frozen=True)
class Truth:
    """What a verdict said, beside what is true on the hidden labels of the pool, over runs.

    Parameters
    ----------
    runs : int
        Runs with a verdict.
    covered : float
        Share of them whose 95% interval has the true difference in it.
    said, true : float
        Mean of what was said and of what is true, in points.
    apart : int
        Runs that differ from labels alone by more than 3 points, on the pool.
    well : float
        Share of these in which they are better.
    """

    runs: int
    covered: float
    said: float
    true: float
    apart: int
    well: float


def truth_of(runs: pd.DataFrame, ours: str, alone: str) -> Truth | None:
    """The verdicts of a method that say what it gains over another."""
    pool = wide(runs, "pool_accuracy")
    if "verdict" not in runs or ours not in pool or alone not in pool:
        return None
    said = runs[runs["method"] == ours].set_index(_INDEX)["verdict"].dropna()
    true = (pool[ours] - pool[alone]).reindex(said.index).dropna()
    if not len(true):
        return None
    low, high = np.array([interval_of(verdict) for verdict in said[true.index]]).T
    gains = [verdict["gain"] for verdict in said[true.index]]
    apart = true[true.abs() > 3]
    well = float((apart > 0).mean()) if len(apart) else np.nan
    covered = float(((low <= true) & (true <= high)).mean())
    return Truth(len(true), covered, float(np.mean(gains)), float(true.mean()), len(apart), well)


def interval_of(verdict: dict[str, Any]) -> tuple[float, float]:
    """The 95% interval that a verdict states, or that follows from its standard error."""
    if "interval" in verdict:
        low, high = verdict["interval"]
        return low, high
    if "low" in verdict and "high" in verdict:
        return verdict["low"], verdict["high"]
    return verdict["gain"] - _TWO_SIDED * verdict["error"], verdict["gain"] + _TWO_SIDED * verdict["error"]


def stated_right(runs: pd.DataFrame) -> pd.DataFrame:
    """Of labels stated at 0.8 to 0.9, by method and table: how many, and how many are right."""
    counts = pd.DataFrame(
        [tenths[_STATED] for tenths in runs["stated"]],
        index=pd.MultiIndex.from_frame(runs[["method", "table"]]),
        columns=["n", "right"],
    )
    return counts.groupby(level=["method", "table"]).sum()

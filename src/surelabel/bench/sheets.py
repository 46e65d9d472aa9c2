"""What is shown of a comparison, as sheets of text: a terminal and a page draw the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .comparison import (
    Against,
    against,
    by_table,
    failures_of,
    mean_ranks,
    runs_of,
    stated_right,
    truth_of,
    wide,
)
from .store import Store
from .suite import Suite
from .table_suites import ALONE, OURS

# Numbers, names and what stands in brackets: warnings that differ in nothing else are one.
_PARTICULARS = r"'[^']*'|\([^)]*\)|[+-]?\d[\d,.]*|: .*"
_ENOUGH = 100  # labels stated at 0.8 to 0.9 that a table must have to be judged by them


@dataclass(frozen=True)
class Sheet:
    """A title, a head, rows of cells, and what to know when reading it."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""


def sheets_of(suite: Suite, store: Store) -> Iterator[Sheet]:
    """All that is stored of a suite."""
    runs, failures = runs_of(suite, store), failures_of(suite, store)
    if len(runs):
        order = [c.label for c in suite.columns if c.label in set(runs["method"])]
        found = against(runs, OURS)
        if found:
            yield _summary(found)
            yield _by_size(found)
        yield _tables(runs, order)
        yield _probabilities(runs, failures, order)
        yield from _verdicts(runs, order)
        yield from _warnings(runs)
    if len(failures):
        yield _failures(failures)


def _number(value: float, form: str = ".2f") -> str:
    return format(value, form) if np.isfinite(value) else ""


def _with_error(mean: float, error: float) -> str:
    return f"{mean:+.2f}" + (f" ({error:.2f})" if np.isfinite(error) else "")


def _summary(found: list[Against]) -> Sheet:
    head = (
        "against|tables|mean (standard error)|p, ranks|p, t|median|worst table|better on|worse on|CPU ratio"
    )
    rows = [
        [
            each.other,
            str(len(each.by_table)),
            _with_error(each.mean, each.error),
            _number(each.p_rank, ".3g"),
            _number(each.p_t, ".3g"),
            f"{each.median:+.2f}",
            f"{each.by_table.idxmin()} {each.by_table.min():+.2f}",
            ", ".join(each.better),
            ", ".join(each.worse),
            _number(each.cpu, ".3g"),
        ]
        for each in found
    ]
    note = (
        "Points of test accuracy on the splits that both have, mean over tables. p: Wilcoxon's signed-rank "
        "test and Student's, over tables. Better and worse: paired over draws, 5%, by Holm over tables. "
        f"CPU ratio: the median of processor seconds of {OURS} over those of the other."
    )
    return Sheet(f"{OURS} less each other", head.split("|"), rows, note)


def _by_size(found: list[Against]) -> Sheet:
    sizes = sorted({n for each in found for n in each.by_size})
    rows = [
        [each.other, *(_with_error(*each.by_size[n]) if n in each.by_size else "" for n in sizes)]
        for each in found
    ]
    note = "Mean over tables, and its standard error."
    return Sheet(f"{OURS} less each other, by number of labels", ["against", *map(str, sizes)], rows, note)


def _tables(runs: pd.DataFrame, order: list[str]) -> Sheet:
    values = wide(runs)
    means, ranks = by_table(values), mean_ranks(runs, OURS)
    judged = means[means[OURS].notna()] if OURS in means else means
    rows = [[str(name), *(_number(row[label]) for label in order)] for name, row in means.iterrows()]
    rows.append(["mean", *(_number(judged[label].mean()) for label in order)])
    rows.append(["mean rank", *(_number(ranks.get(label, np.nan)) for label in order)])
    rows.append(["runs", *(str(values[label].count()) for label in order)])
    sizes, draws = (values.index.unique(level) for level in ("labels", "draw"))
    note = (
        f"Test accuracy in percent, mean over draws and sizes; draws: {len(draws)}; labels: "
        f"{', '.join(map(str, sorted(sizes)))}. Means and ranks are over the tables that {OURS} has; ranks "
        "are of methods that have all of these, on splits they share. Means of methods with fewer runs are "
        "of other splits."
    )
    return Sheet("Accuracy by table", ["", *order], rows, note)


def _probabilities(runs: pd.DataFrame, failures: pd.DataFrame, order: list[str]) -> Sheet:
    counts = stated_right(runs)
    failed = failures["method"].value_counts()
    head = "|log loss, test|log loss, pool|calibration error, pool|by tenths|0.8 to 0.9 right|worst table|"
    head += "CPU seconds|warnings|failed"
    rows = []
    for label in order:
        mine = runs[runs["method"] == label]
        means = [
            by_table(mine.set_index(["table", "labels", "draw"])[name].astype(float)).mean()
            for name in ("log_loss", "pool_log_loss", "calibration", "calibration_by_tenths")
            if name in mine
        ]
        rows.append(
            [
                label,
                _number(means[0], ".3f"),
                _number(means[1], ".3f"),
                *(f"{mean:.1f}%" if np.isfinite(mean) else "" for mean in [*means[2:], np.nan][:2]),
                *_stated(counts.xs(label, level="method")),
                _number(mine["cpu"].median(), ".2f"),
                str(int(mine["warnings"].sum())),
                str(failed.get(label, 0)),
            ]
        )
    note = (
        "Means over tables. Calibration error: 15 bins of equal mass; by tenths: 10 of equal width, of runs "
        "that stored it. 0.8 to 0.9: of labels stated so, the share that is right, over all tables and on "
        f"the worst one with {_ENOUGH} or more. CPU seconds: the median of a run. A loss takes 0 for a "
        "millionth."
    )
    return Sheet("Probabilities, cost and trouble", head.split("|"), rows, note)


def _stated(counts: Any) -> tuple[str, str]:
    n, right = counts.sum()
    enough = counts[counts["n"] >= _ENOUGH]
    shares = enough["right"] / enough["n"]
    worst = f"{shares.idxmin()} {shares.min():.1%}" if len(shares) else ""
    return (f"{right / n:.1%}" if n else ""), worst


def _verdicts(runs: pd.DataFrame, order: list[str]) -> Iterator[Sheet]:
    # Other releases know the labels alone of this one only; theirs is a verdict on something else.
    truth = truth_of(runs, OURS, ALONE) if OURS in order else None
    if truth:
        head = "runs|said, mean|true, mean|interval has the truth|differ by more than 3|of these better"
        row = [
            str(truth.runs),
            f"{truth.said:+.2f}",
            f"{truth.true:+.2f}",
            f"{truth.covered:.1%}",
            str(truth.apart),
            f"{truth.well:.1%}" if truth.apart else "",
        ]
        note = (
            f"True is the pool's accuracy with {OURS} less that with the labels alone, in points. The "
            "interval is the 95% interval that a verdict states, or 1.96 of its standard errors each way."
        )
        yield Sheet("The verdict", head.split("|"), [row], note)


def _warnings(runs: pd.DataFrame) -> Iterator[Sheet]:
    if "warned" in runs:
        said = runs.dropna(subset="warned").explode("warned")
        said = said.assign(warned=said["warned"].str.replace(_PARTICULARS, "…", regex=True))
        groups = said.groupby(["method", "warned"]).agg(runs=("draw", "size"), tables=("table", "nunique"))
        rows = [[str(cell) for cell in row] for row in groups.reset_index().itertuples(index=False)]
        yield Sheet("Warnings", ["method", "what it said", "runs", "tables"], rows)


def _failures(failures: pd.DataFrame) -> Sheet:
    groups = failures.groupby(["method", "table", "failure"]).size().reset_index(name="runs")
    rows = [[str(cell) for cell in row] for row in groups.itertuples(index=False)]
    return Sheet("Runs that failed", list(groups.columns), rows, "The same command tries them again.")

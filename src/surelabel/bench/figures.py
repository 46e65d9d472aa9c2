"""Figures of stored results, drawn with Altair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ..files import InputError
from .cells import Cell
from .datasets import known
from .scores import by_column, interval, records_of, scores, share_stored
from .store import Store
from .suite import Suite

_Chart = alt.Chart | alt.LayerChart | alt.FacetChart

_ACCURACY = "accuracy, %"
_APART = 0.25  # of a step: how far the intervals of lines are moved to either side
_COMPONENTS = {
    "train": "XGBoost",
    "predict": "prediction",
    "confidence": "t-test",
    "allocate": "transport",
    "classifier": "final classifier",
}


def _rounds(suite: Suite, store: Store) -> _Chart:
    """Accuracy after each round, a panel for each dataset."""
    lines = []
    for dataset in suite.datasets:
        # Lines of several labels that were stored first have the last round alone.
        found = {
            label: [r["rounds"] for r in records.values() if len(r["rounds"]) > 1]
            for label, records in by_column(suite, store, dataset).items()
        }
        longest = max((len(run) for runs in found.values() for run in runs), default=0)
        for label, runs in found.items():
            for number in range(longest) if runs else ():
                # Rounds that ended early keep what they had reached.
                mean, half = interval([run[min(number, len(run) - 1)] for run in runs])
                lines.append((known(dataset).title, label, number, mean, half))
    if not lines:
        raise InputError(f"What is stored of {suite.name} has the last round alone; run it into a new --out.")
    table = _frame(lines, ["dataset", "method", "round", "mean", "half"])
    title = f"{suite.measures['accuracy']}, %"
    return _panels(_lines(table, "round", "method", _labels(suite), title=title), suite, columns=3)


def _thresholds(suite: Suite, store: Store) -> _Chart:
    """A dot and its interval for each threshold, beside CSA."""
    lines = [
        (known(dataset).title, label, score.mean, score.half)
        for dataset, row in scores(suite, store).items()
        for label, score in row.items()
    ]
    table = _frame(lines, ["dataset", "method", "mean", "half"])
    base = alt.Chart(table).encode(y=alt.Y("method:N", sort=_labels(suite), title=None))
    dots = base.mark_point(filled=True, size=60).encode(
        x=alt.X("mean:Q", scale=alt.Scale(zero=False), title=_ACCURACY),
        color=_colour("method", _labels(suite)),
    )
    bars = base.mark_rule().encode(x="low:Q", x2="high:Q", color=_colour("method", _labels(suite)))
    return _panels((bars + dots).properties(width=200, height=110), suite, columns=3)


def _series(suite: Suite, store: Store, setting: str, title: str) -> _Chart:
    """Accuracy over a setting, a line for each method, with XGBoost alone for comparison."""
    lines = []
    for dataset in suite.datasets:
        alone: dict[int, float] = {}
        by_label = by_column(suite, store, dataset)
        for column in suite.columns:
            found = by_label[column.label]
            if not found:
                continue
            alone |= {seed: r["rounds"][0] for seed, r in found.items()}
            name = column.method.upper()
            value = column.settings[setting]
            scores = interval([r["accuracy"] for r in found.values()])
            lines.append((known(dataset).title, name, value, *scores))
        if alone:
            ends = {c.settings[setting] for c in suite.columns}
            lines += [
                (known(dataset).title, "XGBoost alone", end, *interval(list(alone.values())))
                for end in (min(ends), max(ends))
            ]
    table = _frame(lines, ["dataset", "method", title, "mean", "half"])
    return _panels(_lines(table, title, "method", None), suite, columns=2)


def _label_numbers(suite: Suite, store: Store) -> _Chart:
    """Accuracy over the number of unlabelled rows, a line for each number of labels."""
    lines = []
    for dataset in suite.datasets:
        for column in suite.columns:
            found = records_of(suite, store, dataset, column).values()
            if not found:
                continue
            n_labelled, n_others = column.settings["labelled"], column.settings["unlabelled"]
            for name, values in [
                ("CSA", [r["accuracy"] for r in found]),
                ("XGBoost alone", [r["rounds"][0] for r in found]),
            ]:
                lines.append((known(dataset).title, n_labelled, name, n_others, *interval(values)))
    x, group = "unlabelled rows", "labelled rows"
    table = _frame(lines, ["dataset", group, "method", x, "mean", "half"])
    return _panels(_lines(table, x, group, None, dash="method"), suite, columns=2)


def _time(suite: Suite, store: Store) -> _Chart:
    """Mean seconds of each component by round."""
    lines = []
    for dataset in suite.datasets:
        for column in suite.columns:
            for seed in records_of(suite, store, dataset, column):
                seconds = store.time(Cell.of(dataset, column.method, seed, column.settings))
                lines += [
                    (known(dataset).title, name, number, taken)
                    for part, name in _COMPONENTS.items()
                    for number, taken in enumerate(seconds.get(part, ()), start=part != "classifier")
                ]
    table = _frame(lines, ["dataset", "component", "round", "seconds"])
    chart = alt.Chart(table).mark_bar()
    return _panels(
        chart.encode(
            x=alt.X("round:O", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("mean(seconds):Q", title="seconds"),
            color=_colour("component", list(_COMPONENTS.values())),
        ).properties(width=220, height=180),
        suite,
        columns=2,
    )


def _selected(suite: Suite, store: Store) -> _Chart:
    """Rows rejected by the test, selected, and neither, by round."""
    lines = []
    for dataset in suite.datasets:
        for column in suite.columns:
            for record in records_of(suite, store, dataset, column).values():
                by_round = zip(record["pool"], record["sure"], record["selected"], strict=True)
                for number, (pool, sure, chosen) in enumerate(by_round, start=1):
                    parts = {"selected": chosen, "not selected": sure - chosen, "rejected": pool - sure}
                    lines += [
                        (known(dataset).title, part, rank, number, n)
                        for rank, (part, n) in enumerate(parts.items())
                    ]
    table = _frame(lines, ["dataset", "rows are", "rank", "round", "rows"])
    chart = alt.Chart(table).mark_bar()
    return _panels(
        chart.encode(
            x=alt.X("round:O", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("mean(rows):Q", title="rows, mean over seeds"),
            color=_colour("rows are", ["selected", "not selected", "rejected"]),
            order=alt.Order("rank:O"),
        ).properties(width=220, height=180),
        suite,
        columns=2,
    )


def _assignments(suite: Suite, store: Store) -> _Chart:
    """Probabilities, and who is assigned what by CSA and by thresholds."""
    lines = []
    for dataset in suite.datasets:
        for column in suite.columns:
            for record in records_of(suite, store, dataset, column).values():
                views = [name for name in record if name == "csa" or name.startswith("pl ")]
                for row, shares in enumerate(record["p"]):
                    for k, share in enumerate(shares):
                        lines.append((known(dataset).title, "p", row, k, share))
                        lines += [
                            (known(dataset).title, view.upper(), row, k, float(record[view][row] == k))
                            for view in sorted(views)
                        ]
    table = _frame(lines, ["dataset", "view", "row", "class", "value"])
    return (
        alt.Chart(table)
        .mark_rect(stroke="#ddd", strokeWidth=0.5)
        .encode(
            x=alt.X("class:O", axis=alt.Axis(labelAngle=0)),
            y="row:O",
            color=alt.Color("value:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), title=None),
            column=alt.Column("view:N", sort=["p", "CSA", "PL 0.5", "PL 0.7", "PL 0.9"], title=None),
            row=alt.Row("dataset:N", title=None),
        )
        .resolve_scale(x="independent")
        .properties(width=90, height=240)
    )


def _regions(suite: Suite, store: Store) -> _Chart:
    """Welch's t over the plane, dark where it is not trusted, and the labelled rows."""
    tiles, dots = [], []
    for dataset in suite.datasets:
        for column in suite.columns:
            for record in records_of(suite, store, dataset, column).values():
                xs, ys = record["x"], record["y"]
                # A little over half a step, so that no seam shows.
                step = [0.52 * (axis[1] - axis[0]) for axis in (xs, ys)]
                places = [(x, y) for y in ys for x in xs]
                tiles += [
                    (x - step[0], x + step[0], y - step[1], y + step[1], t)
                    for (x, y), t in zip(places, record["t"], strict=True)
                ]
                dots += record["labelled"]
    plane = pd.DataFrame(tiles, columns=["x", "x2", "y", "y2", "t"])
    rows = pd.DataFrame(dots, columns=["x", "y", "class"])
    ground = (
        alt.Chart(plane)
        .mark_rect()
        .encode(
            x=alt.X("x:Q", scale=alt.Scale(nice=False), title=None),
            x2="x2",
            y=alt.Y("y:Q", scale=alt.Scale(nice=False), title=None),
            y2="y2",
            color=alt.Color(
                "t:Q",
                scale=alt.Scale(type="threshold", domain=[2, 5, 10, 20], scheme="viridis"),
                title="Welch's t",
            ),
        )
    )
    points = (
        alt.Chart(rows)
        .mark_point(filled=True, size=70, stroke="white", color="#d62728", strokeWidth=1, opacity=1)
        .encode(x="x:Q", y="y:Q", shape=alt.Shape("class:N", title="class"))
    )
    return (ground + points).properties(width=380, height=340)


_FIGURES: dict[str, Callable[[Suite, Store], _Chart]] = {
    "rounds": _rounds,
    "rounds_several": _rounds,
    "thresholds": _thresholds,
    "assignments": _assignments,
    "labels": _label_numbers,
    "iterations": lambda suite, store: _series(suite, store, "rounds", "rounds, T"),
    "members": lambda suite, store: _series(suite, store, "members", "members, M"),
    "time": _time,
    "selected": _selected,
    "regions": _regions,
}


def draw(suite: Suite, store: Store, path: Path) -> Path:
    """Write the figure of a suite as PNG or SVG, by the name's ending."""
    if suite.name not in _FIGURES:
        raise InputError(f"{suite.name} is a table; figures are {', '.join(_FIGURES)}.")
    if not share_stored(suite, store):
        raise InputError(f"Nothing is stored of {suite.name}. First: surelabel bench run {suite.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    chart = _FIGURES[suite.name](suite, store).properties(title=suite.title)
    chart.save(str(path), scale_factor=1.5 if path.suffix == ".png" else 1)
    return path


def _frame(lines: list[tuple[Any, ...]], columns: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(lines, columns=columns)
    if "half" in table:
        half = table["half"].fillna(0.0)
        table["low"], table["high"] = table["mean"] - half, table["mean"] + half
    return table


def _lines(
    table: pd.DataFrame,
    x: str,
    group: str,
    order: list[str] | None,
    dash: str | None = None,
    title: str = _ACCURACY,
) -> alt.LayerChart:
    """Lines with intervals; the table has the columns dataset, group, x, mean, low and high."""
    table = _side_by_side(table, x, [group, dash] if dash else [group])
    base = alt.Chart(table).encode(
        x=alt.X("at:Q", title=x, axis=alt.Axis(format="d", tickMinStep=1)), color=_colour(group, order)
    )
    y = alt.Y("mean:Q", scale=alt.Scale(zero=False), title=title)
    bars = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    # Points of their own: as part of the line they would take the lines out of the legend.
    line, points = base.mark_line().encode(y=y), base.mark_circle(size=40, opacity=1).encode(y=y)
    if dash:
        legend = alt.Legend(symbolType="stroke", symbolStrokeColor="black", symbolSize=300)
        line = line.encode(strokeDash=alt.StrokeDash(f"{dash}:N", legend=legend))
    return (bars + line + points).properties(width=260, height=180)


def _side_by_side(table: pd.DataFrame, x: str, groups: list[str]) -> pd.DataFrame:
    """The table with a column `at`: x, moved a little for each group, so that no interval hides another."""
    places = table.groupby(groups, sort=False).ngroup()
    steps = np.diff(np.unique(table[x]))
    step = float(steps.min()) if len(steps) else 1.0
    middle = max(int(places.max()), 1) / 2
    return table.assign(at=table[x] + _APART * step * (places - middle) / middle)


def _colour(field: str, order: list[str] | None) -> alt.Color:
    return alt.Color(
        f"{field}:N", sort=order, scale=alt.Scale(scheme="tableau10"), legend=alt.Legend(symbolOpacity=1)
    )


def _panels(chart: _Chart, suite: Suite, columns: int) -> alt.FacetChart:
    titles = [known(dataset).title for dataset in suite.datasets]
    facet = alt.Facet("dataset:N", title=None, sort=titles)
    return chart.facet(facet=facet, columns=columns).resolve_scale(y="independent", x="independent")


def _labels(suite: Suite) -> list[str]:
    return list(dict.fromkeys(column.label for column in suite.columns))

"""From plain frames to Altair charts; no classifier is known here.

Each function takes the frame that the function of like name in `data` returns, or one of the same
columns, as when several runs are put together for a figure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import pandas as pd

from ..filling import LEFT
from .data import OUTCOMES

OUTCOME_COLORS = ["#1f9e89", "#e0a030", "#d65f5f", "#9aa0a6"]
_SOURCE_COLORS = {"given": "#7d8597", "found": "#1f9e89", "prior": "#e0a030"}
_CELL_COLORS = {
    "yes, known": "#177a6a",
    "yes, filled in": "#7fd0bf",
    "no, known": "#b5651d",
    "no, filled in": "#ecc48f",
    LEFT: "#9aa0a6",
}
ACCENT = "#4477c8"
WIDTH = 620
# More classes than this are not named on an axis that has little room.
_MOST_NAMED = 30


def rounds(frame: pd.DataFrame, unit: str = "rows") -> alt.Chart:
    """Rows, or what else is counted, accepted, not selected and not sure, by round."""
    return (
        alt.Chart(data_of(_ranked(frame, "outcome", OUTCOMES)))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("rows:Q", title=unit, stack="zero", axis=alt.Axis(tickCount=6)),
            y=alt.Y("round:O", title="round"),
            color=_by_outcome(frame),
            order=alt.Order("rank:Q"),
            tooltip=["round:O", "outcome:N", alt.Tooltip("rows:Q", title=unit, format=",")],
        )
        .properties(width=WIDTH, height=alt.Step(26))
    )


def cells(frame: pd.DataFrame) -> alt.Chart:
    """Cells of each label by what became of them, on one bar."""
    order = list(_CELL_COLORS)
    return (
        alt.Chart(data_of(_ranked(frame, "outcome", order)))
        .mark_bar()
        .encode(
            x=alt.X("cells:Q", stack="zero", axis=alt.Axis(tickCount=6)),
            y=alt.Y(
                "label:N", sort=list(dict.fromkeys(frame["label"])), title=None, axis=alt.Axis(labelLimit=150)
            ),
            color=alt.Color(
                "outcome:N",
                title=None,
                scale=alt.Scale(domain=order, range=list(_CELL_COLORS.values())),
                legend=alt.Legend(orient="top", symbolType="circle", symbolOpacity=1),
            ),
            order=alt.Order("rank:Q"),
        )
        .properties(width=WIDTH, height=alt.Step(24))
    )


def round_classes(frame: pd.DataFrame, colors: list[str] | None = None) -> alt.Chart:
    """Rows accepted by class in each round: stacked bars, or cells where there are many classes."""
    names = list(dict.fromkeys(frame["class"]))
    tooltip = ["round:O", "class:N", alt.Tooltip("rows:Q", format=",")]
    if colors is None:
        return (
            alt.Chart(data_of(frame))
            .mark_rect()
            .encode(
                x=_class_axis("class", names),
                y=alt.Y("round:O", title="round"),
                opacity=_strength("rows", frame["rows"].max()),
                color=alt.value(ACCENT),
                tooltip=tooltip,
            )
            .properties(width=WIDTH, height=alt.Step(22))
        )
    return (
        alt.Chart(data_of(_ranked(frame, "class", names)))
        .mark_bar()
        .encode(
            x=alt.X("rows:Q", title="rows accepted", stack="zero", axis=alt.Axis(tickCount=6)),
            y=alt.Y("round:O", title="round"),
            color=alt.Color(
                "class:N",
                title=None,
                scale=alt.Scale(domain=names, range=colors[: len(names)]),
                legend=alt.Legend(orient="top", columns=6, labelLimit=90, symbolType="circle"),
            ),
            order=alt.Order("rank:Q"),
            tooltip=tooltip,
        )
        .properties(width=WIDTH, height=alt.Step(26))
    )


def accuracy(frame: pd.DataFrame) -> alt.LayerChart:
    """Accuracy by round with its band; a line for each `series` where the frame has that column."""
    color = alt.Color("series:N", title=None) if "series" in frame else alt.value(OUTCOME_COLORS[0])
    base = alt.Chart(data_of(frame)).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0)), color=color
    )
    scale = alt.Scale(zero=False, nice=True)
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", scale=scale, title="right"), y2="high:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=55, filled=True)).encode(
        y=alt.Y("accuracy:Q", axis=alt.Axis(format="%", tickCount=5)),
        tooltip=[
            "round:O",
            alt.Tooltip("accuracy:Q", format=".1%"),
            alt.Tooltip("low:Q", format=".1%"),
            alt.Tooltip("high:Q", format=".1%"),
            *([alt.Tooltip("rows:Q", format=",")] if "rows" in frame else []),
        ],
    )
    return (band + line).properties(width=WIDTH, height=170)


def class_mix(frame: pd.DataFrame) -> alt.LayerChart:
    """Share of each class among labels given and found, and in the prior, on one line."""
    names = list(dict.fromkeys(frame["class"]))
    sources = [source for source in _SOURCE_COLORS if source in set(frame["source"])]
    y = alt.Y(
        "class:N", sort=names, title=None, axis=alt.Axis(labelLimit=150, grid=True, tickSize=0, domain=False)
    )
    base = alt.Chart(data_of(frame))
    # A long chart is scrolled, and its axis must be seen at once.
    side: Literal["bottom", "top"] = "bottom" if len(names) <= _MOST_NAMED else "top"
    line = base.mark_rule(opacity=0.35, strokeWidth=3, color="#8a93a3").encode(
        x=alt.X("min(share):Q", axis=alt.Axis(orient=side)), x2="max(share):Q", y=y
    )
    points = base.mark_point(filled=True, size=85, opacity=0.95).encode(
        x=alt.X("share:Q", title="share of rows", axis=alt.Axis(format="%", tickCount=6, orient=side)),
        y=y,
        color=alt.Color(
            "source:N",
            title=None,
            scale=alt.Scale(domain=sources, range=[_SOURCE_COLORS[source] for source in sources]),
            legend=alt.Legend(orient="top"),
        ),
        shape=alt.Shape(
            "source:N",
            title=None,
            scale=alt.Scale(
                domain=sources,
                range=[
                    {"given": "square", "found": "circle", "prior": "diamond"}[source] for source in sources
                ],
            ),
        ),
        tooltip=[
            "class:N",
            "source:N",
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("rows:Q", format=","),
        ],
    )
    return (line + points).properties(width=WIDTH, height=alt.Step(22 if len(names) <= _MOST_NAMED else 15))


def confidence(frame: pd.DataFrame, measure: str = "confidence") -> alt.LayerChart:
    """Each row by the lead of its best class and its confidence; a brush picks rows."""
    brush = alt.selection_interval(name="brush")
    rows = data_of(frame, "rows")
    x = alt.X(
        "gap:Q",
        title="lead of the best class over the runner-up",
        scale=alt.Scale(domain=[0, 1], clamp=True),
        axis=alt.Axis(tickCount=5),
    )
    points = (
        alt.Chart(rows)
        .mark_circle(size=26)
        .encode(
            x=x,
            y=alt.Y("confidence:Q", title=measure),
            color=_by_outcome(frame),
            opacity=alt.condition(brush, alt.value(0.6), alt.value(0.08)),
            tooltip=[
                "row:N",
                "label:N",
                "runner_up:N",
                alt.Tooltip("probability:Q", format=".3f"),
                alt.Tooltip("gap:Q", format=".3f"),
                alt.Tooltip("confidence:Q", format=".2f"),
                "status:N",
            ],
        )
        .add_params(brush)
    )
    border = data_of(pd.DataFrame({"zero": [0.0], "words": ["not trusted below this line"]}))
    region = (
        alt.Chart(border)
        .mark_rect(color=OUTCOME_COLORS[2], opacity=0.07)
        .encode(y="zero:Q", y2=alt.value("height"))
    )
    line = alt.Chart(border).mark_rule(color=OUTCOME_COLORS[2], strokeDash=[4, 3]).encode(y="zero:Q")
    words = (
        alt.Chart(border)
        .mark_text(align="left", baseline="bottom", dx=5, dy=-3, fontSize=11)
        .encode(x=alt.value(0), y="zero:Q", text="words:N")
    )
    return (region + line + words + points).properties(width=WIDTH, height=320)


def plan(frame: pd.DataFrame, names: Sequence[str] | None = None) -> alt.Chart:
    """Rows by classes: what the committee says, the plan, the labels, and thresholds beside them."""
    names = sorted(set(frame["class"])) if names is None else names
    panels, numbers = list(dict.fromkeys(frame["panel"])), sorted(set(frame["round"]))
    pick = alt.param(
        name="pick",
        value=int(numbers[0]) if numbers else 1,
        bind=alt.binding_select(options=[int(number) for number in numbers], name="Round "),
    )
    n = int(frame["position"].max()) if len(frame) else 1
    return (
        alt.Chart(data_of(frame))
        .mark_rect()
        .encode(
            x=_class_axis("class", names),
            y=alt.Y(
                "position:O",
                scale=alt.Scale(domain=list(range(1, n + 1))),
                title="rows, by class",
                axis=alt.Axis(labels=False, ticks=False, domain=False),
            ),
            opacity=alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 1]), legend=None),
            color=alt.value(ACCENT),
            facet=alt.Facet(
                "panel:N",
                sort=panels,
                title=None,
                columns=4,
                spacing=16,
                header=alt.Header(labelFontSize=12, labelFontWeight="bold", labelPadding=4),
            ),
            tooltip=["panel:N", "row:N", "class:N", alt.Tooltip("value:Q", format=".3f")],
        )
        .transform_filter("datum.round == pick")
        .add_params(pick)
        .properties(width=168, height=alt.Step(max(2, 280 // n)))  # whole pixels: no stripes
    )


def confusions(
    frame: pd.DataFrame, names: Sequence[str] | None = None, most: int = 25
) -> alt.Chart | alt.LayerChart:
    """Guess against runner-up of doubtful rows: cells, or the commonest pairs where classes are many."""
    names = sorted({*frame["guess"], *frame["runner_up"]}) if names is None else names
    if len(names) > most:
        return _pairs(frame.sort_values("rows", ascending=False, kind="stable").head(most))
    base = alt.Chart(data_of(frame)).encode(
        x=_class_axis("runner_up", names, "runner-up"),
        y=alt.Y(
            "guess:N", sort=names, scale=alt.Scale(domain=names), title="guess", axis=alt.Axis(labelLimit=120)
        ),
        tooltip=["guess:N", "runner_up:N", alt.Tooltip("rows:Q", format=",")],
    )
    cells = base.mark_rect(color=OUTCOME_COLORS[2], cornerRadius=2).encode(
        opacity=_strength("rows", frame["rows"].max())
    )
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text("rows:Q", format=","))
    step = 34 if len(names) <= 12 else 24
    return (cells + numbers).properties(width=min(WIDTH, 46 * len(names)), height=alt.Step(step))


def _pairs(frame: pd.DataFrame) -> alt.Chart:
    frame = frame.assign(pair=frame["guess"] + " or " + frame["runner_up"])
    return (
        alt.Chart(data_of(frame))
        .mark_bar(color=OUTCOME_COLORS[2], cornerRadiusEnd=2)
        .encode(
            x=alt.X("rows:Q", title="doubtful rows", axis=alt.Axis(tickMinStep=1, tickCount=6)),
            y=alt.Y("pair:N", sort=frame["pair"].tolist(), title=None, axis=alt.Axis(labelLimit=200)),
            tooltip=["guess:N", "runner_up:N", alt.Tooltip("rows:Q", format=",")],
        )
        .properties(width=WIDTH, height=alt.Step(20))
    )


def members(frame: pd.DataFrame) -> alt.LayerChart:
    """Score of each model on labelled rows held out from it, and the seats it has."""
    frame = frame.assign(words=[f"{n} seat{'s' * (n != 1)}" if n else "no seat" for n in frame["seats"]])
    base = alt.Chart(data_of(frame)).encode(
        y=alt.Y("model:N", sort=frame["model"].tolist(), title=None, axis=alt.Axis(labelLimit=160)),
        tooltip=[
            "model:N",
            alt.Tooltip("score:Q", format=".1%"),
            alt.Tooltip("weight:Q", format=".1%"),
            "seats:Q",
        ],
    )
    bars = base.mark_bar(color=ACCENT, cornerRadiusEnd=2).encode(
        x=alt.X("score:Q", title="held-out rows predicted correctly", axis=alt.Axis(format="%", tickCount=6)),
        opacity=alt.condition("datum.seats > 0", alt.value(0.9), alt.value(0.25)),
    )
    words = base.mark_text(align="left", dx=5, fontSize=11).encode(x="score:Q", text="words:N")
    return (bars + words).properties(width=WIDTH, height=alt.Step(24))


def times(frame: pd.DataFrame) -> alt.Chart:
    """Seconds that each part took, its rounds side by side."""
    parts = list(dict.fromkeys(frame["part"]))
    return (
        alt.Chart(data_of(frame))
        .mark_bar(color=ACCENT, stroke="#ffffff", strokeWidth=1, strokeOpacity=0.7)
        .encode(
            x=alt.X("seconds:Q", title="seconds", stack="zero", axis=alt.Axis(tickCount=6)),
            y=alt.Y("part:N", sort=parts, title=None),
            order=alt.Order("round:O"),
            detail="round:O",
            tooltip=["part:N", "round:O", alt.Tooltip("seconds:Q", format=".2f")],
        )
        .properties(width=WIDTH, height=alt.Step(26))
    )


def data_of(frame: pd.DataFrame, name: str | None = None) -> Any:
    """The frame as data in the chart itself: no limit on rows, nothing for a server to fetch."""
    values = json.loads(frame.to_json(orient="records", double_precision=5))
    return {"values": values} if name is None else {"values": values, "name": name}


def _by_outcome(frame: pd.DataFrame) -> alt.Color:
    there = [outcome for outcome in OUTCOMES if outcome in set(frame["outcome"])]
    colors = [OUTCOME_COLORS[OUTCOMES.index(outcome)] for outcome in there]
    return alt.Color(
        "outcome:N",
        title=None,
        scale=alt.Scale(domain=there, range=colors),
        legend=alt.Legend(orient="top", symbolType="circle", symbolOpacity=1),
    )


def _class_axis(field: str, names: Sequence[str], title: str | None = None) -> alt.X:
    named = len(names) <= _MOST_NAMED
    long = max(map(len, names), default=0) > 2
    axis = alt.Axis(labels=named, ticks=False, labelAngle=-60 if long else 0, labelLimit=70, labelPadding=4)
    return alt.X(f"{field}:N", sort=list(names), scale=alt.Scale(domain=list(names)), title=title, axis=axis)


def _strength(field: str, most: float) -> alt.Opacity:
    scale = alt.Scale(domain=[0, float(most) if most > 1 else 1.0], range=[0.04, 0.9])
    return alt.Opacity(f"{field}:Q", scale=scale, legend=None)


def _ranked(frame: pd.DataFrame, column: str, order: list[str]) -> pd.DataFrame:
    """The frame with the position of a column's value in an order, for stacks to follow it."""
    return frame.assign(rank=[order.index(value) for value in frame[column]])

"""Pictures of the final classifier: what columns contribute, whether unlabelled rows helped, what to believe.

Frames come from `data`, `calibration` and `column_section`.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from .charts import ACCENT, OUTCOME_COLORS, WIDTH, data_of
from .names import distinct


def columns(frame: pd.DataFrame) -> alt.Chart:
    """How much the probability of the guesses falls where each column is mixed up among rows."""
    frame = frame.assign(column=distinct(frame["column"]))
    return (
        alt.Chart(data_of(frame))
        .mark_bar(color=ACCENT, cornerRadiusEnd=2)
        .encode(
            x=alt.X(
                "fall:Q", title="fall of the guesses' probability", axis=alt.Axis(format="%", tickCount=6)
            ),
            y=alt.Y("column:N", sort=frame["column"].tolist(), title=None, axis=alt.Axis(labelLimit=160)),
            tooltip=[
                "column:N",
                alt.Tooltip("kind:N", title="taken for"),
                alt.Tooltip("fall:Q", format=".1%"),
                alt.Tooltip("changed:Q", title="guesses that change", format=".1%"),
            ],
        )
        .properties(width=WIDTH, height=alt.Step(20))
    )


def gain(frame: pd.DataFrame) -> alt.LayerChart:
    """A gain in points with its interval, around no gain; a line for each `name`."""
    good, bad = frame["low"] > 0, frame["high"] < 0
    frame = frame.assign(tone=np.select([good, bad], [OUTCOME_COLORS[0], OUTCOME_COLORS[2]], "#7d8597"))
    color = alt.Color("tone:N", scale=None)
    names = list(frame["name"])
    named = alt.Axis(labelLimit=150) if len(names) > 1 else None
    y = alt.Y("name:N", sort=names, title=None, axis=named)
    base = alt.Chart(data_of(frame)).encode(y=y, color=color)
    axis = alt.Axis(labelExpr="datum.value ? format(datum.value, '+') : '0'", tickCount=6)
    tooltip = [alt.Tooltip(f"{field}:Q", format="+.1f") for field in ("gain", "low", "high")]
    bar = base.mark_rule(strokeWidth=5, opacity=0.45, strokeCap="round").encode(
        x=alt.X("low:Q", title="points of accuracy gained", axis=axis),
        x2="high:Q",
        tooltip=tooltip,
    )
    point = base.mark_circle(size=150, opacity=1).encode(x="gain:Q", tooltip=tooltip)
    zero = alt.Chart(data_of(pd.DataFrame({"zero": [0]}))).mark_rule(color="#8a93a3").encode(x="zero:Q")
    return (zero + bar + point).properties(width=WIDTH, height=alt.Step(34))


def calibration(frame: pd.DataFrame) -> alt.LayerChart:
    """What was stated of held-out rows and how many were right, with its interval."""
    base = alt.Chart(data_of(frame)).encode(x=_share_axis("x", "stated", "probability stated"))
    tooltip = [alt.Tooltip(f"{field}:Q", format=".0%") for field in ("stated", "right", "low", "high")]
    bars = base.mark_rule(strokeWidth=4, opacity=0.35, color=ACCENT).encode(y="low:Q", y2="high:Q")
    points = base.mark_circle(size=90, opacity=1, color=ACCENT).encode(
        y=_share_axis("y", "right", "share right"), tooltip=[*tooltip, "rows:Q"]
    )
    equal = alt.Chart(data_of(pd.DataFrame({"stated": [0.0, 1.0], "right": [0.0, 1.0]})))
    equal = equal.mark_line(color="#8a93a3", strokeDash=[4, 4]).encode(x="stated:Q", y="right:Q")
    return (equal + bars + points).properties(width=WIDTH / 2, height=WIDTH / 2)


def promise(frame: pd.DataFrame, chosen: pd.DataFrame) -> alt.LayerChart:
    """How many rows can be filled by the share that is to be right, and where the decision lies."""
    forms = frame["form"].unique().tolist()
    scale = alt.Scale(domain=forms, range=["#8a93a3", ACCENT, OUTCOME_COLORS[0]][: len(forms)])
    right = alt.X(
        "right:Q", title="share that is to be right", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)
    )
    share = alt.Y(
        "share:Q",
        title="labels that can be filled in",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    tooltip = [
        alt.Tooltip("form:N"),
        alt.Tooltip("right:Q", title="at least right", format=".1%"),
        alt.Tooltip("rows:Q", title="labels filled in", format=","),
    ]
    legend = alt.Legend(title=None, orient="bottom")
    lines = (
        alt.Chart(data_of(frame))
        .mark_line(interpolate="step-after", strokeWidth=2.5)
        .encode(
            x=right,
            y=share,
            color=alt.Color("form:N", scale=scale, legend=legend),
            strokeDash=alt.StrokeDash(
                "form:N", scale=alt.Scale(domain=forms, range=[[4, 3], [1, 0], [1, 0]]), legend=legend
            ),
            tooltip=tooltip,
        )
    )
    here = (
        alt.Chart(data_of(chosen))
        .mark_point(size=160, filled=True, opacity=1, color=OUTCOME_COLORS[2])
        .encode(x="right:Q", y="share:Q", tooltip=tooltip[1:])
    )
    return (lines + here).properties(width=WIDTH - 60, height=260)


def _share_axis(channel: str, field: str, title: str) -> Any:
    kind = alt.X if channel == "x" else alt.Y
    return kind(f"{field}:Q", title=title, axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))

"""The paper's figures 1 and 2 on a user's own run: from P to labels, and where rows are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ..common.types import Floats
from ..rounds.records import Kept

_STEPS = ("mean of members", "trusted", "plan", "label given")
_MOST_POINTS = 5_000
_CELL = 14  # pixels


def round_frame(kept: Kept, names: Sequence[str], most: int) -> pd.DataFrame:
    """Cells of a round's matrices, a line for each: step, row, class, value; the surest rows of the pool.

    Rows are taken evenly from the most to the least confident.
    """
    n = min(most, len(kept.rows))
    some = np.argsort(-kept.confidence, kind="stable")[np.arange(n) * len(kept.rows) // max(n, 1)]
    p, k = kept.P[:, some].mean(axis=0), kept.plan.shape[1]
    trusted = np.repeat((kept.confidence[some] > 0)[:, None], k, axis=1)
    given = kept.codes[some, None] == np.arange(k)
    return pd.concat(
        pd.DataFrame(
            {
                "step": step,
                "place": np.repeat(np.arange(n), k),
                "row": np.repeat(kept.rows[some], k),
                "class": np.tile(np.asarray(names, dtype=object), n),
                "value": np.asarray(values, dtype=float).ravel(),
            }
        )
        for step, values in zip(_STEPS, (p, trusted, kept.plan[some], given), strict=True)
    )


def one_round(cells: pd.DataFrame) -> alt.Chart:
    """Figure 1: the mean of P, who is trusted, the plan, and the labels, side by side."""
    n, k = cells["place"].nunique(), cells["class"].nunique()
    base = alt.Chart(cells).mark_rect().properties(width=_CELL * k, height=_CELL * n)
    return base.encode(
        alt.X("class:N", title=None, sort=None),
        alt.Y("place:O", title="rows, the surest first", axis=alt.Axis(labels=False, ticks=False)),
        alt.Color("value:Q", title="share of the row").scale(scheme="viridis", domain=[0, 1]),
        alt.Column("step:N", title=None, sort=list(_STEPS)),
        tooltip=["row", "class", alt.Tooltip("value:Q", format=".3f")],
    )


def trust_frame(places: Floats, guess: Any, confidence: Any) -> pd.DataFrame:
    """Rows at two coordinates, (n, 2), with their guess and how far above what is trusted they are."""
    some = np.arange(min(len(places), _MOST_POINTS)) * len(places) // max(min(len(places), _MOST_POINTS), 1)
    return pd.DataFrame(
        {
            "first": places[some, 0],
            "second": places[some, 1],
            "guess": np.asarray(guess, dtype=object)[some].astype(str),
            "confidence": np.asarray(confidence, dtype=float)[some].clip(-20, 20),
        }
    )


def trust(rows: pd.DataFrame, titles: Sequence[str]) -> alt.Chart:
    """Figure 2: rows in the plane of two columns; dark ones are not trusted."""
    return (
        alt.Chart(rows)
        .mark_point(filled=True, size=30)
        .encode(
            alt.X("first:Q", title=titles[0]).scale(zero=False),
            alt.Y("second:Q", title=titles[1]).scale(zero=False),
            alt.Color("confidence:Q", title="above 0: trusted").scale(scheme="viridis", domainMid=0),
            alt.Shape("guess:N", title="guess"),
            tooltip=["guess", alt.Tooltip("confidence:Q", format=".2f")],
        )
        .properties(width=360, height=300)
    )

"""Several labels a row on one page: what became of each, and a link to its own."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
from jinja2 import Template
from markupsafe import Markup

from ..common.durations import duration
from ..common.types import Fitted, Floats
from ..filling import LEFT
from . import about, charts, classifier_charts, data, words
from .names import count, distinct, percent, text
from .promise_section import handed, right_of

# No script runs on this page at all.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def overview(
    clf: Fitted,
    pages: Sequence[str],
    truths: Sequence[Floats | None],
    template: Template,
    style: str,
    *,
    details: about.Details = None,
) -> str:
    """The page as HTML.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted on several labels.
    pages : list of str
        Addresses of the labels' own pages.
    truths : list
        The truth of each label, shape (n,), or None.
    template, style
        A Jinja template, and a text of CSS.
    details
        As in `report`.
    """
    details = details or {}
    frame = labels(clf, truths)
    code, seed = about.reproduction(clf, details)
    found, left = int(frame["found"].sum()), int(frame["left"].sum())
    judged = int(frame["judged"].sum())
    tiles = [(f"{found:,}", f"of {count(found + left, 'unknown cell')} filled in")]
    if judged:
        tiles.append((percent(frame["right"].sum() / judged), "of these are right"))
    tiles += [
        (f"{left:,}", "left for a person to decide"),
        (f"{len(frame):,}", "labels"),
        (duration(data.times(clf)["seconds"].sum()), "of training and labelling"),
    ]
    gains = frame.dropna(subset="gain")
    drawn = {
        "cells": charts.cells(_long(frame)),
        "gain": classifier_charts.gain(gains) if len(gains) else None,
        "rounds": charts.rounds(data.rounds(clf), "cells") if clf.history_ else None,
    }
    lines = frame.to_dict("records")
    return template.render(
        policy=_POLICY,
        style=Markup(style),
        handed=handed(clf, details.get("fill")),
        headline=words.headline(clf),
        input=text(details["input"], 120) if details.get("input") else None,
        tiles=tiles,
        charts={name: _drawn(chart) for name, chart in drawn.items() if chart is not None},
        labels=[line | {"page": page} for line, page in zip(lines, pages, strict=True)],
        truth=judged > 0,
        settings=about.settings(clf, details),
        versions=about.versions(details),
        code=code,
        seed=seed,
    )


def labels(clf: Fitted, truths: Sequence[Floats | None]) -> pd.DataFrame:
    """What became of each label.

    Returns
    -------
    DataFrame
        name, title; counts of cells: known, yes (of these), found, found_yes, left, judged (found, with
        the truth known), right; verdict, gain, low, high.
    """
    lines = []
    names = np.asarray(clf.classes_).tolist()
    for title, name, one, truth in zip(names, distinct(names), clf.estimators_, truths, strict=True):
        known, filled = one.labeled_iter_ == 0, data.handed_out(one)
        right = right_of(one, filled, truth)
        verdict = one.verdict_
        low, high = (np.nan, np.nan) if verdict is None else verdict.interval
        lines.append(
            {
                "name": name,
                "title": text(title, 500),
                "known": int(known.sum()),
                "yes": int((one.transduction_[known] == 1).sum()),
                "found": int(filled.notna().sum()),
                "found_yes": int((filled == 1).sum()),
                "left": int(filled.isna().sum()),
                "judged": len(right),
                "right": int(right.sum()),
                "verdict": "not measured" if verdict is None else verdict.word,
                "gain": np.nan if verdict is None else verdict.gain,
                "low": low,
                "high": high,
            }
        )
    return pd.DataFrame(lines)


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    """Cells by label and what became of them: label, outcome, cells."""
    parts = {
        "yes, known": frame["yes"],
        "yes, filled in": frame["found_yes"],
        "no, known": frame["known"] - frame["yes"],
        "no, filled in": frame["found"] - frame["found_yes"],
        LEFT: frame["left"],
    }
    return pd.concat(
        [pd.DataFrame({"label": frame["name"], "outcome": what, "cells": n}) for what, n in parts.items()]
    )


def _drawn(chart: alt.Chart | alt.LayerChart) -> Markup:
    import vl_convert

    seen_through = chart.configure(background="transparent").configure_view(stroke=None)
    return Markup(vl_convert.vegalite_to_svg(seen_through.to_dict(validate=False)))

"""The labels that are handed out and what is promised of them, as the report and charts show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import AnyLabels, Bools, Fitted
from .data import aligned_rows, class_names, codes_of
from .names import count, percent

# The forms of the curve, in the order in which they are drawn.
FORMS = {"estimated": "estimated", "average": "promised on average", "confident": "promised with confidence"}


@dataclass(frozen=True)
class Handed:
    """What is handed out.

    Parameters
    ----------
    filling : FilledLabels
        The decision.
    sentence, tone : str
        It in words, and how it is coloured: "good" under a promise, else "neutral" or "bad".
    lines : list of dict
        A line for each class.
    more : list of str
        Which given labels it does not stand on, and what it takes to fill more.
    right : float
        The share right where truth is known, else NaN.
    """

    filling: Any
    sentence: str
    tone: str
    lines: list[dict[str, Any]]
    more: list[str]
    right: float


def handed(clf: Fitted, asked: dict[str, Any] | None = None, y_true: AnyLabels | None = None) -> Handed:
    """What a fitted classifier hands out; `asked` are arguments of `fill`."""
    filling = clf.fill(**asked or {})
    words = str(filling)
    right = right_of(clf, filling.labels, None if clf.several_labels else y_true)
    tone = "bad" if not filling.n_filled else "neutral" if filling.form == "nothing" else "good"
    return Handed(
        filling,
        f"{words[0].upper()}{words[1:]}.",
        tone,
        [] if clf.several_labels else _lines(clf, filling),
        [*_not_sampled(clf), *_more(filling)],
        float(right.mean()) if len(right) else float("nan"),
    )


def curve(clf: Fitted, confidence: float | None = None) -> pd.DataFrame:
    """Rows that can be filled by the share that is to be right: right, form, rows, share."""
    found = clf.fill_curve(confidence or 0.9)
    if not found.m:
        return pd.DataFrame(columns=["right", "form", "rows", "share"])
    parts = [
        pd.DataFrame({"right": found.right, "form": words, "rows": getattr(found, name)})
        for name, words in FORMS.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    # Shares at which everything is filled in tell nothing, but for the last of them.
    everything = frame.groupby("right")["rows"].min() == found.m
    frame = frame[frame["right"] >= max(everything.index[everything], default=0.0)]
    return frame.assign(share=frame["rows"] / found.m)


def point(filling: Any) -> pd.DataFrame:
    """Where the decision lies on the curve: right, share, rows."""
    share = filling.n_filled / max(len(filling.filled), 1)
    return pd.DataFrame({"right": [filling.right], "share": [share], "rows": [filling.n_filled]})


def _lines(clf: Fitted, filling: Any) -> list[dict[str, Any]]:
    came = np.asarray(clf.transduction_, dtype=object)[np.asarray(clf.labeled_iter_) == 0]
    codes = codes_of(clf, came)
    given = np.bincount(codes[codes >= 0], minlength=len(clf.classes_))
    lines = []
    for each, name in zip(filling.by_class, class_names(clf), strict=True):
        share = each.share
        lines.append(
            {
                "name": name,
                "given": int(given[each.code]),
                "filled": each.filled,
                "left": each.guessed - each.filled,
                "right": "–" if share is None else percent(share.estimate),
                "interval": "–" if share is None else f"{percent(share.low)} to {percent(share.high)}",
                "promised": each.promised,
                "missing": each.missing,
            }
        )
    return lines


def _not_sampled(clf: Fitted) -> list[str]:
    """A sentence on labelled rows that were chosen, if there are any."""
    given = np.asarray(clf.labeled_iter_) == 0
    given = given.any(axis=1) if given.ndim == 2 else given
    if clf.sampled_ is None or len(clf.sampled_) != len(given):
        return []
    n_chosen = int((given & ~clf.sampled_).sum())
    if not n_chosen:
        return []
    return [
        f"{n_chosen:,} of {count(int(given.sum()), 'labelled row')} are not known to be drawn at random: "
        "they teach, and the promise does not stand on them."
    ]


def _more(filling: Any) -> list[str]:
    """Sentences on what it takes to fill more."""
    out: list[str] = []
    if filling.n_filled == len(filling.filled):
        return out
    if filling.missing:
        out.append(
            f"A promise of {percent(filling.right)} takes at least {count(filling.missing, 'label')} more, "
            "of rows drawn at random."
        )
    steps = [f"{each.labels:,} for {each.share:.0%}" for each in filling.more if each.labels]
    if steps:
        steps[0] += " of the missing labels"
        out.append(
            "To fill in more under the same promise, label more rows, drawn at random: roughly "
            f"{', '.join(steps)}."
        )
    return out


def right_of(clf: Fitted, labels: pd.Series, y_true: AnyLabels | None) -> Bools:
    """Whether each label that is filled in is right, of those whose truth is known, shape (n,)."""
    if y_true is None:
        return np.empty(0, dtype=bool)
    truth = pd.Series(np.asarray(y_true, dtype=object))
    codes, said = codes_of(clf, truth.iloc[aligned_rows(clf, truth, "y_true")]), codes_of(clf, labels)
    return (said == codes)[(said >= 0) & (codes != -1)]

"""What a notebook shows of a fitted classifier: what was filled in, whether it helped, the first rows."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from ..common.types import Fitted
from .names import count, percent, text

_SHOWN_CLASSES, _SHOWN_ROWS = 10, 5
_COLUMNS = ("label", "value", "guess", "probability", "runner_up", "status")


class ShownInNotebooks(ClassifierMixin):
    """A classifier that a notebook shows by its result once it is fitted, and as scikit-learn does before."""

    @property
    def _repr_html_(self) -> Any:
        """What makes the HTML; there is none where scikit-learn is set to show text."""
        diagram = super()._repr_html_
        return partial(as_html, self) if _has_result(self) else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if _has_result(self):
            shown["text/plain"] = as_text(self)
            if "text/html" in shown:
                shown["text/html"] = as_html(self)
        return shown


def as_html(clf: Fitted) -> str:
    """The result as a piece of a page; it needs no script and follows the page's colours."""
    # Only those who look at it wait for it.
    from jinja2 import Environment, StrictUndefined

    template = files(__package__).joinpath("notebook.html.j2").read_text(encoding="utf-8")
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(template)
    return made.render(**_summary(clf))


def as_text(clf: Fitted) -> str:
    """The same in words: what was filled in, whether it helped, and the first rows."""
    summary = _summary(clf)
    headline = summary["headline"]
    said = [f"{type(clf).__name__}: {headline.lead} {headline.sentence}", headline.note]
    if summary["promised"]:
        said.append(summary["promised"])
    if summary["rows"]:
        frame = pd.DataFrame(summary["rows"], columns=summary["header"])
        said += ["", frame.to_string(index=False)]
    return "\n".join(said)


def promised(clf: Fitted) -> str | None:
    """What is promised of the labels, in a sentence; None where nothing can be."""
    from .words import promise

    return None if clf.several_labels else promise(clf)


def _has_result(clf: Fitted) -> bool:
    """Whether a fit has ended."""
    return hasattr(clf, "pseudo_labels_") and "_run" not in vars(clf)


def _summary(clf: Fitted) -> dict[str, Any]:
    """All that is shown, as texts."""
    from .words import headline

    table = clf.pseudo_labels_
    header = [name for name in _COLUMNS if name in table.columns]
    head = table[header].head(_SHOWN_ROWS)
    rows = [
        [str(index), *(_cell(name, value) for name, value in zip(header, row, strict=True))]
        for index, row in zip(head.index, head.itertuples(index=False, name=None), strict=True)
    ]
    bars = _bars(clf)
    return {
        "headline": headline(clf),
        "promised": promised(clf),
        "unit": "label" if clf.several_labels else "class",
        "bars": bars[:_SHOWN_CLASSES],
        "more_bars": max(len(bars) - _SHOWN_CLASSES, 0),
        "header": ["row", *header],
        "rows": rows,
        "n_rows": f"All {count(len(table), 'cell' if clf.several_labels else 'row')}",
    }


def _bars(clf: Fitted) -> list[dict[str, Any]]:
    """Rows of each class, or cells of each label: given, found and left, with widths of 100 in all."""
    from .data import classes

    if clf.several_labels:
        given, found = clf.labeled_iter_ == 0, clf.labeled_iter_ > 0
        counts = zip(given.sum(axis=0), found.sum(axis=0), (~given & ~found).sum(axis=0), strict=True)
        lines = list(zip(map(str, clf.classes_), counts, strict=True))
    else:
        if clf.transduction_.ndim > 1:
            return []
        frame = classes(clf)
        numbers = frame[["given", "found", "left"]].itertuples(index=False, name=None)
        lines = list(zip(frame["class"], numbers, strict=True))
    most = max((sum(counts) for _, counts in lines), default=0) or 1
    parts = ("given", "found", "left")
    return [
        {
            "name": text(name, 40),
            **{part: f"{n:,}" for part, n in zip(parts, counts, strict=True)},
            "widths": [(part, round(100 * n / most, 1)) for part, n in zip(parts, counts, strict=True)],
        }
        for name, counts in lines
    ]


def _cell(name: str, value: Any) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    return percent(value) if name == "probability" else text(value, 40)

"""What a notebook shows of a fitted classifier: what is promised, whether it helped, the first rows."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import ClassifierMixin

from ..common.types import Fitted
from .names import count, percent, text

_SHOWN_CLASSES, _SHOWN_ROWS = 10, 5
_Line = tuple[str, tuple[int, int, int]]  # a class or label, and its rows given, filled and left
# The status tells whether a row was fit to train on; whether its label is filled in is another question.
_SAID = {"filled": "filled in", "status": "for training"}
_GUESS = ("guess", "probability", "runner_up", "status")


class ShownInNotebooks(ClassifierMixin):
    """A classifier that a notebook shows by its result once it is fitted, and as scikit-learn does before."""

    @property
    def _repr_html_(self) -> Any:
        """What makes the HTML; there is none where scikit-learn is set to show text."""
        diagram = super()._repr_html_
        return partial(as_html, self) if _has_result(self) else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if not _has_result(self):
            settings: dict[str, str] = super()._repr_mimebundle_(**kwargs)
            return settings
        html = {"text/html": as_html(self)} if get_config()["display"] == "diagram" else {}
        return {"text/plain": as_text(self)} | html


def as_html(clf: Fitted) -> str:
    """The result as a piece of a page; it needs no script and follows the page's colours."""
    # Only those who look at it wait for it.
    from jinja2 import Environment, StrictUndefined

    template = files(__package__).joinpath("notebook.html.j2").read_text(encoding="utf-8")
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(template)
    return made.render(**_summary(clf))


def as_text(clf: Fitted) -> str:
    """The same in words: what is promised, whether the unlabelled rows helped, and the first rows."""
    summary = _summary(clf)
    headline = summary["headline"]
    said = [summary["promised"], f"{headline.lead} {headline.sentence}", headline.note]
    said = [sentence for sentence in said if sentence]
    said[0] = f"{type(clf).__name__}: {said[0]}"
    if summary["rows"]:
        frame = pd.DataFrame(summary["rows"], columns=summary["header"])
        said += ["", frame.to_string(index=False)]
    return "\n".join(said)


def promised(filling: Any) -> tuple[str, str]:
    """What is handed out and promised, as a sentence, and how it is coloured."""
    words = str(filling)
    tone = "bad" if not filling.n_filled else "neutral" if filling.form == "nothing" else "good"
    return f"{words[0].upper()}{words[1:]}.", tone


def _has_result(clf: Fitted) -> bool:
    """Whether a fit has ended."""
    return hasattr(clf, "pseudo_labels_") and "_run" not in vars(clf)


def _summary(clf: Fitted) -> dict[str, Any]:
    """All that is shown, as texts."""
    from .data import handed_out
    from .words import headline

    filled, sentence, tone = handed_out(clf), None, None
    # Models of the first release hand out what the rounds found, and promise nothing.
    if "filled" in clf.pseudo_labels_ and len(filled):
        filling = clf.fill()
        filled, (sentence, tone) = filling.labels, promised(filling)
    bars = _bars(clf, filled)
    header, rows = _first_rows(clf, filled)
    return {
        "headline": headline(clf),
        "promised": sentence,
        "tone": tone,
        "unit": "label" if clf.several_labels else "class",
        "bars": bars[:_SHOWN_CLASSES],
        "more_bars": max(len(bars) - _SHOWN_CLASSES, 0),
        "header": header,
        "rows": rows,
        "n_rows": f"All {count(len(filled), 'cell' if clf.several_labels else 'row')}",
    }


def _first_rows(clf: Fitted, filled: pd.Series) -> tuple[list[str], list[list[str]]]:
    """The first rows that came unlabelled: names of columns, and cells."""
    table = clf.pseudo_labels_
    names = [name for name in _GUESS if name in table.columns]
    head = table[["label", *names] if clf.several_labels else names].head(_SHOWN_ROWS)
    head = head.assign(filled=filled.to_numpy()[:_SHOWN_ROWS])
    header = [name for name in ("label", "filled", *names) if name in head]
    rows = [
        [str(index), *(_cell(name, value) for name, value in zip(header, row, strict=True))]
        for index, row in zip(head.index, head[header].itertuples(index=False, name=None), strict=True)
    ]
    return ["row", *(_SAID.get(name, name) for name in header)], rows


def _bars(clf: Fitted, filled: pd.Series) -> list[dict[str, Any]]:
    """Rows of each class, or cells of each label: given, filled and left, with widths of 100 in all."""
    if clf.several_labels:
        lines = _cells_of_labels(clf, filled)
    elif clf.transduction_.ndim > 1:
        return []
    else:
        lines = _rows_of_classes(clf, filled)
    most = max((sum(counts) for _, counts in lines), default=0) or 1
    parts = ("given", "filled", "left")
    return [
        {
            "name": text(name, 40),
            **{part: f"{n:,}" for part, n in zip(parts, counts, strict=True)},
            "widths": [(part, round(100 * n / most, 1)) for part, n in zip(parts, counts, strict=True)],
        }
        for name, counts in lines
    ]


def _cells_of_labels(clf: Fitted, filled: pd.Series) -> list[_Line]:
    given, of = (clf.labeled_iter_ == 0).sum(axis=0), clf.pseudo_labels_["label"].to_numpy()
    lines = []
    for name, n in zip(clf.classes_, given, strict=True):
        has = filled[of == name].notna()
        lines.append((str(name), (int(n), int(has.sum()), int((~has).sum()))))
    return lines


def _rows_of_classes(clf: Fitted, filled: pd.Series) -> list[_Line]:
    from .data import class_names, codes_of

    given = codes_of(clf, clf.transduction_[clf.labeled_iter_ == 0])
    has, guess = codes_of(clf, filled), codes_of(clf, clf.pseudo_labels_["guess"])
    each = [
        np.bincount(codes[codes >= 0], minlength=len(clf.classes_)) for codes in (given, has, guess[has < 0])
    ]
    return list(zip(class_names(clf), zip(*(counts.tolist() for counts in each), strict=True), strict=True))


def _cell(name: str, value: Any) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    return percent(value) if name == "probability" else text(value, 40)

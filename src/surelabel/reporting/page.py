"""From summaries and charts to one HTML file that needs nothing else and asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from ..common.durations import duration
from ..common.types import AnyLabels, Fitted, Floats, Table
from ..filling import FILLED, LEFT
from . import about, calibration, charts, classifier_charts, data, overview, promise_section, words
from .column_section import ColumnLine, ColumnSection, column_section
from .names import class_colors, count, percent, text

# Nothing is fetched or sent; of scripts only those run that this module wrote, by their digest. Charts
# set styles of their own. Vega reads its expressions by an interpreter, so nothing is evaluated.
_POLICY = (
    "default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)

# What is less than this is little, even if no column contributes more.
_FULL_BAR = 0.02


def page(
    clf: Fitted,
    *,
    X: Table | None = None,
    y_true: AnyLabels | None = None,
    details: about.Details = None,
    contributing: bool = True,
) -> str:
    """The report as HTML; parameters as in `report`, and whether it tells what columns contribute."""
    data.check_shown(clf)
    section = column_section(clf, X, details) if contributing else None
    rows = data.rows(clf, y_true)
    out = promise_section.handed(clf, (details or {}).get("fill"), y_true)
    drawn = _charts(clf, y_true, rows, out.filling)
    value_names, values = about.values(clf, X, data.worth_a_look(clf))
    content = {
        "charts": drawn,
        "rows": _compact(rows),
        "outcomes": dict(zip(data.OUTCOMES, charts.OUTCOME_COLORS, strict=True)),
        "filled": [FILLED, LEFT],
        "valueNames": value_names,
        "values": values,
    }
    scripts = [Markup(_bundle()), Markup(_own("report.js"))]
    digests = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return _template("report.html.j2").render(
        policy=_POLICY.format(digests=digests),
        style=Markup(_own("report.css")),
        scripts=scripts,
        content=Markup(as_json(content)),
        drawn=set(drawn),
        n_shown=len(rows),
        contributing=None if section is None else _column_context(section),
        **_context(clf, X, y_true, details, out),
    )


def overview_page(
    clf: Fitted,
    pages: Sequence[str],
    truths: Sequence[Floats | None],
    *,
    details: about.Details = None,
) -> str:
    """The page of several labels, with links to those of each, and the truth of each or None."""
    template, style = _template("overview.html.j2"), _own("report.css")
    return overview.overview(clf, pages, truths, template, style, details=details)


def _charts(clf: Fitted, y_true: AnyLabels | None, rows: pd.DataFrame, filling: Any) -> dict[str, Any]:
    """Specifications of the charts there is something to draw in, by name."""
    names = data.class_names(clf)
    frames = {
        "promise": promise_section.curve(clf, filling.confidence) if filling.n_labelled else (),
        "gain": _gain(clf),
        "calibration": calibration.by_stated(clf),
        "rounds": data.rounds(clf),
        "round_classes": data.round_classes(clf) if (data.outcomes(clf) == data.ACCEPTED).any() else (),
        "accuracy": data.accuracy(clf, y_true),
        "class_mix": data.class_mix(clf),
        "confidence": rows.drop_duplicates("outcome"),  # the page's table has the rows
        "plan": data.plans(clf),
        "confusions": data.confusions(clf),
        "members": data.members(clf),
        "times": data.times(clf),
    }
    draw: dict[str, Callable[[Any], Any]] = {
        "round_classes": lambda frame: charts.round_classes(frame, class_colors(len(names))),
        "confidence": lambda frame: charts.confidence(frame, data.measure(clf)),
        "plan": lambda frame: charts.plan(frame, names),
        "confusions": lambda frame: charts.confusions(frame, names),
        "promise": lambda frame: classifier_charts.promise(frame, promise_section.point(filling)),
        "gain": classifier_charts.gain,
        "calibration": classifier_charts.calibration,
    }
    specs = {}
    for name, frame in frames.items():
        if len(frame):
            chart = draw[name] if name in draw else getattr(charts, name)
            spec = chart(frame).to_dict(validate=False)
            del spec["$schema"], spec["config"]  # the page says both
            for layer in spec.get("layer", []):
                if layer.get("data", {}).get("name") == "rows":
                    layer["data"] = {"name": "rows"}
            specs[name] = spec
    return specs


def _gain(clf: Fitted) -> pd.DataFrame:
    verdict = clf.verdict_
    if verdict is None:
        return pd.DataFrame()
    low, high = verdict.interval
    return pd.DataFrame({"name": [""], "gain": [verdict.gain], "low": [low], "high": [high]})


def _context(
    clf: Fitted,
    X: Table | None,
    y_true: AnyLabels | None,
    details: about.Details,
    out: promise_section.Handed,
) -> dict[str, Any]:
    details = details or {}
    classes, confusions = data.classes(clf, y_true), data.confusions(clf)
    columns = about.columns(clf, X, details)
    code, seed = about.reproduction(clf, details)
    n, filled = len(clf.pseudo_labels_), out.filling.n_filled
    tiles = [(f"{filled:,}", f"of {count(n, 'missing label')} filled in")]
    if np.isfinite(out.right):
        tiles.append((percent(out.right), "of these are right"))
    elif out.filling.share is not None:
        tiles.append((percent(out.filling.share.estimate), "of these are right, as far as known"))
    tiles += [
        (f"{n - filled:,}", "left for a person to decide"),
        (f"{clf.n_iter_:,}", "round" if clf.n_iter_ == 1 else "rounds"),
        (duration(data.times(clf)["seconds"].sum()), "of training and labelling"),
    ]
    return {
        "headline": words.headline(clf),
        "errs": words.promise(clf),
        "cleaned": None if clf.cleaned_ is None else str(clf.cleaned_),
        "handed": out,
        "input": text(details["input"], 120) if details.get("input") else None,
        "tiles": tiles,
        "advice": words.advice(clf, classes, confusions, out.more, details.get("run")),
        "rows_in_words": about.rows_in_words(clf),
        "columns": columns[: about.MOST_COLUMNS],
        "n_columns": count(len(columns), "column"),
        "known": {key for column in columns for key, value in column.items() if value not in (None, "")},
        "kinds": about.kinds_in_words(columns),
        "round_lines": _round_lines(clf, y_true),
        "ended": _ENDED.get(clf.termination_condition_, clf.termination_condition_),
        "classes": _class_lines(clf, classes),
        "truth": y_true is not None,
        "drift": words.drift_in_words(classes),
        "prior_setting": words.prior_setting(details),
        "reasons": words.reasons(clf),
        "stated": [
            (title, table.to_dict("records"))
            for title, table in (
                ("probability stated", calibration.by_stated(clf)),
                ("class guessed", calibration.by_class(clf)),
            )
        ],
        "trained_once": _trained_once(clf),
        "members": data.members(clf).to_dict("records"),
        "failed": data.failed(clf),
        "n_rows": n,
        "narrow": data.NARROW,
        "settings": about.settings(clf, details),
        "versions": about.versions(details),
        "code": code,
        "seed": seed,
    }


def _column_context(section: ColumnSection) -> dict[str, Any]:
    top = max([_FULL_BAR, *(line.contribution.fall for line in section.lines if line.contribution)])
    return {
        "lines": [_column_line(line, top) for line in section.lines[: about.MOST_COLUMNS]],
        "n_more": max(len(section.lines) - about.MOST_COLUMNS, 0),
        "reasons": any(line.why for line in section.lines),
        "words": [(name, [text(word, 40) for word in told]) for name, told in section.words],
        "n_rows": count(section.n_rows, "unlabelled row"),
        "notes": section.notes,
    }


def _column_line(line: ColumnLine, top: float) -> dict[str, Any]:
    found = line.contribution
    shown = {
        "name": text(line.name, 60),
        "title": text(line.name, 500),
        "kind": text(line.kind),
        "why": text(line.why, 200) if line.why else "",
        "used": line.used,
        "tried": found is not None,
    }
    if found is None:
        return shown
    return shown | {
        "width": round(100 * max(found.fall, 0) / top, 1),
        "points": words.points(100 * found.fall).removeprefix("+"),
        "changed": percent(found.changed),
    }


_ENDED = {
    "max_iter": "All the rounds asked for were run.",
    "no_change": "The last round found nothing more to label.",
    "all_labeled": "Every row has a label.",
    "stopped": "The rounds were stopped before their end.",
    "hurt": "Their labels are here, but the classifier is trained without them.",
}


def _trained_once(clf: Fitted) -> bool:
    """Whether the committee was trained on given labels alone, and asked once."""
    return len(clf.history_) > 1 and not any(round.changed for round in clf.history_[1:])


def _round_lines(clf: Fitted, y_true: AnyLabels | None) -> list[dict[str, Any]]:
    known = data.accuracy(clf, y_true)
    right = dict(zip(known["round"], known["accuracy"], strict=True))
    return [
        {
            "number": round.number,
            "pool": round.pool,
            "sure": round.candidates,
            "accepted": len(round.rows),
            "left": round.candidates - len(round.rows),
            "unsure": round.pool - round.candidates,
            "changed": percent(round.changed),
            "right": percent(right.get(round.number)),
            "seconds": duration(sum(round.seconds.values())),
        }
        for round in clf.history_
    ]


def _class_lines(clf: Fitted, classes: pd.DataFrame) -> list[dict[str, Any]]:
    colors: Sequence[str | None] = class_colors(len(classes)) or [None] * len(classes)
    titles = [text(name, 500) for name in np.asarray(clf.classes_).tolist()]
    lines: list[dict[Any, Any]] = classes.rename(columns={"class": "name"}).to_dict("records")
    return [
        line
        | {
            "color": color,
            "title": title,
            "probability": percent(line["probability"]),
            "prior": percent(line["prior"]),
            "confused_with": None if pd.isna(line["confused_with"]) else line["confused_with"],
            "right": percent(line["right"]),
            "sure": percent(line["found"] / max(line["found"] + line["left"], 1)),
        }
        for line, color, title in zip(lines, colors, titles, strict=True)
    ]


def _compact(frame: pd.DataFrame) -> dict[str, Any]:
    """Columns as JSON can carry them: texts that recur as codes and levels, numbers to four places."""
    out: dict[str, Any] = {}
    column: Any  # the stubs of pandas leave out a list of values
    for name, column in frame.items():
        if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
            codes, levels = pd.factorize(column)
            out[str(name)] = {"codes": codes.tolist(), "levels": list(levels)}
        else:
            out[str(name)] = json.loads(column.to_json(orient="values", double_precision=4))
    return out


def as_json(content: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return (
        json.dumps(content, separators=(",", ":"), allow_nan=False)
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    import vl_convert

    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("\r", "")
    return "(() => {" + script.replace("</script", "<\\/script").replace("<!--", "<\\!--") + "})();"


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _template(name: str) -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["thousands"] = lambda n: "–" if n is None else f"{n:,}"
    environment.filters["share"] = percent
    return environment.from_string(_own(name))

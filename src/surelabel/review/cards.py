"""A row as the page shows it: plain values for JSON, nothing of HTML."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..filling import GIVEN
from .likeness import Evidence, Landmarks
from .subject import Subject, plain

# A text longer than this is shown as a text, across the card.
_LONG = 60
_MOST_CHARACTERS = 20_000
_NEAREST, _CELLS_OF_NEAREST = 3, 4
_CELLS_OF_LINE = 5
Card = dict[str, Any]


def card(subject: Subject, row: int, suggestion: str | None, hidden: bool = False) -> Card:
    """One row: its cells, those first that speak most for the suggestion, and the nearest labelled rows.

    Parameters
    ----------
    subject : Subject
        The rows.
    row : int
        Which row, or cell.
    suggestion : str or None
        The class that is suggested.
    hidden : bool, default=False
        Whether nothing may tell what was guessed: cells in the order of the table, and nothing beside them.
    """
    found: Card = {"row": row, "name": subject.name_of(row), "picture": picture(subject, subject.row_of(row))}
    if hidden:
        return found | {"cells": _cells(subject, row, {}, suggestion), "nearest": [], "likely": []}
    landmarks = subject.landmarks(row)
    distances = landmarks.distances(subject.row_of(row))
    said = {} if suggestion is None else landmarks.evidence(distances, suggestion)
    cells = _cells(subject, row, said, suggestion)
    cells.sort(key=lambda cell: (not cell["used"], -cell.get("speaks", 0.0)))
    names = [cell["name"] for cell in cells if cell["used"]][:_CELLS_OF_NEAREST]
    nearest = [
        _neighbour(subject, landmarks, k, distances, names) for k in landmarks.nearest(distances, _NEAREST)
    ]
    return found | {"cells": cells, "nearest": nearest, "likely": likely(subject, row)}


def line(subject: Subject, row: int) -> Card:
    """One row in a list."""
    drawn = set() if subject.picture is None else set(subject.picture.columns)
    names = [name for name in subject.frame if name not in drawn][:_CELLS_OF_LINE]
    at = subject.row_of(row)
    return {
        "row": row,
        "name": subject.name_of(row),
        "label": subject.label[row],
        "guess": subject.guess[row],
        "probability": _number(subject.probability[row]),
        "status": subject.status[row],
        "picture": picture(subject, at),
        "cells": [
            {"name": str(name), "text": plain(subject.frame[name].iloc[at])[: _MOST_CHARACTERS // 50]}
            for name in names
        ],
    }


def likely(subject: Subject, row: int) -> list[Card]:
    """The two most probable classes with their probabilities, where somebody was asked."""
    both = (subject.guess[row], subject.probability[row]), (subject.runner_up[row], subject.second[row])
    return [{"label": name, "probability": _number(p)} for name, p in both if name is not None]


def picture(subject: Subject, row: int) -> Card | None:
    """The pixels of a row, from 0 to 255, where columns are a picture."""
    if subject.picture is None or subject.pixels is None:
        return None
    return {
        "width": subject.picture.width,
        "height": subject.picture.height,
        "pixels": subject.pixels[row].tolist(),
    }


def _cells(subject: Subject, row: int, said: dict[Any, Evidence], suggestion: str | None) -> list[Card]:
    drawn = set() if subject.picture is None else set(subject.picture.columns)
    cells, at = [], subject.row_of(row)
    for name in subject.frame:
        if name in drawn:
            continue
        text, kind = plain(subject.frame[name].iloc[at]), subject.kinds[name]
        cell: Card = {
            "name": str(name),
            "kind": kind,
            "text": text[:_MOST_CHARACTERS],
            "cut": len(text) > _MOST_CHARACTERS,
            "long": len(text) > _LONG or "\n" in text,
            "used": name in subject.X,
            "place": _number(subject.place(name, at)),
        }
        if name in said and text:
            cell |= {"speaks": round(said[name].speaks, 3), "why": _why(said[name], kind, suggestion)}
        cells.append(cell)
    return cells


def _why(evidence: Evidence, kind: str, suggestion: str | None) -> str:
    near = "with the nearest words" if kind in ("text", "url") else "nearest in this column"
    return (
        f"{evidence.n_agreeing:,} of the {evidence.n_near:,} labelled rows {near} are {suggestion}; of all "
        f"labelled rows, {evidence.share:.0%}"
    )


def _neighbour(subject: Subject, landmarks: Landmarks, place: int, distances: Any, names: list[str]) -> Card:
    row = int(landmarks.rows[place])
    by_name = {str(name): name for name in subject.frame}
    return {
        "row": row,
        "label": landmarks.labels[place],
        "likeness": round(1 - float(distances[place].mean()), 3),
        "picture": picture(subject, row),
        "cells": [
            {"name": name, "text": plain(subject.frame[by_name[name]].iloc[row])[:400]} for name in names
        ],
    }


def _number(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(float(value), 4)


def current(subject: Subject, row: int) -> str | None:
    """The label that was given to a row, for a person to keep or change; None where it came unlabelled."""
    return subject.label[row] if subject.status[row] == GIVEN else None

"""Answers as a table, for other programs and for people who label elsewhere; and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from ..common.errors import InputError
from .answers import PILES, Answer
from .piles import YES_NO
from .standing import Ledger

CANNOT_TELL = "cannot tell"
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no", "")


def frame_of(ledger: Ledger, asked: Sequence[str] = ()) -> pd.DataFrame:
    """What stands, a line for each row: row, label, disputed, pile, at_random, who, at.

    Of several labels, whose names are `asked`, a line for each cell, with its name in the column cell.
    """
    lines = [
        {
            **_place(row, asked),
            "label": each.label,
            "disputed": each.disputed,
            "pile": each.answers[-1].pile,
            "at_random": each.at_random,
            "who": ", ".join(sorted({answer.who for answer in each.answers if answer.who})),
            "at": each.answers[-1].at,
        }
        for row, each in ledger.items()
    ]
    names = [*_place(0, asked), "label", "disputed", "pile", "at_random", "who", "at"]
    return pd.DataFrame(lines, columns=names)


def table_of(ledger: Ledger, asked: Sequence[str] = ()) -> pd.DataFrame:
    """All answers that stand as text, for a file: rows from 1, two lines or more where people differ."""
    lines = [
        {
            **(place := _place(row, asked)),
            "row": str(place["row"] + 1),
            "answer": CANNOT_TELL if answer.label is None else "label",
            "label": answer.label or "",
            "pile": answer.pile,
            "at_random": str(answer.at_random).lower(),
            "who": answer.who,
            "at": answer.at,
            "guess": str(answer.shown.get("guess") or ""),
            "probability": "" if (p := answer.shown.get("probability")) is None else f"{p:g}",
        }
        for row, each in ledger.items()
        for answer in each.answers
    ]
    names = [*_place(0, asked), "answer", "label", "pile", "at_random", "who", "at", "guess", "probability"]
    return pd.DataFrame(lines, columns=names, dtype=object)


def _place(item: int, asked: Sequence[str]) -> dict[str, Any]:
    """Where an answer belongs: to a row or, of several labels, to a cell."""
    if not asked:
        return {"row": item}
    row, label = divmod(item, len(asked))
    return {"row": row, "cell": asked[label]}


def answers_of(frame: pd.DataFrame, n_rows: int, source: str, asked: Sequence[str] = ()) -> Iterator[Answer]:
    """Answers of a table with the columns row and label, and perhaps the others that `table_of` writes.

    Lines without a label and without "cannot tell" say nothing, and are left out. An answer counts as drawn
    at random only where the file says so.

    Parameters
    ----------
    frame : DataFrame
        The table, as text or typed.
    n_rows : int
        Rows that there are to answer.
    source : str
        The name of the file, for errors.
    asked : sequence of str
        Names of the labels, where rows have several; then the column cell says which one is answered.
    """
    needed = ("row", "cell", "label") if asked else ("row", "label")
    for name in needed:
        if name not in frame.columns:
            raise InputError(
                f"{source} has no column {name!r}. Answers have the columns {', '.join(needed)}, with rows "
                "from 1; surelabel answers RUN -o answers.csv writes such a file. What surelabel next RUN -o "
                "ask.csv writes is read too, once labels are filled in."
            )
    texts = {str(name): texts_of(frame[name]) for name in frame}
    empty = [""] * len(frame)
    for k, number in enumerate(texts["row"]):
        row = row_of(number, n_rows, source, k)
        label = texts["label"][k].strip()
        if asked:
            row = row * len(asked) + _cell(texts["cell"][k], asked, source, k)
            label = _yes_or_no(label, source, k)
        unknown = texts.get("answer", empty)[k].strip().lower() == CANNOT_TELL
        if not label and not unknown:
            continue
        pile = texts.get("pile", empty)[k] or "file"
        if pile not in PILES:
            raise InputError(f"{source}, line {k + 1:,}: no pile {pile!r}; there are {', '.join(PILES)}.")
        drawn = texts.get("at_random", empty)[k].strip().lower()
        if drawn not in (*_YES, *_NO):
            raise InputError(f"{source}, line {k + 1:,}: at_random must be true or false; it is {drawn!r}.")
        who, at = texts.get("who", empty)[k], texts.get("at", empty)[k]
        said = "\x1f".join([str(row), label, pile, drawn, who, at])
        yield Answer(
            key=f"file.{hashlib.sha256(said.encode()).hexdigest()}",
            row=row,
            label=None if unknown else label,
            pile=pile,
            at_random=drawn in _YES,
            who=who,
            at=at,
        )


def texts_of(column: pd.Series) -> list[str]:
    """Cells as text, "" where there is nothing."""
    return ["" if pd.isna(cell) else str(cell) for cell in column.astype(object)]


def _cell(name: str, asked: Sequence[str], source: str, line: int) -> int:
    if name not in asked:
        raise InputError(
            f"{source}, line {line + 1:,}: there is no label {name!r}; there are {', '.join(asked)}."
        )
    return list(asked).index(name)


def _yes_or_no(label: str, source: str, line: int) -> str:
    said = label.lower().removesuffix(".0")
    if said in _YES:
        return YES_NO[0]
    if said not in _NO:
        raise InputError(
            f"{source}, line {line + 1:,}: whether a row has a label is yes or no; it is {label!r}."
        )
    return YES_NO[1] if label else ""


def row_of(number: str, n_rows: int, source: str, line: int) -> int:
    """Position of a row that a file numbers from 1; refused where there is no such row."""
    text = number.strip().removesuffix(".0")
    if not text.isdecimal() or not 1 <= int(text) <= n_rows:
        raise InputError(
            f"{source}, line {line + 1:,}: there is no row {number!r}; rows are from 1 to {n_rows:,}, "
            "counted below the header."
        )
    return int(text) - 1

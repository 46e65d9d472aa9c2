"""What a person should know of a column that was read, and what can be done, in sentences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from .dates import ISO
from .notation import PLAIN
from .survey import Survey

_WORDS = {"number": "numbers", "date": "dates", "time": "times of day"}
_EVERY = {"number": "a number", "date": "a date", "time": "a time of day"}
_READ_AS = {"text": "free text", "category": "categories", "many levels": "categories", "url": "text"}
_OTHER_DATE = re.compile(r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}")
_PLAIN_ADVICE = "write a decimal point, and nothing between thousands"
_ISO_ADVICE = "write dates as 2024-12-31"
_LONGEST = 40


def why_read(kind: str, survey: Survey | None) -> str:
    """Why a column is one of numbers, dates or times."""
    why = f"every cell is {_EVERY[kind]}"
    if survey is None:
        return why
    if survey.n_stray:
        why = f"{survey.n_fitting:,} of {survey.n_known:,} cells are {_WORDS[kind]}"
    if survey.notation != PLAIN or survey.form != ISO:
        why += f", written as {survey.notation if kind == 'number' else survey.form}"
    missing = [*survey.marks, *(cell for _, cell in survey.strays)]
    return why + ("; missing: " + ", ".join(map(shortened, missing)) if missing else "")


def on_read(survey: Survey, name: str | None = None) -> tuple[str, str]:
    """Of a column of numbers, dates or times: what to know, and what to do; nothing if all is well.

    A column that may still be read as something else is named.
    """
    notes, advice = [], []
    if survey.n_stray:
        it, counts = ("it", "it counts") if survey.n_stray == 1 else ("them", "they count")
        notes.append(
            f"{survey.n_fitting:,} of {survey.n_known:,} cells are {_WORDS[survey.kind]}; {where(survey)}; "
            f"{counts} as missing."
        )
        otherwise = (
            "" if name is None else f", or read the column as categories: {option('categorical', name)}"
        )
        advice.append(f"Correct {it}{otherwise or '.'}")
    doubt, out = on_doubt(survey)
    return " ".join(filter(None, [*notes, doubt])), " ".join(filter(None, [*advice, out]))


def on_doubt(survey: Survey) -> tuple[str, str]:
    """Of a column whose cells could be read in two ways: which was taken, and what to do if it is wrong."""
    notes, advice = [], []
    if survey.ambiguous is not None:
        cell, taken, other = survey.ambiguous
        notes.append(f"{shortened(cell)} may be {taken} or {other}; it is read as {taken}.")
        advice.append(f"If that is wrong, {_PLAIN_ADVICE if survey.kind == 'number' else _ISO_ADVICE}.")
    if survey.short_years:
        notes.append("Years of two digits are read as 1969 to 2068.")
        advice.append("If that is wrong, write years of four digits.")
    return " ".join(notes), " ".join(advice)


def on_unread(survey: Survey | None, kind: str, examples: Sequence[str]) -> tuple[str, str]:
    """Of a column of categories or free text that may have been meant for numbers or dates."""
    outcome = f"it is read as {_READ_AS[kind]}"
    if survey is not None and survey.mostly:
        what = _WORDS[survey.kind]
        return (
            f"{survey.n_fitting:,} of {survey.n_known:,} cells are {what}, but {where(survey)}: too many, or "
            f"too different, to be errors, so {outcome}.",
            f"If it is a column of {what}, correct or empty the other cells.",
        )
    if examples and all(_OTHER_DATE.fullmatch(cell) for cell in examples):
        return (
            f"Cells such as {shortened(examples[0])} look like dates, but it is not certain which number is "
            f"which, so {outcome}.",
            f"{_ISO_ADVICE.capitalize()}.",
        )
    return "", ""


def on_errors(survey: Survey) -> tuple[str, str]:
    """Of a column of categories in which a spreadsheet left errors."""
    one = survey.n_stray == 1
    return (
        f"R{where(survey)[1:]}, {'an error' if one else 'errors'} of a spreadsheet; "
        f"{'it counts' if one else 'they count'} as missing.",
        f"Correct the {'formula' if one else 'formulas'} and save the table again.",
    )


def where(survey: Survey) -> str:
    """The first few strays and their rows, such as "row 1 holds 'inf' and row 5 'x1.5'"."""
    first, *others = [f"row {row + 1:,} holds {shortened(cell)}" for row, cell in survey.strays]
    parts = [first, *(part.replace(" holds ", " ", 1) for part in others)]
    more = survey.n_stray - len(parts)
    if more:
        parts.append(f"{more:,} more cell{'s' * (more > 1)} {'are' if more > 1 else 'is'} like that")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def shortened(cell: str) -> str:
    """A cell in quotes, its first characters if it is long."""
    return repr(cell if len(cell) <= _LONGEST else cell[: _LONGEST - 3] + "...")


def option(name: str, column: str) -> str:
    """An option of the command line that names a column."""
    return f"--{name} {shlex.quote(column)}"

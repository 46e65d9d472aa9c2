"""What a finished run would ask a person, as tables in a terminal and as a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .asking import FinishedRows, asked, doubted, finished_rows, labelled_rows, write_asked
from .console import escaped, sentence, shown
from .run_folder import RunFolder
from .standings import outlook_of

# Columns are at most so wide, those of cells at least so wide, and so far apart.
_WIDTH, _NARROW, _GAP = 28, 16, 2
_ABOUT_ASKED = (
    "\nRow 1 is the first below the header. Only rows drawn at random tell how good the labels are, and "
    "count for a promise; the others are chosen to teach most."
)
_ABOUT_DOUBTS = (
    "The table has the labels that look most wrong, however few are wrong: where classes overlap, right "
    "labels look wrong too. As many as are expected to be wrong are in bold. Beside a label is its "
    "probability by models that were trained without that row; rows against are the nearest that have the "
    "more likely label. Row 1 is the first below the header."
)


def show_asked(console: Console, path: Path, n: int, out: str | None, goal: float) -> None:
    """The rows that a person should label next."""
    folder = RunFolder(path)
    run = finished_rows(folder)
    found = asked(run, n)
    console.print(_asked_table(run, found, console.width))
    console.print(_ABOUT_ASKED, style="dim")
    if (outlook := outlook_of(folder, run.clf, goal)) is not None:
        console.print(sentence(str(outlook)), highlight=False)
    _write(console, run, found, folder, out)
    console.print(f"To answer: {escaped(_how_to_answer(run, folder, out))}", highlight=False, soft_wrap=True)


def _how_to_answer(run: FinishedRows, folder: RunFolder, out: str | None) -> str:
    if out is None:
        return f"on a page, surelabel review {folder.path}; in a file, -o ask.csv with this command."
    columns = "the label columns" if run.clf.several_labels else f"column {run.targets[0]!r}"
    return (
        f"fill in {columns} of {out}, then surelabel answers {folder.path} --from {out}, and surelabel label "
        f"--out {folder.path} --resume"
    )


def show_doubts(console: Console, path: Path, n: int, out: str | None) -> None:
    """The given labels that look wrong."""
    folder = RunFolder(path)
    run = labelled_rows(folder)
    found = doubted(run, n)
    console.print(_doubts_table(run, found, console.width))
    console.print(f"\n{escaped(sentence(found.attrs['expected']))}", highlight=False)
    console.print(_ABOUT_DOUBTS, style="dim")
    _write(console, run, found, folder, out)


def _write(
    console: Console, run: FinishedRows, found: pd.DataFrame, folder: RunFolder, out: str | None
) -> None:
    if out is not None:
        write_asked(run, found, folder, Path(out))
        console.print(f"{len(found):,} rows written: {escaped(out)}", highlight=False, soft_wrap=True)


def _asked_table(run: FinishedRows, found: pd.DataFrame, width: int) -> Table:
    own = _numbers(run, found)
    if "label" in found:
        own.append(_Column("label", found["label"]))
    own += [_Column("why", found["why"], most=24), _Column("expected", found["expected"], most=16)]
    return _table(own, _cells(run, found), width)


def _doubts_table(run: FinishedRows, found: pd.DataFrame, width: int) -> Table:
    own, given = _numbers(run, found), found["label"]
    if "value" in found:  # of several labels
        own.append(_Column("label", given))
        given = found["value"]
    own += [
        _Column("given", _with_share(given, found["probability"])),
        _Column("more likely", _with_share(found["suggestion"], found["suggestion_probability"])),
        *([_Column("rows against", found["against"])] if "against" in found else []),
    ]
    return _table(own, _cells(run, found), width, found["doubtful"].tolist())


class _Column:
    """A column of a table in the terminal: its texts, and the width that it wants, at most `most`."""

    def __init__(
        self, name: str, values: Iterable[object], most: int = _WIDTH, justify: Any = "left"
    ) -> None:
        self.name, self.justify = shown(name), justify
        self.texts = ["" if value is None or value is pd.NA else shown(value) for value in values]
        self.width = min(max(map(cell_len, [self.name, *self.texts])), most)


def _numbers(run: FinishedRows, found: pd.DataFrame) -> list[_Column]:
    """The number of each row, and the column that names it where there is one."""
    number = _Column("row", found["row"] + 1, justify="right")
    return [number, *(_cells_of(run, found, name) for name in run.naming_columns()[:1])]


def _cells(run: FinishedRows, found: pd.DataFrame) -> list[_Column]:
    return [_cells_of(run, found, name) for name in run.telling_columns()]


def _cells_of(run: FinishedRows, found: pd.DataFrame, name: str) -> _Column:
    return _Column(name, run.cells[name].loc[found["row"]])


def _with_share(labels: pd.Series, shares: pd.Series) -> list[str]:
    return [f"{label} {share:.0%}" for label, share in zip(labels, shares, strict=True)]


def _table(own: list[_Column], cells: list[_Column], width: int, bold: Sequence[bool] = ()) -> Table:
    """Own columns in full, and as many columns of cells as there is room for beside them."""
    columns, widths = list(own), [column.width for column in own]
    room = width - sum(widths) - _GAP * (len(own) - 1)
    for column in cells:
        least = min(column.width, _NARROW)
        if room < _GAP + least and len(columns) > len(own):
            break
        columns.append(column)
        widths.append(least)
        room -= _GAP + least
    for k, column in enumerate(columns):  # what is left of the room, from the left
        more = max(min(column.width - widths[k], room), 0)
        widths[k] += more
        room -= more
    table = Table(box=None, pad_edge=False)
    for column, most in zip(columns, widths, strict=True):
        # Where not even the own columns have room, the table narrows all of them.
        fixed = most if room >= 0 else None
        table.add_column(
            Text(column.name), justify=column.justify, overflow="fold", width=fixed, max_width=most
        )
    for k, line in enumerate(zip(*(column.texts for column in columns), strict=True)):
        table.add_row(*map(Text, line), style="bold" if k < len(bold) and bold[k] else "")
    return table

"""What a finished run would ask a person, as tables in a terminal and as a file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .asking import FinishedRows, asked, doubted, finished_rows, labelled_rows, write_asked
from .console import escaped, sentence, shown
from .run_folder import RunFolder
from .standings import outlook_of

_WIDTH = 28
_ABOUT_ASKED = (
    "\nRow 1 is the first below the header. Only rows drawn at random tell how good the labels are, and "
    "count for a promise; the others are chosen to teach most."
)
_ABOUT_DOUBTS = "Row 1 is the first below the header. Whoever judged a label had not seen it."


def show_asked(console: Console, path: Path, n: int, out: str | None, goal: float) -> None:
    """The rows that a person should label next."""
    folder = RunFolder(path)
    run = finished_rows(folder)
    found = asked(run, n)
    console.print(_asked_table(run, found))
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
    console.print(_doubts_table(run, found))
    console.print(f"\n{escaped(found.attrs['expected'])}.", highlight=False)
    console.print(_ABOUT_DOUBTS, style="dim")
    _write(console, run, found, folder, out)


def _write(
    console: Console, run: FinishedRows, found: pd.DataFrame, folder: RunFolder, out: str | None
) -> None:
    if out is not None:
        write_asked(run, found, folder, Path(out))
        console.print(f"{len(found):,} rows written: {escaped(out)}", highlight=False, soft_wrap=True)


def _asked_table(run: FinishedRows, found: pd.DataFrame) -> Table:
    columns = run.telling_columns()
    table = _table(["row", *(["label"] if "label" in found else []), "why", "expected", *columns])
    for line in found.to_dict("records"):
        label = [line["label"]] if "label" in found else []
        cells = run.cells.loc[line["row"]]
        table.add_row(
            *_texts([line["row"] + 1, *label, line["why"], line["expected"], *(cells[c] for c in columns)])
        )
    return table


def _doubts_table(run: FinishedRows, found: pd.DataFrame) -> Table:
    columns = run.telling_columns()
    several = "value" in found
    names = [
        "row",
        *(["label"] if several else []),
        "given",
        "probability",
        "suggested",
        "probability",
        *(["against"] if "against" in found else []),
        *columns,
    ]
    table = _table(names)
    for line in found.to_dict("records"):
        given = [line["label"], line["value"]] if several else [line["label"]]
        cells = run.cells.loc[line["row"]]
        said = [f"{line['probability']:.0%}", line["suggestion"], f"{line['suggestion_probability']:.0%}"]
        against = [line["against"]] if "against" in line else []
        table.add_row(
            *_texts([line["row"] + 1, *given, *said, *against, *(cells[c] for c in columns)]),
            style="bold" if line["doubtful"] else "",
        )
    return table


def _table(names: list[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for k, name in enumerate(names):
        table.add_column(
            Text(shown(name)), justify="left" if k else "right", overflow="ellipsis", max_width=_WIDTH
        )
    return table


def _texts(values: list[object]) -> list[Text]:
    return [Text("" if value is None or value is pd.NA else shown(value)) for value in values]

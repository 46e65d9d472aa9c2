"""Options that several commands have, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_FORMATS = "CSV, TSV, Parquet, JSON lines or Excel; .gz too."

Data = Annotated[str | None, typer.Argument(help=_FORMATS)]
DataFiles = Annotated[list[str] | None, typer.Argument(help=f"{_FORMATS} With dask, many Parquet files.")]
Target = Annotated[str | None, typer.Option(help="The label column, or several with commas between.")]
TargetPrefix = Annotated[
    str | None, typer.Option(help="How the names of several label columns begin, such as label_.")
]
Unlabeled = Annotated[str | None, typer.Option(help="A file of more unlabelled rows.")]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out. May be repeated.")]
Categorical = Annotated[
    list[str] | None, typer.Option(help="A column to read as categories. May be repeated.")
]
Text = Annotated[list[str] | None, typer.Option(help="A column to read as free text. May be repeated.")]
Date = Annotated[
    list[str] | None, typer.Option(help="A column to read as dates or times of day. May be repeated.")
]
Number = Annotated[list[str] | None, typer.Option(help="A column to read as numbers. May be repeated.")]
Id = Annotated[list[str] | None, typer.Option(help="A column that only names the rows. May be repeated.")]
MissingLabel = Annotated[str | None, typer.Option(help="Another mark of an unlabelled row, such as '?'.")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, such as latin-1.")]
GuardFormulas = Annotated[
    bool,
    typer.Option("--guard-formulas", help="Guard all text of CSV and TSV, for use in a spreadsheet."),
]
Right = Annotated[
    float | None,
    typer.Option(help="The share of the labels filled in that is to be right. \\[default: 0.95]"),
]
HowSure = Annotated[
    float | None,
    typer.Option(
        "--confidence", help="How sure that is to be, such as 0.9. \\[default: it holds on average]"
    ),
]
PerClass = Annotated[
    bool, typer.Option("--per-class", help="Promise it of each class that is filled in, not only of all.")
]
NoPromise = Annotated[
    bool,
    typer.Option("--no-promise", help="Fill in by the estimated share right, and promise nothing."),
]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
AnswerFrom = Annotated[
    str | None,
    typer.Option(help="A table with all labels: a simulated person answers from it, instead of a browser."),
]
Goal = Annotated[
    float,
    typer.Option(help="The share of the missing labels to fill in under the promise, after which to stop."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]

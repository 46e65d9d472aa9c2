"""Options that several commands have, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .settings import ENGINES, METHODS

_FORMATS = "CSV, TSV, Parquet, JSON lines or Excel; .gz too."
# What --help groups options by.
_INPUT, _COLUMNS, _PROMISE = "What goes in", "How columns are read", "The promise"
_METHOD, _RUN, _MACHINE = "The method", "The run", "The machine"

# What goes in.
Data = Annotated[str | None, typer.Argument(help=_FORMATS)]
DataFiles = Annotated[list[str] | None, typer.Argument(help=f"{_FORMATS} With dask, many Parquet files.")]
Target = Annotated[
    str | None, typer.Option(help="The label column, or several with commas between.", rich_help_panel=_INPUT)
]
TargetPrefix = Annotated[
    str | None,
    typer.Option(
        help="How the names of several label columns begin, such as label_.", rich_help_panel=_INPUT
    ),
]
Unlabeled = Annotated[
    str | None, typer.Option(help="A file of more unlabelled rows.", rich_help_panel=_INPUT)
]
MissingLabel = Annotated[
    str | None,
    typer.Option(help="Another mark of an unlabelled row, such as '?'.", rich_help_panel=_INPUT),
]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file.", rich_help_panel=_INPUT)]
Encoding = Annotated[
    str | None, typer.Option(help="Of a text file, such as latin-1.", rich_help_panel=_INPUT)
]
Answers = Annotated[
    str | None,
    typer.Option(
        help="A file of answers, as `surelabel answers` writes it, to take in.", rich_help_panel=_INPUT
    ),
]

# How columns are read.
Drop = Annotated[
    list[str] | None, typer.Option(help="A column to leave out. May be repeated.", rich_help_panel=_COLUMNS)
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="A column to read as categories. May be repeated.", rich_help_panel=_COLUMNS),
]
Text = Annotated[
    list[str] | None,
    typer.Option(help="A column to read as free text. May be repeated.", rich_help_panel=_COLUMNS),
]
Date = Annotated[
    list[str] | None,
    typer.Option(
        help="A column to read as dates or times of day. May be repeated.", rich_help_panel=_COLUMNS
    ),
]
Number = Annotated[
    list[str] | None,
    typer.Option(help="A column to read as numbers. May be repeated.", rich_help_panel=_COLUMNS),
]
Id = Annotated[
    list[str] | None,
    typer.Option(help="A column that only names the rows. May be repeated.", rich_help_panel=_COLUMNS),
]

# The promise.
Right = Annotated[
    float | None,
    typer.Option(
        help="The share of the labels filled in that is to be right. \\[default: 0.95]",
        rich_help_panel=_PROMISE,
    ),
]
HowSure = Annotated[
    float | None,
    typer.Option(
        "--confidence",
        help="How sure that is to be, such as 0.9. \\[default: it holds on average]",
        rich_help_panel=_PROMISE,
    ),
]
PerClass = Annotated[
    bool,
    typer.Option(
        "--per-class",
        help="Promise it of each class that is filled in, not only of all.",
        rich_help_panel=_PROMISE,
    ),
]
NoPromise = Annotated[
    bool,
    typer.Option(
        "--no-promise",
        help="Fill in by the estimated share right, and promise nothing.",
        rich_help_panel=_PROMISE,
    ),
]

# The method.
Method = Annotated[
    str | None,
    typer.Option(help=f"One of {', '.join(METHODS)}. \\[default: csa]", rich_help_panel=_METHOD),
]
Rounds = Annotated[
    int | None, typer.Option(help="At most this many rounds. \\[default: 5]", rich_help_panel=_METHOD)
]
Members = Annotated[
    int | None,
    typer.Option(
        help="Seats that the unlike models of the committee share. Not of pl and flexmatch, which have one "
        "model. \\[default: 20]",
        rich_help_panel=_METHOD,
    ),
]
Prior = Annotated[
    list[str] | None,
    typer.Option(
        help="Share of each class among unlabelled rows: cat=0.2,dog=0.8. "
        "\\[default: as among labelled rows]",
        rich_help_panel=_METHOD,
    ),
]
Guard = Annotated[
    bool | None,
    typer.Option(
        "--guard/--no-guard",
        help="Find out whether unlabelled rows helped. \\[default: guard]",
        rich_help_panel=_METHOD,
    ),
]
Clean = Annotated[
    str | None,
    typer.Option(
        help="What to do with given labels that look wrong: drop or down-weight, where held-out rows say "
        "that it helps. \\[default: nothing]",
        rich_help_panel=_METHOD,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="The same seed gives the same result. \\[default: 0]", rich_help_panel=_METHOD),
]

# The run.
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
OutFolder = Annotated[
    str | None,
    typer.Option("--out", "-o", help="The folder to write. \\[default: surelabel-run]", rich_help_panel=_RUN),
]
Config = Annotated[
    Path | None,
    typer.Option(help="A TOML file of these settings; options beside it override it.", rich_help_panel=_RUN),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with a run; take in what was answered since.", rich_help_panel=_RUN),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the run in the folder.", rich_help_panel=_RUN)
]
Report = Annotated[
    bool | None,
    typer.Option(
        "--report/--no-report",
        help="Write the page report.html. \\[default: report]",
        rich_help_panel=_RUN,
    ),
]
GuardFormulas = Annotated[
    bool,
    typer.Option(
        "--guard-formulas",
        help="Guard all text of CSV and TSV, for use in a spreadsheet.",
        rich_help_panel=_RUN,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]

# The machine.
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Members to train at once; -1 for one per processor. \\[default: 1]", rich_help_panel=_MACHINE
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help=f"Where to work, one of {', '.join(ENGINES)}. \\[default: auto]", rich_help_panel=_MACHINE
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="A Dask scheduler, tcp://host:port; without, processes on this machine.",
        rich_help_panel=_MACHINE,
    ),
]

# Of asking people.
AnswerFrom = Annotated[
    str | None,
    typer.Option(help="A table with all labels: a simulated person answers from it, instead of a browser."),
]
Goal = Annotated[
    float,
    typer.Option(help="The share of the missing labels to fill in under the promise, after which to stop."),
]

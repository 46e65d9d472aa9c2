"""`surelabel`: the commands. A new command is a function here with `@app.command()`.

Exit codes: 0 done, 1 nothing could be labelled, 2 bad input, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..bench.command import bench
from ..common.errors import InputError
from . import asking_commands
from .console import console_for, escaped, notices
from .errors import NOTHING_LABELLED, answering
from .options import (
    AnswerFrom,
    Answers,
    Categorical,
    Clean,
    Config,
    Data,
    DataFiles,
    Date,
    Drop,
    Encoding,
    Engine,
    Guard,
    GuardFormulas,
    HowSure,
    Id,
    Jobs,
    Members,
    Method,
    MissingLabel,
    NoPromise,
    Number,
    OutFolder,
    Overwrite,
    PerClass,
    Prior,
    Quiet,
    Report,
    Resume,
    Right,
    Rounds,
    Run,
    Scheduler,
    Seed,
    Sheet,
    Target,
    TargetPrefix,
    Text,
    Unlabeled,
)
from .review_commands import answers_command, review, reviewed
from .settings import Settings, from_toml, prior_of

# What computes is imported by the command that needs it: --help and completion would wait for it.

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help="Fill in the missing labels of a table, and say which of them to trust.",
)

# Commands are listed by the way of the work, which is the order in which they are registered.
_LABELLING, _ASKING, _USING, _TRYING = "Label a table", "Ask people", "Use what came of it", "Try it"


@app.command(epilog="Example:\n\n  surelabel inspect birds.csv --target species", rich_help_panel=_LABELLING)
def inspect(
    data: Data = None,
    target: Target = None,
    target_prefix: TargetPrefix = None,
    unlabeled: Unlabeled = None,
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    date: Date = None,
    number: Number = None,
    id: Id = None,
    missing_label: MissingLabel = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
) -> None:
    """Show what surelabel sees in a file: columns, classes and problems."""
    from . import display
    from .problems import problems
    from .table_reading import read_tables

    console = console_for()
    given = {
        "data": data,
        "target": target,
        "target_prefix": target_prefix,
        "unlabeled": unlabeled,
        "drop": drop or None,
        "categorical": categorical or None,
        "text": text or None,
        "date": date or None,
        "number": number or None,
        "id": id or None,
        "missing_label": missing_label,
        "sheet": sheet,
        "encoding": encoding,
    }
    with answering():
        asked = {name: value for name, value in given.items() if value is not None}
        _check_target(asked)
        source = read_tables(Settings.of(asked))
        found = problems(source)
        display.show_columns(console, source.facts)
        display.show_problems(console, found)


@app.command(
    epilog="Examples:\n\n"
    "  surelabel label birds.csv --target species --out run/\n\n"
    "  surelabel label birds.csv --target species --unlabeled more.parquet --out run/ --jobs 2\n\n"
    "  surelabel label songs.csv --target calm,happy,sad --out run/\n\n"
    "  surelabel label --config run.toml --out run/ --resume",
    rich_help_panel=_LABELLING,
)
def label(
    data: DataFiles = None,
    target: Target = None,
    target_prefix: TargetPrefix = None,
    unlabeled: Unlabeled = None,
    missing_label: MissingLabel = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    answers: Answers = None,
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    date: Date = None,
    number: Number = None,
    id: Id = None,
    right: Right = None,
    confidence: HowSure = None,
    per_class: PerClass = False,
    no_promise: NoPromise = False,
    method: Method = None,
    rounds: Rounds = None,
    members: Members = None,
    prior: Prior = None,
    guard: Guard = None,
    clean: Clean = None,
    seed: Seed = None,
    out: OutFolder = None,
    config: Config = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    report: Report = None,
    guard_formulas: GuardFormulas = False,
    jobs: Jobs = None,
    engine: Engine = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Fill in the missing labels of a file: labels, a reason for each, and a model."""
    from .run import run
    from .run_folder import RunFolder

    given: dict[str, Any] = {
        "data": data[0] if data else None,
        "parts": data[1:] if data and data[1:] else None,
        "engine": engine,
        "scheduler": scheduler,
        "target": target,
        "target_prefix": target_prefix,
        "unlabeled": unlabeled,
        "drop": drop or None,
        "categorical": categorical or None,
        "text": text or None,
        "date": date or None,
        "number": number or None,
        "id": id or None,
        "missing_label": missing_label,
        "method": method,
        "rounds": rounds,
        "members": members,
        "guard": guard,
        "clean": clean,
        "right": right,
        "confidence": confidence,
        "per_class": per_class or None,
        "promise": False if no_promise else None,
        "report": report,
        "seed": seed,
        "jobs": jobs,
        "sheet": sheet,
        "encoding": encoding,
        "guard_formulas": guard_formulas or None,
    }
    with answering("What was finished is kept; --resume goes on."):
        given["prior"] = prior_of(prior) if prior else None
        given["out"] = out
        asked = {} if config is None else from_toml(config)
        asked |= {name: value for name, value in given.items() if value is not None}
        console = console_for(quiet or asked.pop("quiet", False))
        folder = RunFolder(_named(asked.pop("out", "surelabel-run"), "a folder, such as --out run/"))
        if resume and "data" not in asked and folder.can_resume():
            asked = folder.record()["settings"] | asked
        _check_target(asked)
        code = run(Settings.of(asked), folder, console, resume=resume, overwrite=overwrite, answers=answers)
    raise typer.Exit(code)


@app.command("fill", epilog="Example:\n\n  surelabel fill run/ --right 0.99", rich_help_panel=_LABELLING)
def fill_command(
    run_folder: Run,
    right: Right = None,
    confidence: HowSure = None,
    per_class: PerClass = False,
    no_promise: NoPromise = False,
    quiet: Quiet = False,
) -> None:
    """Decide anew which labels of a run to fill in, without training."""
    from .display import show_outcome
    from .finished_run import refilled
    from .run_folder import RunFolder

    console = console_for(quiet)
    asked = {
        "right": right,
        "confidence": confidence,
        "per_class": per_class or None,
        "promise": False if no_promise else None,
    }
    with answering(), notices(console):
        folder = RunFolder(run_folder)
        outcome = refilled(folder, {name: value for name, value in asked.items() if value is not None})
        show_outcome(console, folder, outcome)
    raise typer.Exit(0 if outcome.n_filled else NOTHING_LABELLED)


app.command(
    epilog="Examples:\n\n  surelabel review run/\n\n  surelabel review run/ --image 8x8 --name Ann",
    rich_help_panel=_ASKING,
)(review)
app.command("next", epilog="Example:\n\n  surelabel next run/ -n 20 -o ask.csv", rich_help_panel=_ASKING)(
    asking_commands.next_rows
)
app.command("doubts", epilog="Example:\n\n  surelabel doubts run/ -o doubts.csv", rich_help_panel=_ASKING)(
    asking_commands.doubts
)
app.command(
    "answers",
    epilog="Examples:\n\n  surelabel answers run/ -o answers.csv\n\n"
    "  surelabel answers run/ --from answers.csv",
    rich_help_panel=_ASKING,
)(answers_command)


@app.command("report", epilog="Example:\n\n  surelabel report run/", rich_help_panel=_USING)
def report_command(
    run_folder: Run,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="The file to write. \\[default: report.html in the run]"),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the page of a run: what happened, and which labels to trust."""
    from .finished_run import reported
    from .run_folder import RunFolder

    console = console_for(quiet)
    with answering(), notices(console):
        named = None if out is None else _named(out, "a file, such as -o report.html")
        path = reported(RunFolder(run_folder), named)
        console.print(f"Open it in a browser: {escaped(path)}", highlight=False, soft_wrap=True)


@app.command(epilog="Example:\n\n  surelabel predict run/ new.csv -o predictions.csv", rich_help_panel=_USING)
def predict(
    run_folder: Run,
    data: Annotated[str, typer.Argument(help="A file with the columns of the run.")],
    out: Annotated[str, typer.Option("--out", "-o", help="The file to write.")],
    sheet: Sheet = None,
    encoding: Encoding = None,
    guard_formulas: GuardFormulas = False,
    quiet: Quiet = False,
) -> None:
    """Predict the rows of a new file with the model of a run."""
    from .finished_run import predicted
    from .run_folder import RunFolder

    console = console_for(quiet)
    with answering(), notices(console):
        path = _named(out, "a file, such as -o predictions.csv")
        n = predicted(RunFolder(run_folder), data, path, sheet, encoding, guard_formulas)
        console.print(f"{n:,} rows predicted: {escaped(out)}", highlight=False)


@app.command(epilog="Example:\n\n  surelabel demo --out demo", rich_help_panel=_TRYING)
def demo(
    out: Annotated[str, typer.Option("--out", "-o", help="The folder to write.")] = "surelabel-demo",
    review: Annotated[
        bool, typer.Option("--review", help="Then open the page, with the digits drawn as pictures.")
    ] = False,
    answer_from: AnswerFrom = None,
    quiet: Quiet = False,
) -> None:
    """Fill in 1,294 of 1,437 handwritten digits, and check them: their truth is known."""
    from .demo import truth_of, write_digits, write_truth
    from .run import run
    from .run_folder import RunFolder

    console = console_for(quiet)
    with answering():
        there = _named(out, "a folder, such as --out demo/")
        there.mkdir(parents=True, exist_ok=True)
        data = write_digits(there / "digits.csv")
        if review or answer_from is not None:
            write_truth(there / "truth.csv")
        command = f"surelabel label {data} --target digit --jobs 2 --out {there / 'run'}"
        console.print(f"[bold]$ {escaped(command)}[/bold]\n", highlight=False, soft_wrap=True)
        folder = RunFolder(there / "run")
        settings = Settings.of({"data": str(data), "target": "digit", "jobs": 2, "engine": "local"})
        if folder.run.exists() and settings.differences(folder.record()["settings"]):
            raise InputError(f"{folder.path} holds a run of your own. Name another --out.")
        code = run(settings, folder, console, resume=False, overwrite=True)
        n_found, n_right = truth_of(folder.path / "labels.csv")
        console.print(
            f"\nThe truth of these digits is known: {n_right:,} of {n_found:,} labels are right "
            f"({n_right / max(n_found, 1):.1%}).\n"
            f"To be surer of them: surelabel fill {escaped(folder.path)} --right 0.99",
            highlight=False,
            soft_wrap=True,
        )
        if review or answer_from is not None:
            reviewed(folder, console, image="8x8", answer_from=answer_from)
    raise typer.Exit(code)


app.add_typer(bench, name="bench", rich_help_panel=_TRYING)


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Fill in the missing labels of a table, and say which of them to trust."""
    if version:
        from .. import __version__

        typer.echo(f"surelabel {__version__}")
        raise typer.Exit


def _named(out: str, what: str) -> Path:
    """The path that --out names; an empty one would be the folder that the user is in."""
    if not out.strip():
        raise InputError(f"--out is empty. Name {what}.")
    return Path(out)


def _check_target(asked: dict[str, Any]) -> None:
    """Refuse a file without a label column named, and name the columns it has."""
    if "data" not in asked or {"target", "target_prefix"} & asked.keys():
        return
    from ..files import read_table

    columns = read_table(asked["data"], asked.get("sheet"), asked.get("encoding")).frame.columns
    shown = ", ".join(columns[:20]) + (", ..." if len(columns) > 20 else "")
    raise InputError(f"Name the label column: --target. {asked['data']} has the columns {shown}.")

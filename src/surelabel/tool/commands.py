"""`surelabel`: the commands.

Exit codes: 0 done, 1 nothing could be labelled, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..bench.command import bench
from ..files import InputError, OutputError, alone_in, read_table
from ..rounds.loop import Round
from ..rounds.several import LabelRounds
from ..saving.model_file import ModelFileError
from ..tool import display
from .display import console_for, escaped
from .run_folder import RunFolder
from .settings import ENGINES, METHODS, Settings, from_toml, prior_of
from .source import opened
from .work import Outcome, Stop, predicted, reported, work

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help="Fill in the missing labels of a table, and say which of them to trust.",
)

app.add_typer(bench, name="bench")

NOTHING, BAD, INTERRUPTED = 1, 2, 130

Data = Annotated[str | None, typer.Argument(help="CSV, TSV, Parquet, JSON lines or Excel; .gz too.")]
DataFiles = Annotated[
    list[str] | None,
    typer.Argument(help="CSV, TSV, Parquet, JSON lines or Excel; .gz too. With dask, many Parquet files."),
]
Target = Annotated[str | None, typer.Option(help="The label column, or several with commas between.")]
TargetPrefix = Annotated[
    str | None, typer.Option(help="How the names of several label columns begin, such as label_.")
]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out. May be repeated.")]
Categorical = Annotated[
    list[str] | None, typer.Option(help="A column to read as categories. May be repeated.")
]
Id = Annotated[list[str] | None, typer.Option(help="A column that only names the rows. May be repeated.")]
MissingLabel = Annotated[str | None, typer.Option(help="Another mark of an unlabelled row, such as '?'.")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, such as latin-1.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


@app.command(
    epilog="Examples:\n\n"
    "  surelabel label birds.csv --target species --out run/\n\n"
    "  surelabel label birds.csv --target species --unlabeled more.parquet --out run/ --jobs 2\n\n"
    "  surelabel label songs.csv --target calm,happy,sad --out run/\n\n"
    "  surelabel label --config run.toml --out run/ --resume"
)
def label(
    data: DataFiles = None,
    target: Target = None,
    target_prefix: TargetPrefix = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write. \\[default: surelabel-run]")
    ] = None,
    unlabeled: Annotated[str | None, typer.Option(help="A file of more unlabelled rows.")] = None,
    drop: Drop = None,
    categorical: Categorical = None,
    id: Id = None,
    missing_label: MissingLabel = None,
    method: Annotated[str | None, typer.Option(help=f"One of {', '.join(METHODS)}. \\[default: csa]")] = None,
    rounds: Annotated[int | None, typer.Option(help="Most rounds. \\[default: 5]")] = None,
    members: Annotated[int | None, typer.Option(help="Members of the committee. \\[default: 20]")] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Share of each class among unlabelled rows: cat=0.2,dog=0.8."),
    ] = None,
    guard: Annotated[
        bool | None,
        typer.Option(
            "--guard/--no-guard", help="Find out whether unlabelled rows helped. \\[default: guard]"
        ),
    ] = None,
    report: Annotated[
        bool | None,
        typer.Option("--report/--no-report", help="Write the page report.html. \\[default: report]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="One seed, one result. \\[default: 0]")] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Members to train at once; -1 for one per processor. \\[default: 1]")
    ] = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    engine: Annotated[
        str | None,
        typer.Option(help=f"Where to work, one of {', '.join(ENGINES)}. \\[default: local]"),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help="A Dask scheduler, tcp://host:port; without, processes on this machine."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file of these settings; what is given here counts.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was cut off.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in the folder.")] = False,
    quiet: Quiet = False,
):
    """Fill in the missing labels of a file: labels, a reason for each, and a model."""
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
        "id": id or None,
        "missing_label": missing_label,
        "method": method,
        "rounds": rounds,
        "members": members,
        "guard": guard,
        "report": report,
        "seed": seed,
        "jobs": jobs,
        "sheet": sheet,
        "encoding": encoding,
    }
    with answering():
        given["prior"] = prior_of(prior) if prior else None
        given["out"] = None if out is None else str(out)
        asked = {} if config is None else from_toml(config)
        asked |= {name: value for name, value in given.items() if value is not None}
        console = console_for(quiet or asked.pop("quiet", False))
        folder = RunFolder(asked.pop("out", "surelabel-run"))
        if "data" in asked and not {"target", "target_prefix"} & asked.keys():
            raise no_target(asked)
        code = run(Settings.of(asked), folder, console, resume=resume, overwrite=overwrite)
    raise typer.Exit(code)


@app.command(epilog="Example:\n\n  surelabel predict run/ new.csv -o predictions.csv")
def predict(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    data: Annotated[str, typer.Argument(help="A file with the columns of the run.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    sheet: Sheet = None,
    encoding: Encoding = None,
    quiet: Quiet = False,
):
    """Predict the rows of a new file with the model of a run."""
    console = console_for(quiet)
    with answering(), display.notices(console):
        n = predicted(RunFolder(run_folder), data, out, sheet, encoding)
        console.print(f"{n:,} rows predicted: {escaped(str(out))}", highlight=False)


@app.command("report", epilog="Example:\n\n  surelabel report run/")
def report_command(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write. \\[default: report.html in the run]"),
    ] = None,
    quiet: Quiet = False,
):
    """Write the page of a run: what happened, and which labels to trust."""
    console = console_for(quiet)
    with answering(), display.notices(console):
        path = reported(RunFolder(run_folder), out)
        console.print(f"Open it in a browser: {escaped(path)}", highlight=False, soft_wrap=True)


@app.command(epilog="Example:\n\n  surelabel inspect birds.csv --target species")
def inspect(
    data: Data = None,
    target: Target = None,
    target_prefix: TargetPrefix = None,
    unlabeled: Annotated[str | None, typer.Option(help="A file of more unlabelled rows.")] = None,
    drop: Drop = None,
    categorical: Categorical = None,
    id: Id = None,
    missing_label: MissingLabel = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
):
    """Show what surelabel sees in a file: columns, classes and problems."""
    console = console_for()
    given = {
        "data": data,
        "target": target,
        "target_prefix": target_prefix,
        "unlabeled": unlabeled,
        "drop": drop or None,
        "categorical": categorical or None,
        "id": id or None,
        "missing_label": missing_label,
        "sheet": sheet,
        "encoding": encoding,
    }
    with answering():
        if data is not None and target is None and target_prefix is None:
            raise no_target(given)
        source = opened(Settings.of(given))
        source.features()  # whether both files can be read as what the columns are
        display.show_source(console, source)
        problems = source.problems()
        for problem in problems:
            console.print(f"[yellow]note:[/yellow] {escaped(problem)}", highlight=False)
        if not problems:
            console.print("No problem found.")


@app.command(epilog="Example:\n\n  surelabel demo --out demo")
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")] = Path("surelabel-demo"),
    quiet: Quiet = False,
):
    """Fill in 1,294 of 1,437 handwritten digits, and check them: their truth is known."""
    from .demo import truth_of, write_digits

    console = console_for(quiet)
    with answering():
        out.mkdir(parents=True, exist_ok=True)
        data = write_digits(out / "digits.csv")
        command = f"surelabel label {data} --target digit --jobs 2 --out {out / 'run'}"
        console.print(f"[bold]$ {escaped(command)}[/bold]\n", highlight=False, soft_wrap=True)
        folder = RunFolder(out / "run")
        settings = Settings.of({"data": str(data), "target": "digit", "jobs": 2})
        if folder.run.exists() and settings.differences(folder.record()["settings"]):
            raise InputError(f"{folder.path} holds a run of your own. Name another --out.")
        code = run(settings, folder, console, resume=False, overwrite=True)
        n_found, n_right = truth_of(folder.path / "labels.csv")
        console.print(
            f"\nThe truth of these digits is known: {n_right:,} of {n_found:,} labels are right "
            f"({n_right / max(n_found, 1):.1%}).\nThe report: {escaped(folder.page)}",
            highlight=False,
            soft_wrap=True,
        )
    raise typer.Exit(code)


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
):
    """Fill in the missing labels of a table, and say which of them to trust."""
    if version:
        from .. import __version__

        typer.echo(f"surelabel {__version__}")
        raise typer.Exit


def run(settings, folder, console, *, resume, overwrite) -> int:
    """Read, label, write; returns the exit code."""
    if resume and overwrite:
        raise InputError("--resume goes on with a run and --overwrite replaces it. Give one of them.")
    if not (resume or overwrite) and folder.holds_work():
        raise InputError(
            f"{folder.path} already holds a run. --resume goes on with it, --overwrite replaces it, "
            "--out names another folder."
        )
    if settings.engine == "dask":
        return run_many(settings, folder, console, resume)
    source = opened(settings)
    display.show_source(console, source)
    after = None
    with alone_in(folder.path):
        if resume and folder.run.exists():
            record, after = folder.resume(settings, source)
            if record["status"] == "complete":
                console.print(f"This run is complete: {escaped(folder.path)}", highlight=False)
                return exit_code(settings, source, record.get("labelled", 0))
            display.show_resumed(console, record, after)
        else:
            folder.begin(settings, source)
        outcome = followed(settings, console, lambda stop: work(settings, source, folder, after, stop))
    assert isinstance(outcome, Outcome)
    display.show_outcome(console, folder, outcome)
    if outcome.interrupted:
        return INTERRUPTED
    return exit_code(settings, source, (outcome.clf.labeled_iter_ > 0).sum())


def followed(settings, console, events):
    """Show the rounds of a run as they end; what it yields last, if that is no round."""
    stop = Stop()
    with (
        display.notices(console),
        display.Progress(console, settings, stop) as progress,
        stopping(stop, progress),
    ):
        for event in events(stop):
            if not isinstance(event, (Round, LabelRounds)):
                return event
            progress.round_done(event)
    return None


def run_many(settings, folder, console, resume) -> int:
    """As `run`, over many files on a cluster."""
    try:
        from ..dask.cluster import connected
        from .many import files_of, opened_many, parts_of, work_many
    except ImportError as error:
        raise InputError(str(error)) from error
    parts, digest = parts_of(files_of([settings.data, *settings.parts]))
    with connected(settings.scheduler, settings.jobs) as client:
        console.print(f"dashboard: {escaped(client.dashboard_link)}", highlight=False, soft_wrap=True)
        source = opened_many(settings, parts, digest, client)
        display.show_source(console, source)
        with alone_in(folder.path):
            if resume and folder.run.exists():
                record = folder.same_run(settings, source.digests)
                if record["status"] == "complete":
                    console.print(f"This run is complete: {escaped(folder.path)}", highlight=False)
                    return exit_code(settings, source, record.get("labelled", 0))
            else:
                folder.begin_parts(settings, source)
            outcome = followed(
                settings, console, lambda stop: work_many(settings, source, folder, client, stop)
            )
    if outcome is None:
        console.print("Stopped. To go on, give the same command with --resume.")
        return INTERRUPTED
    display.show_many(console, folder, source, outcome)
    return exit_code(settings, source, sum(round.labelled for round in outcome.clf.history_))


def exit_code(settings, source, n_found) -> int:
    """0, or 1 where labels were wanted and none was found."""
    return 0 if n_found or settings.method == "supervised" or not source.n_unlabeled else NOTHING


def no_target(asked):
    """The error for a label column that is not named, with those there are."""
    columns = read_table(asked["data"], asked.get("sheet"), asked.get("encoding")).frame.columns
    shown = ", ".join(columns[:20]) + (", ..." if len(columns) > 20 else "")
    return InputError(f"Name the label column: --target. {asked['data']} has the columns {shown}.")


@contextmanager
def answering():
    """Errors as sentences, with their exit code; SURELABEL_DEBUG=1 shows where they come from."""
    try:
        yield
    except KeyboardInterrupt:
        _say("Interrupted. What was finished is kept; --resume goes on.")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise  # whoever was reading has had enough
    except (InputError, OutputError, ModelFileError, ValueError, OSError, MemoryError) as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(str(error) or type(error).__name__)
        raise typer.Exit(BAD) from None
    except Exception as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(
            f"This should not happen, and is a fault of surelabel: {type(error).__name__}: {error}. "
            "SURELABEL_DEBUG=1 shows where."
        )
        raise typer.Exit(BAD) from error


def _say(text):
    console_for(stderr=True).print(
        f"[bold red]surelabel:[/bold red] {escaped(text)}", highlight=False, soft_wrap=True
    )


@contextmanager
def stopping(stop, progress):
    """Ctrl-C once: end after this round. Twice: now."""

    def ask(signum, frame):
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        if progress.live is None:
            # Not by way of the console: it may be in the middle of a line.
            os.write(2, f"{progress.stopping}\n".encode())

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

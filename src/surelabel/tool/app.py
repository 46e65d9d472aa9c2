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
from rich.console import Console
from rich.markup import escape

from ..bench.command import bench
from ..files import InputError, OutputError
from ..persistence import ModelFileError
from . import display
from .folder import RunFolder
from .settings import METHODS, Settings, from_toml, prior_of
from .source import opened
from .work import Outcome, Stop, predicted, work

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Fill in the missing labels of a table, and say which of them to trust.",
)

app.add_typer(bench, name="bench")

NOTHING, BAD, INTERRUPTED = 1, 2, 130

Data = Annotated[str | None, typer.Argument(help="CSV, TSV, Parquet, JSON lines or Excel; .gz too.")]
Target = Annotated[str | None, typer.Option(help="The label column; empty cells are unlabelled rows.")]
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
    "  surelabel label --config run.toml --out run/ --resume"
)
def label(
    data: Data = None,
    target: Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")] = Path("surelabel-run"),
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
        bool | None, typer.Option("--guard/--no-guard", help="Find out whether unlabelled rows helped.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="One seed, one result. \\[default: 0]")] = None,
    jobs: Annotated[int | None, typer.Option(help="Members to train at once.")] = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file of these settings; what is given here counts.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was cut off.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in the folder.")] = False,
    quiet: Quiet = False,
):
    """Fill in the missing labels of a file: labels, a reason for each, and a model."""
    given: dict[str, Any] = {
        "data": data,
        "target": target,
        "unlabeled": unlabeled,
        "drop": drop or None,
        "categorical": categorical or None,
        "id": id or None,
        "missing_label": missing_label,
        "method": method,
        "rounds": rounds,
        "members": members,
        "guard": guard,
        "seed": seed,
        "jobs": jobs,
        "sheet": sheet,
        "encoding": encoding,
    }
    console = Console(quiet=quiet)
    with answering():
        given["prior"] = prior_of(prior) if prior else None
        from_file = {} if config is None else from_toml(config)
        settings = Settings.of(from_file | {name: v for name, v in given.items() if v is not None})
        code = run(settings, RunFolder(out), console, resume=resume, overwrite=overwrite)
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
    console = Console(quiet=quiet)
    with answering(), display.notices(console):
        n = predicted(RunFolder(run_folder), data, out, sheet, encoding)
        console.print(f"{n:,} rows predicted: {escape(str(out))}", highlight=False)


@app.command(epilog="Example:\n\n  surelabel inspect birds.csv --target species")
def inspect(
    data: Data = None,
    target: Target = None,
    unlabeled: Annotated[str | None, typer.Option(help="A file of more unlabelled rows.")] = None,
    drop: Drop = None,
    categorical: Categorical = None,
    id: Id = None,
    missing_label: MissingLabel = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
):
    """Show what surelabel sees in a file: columns, classes and problems."""
    console = Console()
    given = {
        "data": data,
        "target": target,
        "unlabeled": unlabeled,
        "drop": drop or None,
        "categorical": categorical or None,
        "id": id or None,
        "missing_label": missing_label,
        "sheet": sheet,
        "encoding": encoding,
    }
    with answering():
        source = opened(Settings.of(given))
        show_source(console, source)
        problems = source.problems()
        for problem in problems:
            console.print(f"[yellow]note:[/yellow] {escape(problem)}", highlight=False)
        if not problems:
            console.print("No problem found.")


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")] = Path("surelabel-demo"),
    quiet: Quiet = False,
):
    """Fill in 1,294 of 1,437 handwritten digits, and check them: their truth is known."""
    from .demo import truth_of, write_digits

    console = Console(quiet=quiet)
    with answering():
        out.mkdir(parents=True, exist_ok=True)
        data = write_digits(out / "digits.csv")
        command = f"surelabel label {data} --target digit --jobs 2 --out {out / 'run'}"
        console.print(f"[bold]$ {escape(command)}[/bold]\n", highlight=False, soft_wrap=True)
        folder = RunFolder(out / "run")
        settings = Settings.of({"data": str(data), "target": "digit", "jobs": 2})
        code = run(settings, folder, console, resume=False, overwrite=True)
        n_found, n_right = truth_of(folder.path / "labels.csv")
        console.print(
            f"\nThe truth of these digits is known: {n_right:,} of {n_found:,} labels are right "
            f"({n_right / max(n_found, 1):.1%}).",
            highlight=False,
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
    if folder.run.exists() and not (resume or overwrite):
        raise InputError(
            f"{folder.path} already holds a run. --resume goes on with it, --overwrite replaces it, "
            "--out names another folder."
        )
    source = opened(settings)
    show_source(console, source)
    after = None
    if resume and folder.run.exists():
        status, after = folder.resume(settings, source)
        if status == "complete":
            console.print(f"This run is complete: {escape(str(folder.path))}", highlight=False)
            return 0
        done = 0 if after is None else len(after.history)
        console.print(f"going on after round {done}", highlight=False)
    else:
        folder.begin(settings, source)
    stop = Stop()
    n_rounds = 0 if settings.method == "supervised" else settings.rounds
    outcome = None
    with display.notices(console), display.Progress(console, n_rounds) as progress, stopping(stop, console):
        for event in work(settings, source, folder, after, stop):
            if isinstance(event, Outcome):
                outcome = event
            else:
                progress.round_done(event)
    assert outcome is not None
    show_outcome(console, settings, folder, outcome)
    if outcome.interrupted:
        return INTERRUPTED
    found = (outcome.clf.labeled_iter_ > 0).any()
    return 0 if found or settings.method == "supervised" or not source.n_unlabeled else NOTHING


def show_source(console, source):
    """Columns and classes, before any work."""
    for note in source.notes:
        console.print(f"[yellow]note:[/yellow] {escape(note)}", highlight=False)
    console.print(display.columns_table(source))
    console.print()
    console.print(display.classes_table(source))
    console.print()


def show_outcome(console, settings, folder, outcome):
    """What was labelled, whether it helped, what to do next."""
    clf = outcome.clf
    console.print()
    console.print(display.outcome_table(clf))
    audit = clf.pseudo_labels_
    left = audit.loc[audit["label"].isna(), "status"].value_counts()
    if len(left):
        reasons = ", ".join(f"{n:,} {why}" for why, n in left.items())
        console.print(f"\nleft unlabelled: {escape(reasons)}", highlight=False)
    if clf.verdict_ is not None:
        console.print(f"unlabelled rows: [bold]{clf.verdict_}[/bold]", highlight=False)
    console.print("\n[bold]What to do next[/bold]")
    for line in advice(settings, folder, outcome):
        console.print(f"  {line}", highlight=False, soft_wrap=True)


def advice(settings, folder, outcome):
    """Sentences on what to do with the outcome."""
    path = escape(str(folder.path))
    if outcome.interrupted:
        yield f"Stopped. Go on: surelabel label ... --out {path} --resume"
    yield f"Labels and reasons: {', '.join(escape(str(label)) for label in outcome.labels)}"
    yield f"Predict other rows: surelabel predict {path} new.csv -o predictions.csv"
    audit = outcome.clf.pseudo_labels_
    left = audit["label"].isna()
    if left.any() and audit.loc[left, "guess"].notna().any():
        column = escape(settings.target)
        yield (
            f"To label by hand, take first the rows without a {column} whose surelabel_confidence is lowest: "
            "they teach the most."
        )
    if outcome.clf.termination_condition_ == "hurt":
        yield "Do not trust the labels found: on held-out rows they made the classifier worse."


@contextmanager
def answering():
    """Errors as sentences, with their exit code; SURELABEL_DEBUG=1 shows where they come from."""
    try:
        yield
    except KeyboardInterrupt:
        _say("Interrupted. What was finished is kept; --resume goes on.")
        raise typer.Exit(INTERRUPTED) from None
    except (InputError, OutputError, ModelFileError, ValueError, OSError, MemoryError) as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(str(error) or type(error).__name__)
        raise typer.Exit(BAD) from None


def _say(text):
    Console(stderr=True).print(
        f"[bold red]surelabel:[/bold red] {escape(text)}", highlight=False, soft_wrap=True
    )


@contextmanager
def stopping(stop, console):
    """Ctrl-C once: end after this round. Twice: now."""

    def ask(signum, frame):
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        console.print("Stopping after this round; Ctrl-C again to stop now.")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

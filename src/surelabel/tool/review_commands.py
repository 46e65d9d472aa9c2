"""`surelabel review` and `surelabel answers`: a person looks at a run, and what came of it."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..common.errors import InputError
from ..common.settings import GOAL, SOME_SHARE, check_setting
from .console import console_for, escaped, notices
from .errors import answering
from .options import AnswerFrom, Goal, Quiet, Run

# What computes is imported by the command that needs it: --help and completion would wait for it.
if TYPE_CHECKING:
    from rich.console import Console

    from .run_folder import RunFolder


def review(
    run_folder: Run,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of this machine; 0 for any that is free.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
    ] = True,
    name: Annotated[
        str | None, typer.Option(help="Who answers. \\[default: your name on this machine]")
    ] = None,
    image: Annotated[
        str | None, typer.Option(help="Columns of pixels to draw: 8x8, or 28x28:pixel_ by how they begin.")
    ] = None,
    goal: Goal = GOAL,
    answer_from: AnswerFrom = None,
    rows: Annotated[int, typer.Option("-n", min=1, help="Rows that the simulated person answers.")] = 20,
    pile: Annotated[str, typer.Option(help="The pile that the simulated person works on.")] = "ask",
    quiet: Quiet = False,
) -> None:
    """Open a page on which people label rows of a run, check its labels, and correct them."""
    from .run_folder import RunFolder

    console = console_for(quiet)
    with answering(f"Every answer is kept; surelabel review {run_folder} goes on."), notices(console):
        check_setting("--goal", goal, SOME_SHARE)
        reviewed(
            RunFolder(run_folder),
            console,
            port=port,
            browser=browser,
            name=name,
            image=image,
            goal=goal,
            answer_from=answer_from,
            rows=rows,
            pile=pile,
        )


def reviewed(
    folder: RunFolder,
    console: Console,
    *,
    port: int = 0,
    browser: bool = True,
    name: str | None = None,
    image: str | None = None,
    goal: float = GOAL,
    answer_from: str | None = None,
    rows: int = 20,
    pile: str = "ask",
) -> None:
    """Serve the page until Ctrl-C; with `answer_from`, until a simulated person has answered some rows."""
    # The imports and the run take a while.
    console.print(f"Reading {escaped(folder.path)} ...", highlight=False, soft_wrap=True)
    from ..review.person import answer_pile
    from ..review.server import Serving
    from .answered import file_of
    from .reviewing import Update, desk_of, truth_in, user

    desk = desk_of(folder, image, goal)
    update = Update(folder, desk, image, goal)
    who = name if name is not None else "simulated" if answer_from is not None else user()
    try:
        truth = None if answer_from is None else truth_in(answer_from, folder, desk.subject)
        serving = Serving(desk, port, who, update).start()
        try:
            if truth is not None:
                n = answer_pile(serving.url, truth, pile, rows)
                console.print(
                    f"{n:,} {'cells' if desk.subject.asked else 'rows'} of {escaped(pile)} answered: "
                    f"{escaped(file_of(folder))}",
                    highlight=False,
                )
                return
            console.print(f"The page: {serving.url}", highlight=False, soft_wrap=True)
            console.print(
                "It is for this machine only. Ctrl-C ends it; every answer is kept.", highlight=False
            )
            if browser:
                webbrowser.open(serving.url)
            _until_ctrl_c()
        finally:
            serving.stop()
    finally:
        desk.close()
    if desk.ledger.last:
        console.print(
            f"\n{len(desk.ledger):,} rows answered: {escaped(file_of(folder))}",
            highlight=False,
            soft_wrap=True,
        )
        _tell_how_to_take_in(console, folder)


def _until_ctrl_c() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        return


def answers_command(
    run_folder: Run,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="The file to write: a line for each answer that stands.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="A file of answers to bring in: columns row, from 1, and label; or what `surelabel next` "
            "wrote, with labels filled in.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write what people answered about a run into a file, or bring such a file in."""
    from ..files import alone_in, format_of, write_table
    from ..review.answers import answers_in
    from ..review.exchange import table_of
    from ..review.standing import Ledger
    from .answered import brought_in, file_of
    from .run_folder import RunFolder

    console = console_for(quiet)
    with answering(), notices(console):
        if (out is None) == (source is None):
            raise InputError(
                "Name the file to write, -o answers.csv, or the file to bring in, --from answers.csv."
            )
        folder = RunFolder(run_folder)
        record = folder.record()
        if source is not None:
            about = _rows_and_labels(folder)
            with alone_in(folder.path):
                n = brought_in(folder, source, record["digests"], *about)
            console.print(f"{n:,} answers of {escaped(source)} are with the run.", highlight=False)
            _tell_how_to_take_in(console, folder)
            return
        path = Path(str(out))
        if (
            not str(out).strip()
            or path.absolute() == file_of(folder).absolute()
            or folder.files.is_used(path.name)
        ):
            raise InputError(
                f"{out!r} is not a name for a file of answers. Name another, such as -o answers.csv."
            )
        folder.files.check_plain(file_of(folder).name)
        ledger = Ledger(answers_in(file_of(folder)))
        table = table_of(ledger, record.get("asked", ())).astype("string[pyarrow]")
        write_table(table, path, format_of(path), guarded=[str(name) for name in table])
        console.print(f"{len(ledger):,} answered rows: {escaped(path)}", highlight=False)


def _tell_how_to_take_in(console: Console, folder: RunFolder) -> None:
    console.print(
        f"To take them in: surelabel label --out {escaped(folder.path)} --resume",
        highlight=False,
        soft_wrap=True,
    )


def _rows_and_labels(folder: RunFolder) -> tuple[list[int], tuple[str, ...], bool]:
    """Rows of each table of a run, its label columns, and whether rows have several labels."""
    from ..saving.model_file import load
    from .reviewing import targets_of
    from .settings import Settings

    record = folder.finished_record()
    clf = load(folder.model)
    n_rows = len(clf.labeled_iter_)
    n_first = int(record.get("rows", n_rows))
    return [n_first, n_rows - n_first], targets_of(clf, Settings.of(record["settings"])), clf.several_labels

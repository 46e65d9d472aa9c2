"""`surelabel next` and `surelabel doubts`: what a finished run would ask a person."""

from __future__ import annotations

from typing import Annotated

import typer

from ..common.errors import InputError
from ..common.settings import GOAL, SOME_SHARE, check_setting
from .console import console_for, notices
from .errors import answering
from .options import Goal, Quiet, Run

Out = Annotated[str | None, typer.Option("--out", "-o", help="A file to write the rows into.")]


def next_rows(
    run_folder: Run,
    n: Annotated[int, typer.Option("-n", help="How many rows.")] = 20,
    out: Out = None,
    goal: Goal = GOAL,
    quiet: Quiet = False,
) -> None:
    """Show the rows that a person should label next, and why."""
    from .asking_display import show_asked

    console = console_for(quiet)
    with answering(), notices(console):
        _check(n, out)
        check_setting("--goal", goal, SOME_SHARE)
        show_asked(console, run_folder, n, out, goal)


def doubts(
    run_folder: Run,
    n: Annotated[int, typer.Option("-n", help="How many labels.")] = 20,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Show the given labels that look wrong, and what speaks against them."""
    from .asking_display import show_doubts

    console = console_for(quiet)
    with answering(), notices(console):
        _check(n, out)
        show_doubts(console, run_folder, n, out)


def _check(n: int, out: str | None) -> None:
    if n < 1:
        raise InputError(f"-n is how many to show, at least 1; it is {n}.")
    if out is not None and not out.strip():
        raise InputError("--out is empty. Name a file, such as -o ask.csv.")

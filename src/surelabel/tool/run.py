"""One run of `surelabel label`: read, label, write, and say so; the same on every engine."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import FrameType

from rich.console import Console

from ..files import InputError, alone_in
from . import display
from .answered import Answers, are_new, brought_in, known_answers
from .console import escaped, notices
from .errors import INTERRUPTED, NOTHING_LABELLED
from .facts import Facts
from .progress import Progress
from .run_folder import COMPLETE, RunFolder
from .settings import DECIDED, Settings
from .shard_source import shard_reader
from .shards import engine_for
from .source import Reader, Source
from .standings import NAME
from .table_reading import read_tables
from .work import Outcome, Stop, work


def run(
    settings: Settings,
    folder: RunFolder,
    console: Console,
    *,
    resume: bool,
    overwrite: bool,
    answers: str | None = None,
) -> int:
    """Read, label, write; returns the exit code. `answers` names a file of answers to take in."""
    settings = replace(settings, engine=engine_for(settings))
    folder.check_options(settings, resume=resume, overwrite=overwrite)
    known = _answers(settings, folder, answers, resume)
    with _open_reader(settings, known) as reader:
        display.show_dashboard(console, reader)
        source = reader.read()
        display.show_facts(console, source.facts)
        with alone_in(folder.path):
            if resume and folder.can_resume():
                record, n_rounds = folder.resume(settings, source.facts)
                if record["status"] == COMPLETE and are_new(known, record):
                    folder.begin(settings, source.facts, known={NAME: record.get(NAME, [])})
                elif record["status"] == COMPLETE:
                    console.print(f"This run is complete: {escaped(folder.path)}", highlight=False)
                    if any(settings.plain()[name] != record["settings"].get(name) for name in DECIDED):
                        console.print(f"To decide its labels anew: surelabel fill {escaped(folder.path)}")
                    return _exit_code(source.facts, record.get("labelled", 0))
                else:
                    display.show_resumed(console, record, n_rounds)
            else:
                folder.begin(settings, source.facts)
            outcome = _followed(settings, source, folder, console)
    if settings.rounds and settings.method != "supervised":
        display.show_rounds_over(console, outcome)
    display.show_outcome(console, folder, outcome)
    return INTERRUPTED if outcome.interrupted else _exit_code(source.facts, outcome.n_filled)


def _answers(settings: Settings, folder: RunFolder, source: str | None, resume: bool) -> Answers | None:
    """What people answered about the rows of a run, those of a file among it; None where nobody asks."""
    if settings.engine != "local":
        if source is not None:
            raise InputError(f"--answers is not for --engine {settings.engine}.")
        return None
    if source is not None:
        read = read_tables(settings)
        with alone_in(folder.path):
            n_rows = [len(table.frame) for table in read.tables]
            brought_in(folder, source, read.facts.digests, n_rows, read.targets, read.facts.several)
    return known_answers(folder) if resume or source is not None else None


@contextmanager
def _open_reader(settings: Settings, answers: Answers | None = None) -> Iterator[Reader]:
    """A reader for the engine that settings name; a cluster is closed at the end of the block."""
    if settings.engine == "local":
        yield Reader(partial(read_tables, settings, answers))
        return
    with shard_reader(settings) as reader:
        yield reader


def _followed(settings: Settings, source: Source, folder: RunFolder, console: Console) -> Outcome:
    """Do the work, and show its rounds as they end."""
    stop = Stop()
    with (
        notices(console),
        Progress(console, settings, stop) as progress,
        _ctrl_c(stop, progress.say_stopping),
    ):
        for event in work(settings, source, folder, stop):
            if isinstance(event, Outcome):
                return event
            progress.round_done(event)
    raise AssertionError("work() ended without an Outcome")


@contextmanager
def _ctrl_c(stop: Stop, answer: Callable[[], None]) -> Iterator[None]:
    """Within the block, the first Ctrl-C sets `stop` and is answered; the second is a KeyboardInterrupt."""

    def ask(signum: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        answer()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _exit_code(facts: Facts, n_filled: int) -> int:
    """0, or 1 where labels were wanted and none was filled in."""
    return NOTHING_LABELLED if facts.n_unlabeled and not n_filled else 0

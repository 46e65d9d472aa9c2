"""How a command ends: exit codes, and errors as sentences."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from .console import console_for, escaped

# Done is 0.
NOTHING_LABELLED, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
# InputError and ModelFileError are ValueErrors, OutputError is an OSError.
_EXPECTED = (ValueError, OSError, MemoryError)


class _Terminated(BaseException):
    """The system, or a person, asked the process to end."""


@contextmanager
def answering(kept: str = "What was finished is kept.") -> Iterator[None]:
    """Errors as sentences, with their exit code; SURELABEL_DEBUG=1 shows where they come from.

    `kept` says what is there after an interruption, and how to go on.
    """
    try:
        with _terminable():
            yield
    except KeyboardInterrupt:
        _say(f"Interrupted. {kept}")
        raise typer.Exit(INTERRUPTED) from None
    except _Terminated:
        _say(f"Terminated. {kept}")
        raise typer.Exit(TERMINATED) from None
    except _EXPECTED as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(str(error) or type(error).__name__)
        raise typer.Exit(BAD_INPUT) from None
    except Exception as error:
        if os.environ.get("SURELABEL_DEBUG"):
            raise
        _say(
            f"This should not happen, and is a fault of surelabel: {type(error).__name__}: {error}. "
            "SURELABEL_DEBUG=1 shows where."
        )
        raise typer.Exit(BAD_INPUT) from error


@contextmanager
def _terminable() -> Iterator[None]:
    """Within the block SIGTERM is an exception: no temporary file is left. A second one ends at once."""

    def end(signum: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise _Terminated

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # only the main thread gets signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(text: str) -> None:
    console_for(stderr=True).print(
        f"[bold red]surelabel:[/bold red] {escaped(text)}", highlight=False, soft_wrap=True
    )

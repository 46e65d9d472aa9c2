"""How a command ends: exit codes, and errors as sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from ..files import InputError, OutputError
from ..saving.model_file import ModelFileError
from .console import console_for, escaped

# Done is 0.
NOTHING_LABELLED, BAD_INPUT, INTERRUPTED = 1, 2, 130
_EXPECTED = (InputError, OutputError, ModelFileError, ValueError, OSError, MemoryError)


@contextmanager
def answering() -> Iterator[None]:
    """Errors as sentences, with their exit code; SURELABEL_DEBUG=1 shows where they come from."""
    try:
        yield
    except KeyboardInterrupt:
        _say("Interrupted. What was finished is kept; --resume goes on.")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise  # the program that reads our output has ended, such as `head`
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


def _say(text: str) -> None:
    console_for(stderr=True).print(
        f"[bold red]surelabel:[/bold red] {escaped(text)}", highlight=False, soft_wrap=True
    )

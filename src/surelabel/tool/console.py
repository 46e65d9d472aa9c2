"""Text on a terminal: names and values are shown as they are, and never run."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

# Completion would wait for it.
if TYPE_CHECKING:
    from rich.console import Console


def console_for(quiet: bool = False, *, stderr: bool = False) -> Console:
    """A console that takes names for what they are: no emoji, no failing on odd characters."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return Console(file=cast(IO[str], _Dropping(stream)), quiet=quiet, emoji=False)


class _Dropping:
    """A stream whose reader may have ended, such as `head`: from then on, what is written is dropped.

    Parameters
    ----------
    stream : TextIO
        Standard output or standard error.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write as far as anybody reads."""
        with self._nobody_reads():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush as far as anybody reads."""
        with self._nobody_reads():
            self._stream.flush()

    @contextmanager
    def _nobody_reads(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            # Python flushes the stream once more when it ends, and would then complain.
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)


def shown(value: object) -> str:
    r"""A value as text without the characters that would move the cursor or break the line.

    Examples
    --------
    >>> print(shown("owl\x1b[2J"))
    owl\x1b[2J
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))


def escaped(value: object) -> str:
    """A value as it is shown, for use among markup."""
    from rich.markup import escape

    return escape(shown(value))


def sentence(words: str) -> str:
    """Words as a sentence: a capital at the beginning, a full stop at the end."""
    return f"{words[:1].upper()}{words[1:]}."


def note(console: Console, text: str) -> None:
    """Show a sentence that a person should know of."""
    console.print(f"[yellow]note:[/yellow] {escaped(text)}", highlight=False)


@contextmanager
def notices(console: Console) -> Iterator[None]:
    """Show the warnings of the package as notes, each once."""
    seen: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = str(message)
        if issubclass(category, UserWarning) and text not in seen:
            seen.add(text)
            note(console, text)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield

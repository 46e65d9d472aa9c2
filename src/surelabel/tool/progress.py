"""How far a run has come: live in a terminal, else a line for each round."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..common.durations import duration
from ..common.notice import logger
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .settings import Settings
from .work import Stop

# What comes after the rounds, as a share of their time: the final classifier; and with the guard.
_FINAL, _FINAL_AND_GUARD = 0.1, 0.67


class Progress(logging.Handler):
    """Shows how far a run has come; it reads the steps within a round from the log of the package.

    Parameters
    ----------
    console : Console
        Where to.
    settings : Settings
        Of the run.
    stop : Stop
        Whether a person wants it to end.
    """

    def __init__(self, console: Console, settings: Settings, stop: Stop) -> None:
        super().__init__(logging.DEBUG)
        self._console = console
        self._n_rounds = 0 if settings.method == "supervised" else settings.rounds
        self._after_rounds = _FINAL_AND_GUARD if settings.guard else _FINAL
        self._stop = stop
        self._begin = time.perf_counter()
        self._durations: list[float] = []
        self._number = 0
        self._step = "reading the columns"
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._level = logger.level
        logger.addHandler(self)
        if self._console.is_terminal and not self._console.quiet:
            logger.setLevel(logging.DEBUG)
            self._live = Live(self, console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        logger.removeHandler(self)
        logger.setLevel(self._level)

    def __rich__(self) -> Text:
        spent = time.perf_counter() - self._begin
        what = "last steps" if self._over else f"round {self._number + 1} of {self._n_rounds}"
        left = f", about {duration(left)} left" if (left := self._left(spent)) is not None else ""
        asked = f"\n{self._stopping}" if self._stop.asked else ""
        return Text(f"{what}: {self._step} ({duration(spent)}{left}){asked}", style="cyan")

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a step within a round; `record.args` is (what, done, total)."""
        if record.levelno == logging.DEBUG and isinstance(record.args, tuple) and len(record.args) == 3:
            what, done, total = record.args
            self._step = f"{what} {done} of {total}"

    def round_done(self, round: Round | LabelRounds) -> None:
        """Say what a round brought."""
        self._durations.append(sum(round.seconds.values()))
        self._number = round.number
        self._console.print(
            f"round {round.number} of {self._n_rounds}: {round.candidates:,} sure of {round.pool:,}, "
            f"[bold]{round.labelled:,} labelled[/bold] ({duration(self._durations[-1])})",
            highlight=False,
        )
        if round.labelled in (0, round.pool):
            self._n_rounds = self._number  # nothing left to label, or nothing sure enough

    def say_stopping(self) -> None:
        """Answer Ctrl-C; in a terminal the live line does so."""
        if self._live is None:
            # Not by way of the console: it may be in the middle of a line. Nobody may be reading.
            with suppress(OSError):
                os.write(2, f"{self._stopping}\n".encode())

    @property
    def _over(self) -> bool:
        """Whether there are no more rounds to come."""
        return self._number >= self._n_rounds

    @property
    def _stopping(self) -> str:
        """What Ctrl-C does, in words."""
        if self._over:
            return "The rounds are over: finishing. Ctrl-C again to stop now."
        return "Stopping after this round. Ctrl-C again to stop now."

    def _left(self, spent: float) -> float | None:
        """Seconds that are left, after the first round."""
        if not self._durations:
            return None
        each = sum(self._durations) / len(self._durations)
        n_rounds = self._n_rounds - self._number + len(self._durations)
        total = n_rounds * each * (1 + self._after_rounds)
        return total - spent if total > spent else None

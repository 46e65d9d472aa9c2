"""How far a run has come: live in a terminal, else a line for each round."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
        self._stop = stop
        self._begin = time.perf_counter()
        self._number = 0
        self._step = _Step("reading the columns")
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
        left = self._step.left()
        rest = "" if left is None else f", about {duration(left)} left of this step"
        asked = f"\n{self._stopping}" if self._stop.asked else ""
        return Text(f"{what}: {self._step} ({duration(spent)}{rest}){asked}", style="cyan")

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a step within a round; `record.args` is (what, done, total), or (what,)."""
        if record.levelno != logging.DEBUG or not isinstance(record.args, tuple):
            return
        match record.args:
            case (str(what), int(done), int(total)):
                if self._step.what != what or done <= self._step.done:
                    self._step = _Step(what, done, total, first=done)
                self._step = replace(self._step, done=done, now=time.perf_counter())
            case (str(what),):
                self._step = _Step(what)

    def round_done(self, round: Round | LabelRounds) -> None:
        """Say what a round brought."""
        self._number = round.number
        self._console.print(
            f"round {round.number} of {self._n_rounds}: {round.candidates:,} sure of {round.pool:,}, "
            f"{round.labelled:,} accepted ({duration(sum(round.seconds.values()))})",
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


@dataclass(frozen=True)
class _Step:
    """A step, how far it is, and when it began: how long the rest takes is told by its own pace alone."""

    what: str
    done: int = 0
    total: int = 0
    first: int = 0
    begin: float = field(default_factory=time.perf_counter)
    now: float = field(default_factory=time.perf_counter)

    def __str__(self) -> str:
        return f"{self.what} {self.done} of {self.total}" if self.total else self.what

    def left(self) -> float | None:
        """Seconds that its rest takes, where its pace is known; those since it last spoke are gone."""
        if self.done <= self.first:
            return None
        each = (self.now - self.begin) / (self.done - self.first)
        return max((self.total - self.done) * each - (time.perf_counter() - self.now), 0) or None

"""Ctrl-C: once ends a run after its round, twice ends it now."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Whether a person wants the run to end after the current round."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stopping(stop: Stop, answer: Callable[[], None]) -> Iterator[None]:
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

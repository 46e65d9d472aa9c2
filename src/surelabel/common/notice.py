"""What the package says: warnings that point at the caller's line, and the log of a fit."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

logger = logging.getLogger("surelabel")

_HERE = str(Path(__file__).parents[1])
_about: ContextVar[str] = ContextVar("about", default="")


def about() -> str:
    """What is being spoken of, such as "Label 'sad': "; nothing in most cases."""
    return _about.get()


def notice(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if from the first line outside the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(about() + message, category, stacklevel=level)


@contextmanager
def speaking_of(what: str) -> Iterator[None]:
    """Begin every notice within with what it is about."""
    token = _about.set(f"{what}: ")
    try:
        yield
    finally:
        _about.reset(token)


@contextmanager
def shown(verbose: int) -> Iterator[None]:
    """Show the log of a fit, unless the application already does."""
    if not verbose or logger.isEnabledFor(logging.INFO):
        yield
        return
    handler = logging.StreamHandler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)

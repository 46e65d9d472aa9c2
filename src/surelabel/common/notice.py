"""What the package says: warnings that point at the caller's line, and the log of a fit."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

logger = logging.getLogger("surelabel")

_HERE = str(Path(__file__).parents[1]) + os.sep
# Packages that may stand between a user's line and this one: they call `fit` on the user's behalf.
_BETWEEN = ("sklearn", "joblib", "threading", "multiprocessing", "concurrent", "runpy")
# Those that do so many times, for folds or classes.
_MANY = tuple(f"sklearn.{part}" for part in ("model_selection", "multiclass", "ensemble", "calibration"))
_about: ContextVar[str] = ContextVar("about", default="")
# What was said in the fit under way; None outside of one.
_said: ContextVar[set[Any] | None] = ContextVar("said", default=None)
# What was said in many fits, such as those of a cross-validation, with the line that began them.
_said_of_many: set[Any] = set()


def about() -> str:
    """What is being spoken of, such as "Label 'sad': "; nothing in most cases."""
    return _about.get()


def notice(message: str, category: type[Warning] = UserWarning, *, advice: bool = False) -> None:
    """Warn as if from the user's line; in a fit once, and in the folds of a cross-validation once.

    Parameters
    ----------
    message : str
        What to say.
    category : type of Warning, default=UserWarning
        Its kind.
    advice : bool, default=False
        Whether it tells of the rows at hand, and the result is the one asked for. Then it is said of one
        fold only, also where folds differ in what they would say.
    """
    text = about() + message
    level, line, many = _caller()
    said = _said.get()
    key: tuple[Any, ...] = (text, category)
    if many:
        here = sys._getframe(1)
        said = _said_of_many
        key = ((here.f_code, here.f_lineno) if advice else text, category, line)
    if said is not None and key in said:
        return
    warnings.warn(text, category, stacklevel=level)
    if said is not None:
        said.add(key)


def _caller() -> tuple[int, tuple[str, int], bool]:
    """Of the user's line: how many calls it is away, which it is, and whether it asks for many fits.

    In a thread or process that another library started there is no such line: then that library's.
    """
    frame: FrameType | None = sys._getframe(2)
    level, many = 2, False
    found: tuple[int, tuple[str, int]] | None = None
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_HERE):
            module = _module_of(frame)
            between = module.partition(".")[0] in _BETWEEN
            if found is None or not between:
                found = level, (frame.f_code.co_filename, frame.f_lineno)
            if not between:
                break
            many = many or module.startswith(_MANY)
        frame, level = frame.f_back, level + 1
    level, line = found or (level, ("", 0))
    return level, line, many


def _module_of(frame: FrameType) -> str:
    """The name of a frame's module; of one that runs as a script, its name in its package."""
    name = str(frame.f_globals.get("__name__"))
    spec = frame.f_globals.get("__spec__") if name == "__main__" else None
    return name if spec is None else spec.name


def begun(step: str) -> None:
    """Tell who follows the log which step of a run has begun; how long it takes is not known."""
    logger.debug("%s", step)


@contextmanager
def each_once() -> Iterator[None]:
    """Say no notice twice within."""
    if _said.get() is not None:
        yield
        return
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


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

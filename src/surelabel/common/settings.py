"""Settings of parts: what each may be, and how one is refused in a sentence before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

_MOST_SHOWN = 60
_MOST_JOBS = 1_000
JOBS = f"None, a whole number from 1 to {_MOST_JOBS:,}, or -1 for one per processor"


class Checked:
    """What has settings of its own: `check` refuses those that make no sense, and is called before any work.

    Examples
    --------
    >>> class Coin(Checked):
    ...     sides = 0
    ...
    ...     def check(self):
    ...         demand(self, "sides", is_whole(self.sides, 2), "a whole number from 2 on")
    >>> Coin().check()
    Traceback (most recent call last):
    ValueError: Coin: sides must be a whole number from 2 on; it is 0.
    """

    def check(self) -> None:
        """Refuse settings that make no sense."""


def demand(part: object, name: str, holds: bool, words: str) -> None:
    """Refuse a setting of a part unless it holds what these words say it must be."""
    if not holds:
        value = shown(getattr(part, name))
        raise ValueError(f"{type(part).__name__}: {name} must be {words}; it is {value}.")


def is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    """Whether a value is a finite number within these bounds."""
    return _is_real(value) and math.isfinite(value) and least <= value <= most


def is_whole(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    """Whether a value is a whole number within these bounds."""
    return isinstance(value, Integral) and is_number(int(value), least, most) and _is_real(value)


def is_among(value: Any, names: Collection[str]) -> bool:
    """Whether a value is one of these names."""
    return isinstance(value, str) and value in names


def is_jobs(value: Any) -> bool:
    """Whether a value says how many things to do at once, as `JOBS` has it."""
    return value is None or (is_whole(value, most=_MOST_JOBS) and value != 0)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """A value as an error shows it: not longer than a line."""
    text = f"the class {value.__name__}" if isinstance(value, type) else " ".join(repr(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."

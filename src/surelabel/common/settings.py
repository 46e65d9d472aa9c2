"""Settings of parts: what each may be, and how one is refused in a sentence before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

_MOST_SHOWN = 60
MOST_JOBS = 1_000
# The share of filled labels that is to be right, where nobody says otherwise.
RIGHT = 0.95
# The share of the missing labels that people work for, where nobody says otherwise.
GOAL = 0.9
# Of the rows that people are asked about, the share that is drawn at random.
RANDOM_SHARE = 0.2
# What may become of given labels that look wrong.
DROP, DOWN_WEIGHT = "drop", "down-weight"
CLEAN_WAYS = (DROP, DOWN_WEIGHT)


class Setting(NamedTuple):
    """What a setting may be: a test of its value, and the same in words."""

    holds: Callable[[Any], bool]
    words: str


class Checked:
    """What has settings of its own: `check` refuses those that make no sense, and is called before any work.

    Examples
    --------
    >>> class Coin(Checked):
    ...     takes = {"sides": whole(2, 20)}
    ...     sides = 1
    >>> Coin().check()
    Traceback (most recent call last):
    ValueError: Coin: sides must be a whole number from 2 to 20; it is 1.
    """

    takes: ClassVar[Mapping[str, Setting]] = {}

    def check(self) -> None:
        """Refuse settings that make no sense."""
        for name, setting in self.takes.items():
            value = getattr(self, name)
            if not setting.holds(value):
                raise ValueError(
                    f"{type(self).__name__}: {name} must be {setting.words}; it is {shown(value)}."
                )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


SHARE = Setting(lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
INSIDE_SHARE = Setting(lambda value: _is_number(value) and 0 < value < 1, "a number above 0 and below 1")
SOME_SHARE = Setting(lambda value: _is_number(value) and 0 < value <= 1, "a number above 0, at most 1")
BELOW_ONE = Setting(lambda value: _is_number(value) and 0 <= value < 1, "a number from 0 to below 1")
POSITIVE = Setting(lambda value: _is_number(value) and value > 0, "a number above 0")
NOT_NEGATIVE = Setting(lambda value: _is_number(value) and value >= 0, "a number from 0 on")
AT_LEAST_ONE = Setting(lambda value: _is_number(value) and value >= 1, "a number from 1 on")


def whole(least: int, most: int) -> Setting:
    """A whole number within these bounds."""
    return Setting(
        lambda value: isinstance(value, Integral) and _is_number(value) and least <= int(value) <= most,
        f"a whole number from {least:,} to {most:,}",
    )


def one_of(names: Iterable[str]) -> Setting:
    """One of these names."""
    known = list(names)
    return Setting(lambda value: isinstance(value, str) and value in known, f"one of {', '.join(known)}")


def optional(setting: Setting) -> Setting:
    """The same, or None."""
    return Setting(lambda value: value is None or setting.holds(value), f"None or {setting.words}")


JOBS = Setting(
    lambda value: (
        value is None
        or (isinstance(value, Integral) and _is_number(value) and value != 0 and int(value) <= MOST_JOBS)
    ),
    f"None, a whole number from 1 to {MOST_JOBS:,}, or -1 for one per processor",
)


def check_setting(name: str, value: Any, setting: Setting) -> None:
    """Refuse a value that a setting may not be."""
    if not setting.holds(value):
        raise ValueError(f"{name} must be {setting.words}; it is {shown(value)}.")


def shown(value: Any) -> str:
    """A value as an error shows it: not longer than a line."""
    text = f"the class {value.__name__}" if isinstance(value, type) else " ".join(repr(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."

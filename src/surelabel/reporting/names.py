"""Names and numbers as a person reads them: on one line, not too long, told apart, in colour."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

# What breaks a line, turns the direction of writing or is not seen at all.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")
# Middle tones: they stand out from white and from near-black.
_COLORS = [
    *("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2"),
    *("#d9b227", "#9d755d", "#e8798a", "#7f7fe0", "#2ca6c4", "#8fa33b"),
]


def text(value: object, most: int = 60) -> str:
    r"""A value on one line of at most `most` characters.

    Examples
    --------
    >>> text("two\nlines"), text("a" * 100, 10)
    ('two lines', 'aaaaaaaaa…')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    # Half of a surrogate pair is text for Python and for nobody else.
    line = _UNSEEN.sub(" ", str(value)[: 4 * most].encode("utf-8", "replace").decode()).strip()
    line = line or "(empty)"
    return line if len(line) <= most else line[: most - 1] + "…"


def lines(value: object, most: int = 10_000) -> str:
    """A text of several lines, with nothing unseen in it but their ends."""
    clean = str(value)[:most].encode("utf-8", "replace").decode()
    return "\n".join(_UNSEEN.sub(" ", line) for line in clean.splitlines())


def distinct(values: Iterable[object], most: int = 40) -> list[str]:
    """Values as texts, those that would look alike numbered, a list.

    Examples
    --------
    >>> distinct(["a", "a ", 1, "1"])
    ['a', 'a (2)', '1', '1 (2)']
    """
    seen: Counter[str] = Counter()
    out: list[str] = []
    for value in values:
        short = text(value, most)
        seen[short] += 1
        name = short if seen[short] == 1 else f"{short} ({seen[short]})"
        while name in out:
            seen[short] += 1
            name = f"{short} ({seen[short]})"
        out.append(name)
    return out


def class_colors(n: int) -> list[str] | None:
    """A colour for each class; None where there are too many to tell apart."""
    return _COLORS[:n] if n <= len(_COLORS) else None


def count(n: int, thing: str) -> str:
    """A number and its noun.

    Examples
    --------
    >>> count(1, "row"), count(1294, "row"), count(2, "class")
    ('1 row', '1,294 rows', '2 classes')
    """
    plural = {"class": "classes"}.get(thing, thing + "s")
    return f"{n:,} {thing if n == 1 else plural}"


def percent(share: float | None) -> str:
    """A share in words; never 100% of less than all."""
    if share is None or share != share:
        return "–"
    rounded = f"{share:.1%}"
    if rounded == "100.0%" and share < 1:
        return "> 99.9%"
    return "< 0.1%" if rounded == "0.0%" and share > 0 else rounded

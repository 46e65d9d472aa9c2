"""What a column is taken for, by what is said of it, by its type, and by its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cells.kinds import MOST_LEVELS, SAID, Kind
from .column_parts import recurring
from .column_survey import Survey, counted, identifying

# What cells are, by the kind of their column; those of any other kind are words.
_BASES = {"number": "number", "date": "date", "date and time": "date", "time": "time", "vector": "vector"}


def judged(
    name: Any, parts: Sequence[Survey], where: Sequence[str], said: str | None, found: Kind | None
) -> tuple[str, str]:
    """What a column is, and why.

    Parameters
    ----------
    name : str
        The column.
    parts : sequence of Survey
        What it holds in each part of the rows.
    where : sequence of str
        What errors call these parts.
    said : str, optional
        What it is said to be.
    found : Kind, optional
        What its strings are.

    Examples
    --------
    >>> judged("row", [Survey("number", 10, 10, ends=(0.0, 9.0), counts_up=True)], ["X"], None, None)
    ('identifier', 'counts up by one')
    """
    if said in ("identifier", "dropped", "text"):
        return said, "left out" if said == "dropped" else SAID
    base = _together(name, parts, where, found)
    if said is not None and said != base.replace("time", "date"):
        raise ValueError(f"Column {name!r} is said to be a {said}, and holds {base}s.")
    reason = SAID if said else f"typed as {base}s"
    if any(part.kind == "category" for part in parts if not part.empty) or (base == "category" and not found):
        n = len(counted(parts))
        kind = "many levels" if n > MOST_LEVELS else "category"
        return kind, SAID if said else f"{n:,} different values"
    if found is not None:
        return found.kind, found.why
    why = identifying(name, parts) if base == "number" and said is None else None
    if why is not None:
        return "identifier", why
    timed = base == "date" and any(recurring(parts).get("hour", set()) - {0.0})
    return "date and time" if timed else base, reason


def _together(name: Any, parts: Sequence[Survey], where: Sequence[str], found: Kind | None) -> str:
    """What the cells of all parts are; a part where all is missing takes the kind of the others."""
    bases = {_base(part, found): at for part, at in zip(parts, where, strict=False) if not part.empty}
    if len(bases) > 1:
        (one, here), (two, there) = list(bases.items())[:2]
        raise ValueError(
            f"Column {name!r} is of kind {one} in {here} and {two} in {there}. "
            f"Give it one type, or read it as categories: Columns(categorical=[{name!r}])."
        )
    return next(iter(bases), _base(parts[0], found))


def _base(part: Survey, found: Kind | None) -> str:
    """What the cells of a part are: "number", "date", "time", "vector" or "category"."""
    kind = found.kind if part.kind == "string" and found is not None else part.kind
    return _BASES.get(kind, "category")

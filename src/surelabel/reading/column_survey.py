"""What a column holds in some rows, enough to tell what it is in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from ..cells.kinds import why_identifier
from ..common.limits import LARGEST_EXACT
from ..common.types import Floats, Values
from .dates import calendar

# Rows of the column that stands for all: beyond, each value comes as often as its share asks for.
_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Survey:
    """What a column holds in some rows.

    Parameters
    ----------
    kind : str
        By type, "number", "date", "time", "category", "string" or "vector"; or "text", if it is said to be.
    n : int
        Rows.
    n_known : int
        Rows that have a value.
    levels : dict
        Of categories and strings: how often each comes, in the order of their first rows.
    first : float
        The first date; infinite where there is none.
    parts : dict of str to frozenset
        Of dates and times: the years, months, days of the week and hours.
    ends : tuple of (float, float), optional
        Of whole numbers that all differ: the first and the last.
    counts_up : bool
        Whether each of these numbers is one more than the number before.
    width : int
        Numbers in a vector.
    """

    kind: str
    n: int
    n_known: int
    levels: dict[Any, int] = field(default_factory=dict)
    first: float = np.inf
    parts: dict[str, frozenset[float]] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    counts_up: bool = False
    width: int = 0

    @property
    def empty(self) -> bool:
        """Whether every cell is missing."""
        return not self.n_known

    @classmethod
    def of(cls, kind: str, values: Values) -> Survey:
        """Of the values of a column."""
        if kind == "vector":
            known = ~np.isnan(values).all(axis=1)
            return cls(kind, len(values), int(known.sum()), width=values.shape[1])
        missing = pd.isna(values)
        known = values[~missing]
        n, n_known = len(values), len(known)
        if kind == "text":
            return cls(kind, n, n_known)
        if kind in ("category", "string"):
            return cls(kind, n, n_known, levels=dict(Counter(known.astype(object).tolist())))
        floats: Floats = known.astype(float)
        if kind == "number":
            ends = _ends(floats) if n == n_known else None
            counts_up = ends is not None and bool((np.diff(floats) == 1).all())
            return cls(kind, n, n_known, ends=ends, counts_up=counts_up)
        parts = {name: frozenset(np.unique(part).tolist()) for name, part in calendar(floats).items()}
        return cls(kind, n, n_known, first=float(floats.min()) if n_known else np.inf, parts=parts)


def _ends(known: Floats) -> tuple[float, float] | None:
    """The first and the last of whole numbers that all differ; None of others."""
    few = known[:1000]
    if len(pd.unique(few)) < len(few) or not (np.abs(known) <= LARGEST_EXACT).all():
        return None
    if not len(known) or (known != np.floor(known)).any() or len(pd.unique(known)) < len(known):
        return None
    return float(known[0]), float(known[-1])


def identifying(name: Any, parts: Sequence[Survey]) -> str | None:
    """Why a column of numbers, surveyed in parts, identifies rows, or None."""
    ends = [part.ends for part in parts if part.ends is not None]
    if len(ends) < len(parts):
        return None
    joined = all(start == end + 1 for (_, end), (start, _) in pairwise(ends))
    counts_up = joined and all(part.counts_up for part in parts)
    return why_identifier(name, sum(part.n for part in parts), counts_up)


def counted(parts: Iterable[Survey]) -> dict[Any, int]:
    """How often each value comes in all parts, in the order of their first rows."""
    counts: dict[Any, int] = {}
    for part in parts:
        for level, n in part.levels.items():
            counts[level] = counts.get(level, 0) + n
    return counts


def standing_for(parts: Sequence[Survey]) -> pd.Series:
    """A column with the values of all parts, each as often as it comes, as far as rows allow.

    Examples
    --------
    >>> parts = [Survey("string", 2, 1, {"a": 1}), Survey("string", 2, 2, {"b": 1, "a": 1})]
    >>> standing_for(parts).tolist()
    ['a', 'a', 'b', None]
    """
    counts = counted(parts)
    counts[None] = sum(part.n - part.n_known for part in parts)
    n = np.array(list(counts.values()))
    if n.sum() > _MOST_ROWS:
        n = np.ceil(n * (_MOST_ROWS / n.sum())).astype(int)
    cells = np.empty(len(counts), dtype=object)
    cells[:] = list(counts)
    return pd.Series(np.repeat(cells, n), dtype=object)


def levels_of(known: Iterable[Any]) -> list[Any]:
    """The categories of a column, in an order that does not depend on the rows."""
    return sorted(
        known,
        key=lambda v: (type(v).__name__, v) if isinstance(v, (str, Real)) else (type(v).__name__, str(v)),
    )

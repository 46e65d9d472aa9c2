"""Whether a column that is taken for an identifier tells the class all the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from ..common.notice import notice
from ..common.types import Floats, Ints, Table
from .column_values import raw_columns
from .columns import Columns
from .features import as_table, take

# Labelled rows that can tell, and that are enough to.
_FEWEST, _MOST = 20, 2_000
_FOLDS = 5
# It is said only where chance would hardly do as well, and where it is worth knowing.
_CHANCE, _WORTH = 1e-4, 0.05
# What of a cell is looked at: characters of its beginning and of its end.
_BEGINNING, _END = 8, 3
_DIGITS = re.compile("[0-9]{1,15}")


@dataclass(frozen=True)
class Signal:
    """How well an identifier alone tells the class of rows that are held out.

    Parameters
    ----------
    right : float
        Share of rows whose class is told correctly.
    commonest : float
        The same where the commonest class is said of every row.
    """

    right: float
    commonest: float

    def __str__(self) -> str:
        return (
            f"by it alone the class of {self.right:.0%} of the labelled rows is told, held out; the "
            f"commonest class is that of {self.commonest:.0%}"
        )


def signal(cells: Sequence[Any], codes: Ints) -> Signal | None:
    """What the identifiers of labelled rows tell of their classes, or None where that is nothing.

    Parameters
    ----------
    cells : sequence of n values
        Numbers or text.
    codes : ndarray of shape (n,)
        The class of each row, from 0.

    Examples
    --------
    >>> rows = np.arange(200)
    >>> print(signal([f"{'AB'[i % 2]}-{7919 * i % 1000}" for i in rows], rows % 2))
    by it alone the class of 100% of the labelled rows is told, held out; the commonest class is that of 48%
    >>> signal(rows, np.random.default_rng(0).integers(2, size=200))
    """
    some = np.linspace(0, len(codes) - 1, min(len(codes), _MOST)).astype(int)
    if len(some) < _FEWEST or len(np.unique(codes[some])) < 2:
        return None
    X, y = described([str(cells[row]) for row in some]), codes[some]
    told, common = np.empty_like(y), np.empty_like(y)
    for train, test in KFold(_FOLDS, shuffle=True, random_state=0).split(X):
        tree = DecisionTreeClassifier(max_depth=8, min_samples_leaf=2, random_state=0)
        told[test] = tree.fit(X[train], y[train]).predict(X[test])
        common[test] = np.bincount(y[train]).argmax()
    better, worse = int(((told == y) & (common != y)).sum()), int(((told != y) & (common == y)).sum())
    found = Signal(float((told == y).mean()), float((common == y).mean()))
    if found.right - found.commonest < _WORTH:
        return None
    chance = binomtest(better, better + worse, alternative="greater").pvalue
    return found if chance < _CHANCE else None


def described(cells: Sequence[str]) -> Floats:
    """Length, first and last number, and characters at both ends of each cell, shape (n, 14)."""
    return np.array([_described(cell) for cell in cells], dtype=float)


def _described(cell: str) -> list[float]:
    numbers = _DIGITS.findall(cell) or ["-1"]
    ends = cell[:_BEGINNING].ljust(_BEGINNING, "\0") + cell[-_END:].rjust(_END, "\0")
    return [len(cell), float(numbers[0]), float(numbers[-1]), *map(ord, ends)]


def speak_of_identifiers(X: Table, columns: Columns, codes: Ints) -> None:
    """Warn of columns of X that were taken for identifiers, by nobody's word, and tell the class.

    They are not used by themselves: where rows are sorted by class, their numbers tell the class of these
    rows and of no other.

    Parameters
    ----------
    X : table of n rows
        As it came.
    columns : Columns
        How it is read.
    codes : ndarray of shape (N,) or (N, L)
        The class of each row, -1 where it is not known; rows beyond those of X are not looked at. Of several
        labels nothing is said.
    """
    names = [name for name, kind in columns.kinds_.items() if kind == "identifier"]
    names = [name for name in names if name not in (columns.identifiers or ())]
    if not names or codes.ndim > 1:
        return
    rows = np.flatnonzero(codes[: X.shape[0]] >= 0)
    raw = raw_columns(take(as_table(X)[names], rows) if hasattr(X, "columns") else X[rows], columns.names_)
    for name in names:
        kind, values = raw[name]
        known = ~pd.isna(values)
        found = signal(values[known].tolist(), codes[rows][known])
        if found is not None:
            use = "number" if kind == "number" else "text"
            notice(
                f"Column {name!r} is not used, as it looks like an identifier ({columns.why_[name]}); but "
                f"{found}. If rows are sorted by class, or were numbered once it was known, say so: "
                f"Columns(identifiers=[{name!r}]). If not, use it: Columns({use}=[{name!r}]).",
                advice=True,
            )

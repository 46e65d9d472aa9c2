"""Columns that give the label away: they were made from it, or along with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from ..common.types import Ints, Values

# So many labelled rows do not agree with another column by chance.
_NO_CHANCE = 20


@dataclass(frozen=True)
class GivenClasses:
    """The labels that are given in a label column.

    Parameters
    ----------
    target : str
        The column.
    names : list of str
        The labels.
    rows : ndarray of shape (m,)
        Rows that have one.
    codes : ndarray of shape (m,)
        Which class each is.
    first : ndarray of shape (K,)
        Where in `rows` each class comes first.
    """

    target: str
    names: list[str]
    rows: Ints
    codes: Ints
    first: Ints

    @classmethod
    def of(cls, target: str, labels: Values) -> Self:
        """Those of a column, None where there is none."""
        rows = np.flatnonzero(labels != np.array(None))
        names = [str(label) for label in labels[rows]]
        codes, _ = pd.factorize(np.array(names, dtype=object))
        return cls(target, names, rows, codes, np.unique(codes, return_index=True)[1])

    def leak(self, column: Values, n_elsewhere: int) -> str | None:
        """How a column tells the label of every labelled row, or None; it may have values elsewhere, too."""
        values = column[self.rows]
        each = values[self.first]
        if len(each) < 2 or pd.isna(each).any() or len(set(each)) < len(each):
            return None
        if not (values == each[self.codes]).all():
            return None
        if [str(value) for value in values] == self.names:
            return f"Holds the label itself in every labelled row ({self.target!r})."
        one_each = f"One value for each class of {self.target!r} in the {len(self.rows):,} labelled rows"
        if np.bincount(self.codes).min() == 1:
            return None
        if not n_elsewhere:
            return f"{one_each}, and none in the others."
        return f"{one_each}: it gives the label away." if len(self.rows) >= _NO_CHANCE else None

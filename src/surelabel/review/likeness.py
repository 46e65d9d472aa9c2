"""How far labelled rows are from a row, column by column; which are nearest, and what each column says.

Cheap on purpose, and the same for every classifier: numbers are compared by the distance in their column,
categories by being the same, texts by the words that they share. It is shown to a person beside the guess,
and is no part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

from ..common.types import Floats, Ints, Values

# Labelled rows that a row is compared with, at most, and those in a column that are near.
_MOST_ROWS = 2_000
_NEAR = 10


@dataclass(frozen=True)
class Evidence:
    """What the labelled rows near in one column say of a class.

    Parameters
    ----------
    n_near : int
        Labelled rows that are nearest in this column.
    n_agreeing : int
        Those of them that have the class.
    share : float
        Of all labelled rows, those that have it.
    """

    n_near: int
    n_agreeing: int
    share: float

    @property
    def speaks(self) -> float:
        """How much more frequent the class is near than anywhere: from -1 to 1, 0 says nothing."""
        return self.n_agreeing / self.n_near - self.share if self.n_near else 0.0


class Landmarks:
    """Labelled rows to compare others with.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        All rows: numbers, dates, or objects.
    kinds : dict of str to str
        What the columns are; those of "text" and "url" are compared by words.
    rows : ndarray
        Positions of the labelled rows.
    labels : ndarray
        Their labels, as text.
    seed : int, default=0
        Of the draw, where there are more than 2,000.

    Examples
    --------
    >>> X = pd.DataFrame({"width": [1.0, 1.1, 5.0, 1.2], "colour": ["red", "red", "blue", "red"]})
    >>> landmarks = Landmarks(X, {}, np.array([0, 1, 2]), np.array(["cat", "cat", "owl"]))
    >>> distances = landmarks.distances(3)
    >>> landmarks.rows[landmarks.nearest(distances, 2)].tolist()
    [1, 0]
    >>> landmarks.evidence(distances, "cat")["colour"]
    Evidence(n_near=2, n_agreeing=2, share=0.6666666666666666)
    """

    def __init__(
        self, X: pd.DataFrame, kinds: dict[Any, str], rows: Ints, labels: Values, seed: int = 0
    ) -> None:
        if len(rows) > _MOST_ROWS:
            some = np.sort(np.random.default_rng(seed).choice(len(rows), _MOST_ROWS, replace=False))
            rows, labels = rows[some], labels[some]
        self.rows, self.labels, self.columns = rows, labels, list(X.columns)
        self._columns = [_column(X[name], kinds.get(name, ""), rows) for name in X]

    def distances(self, row: int) -> Floats:
        """From each labelled row, in each column: 0 the same, 1 far; shape (n_labelled, d)."""
        if not self._columns:
            return np.empty((len(self.rows), 0))
        found = np.column_stack([column.distances(row) for column in self._columns])
        found[self.rows == row] = np.inf  # it says nothing of itself
        return found

    def nearest(self, distances: Floats, n: int = 3) -> Ints:
        """Places in `rows` of the nearest by the mean over columns, the nearest first."""
        if not distances.size:
            return np.empty(0, dtype=int)
        mean = distances.mean(axis=1)
        return np.array([k for k in np.argsort(mean, kind="stable")[:n] if np.isfinite(mean[k])], dtype=int)

    def evidence(self, distances: Floats, label: str) -> dict[Any, Evidence]:
        """What the nearest in each column say of a class; ties count as near."""
        others = np.isfinite(distances[:, 0]) if distances.size else np.zeros(len(self.rows), dtype=bool)
        has_it, known = (self.labels == label)[others], distances[others]
        if not len(known):
            return dict.fromkeys(self.columns, Evidence(0, 0, 0.0))
        n_near = min(_NEAR, max(1, len(known) // 3))
        limit = np.partition(known, n_near - 1, axis=0)[n_near - 1]
        near = known <= limit
        return {
            name: Evidence(int(near[:, k].sum()), int(has_it[near[:, k]].sum()), float(has_it.mean()))
            for k, name in enumerate(self.columns)
        }


@dataclass(frozen=True, eq=False)
class _Numbers:
    values: Floats
    known: Floats
    scale: float

    def distances(self, row: int) -> Floats:
        gap = np.abs(self.known - self.values[row]) / self.scale
        both_missing = np.isnan(self.known) & np.isnan(self.values[row])
        return np.where(both_missing, 0.0, np.minimum(np.nan_to_num(gap, nan=1.0), 1.0))


@dataclass(frozen=True, eq=False)
class _Categories:
    codes: Ints
    known: Ints

    def distances(self, row: int) -> Floats:
        return (self.known != self.codes[row]).astype(float)


@dataclass(frozen=True, eq=False)
class _Words:
    texts: Values
    reader: TfidfVectorizer
    known: Any

    def distances(self, row: int) -> Floats:
        return 1.0 - (self.known @ self.reader.transform([self.texts[row]]).T).toarray()[:, 0]


def _column(column: pd.Series, kind: str, rows: Ints) -> _Numbers | _Categories | _Words:
    if kind in ("text", "url"):
        texts = column.astype(object).where(column.notna(), "").astype(str).to_numpy(dtype=object)
        reader = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
        try:
            return _Words(texts, reader, reader.fit_transform(texts[rows]))
        except ValueError:  # no labelled row has a word
            pass
    numbers = as_numbers(column)
    if numbers is None or kind in ("category", "many levels"):
        codes, _ = pd.factorize(column.astype(object).map(str))
        return _Categories(codes, codes[rows])
    low, high = _spread(numbers)
    return _Numbers(numbers, numbers[rows], max(high - low, np.finfo(float).tiny))


def _spread(numbers: Floats) -> tuple[float, float]:
    """Where nine tenths of the numbers lie; where most are the same, where all of them lie."""
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.quantile(known, [0.05, 0.95])
    return (float(low), float(high)) if high > low else (float(known.min()), float(known.max()))


def as_numbers(column: pd.Series) -> Floats | None:
    """A column of numbers or dates as floats, NaN where missing; None where it is neither."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        moments = column.to_numpy(dtype="datetime64[us]")
        return np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(float))
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_complex_dtype(column.dtype):
        return column.to_numpy(dtype=float, na_value=np.nan)
    return None

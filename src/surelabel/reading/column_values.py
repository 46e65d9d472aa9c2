"""Columns of a table in any form -> what each holds: its kind and plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Complex, Real
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..common.settings import shown
from ..common.types import Floats, Table, Values
from .dates import float_values, moments, seconds

_NUMBERS = (Real, Decimal, np.bool_)
# Its kind, "number", "date" or "category", and its values.
RawColumn = tuple[str, Values]


def is_sparse(X: Table) -> bool:
    """Whether X is a SciPy sparse matrix."""
    return sp.issparse(X)


def is_frame(X: Table) -> bool:
    """Whether X is a frame of pandas, polars or another library that narwhals knows."""
    return nw.dependencies.is_into_dataframe(X)


def raw_columns(X: Table, names: Sequence[Any] | None = None) -> dict[Any, RawColumn]:
    """Column name -> (kind, values): float values of numbers and dates, else objects."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return {name: _from_series(name, frame.get_column(name)) for name in X.columns}
    X = X.toarray() if is_sparse(X) else X
    return {name: _from_values(name, X[:, j]) for j, name in enumerate(names or range(X.shape[1]))}


def _from_series(name: Any, column: nw.Series[Any]) -> RawColumn:
    """One column of a frame, by its declared type."""
    dtype = column.dtype
    if dtype == nw.Boolean or (dtype.is_numeric() and dtype != nw.Decimal):
        return "number", float_values(column)
    if dtype.is_temporal() and dtype != nw.Time:
        return "date", seconds(column)
    if dtype == nw.Categorical or dtype == nw.Enum:
        native = column.to_native()
        values = (
            np.asarray(native, dtype=object)
            if isinstance(native, pd.Series)
            else column.cast(nw.String).to_numpy()
        )
        return "category", values.astype(object)
    if dtype.is_nested():
        raise _no_value(f"Column {name!r}", str(dtype))
    return _from_values(name, column.to_numpy().astype(object))


def _from_values(name: Any, values: Values) -> RawColumn:
    """A column of objects: numbers where all are, else categories."""
    if values.dtype.kind in "mM":
        return _from_series(name, nw.from_native(pd.Series(values), series_only=True))
    values = values.astype(object)
    missing = pd.isna(values)
    known = values[~missing]
    kinds = set(map(type, known))
    for kind in kinds:
        if not _is_value(kind):
            row = next(row for row in np.flatnonzero(~missing) if type(values[row]) is kind)
            raise _no_value(f"Column {name!r}, row {row}", kind.__name__)
    if all(issubclass(kind, _NUMBERS) for kind in kinds):
        out = np.full(len(values), np.nan)
        out[~missing] = _floats(known)
        return "number", out
    if all(issubclass(kind, date) for kind in kinds):
        return _from_values(name, moments(values))
    if any(issubclass(kind, Complex) and not issubclass(kind, Real) for kind in kinds):
        raise ValueError(
            f"Complex data not supported: column {name!r} of X holds complex numbers. Make two columns of "
            "it, the real and the imaginary part."
        )
    values[missing] = None
    return "category", values


def misfit(expected: str, kind: str, values: Values) -> str:
    """What a column of one kind holds where another was expected, for the end of a sentence.

    Examples
    --------
    >>> misfit("number", "category", np.array([1.5, None, "x"], dtype=object))
    "'x', in row 2"
    """
    if kind != "category":
        return f"{kind}s"
    fits = _NUMBERS if expected == "number" else (date,)
    strangers = (row for row in np.flatnonzero(~pd.isna(values)) if not isinstance(values[row], fits))
    row = next(strangers, None)
    return "categories" if row is None else f"{shown(values[row])}, in row {row}"


def _is_value(kind: type) -> bool:
    """Whether two objects of a type may be the same value; not so of lists, and of what is only itself."""
    by_value = getattr(kind, "__hash__", None) not in (None, object.__hash__)
    return by_value and not issubclass(kind, (tuple, frozenset))


def _no_value(where: str, kind: str) -> TypeError:
    return TypeError(
        f"{where}: each argument must be a string or a number, not {kind!r}. Make columns of its parts, "
        "or text of it."
    )


def _floats(known: Values) -> Floats:
    """Numbers of any kind as floats, infinite where they are too large for one, shape (n,)."""
    try:
        return known.astype(float)
    except OverflowError:
        largest = int(np.finfo(float).max)
        return np.array([float(v) if abs(v) <= largest else np.inf * (1 if v > 0 else -1) for v in known])


@dataclass(frozen=True)
class Survey:
    """What a column holds in some rows, enough to tell what it is in all.

    Parameters
    ----------
    kind : str
        "number", "date" or "category".
    empty : bool
        Whether every cell is missing.
    levels : frozenset
        The categories.
    first : float
        The first date; infinite where there is none.
    """

    kind: str
    empty: bool
    levels: frozenset[Any] = frozenset()
    first: float = np.inf

    @classmethod
    def of(cls, kind: str, values: Values) -> Survey:
        """Of the values of a column."""
        known = values[~pd.isna(values)]
        if kind == "category":
            return cls(kind, not len(known), levels=frozenset(known.astype(object)))
        dates = kind == "date" and len(known)
        return cls(kind, not len(known), first=float(known.astype(float).min()) if dates else np.inf)


def levels_of(known: Iterable[Any]) -> list[Any]:
    """The categories of a column, in an order that does not depend on the rows."""
    return sorted(
        known,
        key=lambda v: (type(v).__name__, v) if isinstance(v, (str, Real)) else (type(v).__name__, str(v)),
    )

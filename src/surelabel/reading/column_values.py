"""Columns of a table in any form -> what each holds: its kind by type, and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal
from numbers import Complex, Real
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..cells.values import vectors, well_formed
from ..common.settings import shown
from ..common.types import Floats, Table, Values
from .dates import float_values, moments, seconds, seconds_of_day

_NUMBERS = (Real, Decimal, np.bool_)
# Its kind by type, "number", "date", "time", "category", "string" or "vector", and its values.
RawColumn = tuple[str, Values]


def is_sparse(X: Table) -> bool:
    """Whether X is a SciPy sparse matrix."""
    return sp.issparse(X)


def is_frame(X: Table) -> bool:
    """Whether X is a frame of pandas, polars or another library that narwhals knows."""
    # narwhals tries every library in turn; asked about one row, that takes as long as a model does.
    return not isinstance(X, np.ndarray) and nw.dependencies.is_into_dataframe(X)


def raw_columns(X: Table, names: Sequence[Any] | None = None) -> dict[Any, RawColumn]:
    """Column name -> (kind, values): floats of numbers, dates, times and vectors, else objects."""
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
    if dtype == nw.Duration:
        return "number", seconds(column)
    if dtype == nw.Time:
        return "time", seconds_of_day(column.to_list())
    if dtype.is_temporal():
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
        found = vectors(column.to_list())
        if found is None:
            raise _no_value(f"Column {name!r}", str(dtype))
        return "vector", found
    return _from_values(name, column.to_numpy().astype(object))


def _from_values(name: Any, values: Values) -> RawColumn:
    """A column of objects: numbers, dates, times, strings or vectors where all are, else categories."""
    if values.dtype.kind in "mM":
        return _from_series(name, nw.from_native(pd.Series(values), series_only=True))
    values = values.astype(object)
    missing = pd.isna(values)
    known = values[~missing]
    kinds = set(map(type, known))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        values[missing] = None
        return "string", well_formed(values)
    if kinds & {list, tuple, np.ndarray} and (found := vectors(values.tolist())) is not None:
        return "vector", found
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
    if all(issubclass(kind, time) for kind in kinds):
        return "time", seconds_of_day(values)
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
    if kind not in ("category", "string"):
        return f"{kind}s"
    fits = _NUMBERS if expected == "number" else (date, time)
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

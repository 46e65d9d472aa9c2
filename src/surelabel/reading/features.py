"""X in every form a user brings -> one form that every model can read.

Arrays and sparse matrices of numbers stay what they are. Frames (pandas, polars, any
that narwhals knows) and arrays of objects become a pandas frame of numbers and
categories whose columns, order and categories are those of fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import scipy.sparse as sp
from pandas.api.types import is_numeric_dtype
from sklearn.utils import check_array

from ..common.types import Bools, Floats, Table, Values
from .column_values import is_frame, is_sparse, raw_columns
from .containers import opened_table

# Trees and boosters compute in single precision.
_LARGEST = float(np.finfo(np.float32).max)


def numbers(X: Table) -> Any:
    """X as a matrix of numbers: a category becomes its code, missing is NaN; free text is left out.

    Refused where nothing is left.
    """
    if not isinstance(X, pd.DataFrame):
        return X
    text, X = has_text(X), without_text(X)
    if text and not X.shape[1]:
        raise ValueError(
            "All columns of X are free text, and this model reads numbers and categories only. Unlike(), the "
            "committee of csa(), reads text; so does a pipeline that begins with TfidfVectorizer()."
        )
    out = np.empty(X.shape)
    for j in range(X.shape[1]):
        out[:, j] = _codes(X.iloc[:, j])
    return out


def _codes(column: pd.Series[Any]) -> Floats:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column.to_numpy(dtype=float)
    codes = column.cat.codes.to_numpy(dtype=float)
    return np.where(codes < 0, np.nan, codes)


def category_mask(X: Table) -> Bools:
    """Which of the columns of `numbers` are categories, shape (d,)."""
    if not isinstance(X, pd.DataFrame):
        return np.zeros(X.shape[1], dtype=bool)
    return np.array([isinstance(dtype, pd.CategoricalDtype) for dtype in without_text(X).dtypes], dtype=bool)


def text_mask(X: Table) -> Bools:
    """Which columns are free text, shape (d,): those that are neither numbers nor categories."""
    if not isinstance(X, pd.DataFrame):
        return np.zeros(X.shape[1], dtype=bool)
    known = [isinstance(dtype, pd.CategoricalDtype) or is_numeric_dtype(dtype) for dtype in X.dtypes]
    return ~np.array(known, dtype=bool)


def has_text(X: Table) -> bool:
    """Whether a column is free text."""
    return bool(text_mask(X).any())


def without_text(X: Table) -> Table:
    """X without columns of free text."""
    text = text_mask(X)
    return X.loc[:, ~text] if text.any() else X


def take(X: Table, rows: Any) -> Table:
    """Rows of X in any of the forms above."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def stacked(X: Table, below: Table | None = None) -> Table:
    """X with more rows below it, if there are any, all in one of the forms above."""
    if below is None or not below.shape[0]:
        return X
    if isinstance(X, pd.DataFrame):
        return pd.concat([X, below], ignore_index=True)
    if is_sparse(X) or is_sparse(below):
        return sp.vstack([X, below], format="csr")
    return np.concatenate([X, below])


def header(X: Table) -> Table:
    """The column names alone, as scikit-learn reads them; not every release knows polars."""
    return pd.DataFrame(columns=list(X.columns)) if is_frame(X) else X


def row_index(X: Table, start: int = 0) -> pd.Index[Any]:
    """The caller's own row labels, or row numbers from start."""
    index = getattr(X, "index", None)
    return index if isinstance(index, pd.Index) else pd.RangeIndex(start, start + X.shape[0])


def is_constant(X: Table) -> bool:
    """Whether no column tells two rows apart."""
    if is_sparse(X):
        return (X.max(axis=0) != X.min(axis=0)).nnz == 0
    columns = (X.iloc[:, j] for j in range(X.shape[1])) if isinstance(X, pd.DataFrame) else X.T
    return all(len(pd.unique(column)) <= 1 for column in columns)


def has_columns(X: Table) -> bool:
    """Whether X is read column by column: a frame, or an array of objects."""
    return is_frame(X) or (not is_sparse(X) and X.dtype.kind in "OUSmM")


def as_table(X: Table) -> Table:
    """X as a frame, a sparse matrix or an array; refused if empty, infinite or ambiguous."""
    X = opened_table(X)
    if is_frame(X):
        return _checked_frame(X)
    X = X if is_sparse(X) else _as_array(X)
    if X.ndim != 2:
        raise ValueError(
            f"X must have rows and columns; it is of shape {X.shape}. Reshape your data: X.reshape(-1, 1) "
            "is one column, X.reshape(1, -1) one row."
        )
    if X.dtype.kind == "c":
        raise ValueError(
            "Complex data not supported: X holds complex numbers. Make columns of X.real and of X.imag."
        )
    if not is_sparse(X) and X.dtype.kind in "OUSmM":
        return check_array(X, dtype=None, ensure_all_finite=False)
    with np.errstate(over="ignore"):  # what is too large for a float becomes infinity, and is named below
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    check_range(X, range(X.shape[1]))
    return X


def _checked_frame(X: Table) -> Table:
    """A frame of pandas or polars, whose columns can be told apart."""
    if not (nw.dependencies.is_pandas_like_dataframe(X) or nw.dependencies.is_polars_dataframe(X)):
        X = nw.from_native(X, eager_only=True).to_pandas()
    names = list(X.columns)
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"X has more than one column named {', '.join(map(repr, twice))}. Rename them.")
    if 0 in X.shape:
        check_array(np.empty(X.shape))  # scikit-learn's words for an empty table
    return X


def _as_array(X: Table) -> Values:
    """Rows as an array; of objects, where NumPy would turn the numbers beside text into text."""
    try:
        array = np.asarray(X)
    except ValueError:  # rows of unequal lengths
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        row = next((row for row, n in enumerate(lengths) if n != lengths[0]), None)
        if row is None:
            raise
        raise ValueError(
            f"Rows of X must have as many values as each other; row 0 has {lengths[0]}, row {row} has "
            f"{lengths[row]}."
        ) from None
    if array.dtype.kind == "V":
        raise TypeError(f"X holds raw bytes ({array.dtype}). Give it a type: X.view(float), for example.")
    if array.dtype.kind == "T" or (array.dtype.kind in "US" and isinstance(X, (list, tuple))):
        return np.array(X, dtype=object)
    return array


def check_range(X: Table, names: Sequence[Any]) -> None:
    """Refuse infinities, numbers beyond single precision, and gaps in sparse matrices; say where they are."""
    with np.errstate(invalid="ignore"):
        bad = ~(np.abs(X.data) <= _LARGEST) if is_sparse(X) else np.abs(X) > _LARGEST
    if not bad.any():
        return
    if is_sparse(X):
        first, cells = np.flatnonzero(bad)[0], X.tocoo()
        row, column, value = cells.row[first], cells.col[first], cells.data[first]
    else:
        row, column = np.argwhere(bad)[0]
        value = X[row, column]
    if np.isnan(value):
        raise ValueError(
            f"Input X contains NaN, and is sparse: column {names[column]!r}, row {row}. Fill it in, or pass "
            "X.toarray(): cells of dense tables may be missing."
        )
    what = "infinity" if np.isinf(value) else f"{value:g}, too large for single precision"
    raise ValueError(
        f"Input X contains infinity or a value too large: column {names[column]!r}, row {row} holds {what}. "
        "Mark it as missing (NaN) or rescale the column."
    )


def as_numbers(X: Table, argument: str) -> Table:
    """X as numbers, for models whose training rows came as an array of them."""
    if not has_columns(X):
        return X
    raw = raw_columns(X)
    for name, (kind, values) in raw.items():
        if kind != "number" and not pd.isna(values).all():
            example = values[~pd.isna(values)].tolist()[0]
            raise ValueError(f"X held numbers in fit; column {name!r} of {argument} holds {example!r}.")
    X = np.column_stack([values.astype(float) for _, values in raw.values()])
    check_range(X, list(raw))
    return X


def stacked_numbers(X: Table, extra: Table | None) -> Table:
    """An array of numbers with more rows of numbers below it."""
    if extra is None:
        return X
    extra = as_numbers(as_table(extra), "X_unlabeled")
    if extra.shape[1] != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features and X_unlabeled has {extra.shape[1]}.")
    return stacked(X, extra)

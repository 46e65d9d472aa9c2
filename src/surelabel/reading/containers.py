"""What X and y come in: forms that are not tables or lists yet made so, and what is neither refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MappingView, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..cells.values import well_formed
from ..common.settings import shown
from ..common.types import AnyLabels, Table, Values

# Characters of a value in an error.


def opened_table(X: Table) -> Table:
    """X as a frame, a sparse matrix, an array or lists; refused where it is no table.

    A dict of columns, rows that are dicts and records with named fields become a frame, a lazy frame is
    collected, and what a masked array masks is missing.

    Examples
    --------
    >>> opened_table({"size": [1, 2], "colour": ["red", "blue"]}).shape
    (2, 2)
    """
    if nw.dependencies.is_polars_lazyframe(X):
        return X.collect()
    if hasattr(X, "toarray"):  # sparse; some of them are dicts of cells
        return X
    if isinstance(X, Mapping):
        return _from_columns(X)
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        return _from_rows(X)
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        return _from_columns({name: X[name] for name in X.dtype.names})
    if isinstance(X, np.ma.MaskedArray):
        return unmasked(np.ma.asarray(X, dtype=float if X.dtype.kind in "biu" else None))
    _refuse_single(X, "X", "a table: an array of rows and columns, a sparse matrix or a frame")
    return X


def _from_columns(columns: Mapping[Any, Any]) -> pd.DataFrame:
    """A frame of columns by name, row by row as they come: not by an index that they may have."""
    lengths = {name: len(values) if hasattr(values, "__len__") else 1 for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        few = ", ".join(f"{name!r} has {n}" for name, n in list(lengths.items())[:5])
        raise ValueError(f"Columns of X must have as many rows as each other; {few}.")
    masked = {name: unmasked(v) if isinstance(v, np.ma.MaskedArray) else v for name, v in columns.items()}
    return pd.DataFrame({name: _series(values).array for name, values in masked.items()})


def _series(values: Any) -> pd.Series[Any]:
    try:
        return pd.Series(values)
    except UnicodeEncodeError:  # strings of pandas hold no half of a surrogate pair
        return pd.Series(well_formed(np.fromiter(values, dtype=object)))


def _from_rows(rows: Sequence[Mapping[Any, Any]]) -> pd.DataFrame:
    try:
        return pd.DataFrame(rows)
    except UnicodeEncodeError:  # the same
        cells = (zip(row, well_formed(np.fromiter(row.values(), dtype=object)), strict=True) for row in rows)
        return pd.DataFrame([dict(row) for row in cells])


def opened_labels(y: AnyLabels, argument: str = "y") -> AnyLabels:
    """Labels in a form that has a length and can be read twice; refused where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> opened_labels(np.ma.masked_array([3, 5], mask=[False, True]))
    array([3, None], dtype=object)
    """
    if nw.dependencies.is_polars_lazyframe(y):
        return y.collect()
    if isinstance(y, np.ma.MaskedArray):
        return unmasked(y)
    if hasattr(y, "toarray") and y.shape[1] == 1:  # sparse
        return y.toarray()
    if hasattr(y, "to_pylist") and not nw.dependencies.is_into_dataframe(y):  # of pyarrow
        return y.to_pylist()
    if isinstance(y, (list, tuple)) and any(value is np.ma.masked for value in y):
        return [None if value is np.ma.masked else value for value in y]
    if isinstance(y, str) and argument == "y":
        raise TypeError(f"y is the text {shown(y)}; pass the labels themselves, such as X[{shown(y)}].")
    _refuse_single(y, argument, "a list, an array or a series of labels")
    return y


def unmasked(values: np.ma.MaskedArray[Any, Any]) -> Values:
    """A masked array as a plain one: what is masked is NaN, NaT or None."""
    if not np.ma.is_masked(values):
        return np.ma.getdata(values)
    out = np.ma.getdata(values).copy()
    if out.dtype.kind not in "fcmM":
        out = out.astype(object)
    out[np.ma.getmaskarray(values)] = {"O": None, "m": "NaT", "M": "NaT"}.get(out.dtype.kind, np.nan)
    return out


def _refuse_single(given: Any, argument: str, what: str) -> None:
    """Refuse a single thing, and what has no order or can be read only once."""
    if isinstance(given, (Iterator, MappingView)):
        raise TypeError(f"{argument} is a {type(given).__name__}; pass list({argument}).")
    single = np.isscalar(given) or isinstance(given, (Mapping, set, frozenset))
    if single or not any(hasattr(given, name) for name in ("__array__", "__len__", "__dataframe__")):
        plain = given is None or np.isscalar(given)
        it = shown(given) if plain else f"of type {type(given).__name__}"
        raise TypeError(f"{argument} must be {what}; it is {it}.")

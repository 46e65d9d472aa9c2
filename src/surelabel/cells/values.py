"""Columns between Python's values, Arrow's and pandas'."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..common.limits import is_missing
from ..common.types import Floats, Values

_MIXED = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError)


def typed(values: list[Any]) -> Any:
    """Values of one type as an Arrow array; of several, or too large for one, as objects.

    Examples
    --------
    >>> typed([1, None, 2]).type
    DataType(int64)
    >>> typed([1, "a", 2**70])
    array([1, 'a', 1180591620717411303424], dtype=object)
    """
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds or kinds == {str}:
        return pa.array(values, pa.large_string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {float}:
        return pa.array(values, pa.float64())
    if kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
        return pa.array(values, pa.int64())
    if kinds == {datetime}:
        return pa.array(values, pa.timestamp("us"))
    if kinds == {date}:
        return pa.array(values, pa.date32())
    return np.fromiter(values, dtype=object, count=len(values))  # lists among them stay what they are


def to_arrow(column: pd.Series) -> pa.ChunkedArray | None:
    """A column as Arrow holds it; None where its values are of several types."""
    if isinstance(column.array, pd.arrays.ArrowExtensionArray):
        return column.array.__arrow_array__()
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True).startswith("mixed"):
        return None
    try:
        table = pa.Table.from_pandas(pd.DataFrame({"x": column}, copy=False), preserve_index=False)
    except _MIXED:
        return None
    return table.column(0)


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of codes and their values as the values alone."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = [chunk.dictionary_decode() for chunk in column.chunks]
    return pa.chunked_array(chunks, type=column.type.value_type)


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def python_values(column: pd.Series) -> list[Any]:
    """Cells as Python's own types, None where missing."""
    arrow = to_arrow(column) if column.dtype != object else None
    values = decoded(arrow).to_pylist() if arrow is not None else column.tolist()
    return [
        None if is_missing(value) else value.item() if isinstance(value, np.generic) else value
        for value in values
    ]


def shared_objects(text: pa.Array) -> Values:
    """Text as Python strings, one string per distinct value; None where missing, shape (N,)."""
    codes = text.dictionary_encode()
    levels = np.array([*codes.dictionary.to_pylist(), None], dtype=object)
    return levels[codes.indices.fill_null(len(levels) - 1).to_numpy()]


def well_formed(values: Values) -> Values:
    r"""Cells in which half of a surrogate pair, which is no text, is a question mark, shape (n,).

    Examples
    --------
    >>> well_formed(np.array(["caf\u00e9", "\ud800 left", None], dtype=object))
    array(['café', '? left', None], dtype=object)
    """
    torn = [row for row, cell in enumerate(values) if isinstance(cell, str) and not _is_whole(cell)]
    if not torn:
        return values
    out = values.copy()
    for row in torn:
        out[row] = values[row].encode("utf-8", "replace").decode()
    return out


def _is_whole(cell: str) -> bool:
    return cell.isascii() or not any("\ud800" <= character <= "\udfff" for character in cell)


def vectors(values: Sequence[Any]) -> Floats | None:
    """Cells that hold equally many numbers each as rows, NaN where missing, (N, d); None of other cells.

    Parameters
    ----------
    values : sequence of N values
        Lists, tuples or arrays; None where missing.

    Examples
    --------
    >>> vectors([[1, 2], None, (3.5, 4)])
    array([[1. , 2. ],
           [nan, nan],
           [3.5, 4. ]])
    >>> vectors([[1, 2], [3]])
    """
    known = [value for value in values if not is_missing(value)]
    lengths = {len(value) if isinstance(value, (list, tuple, np.ndarray)) else 0 for value in known}
    if len(lengths) != 1 or 0 in lengths:
        return None
    if not all(_is_vector(value) for value in known):
        return None
    out = np.full((len(values), lengths.pop()), np.nan)
    out[[not is_missing(value) for value in values]] = np.array(
        [np.asarray(value, dtype=float) for value in known]
    )
    return out


def _is_vector(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.ndim == 1 and value.dtype.kind in "biuf"
    return all(part is None or isinstance(part, (Real, np.bool_)) for part in value)

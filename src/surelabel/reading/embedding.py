"""Columns of vectors, or of text that a function makes vectors of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import Floats, Values
from .column_values import RawColumn

# A list of n strings -> an array (n, d).
Embedding = Callable[[list[str]], Any]


def vector_cells(name: Any, raw: RawColumn, width: int, function: Embedding | None) -> Floats:
    """The vectors of a column, as wide as in fit; NaN where a cell is missing, shape (n, width)."""
    kind, values = raw
    if kind == "string":
        values = embedded(name, values, function)
    elif kind != "vector":
        if not pd.isna(values).all():
            raise ValueError(f"Column {name!r} held vectors in fit and now holds {kind}s.")
        return np.full((len(values), width), np.nan)
    if values.shape[1] != width:
        raise ValueError(
            f"Column {name!r} held vectors of {width} numbers in fit and now of {values.shape[1]}."
        )
    return values


def embedded(name: Any, values: Values, function: Embedding | None) -> Floats:
    """What a function makes of cells of text, shape (n, d).

    Examples
    --------
    >>> embedded("title", np.array(["cat", None]), lambda cells: [[len(cell)] for cell in cells])
    array([[3.],
           [0.]])
    """
    if function is None:
        raise ValueError(
            f"Column {name!r} holds text, and the function that makes vectors of it is not set; it is not "
            f"saved with a model. Set it: clf.columns_.embedding = {{{name!r}: function}}."
        )
    cells = ["" if pd.isna(value) else str(value) for value in values]
    found = np.asarray(function(cells), dtype=float)
    if found.ndim != 2 or len(found) != len(cells):
        raise ValueError(
            f"embedding of {name!r} must return an array of shape ({len(cells)}, d) for {len(cells)} "
            f"strings; it is of shape {found.shape}."
        )
    return found

"""The label column, exactly as written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..cells.kinds import target_column
from ..cells.survey import ERRORS
from ..cells.values import decoded, is_text, python_values, shared_objects, to_arrow
from ..common.errors import InputError
from ..common.limits import LARGEST_EXACT
from ..common.types import Bools, Values

_MOST_CLASSES = 10_000


def target_values(frame: pd.DataFrame, target: str, missing_label: Any = None) -> Values:
    """Labels of a table, None where there is none.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    target : str
        The label column.
    missing_label : scalar, optional
        Another mark of an unlabelled row than the empty cell, null and NaN. Given as text, it
        also stands for the typed value that is written so.

    Returns
    -------
    ndarray of shape (N,), dtype object
        Text as it is written: 007 and 7 differ, and NA, None and null are classes. Typed
        values as they are, whole doubles as integers: pandas makes doubles of integers where
        some are missing.

    Examples
    --------
    >>> target_values(pd.DataFrame({"species": ["007", "7", "NA", "", "?"]}), "species", "?")
    array(['007', '7', 'NA', None, None], dtype=object)
    >>> target_values(pd.DataFrame({"species": [0.0, 1.0, float("nan")]}), "species")
    array([0, 1, None], dtype=object)
    """
    column = target_column(frame, target)
    arrow = to_arrow(column)
    if arrow is not None and is_text(decoded(arrow).type):
        values = shared_objects(decoded(arrow).cast(pa.large_string()).combine_chunks())
        values[values == ""] = None
    else:
        values = _native(column)
    if missing_label is not None:
        values[_marked(values, missing_label)] = None
    _check_labels(values, target)
    return values


def _native(column: pd.Series) -> Values:
    arrow = to_arrow(column) if column.dtype != object else None
    if arrow is None or not pa.types.is_primitive(decoded(arrow).type):
        return _as_labels(python_values(column), column.name)
    # There are few different labels, and many rows.
    codes = decoded(arrow).combine_chunks().dictionary_encode()
    levels = pd.Series(pd.arrays.ArrowExtensionArray(codes.dictionary))
    labels = _as_labels([*python_values(levels), None], column.name)
    return labels[codes.indices.fill_null(len(labels) - 1).to_numpy()]


def _as_labels(values: list[Any], name: Any) -> Values:
    """Cells as labels: whole doubles as integers, "" as None."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, (list, dict, np.ndarray)) for value in known):
        raise InputError(f"The label column {name!r} holds lists or records. Labels are single values.")
    if all(type(value) is float and value.is_integer() and abs(value) <= LARGEST_EXACT for value in known):
        values = [None if value is None else int(value) for value in values]
    out = np.empty(len(values), dtype=object)
    out[:] = [None if value == "" else value for value in values]
    return out


def _marked(values: Values, missing_label: Any) -> Bools:
    """Which labels are the mark of an unlabelled row, shape (N,)."""
    text = isinstance(missing_label, str)
    found = {
        value: (str(value) == missing_label if text else type(value) is not str and value == missing_label)
        for value in set(values[values != np.array(None)])
    }
    marked = np.zeros(len(values), dtype=bool)
    for value in (value for value, is_mark in found.items() if is_mark):
        marked |= values == value
    return marked


def _check_labels(values: Values, target: str) -> None:
    """Refuse more classes than can be told apart, and labels that are surely none, or surely the same."""
    labels = set(values) - {None}
    if len(labels) > _MOST_CLASSES:
        raise InputError(
            f"Column {target!r} holds {len(labels):,} different labels; at most {_MOST_CLASSES:,} classes "
            "can be told apart. Name the column of classes: --target."
        )
    seen: dict[str, str] = {}
    for label in sorted(label for label in labels if isinstance(label, str)):
        bare = label.strip()
        if not bare or bare in ERRORS:
            what = "an error of a spreadsheet" if bare else "only spaces"
            raise InputError(
                f"Column {target!r} holds the label {_with_row(values, label)}, which is {what}. Empty the "
                f"cell if the row is unlabelled, or declare it: --missing-label {label!r}."
            )
        if bare in seen:
            raise InputError(
                f"Column {target!r} holds the labels {_with_row(values, seen[bare])} and "
                f"{_with_row(values, label)}, which differ only in spaces. Write them alike."
            )
        seen[bare] = label


def _with_row(values: Values, label: str) -> str:
    return f"{label!r} (row {np.flatnonzero(values == label)[0] + 1:,})"

"""Which labels are missing: the marks of an unlabelled row, in every form a user brings.

This is the one place that says what counts as unlabelled.
"""

from __future__ import annotations

from datetime import date, datetime
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from sklearn.utils.validation import column_or_1d

from ..common.limits import LARGEST_EXACT, is_missing
from ..common.notice import notice
from ..common.settings import shown
from ..common.types import AnyLabels, Bools, Values
from .containers import opened_labels

AUTO = "auto"


def values_of(y: AnyLabels) -> Values:
    """Labels as a plain array: numbers, bools, dates, or objects, shape (N,)."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None.")
    y = opened_labels(y)
    if isinstance(y, pd.api.extensions.ExtensionArray):
        y = pd.Series(y)
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype.is_integer() and series.null_count():
        y = np.array(series.to_list(), dtype=object)  # as floats, whole labels would change
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    y = np.asarray(y if hasattr(y, "__array__") else _as_array(y))
    y = column_or_1d(y.astype(object) if y.dtype.kind == "c" else y)
    if y.dtype.kind in "UST":
        y = y.astype(object)
    return _plain(y) if y.dtype == object else y


def _as_array(y: AnyLabels) -> Values:
    """A list as an array; np.array(["a", None, -1]) makes text of all, and of [-1, 2**63] floats."""
    try:
        kinds = {type(v) for v in y}
    except TypeError:
        return np.asarray(y)
    if kinds == {int} or (len(kinds) > 1 and all(np.ndim(v) == 0 for v in y)):
        out = np.empty(len(y), dtype=object)
        out[:] = list(y)
        return out
    return np.asarray(y)


def _plain(y: Values) -> Values:
    """Objects as numbers, or as dates, where every one that is not missing is."""
    missing = pd.isna(y)
    known = y[~missing]
    if len(known) == 0:
        return y
    kinds = set(map(type, known))
    if kinds in ({date}, {datetime}) and all(getattr(v, "tzinfo", None) is None for v in known):
        days = np.full(len(y), "NaT", dtype="M8[D]" if kinds == {date} else "M8[us]")
        days[~missing] = known
        return days
    if all(issubclass(t, (bool, np.bool_)) for t in kinds):
        return y if len(known) < len(y) else y.astype(bool)
    if all(issubclass(t, (int, np.integer)) and t is not bool for t in kinds):
        return y if len(known) < len(y) or not in_64_bits(known) else y.astype(_whole_type(known))
    if all(issubclass(t, (int, float, np.number)) and t is not bool for t in kinds):
        return np.where(missing, np.nan, y).astype(float)
    return y


def in_64_bits(known: Values) -> bool:
    """Whether whole numbers fit into one of NumPy's types."""
    return min(known) >= -(2**63) and max(known) < (2**64 if min(known) >= 0 else 2**63)


def _whole_type(known: Values) -> type[np.integer[Any]]:
    return np.int64 if max(known) < 2**63 else np.uint64


def is_unlabeled(values: AnyLabels, missing_label: Any = AUTO) -> Bools:
    """Which labels are missing, shape (N,).

    Parameters
    ----------
    values : array of shape (N,)
        Labels in any form.
    missing_label : scalar, default="auto"
        The marker of an unlabelled row. NaN, None and pd.NA always are one. "auto" adds
        -1 where labels are whole numbers and nothing is NaN or None (unless -1 and 1 are
        all there is: then both are classes), and "" and the number -1 where labels are
        text. None adds nothing.

    Examples
    --------
    >>> is_unlabeled([0, 1, -1])
    array([False, False,  True])
    >>> is_unlabeled(["cat", "dog", None, ""])
    array([False, False,  True,  True])
    >>> is_unlabeled([-1.0, 1.0, float("nan")])
    array([False, False,  True])
    >>> is_unlabeled([0, 1, 255], missing_label=255)
    array([False, False,  True])
    """
    check_mark(missing_label)
    cells = values_of(values)
    missing = pd.isna(cells)
    if is_missing(missing_label):
        return missing
    if not is_auto(missing_label):
        return missing | equals(cells, missing_label)
    if cells.dtype.kind in "iu":
        largest = np.iinfo(cells.dtype).max
        if cells.dtype.kind == "u" and (cells == largest).any():
            raise ValueError(
                f"y is of type {cells.dtype} and holds {largest}, which -1 becomes there, so it may be a "
                f"class or the mark of an unlabelled row. Say which: missing_label={largest}, or "
                "missing_label=None if it is a class."
            )
        if set(np.unique(cells).tolist()) == {-1, 1}:
            notice(
                "y holds -1 and 1 and nothing else, so both are read as classes. "
                "If -1 marks unlabelled rows, pass missing_label=-1.",
            )
            return missing
        return missing | (cells == -1)
    if cells.dtype.kind == "f":
        if not missing.any() and (cells == -1).any():
            raise ValueError(
                "y holds -1.0 and no NaN, so -1 may be a class or the mark of an unlabelled "
                "row. Say which: missing_label=-1, or missing_label=None if -1 is a class."
            )
        return missing
    if cells.dtype != object:
        return missing
    known = cells[~missing]
    if any(isinstance(v, str) for v in known):
        # NumPy writes these for -1 and NaN among text.
        for mark in sorted({"-1", "nan"}.intersection(v for v in known if isinstance(v, str))):
            raise ValueError(
                f'y holds the text "{mark}", which may be a class or the mark of an unlabelled row. '
                f'Say which: missing_label="{mark}", or missing_label=None if it is a class.'
            )
        return missing | equals(cells, "") | equals(cells, -1)
    if any(isinstance(v, (bool, np.bool_)) for v in known):
        return missing | equals(cells, -1)
    return missing if missing.any() else equals(cells, -1)


def check_mark(missing_label: Any) -> None:
    """Refuse a mark of unlabelled rows that is not one value."""
    if not (is_missing(missing_label) or isinstance(missing_label, (str, bytes, Number, np.generic, date))):
        raise TypeError(
            f"missing_label must be one value, such as -1 or '?'; it is {shown(missing_label)}. Where y has "
            "several marks, write one of them, or None, in place of the others."
        )


def is_auto(missing_label: Any) -> bool:
    """Whether the mark of an unlabelled row is to be told from the labels."""
    return isinstance(missing_label, str) and missing_label == AUTO


def settled_mark(missing_label: Any, classes: Values) -> Any:
    """The mark, given the classes: they tell what labels alone may not, whether -1 is one."""
    if not is_auto(missing_label):
        return missing_label
    if -1 in classes.tolist():
        return None
    return -1 if classes.dtype.kind in "iu" else AUTO


def equals(values: Values, marker: Any) -> Bools:
    """Cell-wise equality that never calls text equal to a number or True equal to 1."""
    if values.dtype != object:
        return np.asarray(values == marker) & np.ones(len(values), dtype=bool)
    text, flag = isinstance(marker, str), isinstance(marker, (bool, np.bool_))
    return np.array(
        [
            isinstance(v, str) == text
            and isinstance(v, (bool, np.bool_)) == flag
            and not is_missing(v)
            and v == marker
            for v in values
        ],
        dtype=bool,
    )


def append_missing(values: Values, n: int, missing_label: Any, classes: Values) -> Values:
    """Labels with n unlabelled rows behind them, marked the way the caller marks them."""
    auto = is_auto(missing_label)
    kind = values.dtype.kind
    if not auto and not is_missing(missing_label):
        marker = np.full(n, missing_label, dtype=object if isinstance(missing_label, str) else None)
    elif auto and kind in "iu" and -1 not in classes:
        marker = np.full(n, -1, dtype=values.dtype if kind == "i" else None)
    elif kind == "f" or (kind in "iu" and np.abs(classes).max() <= LARGEST_EXACT):
        marker = np.full(n, np.nan)
    else:
        marker = np.full(n, None, dtype=object)
    if object in (values.dtype, marker.dtype):
        values, marker = values.astype(object), marker.astype(object)
    return np.concatenate([values, marker])

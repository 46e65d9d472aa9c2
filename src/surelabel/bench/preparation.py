"""A table as plain models want it: what a user would do with a few lines of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from ..common.types import Table

_MOST_LEVELS = 30
_NUMBERS = make_column_selector(dtype_include="number")
_CATEGORIES = make_column_selector(dtype_include=object)


def framed(X: Table) -> pd.DataFrame:
    """A table as a frame, its columns named by text."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(X).rename(columns=str)


def plain(X: Table) -> pd.DataFrame:
    """Columns of numbers, dates as days among them, and of text, in which a gap is a value of its own."""
    frame = framed(X)
    return pd.DataFrame({name: _column(frame[name]) for name in frame.columns}, index=frame.index)


def _column(values: pd.Series) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(values):
        return (values - pd.Timestamp(0)) / pd.Timedelta(days=1)
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    return pd.Series(["" if pd.isna(cell) else str(cell) for cell in values], values.index, dtype=object)


def scaled() -> Any:
    """For models of distances and sums: gaps filled by medians, variance 1, categories one-hot.

    Levels with one row, and those beyond the 30 most frequent, share a column.
    """
    one_hot = OneHotEncoder(
        min_frequency=2,
        max_categories=_MOST_LEVELS,
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
    )
    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    return _each(numbers, one_hot)


def ordinal(*, filled: bool) -> Any:
    """For trees: categories as codes, and gaps filled by medians or left for the trees to see."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    numbers = SimpleImputer(strategy="median", keep_empty_features=True) if filled else "passthrough"
    return _each(numbers, codes)


def _each(numbers: Any, categories: Any) -> Any:
    steps = [("numbers", numbers, _NUMBERS), ("categories", categories, _CATEGORIES)]
    return ColumnTransformer(steps).set_output(transform="default")


def softmax(margins: Any) -> Any:
    """Margins (N,) of two classes, or (N, K), as probabilities (N, K)."""
    margins = np.asarray(margins, dtype=float)
    if margins.ndim == 1:
        margins = np.column_stack([-margins / 2, margins / 2])
    e = np.exp(margins - margins.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

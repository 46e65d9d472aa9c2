"""X in every form a user brings -> one form that every model can read.

Arrays and sparse matrices of numbers stay what they are. Frames (pandas, polars, any
that narwhals knows) and arrays of objects become a pandas frame of numbers and
categories whose columns, order and categories are those of fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ..common.notice import notice
from ..common.types import Bools, Floats, Table, Values
from .column_values import RawColumn, Survey, is_frame, is_sparse, levels_of, raw_columns

# Trees and boosters compute in single precision.
_LARGEST = float(np.finfo(np.float32).max)


def numbers(X: Table) -> Any:
    """X as a matrix of numbers: a category becomes its code, missing is NaN."""
    if not isinstance(X, pd.DataFrame):
        return X
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
    """Which columns are categories, shape (d,)."""
    if not isinstance(X, pd.DataFrame):
        return np.zeros(X.shape[1], dtype=bool)
    return np.array([isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes])


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


@dataclass
class Columns(BaseEstimator):
    """How X is read: what each column is taken for.

    Parameters
    ----------
    categorical : list of column names, optional
        Columns of numbers to read as categories.
    order : {"any", "same"}, default="any"
        Whether columns may come in another order than in fit. They are matched by name
        either way; "same" refuses, as scikit-learn's own estimators do.

    Attributes
    ----------
    names_ : list
        Column names; None for an array of numbers.
    kinds_ : dict
        Column name to "number", "date" or "category".
    levels_ : dict
        Column name to the categories seen in fit.
    origins_ : dict
        Column name to the first date seen in fit, from which dates are counted in seconds.

    See Also
    --------
    surelabel.PseudoLabelClassifier : Takes it as `columns`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1, 2, None], "colour": ["red", None, "blue"]})
    >>> Columns().fit_transform(X)
       size colour
    0   1.0    red
    1   2.0    NaN
    2   NaN   blue
    """

    categorical: Any = None
    order: str = "any"

    def fit_transform(self, X: Table, extra: Table | None = None) -> Table:
        """Learn from X, and from `extra` rows below it, and return both as one."""
        if self.order not in ("any", "same"):
            raise ValueError(f'order must be "any" or "same"; it is {self.order!r}.')
        self.names_: Any = None
        self.kinds_: dict[Any, str] = {}
        self.levels_: dict[Any, list[Any]] = {}
        self.origins_: dict[Any, float] = {}
        X = as_table(X)
        if not _has_columns(X) and not self.categorical:
            return _stack(X, extra)
        parts = [raw_columns(X)]
        self.names_ = list(parts[0])
        if extra is not None:
            parts.append(self._raw(as_table(extra), "X_unlabeled"))
        self._learn([self._surveyed(part) for part in parts], ["X", "X_unlabeled"])
        return pd.DataFrame(
            {name: _join([self._read(name, *part[name]) for part in parts]) for name in self.names_}
        )

    def survey(self, X: Table) -> dict[Any, Survey] | None:
        """What the columns of some of the rows hold; None for an array of numbers."""
        X = as_table(X)
        return self._surveyed(raw_columns(X)) if _has_columns(X) or self.categorical else None

    def fit_surveys(self, surveys: Sequence[dict[Any, Survey] | None], names: Sequence[str]) -> Self:
        """Learn from surveys of all parts of a table; errors speak of the parts by these names."""
        self.names_ = None if surveys[0] is None else list(surveys[0])
        self.kinds_, self.levels_, self.origins_ = {}, {}, {}
        for survey, name in zip(surveys, names, strict=True):
            if (None if survey is None else list(survey)) != self.names_:
                raise ValueError(f"{name} has other columns than {names[0]}.")
        if self.names_ is not None:
            self._learn([survey for survey in surveys if survey is not None], names)
        return self

    def arrange(self, X: Table) -> Table:
        """X checked, with the columns of a frame in the order of fit where that is allowed."""
        X = as_table(X)
        if self.order == "any" and is_frame(X) and set(self.names_ or []) == set(X.columns):
            return X[self.names_]
        return X

    def transform(self, X: Table) -> Table:
        """Read X as fit did; categories not seen then count as missing, with a warning."""
        X = as_table(X)
        if self.names_ is None:
            return _as_numbers(X, "X")
        raw = self._raw(X, "X")
        return pd.DataFrame({name: self._read(name, *raw[name]) for name in self.names_})

    def _raw(self, X: Table, argument: str) -> dict[Any, RawColumn]:
        """Columns by name; those of an array by position."""
        if not is_frame(X) and X.shape[1] == len(self.names_):
            return raw_columns(X, self.names_)
        raw = raw_columns(X)
        missing = [name for name in self.names_ if name not in raw]
        unseen = [name for name in raw if name not in self.names_]
        if missing or unseen:
            raise ValueError(
                f"{argument} must have the columns seen in fit: {missing} are missing, {unseen} are new."
            )
        return raw

    def _surveyed(self, raw: dict[Any, RawColumn]) -> dict[Any, Survey]:
        asked = self.categorical or []
        return {
            name: Survey.of("category" if name in asked else kind, values)
            for name, (kind, values) in raw.items()
        }

    def _learn(self, surveys: Sequence[dict[Any, Survey]], names: Sequence[str]) -> None:
        for name in self.categorical or []:
            if name not in self.names_:
                raise ValueError(f"categorical names the column {name!r}, which X does not have.")
        for name in self.names_:
            self._learn_column(name, [survey[name] for survey in surveys], names)

    def _learn_column(self, name: Any, parts: Sequence[Survey], names: Sequence[str]) -> None:
        # A part where all is missing takes the kind of the other.
        kinds = {part.kind: where for part, where in zip(parts, names, strict=False) if not part.empty}
        if len(kinds) > 1:
            (one, here), (two, there) = list(kinds.items())[:2]
            raise ValueError(
                f"Column {name!r} is of kind {one} in {here} and {two} in {there}. "
                f"Give it one type, or read it as categories: Columns(categorical=[{name!r}])."
            )
        kind = self.kinds_[name] = next(iter(kinds), parts[0].kind)
        if kind == "category":
            self.levels_[name] = levels_of(set().union(*(part.levels for part in parts)))
        if kind == "date":
            # Seconds since 1970 in single precision are two minutes apart.
            first = min(part.first for part in parts)
            self.origins_[name] = first if first < np.inf else 0.0

    def _read(self, name: Any, kind: str, values: Values) -> Any:
        expected = self.kinds_[name]
        if expected == "category":
            return self._read_category(name, values.astype(object))
        if kind != expected and not pd.isna(values).all():
            example = values[~pd.isna(values)].tolist()[0]
            raise ValueError(f"Column {name!r} held {expected}s in fit and now holds {example!r}.")
        values = values.astype(float) - self.origins_.get(name, 0.0)
        _check_range(values[:, None], [name])
        return values

    def _read_category(self, name: Any, values: Values) -> pd.Categorical:
        levels = self.levels_[name]
        codes = pd.Index(levels, dtype=object).get_indexer(pd.Index(values, dtype=object))
        unseen = ~pd.isna(values) & (codes < 0)
        if unseen.any():
            strangers = sorted({str(v) for v in values[unseen]})
            notice(
                f"Column {name!r}: {unseen.sum()} of {len(values)} rows hold a category not seen "
                f"in fit ({', '.join(strangers[:3])}{', ...' if len(strangers) > 3 else ''}); "
                "they count as missing.",
            )
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels))


def _has_columns(X: Table) -> bool:
    """Whether X is read column by column: a frame, or an array of objects."""
    return is_frame(X) or (not is_sparse(X) and X.dtype.kind in "OUSmM")


def as_table(X: Table) -> Table:
    """X as a frame, a sparse matrix or an array; refused if empty, infinite or ambiguous."""
    if is_frame(X):
        if not (nw.dependencies.is_pandas_like_dataframe(X) or nw.dependencies.is_polars_dataframe(X)):
            X = nw.from_native(X, eager_only=True).to_pandas()
        names = list(X.columns)
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"X has more than one column named {', '.join(map(repr, twice))}. Rename them.")
        if 0 in X.shape:
            check_array(np.empty(X.shape))  # scikit-learn's words for an empty table
        return X
    if isinstance(X, (list, tuple)) and np.asarray(X).dtype.kind in "US":
        X = np.array(X, dtype=object)  # else NumPy turns the numbers beside text into text
    if not is_sparse(X) and (X := np.asarray(X)).dtype.kind in "OUSmM":
        return check_array(X, dtype=None, ensure_all_finite=False)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    _check_range(X, range(X.shape[1]))
    return X


def _as_numbers(X: Table, argument: str) -> Table:
    """X as numbers, for models whose training rows came as an array of them."""
    if not _has_columns(X):
        return X
    raw = raw_columns(X)
    for name, (kind, values) in raw.items():
        if kind != "number" and not pd.isna(values).all():
            example = values[~pd.isna(values)].tolist()[0]
            raise ValueError(f"X held numbers in fit; column {name!r} of {argument} holds {example!r}.")
    X = np.column_stack([values.astype(float) for _, values in raw.values()])
    _check_range(X, list(raw))
    return X


def _stack(X: Table, extra: Table | None) -> Table:
    if extra is None:
        return X
    extra = _as_numbers(as_table(extra), "X_unlabeled")
    if extra.shape[1] != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features and X_unlabeled has {extra.shape[1]}.")
    return stacked(X, extra)


def _join(parts: Sequence[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], pd.Categorical):
        return pd.Categorical.from_codes(np.concatenate([part.codes for part in parts]), dtype=parts[0].dtype)
    return np.concatenate(parts)


def _check_range(X: Table, names: Sequence[Any]) -> None:
    """Refuse infinities and numbers beyond single precision, naming where they are."""
    with np.errstate(invalid="ignore"):
        bad = np.abs(X.data if is_sparse(X) else X) > _LARGEST
    if not bad.any():
        return
    if is_sparse(X):
        first, cells = np.flatnonzero(bad)[0], X.tocoo()
        row, column, value = cells.row[first], cells.col[first], cells.data[first]
    else:
        row, column = np.argwhere(bad)[0]
        value = X[row, column]
    what = "infinity" if np.isinf(value) else f"{value:g}, too large for single precision"
    raise ValueError(
        f"Input X contains infinity or a value too large: column {names[column]!r}, row {row} holds {what}. "
        "Mark it as missing (NaN) or rescale the column."
    )

"""How X is read: what each column is taken for, learnt once and used at every predict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..common.notice import notice
from ..common.types import Table, Values
from .column_values import RawColumn, Survey, is_frame, levels_of, misfit, raw_columns
from .features import as_table, check_range, has_columns, stacked

# Lists of columns, and what the columns in them are.
_LISTS = {"categorical": "category", "text": "text"}
# Columns that an error names.
_MOST_NAMED = 10
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Columns(BaseEstimator):
    """How X is read: what each column is taken for.

    Parameters
    ----------
    categorical : list of column names, optional
        Columns of numbers to read as categories.
    text : list of column names, optional
        Columns of free text, which is read by its words.
    order : {"any", "same"}, default="any"
        Whether columns may come in another order than in fit. They are matched by name
        either way; "same" refuses, as scikit-learn's own estimators do.

    Attributes
    ----------
    names_ : list
        Column names; None for an array of numbers.
    kinds_ : dict
        Column name to "number", "date", "category" or "text".
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
    text: Any = None
    order: str = "any"

    def fit_transform(self, X: Table, extra: Table | None = None) -> Table:
        """Learn from X, and from `extra` rows below it, and return both as one."""
        self._check()
        self.names_: Any = None
        self.kinds_: dict[Any, str] = {}
        self.levels_: dict[Any, list[Any]] = {}
        self.origins_: dict[Any, float] = {}
        X = as_table(X)
        if not has_columns(X) and not self._said():
            return _stack(X, extra)
        parts = [raw_columns(X)]
        self.names_ = list(parts[0])
        if extra is not None:
            parts.append(self._raw(as_table(extra), "X_unlabeled"))
        self._learn([self._surveyed(part) for part in parts], ["X", "X_unlabeled"])
        return pd.DataFrame(
            {name: _join([self._read(name, *part[name]) for part in parts]) for name in self.names_}
        )

    def _check(self) -> None:
        """Refuse settings that make no sense."""
        if self.order not in ("any", "same"):
            raise ValueError(f'order must be "any" or "same"; it is {self.order!r}.')
        for setting in _LISTS:
            names = getattr(self, setting)
            if isinstance(names, str) or not (names is None or hasattr(names, "__iter__")):
                raise TypeError(
                    f"{setting} must be a list of column names, such as [{names!r}]; it is {names!r}."
                )

    def _said(self) -> dict[Any, str]:
        """The kinds of columns that are named."""
        said: dict[Any, str] = {}
        for setting, kind in _LISTS.items():
            for name in getattr(self, setting) or ():
                if said.setdefault(name, kind) != kind:
                    raise ValueError(f"Column {name!r} cannot be both {said[name]} and {kind}. Name it once.")
        return said

    def survey(self, X: Table) -> dict[Any, Survey] | None:
        """What the columns of some of the rows hold; None for an array of numbers."""
        self._check()
        X = as_table(X)
        return self._surveyed(raw_columns(X)) if has_columns(X) or self._said() else None

    def fit_surveys(self, surveys: Sequence[dict[Any, Survey] | None], names: Sequence[str]) -> Self:
        """Learn from surveys of all shards of a table; errors call the shards by these names."""
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
        said = self._said()
        return {name: Survey.of(said.get(name, kind), values) for name, (kind, values) in raw.items()}

    def _learn(self, surveys: Sequence[dict[Any, Survey]], names: Sequence[str]) -> None:
        for name, kind in self._said().items():
            if name not in self.names_:
                few = f"{self.names_[:_MOST_NAMED]}{' and more' if len(self.names_) > _MOST_NAMED else ''}"
                setting = next(key for key, value in _LISTS.items() if value == kind)
                raise ValueError(f"{setting} names the column {name!r}, which X does not have: it has {few}.")
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
            if name not in (self.categorical or []):
                _speak_of_numbers(name, self.levels_[name])
        if kind == "date":
            # Seconds since 1970 in single precision are two minutes apart.
            first = min(part.first for part in parts)
            self.origins_[name] = first if first < np.inf else 0.0

    def _read(self, name: Any, kind: str, values: Values) -> Any:
        expected = self.kinds_[name]
        if expected == "category":
            return self._read_category(name, values.astype(object))
        if expected == "text":
            return np.array([None if pd.isna(value) else str(value) for value in values], dtype=object)
        if kind != expected and not pd.isna(values).all():
            now = misfit(expected, kind, values)
            raise ValueError(f"Column {name!r} held {expected}s in fit and now holds {now}.")
        values = values.astype(float) - self.origins_.get(name, 0.0)
        check_range(values[:, None], [name])
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
                advice=True,
            )
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels))


def _speak_of_numbers(name: Any, levels: Sequence[Any]) -> None:
    """Say that a column of text holds numbers; whole ones may be codes, which are categories."""
    if not levels or not all(isinstance(level, str) and _NUMBER.fullmatch(level.strip()) for level in levels):
        return
    measured = next((level for level in levels if not level.strip().lstrip("+-").isdigit()), None)
    if measured is not None:
        notice(
            f"Column {name!r} holds numbers as text, such as {measured!r}, and is read as categories. "
            f"Make numbers of it, by X[{name!r}].astype(float) for example; or say that it is right, by "
            f"Columns(categorical=[{name!r}]).",
            advice=True,
        )


def _as_numbers(X: Table, argument: str) -> Table:
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

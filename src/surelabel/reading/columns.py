"""How X is read: what each column is taken for, learnt once and used at every predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..cells.kinds import UNUSED, Kind, kinds_together
from ..common.notice import logger, notice
from ..common.types import Table, Values
from .column_kinds import judged
from .column_parts import (
    CATEGORIES,
    DATES,
    SECONDS,
    TEXTS,
    as_categories,
    category_part,
    dated,
    frequency,
    measured,
    named,
    parts_of,
    recurring,
)
from .column_survey import Survey, counted, levels_of, standing_for
from .column_values import RawColumn, is_frame, raw_columns
from .embedding import embedded, vector_cells
from .features import as_numbers, as_table, check_range, has_columns, stacked_numbers

# Lists of columns, and what the columns in them are.
_LISTS = {
    "number": "number",
    "categorical": "category",
    "text": "text",
    "date": "date",
    "identifiers": "identifier",
    "drop": "dropped",
    "embedding": "vector",
}
# Columns that an error names.
_MOST_NAMED = 10


@dataclass
class Columns(BaseEstimator):
    """How X is read: what each column is taken for.

    Columns that are not named here are told by their type; those of strings by their cells, as
    `surelabel inspect` does: numbers, dates, times of day, categories, free text, and identifiers, which are
    not used. An array of numbers stays what it is.

    Parameters
    ----------
    number, categorical, text, date : list of column names, optional
        Columns to read as numbers, as categories, as free text, which is read by its words, and as dates or
        times of day; numbers among dates are seconds since 1970.
    identifiers, drop : list of column names, optional
        Columns that only name the rows, and others to leave out.
    embedding : list of column names, or dict, optional
        Columns whose cells are lists or arrays of equally many numbers. Or, for columns of text, a dict of
        column name to a function of a list of n strings that returns an array (n, d). The function is not
        saved with a model; set it again in `columns_.embedding`.
    order : {"any", "same"}, default="any"
        Whether columns may come in another order than in fit. They are matched by name
        either way; "same" refuses, as scikit-learn's own estimators do.

    Attributes
    ----------
    names_ : list
        Column names; None for an array of numbers.
    kinds_ : dict
        Column name to "number", "category", "many levels", "text", "url", "date", "time", "date and time",
        "vector", or what is not used: "identifier", "constant", "dropped".
    why_ : dict
        Column name to the reason, in words.
    levels_ : dict
        Column name to the categories seen in fit.
    origins_ : dict
        Column name to the first date seen in fit, from which dates are counted in seconds.
    origin_of_ : dict
        Name of each column that models read to the column of X that it was made from.

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
    >>> Columns().fit_transform(pd.DataFrame({"price": ["$1.20", "$80"], "at": ["13:30", "9:15"]}))
        price       at at: hour (category)
    0    1.2  48600.0                13.0
    1    80.0  33300.0                 9.0
    """

    number: Any = None
    categorical: Any = None
    text: Any = None
    date: Any = None
    identifiers: Any = None
    drop: Any = None
    embedding: Any = None
    order: str = "any"

    def _forget(self) -> None:
        """Begin anew."""
        self.names_: Any = None
        self.kinds_: dict[Any, str] = {}
        self.why_: dict[Any, str] = {}
        self.notations_: dict[Any, str] = {}
        self.levels_: dict[Any, list[Any]] = {}
        self.rows_: dict[Any, list[int]] = {}
        self.origins_: dict[Any, float] = {}
        self.parts_: dict[Any, dict[str, Any]] = {}
        self.origin_of_: dict[Any, Any] = {}

    def fit_transform(self, X: Table, extra: Table | None = None) -> Table:
        """Learn from X, and from `extra` rows below it, and return both as one."""
        self._check()
        self._forget()
        X = as_table(X)
        if not has_columns(X) and not self._said():
            return stacked_numbers(X, extra)
        parts = [raw_columns(X)]
        self.names_ = list(parts[0])
        if extra is not None:
            parts.append(self._raw(as_table(extra), "X_unlabeled"))
        self._learn([self._surveyed(part) for part in parts], ["X", "X_unlabeled"])
        tables = [self._made(part) for part in parts]
        return pd.DataFrame({name: _join([table[name] for table in tables]) for name in tables[0]})

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
        self._forget()
        self.names_ = None if surveys[0] is None else list(surveys[0])
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
        return self.read(as_table(X))

    def read(self, X: Table) -> Table:
        """As `transform`, of a table that `arrange` has checked: a check takes as long as a small model."""
        if self.names_ is None:
            return as_numbers(X, "X")
        return pd.DataFrame(self._made(self._raw(X, "X")))

    def without_functions(self) -> Self:
        """Itself without the functions of `embedding`, which cannot be saved."""
        if not isinstance(self.embedding, Mapping):
            return self
        other = copy(self)
        other.embedding = dict.fromkeys(self.embedding)
        return other

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

    # Fit.

    def _surveyed(self, raw: dict[Any, RawColumn]) -> dict[Any, Survey]:
        said = self._said()
        return {name: self._survey(name, said.get(name), *column) for name, column in raw.items()}

    def _survey(self, name: Any, said: str | None, kind: str, values: Values) -> Survey:
        if said in ("category", "text"):
            return Survey.of(said, values)
        if said == "date" and kind == "number":
            return Survey.of("date", values)
        if said == "vector" and kind == "string":
            some = values[~pd.isna(values)][:1]
            width = embedded(name, some, self._function(name)).shape[1] if len(some) else 0
            return Survey("vector", len(values), len(some), width=width)
        return Survey.of(kind, values)

    def _learn(self, surveys: Sequence[dict[Any, Survey]], names: Sequence[str]) -> None:
        said = self._said()
        for name, kind in said.items():
            if name not in self.names_:
                few = f"{self.names_[:_MOST_NAMED]}{' and more' if len(self.names_) > _MOST_NAMED else ''}"
                setting = next(key for key, value in _LISTS.items() if value == kind)
                raise ValueError(f"{setting} names the column {name!r}, which X does not have: it has {few}.")
        parts = {name: [survey[name] for survey in surveys] for name in self.names_}
        strings = {
            name: standing_for(each)
            for name, each in parts.items()
            if said.get(name) in (None, "number", "date")
            and any(part.kind == "string" and part.n_known for part in each)
        }
        inferred = kinds_together(strings, said)
        for name, each in parts.items():
            self.kinds_[name], self.why_[name] = judged(name, each, names, said.get(name), inferred.get(name))
        self._use_some(said, parts)
        taken = set(self.names_)
        for name, each in parts.items():
            self._learn_column(name, each, inferred.get(name))
            found = named(name, parts_of(self.kinds_[name], self._measured(name, each)), taken)
            self.parts_[name] = found
            self.origin_of_ |= dict.fromkeys(found.values(), name)
            taken |= set(found.values())
            for part, made in found.items():
                of = category_part(part)
                if of is not None:
                    self.levels_[made] = sorted(recurring(self._measured(name, each))[of])

    def _use_some(self, said: Mapping[Any, str], parts: Mapping[Any, Sequence[Survey]]) -> None:
        """Where nothing would be left to learn from, use what was not said to be left out."""
        unused = [name for name, kind in self.kinds_.items() if kind in UNUSED]
        spare = [name for name in unused if name not in said]
        if len(unused) == len(self.names_):
            if not spare:
                raise ValueError("Every column of X is named in identifiers or drop; none is left.")
            for name in spare:
                is_text = any(part.kind == "string" and part.n_known for part in parts[name])
                self.kinds_[name] = "category" if is_text else "number"
        elif unused:
            logger.info("not used: %s", {name: self.why_[name] for name in unused})

    def _learn_column(self, name: Any, parts: Sequence[Survey], found: Kind | None) -> None:
        """Remember what reading a column takes."""
        kind = self.kinds_[name]
        if found is not None and kind in (*DATES, "number"):
            self.notations_[name] = found.notation
            if found.doubt:
                notice(f"Column {name!r}: {found.doubt}", advice=True)
        if kind in CATEGORIES:
            counts = counted(parts)
            self.levels_[name] = levels_of(counts)
            self.rows_[name] = [counts[level] for level in self.levels_[name]]
        if kind in DATES:
            if self.date is not None and name in self.date and found is None:
                self.notations_[name] = SECONDS
            # Seconds since 1970 in single precision are two minutes apart.
            first = min(part.first for part in self._measured(name, parts))
            self.origins_[name] = 0.0 if kind == "time" or first == np.inf else first

    def _measured(self, name: Any, parts: Sequence[Survey]) -> list[Survey]:
        """Surveys of the dates in a column, whose parts may hold them as strings."""
        kind = self.kinds_[name]
        if kind not in DATES:
            return list(parts)
        base = kind.removesuffix(" and time")
        return [
            part
            if part.kind != "string"
            else Survey.of(base, measured(name, kind, self._notation(name), ("string", _cells(part))))
            for part in parts
        ]

    # Fit and transform.

    def _notation(self, name: Any) -> str:
        return vars(self).get("notations_", {}).get(name, "")

    def _made(self, raw: dict[Any, RawColumn]) -> dict[Any, Any]:
        """The columns that models read."""
        table: dict[Any, Any] = {}
        for name in self.names_:
            # Models of the first release have no parts.
            parts = vars(self).get("parts_", {}).get(name, {"": name})
            if parts:
                table |= self._read(name, parts, raw[name])
        return table

    def _read(self, name: Any, parts: Mapping[str, Any], raw: RawColumn) -> dict[Any, Any]:
        kind, values = self.kinds_[name], raw[1]
        if kind == "vector":
            matrix = vector_cells(name, raw, len(parts), self._function(name))
            check_range(matrix, list(parts.values()))
            return {made: matrix[:, j] for j, made in enumerate(parts.values())}
        if kind in CATEGORIES:
            column = self._read_category(name, values.astype(object))
            columns: dict[Any, Any] = {name: column}
            for part, made in parts.items():
                if part:
                    columns[made] = frequency(column.codes, self.rows_[name], values)
            return columns
        if kind in TEXTS:
            return {name: np.array([_text(value) for value in values], dtype=object)}
        numbers = measured(name, kind, self._notation(name), raw)
        if kind in DATES:
            columns = dated(numbers, parts, self.origins_[name], self.levels_)
        else:
            columns = {name: numbers}
        check_range(np.asarray(columns[name])[:, None], [name])
        return columns

    def _function(self, name: Any) -> Any:
        """What makes vectors of the text of a column; None where nothing is set."""
        return self.embedding.get(name) if isinstance(self.embedding, Mapping) else None

    def _read_category(self, name: Any, values: Values) -> pd.Categorical:
        levels = self.levels_[name]
        column = as_categories(values, levels)
        unseen = ~pd.isna(values) & (column.codes < 0)
        if unseen.any():
            strangers = sorted({str(v) for v in values[unseen]})
            notice(
                f"Column {name!r}: {unseen.sum()} of {len(values)} rows hold a category not seen "
                f"in fit ({', '.join(strangers[:3])}{', ...' if len(strangers) > 3 else ''}); "
                "they count as missing.",
                advice=True,
            )
        return column


def _cells(part: Survey) -> Values:
    cells = np.empty(len(part.levels), dtype=object)
    cells[:] = list(part.levels)
    return cells


def _text(value: Any) -> str:
    """A cell of free text, empty where it is missing or blank: models of words read no gaps."""
    text = "" if pd.isna(value) else str(value)
    return text if text.strip() else ""


def _join(parts: Sequence[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], pd.Categorical):
        return pd.Categorical.from_codes(np.concatenate([part.codes for part in parts]), dtype=parts[0].dtype)
    return np.concatenate(parts)

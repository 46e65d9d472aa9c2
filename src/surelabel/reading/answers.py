"""Answers that a person gave after a table was read: they replace its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from ..common.limits import is_missing
from ..common.types import Ints, Values
from .indicators import Indicators
from .targets import Targets

_Read = TypeVar("_Read", Targets, Indicators)


@dataclass(frozen=True)
class Answer:
    """What a person said of a row.

    Parameters
    ----------
    row : hashable
        The row, by the caller's index.
    value : scalar
        Its class; of several labels, 1 or 0.
    label : hashable, optional
        Which of several labels it is about.
    """

    row: Any
    value: Any
    label: Any = None


def answered(targets: _Read, answers: Sequence[Answer], index: pd.Index[Any]) -> _Read:
    """Labels with answers in the place of those that were there; classes that are new are added.

    Examples
    --------
    >>> from surelabel.reading.targets import read_targets
    >>> targets = read_targets(["cat", "dog", None])
    >>> now = answered(targets, [Answer(2, "owl"), Answer(0, "dog")], pd.RangeIndex(3))
    >>> now.classes.tolist(), now.codes.tolist()
    (['dog', 'owl'], [0, 0, 1])
    """
    if not answers:
        return targets
    rows = _places([answer.row for answer in answers], index)
    if isinstance(targets, Indicators):
        return _cells_answered(targets, answers, rows)
    if any(answer.label is not None for answer in answers):
        raise ValueError("Answers name a label, and rows have one label each. Leave label out of learn().")
    values = [answer.value for answer in answers]
    if targets.values.ndim == 2:
        return _choices_answered(targets, values, rows)
    labels: Values = targets.values.astype(object)
    labels[rows] = _alike(values, targets.classes)
    known: Ints = np.append(np.flatnonzero(targets.codes >= 0), rows)
    # Classes that were declared, and had no row before either.
    declared: Values = np.delete(targets.classes, np.unique(targets.codes[targets.codes >= 0]))
    names = [*labels[known].tolist(), *declared.tolist()]
    classes = np.unique(np.array(names, dtype=object if targets.classes.dtype == object else None))
    codes = targets.codes.copy()
    codes[known] = np.searchsorted(classes, np.array(labels[known].tolist(), dtype=classes.dtype))
    kept = labels if targets.values.dtype == object else np.array(labels.tolist())
    return replace(targets, values=kept, classes=classes, codes=codes)


def _places(rows: list[Any], index: pd.Index[Any]) -> Ints:
    """Positions of rows by the caller's index; refused where one is not there, or there twice."""
    known = set(index)
    missing = [row for row in rows if row not in known]
    if missing:
        raise ValueError(f"There is no row {missing[0]!r} in X, of which learn() was told.")
    if not index.is_unique:
        twice = set(index[index.duplicated()]) & set(rows)
        if twice:
            raise ValueError(
                f"Row {next(iter(twice))!r} is in the index of X more than once: which one learn() meant "
                "cannot be told. Give X a unique index."
            )
    first = pd.Series(np.arange(len(index)), index=index)
    return first[~index.duplicated()].loc[rows].to_numpy()


def _alike(values: list[Any], classes: Values) -> list[Any]:
    """Answers, refused where they are of another type than the classes."""
    text = isinstance(classes.tolist()[0], str)
    for value in values:
        if is_missing(value):
            raise ValueError("An answer is missing. Leave out rows of which nobody can tell the label.")
        if isinstance(value, str) != text:
            raise ValueError(
                f"An answer is {value!r}, and the classes are {classes.tolist()[:5]}: give the same type."
            )
    return values


def _choices_answered(targets: Targets, values: list[Any], rows: Ints) -> Targets:
    """Of labels that are classes and came as cells: a 1 in the cell of the class."""
    names = targets.classes.tolist()
    unknown = [value for value in values if value not in names]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not one of the labels {names}, and y has no cell for it.")
    cells, codes = targets.values.copy(), targets.codes.copy()
    codes[rows] = [names.index(value) for value in values]
    cells[rows] = codes[rows, None] == np.arange(len(names))
    return replace(targets, values=cells, codes=codes)


def _cells_answered(cells: Indicators, answers: Sequence[Answer], rows: Ints) -> Indicators:
    """Of several labels: 1 or 0 in cells."""
    names = cells.classes.tolist()
    values, codes = cells.values.copy(), cells.codes.copy()
    for answer, row in zip(answers, rows, strict=True):
        if answer.label not in names:
            raise ValueError(
                f"{answer.label!r} is not one of the labels {names}. Rows have several labels: name the one "
                "that is answered, learn(rows, values, label=names)."
            )
        if answer.value not in (0, 1):
            raise ValueError(f"An answer about the label {answer.label!r} is 1 or 0; it is {answer.value!r}.")
        at = int(row), names.index(answer.label)
        values[at], codes[at] = answer.value, answer.value
    return Indicators(values, cells.classes, codes)

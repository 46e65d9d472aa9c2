"""The tables of a folder, read as the tool reads a user's file, and split by the number of a draw."""

from __future__ import annotations

import csv
import gzip
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits

from ..cells import features, kinds_of
from ..common.types import Ints
from ..files import InputError, read_table, target_values
from .datasets import FOLDER_VARIABLE, DataError, Dataset, Split

# The name of these splits among the settings of a cell.
PROTOCOL = "draws"
# The same rows under another name: as tables of their own they would count twice, once in each half.
COPIES = {"wdbc": "breast_cancer"}
_TARGET = "target"
_TEST, _MOST_TEST = 0.2, 2000
_LEAST_UNLABELLED = 100
_BUNDLED = {"breast_cancer": load_breast_cancer, "digits": load_digits}


class TooSmallError(DataError):
    """A table that is no match for so many labels; nothing is wrong with it."""


def tables_in(folder: Path | None) -> dict[str, Path | None]:
    """Every table by its name: CSV files of a folder and of the folders in it, and scikit-learn's own.

    A table has one label a row, in the last column, which is called target.
    """
    found: dict[str, Path | None] = dict.fromkeys(_BUNDLED)
    for path in _files(folder) if folder else ():
        name = path.name.split(".csv")[0]
        if name in COPIES or _last_column(path) != _TARGET:
            continue
        if found.get(name):
            raise DataError(f"{found[name]} and {path} are both called {name}; rename one of them.")
        found[name] = path
    return dict(sorted(found.items()))


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder; name one by --data-dir or {FOLDER_VARIABLE}.")
    return sorted(
        path for depth in ("*", "*/*") for end in (".csv", ".csv.gz") for path in folder.glob(depth + end)
    )


def _last_column(path: Path) -> str:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="") as file:
        return next(csv.reader(file), [""])[-1]


@lru_cache(maxsize=4)
def read(name: str, folder: Path | None = None) -> tuple[Dataset, pd.DataFrame, Ints]:
    """What a table is, its features (N, d) as the tool learns from them, and its labels as codes (N,)."""
    tables = tables_in(folder)
    if name not in tables:
        raise DataError(
            f"There is no table {name!r} in {folder}."
            if folder
            else f"There is no table {name!r}; name its folder by --data-dir or {FOLDER_VARIABLE}."
        )
    try:
        frame = _frame(name, tables[name])
        labels = target_values(frame, _TARGET)
        X = features(frame, kinds_of(frame, _TARGET))
    except InputError as error:
        raise DataError(f"{name} cannot be read: {error}") from error
    if not X.shape[1]:
        raise DataError(f"{name} has no column to learn from.")
    given = labels != np.array(None)
    X, y = X[given].reset_index(drop=True), pd.factorize(labels[given], sort=True)[0]
    classes = int(y.max(initial=-1)) + 1
    if classes < 2:
        raise DataError(f"{name} has {classes} classes; two are the least.")
    return Dataset(name, name, len(X), X.shape[1], classes, np.nan), X, y


def _frame(name: str, path: Path | None) -> pd.DataFrame:
    return _BUNDLED[name](as_frame=True).frame if path is None else read_table(path).frame


def check(name: str, folder: Path | None, *, labelled: int, protocol: str = PROTOCOL) -> None:
    """Refuse a table that cannot be read, or that has too few rows or too many classes for so many labels."""
    dataset, _, _ = read(name, folder)
    if dataset.classes > labelled:
        raise TooSmallError(f"{name} with {labelled} labels: it has {dataset.classes} classes.")
    training = dataset.rows - _n_test(dataset.rows)
    if training < labelled + _LEAST_UNLABELLED:
        raise TooSmallError(
            f"{name} with {labelled} labels: of {training} rows for training fewer than {_LEAST_UNLABELLED} "
            "would be unlabelled."
        )


def read_draw(
    name: str, seed: int, folder: Path | None = None, *, labelled: int, protocol: str = PROTOCOL
) -> Split:
    """The split of a table by the number of a draw, which decides everything.

    A fifth of the rows, 2,000 at most, is for the test. Of the others `labelled` rows at random have
    their labels, at least one of each class.

    Examples
    --------
    >>> split = read_draw("digits", seed=0, labelled=60)
    >>> len(split.y_l), len(split.y_u), len(split.y_t)
    (60, 1378, 359)
    """
    check(name, folder, labelled=labelled)
    dataset, X, y = read(name, folder)
    order = np.random.RandomState(seed).permutation(len(y))
    training, test = with_each_class(order, y, len(y) - _n_test(len(y)))
    given, pool = with_each_class(training, y, labelled)
    X_l, X_u, X_t = (X.iloc[rows].reset_index(drop=True) for rows in (given, pool, test))
    return Split(dataset, seed, X_l, y[given], X_u, y[pool], X_t, y[test])


def _n_test(rows: int) -> int:
    return min(round(_TEST * rows), _MOST_TEST)


def with_each_class(order: Ints, y: Ints, n: int) -> tuple[Ints, Ints]:
    """The first n rows of an order, and the others; the last of them make way for classes without a row.

    Examples
    --------
    >>> with_each_class(np.array([3, 0, 2, 1]), np.array([0, 1, 0, 0]), 2)
    (array([3, 1]), array([0, 2]))
    """
    _, first = np.unique(y[order], return_index=True)  # where in the order each class begins
    late = first[first >= n]
    spare = np.setdiff1d(np.arange(n), first)
    taken = np.arange(len(order)) < n
    taken[spare[len(spare) - len(late) :]] = False
    taken[late] = True
    return order[taken], order[~taken]

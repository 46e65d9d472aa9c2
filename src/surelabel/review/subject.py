"""What is looked at: the rows as a person reads them, and what is known of each label."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..cells import Kind, features_and_notes, kinds_of
from ..common.errors import InputError
from ..common.types import Fitted, Floats, Ints, Table, Values
from ..filling import FILLED, GIVEN, LEFT
from ..reading.features import as_table
from .likeness import Landmarks, as_numbers
from .piles import YES_NO, class_name, unlabelled_rows

_IMAGE = re.compile(r"(\d+)x(\d+)(?::(.+))?")
_MOST_PIXELS = 65_536
# Whole numbers below this are written as such, not as 8.0.
_EXACT = 1e15
# Of other numbers, so many digits are shown; cells that are text in the file are shown as they are.
_DIGITS = 7


@dataclass(frozen=True)
class Picture:
    """Columns of pixels that are drawn as a picture.

    Parameters
    ----------
    width, height : int
        In pixels.
    columns : tuple of str
        From left to right, then from top to bottom.
    """

    width: int
    height: int
    columns: tuple[Any, ...]

    @classmethod
    def of(cls, said: str, frame: pd.DataFrame) -> Picture:
        """What `--image 8x8` or `--image 8x8:pixel_` means for the columns of a table."""
        found = _IMAGE.fullmatch(said.strip())
        if found is None:
            raise InputError(f"--image takes width x height, such as 8x8 or 28x28:pixel_; it got {said!r}.")
        width, height, prefix = int(found[1]), int(found[2]), found[3]
        if not 0 < width * height <= _MOST_PIXELS:
            raise InputError(f"--image {said}: a picture has from 1 to {_MOST_PIXELS:,} pixels.")
        names = [name for name in frame if str(name).startswith(prefix or "")]
        if prefix is None:
            names = [
                name for name in names if as_numbers(pd.to_numeric(frame[name], errors="coerce")) is not None
            ]
        if len(names) != width * height:
            what = f"columns begin with {prefix!r}" if prefix else "columns are there"
            raise InputError(
                f"--image {said} needs {width * height:,} columns of pixels; {len(names):,} {what}. Name how "
                f"they begin: --image {width}x{height}:pixel_"
            )
        return cls(width, height, tuple(names))


@dataclass(frozen=True, eq=False)
class Subject:
    """What is under review: rows with one label at most or, where rows have several, cells.

    A cell is a row and one of its labels; cells are in the order of rows, and within a row of labels. Below,
    n is the number of rows, and m that of rows or cells.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        The cells, as they are shown.
    X : DataFrame of shape (n, d_used)
        The columns that are learnt from, typed.
    kinds : dict of str to str
        What each column of `frame` is taken for.
    classes : tuple of str
        The classes, as text.
    label : ndarray of shape (m,)
        Given or filled in, as text; None without.
    guess, runner_up : ndarray of shape (m,)
        The two most probable classes as text; None where nobody was asked.
    probability, second : ndarray of shape (m,)
        Of these; NaN where it is not known.
    status : ndarray of shape (m,)
        GIVEN, FILLED or LEFT.
    title : str
        Of the page: where the rows come from.
    picture : Picture, optional
        Columns that are drawn.
    asked : tuple of str
        Names of the labels, where rows have several.
    """

    frame: pd.DataFrame
    X: pd.DataFrame
    kinds: dict[Any, str]
    classes: tuple[str, ...]
    label: Values
    guess: Values
    runner_up: Values
    probability: Floats
    second: Floats
    status: Values
    title: str = ""
    picture: Picture | None = None
    asked: tuple[str, ...] = ()
    _sorted: dict[Any, Floats] = field(default_factory=dict)
    _landmarks: dict[int, Landmarks] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.label)

    @property
    def per_row(self) -> int:
        """How many are asked about a row: 1, or the number of labels."""
        return max(len(self.asked), 1)

    def row_of(self, item: int) -> int:
        """The row of a row or cell."""
        return item // self.per_row

    def name_of(self, item: int) -> str:
        """What a row or cell is called: "row 12", or "row 12, sad"."""
        row = f"row {self.row_of(item) + 1:,}"
        return f"{row}, {self.asked[item % self.per_row]}" if self.asked else row

    def landmarks(self, item: int) -> Landmarks:
        """The given rows, to compare the row of a row or cell with; of several labels, by that label."""
        label = item % self.per_row
        if label not in self._landmarks:
            status, labels = self.status[label :: self.per_row], self.label[label :: self.per_row]
            rows = np.flatnonzero(status == GIVEN)
            self._landmarks[label] = Landmarks(self.X, self.kinds, rows, labels[rows])
        return self._landmarks[label]

    @cached_property
    def counts(self) -> Counter[str]:
        """Rows, or cells, that have each class, given or filled in."""
        return Counter(label for label in self.label if label is not None)

    @cached_property
    def haystack(self) -> list[str]:
        """All cells of each row in one text, for searching."""
        columns = [self.frame[name].astype(object).to_numpy() for name in self.frame]
        return ["\n".join(map(plain, cells)).casefold() for cells in zip(*columns, strict=True)]

    @cached_property
    def pixels(self) -> Values | None:
        """Pixels of all rows from 0 to 255, shape (n, width * height)."""
        if self.picture is None:
            return None
        numbers = self.frame[list(self.picture.columns)].apply(pd.to_numeric, errors="coerce").to_numpy(float)
        low, high = (np.nanmin(numbers), np.nanmax(numbers)) if np.isfinite(numbers).any() else (0.0, 1.0)
        return np.nan_to_num(255 * (numbers - low) / max(high - low, 1e-12)).astype(np.uint8)

    def place(self, name: Any, row: int) -> float | None:
        """Which share of the column is below a row's number; None where it is no number."""
        if name not in self.X:
            return None
        if name not in self._sorted:
            numbers = as_numbers(self.X[name])
            known = np.empty(0) if numbers is None else np.sort(numbers[np.isfinite(numbers)])
            self._sorted[name] = known
        known = self._sorted[name]
        if not len(known):
            return None
        value = float(as_numbers(self.X[name].iloc[row : row + 1])[0])  # type: ignore[index]
        if not np.isfinite(value):
            return None
        below, upto = np.searchsorted(known, value), np.searchsorted(known, value, side="right")
        return float(below + upto) / 2 / len(known)


def subject_of(
    clf: Fitted,
    X: Table,
    *,
    frame: pd.DataFrame | None = None,
    kinds: dict[str, Kind] | None = None,
    image: str | None = None,
    title: str = "",
) -> Subject:
    """What a fitted classifier says of its rows, ready to be shown.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    X : array or frame of shape (n, d)
        All rows of the fit, those of X_unlabeled below those of X.
    frame : DataFrame of shape (n, d'), optional
        The cells to show; by default X.
    kinds : dict of str to Kind, optional
        What the columns are taken for.
    image, title : str, optional
        As `--image` says it; of the page.
    """
    table = _as_frame(X)
    n = len(clf.labeled_iter_)
    if len(table) != n:
        raise ValueError(
            f"X has {len(table):,} rows, and the classifier was fitted on {n:,}: give all rows of the fit, "
            "those of X_unlabeled below those of X."
        )
    shown = table if frame is None else frame.reset_index(drop=True)
    if kinds is None:
        kinds = kinds_of(table, ())
        table, _ = features_and_notes(table, kinds)
    picture = None if image is None else Picture.of(image, shown)
    several = clf.several_labels
    lines, rows, m = clf.pseudo_labels_, unlabelled_rows(clf), clf.labeled_iter_.size
    status = np.full(m, GIVEN, dtype=object)
    status[rows] = np.where(lines["filled"].notna(), FILLED, LEFT)
    label = _names(pd.Series(_known(clf), dtype=object), np.arange(m), m, several)
    label[rows] = _names(lines["filled"], np.arange(len(rows)), len(rows), several)
    probability = _spread(lines["probability"], rows, m)
    guess = _names(lines["guess"], rows, m, several)
    return Subject(
        frame=shown,
        X=table,
        kinds={name: kinds[name].kind if name in kinds else "not used" for name in shown},
        classes=YES_NO if several else tuple(str(each) for each in clf.classes_.tolist()),
        label=label,
        guess=guess,
        runner_up=_others(guess) if several else _names(lines["runner_up"], rows, m),
        probability=probability,
        second=probability - _spread(lines["gap"], rows, m),
        status=status,
        title=title,
        picture=picture,
        asked=tuple(map(str, clf.classes_.tolist())) if several else (),
    )


def _as_frame(X: Table) -> pd.DataFrame:
    table = as_table(X)
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if isinstance(table, pd.DataFrame):
        return table.reset_index(drop=True)
    array = np.asarray(table.toarray() if hasattr(table, "toarray") else table)
    return pd.DataFrame(array, columns=[f"column {k + 1}" for k in range(array.shape[1])])


def _known(clf: Fitted) -> Values:
    """The label of each row or cell that has one, shape (m,)."""
    found = clf.transduction_
    if clf.several_labels or found.ndim == 1:
        return found.ravel()
    # One label a row, in the form of cells.
    return clf.classes_[np.nan_to_num(found.astype(float)).argmax(axis=1)]


def _spread(values: pd.Series, rows: Ints, n: int) -> Floats:
    out = np.full(n, np.nan)
    out[rows] = values.to_numpy(dtype=float)
    return out


def _names(values: pd.Series, rows: Ints, n: int, several: bool = False) -> Values:
    out = np.full(n, None, dtype=object)
    out[rows] = [None if pd.isna(value) else class_name(value, several) for value in values]
    return out


def _others(guess: Values) -> Values:
    """Yes for no and no for yes."""
    other = {YES_NO[0]: YES_NO[1], YES_NO[1]: YES_NO[0], None: None}
    return np.array([other[each] for each in guess], dtype=object)


def plain(cell: Any) -> str:
    """A cell as text; "" where it is missing."""
    if pd.api.types.is_scalar(cell) and pd.isna(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    if isinstance(cell, float):
        return f"{cell:.{_DIGITS}g}"
    return str(cell).removesuffix(" 00:00:00")

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
from .piles import unlabelled_rows

_IMAGE = re.compile(r"(\d+)x(\d+)(?::(.+))?")
_MOST_PIXELS = 65_536
# Whole numbers below this are written as such, not as 8.0.
_EXACT = 1e15


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
    """Rows under review, each with one label at most.

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
    label : ndarray of shape (n,)
        Given or filled in, as text; None without.
    guess, runner_up : ndarray of shape (n,)
        The two most probable classes as text; None where nobody was asked.
    probability, second : ndarray of shape (n,)
        Of these; NaN where it is not known.
    status : ndarray of shape (n,)
        GIVEN, FILLED or LEFT.
    title : str
        Of the page: where the rows come from.
    picture : Picture, optional
        Columns that are drawn.
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
    _sorted: dict[Any, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def landmarks(self) -> Landmarks:
        """The given rows, to compare others with."""
        rows = np.flatnonzero(self.status == GIVEN)
        return Landmarks(self.X, self.kinds, rows, self.label[rows])

    @cached_property
    def counts(self) -> Counter[str]:
        """Rows that have each class, given or filled in."""
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
        Fitted, with one label a row.
    X : array or frame of shape (n, d)
        All rows of the fit, those of X_unlabeled below those of X.
    frame : DataFrame of shape (n, d'), optional
        The cells to show; by default X.
    kinds : dict of str to Kind, optional
        What the columns are taken for.
    image, title : str, optional
        As `--image` says it; of the page.
    """
    if getattr(clf, "several_labels", False):
        raise InputError("Rows with several labels cannot be reviewed yet: the page shows one label a row.")
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
    lines, rows = clf.pseudo_labels_, unlabelled_rows(clf)
    status = np.full(n, GIVEN, dtype=object)
    status[rows] = np.where(lines["filled"].notna(), FILLED, LEFT)
    label = np.array([str(each) for each in clf.transduction_.tolist()], dtype=object)
    label[rows] = [None if each is None else str(each) for each in lines["filled"].tolist()]
    probability = _spread(lines["probability"], rows, n)
    return Subject(
        frame=shown,
        X=table,
        kinds={name: kinds[name].kind if name in kinds else "not used" for name in shown},
        classes=tuple(str(each) for each in clf.classes_.tolist()),
        label=label,
        guess=_names(lines["guess"], rows, n),
        runner_up=_names(lines["runner_up"], rows, n),
        probability=probability,
        second=probability - _spread(lines["gap"], rows, n),
        status=status,
        title=title,
        picture=picture,
    )


def _as_frame(X: Table) -> pd.DataFrame:
    table = as_table(X)
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if isinstance(table, pd.DataFrame):
        return table.reset_index(drop=True)
    array = np.asarray(table.toarray() if hasattr(table, "toarray") else table)
    return pd.DataFrame(array, columns=[f"column {k + 1}" for k in range(array.shape[1])])


def _spread(values: pd.Series, rows: Ints, n: int) -> Floats:
    out = np.full(n, np.nan)
    out[rows] = values.to_numpy(dtype=float)
    return out


def _names(values: pd.Series, rows: Ints, n: int) -> Values:
    out = np.full(n, None, dtype=object)
    out[rows] = [None if pd.isna(value) else str(value) for value in values]
    return out


def plain(cell: Any) -> str:
    """A cell as text; "" where it is missing."""
    if pd.api.types.is_scalar(cell) and pd.isna(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    return str(cell).removesuffix(" 00:00:00")

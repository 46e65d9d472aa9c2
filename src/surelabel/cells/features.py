"""The columns of a table that are learnt from, typed as they were found to be."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..common.errors import InputError
from .column import category_cells, cells_as
from .kinds import Kind
from .notation import PLAIN, Notation
from .remarks import on_read, shortened
from .survey import Survey
from .values import shared_objects


def features(frame: pd.DataFrame, kinds: dict[str, Kind]) -> pd.DataFrame:
    """The columns that are used, typed.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    kinds : dict of str to Kind
        What its columns are; see `kinds_of`.

    Returns
    -------
    DataFrame
        Numbers as float64 (missing: NaN), dates as datetime64[us] (NaT), categories as
        objects that are text (None).

    Raises
    ------
    InputError
        If a column of numbers or dates holds something else, and `kinds` do not tell of such cells.

    Examples
    --------
    >>> from surelabel.cells import kinds_of
    >>> frame = pd.DataFrame({"width": ["1.5", "NA"], "colour": ["red", ""], "kind": ["a", ""]})
    >>> features(frame, kinds_of(frame, "kind"))
       width colour
    0    1.5    red
    1    NaN   None
    """
    X, surveys = _read(frame, kinds)
    for name, survey in surveys.items():
        if not kinds[name].n_stray:
            raise _changed(kinds[name], survey)
    return X


def features_and_notes(
    frame: pd.DataFrame, kinds: dict[str, Kind]
) -> tuple[pd.DataFrame, dict[str, tuple[str, str]]]:
    """The columns of another table, typed; cells that are not what its columns were count as missing.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table, as text or typed.
    kinds : dict of str to Kind
        What the columns of the first table are; see `kinds_of`.

    Returns
    -------
    X : DataFrame
        As of `features`.
    notes : dict of str to (str, str)
        For each column with such cells: what a person should know, and can do.

    Raises
    ------
    InputError
        If more than half of the cells of a column are not what it was.

    Examples
    --------
    >>> from surelabel.cells import kinds_of
    >>> kinds = kinds_of(pd.DataFrame({"width": ["1.5", "2"], "kind": ["a", "b"]}), "kind")
    >>> X, notes = features_and_notes(pd.DataFrame({"width": ["1", "2", "x"]}), kinds)
    >>> X["width"].tolist()
    [1.0, 2.0, nan]
    >>> notes["width"]
    ("2 of 3 cells are numbers; row 3 holds 'x'; it counts as missing.", 'Correct it.')
    """
    X, surveys = _read(frame, kinds)
    for name, survey in surveys.items():
        if 2 * survey.n_stray > survey.n_known:
            raise _changed(kinds[name], survey)
    return X, {name: on_read(survey) for name, survey in surveys.items()}


def _read(frame: pd.DataFrame, kinds: dict[str, Kind]) -> tuple[pd.DataFrame, dict[str, Survey]]:
    """The columns that are used, and a survey of each in which there are strays."""
    columns, surveys = {}, {}
    for name, kind in kinds.items():
        if kind.used:
            columns[name], survey = _column(frame[name], kind)
            if survey is not None and survey.n_stray:
                surveys[name] = survey
    return pd.DataFrame(columns, index=frame.index, copy=False), surveys


def _column(column: pd.Series, kind: Kind) -> tuple[pd.Series, Survey | None]:
    if kind.kind == "category":
        cells = category_cells(column, kind.notation)
        if cells.kind != "text":
            raise InputError(f"Column {kind.name!r} was a category and now holds a {cells.kind} in each row.")
        return pd.Series(shared_objects(cells.values), index=column.index, dtype=object), None
    cells = cells_as(column, kind.kind, Notation.of(kind.notation) if kind.notation else PLAIN)
    if cells.kind != kind.kind and cells.values.null_count < len(column):
        raise InputError(f"Column {kind.name!r} was a {kind.kind} and now holds a {cells.kind} in each row.")
    values = cells.values.to_numpy(zero_copy_only=False)
    if cells.kind != kind.kind:
        values = np.full(len(column), np.nan if kind.kind == "number" else np.datetime64("NaT", "us"))
    return pd.Series(values, index=column.index, copy=False), cells.survey


def _changed(kind: Kind, survey: Survey) -> InputError:
    row, cell = survey.strays[0]
    return InputError(
        f"Column {kind.name!r} was a {kind.kind} and now holds {shortened(cell)}, in row {row + 1:,}."
    )

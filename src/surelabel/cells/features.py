"""The columns of a table that are learnt from, typed as they were found to be."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..common.errors import InputError
from .column import category_cells, cells_as, cells_of, text_cells
from .kinds import Kind
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
        Numbers as float64 (missing: NaN), dates as datetime64[us] (NaT), times of day as Arrow's,
        categories and free text as objects that are text (None), vectors as objects that are arrays.

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
    if kind.kind in ("date and time", "date", "time", "number"):
        return _measured(column, kind, kind.kind.removesuffix(" and time"))
    if kind.kind in ("category", "many levels"):
        cells, expected = category_cells(column, kind.notation), "text"
    elif kind.kind == "vector":
        cells, expected = cells_of(column), "vector"
    else:
        cells, expected = text_cells(column), "text"
    if cells.kind != expected:
        raise InputError(f"Column {kind.name!r} was a {kind.kind} and now holds a {cells.kind} in each row.")
    if cells.kind == "vector":
        return pd.Series(list(cells.values), index=column.index, dtype=object), None
    return pd.Series(shared_objects(cells.values), index=column.index, dtype=object), None


def _measured(column: pd.Series, kind: Kind, what: str) -> tuple[pd.Series, Survey | None]:
    """Numbers, dates or times."""
    cells = cells_as(column, what, kind.notation)
    values = cells.values
    if cells.kind != what:
        if cells.kind in ("nested", "vector") or values.null_count < len(column):
            raise InputError(f"Column {kind.name!r} was a {what} and now holds a {cells.kind} in each row.")
        values = pa.nulls(len(column), pa.timestamp("us") if what == "date" else pa.float64())
    if what == "time":
        microseconds = pc.round(pc.multiply(values, 1e6)).cast(pa.int64())
        times = pd.arrays.ArrowExtensionArray(microseconds.cast(pa.time64("us")))
        return pd.Series(times, index=column.index), cells.survey
    return pd.Series(values.to_numpy(zero_copy_only=False), index=column.index, copy=False), cells.survey


def _changed(kind: Kind, survey: Survey) -> InputError:
    row, cell = survey.strays[0]
    return InputError(
        f"Column {kind.name!r} was a {kind.kind} and now holds {shortened(cell)}, in row {row + 1:,}."
    )

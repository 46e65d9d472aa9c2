"""The table that a run writes: labels filled in, and columns that say why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import Bools, Ints, Values
from ..filling import FILLED, GIVEN, LEFT

_REASONS = ("status", "confidence", "guess", "probability", "runner_up", "round", "at_random")

# Of given labels: whether the row was drawn at random.
_TRUE, _FALSE = "true", "false"


def stem_of(target: str, several: bool) -> str:
    """How the names of the columns begin that say why a label was given or not."""
    return f"surelabel_{target}" if several else "surelabel"


def reason_columns(stem: str = "surelabel", several: bool = False) -> list[str]:
    """Names of the columns that say why; of several labels, the runner-up is always the other answer."""
    return [f"{stem}_{name}" for name in _REASONS if not (several and name == "runner_up")]


def filled(
    frame: pd.DataFrame,
    target: str,
    audit: pd.DataFrame,
    start: int,
    stem: str = "surelabel",
    sampled: Bools | None = None,
) -> pd.DataFrame:
    """The table with its labels filled in and the columns that say why.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        As it was read.
    target : str
        The label column; added if there is none.
    audit : DataFrame
        A line for each row that came unlabelled, by its position in the fit; `filled` is the label that is
        handed out, as it is written, or missing.
    start : int
        Position of the first row in the fit.
    stem : str, default="surelabel"
        How the names of the columns that say why begin.
    sampled : ndarray of shape (n,), optional
        Which rows, if their label was given, were drawn at random; by default all.
    """
    out = frame.copy(deep=False)
    lines = audit.loc[(audit.index >= start) & (audit.index < start + len(frame))]
    places, handed = lines.index.to_numpy() - start, lines["filled"].notna().to_numpy()
    out[target] = _label_column(frame, target, places[handed], lines["filled"].to_numpy(dtype=object)[handed])
    spread = _spreader(places, frame.index)
    asked = lines["guess"].notna().to_numpy()
    reasons = [
        spread(np.where(handed, FILLED, LEFT), default=GIVEN),
        spread(_rounded(lines["confidence"]), "double"),
        spread(_text(lines["guess"].to_numpy(), asked)),
        spread(_rounded(lines["probability"]), "double"),
        spread(_text(lines["runner_up"].to_numpy(), asked)),
        spread([n if n > 0 else None for n in lines["round"].tolist()], "int64"),
        spread(None, default=_TRUE if sampled is None else np.where(sampled, _TRUE, _FALSE)),
    ]
    for name, column in zip(reason_columns(stem), reasons, strict=True):
        out[name] = column
    return out


def _label_column(frame: pd.DataFrame, target: str, places: Ints, labels: Values) -> pd.Series:
    """The label column with labels put into some places, in the type and the spelling of those given."""
    if target not in frame:
        values = np.full(len(frame), None, dtype=object)
        values[places] = [str(label) for label in labels]
        return pd.Series(values, index=frame.index, dtype="string[pyarrow]")
    column = frame[target]
    values = column.astype(object).to_numpy(copy=True)
    as_given = {str(value): value for value in pd.unique(column.dropna().astype(object))}
    values[places] = [as_given.get(str(label), label) for label in labels]
    return pd.Series(values, index=frame.index, dtype=column.dtype)


def _spreader(at: Ints, index: pd.Index) -> Callable[..., pd.Series]:
    """Makes columns of the whole table from the cells of the rows that came unlabelled."""

    def spread(
        cells: Sequence[Any] | Values | None, kind: str = "string", default: str | Values | None = None
    ) -> pd.Series:
        column = np.full(len(index), default, dtype=object)
        column[at] = cells
        return pd.Series(column, index=index, dtype=f"{kind}[pyarrow]")

    return spread


def _text(values: Iterable[Any], shown: Iterable[bool]) -> list[str | None]:
    return [str(value) if show else None for value, show in zip(values, shown, strict=True)]


def _rounded(values: pd.Series) -> list[float | None]:
    # Six digits: what comes after them is rounding, and differs between machines.
    plain = values.to_numpy(dtype=float, na_value=np.nan).tolist()
    return [None if isnan(value) else float(f"{value:.6g}") for value in plain]

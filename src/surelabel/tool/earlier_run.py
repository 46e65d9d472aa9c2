"""A table that an earlier run wrote, given back: which of its labels are a person's.

What surelabel filled in is no evidence, so it is unlabelled again. What a person gave at first, filled in or
changed since is given now; it teaches, but counts for a promise only where the table says that the row was
drawn at random. The columns that say why tell which is which, and are left out then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..allocation import Status
from ..common.types import Bools, Values
from ..files import InputError, target_values
from ..filling import FILLED, STATUSES
from .filled_table import reason_columns, stem_of
from .label_columns import answer_of

_WRITTEN = re.compile(r"surelabel_(.+_)?(status|confidence|guess|probability|runner_up|round|at_random)")
# Those of the first release too.
_STATUSES = {"", *STATUSES, *(str(status) for status in Status)}

_DRAWN = "at_random"


@dataclass(frozen=True)
class Tally:
    """Labels of a table that an earlier run wrote.

    Parameters
    ----------
    given : int
        That were given to the earlier run.
    by_hand : int
        That a person filled in or changed since.
    taken_back : int
        That surelabel filled in; they are unlabelled again.
    chosen : int
        Of those that are given now, the labels of rows that are not known to be drawn at random.
    """

    given: int = 0
    by_hand: int = 0
    taken_back: int = 0
    chosen: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(mine + others for mine, others in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class EarlierRun:
    """What an earlier run added to a table.

    Parameters
    ----------
    path : str
        The table.
    added : tuple of str
        The columns that it added.
    targets : tuple of str
        The label columns.
    several : bool
        Whether rows have several labels.
    is_asked : bool
        Whether the columns tell which labels are a person's; a user may drop them, and then all labels are.
    """

    path: str
    added: tuple[str, ...]
    targets: tuple[str, ...]
    several: bool
    is_asked: bool

    @property
    def needed(self) -> list[str]:
        """The columns that `read` looks at."""
        stems = [stem_of(name, self.several) for name in self.targets] if self.is_asked else []
        wanted = {f"{stem}_{what}" for stem in stems for what in ("status", "guess", "runner_up", _DRAWN)}
        return [*self.targets, *(name for name in self.added if name in wanted)]

    def told(self, tally: Tally) -> str:
        """What becomes of the labels, in words."""
        if not self.is_asked:
            return (
                f"{self.path} was written by an earlier run, and {self.added[0]!r} is dropped, so all labels "
                "count as given, also those that surelabel filled in."
            )
        return (
            f"{self.path} was written by an earlier run. Labels given to that run: {tally.given:,}. Filled "
            f"in or changed by hand since, and given now: {tally.by_hand:,}. Filled in by surelabel, and "
            f"unlabelled again: {tally.taken_back:,}.{self._told_of_chosen(tally)}"
        )

    def _told_of_chosen(self, tally: Tally) -> str:
        if not tally.chosen:
            return ""
        column = f"{stem_of(self.targets[0], self.several)}_{_DRAWN}"
        return (
            f" Given labels of rows that are not known to be drawn at random: {tally.chosen:,}. They teach, "
            f"and no promise stands on them; write true into {column} of rows that you drew at random."
        )

    def read(
        self, frame: pd.DataFrame, missing_label: str | None = None, as_text: bool = False
    ) -> tuple[pd.DataFrame, Tally]:
        """The table as if no run had written it: without what surelabel filled in and added.

        Parameters
        ----------
        frame : DataFrame of shape (n, d)
            The table, or some rows of it.
        missing_label : str, optional
            A mark of unlabelled rows besides the empty cell.
        as_text : bool, default=False
            Whether the empty cell is "", as in CSV, and not null.
        """
        tally = Tally()
        out = frame.drop(columns=[name for name in self.added if name in frame])
        for target in self.targets if self.is_asked else ():
            if target in frame:
                given, by_hand, ours = self._sorted(frame, target, missing_label)
                out[target] = _mended(frame[target], given, by_hand)
                out[target] = _emptied(out[target], ours, missing_label, as_text)
                chosen = (given | by_hand) & ~self._drawn(frame, target, given)
                tally += Tally(int(given.sum()), int(by_hand.sum()), int(ours.sum()), int(chosen.sum()))
        return out, tally

    def sampled(self, frame: pd.DataFrame, missing_label: str | None = None) -> Bools:
        """Which rows, as far as they are labelled, are a random sample; shape (n,).

        The arguments are those of `read`. Of several labels, a row that has one of a chosen row is chosen.
        """
        out = np.ones(len(frame), dtype=bool)
        for target in self.targets if self.is_asked else ():
            if target in frame:
                given, by_hand, _ = self._sorted(frame, target, missing_label)
                out &= ~(given | by_hand) | self._drawn(frame, target, given)
        return out

    def _drawn(self, frame: pd.DataFrame, target: str, given: Bools) -> Bools:
        """Which rows were drawn at random, (n,): where no column tells, those that the run was given."""
        name = f"{stem_of(target, self.several)}_{_DRAWN}"
        if name not in self.added or name not in frame:
            return given
        cells = _texts(frame[name])
        said = np.array([answer_of(cell.strip()) if cell.strip() else 0 for cell in cells], dtype=object)
        for row in np.flatnonzero(said == np.array(None)):
            raise InputError(
                f"{self.path}: column {name!r} holds {cells[row]!r} in row {row + 1:,}. Write true where the "
                "row was drawn at random, and false or nothing where it was not."
            )
        return said == 1

    def _sorted(
        self, frame: pd.DataFrame, target: str, missing_label: str | None
    ) -> tuple[Bools, Bools, Bools]:
        """Which labels were given, which are by hand, and which are surelabel's; each of shape (n,)."""
        stem = stem_of(target, self.several)
        status, guess = _texts(frame[f"{stem}_status"]), _texts(frame[f"{stem}_guess"])
        # Where the plan chose another class, the guess of the first release was the runner-up.
        disputed = guess == (_texts(frame[f"{stem}_runner_up"]) if f"{stem}_runner_up" in frame else "")
        labels = target_values(frame, target, missing_label)
        known = labels != np.array(None)
        accepted = (status == FILLED) | (status == Status.ACCEPTED)
        self._check(f"{stem}_status", status, accepted & (guess == ""))
        same = _same_answer if self.several else _same_label
        as_filled = np.array(
            [same(label, text) for label, text in zip(labels, guess, strict=True)], dtype=bool
        )
        given = known & (status == Status.GIVEN)
        ours = known & accepted & (as_filled | disputed)
        return given, known & ~given & ~ours, ours

    def _check(self, name: str, status: Values, unguessed: Bools) -> None:
        """Refuse what no run writes."""
        for row in np.flatnonzero([each not in _STATUSES for each in status]):
            raise InputError(
                f"{self.path}: column {name!r} holds {status[row]!r} in row {row + 1:,}, which no run "
                f"writes. Correct it, or leave out what the earlier run added: {_drops(self.added)}."
            )
        for row in np.flatnonzero(unguessed):
            raise InputError(
                f"{self.path}: row {row + 1:,} is labelled by {name!r} and has no guess, which no run writes"
                f". Correct it, or leave out what the earlier run added: {_drops(self.added)}."
            )


def earlier_run(
    columns: Collection[str],
    path: str | Path,
    targets: Sequence[str],
    several: bool = False,
    drop: Collection[str] = (),
) -> EarlierRun | None:
    """What an earlier run added to a table, by the names of its columns; None if nothing.

    Refused are tables that have some of the columns of a run and not all, unless the user drops them.

    Parameters
    ----------
    columns : collection of str
        Names of the columns.
    path : str or Path
        The table.
    targets : sequence of str
        The label columns.
    several : bool, default=False
        Whether rows have several labels.
    drop : collection of str
        Columns that the user leaves out.
    """
    here = [name for name in map(str, columns) if _WRITTEN.fullmatch(name) and name not in targets]
    if not here:
        return None
    kept = [name for name in here if name not in drop]
    if not kept:
        return EarlierRun(str(path), tuple(here), tuple(targets), several, is_asked=False)
    wanted = [name for target in targets for name in reason_columns(stem_of(target, several), several)]
    # Earlier releases did not say which rows were drawn at random.
    lacking = [name for name in wanted if name not in kept and not name.endswith(f"_{_DRAWN}")]
    strange = [name for name in kept if name not in wanted]
    if lacking or strange:
        problem = (
            f"lacks {lacking[0]!r}" if lacking else f"has {strange[0]!r}, which is of another label column"
        )
        raise InputError(
            f"{path} has the column {kept[0]!r} of an earlier run, and {problem}. Give the table as that run "
            f"wrote it, or leave out what it added: {_drops(kept)}."
        )
    return EarlierRun(str(path), tuple(here), tuple(targets), several, is_asked=True)


def _drops(names: Sequence[str]) -> str:
    shown = " ".join(f"--drop {name}" for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _texts(column: pd.Series) -> Values:
    """Cells as text, "" where empty; shape (n,)."""
    return np.array(["" if pd.isna(cell) else str(cell) for cell in column.astype(object)], dtype=object)


def _same_label(label: Any, guess: str) -> bool:
    """Whether a label is the one that was filled in; a number may be written 1 or 1.0."""
    if isinstance(label, float) and label.is_integer() and str(int(label)) == guess:
        return True
    return guess == str(label) or (type(label) is int and guess == str(float(label)))


def _same_answer(label: Any, guess: str) -> bool:
    return label is not None and answer_of(label) is not None and answer_of(label) == answer_of(guess)


def _mended(column: pd.Series, given: Bools, by_hand: Bools) -> pd.Series:
    """Labels by hand without the apostrophe that guards from formulas, where the given ones are without."""
    known = {cell for cell in column[given] if isinstance(cell, str)}
    guarded = {f"'{cell}": cell for cell in known}
    if not any(cell in guarded for cell in column[by_hand] if isinstance(cell, str)):
        return column
    values = column.astype(object).to_numpy(copy=True)
    values[by_hand] = [guarded.get(cell, cell) for cell in values[by_hand]]
    return pd.Series(values, index=column.index, dtype=column.dtype)


def _emptied(column: pd.Series, rows: Bools, missing_label: str | None, as_text: bool) -> pd.Series:
    """The label column without the labels of some rows, marked as its unlabelled rows are."""
    if not rows.any():
        return column
    values = column.astype(object).to_numpy(copy=True)
    marks = [value for value in pd.unique(values[~rows]) if str(value) == missing_label]
    values[rows] = marks[0] if marks else "" if as_text else None
    return pd.Series(values, index=column.index, dtype=column.dtype)

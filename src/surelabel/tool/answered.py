"""What people answered on the page, taken into the table before a run: their labels are given labels then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..common.types import Bools, Values
from ..files import InputError, Table, read_table
from ..review.answers import AnswerFile, answers_in
from ..review.exchange import answers_of
from ..review.piles import class_name
from ..review.standing import Ledger, Standing
from .asked_back import as_answers, is_asked
from .label_columns import answer_of
from .run_folder import COMPLETE, RunFolder

FILE = "answers.sqlite"


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers for a run to take in.

    Parameters
    ----------
    ledger : Ledger
        What stands.
    """

    ledger: Ledger

    def __len__(self) -> int:
        return len(self.ledger)

    @property
    def labels(self) -> dict[int, Standing]:
        """Rows of which people know the class."""
        return {row: each for row, each in self.ledger.items() if each.label is not None}

    def record(self) -> dict[str, Any]:
        """For run.json: the number of the last answer, and how many labels came from each pile."""
        piles = Counter(each.answers[-1].pile for each in self.labels.values())
        return {"until": self.ledger.last, "labels": len(self.labels), "piles": dict(sorted(piles.items()))}

    def told(self) -> str:
        """What becomes of the answers, in words."""
        disputed = sum(each.disputed for _, each in self.ledger.items())
        unknown = len(self) - len(self.labels) - disputed
        left = [f"{unknown:,} that nobody can tell"] * bool(unknown)
        left += [f"{disputed:,} on which people differ"] * bool(disputed)
        rest = f"; left out are {' and '.join(left)}" if left else ""
        return f"answers taken in: {len(self.labels):,} labels{rest}."

    def taken_in(
        self, tables: list[Table], targets: tuple[str, ...], several: bool
    ) -> tuple[list[Table], Bools]:
        """The tables with these labels in their cells, and which rows are a random sample, (n,)."""
        n_rows, start, out = sum(len(table.frame) for table in tables), 0, list(tables)
        sampled, places = np.ones(n_rows, dtype=bool), {}
        for item, each in self.labels.items():
            row, column = divmod(item, len(targets))
            if row >= n_rows:
                raise InputError(f"{FILE} holds an answer for row {row + 1:,}; there are {n_rows:,} rows.")
            # Audited rows are drawn from those that were filled in, which are easier than what was left.
            last = each.answers[-1]
            sampled[row] &= each.at_random and (last.pile != "audit" or bool(last.shown.get("of_all")))
            places[row, column] = each.label
        written = [_spelling(tables[0], target, several) for target in targets]
        for k, table in enumerate(tables):
            for column, target in enumerate(targets):
                here = {
                    row - start: label
                    for (row, of), label in places.items()
                    if of == column and start <= row < start + len(table.frame)
                }
                if here:
                    out[k] = _with_labels(out[k], target, here, written[column])
            start += len(table.frame)
        return out, sampled


def _spelling(table: Table, target: str, several: bool) -> dict[str, Any]:
    """How labels are written in a column, by their names on the page."""
    values = pd.unique(table.frame[target].astype(object))
    if not several:
        return {str(value): value for value in values}
    known = {answer: value for value in values[::-1] if (answer := answer_of(value)) is not None}
    return {class_name(answer, several=True): known.get(answer, str(answer)) for answer in (1, 0)}


def _with_labels(table: Table, target: str, labels: dict[int, str | None], as_given: dict[str, Any]) -> Table:
    """A table with labels in some cells, in the type and the spelling of those that are there."""
    frame = table.frame.copy(deep=False)
    if target not in frame:
        frame[target] = pd.Series([""] * len(frame), index=frame.index, dtype="string[pyarrow]")
    column = frame[target]
    values: Values = column.astype(object).to_numpy(copy=True)
    for row, label in labels.items():
        values[row] = as_given.get(str(label), label)
    try:
        frame[target] = pd.Series(values, index=frame.index, dtype=column.dtype)
    except (ValueError, TypeError, pa.ArrowException) as error:
        new = next(label for label in labels.values() if str(label) not in as_given)
        raise InputError(
            f"The new class {new!r} cannot be written into column {target!r} of {table.path}, which holds "
            f"{column.dtype}. Make the column text, or take the answer back."
        ) from error
    return replace(table, frame=frame)


def known_answers(folder: RunFolder) -> Answers:
    """The answers for a run to take in: all, or those that it began with if it has not ended."""
    folder.files.check_plain(FILE)
    until = None
    if folder.can_resume():
        record = folder.record()
        if record["status"] != COMPLETE:
            until = record.get("answers", {}).get("until", 0)
    return Answers(Ledger(answers_in(folder.path / FILE, until)))


def are_new(answers: Answers | None, record: dict[str, Any]) -> bool:
    """Whether people answered something since a run."""
    return answers is not None and answers.ledger.last > record.get("answers", {}).get("until", 0)


def brought_in(
    folder: RunFolder,
    source: str,
    digests: dict[str, str],
    n_rows: Sequence[int],
    targets: tuple[str, ...],
    several: bool,
) -> int:
    """Write the answers of a table into the file of a run; how many lines say something.

    Parameters
    ----------
    folder : RunFolder
        Of the run.
    source : str
        The table: of answers, or rows that `surelabel next` wrote, with labels.
    digests : dict of str to str
        Of the files that the run read.
    n_rows : sequence of int
        Rows of each of these.
    targets : tuple of str
        The label columns.
    several : bool
        Whether rows have several labels.
    """
    frame = read_table(source).frame
    if is_asked(frame):
        frame = as_answers(frame, source, n_rows, targets, several)
    found = list(answers_of(frame, sum(n_rows), source, targets if several else ()))
    folder.files.check_plain(FILE)
    file = AnswerFile(folder.path / FILE, digests)
    try:
        file.add(found)
    finally:
        file.close()
    return len(found)


def file_of(folder: RunFolder) -> Path:
    """Where the answers about a run are."""
    return folder.path / FILE

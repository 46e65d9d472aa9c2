"""Rows that `surelabel next -o` wrote, given back with labels filled in: the answers in them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..files import InputError
from ..review.exchange import row_of, texts_of

# What tells such a file from others.
_MARKS = {"surelabel_row", "surelabel_pile"}


def is_asked(frame: pd.DataFrame) -> bool:
    """Whether `surelabel next` wrote a table."""
    return set(frame.columns) >= _MARKS


def as_answers(
    frame: pd.DataFrame, source: str, n_rows: Sequence[int], targets: Sequence[str], several: bool
) -> pd.DataFrame:
    """Answers with the columns that `answers_of` reads; label is empty where nobody filled one in.

    Parameters
    ----------
    frame : DataFrame
        What `surelabel next` wrote, with labels in the label column. Of several, a line is about one.
    source : str
        The name of the file, for errors.
    n_rows : sequence of int
        Rows of each file of the run; their numbers begin anew in each.
    targets : sequence of str
        The label columns.
    several : bool
        Whether rows have several labels.
    """
    name = "surelabel_label" if several else targets[0]
    if name not in frame:
        raise InputError(
            f"{source} has no column {name!r}. Give it back with the columns that surelabel next wrote, and "
            "labels in them."
        )
    columns = {str(name): texts_of(frame[name]) for name in frame}
    cells = columns["surelabel_label"] if several else [targets[0]] * len(frame)
    in_second = [file == "unlabeled" for file in columns.get("surelabel_file", [""] * len(frame))]
    lines = []
    for k, (number, cell, second) in enumerate(zip(columns["surelabel_row"], cells, in_second, strict=True)):
        if cell not in targets or cell not in columns:
            raise InputError(
                f"{source}, line {k + 1:,}: there is no label column {cell!r}; there are "
                f"{', '.join(targets)}."
            )
        before = sum(n_rows[:second])
        lines.append(
            {
                "row": str(before + row_of(number, sum(n_rows[: 1 + second]) - before, source, k) + 1),
                "cell": cell,
                "label": columns[cell][k].strip(),
                "pile": "ask",
                "at_random": str(columns["surelabel_pile"][k] == "random").lower(),
            }
        )
    return pd.DataFrame(lines, columns=["row", "cell", "label", "pile", "at_random"], dtype=object)

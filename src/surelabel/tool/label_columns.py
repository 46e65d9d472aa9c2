"""Label columns as people write them: which they are, and what their cells say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import Values
from ..files import InputError
from .settings import Settings

# How cells of several labels may be written.
_ANSWERS = {"1": 1, "true": 1, "yes": 1, "0": 0, "false": 0, "no": 0}
_PLAIN = (bool, int, float)
# As Python writes them, and few enough digits to be exact in every format.
_WHOLE = re.compile("0|-?[1-9][0-9]{0,14}")


def target_names(frame: pd.DataFrame, settings: Settings) -> tuple[tuple[str, ...], bool]:
    """The label columns, and whether rows have several labels."""
    if settings.target_prefix is not None:
        return _with_prefix(frame, settings.data, settings.target_prefix), True
    target = str(settings.target)
    # A comma may be part of a name.
    if target in frame.columns or "," not in target:
        return (target,), False
    names = tuple(name.strip() for name in target.split(","))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"--target names {twice[0]!r} twice.")
    return names, True


def _with_prefix(frame: pd.DataFrame, data: str, prefix: str) -> tuple[str, ...]:
    added = () if prefix.startswith("surelabel_") else ("surelabel_",)  # by an earlier run
    names = [str(name) for name in frame.columns]
    found = tuple(name for name in names if name.startswith(prefix) and not name.startswith(added))
    if not found:
        raise InputError(
            f"{data}: no column begins with {prefix!r}, which --target-prefix "
            "names. surelabel inspect shows the columns."
        )
    return found


def by_name(counts: Counter[Any]) -> dict[Any, int]:
    """Labelled rows of each class, in the order of the classes' names."""
    return {label: counts[label] for label in sorted(counts, key=str)}


def uniform(labels: Values) -> Values:
    """The same labels, whatever format they come from: whole numbers as such, dates as text; (n,)."""
    texts = {str(label) for label in labels if label is not None and not isinstance(label, _PLAIN)}
    texts |= {label for label in labels if isinstance(label, str)}
    as_number = all(_WHOLE.fullmatch(text) for text in texts)
    known: dict[str, Any] = {text: int(text) if as_number else text for text in texts}
    found = np.empty(len(labels), dtype=object)
    found[:] = [
        label if isinstance(label, _PLAIN) or label is None else known[str(label)] for label in labels
    ]
    return found


def answer_of(cell: Any) -> int | None:
    """What a cell of one of several labels says: 1, 0, or None where it is neither."""
    return _ANSWERS.get(str(cell).lower())


def yes_or_no(columns: Sequence[Values], names: Sequence[str]) -> tuple[Values, tuple[dict[int, Any], ...]]:
    """Cells of several labels as 1, 0 or None, shape (n, L), and how 1 and 0 are written in each column."""
    labels = np.full((len(columns[0]), len(columns)), None, dtype=object)
    answers = []
    for k, (values, name) in enumerate(zip(columns, names, strict=True)):
        written: dict[int, Any] = {}
        for row in np.flatnonzero(values != np.array(None)):
            answer = answer_of(values[row])
            if answer is None:
                raise InputError(
                    f"Column {name!r} holds {values[row]!r} in row {row + 1:,}. One of several label columns "
                    "says whether a row has the label: 1 or 0, true or false, yes or no, or empty."
                )
            labels[row, k] = answer
            written.setdefault(answer, values[row])
        answers.append(written)
    return labels, tuple(answers)

"""The data of `surelabel demo`: handwritten digits, most of them without their label."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from ..common.types import Bools
from ..files import InputError, format_of, read_table, write_table


def write_digits(path: str | Path) -> Path:
    """Write 1,437 digits, 143 of them with a label, and return the path; no other file is replaced."""
    X, y, hidden = digits()
    frame = X.assign(digit=y.astype(str).mask(hidden, "")).astype(str)
    if not os.path.lexists(path):
        write_table(frame, path, format_of(path))
    elif read_table(path).frame.values.tolist() != frame.values.tolist():
        raise InputError(f"{path} is there already, and is not of the demo. Name another --out.")
    return Path(path)


def write_truth(path: str | Path) -> Path:
    """Write the same digits, all with their label, for a simulated person; no other file is replaced."""
    X, y, _ = digits()
    frame = X.assign(digit=y).astype(str)
    if not os.path.lexists(path):
        write_table(frame, path, format_of(path))
    elif read_table(path).frame.values.tolist() != frame.values.tolist():
        raise InputError(f"{path} is there already, and is not of the demo. Name another --out.")
    return Path(path)


def truth_of(labels: str | Path) -> tuple[int, int]:
    """How many labels of a run on these digits were found, and how many of them are right."""
    _, y, hidden = digits()
    found = pd.read_csv(labels, dtype=str, keep_default_na=False)["digit"].to_numpy()
    filled = hidden & (found != "")
    return int(filled.sum()), int((filled & (found == y.astype(str).to_numpy())).sum())


def digits() -> tuple[pd.DataFrame, pd.Series, Bools]:
    """Pixels, digits, and which digits are hidden."""
    X, y = load_digits(return_X_y=True, as_frame=True)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=0)
    few, _ = train_test_split(y, test_size=0.9, random_state=0)
    return X.astype(int), y, ~y.index.isin(few.index)

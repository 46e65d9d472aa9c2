"""Any rows of the table: by a text in their cells, by class, by status; those of a class together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Ints
from ..filling import FILLED, GIVEN, LEFT
from .standing import Ledger, Standing
from .subject import Subject

PAGE = 50
DISPUTED, UNKNOWN, ANSWERED = "disputed", "cannot tell", "answered"
STATUSES = (LEFT, FILLED, GIVEN, ANSWERED, UNKNOWN, DISPUTED)


@dataclass(frozen=True)
class Wanted:
    """Which rows of the table to list.

    Parameters
    ----------
    search : str
        A text that a cell holds, in upper or lower case.
    label : str
        The class that a row has, by what is known now, or that is guessed for it.
    status : str
        One of STATUSES.
    order : {"sure", "unsure", "row"}
        By guess and the surest first, the most unsure first, or as in the table.
    page : int
        From 0.
    """

    search: str = ""
    label: str = ""
    status: str = ""
    order: str = "sure"
    page: int = 0


def matching(subject: Subject, ledger: Ledger, wanted: Wanted) -> Ints:
    """Positions of the rows that are wanted, in the order that is wanted."""
    label, status = subject.label.copy(), subject.status.copy()
    for row, each in ledger.items():
        status[row] = status_of(each)
        label[row] = each.label if status[row] == ANSWERED else label[row]
    shown = np.where(label == np.array(None), subject.guess, label)
    keep = np.ones(len(subject), dtype=bool)
    if wanted.label:
        keep &= shown == wanted.label
    if wanted.status:
        keep &= status == wanted.status
    if wanted.search.strip():
        text = wanted.search.strip().casefold()
        found = np.array([text in cells for cells in subject.haystack], dtype=bool)
        keep &= np.repeat(found, subject.per_row)
    rows = np.flatnonzero(keep)
    if wanted.order == "row":
        return rows
    p = np.nan_to_num(subject.probability[rows], nan=1.0)
    if wanted.order == "unsure":
        return rows[np.argsort(p, kind="stable")]
    _, groups = np.unique(np.array([str(name) for name in shown[rows]]), return_inverse=True)
    return rows[np.lexsort((-p, groups))]


def status_of(standing: Standing) -> str:
    """What the status of a row is by its answers."""
    return DISPUTED if standing.disputed else UNKNOWN if standing.label is None else ANSWERED

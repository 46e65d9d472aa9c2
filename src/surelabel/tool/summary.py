"""What became of the rows of a run, counted for a person to see."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..classifier import PseudoLabelClassifier


@dataclass(frozen=True)
class Summary:
    """Counts for each class, or for each of several labels, and why rows have no label.

    Parameters
    ----------
    columns : tuple of str
        What is counted; the first is "class" or "label".
    lines : list of (str, list of int)
        The name of each class or label, and its counts.
    left : dict of str to int
        Each reason why a label was not filled in, and how often.
    guessed : bool
        Whether the table that was written has a guess of rows that have no label.
    """

    columns: tuple[str, ...]
    lines: list[tuple[str, list[int]]]
    left: dict[str, int] = field(default_factory=dict)
    guessed: bool = False

    @property
    def totals(self) -> list[int]:
        """The counts of all lines together."""
        return [sum(counts) for counts in zip(*(counts for _, counts in self.lines), strict=True)]


def of_classes(clf: PseudoLabelClassifier, audit: pd.DataFrame) -> Summary:
    """Rows given, labelled and left over, by class; the class with most labels found comes first.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    audit : DataFrame
        A line for each row that came unlabelled, with what the final classifier says of it.
    """
    none = audit["label"].isna()
    found = _by_name(audit.loc[~none, "label"])
    doubtful = _by_name(audit.loc[none, "guess"])
    came_labelled = clf.transduction_[clf.labeled_iter_ == 0]
    lines = []
    for label in clf.classes_:
        name = str(label)
        given = int((came_labelled == label).sum())
        lines.append((name, [given, found[name], doubtful[name]]))
    columns = ("class", "given", "labelled now", "left, most likely")
    return Summary(columns, _most_found_first(lines), **_left(audit, none))


def of_cells(clf: PseudoLabelClassifier) -> Summary:
    """Cells given, filled in and left over, by label, where rows have several."""
    given, found = clf.labeled_iter_ == 0, clf.labeled_iter_ > 0
    yes, no = clf.transduction_ == 1, clf.transduction_ == 0
    counts = np.stack([cells.sum(axis=0) for cells in (given & yes, given & no, found & yes, found & no)])
    counts = np.vstack([counts, len(given) - counts.sum(axis=0)])
    lines = [(str(name), column.tolist()) for name, column in zip(clf.classes_, counts.T, strict=True)]
    columns = ("label", "given yes", "given no", "yes now", "no now", "left")
    audit = clf.pseudo_labels_
    return Summary(columns, lines, **_left(audit, audit["value"].isna()))


def of_history(clf: PseudoLabelClassifier, given: dict[Any, int]) -> Summary:
    """Rows given and labelled by class, from the rounds alone: the rows are on a cluster."""
    found = sum((round.selected for round in clf.history_), np.zeros(len(clf.classes_), dtype=int))
    lines = [
        (str(label), [given[label], int(n)]) for label, n in zip(clf.classes_.tolist(), found, strict=True)
    ]
    return Summary(("class", "given", "labelled now"), _most_found_first(lines))


def _by_name(labels: pd.Series) -> Counter[str]:
    return Counter(str(label) for label in labels)


def _most_found_first(lines: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
    return sorted(lines, key=lambda line: -line[1][1])


def _left(audit: pd.DataFrame, unfilled: pd.Series) -> dict[str, Any]:
    """Why rows, or cells, have no label; the final classifier has a guess of each."""
    left = audit.loc[unfilled, "status"].value_counts().to_dict()
    return {"left": left, "guessed": bool(left)}

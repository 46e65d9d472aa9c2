"""What became of the rows of a run, counted for a person to see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..classifier import PseudoLabelClassifier
from ..filling import FILLED, GIVEN, LEFT, Filling, ShareRight


@dataclass(frozen=True)
class Summary:
    """Counts for each class, or for each of several labels, and how many of the labels are right.

    Parameters
    ----------
    columns : tuple of str
        What is counted; the first is "class" or "label".
    lines : list of (str, list of int)
        The name of each class or label, and its counts.
    right : dict of str to str
        The estimated share right of the labels filled in, with its interval, by name.
    right_of_all : str
        The same of all of them together.
    """

    columns: tuple[str, ...]
    lines: list[tuple[str, list[int]]]
    right: dict[str, str] = field(default_factory=dict)
    right_of_all: str = ""

    @property
    def totals(self) -> list[int]:
        """The counts of all lines together."""
        return [sum(counts) for counts in zip(*(counts for _, counts in self.lines), strict=True)]


def of_classes(clf: PseudoLabelClassifier, filling: Filling) -> Summary:
    """Rows given, filled in and not sure enough, by class; that with most labels filled in comes first.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    filling : Filling
        Which labels are handed out.
    """
    came_labelled = clf.transduction_[clf.labeled_iter_ == 0]
    given = {label: int((came_labelled == label).sum()) for label in clf.classes_.tolist()}
    return of_filling(given, filling)


def of_filling(given: dict[Any, int], filling: Filling) -> Summary:
    """The same from how many rows were given a label of each class, in the order of the classes."""
    lines, right = [], {}
    for label, each in zip(given, filling.by_class, strict=True):
        lines.append((str(label), [given[label], each.filled, each.guessed - each.filled]))
        if each.share is not None:
            right[str(label)] = _interval(each.share)
    columns = ("class", GIVEN, FILLED, LEFT)
    of_all = "" if filling.share is None else _interval(filling.share)
    return Summary(columns, _most_found_first(lines), right, of_all)


def of_cells(clf: PseudoLabelClassifier) -> Summary:
    """Cells given, filled in and left over, by label, where rows have several."""
    lines = []
    for name, one in zip(clf.classes_, clf.estimators_, strict=True):
        given = one.transduction_[one.labeled_iter_ == 0]
        filled = one.pseudo_labels_["filled"]
        counts = [given == 1, given == 0, filled == 1, filled == 0, filled.isna()]
        lines.append((str(name), [int(each.sum()) for each in counts]))
    return Summary(("label", f"{GIVEN} yes", f"{GIVEN} no", f"{FILLED} yes", f"{FILLED} no", LEFT), lines)


def _interval(share: ShareRight) -> str:
    return f"{share.estimate:.0%} ({share.low:.0%} to {share.high:.0%})"


def _most_found_first(lines: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
    return sorted(lines, key=lambda line: -line[1][1])

"""What to look at: four piles of rows.

One function for each pile, from a fitted classifier and its rows, so that a better rule takes one's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..common.types import Bools, Fitted, Ints, Table, Values

# Rows that are asked about in the order of `next_rows`; the others follow as close as their classes are.
_CHOSEN = 100
# Whether a row has one of several labels.
YES_NO = ("yes", "no")


@dataclass(frozen=True, eq=False)
class Pile:
    """Rows to look at, in this order.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        Positions of rows in the fit; of cells, row by row, where rows have several labels.
    at_random : ndarray of shape (m,)
        Which of them were drawn at random, not chosen: only these may count for a promise.
    suggested : ndarray of shape (m,), optional
        The class that is suggested for each, as text; by default the guess of the row.
    """

    rows: Ints
    at_random: Bools
    suggested: Values | None = None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Piles:
    """What to look at.

    Parameters
    ----------
    ask : Pile
        Rows whose label would teach most.
    doubts : Pile
        Rows whose given label looks wrong, with what they may be instead.
    audit : Pile
        Filled rows in random order: what they turn out to be tells of all filled rows.
    browse : Pile
        All rows.
    """

    ask: Pile
    doubts: Pile
    audit: Pile
    browse: Pile


def piles_of(clf: Fitted, X: Table | None = None, seed: int = 0) -> Piles:
    """The four piles of a fitted classifier; of cells, row by row, where rows have several labels.

    Without X, the rows of the fit, typical rows cannot be told from others (`next_rows`).
    """
    return Piles(ask(clf, X), doubts(clf), audit(clf, seed), _chosen(np.arange(clf.labeled_iter_.size)))


def ask(clf: Fitted, X: Table | None = None) -> Pile:
    """Rows that came unlabelled: first those that teach most, a fifth of them at random, then the closest."""
    rows = unlabelled_rows(clf)
    if not len(rows):
        return _chosen(rows)
    gap = np.nan_to_num(clf.pseudo_labels_["gap"].to_numpy(dtype=float), nan=0.0)
    best = clf.next_rows(X, n=min(_CHOSEN, len(rows)))
    first = _items(clf, best)
    closest = rows[np.argsort(gap, kind="stable")]
    rest = closest[~np.isin(closest, first)]
    at_random = np.concatenate([(best["pile"] == "random").to_numpy(), np.zeros(len(rest), dtype=bool)])
    return Pile(np.concatenate([first, rest]), at_random)


def doubts(clf: Fitted) -> Pile:
    """Labelled rows of which held-out models think another class more probable, the worst first."""
    each = clf.estimators_ if clf.several_labels else [clf]
    if any(one.held_out_ is None for one in each):
        return _chosen(np.empty(0, dtype=int))
    lines = clf.doubtful_labels()
    lines = lines[lines["suggestion_probability"] > lines["probability"]]
    names = [class_name(label, clf.several_labels) for label in lines["suggestion"]]
    return Pile(_items(clf, lines), np.zeros(len(lines), dtype=bool), np.array(names, dtype=object))


def audit(clf: Fitted, seed: int = 0) -> Pile:
    """Rows that were filled in, in an order drawn at random."""
    rows = unlabelled_rows(clf)[clf.pseudo_labels_["filled"].notna().to_numpy()]
    return Pile(np.random.default_rng(seed).permutation(rows), np.ones(len(rows), dtype=bool))


def unlabelled_rows(clf: Fitted) -> Ints:
    """Positions of the rows, or cells, that came unlabelled, in the order of `pseudo_labels_`."""
    return np.flatnonzero(clf.labeled_iter_ != 0)


def class_name(value: Any, several: bool = False) -> str:
    """What a class is called on the page; of several labels, a row has each or not."""
    if not several:
        return str(value)
    return YES_NO[0] if value == 1 else YES_NO[1]


def _items(clf: Fitted, lines: pd.DataFrame) -> Ints:
    """Positions of rows or, of several labels, of cells."""
    rows = lines["row"].to_numpy(dtype=int)
    if not clf.several_labels:
        return rows
    names = clf.classes_.tolist()
    return rows * len(names) + np.array([names.index(name) for name in lines["label"]], dtype=int)


def _chosen(rows: Ints) -> Pile:
    return Pile(rows, np.zeros(len(rows), dtype=bool))

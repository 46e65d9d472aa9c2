"""What to look at: four piles of rows, and what an audit allows to say.

One function for each pile, each from a fitted classifier alone, so that a better rule takes one's place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from ..common.types import Bools, Fitted, Floats, Ints, Values


@dataclass(frozen=True, eq=False)
class Pile:
    """Rows to look at, in this order.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        Positions of rows in the fit.
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


def piles_of(clf: Fitted, seed: int = 0) -> Piles:
    """The four piles of a fitted classifier with one label a row."""
    n = len(clf.labeled_iter_)
    return Piles(ask(clf), doubts(clf), audit(clf, seed), _chosen(np.arange(n)))


def ask(clf: Fitted) -> Pile:
    """Rows that came unlabelled, those first whose two best classes are closest."""
    rows = unlabelled_rows(clf)
    gap = clf.pseudo_labels_["gap"].to_numpy(dtype=float)
    return _chosen(rows[np.argsort(np.nan_to_num(gap, nan=0.0), kind="stable")])


def doubts(clf: Fitted) -> Pile:
    """Labelled rows of which held-out models think another class more probable, the worst first."""
    rows, held = np.flatnonzero(clf.labeled_iter_ == 0), clf.held_out_
    if held is None or len(held) != len(rows):  # no verdict, or rows without weight
        return _chosen(rows[:0])
    p = held.P[-1]
    of_given = p[np.arange(len(p)), held.codes]
    best = p.argmax(axis=1)
    order = np.argsort(of_given - p.max(axis=1), kind="stable")
    order = order[best[order] != held.codes[order]]
    names = {code: str(label) for code, label in zip(held.codes, clf.transduction_[rows], strict=True)}
    return Pile(
        rows[order], np.zeros(len(order), dtype=bool), np.array([names[k] for k in best[order]], object)
    )


def audit(clf: Fitted, seed: int = 0) -> Pile:
    """Rows that were filled, in an order drawn at random."""
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(clf.labeled_iter_ > 0))
    return Pile(rows, np.ones(len(rows), dtype=bool))


def unlabelled_rows(clf: Fitted) -> Ints:
    """Positions of the rows that came unlabelled, in the order of `pseudo_labels_`."""
    return np.flatnonzero(clf.labeled_iter_ != 0)


def audit_bound(n_right: int, n_checked: int, n_filled: int, confidence: float = 0.95) -> float:
    """At least this share of the filled labels is right, with confidence, whenever one stops.

    The rows are drawn without replacement. For each number of right labels among all, the ratio of its prior
    to its posterior probability is a martingale if it is the true one, so that with probability `confidence`
    it never reaches 1 / (1 - confidence). The prior is beta-binomial and leans towards few errors.

    Parameters
    ----------
    n_right, n_checked, n_filled : int
        Labels that turned out right, that were checked, and that there are.
    confidence : float
        Of the statement.

    Examples
    --------
    >>> audit_bound(0, 0, 1000)
    0.0
    >>> round(audit_bound(50, 50, 1000), 3), round(audit_bound(95, 100, 1000), 3)
    (0.921, 0.863)
    >>> audit_bound(9, 10, 10)
    0.9
    """
    if not n_checked or not n_filled:
        return 0.0
    n_wrong = n_checked - n_right
    right = np.arange(n_right, n_filled - n_wrong + 1)
    log_ratio = _log_prior(right, n_filled) - _log_posterior(right, n_right, n_checked, n_filled)
    possible = right[log_ratio < -np.log1p(-confidence)]
    return float(possible.min() / n_filled)


# The prior of the share that is right: 0.9, and worth as much as five checked labels.
_RIGHT, _WRONG = 4.5, 0.5


def _log_prior(right: Ints, n: int, a: float = _RIGHT, b: float = _WRONG) -> Floats:
    """Beta-binomial log-probability of so many right labels among n."""
    choose = gammaln(n + 1) - gammaln(right + 1) - gammaln(n - right + 1)
    return choose + betaln(right + a, n - right + b) - betaln(a, b)


def _log_posterior(right: Ints, n_right: int, n_checked: int, n: int) -> Floats:
    """The same after labels were checked: of the others, again beta-binomial."""
    a, b = _RIGHT + n_right, _WRONG + n_checked - n_right
    return _log_prior(right - n_right, n - n_checked, a, b)


def _chosen(rows: Ints) -> Pile:
    return Pile(rows, np.zeros(len(rows), dtype=bool))

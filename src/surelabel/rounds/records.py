"""What a round is made of, and what is written down of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..allocation import Allocation
from ..budget import Budget
from ..common.types import Floats, Ints
from ..transport import Certificate


@dataclass(frozen=True)
class Parts:
    """The parts of a method: who votes, which rows to trust, who gets which label.

    Parameters
    ----------
    committee : Committee
        What yields P.
    confidence : Confidence
        P (M, N, K) -> confidence (N,).
    allocator : callable
        (p (N, K), Budget) -> Allocation.
    negatives : callable, optional
        (p (N, K), standard deviation over members (N, K), Budget) -> soft targets (N, K) of
        rows with a class ruled out.

    See Also
    --------
    surelabel.rounds.rounds : Runs the method.
    csa, sla, ups, flexmatch, pl : Methods with a name.

    Examples
    --------
    >>> from surelabel import Parts, Repeated, Threshold, TTest
    >>> Parts(Repeated(), TTest(alpha=0.01), Threshold(0.9)).allocator
    Threshold(gamma=0.9)
    """

    # What a user gives: also classifiers and functions, of which `method.ready` makes these.
    committee: Any
    confidence: Any
    allocator: Callable[[Floats, Budget], Allocation]
    negatives: Callable[[Floats, Floats, Budget], Floats] | None = None


@dataclass(frozen=True)
class Sketch:
    """Some rows that the committee was sure of in a round, evenly from the surest to the least sure.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Which rows.
    p : ndarray of shape (n, K)
        The committee's mean probabilities.
    plan : ndarray of shape (n, K)
        What the transport plan gave them; the labels given, as ones, where there was no plan.
    codes : ndarray of shape (n,)
        The labels given; -1 for none.
    """

    rows: Ints
    p: NDArray[np.float32]
    plan: NDArray[np.float32]
    codes: Ints


@dataclass(frozen=True)
class Kept:
    """All that a round was decided by, where it was asked to be kept (`fit_rounds(..., keep_plans=True)`).

    Parameters
    ----------
    rows : ndarray of shape (N,)
        The pool.
    P : ndarray of shape (M, N, K)
        What each member says of it.
    confidence : ndarray of shape (N,)
        Above 0 is trusted.
    plan : ndarray of shape (N, K)
        What the plan gave each row, 0 for rows that are not trusted; the labels given, as ones, where there
        was no plan.
    codes : ndarray of shape (N,)
        The labels given; -1 for none.
    """

    rows: Ints
    P: Floats
    confidence: Floats
    plan: Floats
    codes: Ints


@dataclass(frozen=True)
class Round:
    """What happened in one round.

    Parameters
    ----------
    number : int
        Counted from 1.
    budget : Budget
        Share of the pool, class prior and pool size; its `quota` is the most per class.
    candidates : int
        Rows the committee was sure of.
    selected : ndarray of shape (K,)
        Rows accepted, by class: their labels may be trained on.
    negatives : int
        Rows with a class ruled out.
    rows, codes : ndarrays of shape (n,)
        Which rows were accepted, and as what.
    seconds : dict
        Wall time of "train", "predict" (with the confidence) and "allocate".
    certificate : Certificate or None
        What the transport solver says of its plan.
    changed : float
        Share of the pool whose most probable class is not that of the round before; NaN in
        the first.
    sketch : Sketch or None
        Some of the rows, for a picture of the plan.
    kept : Kept or None
        P and the plan of all rows, where they were asked for.

    See Also
    --------
    surelabel.rounds.rounds : Yields one after each round.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Repeated, csa, trees
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = csa(committee=Repeated(trees(5), 3), guard=False, random_state=0)
    >>> first = clf.fit(X, hide_labels(y, 0.8, random_state=0)).history_[0]
    >>> print(first)
    round 1: 120 unlabelled, 101 sure, 33 accepted
    >>> first.selected, first.budget.quota
    (array([14, 13,  6]), array([12, 16, 12]))
    """

    number: int
    budget: Budget
    candidates: int
    selected: Ints
    negatives: int
    rows: Ints
    codes: Ints
    seconds: dict[str, float]
    certificate: Certificate | None = None
    changed: float = float("nan")
    sketch: Sketch | None = field(default=None, repr=False)
    kept: Kept | None = field(default=None, repr=False)

    @property
    def pool(self) -> int:
        """Rows unlabelled when the round began."""
        return self.budget.pool

    @property
    def labelled(self) -> int:
        """Rows accepted; on a cluster they are not among `rows`, which is then empty."""
        return int(self.selected.sum())

    def __str__(self) -> str:
        line = (
            f"round {self.number}: {self.pool} unlabelled, {self.candidates} sure, {self.labelled} accepted"
        )
        return line + (f", {self.negatives} with a class ruled out" if self.negatives else "")

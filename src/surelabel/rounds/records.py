"""What a round is made of, and what is written down of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..budget import Budget
from ..transport import Certificate


@dataclass(frozen=True)
class Parts:
    """The cell of the grid: who votes, whom to trust, how to allocate.

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
    """

    committee: Any
    confidence: Any
    allocator: Callable
    negatives: Callable | None = None


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

    rows: np.ndarray
    p: np.ndarray
    plan: np.ndarray
    codes: np.ndarray


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
        Rows labelled, by class.
    negatives : int
        Rows with a class ruled out.
    rows, codes : ndarrays of shape (n,)
        Which rows were labelled, and how.
    seconds : dict
        Wall time of "train", "predict" (with the confidence) and "allocate".
    certificate : Certificate or None
        What the transport solver says of its plan.
    changed : float
        Share of the pool whose most probable class is not that of the round before; NaN in
        the first.
    sketch : Sketch or None
        Some of the rows, for a picture of the plan.
    """

    number: int
    budget: Budget
    candidates: int
    selected: np.ndarray
    negatives: int
    rows: np.ndarray
    codes: np.ndarray
    seconds: dict[str, float]
    certificate: Certificate | None = None
    changed: float = float("nan")
    sketch: Sketch | None = field(default=None, repr=False)

    @property
    def pool(self) -> int:
        """Rows unlabelled when the round began."""
        return self.budget.pool

    @property
    def labelled(self) -> int:
        """Rows labelled; on a cluster they are not among `rows`, which is then empty."""
        return int(self.selected.sum())

    def __str__(self):
        line = (
            f"round {self.number}: {self.pool} unlabelled, {self.candidates} sure, {self.labelled} labelled"
        )
        return line + (f", {self.negatives} with a class ruled out" if self.negatives else "")

"""The record of a cross-fit: what each candidate says of labelled rows whose labels it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..common.types import Bools, Floats, Ints

# The two that a verdict compares, in this order.
ALONE, SEEING = "labels alone", "with unlabelled rows"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out probabilities of labelled rows, by candidate.

    A candidate is anything that predicts: a model of a committee, or a committee.

    Parameters
    ----------
    names : tuple of C str
        The candidates.
    P : ndarray of shape (C, n, K)
        What each says of each row, without having seen its label.
    codes : ndarray of shape (n,)
        The given classes.
    weight : ndarray of shape (n,)
        Weights of the rows, of mean 1.
    fold : ndarray of shape (n,)
        The fold that each row was held out with.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.6, 0.4]]])
    >>> held = HeldOut(("good", "bad"), P, np.array([0, 1]), np.ones(2), np.array([0, 1]))
    >>> held.right.tolist()
    [[True, True], [True, False]]
    >>> held.of(["bad"]).share_right.tolist()
    [0.5]
    """

    names: tuple[str, ...]
    P: Floats
    codes: Ints
    weight: Floats
    fold: Ints

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def right(self) -> Bools:
        """Whether each candidate predicts each row correctly, shape (C, n)."""
        return self.P.argmax(axis=2) == self.codes

    @property
    def share_right(self) -> Floats:
        """Weighted share of rows that each candidate predicts correctly, shape (C,); NaN without rows."""
        if not len(self):
            return np.full(len(self.names), np.nan)
        return np.average(self.right, axis=1, weights=self.weight)

    def of(self, names: Sequence[str]) -> HeldOut:
        """The same rows, some of the candidates."""
        places = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), P=self.P[places])

    def rows(self, chosen: Bools | Ints) -> HeldOut:
        """The same candidates, some of the rows."""
        return replace(
            self,
            P=self.P[:, chosen],
            codes=self.codes[chosen],
            weight=self.weight[chosen],
            fold=self.fold[chosen],
        )

    def merged(self, name: str, learn: Callable[[HeldOut], Callable[[Floats], Floats]]) -> HeldOut:
        """All candidates made one: what is learnt of the other folds is applied to each fold.

        So that no row is judged by what was chosen on it.

        Parameters
        ----------
        name : str
            Of the new candidate.
        learn : callable
            HeldOut -> a function from P (C, n, K) to p (n, K).
        """
        p = np.empty(self.P.shape[1:])
        for fold in np.unique(self.fold):
            here = self.fold == fold
            p[here] = learn(self.rows(~here))(self.P[:, here])
        return replace(self, names=(name,), P=p[None])

    def beside(self, other: HeldOut) -> HeldOut:
        """The candidates of both; the rows are the same."""
        return replace(self, names=self.names + other.names, P=np.concatenate([self.P, other.P]))

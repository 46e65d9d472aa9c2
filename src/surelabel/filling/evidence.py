"""What a filling stands on: guesses of labelled rows that were held out, beside those of unlabelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..common.types import Bools, Floats, Ints
from ..heldout.record import HeldOut


@dataclass(frozen=True, eq=False)
class Evidence:
    """Guesses of labelled rows by those that have not seen their labels, and guesses of unlabelled rows.

    A guess is the class of highest probability; its score is that probability. Where rows have several
    labels, a row is a cell: a row of the table and a label.

    Parameters
    ----------
    score, guess, right : ndarrays of shape (n,)
        Of the labelled rows: the score, the guess as a code, and whether it is the given class.
    weight : ndarray of shape (n,)
        How many rows of the table each labelled row stands for, up to a factor.
    pool_score, pool_guess : ndarrays of shape (m,)
        Of the unlabelled rows.
    n_classes : int
        Guesses are below it.

    Examples
    --------
    >>> P = np.array([[[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]])
    >>> held = HeldOut(("committee",), P, np.array([0, 1, 1]), np.ones(3), np.arange(3))
    >>> evidence = evidence_of(held, np.array([[0.3, 0.7], [0.95, 0.05]]))
    >>> evidence.right.tolist(), evidence.pool_guess.tolist()
    ([True, True, False], [1, 0])
    """

    score: Floats
    guess: Ints
    right: Bools
    weight: Floats
    pool_score: Floats
    pool_guess: Ints
    n_classes: int

    def of_class(self, code: int) -> Evidence:
        """The rows that are guessed to be of a class, labelled and unlabelled."""
        return self.rows(self.guess == code, self.pool_guess == code)

    def rows(self, labelled: Bools, unlabelled: Bools) -> Evidence:
        """Some of the rows."""
        return replace(
            self,
            score=self.score[labelled],
            guess=self.guess[labelled],
            right=self.right[labelled],
            weight=self.weight[labelled],
            pool_score=self.pool_score[unlabelled],
            pool_guess=self.pool_guess[unlabelled],
        )


def evidence_of(held: HeldOut, p: Floats, weight: Floats | None = None) -> Evidence:
    """What the last candidate says of held-out rows, beside what the final classifier says of the others.

    Parameters
    ----------
    held : HeldOut
        Its last candidate is the one that the final classifier was made like.
    p : ndarray of shape (m, K)
        Probabilities of the unlabelled rows by the final classifier.
    weight : ndarray of shape (n,), optional
        Instead of the weights of the record, such as those of `likeness.weights_like`.
    """
    return beside(held, p.max(axis=1), p.argmax(axis=1), weight)


def beside(held: HeldOut, pool_score: Floats, pool_guess: Ints, weight: Floats | None = None) -> Evidence:
    """The same, from the best class of each unlabelled row and its probability, shape (m,) each."""
    P = held.P[-1]
    return Evidence(
        P.max(axis=1),
        P.argmax(axis=1),
        held.right[-1],
        held.weight if weight is None else weight,
        pool_score,
        pool_guess,
        P.shape[1],
    )


def unseen(pool_score: Floats, pool_guess: Ints, n_classes: int) -> Evidence:
    """Guesses of unlabelled rows, and no held-out row to judge them by.

    Examples
    --------
    >>> len(unseen(np.array([0.9]), np.array([1]), 2).score)
    0
    """
    none = np.empty(0)
    return Evidence(none, none.astype(int), none.astype(bool), none, pool_score, pool_guess, n_classes)


def cells(each: Sequence[Evidence]) -> Evidence:
    """Rows with several labels as cells: the evidence of each label, one below the other.

    A promise is then about cells. The codes of label l are l * K and above, K the most classes of a label, so
    that a class of one label is not taken for a class of another.
    """
    K = max(one.n_classes for one in each)

    def guesses(name: str) -> Ints:
        return np.concatenate([getattr(one, name) + place * K for place, one in enumerate(each)])

    return Evidence(
        np.concatenate([one.score for one in each]),
        guesses("guess"),
        np.concatenate([one.right for one in each]),
        np.concatenate([one.weight for one in each]),
        np.concatenate([one.pool_score for one in each]),
        guesses("pool_guess"),
        K * len(each),
    )

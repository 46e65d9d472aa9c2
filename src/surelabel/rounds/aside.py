"""Labelled rows that are kept from training, so that they can check what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Bools, Floats, Ints
from ..filling.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Aside:
    """Labelled rows that are kept from training, so that they can check it.

    Parameters
    ----------
    codes : ndarray of shape (a,)
        Their classes, in the order of the rows.
    among_unlabelled : ndarray of shape (m,)
        Which of the rows that the rounds take for unlabelled they are.
    """

    codes: Ints
    among_unlabelled: Bools

    def evidence(self, score: Floats, guess: Ints, n_classes: int) -> Evidence:
        """What is said of them beside what is said of the other rows that the rounds take for unlabelled.

        They are drawn at random and looked at by nobody, so they stand for the others exactly.
        """
        own = self.among_unlabelled
        return Evidence(
            score[own],
            guess[own],
            guess[own] == self.codes,
            np.ones(len(self.codes)),
            score[~own],
            guess[~own],
            n_classes,
        )


def set_aside(
    codes: Ints, weight: Floats | None, share: float, rng: np.random.RandomState
) -> tuple[Ints, Aside | None]:
    """Codes without those of a random share of the labelled rows, and these rows; all codes without a share.

    Examples
    --------
    >>> codes, aside = set_aside(np.array([0, 1, -1, 0, 1]), None, 0.5, np.random.RandomState(0))
    >>> codes.tolist(), aside.codes.tolist(), aside.among_unlabelled.tolist()
    ([0, 1, -1, -1, -1], [0, 1], [False, True, True])
    """
    counts = np.ones(len(codes), dtype=bool) if weight is None else weight > 0
    given = np.flatnonzero((codes >= 0) & counts)
    chosen = rng.permutation(given)[: round(share * len(given))]
    if not len(chosen):
        return codes, None
    left = codes.copy()
    left[chosen] = -1
    rows = np.sort(chosen)
    return left, Aside(codes[rows], np.isin(np.flatnonzero((left < 0) & counts), rows))

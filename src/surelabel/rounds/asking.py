"""What a fitted committee thinks of rows, each by itself, a block of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..committees.base import Committee
from ..committees.member_fitting import aligned
from ..common.types import Bools, Floats, Ints, Table
from ..confidence import Moments, mean_of
from ..reading.features import take
from .records import Parts

# Rows whose P (M, N, K) is held at a time.
_BLOCK_ROWS = 16_384


@dataclass(frozen=True)
class Answers:
    """What a committee thinks of each row by itself.

    Parameters
    ----------
    p : ndarray of shape (N, K)
        The members' mean.
    spread : ndarray of shape (N, K) or None
        Their standard deviation; None where nothing asks for it.
    measured : ndarray of shape (N,)
        What the confidence measures.
    """

    p: Floats
    spread: Floats | None
    measured: Floats

    def of(self, rows: Bools | Ints) -> Answers:
        """The answers of some of the rows."""
        spread = None if self.spread is None else self.spread[rows]
        return Answers(self.p[rows], spread, self.measured[rows])


def answers(
    committee: Committee,
    X: Table,
    n_classes: int,
    pool: Ints,
    parts: Parts,
    begin: int = 0,
    n: int | None = None,
) -> Answers:
    """Ask a fitted committee about the pool, in blocks of rows: P never exists for all of them.

    The pool may be a part of a larger one, which has n rows; its first row then has rank `begin` there. Each
    row is put at the place in its block that it has in the larger pool, because the last digits of a matrix
    product depend on that place.
    """
    n = len(pool) if n is None else n
    # A confidence that may compare rows gets them all at once.
    size = _BLOCK_ROWS if parts.confidence.row_by_row else max(n, 1)
    p, measured = np.empty((len(pool), n_classes)), np.empty(len(pool))
    spread = None if parts.negatives is None else np.empty((len(pool), n_classes))
    for start in range(begin - begin % size, begin + len(pool), size):
        first, end = max(start, begin), min(start + size, begin + len(pool))
        here, own = slice(first - begin, end - begin), slice(first - start, end - start)
        rows = pool[here]
        if len(rows) < min(size, n - start):
            block = np.full(min(size, n - start), rows[0])
            block[own] = rows
            rows = block
        P = _aligned(committee.opinion(take(X, rows)), committee.classes_, n_classes)
        p[here] = mean_of(P)[own]
        measured[here] = parts.confidence.measure(P)[own]
        if spread is not None:
            spread[here] = np.sqrt(Moments.of(P).variance)[own]
    return Answers(p, spread, measured)


def best_of(p: Floats) -> tuple[Floats, Ints]:
    """The probability of the best class of each row, and that class, shape (N,) each."""
    return p.max(axis=1, initial=0.0), p.argmax(axis=1)


def best_guesses(
    X: Table, rows: Ints, n_classes: int, predict: Callable[[Table, int], Floats]
) -> tuple[Floats, Ints]:
    """The best class of rows and its probability, by a classifier, a block of them at a time."""
    starts = range(0, len(rows), _BLOCK_ROWS)
    found = [best_of(predict(take(X, rows[k : k + _BLOCK_ROWS]), n_classes)) for k in starts]
    scores, guesses = [np.empty(0)], [np.empty(0, dtype=int)]
    for score, guess in found:
        scores.append(score)
        guesses.append(guess)
    return np.concatenate(scores), np.concatenate(guesses)


def _aligned(P: Floats | Moments, classes: Ints, n_classes: int) -> Floats | Moments:
    """P (M, N, K) or its moments, over all classes."""
    if not isinstance(P, Moments):
        return aligned(P, classes, n_classes)
    mean, variance = (aligned(each, classes, n_classes) for each in (P.mean, P.variance))
    return Moments(mean, variance, P.n_members)

"""What is known of every row, and what of it to train on."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Self

import numpy as np

from ..allocation import Allocation, Status
from ..common.types import Bools, Floats, Ints, Values
from ..confidence import two_best

# Most found labels to train on; as many as were given, where these are more.
_FOUND_ROWS = 20_000
_WEIGHT_BITS = 24
# Rows of a round that are written down at a time.
_BLOCK_ROWS = 100_000


@dataclass
class Labels:
    """What is known of every row so far; `rounds` writes into it.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each row; -1 is unlabelled.
    weight : ndarray of shape (n,)
        Sample weights.
    n_classes : int
        K.
    round : ndarray of shape (n,)
        Round in which the row was labelled; 0 is given, -1 never.
    guess, runner_up : ndarrays of shape (n,)
        The two best classes when the committee was last asked; -1 never asked.
    probability : ndarray of shape (n,)
        Of the label, or of the guess where there is none.
    gap : ndarray of shape (n,)
        By how much that exceeds the probability of the runner-up.
    confidence : ndarray of shape (n,)
        Above 0 is trusted.
    status : ndarray of shape (n,)
        A `Status` each.
    soft : ndarray of shape (n, K) or None
        Soft targets of unlabelled rows with a class ruled out.
    found : {"balanced", "full"}
        What labels found in rounds weigh in training: "balanced", in each class no more than
        the given ones, and the mix of classes stays that of the given ones; "full", as much
        as these, row by row.

    See Also
    --------
    surelabel.rounds.rounds : Labels the pool.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import Labels
    >>> labels = Labels.start(np.array([0, 1, -1, -1]), n_classes=2)
    >>> labels.pool
    array([2, 3])
    >>> [str(status) for status in labels.status]
    ['given', 'given', 'not reached', 'not reached']
    """

    codes: Ints
    weight: Floats
    n_classes: int
    round: Ints
    guess: Ints
    runner_up: Ints
    probability: Floats
    gap: Floats
    confidence: Floats
    status: Values
    soft: Floats | None = field(default=None, repr=False)
    found: str = "balanced"

    @classmethod
    def start(
        cls, codes: Ints, n_classes: int, weight: Floats | None = None, found: str = "balanced"
    ) -> Self:
        """Labels before the first round."""
        n = len(codes)
        weight = np.ones(n) if weight is None else weight
        given = codes >= 0
        status = _all(n, Status.UNASKED)
        status[weight <= 0] = Status.WEIGHTLESS
        status[given] = Status.GIVEN
        return cls(
            # In few bytes: there may be many rows.
            codes=codes.astype(np.int32),
            weight=weight,
            n_classes=n_classes,
            round=np.where(given, np.int16(0), np.int16(-1)),
            guess=np.full(n, -1, dtype=np.int32),
            runner_up=np.full(n, -1, dtype=np.int32),
            probability=np.full(n, np.nan),
            gap=np.full(n, np.nan),
            confidence=np.full(n, np.nan),
            status=status,
            found=found,
        )

    @property
    def pool(self) -> Ints:
        """Rows still unlabelled, as positions."""
        return np.flatnonzero((self.codes < 0) & (self.weight > 0))

    @property
    def last(self) -> int:
        """The last round in which a row was labelled; 0 for none."""
        return max(int(self.round.max()), 0)

    def places(self, rows: Ints) -> Ints:
        """Positions of rows in the caller's table: the same, because these labels are of the whole table."""
        return rows

    def afresh(self, weight: Floats) -> Self:
        """The same rows before the first round, with these weights."""
        start = Labels.start(np.where(self.round == 0, self.codes, -1), self.n_classes, weight, self.found)
        return replace(self, **{field.name: getattr(start, field.name) for field in fields(Labels)})

    def before(self, number: int) -> Self:
        """A copy in which the rows labelled in that round, or later, are unlabelled again.

        Soft targets are those of the last round alone, so it has none.
        """
        later = self.round >= number
        codes, rounds = self.codes.copy(), self.round.copy()
        codes[later] = rounds[later] = -1
        return replace(self, codes=codes, round=rounds, soft=None)

    def training(self) -> tuple[Ints, Ints, Floats | None]:
        """What to train on: rows, codes, and weights (None if all are 1).

        A row with soft targets comes once per class, weighted by its share.
        """
        rows: Ints = np.flatnonzero((self.codes >= 0) & (self.weight > 0))
        if self.found == "balanced":
            rows = self._thinned(rows)
        codes, weight, found = self.codes[rows], self.weight[rows], self.round[rows] > 0
        if self.found == "balanced" and found.any():
            weight = balanced(weight, codes, found, self.n_classes)
        if self.soft is not None:
            seen = np.bincount(codes, minlength=self.n_classes) > 0
            cells = (self.soft > 0) & (self.codes < 0)[:, None] & seen
            soft_rows, soft_codes = np.nonzero(cells)
            share = self.soft[soft_rows, soft_codes]
            rows = np.concatenate([rows, soft_rows])
            codes = np.concatenate([codes, soft_codes])
            weight = np.concatenate([weight, share * self.weight[soft_rows]])
        return rows, codes, None if (weight == 1).all() else weight

    def _thinned(self, rows: Ints) -> Ints:
        """Rows, of those with a found label only as many as are worth training on, evenly over the table."""
        found = rows[self.round[rows] > 0]
        kept = spaced(len(found), len(rows) - len(found), self.found)
        return rows if len(kept) == len(found) else np.union1d(rows[self.round[rows] == 0], found[kept])

    def record(
        self,
        pool: Ints,
        number: int,
        p: Floats,
        confidence: Floats,
        allocation: Allocation,
        candidates: Bools,
    ) -> None:
        """Write down what the round found of each row of the pool, some rows at a time."""
        ends = np.cumsum(candidates)
        for start in range(0, len(pool), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            trusted = candidates[rows]
            before = int(ends[start] - candidates[start])
            some = slice(before, before + int(trusted.sum()))
            codes = np.full(len(trusted), -1)
            codes[trusted] = allocation.codes[some]
            status = _all(len(trusted), Status.UNSURE)
            status[trusted] = allocation.status[some]
            self._write(pool[rows], number, p[rows], confidence[rows], codes, status)

    def _write(
        self, pool: Ints, number: int, p: Floats, confidence: Floats, codes: Ints, status: Values
    ) -> None:
        best, second = two_best(p)
        shown = np.where(codes >= 0, codes, best)
        self.codes[pool] = codes
        self.round[pool] = np.where(codes >= 0, number, -1)
        self.guess[pool] = best
        rows, other = np.arange(len(pool)), np.where(shown == best, second, best)
        self.runner_up[pool] = other
        self.probability[pool] = p[rows, shown]
        self.gap[pool] = p[rows, shown] - p[rows, other]
        self.confidence[pool] = confidence
        self.status[pool] = status


def _all(n: int, status: Status) -> Values:
    """One status for n rows, shape (n,)."""
    out = np.empty(n, dtype=object)
    out.fill(status)  # np.full would make a text for each row
    return out


def spaced(n_found: int, n_given: int, found: str) -> Ints:
    """Ranks of the found rows that are worth training on, evenly over all of them."""
    most = max(_FOUND_ROWS, n_given)
    if found != "balanced" or n_found <= most:
        return np.arange(n_found)
    return np.arange(most) * n_found // most


def balanced(weight: Floats, codes: Ints, found: Bools, n_classes: int) -> Floats:
    """Weights under which found labels outweigh no given ones and change no class's share, shape (n,)."""
    of_given = np.bincount(codes[~found], weight[~found], n_classes)
    of_found = np.bincount(codes[found], weight[found], n_classes)
    return in_few_digits(weight * class_scales(of_given, of_found)[found.astype(int), codes])


def class_scales(of_given: Floats | Ints, of_found: Floats | Ints) -> Floats:
    """What to multiply given and found labels of each class by, from their weights (K,): shape (2, K)."""
    shrink = np.divide(of_given, of_found, out=np.ones(len(of_given)), where=of_found > of_given)
    total = of_given + np.minimum(of_given, of_found)
    scale = (
        np.divide(of_given, total, out=np.ones(len(total)), where=total > 0) * total.sum() / of_given.sum()
    )
    return np.stack([scale, shrink * scale])


def in_few_digits(weight: Floats) -> Floats:
    """Weights rounded so that their sums are exact, and so do not depend on the order of rows; same shape."""
    unit = 2.0 ** (np.frexp(weight.max())[1] - _WEIGHT_BITS)
    return np.where(weight > 0, np.maximum(np.rint(weight / unit), 1) * unit, 0.0)

"""Which rows a person should label next.

A fifth is drawn at random: such rows show how good the labels are, and what the table is made of. While
classes have fewer than five labels, typical rows of clusters without a label follow (TypiClust). Then rows of
which the committee is least sure between two classes, spread over clusters of such rows, so that no two
ask the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from ..common.settings import RANDOM_SHARE
from ..common.types import Floats, Ints

TYPICAL, UNSURE, RANDOM = "typical", "unsure", "random"
ENOUGH_LABELS = 5
# Rows of smallest gap among which a batch is spread, in batches.
_CANDIDATES = 4
# Neighbours whose distance tells how typical a row is, and the most clusters.
_NEIGHBOURS, _MOST_CLUSTERS = 20, 200
# Of larger pools only so many rows are looked at.
_MOST_ROWS = 20_000
NOTHING_TO_ASK = "There is no row to ask about: none is unlabelled, or no committee was asked about them."


@dataclass(frozen=True, eq=False)
class Pool:
    """What is known of the unlabelled rows; where rows have several labels, of unknown cells.

    Parameters
    ----------
    gap : ndarray of shape (N,)
        Between the probabilities of the two best classes.
    guess, runner_up : ndarrays of shape (N,)
        These classes, as codes.
    counts : ndarray of shape (K,)
        Labels that each class has.
    places : callable, optional
        Positions (n,) -> where these rows lie, shape (n, d): near each other where they are alike. Without,
        rows are alike where their two best classes are the same.
    labelled : ndarray of shape (n, d), optional
        Where labelled rows lie.
    """

    gap: Floats
    guess: Ints
    runner_up: Ints
    counts: Ints
    places: Callable[[Ints], Floats] | None = None
    labelled: Floats | None = None

    def __len__(self) -> int:
        return len(self.gap)

    def rows(self, chosen: Ints) -> _Looked:
        """Some of the rows, with where they lie."""
        places = None if self.places is None else self.places(chosen)
        return _Looked(self.gap[chosen], _pair(self.guess[chosen], self.runner_up[chosen]), places)


@dataclass(frozen=True, eq=False)
class _Looked:
    """Rows of a pool among which is chosen: gap (n,), pair of best classes (n,), places (n, d) if known."""

    gap: Floats
    pair: Ints
    places: Floats | None

    def __len__(self) -> int:
        return len(self.gap)


@dataclass(frozen=True)
class Ask:
    """A row to ask a person about.

    Parameters
    ----------
    row : int
        Its position in the pool.
    pile : {"typical", "unsure", "random"}
        Why it was chosen. Only random rows may be used to tell how good labels are.
    like : int
        Rows of the pool that are like it, itself among them, and for which no other asked row stands.
    """

    row: int
    pile: str
    like: int

    def expected(self) -> str:
        """What its answer is expected to bring, in words.

        Examples
        --------
        >>> Ask(3, "unsure", 40).expected(), Ask(3, "unsure", 1).expected()
        ('settles about 40 rows like it', 'settles this row')
        """
        if self.pile == RANDOM:
            return "tells how good the labels are"
        if self.like <= 1:
            return "settles this row"
        verb = "stands for" if self.pile == TYPICAL else "settles about"
        return f"{verb} {self.like:,} rows like it"

    def why(self, guess: object, runner_up: object, probability: float) -> str:
        """Why a person is asked about it, in words.

        Examples
        --------
        >>> Ask(3, "unsure", 40).why("cat", "dog", 0.51)
        "'cat' or 'dog'? the first has 51%"
        """
        if self.pile == RANDOM:
            return "drawn at random"
        if self.pile == TYPICAL:
            return "typical of rows that have no label near them"
        first, second = (each.item() if isinstance(each, np.generic) else each for each in (guess, runner_up))
        return f"{first!r} or {second!r}? the first has {probability:.0%}"


def check_n(n: object) -> None:
    """Refuse what is no number of rows to ask about."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n is the number of rows to ask about, at least 1; it is {n!r}.")


def explained(lines: pd.DataFrame, asks: Sequence[Ask]) -> pd.DataFrame:
    """Lines of the rows that are asked about, with their pile, why, and what the answer is expected to bring.

    Parameters
    ----------
    lines : DataFrame of n lines
        With guess, probability and runner_up.
    asks : sequence of n Ask
        The same rows.
    """
    said = zip(asks, lines["guess"], lines["runner_up"], lines["probability"], strict=True)
    return lines.assign(
        pile=[ask.pile for ask in asks],
        why=[ask.why(guess, other, p) for ask, guess, other, p in said],
        expected=[ask.expected() for ask in asks],
    )


def next_rows(pool: Pool, n: int, rng: np.random.RandomState) -> tuple[Ask, ...]:
    """Rows to ask about, those that are worth most first; every fifth is a random one.

    So a person who stops on the way has answered random rows, too.

    Parameters
    ----------
    pool : Pool
        The unlabelled rows.
    n : int
        How many to ask about.
    rng : RandomState
        Draws the random ones, and begins the clusters.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> gap = rng.rand(100)
    >>> places, code = rng.rand(100, 3), np.arange(100) % 2
    >>> pool = Pool(gap, code, 1 - code, np.array([9, 9]), places.__getitem__)
    >>> asks = next_rows(pool, 5, rng)
    >>> [ask.pile for ask in asks]
    ['unsure', 'unsure', 'unsure', 'unsure', 'random']
    >>> bool(max(gap[ask.row] for ask in asks[:4]) < np.median(gap))
    True
    """
    n = min(n, len(pool))
    # First, from all rows: a random row must not depend on which rows were chosen otherwise.
    drawn = rng.permutation(len(pool))[: n_random(n)].copy()
    looked = _looked_at(pool, drawn, rng)
    rest = pool.rows(looked)
    typical = _typical(rest, pool.labelled, min(n - len(drawn), shortage(pool.counts)), rng)
    unsure = _unsure(rest, np.setdiff1d(np.arange(len(looked)), typical), n - len(drawn) - len(typical), rng)
    piles = [TYPICAL] * len(typical) + [UNSURE] * len(unsure)
    chosen = np.concatenate([typical, unsure])
    like = _like(rest, chosen)
    asks = [Ask(int(row), pile, int(of)) for row, pile, of in zip(looked[chosen], piles, like, strict=True)]
    return tuple(_among(asks, [Ask(int(row), RANDOM, 1) for row in drawn]))


def _pair(one: Ints, other: Ints) -> Ints:
    """Two classes in either order, as one code."""
    low, high = np.minimum(one, other).astype(int), np.maximum(one, other).astype(int)
    return low * (int(high.max(initial=0)) + 1) + high


def _among(asks: list[Ask], drawn: list[Ask]) -> Iterator[Ask]:
    """The one with the other spread evenly among them, each after its share of the rows before it."""
    done = 0
    for k, ask in enumerate(drawn, start=1):
        until = -(-k * len(asks) // len(drawn))
        yield from asks[done:until]
        yield ask
        done = until
    yield from asks[done:]


def n_random(n: int) -> int:
    """How many of n rows are drawn at random.

    Examples
    --------
    >>> [n_random(n) for n in (0, 1, 2, 3, 5, 20)]
    [0, 0, 0, 1, 1, 4]
    """
    return round(RANDOM_SHARE * n)


def shortage(counts: Ints) -> int:
    """Labels that classes lack until each has five.

    Examples
    --------
    >>> shortage(np.array([9, 4, 0]))
    6
    """
    return int(np.maximum(ENOUGH_LABELS - counts, 0).sum())


def _looked_at(pool: Pool, drawn: Ints, rng: np.random.RandomState) -> Ints:
    """Rows among which to choose: all but those drawn; of very many, half by smallest gap, half at random."""
    free = np.ones(len(pool), dtype=bool)
    free[drawn] = False
    if free.sum() <= _MOST_ROWS:
        return np.flatnonzero(free)
    gap = np.where(free, pool.gap, np.inf)
    unsure = np.argsort(gap, kind="stable")[: _MOST_ROWS // 2].copy()
    free[unsure] = False
    return np.union1d(unsure, rng.permutation(np.flatnonzero(free))[: _MOST_ROWS // 2])


def _typical(rest: _Looked, labelled: Floats | None, n: int, rng: np.random.RandomState) -> Ints:
    """The most typical rows of the largest clusters without a label, shape (at most n,)."""
    if n < 1 or rest.places is None or not len(rest):
        return np.empty(0, dtype=int)
    given = labelled if labelled is not None else rest.places[:0]
    group = _clusters(np.concatenate([given, rest.places]), min(len(given) + n, _MOST_CLUSTERS), rng)
    labels = np.bincount(group[: len(given)], minlength=group.max() + 1)
    group = group[len(given) :]
    sizes = np.bincount(group, minlength=len(labels))
    # Clusters without a label come first, the largest of each kind before the others.
    order = np.lexsort([-sizes, labels])
    order = order[sizes[order] > 0][:n]
    return np.array([_most_typical(rest.places, np.flatnonzero(group == k)) for k in order], dtype=int)


def _most_typical(Z: Floats, rows: Ints) -> int:
    """The row that is nearest to its neighbours."""
    if len(rows) < 3:
        return int(rows[0])
    near = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(rows) - 1)).fit(Z[rows])
    return int(rows[near.kneighbors()[0].mean(axis=1).argmin()])


def _unsure(rest: _Looked, free: Ints, n: int, rng: np.random.RandomState) -> Ints:
    """Rows of small gap, one of each cluster of such rows, the smallest first, shape (n,)."""
    rows = free[np.argsort(rest.gap[free], kind="stable")]
    if n < 1 or len(rows) <= n:
        return rows[: max(n, 0)]
    rows = rows[: _CANDIDATES * n]
    group = rest.pair[rows] if rest.places is None else _clusters(rest.places[rows], n, rng)
    return rows[list(_in_turn(group))[:n]]


def _in_turn(group: Ints) -> Iterator[int]:
    """Positions: the first of each group, then the second of each, and so on."""
    _, inverse = np.unique(group, return_inverse=True)
    rank = np.empty(len(group), dtype=int)
    for k in range(inverse.max(initial=-1) + 1):
        here = inverse == k
        rank[here] = np.arange(here.sum())
    yield from np.lexsort([np.arange(len(group)), rank]).tolist()


def _clusters(Z: Floats, n: int, rng: np.random.RandomState) -> Ints:
    """Groups of rows that are near each other, shape (N,); at most n."""
    n = min(n, len(np.unique(Z, axis=0)))
    if n < 2:
        return np.zeros(len(Z), dtype=int)
    return KMeans(n, n_init=1, random_state=rng.randint(2**31 - 1)).fit_predict(Z)


def _like(rest: _Looked, chosen: Ints) -> Ints:
    """Rows that each chosen row stands for, shape of chosen."""
    if not len(chosen):
        return np.empty(0, dtype=int)
    # Of rows that are surer than most, an answer changes little.
    doubtful = rest.gap <= max(float(np.median(rest.gap)), float(rest.gap[chosen].max()))
    if rest.places is None:
        share = np.bincount(rest.pair[chosen], minlength=int(rest.pair.max()) + 1)
        of_pair = np.bincount(rest.pair[doubtful], minlength=len(share))
        return np.maximum(of_pair[rest.pair[chosen]] // share[rest.pair[chosen]], 1)
    nearest = NearestNeighbors(n_neighbors=1).fit(rest.places[chosen])
    of = nearest.kneighbors(rest.places[doubtful], return_distance=False)[:, 0]
    same = rest.pair[doubtful] == rest.pair[chosen][of]
    return np.maximum(np.bincount(of[same], minlength=len(chosen)), 1)

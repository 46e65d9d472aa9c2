"""The best rows of each class, and quantiles, found where the rows are.

Scores are compared as whole numbers in the same order. A search divides their range into 256 bins, then the
bin with the score it looks for, and so on; it ends at exactly the score that sorting all of them would give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..common.types import Bools, Floats, Ints
from .pieces import Pieces

# Whole numbers in the order of scores.
_Keys = NDArray[np.uint64]
# Codes and scores of the rows of a piece, (n,) each.
_Scored = tuple[Ints, Floats]

_BINS = 256
# Scores that may come here to end a search.
_FEW = 20_000
_SIGN = np.uint64(1 << 63)


@dataclass(frozen=True)
class Cut:
    """Which rows of a piece are within the quotas.

    Parameters
    ----------
    lowest : ndarray of shape (K,)
        Key of the last score within each class's quota.
    ties : ndarray of shape (K,)
        How many rows of the piece with exactly that score are within it, the first ones.
    """

    lowest: _Keys
    ties: Ints

    def keep(self, codes: Ints, score: Floats) -> Bools:
        """Rows to keep, shape (n,); those of class -1 are not."""
        keys = keys_of(score)
        keep = np.zeros(len(codes), dtype=bool)
        for k, (lowest, most) in enumerate(zip(self.lowest, self.ties, strict=True)):
            of_class = codes == k
            keep |= of_class & (keys > lowest)
            keep[np.flatnonzero(of_class & (keys == lowest))[:most]] = True
        return keep


def keys_of(score: Floats) -> _Keys:
    """Whole numbers in the order of the scores, shape of score."""
    # 0.0 + turns -0.0 into 0.0, its equal.
    bits = (0.0 + np.ascontiguousarray(score, dtype=float)).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def score_of(key: ArrayLike) -> Floats:
    """The score of a key."""
    key = np.asarray(key, dtype=np.uint64)
    return np.where(key & _SIGN, key & ~_SIGN, ~key).view(float)


def cuts(pieces: Pieces, quota: ArrayLike) -> list[Cut]:
    """Of pieces (codes, score): what each may keep so that no class exceeds its quota.

    Best first, and of equal scores those in pieces and rows that come first: as
    `allocation.best_first` on all rows.
    """
    most = np.asarray(quota, dtype=np.int64)
    lowest = _nth(pieces, most)
    over, equal = (np.stack(each) for each in zip(*pieces.ask(_against, lowest), strict=True))
    left = most - over.sum(axis=0)
    before = np.cumsum(equal, axis=0) - equal
    return [Cut(lowest, ties) for ties in np.clip(left - before, 0, equal)]


def quantile(pieces: Pieces, n: int, share: float) -> float:
    """As np.quantile over n scores of pieces (codes, score), all of class 0."""
    at = (n - 1) * share
    below = min(int(at), max(n - 2, 0))
    near = [score_of(_nth(pieces, np.array([n - rank]))[0]) for rank in (below, min(below + 1, n - 1))]
    return float(np.quantile(near, at - below))


def _nth(pieces: Pieces, rank: Ints) -> _Keys:
    """Key of the rank-th highest score of each class, the highest being the first, shape (K,).

    0 where a class has fewer scores; the highest key there is where rank is 0.
    """
    k = len(rank)
    counts, lows, highs = (np.stack(each) for each in zip(*pieces.ask(_ranges, k), strict=True))
    count, low, high = counts.sum(axis=0), lows.min(axis=0), highs.max(axis=0)
    out = np.where(rank > 0, np.uint64(0), np.uint64(2**64 - 1))
    sought = (rank > 0) & (rank <= count)
    above = np.zeros(k, dtype=np.int64)
    while (sought & (low < high)).any():
        if count[sought].sum() <= _FEW:
            keys = np.concatenate(pieces.ask(_within, low, high, sought))
            for c in np.flatnonzero(sought):
                own = np.sort(keys["key"][keys["code"] == c])
                low[c] = high[c] = own[len(own) - (rank[c] - above[c])]
            break
        in_bins = np.sum(pieces.ask(_histogram, low, high, sought), axis=0)
        for c in np.flatnonzero(sought):
            from_top = np.cumsum(in_bins[c][::-1])
            b = int(np.searchsorted(from_top, rank[c] - above[c]))
            above[c] += from_top[b - 1] if b else 0
            begin, width = int(low[c]), _width(low[c], high[c])
            first = begin + (_BINS - 1 - b) * width
            low[c], high[c] = first, min(first + width - 1, int(high[c]))
            count[c] = in_bins[c][_BINS - 1 - b]
    out[sought] = low[sought]
    return out


def _width(low: np.uint64, high: np.uint64) -> int:
    return (int(high) - int(low)) // _BINS + 1


def _ranges(piece: _Scored, k: int) -> tuple[Ints, _Keys, _Keys]:
    """Of each class: how many, lowest and highest key, three of shape (K,)."""
    codes, score = piece
    keys = keys_of(score)
    low, high = np.full(k, 2**64 - 1, dtype=np.uint64), np.zeros(k, dtype=np.uint64)
    known = codes >= 0
    np.minimum.at(low, codes[known], keys[known])
    np.maximum.at(high, codes[known], keys[known])
    return np.bincount(codes[known], minlength=k), low, high


def _inside(piece: _Scored, low: _Keys, high: _Keys, sought: Bools) -> tuple[Ints, _Keys]:
    codes, score = piece
    keys = keys_of(score)
    of_sought = np.append(sought, False)[codes]
    inside = of_sought & (keys >= np.append(low, 0)[codes]) & (keys <= np.append(high, 0)[codes])
    return codes[inside], keys[inside]


def _histogram(piece: _Scored, low: _Keys, high: _Keys, sought: Bools) -> Ints:
    """How many keys are in each of the equal bins of each class's range, shape (K, bins)."""
    codes, keys = _inside(piece, low, high, sought)
    width = np.array(
        [_width(a, b) if s else 1 for a, b, s in zip(low, high, sought, strict=True)], dtype=np.uint64
    )
    bins = ((keys - low[codes]) // width[codes]).astype(np.int64)
    return np.bincount(codes * _BINS + bins, minlength=len(low) * _BINS).reshape(len(low), _BINS)


def _within(piece: _Scored, low: _Keys, high: _Keys, sought: Bools) -> NDArray[np.void]:
    codes, keys = _inside(piece, low, high, sought)
    out = np.empty(len(codes), dtype=[("code", np.int64), ("key", np.uint64)])
    out["code"], out["key"] = codes, keys
    return out


def _against(piece: _Scored, lowest: _Keys) -> tuple[Ints, Ints]:
    """Rows of each class above and at the lowest key, two of shape (K,)."""
    codes, score = piece
    keys, k = keys_of(score), len(lowest)
    known = codes >= 0
    codes, keys = codes[known], keys[known]
    limit = lowest[codes]
    return np.bincount(codes[keys > limit], minlength=k), np.bincount(codes[keys == limit], minlength=k)

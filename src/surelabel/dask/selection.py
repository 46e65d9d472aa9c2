"""The best rows of each class, and quantiles, found where the rows are.

Scores are compared as whole numbers in the same order, so that a search by halves (by 256ths,
in fact) ends at the very score that sorting all of them would have found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_BINS = 256
# Scores that may come to the client to end a search.
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
        How many rows of the piece with that very score are within it, the first ones.
    """

    lowest: np.ndarray
    ties: np.ndarray

    def keep(self, codes, score):
        """Rows to keep, shape (n,); those of class -1 are not."""
        keys = keys_of(score)
        keep = np.zeros(len(codes), dtype=bool)
        for k, (lowest, most) in enumerate(zip(self.lowest, self.ties, strict=True)):
            of_class = codes == k
            keep |= of_class & (keys > lowest)
            keep[np.flatnonzero(of_class & (keys == lowest))[:most]] = True
        return keep


def keys_of(score):
    """Whole numbers in the order of the scores, shape of score."""
    # 0.0 + turns -0.0 into 0.0, its equal.
    bits = (0.0 + np.ascontiguousarray(score, dtype=float)).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def score_of(key):
    """The score of a key."""
    key = np.asarray(key, dtype=np.uint64)
    return np.where(key & _SIGN, key & ~_SIGN, ~key).view(float)


def cuts(pieces, quota) -> list[Cut]:
    """Of pieces (codes, score): what each may keep so that no class exceeds its quota.

    Best first, and of equal scores those in pieces and rows that come first: as
    `allocation.best_first` on all rows.
    """
    quota = np.asarray(quota, dtype=np.int64)
    lowest = nth(pieces, quota)
    over, equal = (np.stack(part) for part in zip(*pieces.ask(_against, lowest), strict=True))
    left = quota - over.sum(axis=0)
    before = np.cumsum(equal, axis=0) - equal
    return [Cut(lowest, ties) for ties in np.clip(left - before, 0, equal)]


def quantile(pieces, n, share) -> float:
    """As np.quantile over n scores of pieces (codes, score), all of class 0."""
    at = (n - 1) * share
    below = min(int(at), max(n - 2, 0))
    near = [score_of(nth(pieces, np.array([n - rank]))[0]) for rank in (below, min(below + 1, n - 1))]
    return float(np.quantile(near, at - below))


def nth(pieces, rank):
    """Key of the rank-th highest score of each class, the highest being the first, shape (K,).

    0 where a class has fewer scores; the highest key there is where rank is 0.
    """
    k = len(rank)
    found = [np.stack(part) for part in zip(*pieces.ask(_ranges, k), strict=True)]
    count, low, high = found[0].sum(axis=0), found[1].min(axis=0), found[2].max(axis=0)
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
        counts = np.sum(pieces.ask(_histogram, low, high, sought), axis=0)
        for c in np.flatnonzero(sought):
            from_top = np.cumsum(counts[c][::-1])
            b = int(np.searchsorted(from_top, rank[c] - above[c]))
            above[c] += from_top[b - 1] if b else 0
            begin, width = int(low[c]), _width(low[c], high[c])
            first = begin + (_BINS - 1 - b) * width
            low[c], high[c] = first, min(first + width - 1, int(high[c]))
            count[c] = counts[c][_BINS - 1 - b]
    out[sought] = low[sought]
    return out


def _width(low, high):
    return (int(high) - int(low)) // _BINS + 1


def _ranges(piece, k):
    """Of each class: how many, lowest and highest key, three of shape (K,)."""
    codes, score = piece
    keys = keys_of(score)
    low, high = np.full(k, 2**64 - 1, dtype=np.uint64), np.zeros(k, dtype=np.uint64)
    known = codes >= 0
    np.minimum.at(low, codes[known], keys[known])
    np.maximum.at(high, codes[known], keys[known])
    return np.bincount(codes[known], minlength=k), low, high


def _inside(piece, low, high, sought):
    codes, score = piece
    keys = keys_of(score)
    of_sought = np.append(sought, False)[codes]
    inside = of_sought & (keys >= np.append(low, 0)[codes]) & (keys <= np.append(high, 0)[codes])
    return codes[inside], keys[inside]


def _histogram(piece, low, high, sought):
    """Keys in each of the equal parts of each class's range, shape (K, bins)."""
    codes, keys = _inside(piece, low, high, sought)
    width = np.array(
        [_width(a, b) if s else 1 for a, b, s in zip(low, high, sought, strict=True)], dtype=np.uint64
    )
    part = ((keys - low[codes]) // width[codes]).astype(np.int64)
    return np.bincount(codes * _BINS + part, minlength=len(low) * _BINS).reshape(len(low), _BINS)


def _within(piece, low, high, sought):
    codes, keys = _inside(piece, low, high, sought)
    out = np.empty(len(codes), dtype=[("code", np.int64), ("key", np.uint64)])
    out["code"], out["key"] = codes, keys
    return out


def _against(piece, lowest):
    """Rows of each class above and at the lowest key, two of shape (K,)."""
    codes, score = piece
    keys, k = keys_of(score), len(lowest)
    known = codes >= 0
    codes, keys = codes[known], keys[known]
    limit = lowest[codes]
    return np.bincount(codes[keys > limit], minlength=k), np.bincount(codes[keys == limit], minlength=k)

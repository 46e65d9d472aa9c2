"""What a fitted committee thinks of rows, each by itself, a block of them at a time."""

from __future__ import annotations

import numpy as np

from ..committees.member_fitting import aligned
from ..confidence import Moments, mean_of
from ..reading.features import take

# Rows whose P (M, N, K) is held at a time.
_BLOCK_ROWS = 16_384


def measure(committee, X, n_classes, pool, parts, begin=0, n=None):
    """What a fitted committee thinks of each row by itself: mean, spread, and what the confidence measures.

    In blocks of rows, so that P never exists for all of them; the spread is None where nothing
    asks for it. The pool may be a run of the whole one, of n rows, from rank `begin` on: each row
    then has the place it has in the blocks of the whole, since the last digits of a matrix
    product depend on that.
    """
    # A confidence that is a plain function may compare rows: it gets them all at once.
    measured = getattr(parts.confidence, "measure", parts.confidence)
    n = len(pool) if n is None else n
    size = _BLOCK_ROWS if hasattr(parts.confidence, "measure") else max(n, 1)
    means, spreads, measures = [np.empty((0, n_classes))], [np.empty((0, n_classes))], [np.empty(0)]
    for start in range(begin - begin % size, begin + len(pool), size):
        first, end = max(start, begin), min(start + size, begin + len(pool))
        rows, own = pool[first - begin : end - begin], slice(first - start, end - start)
        if len(rows) < min(size, n - start):
            block = np.full(min(size, n - start), rows[0])
            block[own] = rows
            rows = block
        P = _asked(committee, take(X, rows), n_classes)
        means.append(mean_of(P)[own])
        if parts.negatives is not None:
            spreads.append(np.sqrt(Moments.of(P).variance)[own])
        measures.append(measured(P)[own])
    spread = None if parts.negatives is None else np.concatenate(spreads)
    return np.concatenate(means), spread, np.concatenate(measures)


def _asked(committee, X, n_classes):
    """P (M, N, K) over all classes; its moments from a committee that never holds P."""
    if not hasattr(committee, "predict_moments"):
        return aligned(committee.predict_members(X), committee.classes_, n_classes)
    moments = committee.predict_moments(X)
    mean, variance = (aligned(m, committee.classes_, n_classes) for m in (moments.mean, moments.variance))
    return Moments(mean, variance, moments.n_members)

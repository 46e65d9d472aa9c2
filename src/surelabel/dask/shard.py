"""What is done to one part of the table, where it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from dask.sizeof import sizeof

from ..allocation import Offer
from ..committees.random_xgboost import plain
from ..confidence import below
from ..reading.columns import Columns
from ..reading.features import as_table, category_mask, is_frame, is_sparse, numbers, row_index, take
from ..reading.targets import Targets, codes_like, distinct
from ..rounds.asking import answers
from ..rounds.audit import audit
from ..rounds.labels import Labels
from ..rounds.records import Parts
from .selection import Cut

# Columns of Labels in few bytes: there may be many rows.
_SMALL: dict[str, Any] = {"codes": np.int32, "round": np.int16, "guess": np.int32, "runner_up": np.int32}


@dataclass(frozen=True)
class Glance:
    """A first look at a part: its rows, what its columns hold, which labels there are, and its bytes."""

    n: int
    columns: Any
    labels: np.ndarray
    n_bytes: int = 0


@dataclass(frozen=True)
class Judged:
    """What a committee thinks of the part's rows in the pool.

    Parameters
    ----------
    pool : ndarray of shape (n,)
        Which rows.
    p : ndarray of shape (n, K)
        Mean probabilities.
    confidence : ndarray of shape (n,)
        Above 0 is trusted; before `trust`, what the confidence measures.
    """

    pool: np.ndarray
    p: np.ndarray
    confidence: np.ndarray


@dataclass(frozen=True)
class Counts:
    """Rows of a part: given labels by class, labels found, rows in the pool, the last round."""

    given: np.ndarray
    found: int
    pool: int
    last: int


@dataclass(frozen=True)
class Some:
    """Some rows of a part: where they are, their features, and what is known of them."""

    rows: np.ndarray
    X: Any
    codes: np.ndarray
    round: np.ndarray


class Lesson(NamedTuple):
    """Rows to train on: a plain matrix, codes, weights, and which columns are categories.

    A tuple, since Dask knows how many bytes its parts have.
    """

    X: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    category: np.ndarray


def glance(x, y, columns: Columns, name):
    """A first look at a part."""
    if x.shape[0] != len(y):
        raise ValueError(f"{name} has {x.shape[0]} rows of X and {len(y)} of y.")
    if not len(y):
        return Glance(0, None, distinct(y))
    if is_sparse(x):
        raise TypeError(f"{name} is a sparse matrix; on a cluster parts are dense arrays or frames.")
    try:
        return Glance(len(y), columns.survey(x), distinct(y), sizeof(x))
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from error


def itself(x):
    """The part as it is, to be kept."""
    return x


def start(y, known: Targets, found):
    """Labels before the first round."""
    return _small(Labels.start(codes_like(y, known), len(known.classes), None, found))


def counts(labels: Labels, before):
    """Rows by what is known of them, taking labels found in round `before` or later for unknown."""
    labels = _as_of(labels, before)
    given = labels.codes[labels.round == 0]
    return Counts(
        np.bincount(given, minlength=labels.n_classes),
        int((labels.round > 0).sum()),
        len(labels.pool),
        labels.last,
    )


def some(labels: Labels, x, columns: Columns, before, found, pool):
    """The rows with given labels, and those with these ranks among the found and in the pool."""
    labels = _as_of(labels, before)
    given, known = np.flatnonzero(labels.round == 0), np.flatnonzero(labels.round > 0)
    rows = np.sort(np.concatenate([given, known[found], labels.pool[pool]]))
    return Some(rows, read(x, columns, rows), labels.codes[rows].astype(int), labels.round[rows].astype(int))


def found_by_class(labels: Labels, found):
    """Rows by class among the found ones of these ranks, shape (K,)."""
    known = np.flatnonzero(labels.round > 0)[found]
    return np.bincount(labels.codes[known], minlength=labels.n_classes)


def lesson(labels: Labels, x, columns: Columns, found, scales, classes):
    """The rows with given labels and the found ones of these ranks, to be trained on here.

    `scales` are the weights of given and found labels of each of `classes`, shape (2, k).
    """
    rows = np.sort(
        np.concatenate([np.flatnonzero(labels.round == 0), np.flatnonzero(labels.round > 0)[found]])
    )
    codes = np.searchsorted(classes, labels.codes[rows])
    X = read(x, columns, rows)
    weight = scales[(labels.round[rows] > 0).astype(int), codes]
    return Lesson(plain(X), codes, weight, category_mask(X))


def lesson_shape(lesson: Lesson):
    """Which columns are categories, shape (d,), and how many columns there are."""
    return lesson.category, lesson.X.shape[1]


def extremes(labels: Labels, x, columns: Columns):
    """The least and the most of each column over the labelled rows, shape (2, d); (0, d) without any."""
    rows = np.flatnonzero(labels.round == 0)
    if not len(rows):
        return np.empty((0, x.shape[1]))
    X = numbers(read(x, columns, rows))
    X = np.where(np.isnan(X), -np.inf, X)
    return np.stack([X.min(axis=0), X.max(axis=0)])


def read(x, columns: Columns, rows):
    """Features of some rows."""
    X = columns.arrange(x)
    X = X.to_pandas() if is_frame(X) and not isinstance(X, pd.DataFrame) else X
    return columns.transform(take(X, rows))


def judge(labels: Labels, x, committee, columns: Columns, method: Parts, begin, n):
    """What a fitted committee thinks of the part's pool, which begins at a rank of the whole of n rows."""
    pool = labels.pool
    if not len(pool):
        return Judged(pool, np.empty((0, labels.n_classes)), np.empty(0))
    X, rows = read(x, columns, pool), np.arange(len(pool))
    said = answers(committee, X, labels.n_classes, rows, method, begin, n)
    return Judged(pool, said.p, said.measured)


def measured(judged: Judged):
    """What the confidence measured, for `selection.quantile`."""
    return np.zeros(len(judged.pool), dtype=int), judged.confidence


def trust(judged: Judged, limit):
    """Rows below the limit of uncertainty are trusted."""
    return replace(judged, confidence=below(limit, judged.confidence))


def tally(judged: Judged, labels: Labels):
    """How many rows are trusted, and of how many the most probable class is not the last guess."""
    changed = judged.p.argmax(axis=1) != labels.guess[judged.pool]
    return int((judged.confidence > 0).sum()), int(changed.sum())


def sure(judged: Judged):
    """Probabilities of the rows that are trusted, shape (n, K)."""
    return judged.p[judged.confidence > 0]


def offered(p, rule):
    """Class and score of each trusted row, for `selection.cuts`; class -1 where it is not accepted."""
    offer = rule(p) if len(p) else _NO_OFFER
    return np.where(offer.accepted, offer.codes, -1), offer.score


def record(labels: Labels, judged: Judged, rule, cut: Cut, number):
    """Labels after a round."""
    new = replace(
        labels,
        **{
            name: getattr(labels, name).copy()
            for name in (*_SMALL, "probability", "gap", "confidence", "status")
        },
    )
    if not len(judged.pool):
        return new
    candidates = judged.confidence > 0
    offer = rule(judged.p[candidates]) if candidates.any() else _NO_OFFER
    keep = cut.keep(np.where(offer.accepted, offer.codes, -1), offer.score)
    new.record(judged.pool, number, judged.p, judged.confidence, offer.kept(keep), candidates)
    return new


def by_class(labels: Labels, number):
    """Rows labelled in a round, by class, shape (K,)."""
    return np.bincount(labels.codes[labels.round == number], minlength=labels.n_classes)


def described(x, labels: Labels, classes, begin, types):
    """A line for each row of the part: its label and why, in columns of these types."""
    return audit(labels, classes, row_index(as_table(x), begin)).astype(types)


def _as_of(labels, before):
    return labels if before is None else labels.before(before)


def _small(labels):
    return replace(labels, **{name: getattr(labels, name).astype(kind) for name, kind in _SMALL.items()})


_NO_OFFER = Offer(np.empty(0, dtype=int), np.empty(0), np.empty(0, dtype=bool))

"""What is done to one shard of the table, where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation import Offer
from ..committees.base import Committee
from ..committees.random_xgboost import plain
from ..committees.readable import rows_with_gaps
from ..common.types import AnyLabels, Bools, Floats, Ints, Table, Values
from ..confidence import below
from ..reading.column_survey import Survey
from ..reading.column_values import is_frame, is_sparse
from ..reading.columns import Columns
from ..reading.features import (
    as_table,
    category_mask,
    has_text,
    numbers,
    row_index,
    take,
    text_mask,
    without_text,
)
from ..reading.indicators import read_indicators
from ..reading.targets import Targets, codes_like
from ..rounds.asking import answers, best_guesses, best_of
from ..rounds.audit import audit, given_labels, guess_lines
from ..rounds.labels import Labels
from ..rounds.records import Parts
from .selection import Cut

# Columns of Labels in few bytes: there may be many rows.
_SMALL: dict[str, Any] = {"codes": np.int32, "round": np.int16, "guess": np.int32, "runner_up": np.int32}


@dataclass(frozen=True)
class Glance:
    """A first look at a shard: its rows, what its columns hold, which labels there are, and its bytes."""

    n: int
    columns: dict[Any, Survey] | None
    labels: Any
    n_bytes: int = 0


@dataclass(frozen=True)
class Judged:
    """What a committee thinks of the shard's rows in the pool.

    Parameters
    ----------
    pool : ndarray of shape (n,)
        Which rows.
    p : ndarray of shape (n, K)
        Mean probabilities.
    confidence : ndarray of shape (n,)
        Above 0 is trusted; before `trust`, what the confidence measures.
    """

    pool: Ints
    p: Floats
    confidence: Floats


@dataclass(frozen=True)
class _Counts:
    """Rows of a shard: given labels by class, labels found, rows in the pool, the last round."""

    given: Ints
    found: int
    pool: int
    last: int


@dataclass(frozen=True)
class _Some:
    """Some rows of a shard: where they are, their features, and what is known of them."""

    rows: Ints
    X: Table
    codes: Ints
    round: Ints


@dataclass(frozen=True)
class Asked:
    """Rows of a shard that came unlabelled and were asked about, in few bytes: all of them come to one place.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Where they are in the shard.
    gap : ndarray of shape (n,)
        Between the probabilities of the two best classes.
    guess, runner_up : ndarrays of shape (n,)
        These classes, as codes.
    """

    rows: Ints
    gap: Floats
    guess: Ints
    runner_up: Ints


class Lesson(NamedTuple):
    """Rows to train on: a plain matrix, codes, weights, and which columns are categories.

    A tuple, because of a tuple Dask can tell how many bytes it has.
    """

    X: NDArray[np.float32]
    codes: Ints
    weight: Floats
    category: Bools


def glance(
    x: Table,
    y: AnyLabels,
    columns: Columns,
    size_of: Callable[[Table], int],
    number: int,
    seen: Callable[[AnyLabels], Any],
) -> Glance:
    """A first look at a shard, of this number; `seen` tells which labels there are in y."""
    name = f"Shard {number} of X"
    if x.shape[0] != len(y):
        raise ValueError(f"{name} has {x.shape[0]} rows of X and {len(y)} of y.")
    if not len(y):
        return Glance(0, None, None)
    if is_sparse(x):
        raise TypeError(f"{name} is a sparse matrix; shards are dense arrays or frames.")
    try:
        survey, n_bytes = columns.survey(x), size_of(x)
        name = f"Shard {number} of y"
        return Glance(len(y), survey, seen(y), n_bytes)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from error


def cells_seen(y: AnyLabels, mark: Any, classes: AnyLabels | None) -> tuple[Values, list[Values]]:
    """Names of the labels, and what cells of each hold, where rows have several."""
    cells = read_indicators(y, mark, classes)
    return cells.classes, [pd.unique(column) for column in cells.values.T]


def cells(y: AnyLabels, mark: Any) -> NDArray[np.int8]:
    """Which rows have which labels: 1, 0 or -1, shape (n, L)."""
    return read_indicators(y, mark).codes.astype(np.int8)


def itself(x: Table) -> Table:
    """The shard as it is, to be kept."""
    return x


def start(y: AnyLabels, known: Targets, found: str) -> Labels:
    """Labels before the first round."""
    return _small(Labels.start(codes_like(y, known), len(known.classes), None, found))


def start_cells(codes: NDArray[np.int8], k: int, found: str) -> Labels:
    """The same of one of several labels: 1 has it, 0 has it not."""
    return _small(Labels.start(codes[:, k].astype(int), 2, None, found))


def counts(labels: Labels, before: int | None) -> _Counts:
    """Rows by what is known of them; labels found in round `before` or later count as unknown."""
    labels = _as_of(labels, before)
    given = labels.codes[labels.round == 0]
    return _Counts(
        np.bincount(given, minlength=labels.n_classes),
        int((labels.round > 0).sum()),
        len(labels.pool),
        labels.last,
    )


def some(labels: Labels, x: Table, columns: Columns, before: int | None, found: Ints, pool: Ints) -> _Some:
    """The rows with given labels, and those with these ranks among the found and in the pool."""
    labels = _as_of(labels, before)
    given, known = np.flatnonzero(labels.round == 0), np.flatnonzero(labels.round > 0)
    rows = np.sort(np.concatenate([given, known[found], labels.pool[pool]]))
    return _Some(
        rows, _read(x, columns, rows), labels.codes[rows].astype(int), labels.round[rows].astype(int)
    )


def a_few(labels: Labels, x: Table, columns: Columns, most: int) -> _Some:
    """Rows on which a model is tried: some with a label, of every class, some without, and some with gaps."""
    X = _read(x, columns, np.arange(len(labels.codes)))
    known, gaps = labels.round == 0, rows_with_gaps(X)
    of_each = np.flatnonzero(known)[np.unique(labels.codes[known], return_index=True)[1]]
    groups = [np.flatnonzero(has & which) for has in (known, ~known) for which in (gaps, ~gaps)]
    spaced = [rows[:: -(-len(rows) // most)] for rows in groups if len(rows)]
    rows = np.unique(np.concatenate([of_each, *spaced]))
    return _Some(rows, take(X, rows), labels.codes[rows].astype(int), labels.round[rows].astype(int))


def found_by_class(labels: Labels, found: Ints) -> Ints:
    """Rows by class among the found ones of these ranks, shape (K,)."""
    known = np.flatnonzero(labels.round > 0)[found]
    return np.bincount(labels.codes[known], minlength=labels.n_classes)


def lesson(labels: Labels, x: Table, columns: Columns, found: Ints, scales: Floats, classes: Ints) -> Lesson:
    """The rows with given labels and the found ones of these ranks, to be trained on here.

    `scales` are the weights of given and found labels of each of `classes`, shape (2, k).
    """
    rows = np.sort(
        np.concatenate([np.flatnonzero(labels.round == 0), np.flatnonzero(labels.round > 0)[found]])
    )
    codes = np.searchsorted(classes, labels.codes[rows])
    X = _read(x, columns, rows)
    weight = scales[(labels.round[rows] > 0).astype(int), codes]
    return Lesson(plain(X), codes, weight, category_mask(X))


def lesson_shape(lesson: Lesson) -> tuple[Bools, int]:
    """Which columns are categories, shape (d,), and how many columns there are."""
    return lesson.category, lesson.X.shape[1]


def extremes(labels: Labels, x: Table, columns: Columns) -> Floats:
    """The least and the most of each column over the labelled rows, shape (2, d); (0, 0) without any.

    A text counts as a number of its own.
    """
    rows = np.flatnonzero(labels.round == 0)
    if not len(rows):
        return np.empty((0, 0))
    table = _read(x, columns, rows)
    X = numbers(without_text(table))
    if has_text(table):
        text = table.loc[:, text_mask(table)].apply(pd.util.hash_pandas_object, index=False)
        X = np.hstack([X, text.to_numpy(dtype=float)])
    X = np.where(np.isnan(X), -np.inf, X)
    return np.stack([X.min(axis=0), X.max(axis=0)])


def _read(x: Table, columns: Columns, rows: Ints) -> Table:
    """Features of some rows."""
    X = columns.arrange(x)
    X = X.to_pandas() if is_frame(X) and not isinstance(X, pd.DataFrame) else X
    return columns.transform(take(X, rows))


def judge(
    labels: Labels,
    x: Table,
    committee: Committee,
    columns: Columns,
    method: Parts,
    begin: int,
    n: int,
    before: int | None = None,
) -> Judged:
    """What a fitted committee thinks of the shard's pool, whose first row has rank `begin` among all n."""
    pool = _as_of(labels, before).pool
    if not len(pool):
        return Judged(pool, np.empty((0, labels.n_classes)), np.empty(0))
    X, rows = _read(x, columns, pool), np.arange(len(pool))
    said = answers(committee, X, labels.n_classes, rows, method, begin, n)
    return Judged(pool, said.p, said.measured)


def best(judged: Judged) -> tuple[Floats, Ints]:
    """The probability of the best class of each row that was asked about, and that class."""
    return best_of(judged.p)


def guessed(
    labels: Labels, x: Table, predict: Callable[[Table, int], Floats], columns: Columns
) -> tuple[Floats, Ints]:
    """The same of the rows that came unlabelled, by a classifier."""
    pool = labels.before(1).pool
    X = _read(x, columns, pool) if len(pool) else x
    return best_guesses(X, np.arange(len(pool)), labels.n_classes, predict)


def stated(labels: Labels) -> tuple[Floats, Ints]:
    """The same as it was stated when the rows were last asked about; probability 0 where they never were."""
    pool = labels.before(1).pool
    codes = np.where(labels.codes[pool] >= 0, labels.codes[pool], labels.guess[pool])
    return np.where(codes < 0, 0.0, labels.probability[pool]), np.maximum(codes, 0)


def still_asked(judged: Judged, labels: Labels) -> Judged:
    """What was said of the rows that are still in the pool."""
    left = labels.codes[judged.pool] < 0
    return Judged(judged.pool[left], judged.p[left], judged.confidence[left])


def measured(judged: Judged) -> tuple[Ints, Floats]:
    """What the confidence measured, for `selection.quantile`."""
    return np.zeros(len(judged.pool), dtype=int), judged.confidence


def trust(judged: Judged, limit: float) -> Judged:
    """Rows below the limit of uncertainty are trusted."""
    return replace(judged, confidence=below(limit, judged.confidence))


def tally(judged: Judged, labels: Labels) -> tuple[int, int]:
    """How many rows are trusted, and of how many the most probable class is not the last guess."""
    changed = judged.p.argmax(axis=1) != labels.guess[judged.pool]
    return int((judged.confidence > 0).sum()), int(changed.sum())


def sure(judged: Judged) -> Floats:
    """Probabilities of the rows that are trusted, shape (n, K)."""
    return judged.p[judged.confidence > 0]


def offered(p: Floats, rule: Callable[[Floats], Offer]) -> tuple[Ints, Floats]:
    """Class and score of each trusted row, for `selection.cuts`; class -1 where it is not accepted."""
    offer = rule(p) if len(p) else _NO_OFFER
    return np.where(offer.accepted, offer.codes, -1), offer.score


def record(labels: Labels, judged: Judged, rule: Callable[[Floats], Offer], cut: Cut, number: int) -> Labels:
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


def by_class(labels: Labels, number: int) -> Ints:
    """Rows labelled in a round, by class, shape (K,)."""
    return np.bincount(labels.codes[labels.round == number], minlength=labels.n_classes)


def described(x: Table, labels: Labels, classes: Values, begin: int, types: dict[str, str]) -> pd.DataFrame:
    """A line for each row of the shard: its label and why, in columns of these types."""
    return audit(labels, classes, row_index(as_table(x), begin)).astype(types)


def asked(labels: Labels) -> Asked:
    """What is known of the rows that a person may be asked about."""
    rows = np.flatnonzero((labels.round != 0) & ~np.isnan(labels.gap))
    place, code = np.min_scalar_type(len(labels.codes)), np.min_scalar_type(labels.n_classes)
    guesses = [codes[rows].astype(code) for codes in (labels.guess, labels.runner_up)]
    return Asked(rows.astype(place), np.abs(labels.gap[rows]), *guesses)


def guesses_of(labels: Labels, x: Table, classes: Values, begin: int, rows: Ints) -> pd.DataFrame:
    """What is said of some rows of the shard, whose first row is at `begin` of the table."""
    return guess_lines(audit(labels, classes, row_index(as_table(x), begin), rows), begin + rows)


def given(labels: Labels, x: Table, classes: Values, begin: int) -> pd.DataFrame:
    """The labels that came with the shard, whose first row is at `begin` of the table."""
    return given_labels(labels, classes, row_index(as_table(x), begin), begin)


def described_cells(
    x: Table, names: list[Any], begin: int, types: dict[str, str], *labels: Labels
) -> pd.DataFrame:
    """The same where rows have several labels: columns of each, with its name before theirs."""
    index, yes_or_no = row_index(as_table(x), begin), np.array([0, 1])
    each = [audit(own, yes_or_no, index).rename(columns={"label": "value"}) for own in labels]
    named = [lines.add_prefix(f"{name}_") for name, lines in zip(names, each, strict=True)]
    return pd.concat(named, axis=1)[list(types)].astype(types)


def _as_of(labels: Labels, before: int | None) -> Labels:
    return labels if before is None else labels.before(before)


def _small(labels: Labels) -> Labels:
    return replace(labels, **{name: getattr(labels, name).astype(kind) for name, kind in _SMALL.items()})


_NO_OFFER = Offer(np.empty(0, dtype=int), np.empty(0), np.empty(0, dtype=bool))

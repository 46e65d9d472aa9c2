"""What each column contributes to the guesses: how they suffer where its values are mixed up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..common.types import Floats, Ints, Table
from ..reading.column_values import is_sparse
from ..reading.features import numbers, take, text_mask

# Rows of one question, so that memory stays bounded.
_BLOCK_ROWS = 4_000


@dataclass(frozen=True)
class Contribution:
    """What is lost where the values of a column are mixed up among rows.

    Parameters
    ----------
    fall : float
        How much the probability of the guesses falls, on average over rows.
    changed : float
        Share of the rows whose guess changes.
    """

    fall: float
    changed: float


def contributions(
    ask: Callable[[Table], Floats], table: Table, groups: Mapping[Any, Sequence[int]], seed: int = 0
) -> dict[Any, Contribution]:
    """Contribution of each group of columns, by permutation; no true label is needed.

    Parameters
    ----------
    ask : callable
        Probabilities of a table, (n, K).
    table : array, sparse matrix or frame of n rows
        As models read it.
    groups : mapping of name to sequence of int
        Positions of the columns that are mixed up together.
    seed : int, default=0
        Of the permutations.

    Examples
    --------
    >>> def ask(X):
    ...     return np.column_stack([X[:, 0], 1 - X[:, 0]])
    >>> X = np.array([[0.9, 5.0], [0.1, 7.0]])
    >>> found = contributions(ask, X, {"first": [0], "second": [1]})
    >>> found["first"].changed, found["second"]
    (1.0, Contribution(fall=0.0, changed=0.0))
    """
    n, rng = table.shape[0], np.random.default_rng(seed)
    if n < 2:
        return {}
    p = np.asarray(ask(table))
    guess = p.argmax(axis=1)
    sure = p[np.arange(n), guess]
    found = {}
    every, size = list(groups), max(_BLOCK_ROWS // n, 1)
    for names in (every[at : at + size] for at in range(0, len(every), size)):
        mixed = _mixed(table, [(list(groups[name]), _derangement(n, rng)) for name in names])
        asked = np.asarray(ask(mixed)).reshape(len(names), n, -1)
        for name, q in zip(names, asked, strict=True):
            fall = float((sure - q[np.arange(n), guess]).mean())
            found[name] = Contribution(fall, float((q.argmax(axis=1) != guess).mean()))
    return found


def _derangement(n: int, rng: np.random.Generator) -> Ints:
    """Another row for each row, shape (n,)."""
    order, other = rng.permutation(n), np.empty(n, dtype=int)
    other[order] = np.roll(order, 1)
    return other


def _mixed(table: Table, copies: Sequence[tuple[list[int], Ints]]) -> Table:
    """Copies of a table, one below the other, in each of which some columns come from other rows."""
    if is_sparse(table):
        return sp.vstack(list(_mixed_sparse(table, copies)), format="csr")
    n = table.shape[0]
    same = np.tile(np.arange(n), len(copies))
    mixed = take(table, same)
    if not isinstance(table, pd.DataFrame):
        for k, (columns, other) in enumerate(copies):
            mixed[k * n : (k + 1) * n, columns] = table[other][:, columns]
        return mixed
    rows: dict[int, Ints] = {}
    for k, (columns, other) in enumerate(copies):
        for column in columns:
            rows.setdefault(column, same.copy())[k * n : (k + 1) * n] = other
    whole = {name: table.iloc[:, j].array.take(rows.get(j, same)) for j, name in enumerate(table.columns)}
    return pd.DataFrame(whole)


def _mixed_sparse(table: Any, copies: Sequence[tuple[list[int], Ints]]) -> Iterator[Any]:
    by_column = table.tocsc()
    for columns, other in copies:
        cuts = [0, *(cut for j in sorted(columns) for cut in (j, j + 1)), table.shape[1]]
        pieces = [by_column[:, a:b] for a, b in pairwise(cuts)]
        pieces[1::2] = [piece[other] for piece in pieces[1::2]]
        yield sp.hstack(pieces, format="csr")


def differing(table: Table, guess: Ints, groups: Mapping[Any, Sequence[int]], most: int) -> list[Any]:
    """At most so many names of groups, those that differ most between the classes guessed, in order.

    What part of a column's variance lies between classes is a cheap sign of what it contributes.
    Columns of free text come first.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [0.1, 2.0], [0.9, 1.0], [1.0, 2.0]])
    >>> differing(X, np.array([0, 0, 1, 1]), {"first": [0], "second": [1]}, most=1)
    ['first']
    """
    if len(groups) <= most:
        return list(groups)
    share = _shares_between(table, guess)
    best = {name: share[list(columns)].max(initial=0) for name, columns in groups.items()}
    chosen = set(sorted(groups, key=best.__getitem__, reverse=True)[:most])
    return [name for name in groups if name in chosen]


def _shares_between(table: Table, guess: Ints) -> Floats:
    """Share of the variance of each column that lies between classes, shape (d,); 2 for free text."""
    text = text_mask(table)
    X = numbers(table)
    if not is_sparse(X):
        known = ~np.isnan(X)
        X = np.where(known, X, np.where(known, X, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    _, codes = np.unique(guess, return_inverse=True)
    n, of_class = len(codes), np.eye(codes.max() + 1)[codes]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray((X.multiply(X) if is_sparse(X) else X * X).sum(axis=0)).ravel()
    total = squares - n * mean**2
    sizes = of_class.sum(axis=0)
    means = np.asarray(X.T @ of_class).T / sizes[:, None]
    between = (sizes[:, None] * (means - mean) ** 2).sum(axis=0)
    share = np.full(len(text), 2.0)
    share[~text] = np.where(total > 1e-9 * squares, between / np.where(total > 0, total, 1), 0)
    return share

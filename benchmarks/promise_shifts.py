"""Labelled rows that were not drawn at random: planted shifts, and the columns that a test sees.

Half of the rows have odds of 9 to 1 to be labelled: nine of ten labelled rows are of that half, where half of
the others are. That is fixed: it was written down before any test was tried on it.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier

from surelabel.bench.datasets import Split
from surelabel.bench.folder_tables import check, read, with_each_class
from surelabel.committees.encoding import Encoder
from surelabel.committees.text_encoding import TextBesideTable
from surelabel.reading.columns import Columns
from surelabel.reading.features import has_text

ODDS = 9.0
KINDS = ("column", "class", "ease", "time")
_MOST_TEST = 2000
_DIRECTIONS = 30  # of text


def encoded(*parts):
    """Tables as matrices without gaps, all encoded alike, by what is in all of them."""
    table = Columns().fit_transform(pd.concat(parts, ignore_index=True))
    encoder = TextBesideTable(_DIRECTIONS) if has_text(table) else Encoder("quantile")
    return np.split(encoder.fit_transform(table), np.cumsum([len(part) for part in parts])[:-1])


def upper_half(values, rng):
    """Whether each value is in the upper half; equal values are parted at random."""
    order = np.lexsort([rng.rand(len(values)), values])
    above = np.zeros(len(values), dtype=bool)
    above[order[len(values) // 2 :]] = True
    return above


def favoured(kind, X, y, rng):
    """Which rows have the higher odds, shape (N,)."""
    if kind == "class":
        classes = rng.permutation(np.unique(y))
        return np.isin(y, classes[: max(len(classes) // 2, 1)])
    if kind == "ease":
        trees = ExtraTreesClassifier(200, bootstrap=True, oob_score=True, random_state=0)
        said = trees.fit(encoded(X)[0], y).oob_decision_function_
        return upper_half(said[np.arange(len(y)), np.searchsorted(trees.classes_, y)], rng)
    Z = encoded(X)[0]
    Z = Z[:, Z.std(axis=0) > 0]
    if kind == "column":
        return upper_half(Z[:, rng.randint(Z.shape[1])], rng)
    # Time goes with every column a little: a drift.
    return upper_half(Z @ rng.normal(size=Z.shape[1]), rng)


def shifted_draw(kind, name, seed, folder, *, labelled, odds=ODDS):
    """The split of a table by the number of a draw, its labelled rows drawn with a shift."""
    check(name, folder, labelled=labelled)
    dataset, X, y = read(name, folder)
    rng = np.random.RandomState(seed)
    order = rng.permutation(len(y))
    n_test = min(round(0.2 * len(y)), _MOST_TEST)
    training, test = with_each_class(order, y, len(y) - n_test)
    rng = np.random.RandomState([seed, KINDS.index(kind)])
    chance = np.where(favoured(kind, X.iloc[training].reset_index(drop=True), y[training], rng), odds, 1.0)
    # The first of such an order are drawn with these odds, without replacement.
    training = training[np.argsort(rng.exponential(size=len(training)) / chance)]
    given, pool = with_each_class(training, y, labelled)
    X_l, X_u, X_t = (X.iloc[rows].reset_index(drop=True) for rows in (given, pool, test))
    return Split(dataset, seed, X_l, y[given], X_u, y[pool], X_t, y[test])

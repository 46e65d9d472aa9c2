"""Whether the labelled rows of a run are like the others: only then do they stand for them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier

from ..committees.encoding import Encoder
from ..common.types import Floats, Ints, Table
from ..filling.likeness import Likeness, likeness, weights_like
from ..reading.features import take, without_text
from .labels import Labels
from .training import some_of

# Unlabelled rows that are looked at, and labelled rows with which a difference can be seen at all.
_MOST_ROWS, _FEWEST_LABELS = 1_000, 30


def labelled_like_others(
    X: Table, labels: Labels, given: Ints, rng: np.random.RandomState, one_label: bool = True
) -> tuple[Likeness, Floats] | None:
    """Whether labelled rows could be a random sample, and weights under which they are like the unlabelled.

    Rows that were labelled because they were chosen are among the others here: without them those that are
    left would be the easier ones, and a random sample of the table would seem to be unlike them.

    Parameters
    ----------
    X, labels
        All rows and what was known of them before the first round.
    given : ndarray of shape (n,)
        The labelled rows that are to stand for the others.
    rng : RandomState
        Draws rows and relabellings.
    one_label : bool, default=True
        Whether a row has one label. Then classes are compared, too, and how easy rows are.

    Returns
    -------
    (Likeness, ndarray of shape (n,)), or None where there are too few rows to tell
    """
    rest = np.setdiff1d(np.flatnonzero(labels.weight > 0), given)
    others = rest[some_of(len(rest), _MOST_ROWS, rng)]
    if min(len(given), len(others)) < _FEWEST_LABELS:
        return None
    table = without_text(take(X, np.concatenate([given, others])))
    if not table.shape[1]:
        return None
    encoder = Encoder("quantile")
    Z = encoder.fit_transform(table)
    labelled, unlabelled = Z[: len(given)], Z[len(given) :]
    forest = ExtraTreesClassifier(20, min_samples_leaf=2, random_state=0) if one_label else None
    codes = labels.codes[given]
    found = likeness(labelled, unlabelled, _names(table, encoder), rng, codes, forest)
    return found, weights_like(labelled, unlabelled[labels.codes[others] < 0])


def _names(table: Table, encoder: Encoder) -> list[str]:
    """The column of the table that each column of the matrix is made of."""
    if not isinstance(table, pd.DataFrame):
        return [f"column {k + 1}" for k in range(table.shape[1])]
    columns = np.array([str(name) for name in table.columns], dtype=object)
    numbers, categories = columns[~encoder.categorical_], columns[encoder.categorical_]
    if encoder.levels_ is None:
        return numbers.tolist()
    places = encoder.levels_.get_feature_names_out([f"{k}" for k in range(len(categories))])
    made_of: Ints = np.array([int(place.split("_")[0]) for place in places])
    return [*numbers.tolist(), *categories[made_of].tolist()]

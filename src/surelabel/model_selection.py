"""Cross-validation for half-labelled data: unlabelled rows help train and never score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state, indexable

from .notice import notice
from .targets import AUTO, append_missing, labeled_part, read_targets, values_of


class LabeledKFold:
    """Stratified folds over the labelled rows; unlabelled rows are in every training part.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=True
        Whether to shuffle rows within each class first.
    random_state : int or RandomState, optional
        Seeds the shuffling.
    missing_label : scalar, default="auto"
        See `surelabel.targets.is_unlabeled`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from surelabel import Repeated, csa, trees
    >>> X, y = load_iris(return_X_y=True)
    >>> y_few = hide_labels(y, 0.8, random_state=0)
    >>> cv = LabeledKFold(3, random_state=0)
    >>> [len(test) for _, test in cv.split(X, y_few)]
    [10, 10, 10]
    >>> clf = csa(committee=Repeated(trees(5), n_members=3), random_state=0)
    >>> bool(cross_val_score(clf, X, y_few, cv=cv).mean() > 0.8)
    True
    """

    def __init__(self, n_splits=5, *, shuffle=True, random_state=None, missing_label: Any = AUTO):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def split(self, X, y, groups=None):
        """Yield (training rows, test rows), as positions."""
        X, y = indexable(X, values_of(y))
        targets = read_targets(y, self.missing_label)
        labeled = np.flatnonzero(targets.codes >= 0)
        unlabeled = np.flatnonzero(targets.codes < 0)
        folds = StratifiedKFold(
            self.n_splits, shuffle=self.shuffle, random_state=self.random_state if self.shuffle else None
        )
        for train, test in folds.split(labeled, targets.codes[labeled]):
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]

    def get_n_splits(self, X=None, y=None, groups=None):
        """Number of folds."""
        return self.n_splits


class LabeledScorer:
    """Any scorer, applied to the labelled rows only.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        As in scikit-learn.
    missing_label : scalar, default="auto"
        See `surelabel.targets.is_unlabeled`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from surelabel import Repeated, csa, trees
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     csa(committee=Repeated(trees(5), n_members=3), random_state=0),
    ...     {"confidence__floor": [0.0, 0.1]},
    ...     scoring=LabeledScorer("balanced_accuracy"),
    ...     cv=LabeledKFold(3, random_state=0),
    ... )
    >>> bool(search.fit(X, hide_labels(y, 0.8, random_state=0)).best_score_ > 0.8)
    True
    """

    def __init__(self, scoring="accuracy", *, missing_label: Any = AUTO):
        self.scoring = scoring
        self.missing_label = missing_label

    def __call__(self, estimator, X, y):
        """Score the estimator on the rows of y that have a label."""
        check_consistent_length(X, y)
        rows, truth = labeled_part(y, estimator.classes_, self.missing_label)
        scorer = check_scoring(estimator, scoring=self.scoring)
        return scorer(estimator, _safe_indexing(X, rows), truth)


def hide_labels(y, fraction, *, missing_label: Any = AUTO, random_state=None):
    """Hide labels of fully labelled data, for experiments; every class keeps at least one.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    fraction : float
        Share of labels to hide.
    missing_label : scalar, default="auto"
        What to write instead: by default -1 for whole numbers, NaN for other numbers and
        None for the rest.
    random_state : int or RandomState, optional
        Seeds the choice.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> hide_labels([0, 1, 0, 1, 0, 1], 0.5, random_state=0)
    array([-1, -1,  0, -1,  0,  1])
    >>> hide_labels(["a", "b", "a", "b"], 0.5, random_state=0)
    array([None, None, 'a', 'b'], dtype=object)
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be between 0 and 1; it is {fraction}.")
    values = values_of(y)
    if missing := int(pd.isna(values).sum()):
        raise ValueError(f"y has {missing} unlabelled rows already; give all {len(values)} a label.")
    rng = check_random_state(random_state)
    order = rng.permutation(len(values))
    classes, first = np.unique(values[order], return_index=True)
    keep = order[first]  # one row of each class
    hidden = np.setdiff1d(order, keep, assume_unique=True)[: round(fraction * len(values))]
    *_, marker = extended = append_missing(values, 1, missing_label, classes)
    if marker in classes.tolist():
        raise ValueError(f"missing_label={missing_label!r} is one of the labels; choose another mark.")
    values = extended[:-1]  # in a type that can hold the marker
    values[hidden] = marker
    if len(hidden) < round(fraction * len(values)):
        notice(
            f"{len(hidden)} labels were hidden instead of {round(fraction * len(values))}: "
            "every class keeps one.",
        )
    return values

"""Cross-validation for half-labelled data: unlabelled rows help train and never score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state

from .common.notice import notice
from .common.types import AnyLabels, Bools, Ints, RandomState, Table
from .reading.indicators import has_several, known_part, read_indicators
from .reading.targets import labeled_part, read_targets
from .reading.unlabeled import AUTO, append_missing, values_of


class LabeledKFold:
    """Stratified folds over the labelled rows; unlabelled rows are in every training part.

    Where rows have several labels, the folds are over those known in full, and not stratified.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=True
        Whether to shuffle rows within each class first.
    random_state : int or RandomState, optional
        Seeds the shuffling.
    missing_label : scalar, default="auto"
        See `surelabel.reading.unlabeled.is_unlabeled`.

    See Also
    --------
    LabeledScorer : Scores on labelled rows only, with any folds.

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

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: RandomState = None,
        missing_label: Any = AUTO,
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def split(self, X: Table, y: AnyLabels, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Yield (training rows, test rows), as positions; groups are not used."""
        check_consistent_length(X, y)
        several = has_several(y)
        codes = _codes(y, several, self.missing_label)
        known = (codes >= 0).reshape(len(codes), -1).all(axis=1)
        labeled, unlabeled = np.flatnonzero(known), np.flatnonzero(~known)
        seed = self.random_state if self.shuffle else None
        folds = (KFold if several else StratifiedKFold)(
            self.n_splits, shuffle=self.shuffle, random_state=seed
        )
        for train, test in folds.split(labeled, codes[labeled]):
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]

    def get_n_splits(self, X: Table = None, y: AnyLabels = None, groups: Any = None) -> int:
        """Number of folds."""
        return self.n_splits


class LabeledScorer:
    """Any scorer, applied to the labelled rows only; to those known in full, where rows have several labels.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        As in scikit-learn.
    missing_label : scalar, default="auto"
        See `surelabel.reading.unlabeled.is_unlabeled`.

    See Also
    --------
    LabeledKFold : Folds whose test rows are all labelled.

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

    def __init__(
        self, scoring: str | Callable[..., float] = "accuracy", *, missing_label: Any = AUTO
    ) -> None:
        self.scoring = scoring
        self.missing_label = missing_label

    def __call__(self, estimator: Any, X: Table, y: AnyLabels) -> float:
        """Score the estimator on the rows of y that have a label."""
        check_consistent_length(X, y)
        part = known_part if has_several(y) else labeled_part
        rows, truth = part(y, estimator.classes_, self.missing_label)
        scorer = check_scoring(estimator, scoring=self.scoring)
        return scorer(estimator, _safe_indexing(X, rows), truth)


def hide_labels(
    y: AnyLabels, fraction: float, *, missing_label: Any = AUTO, random_state: RandomState = None
) -> Any:
    """Hide labels of fully labelled data, for experiments; every class keeps at least one.

    Where rows have several labels, all of a row are hidden; a row with each label is kept, and one without.

    Parameters
    ----------
    y : array-like of shape (n,), or several labels a row in any form
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
    ndarray of shape (n,); of shape (n, L) where rows have several labels, or a DataFrame where these
    have names

    See Also
    --------
    LabeledKFold : Cross-validation on what is left.

    Examples
    --------
    >>> hide_labels([0, 1, 0, 1, 0, 1], 0.5, random_state=0)
    array([-1, -1,  0, -1,  0,  1])
    >>> hide_labels(["a", "b", "a", "b"], 0.5, random_state=0)
    array([None, None, 'a', 'b'], dtype=object)
    >>> hide_labels([["calm"], ["calm", "sad"], [], ["sad"], ["sad"]], 0.4, random_state=2)
       calm  sad
    0    -1   -1
    1     1    1
    2     0    0
    3    -1   -1
    4     0    1
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be between 0 and 1; it is {fraction}.")
    if has_several(y):
        return _without_rows(y, fraction, missing_label, random_state)
    values = values_of(y)
    _check_all_known(pd.isna(values))
    classes, codes = np.unique(values, return_inverse=True)
    hidden = _to_hide(codes[:, None], fraction, random_state)
    *_, marker = extended = append_missing(values, 1, missing_label, classes)
    if marker in classes.tolist():
        raise ValueError(f"missing_label={missing_label!r} is one of the labels; choose another mark.")
    values = extended[:-1]  # in a type that can hold the marker
    values[hidden] = marker
    return values


def _without_rows(y: AnyLabels, fraction: float, missing_label: Any, random_state: RandomState) -> Any:
    cells = read_indicators(y, missing_label)
    _check_all_known(np.any(cells.codes < 0, axis=1))
    values = cells.extended(1, missing_label).values
    values[:-1][_to_hide(cells.codes, fraction, random_state)] = values[-1]
    if np.array_equal(cells.classes, np.arange(len(cells.classes))):
        return values[:-1]
    index = y.index if isinstance(y, pd.DataFrame) else None
    return pd.DataFrame(values[:-1], columns=cells.classes, index=index)


def _check_all_known(missing: Bools) -> None:
    if missing.any():
        raise ValueError(f"y has {missing.sum()} unlabelled rows already; give all {len(missing)} a label.")


def _to_hide(codes: Ints, fraction: float, random_state: RandomState) -> Ints:
    """Rows to hide, in random order: a row of every class of every column (n, L) stays."""
    n_rows = len(codes)
    order = check_random_state(random_state).permutation(n_rows)
    keep = [order[np.unique(column, return_index=True)[1]] for column in codes[order].T]
    hidden = order[~np.isin(order, np.concatenate(keep))][: round(fraction * n_rows)]
    if len(hidden) < round(fraction * n_rows):
        notice(
            f"{len(hidden)} labels were hidden instead of {round(fraction * n_rows)}: every class keeps one.",
        )
    return hidden


def _codes(y: AnyLabels, several: bool, missing_label: Any) -> Ints:
    return (
        read_indicators(y, missing_label).codes
        if several
        else read_targets(values_of(y), missing_label).codes
    )

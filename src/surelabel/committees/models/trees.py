"""Forests of random trees."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ...common.types import AnyLabels, Floats, Table, Values
from ...reading.features import numbers
from ..member_fitting import Classifier, Folds, SharesFolds, fit_weighted


def trees(n_estimators: int = 25) -> Pipeline:
    """Extra-trees that read numbers, categories and missing values.

    Parameters
    ----------
    n_estimators : int, default=25
        Number of trees.

    Returns
    -------
    Pipeline
        A classifier, to be fitted.

    See Also
    --------
    Repeated : A committee of one classifier several times, by default of these.

    Examples
    --------
    >>> from surelabel import trees
    >>> trees(10).fit([[0.0], [1.0]], ["no", "yes"]).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    # Gives arrays, whatever a user has set for all transformers.
    as_numbers = FunctionTransformer(numbers).set_output(transform="default")
    return make_pipeline(as_numbers, ExtraTreesClassifier(n_estimators))


def forest(n_estimators: int = 300) -> OutOfBag:
    """A random forest; rows are held out by its own bootstrap samples."""
    return OutOfBag(RandomForestClassifier(n_estimators, bootstrap=True))


class OutOfBag(SharesFolds, ClassifierMixin, BaseEstimator):
    """A forest in which each row is judged by the trees that have not seen it: one fit, no folds.

    Parameters
    ----------
    forest : classifier
        A forest of scikit-learn that grows its trees on bootstrap samples.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> model, p = OutOfBag(RandomForestClassifier(50, random_state=0)).fit_folds(X, y, [(y == 0, y == 1)])
    >>> p.shape, model.predict([[2.0]])
    ((20, 2), array([0]))
    """

    def __init__(self, forest: Classifier) -> None:
        self.forest = forest

    def fit(self, X: Table, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Grow the forest."""
        return self._grown(clone(self.forest), X, y, sample_weight)

    def fit_folds(
        self,
        X: Table,
        y: AnyLabels,
        folds: Folds,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> tuple[Self, Floats]:
        """Grow the forest, and predict each row by the trees without it: (self, p (n, K))."""
        if not folds:
            return self.fit(X, y, sample_weight), np.empty((len(y), 0))
        with warnings.catch_warnings():
            # A row that every tree has seen says nothing: it gets the shares of the classes below.
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
            warnings.filterwarnings("ignore", "invalid value encountered", RuntimeWarning)
            self._grown(clone(self.forest).set_params(oob_score=True), X, y, sample_weight)
        p = self.forest_.oob_decision_function_
        unseen = ~np.isfinite(p).all(axis=1) | ~(p > 0).any(axis=1)
        shares = np.bincount(np.unique(y, return_inverse=True)[1]) / len(y)
        p = np.where(unseen[:, None], shares, p)
        del self.forest_.oob_decision_function_
        return self, p

    def _grown(self, forest: Classifier, X: Table, y: AnyLabels, sample_weight: Floats | None) -> Self:
        self.forest_ = fit_weighted(forest, numbers(X), y, sample_weight)
        self.classes_ = self.forest_.classes_
        return self

    def predict_proba(self, X: Table) -> Floats:
        """Probability of each class, shape (n, K)."""
        return mean_of_trees(self.forest_, numbers(X))

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def mean_of_trees(forest: Classifier, X: Table) -> Floats:
    """What `predict_proba` of a forest gives, shape (n, K), without its tasks for each tree.

    These take longer than the tree itself where rows are few.

    Examples
    --------
    >>> X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    >>> bool((mean_of_trees(forest, X) == forest.predict_proba(X)).all())
    True
    """
    # Trees read X unchecked.
    X = forest._validate_X_predict(X)
    total = np.zeros((X.shape[0], forest.n_classes_))
    for member in forest.estimators_:
        total += member.tree_.value[:, 0].take(member.tree_.apply(X), axis=0)
    return total / len(forest.estimators_)

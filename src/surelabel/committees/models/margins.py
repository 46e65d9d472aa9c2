"""Probabilities from the margins of support vector machines, and a linear one for many sparse columns."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

from ...common.types import AnyLabels, Floats, RandomState, Table, Values


def from_margins(distance: Floats) -> Floats:
    """Probabilities from distances to the border of each class, (n, K), or of the second of two, (n,).

    Examples
    --------
    >>> from_margins(np.array([0.0, 9.0])).round(2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    if distance.ndim == 1:
        distance = np.column_stack([-distance, distance])
    return softmax(2 * distance, axis=1)


class Margins(ClassifierMixin, BaseEstimator):
    """A linear support vector machine on many sparse columns, with probabilities from its margins.

    Parameters
    ----------
    strictness : float, default=1.0
        How much an error costs (C).
    random_state : int or RandomState, optional
        Draws the order in which rows are gone through.
    """

    def __init__(self, strictness: float = 1.0, *, random_state: RandomState = None) -> None:
        self.strictness = strictness
        self.random_state = random_state

    def fit(self, X: Table, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Fit on numbers without gaps."""
        self.model_ = LinearSVC(C=self.strictness, random_state=self.random_state)
        self.model_.fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Table) -> Floats:
        """Probability of each class, shape (n, K); only their order is sure."""
        return from_margins(self.model_.decision_function(X))

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

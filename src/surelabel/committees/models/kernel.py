"""A Gaussian kernel: rows near a labelled row are like it."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

from ...common.types import AnyLabels, Floats, RandomState, Values
from ..member_fitting import Classifier, fit_weighted
from .margins import from_margins


class Kernel(ClassifierMixin, BaseEstimator):
    """A Gaussian kernel: a support vector machine, or an approximation of one where there are many rows.

    Parameters
    ----------
    reach : float, default=0.5
        Inverse of the kernel's width: gamma is this over the variance of a row.
    max_rows : int, default=2000
        Most rows for the support vector machine, whose cost grows faster than their number. With more
        rows: a logistic regression on the kernel with 500 of them.
    random_state : int or RandomState, optional
        Draws these rows.
    """

    def __init__(self, reach: float = 0.5, *, max_rows: int = 2000, random_state: RandomState = None) -> None:
        self.reach = reach
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Floats, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Fit on numbers without gaps."""
        gamma = self.reach / max(X.var(axis=0).sum(), np.finfo(float).tiny)
        self.model_: Classifier
        if len(X) <= self.max_rows:
            self.model_ = SVC(C=10.0, gamma=gamma)
        else:
            landmarks = Nystroem(gamma=gamma, n_components=500, random_state=self.random_state)
            landmarks.set_output(transform="default")
            self.model_ = make_pipeline(landmarks, LogisticRegression(C=100.0, max_iter=300))
        fit_weighted(self.model_, X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Probability of each class, shape (n, K); a support vector machine is sure of their order only."""
        if isinstance(self.model_, Pipeline):
            return self.model_.predict_proba(X)
        return from_margins(self.model_.decision_function(X))

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

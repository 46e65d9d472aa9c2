"""A Gaussian kernel: rows near a labelled row are like it."""

from __future__ import annotations

from itertools import combinations
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC
from sklearn.utils.multiclass import _ovr_decision_function

from ...common.types import AnyLabels, Floats, RandomState, Values
from ..member_fitting import Classifier, fit_weighted
from .margins import from_margins

# Rows whose kernel with all support vectors is in memory at once: few enough for a processor's cache.
_BLOCK_ROWS = 512


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
        return from_margins(margins(self.model_, X))

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def margins(machine: SVC, X: Floats) -> Floats:
    """What `decision_function` of a Gaussian support vector machine gives, shape (n,) or (n, K).

    By matrix products: its own loop over support vectors takes many times as long.

    Examples
    --------
    >>> X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 2, 2]
    >>> machine = SVC(gamma=0.1).fit(X, y)
    >>> bool(np.allclose(margins(machine, X), machine.decision_function(X)))
    True
    """
    # Seen from one of the vectors, rows that are all the same have distances of exactly 0.
    origin, weights = machine.support_vectors_[0], _pair_weights(machine)
    vectors = machine.support_vectors_ - origin
    lengths = (vectors**2).sum(axis=1)
    pairs = np.empty((len(X), weights.shape[1]))
    for start in range(0, len(X), _BLOCK_ROWS):
        rows = X[start : start + _BLOCK_ROWS] - origin
        # Minus the squared distance, then the kernel, in one array.
        kernel = rows @ vectors.T
        kernel *= 2
        kernel -= lengths
        kernel -= (rows**2).sum(axis=1)[:, None]
        np.minimum(kernel, 0, out=kernel)
        with np.errstate(over="ignore"):  # columns that hardly vary: what is not the same is far away
            kernel *= machine.gamma
        np.exp(kernel, out=kernel)
        pairs[start : start + _BLOCK_ROWS] = kernel @ weights
    pairs += machine.intercept_
    if len(machine.classes_) == 2:
        return pairs[:, 0]
    return _ovr_decision_function(pairs < 0, -pairs, len(machine.classes_))


def _pair_weights(machine: SVC) -> Floats:
    """Weight of each support vector between each two classes, (n, K (K - 1) / 2).

    The file format of libsvm has K - 1 weights of each vector: against each of the other classes.
    """
    ends = np.cumsum(machine.n_support_)
    own = [slice(end - n, end) for end, n in zip(ends, machine.n_support_, strict=True)]
    pairs = list(combinations(range(len(own)), 2))
    out = np.zeros((len(machine.support_vectors_), len(pairs)))
    for column, (i, j) in zip(out.T, pairs, strict=True):
        column[own[i]] = machine.dual_coef_[j - 1, own[i]]
        column[own[j]] = machine.dual_coef_[i, own[j]]
    return out

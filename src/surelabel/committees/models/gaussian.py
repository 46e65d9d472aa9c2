"""Classes as Gaussian clouds: of one shape, or each of its own."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.utils.validation import check_is_fitted

from ...common.types import AnyLabels, Floats, Values

# No direction has less variance than this, or than this share of the mean of all: a column may be constant in
# a few labelled rows and vary in the others.
_LEAST_VARIANCE = 1e-2


class Gaussian(ClassifierMixin, BaseEstimator):
    """Discriminant analysis, linear or quadratic, that few rows of many columns do not upset.

    The covariance within classes is shrunk to that of a sphere as Ledoit and Wolf do; that of each class is
    drawn to the one of all classes, by as much as its rows are few.

    Parameters
    ----------
    own_shape : bool, default=False
        Whether each class has a covariance of its own. Without, borders between classes are straight.

    Examples
    --------
    >>> X = np.concatenate([np.linspace(-1, 1, 20), np.linspace(-9, 9, 20)])[:, None]
    >>> Gaussian(own_shape=True).fit(X, np.repeat([0, 1], 20)).predict([[-4.0], [0.2], [5.0]])
    array([1, 0, 1])
    """

    def __init__(self, own_shape: bool = False) -> None:
        self.own_shape = own_shape

    def fit(self, X: Floats, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Fit on numbers without gaps."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        rows = np.bincount(codes, weight)
        self.log_prior_ = np.log(rows / rows.sum())
        known = np.eye(len(rows))[codes] * weight[:, None]
        self.means_ = known.T @ X / rows[:, None]
        residuals = (X - self.means_[codes]) * np.sqrt(weight)[:, None]
        shared = _shrunk(residuals, max(rows.sum() - len(rows), 1.0))
        if not self.own_shape:
            self.directions_ = cho_solve((cholesky(shared, lower=True), True), self.means_.T)
            return self
        # As many rows as columns can say as much of a class as is known of all of them.
        prior_rows = 5 + X.shape[1] / 2
        scatters = (residuals[codes == k].T @ residuals[codes == k] for k in range(len(rows)))
        self.factors_ = np.stack(
            [
                cholesky((scatter + prior_rows * shared) / (n + prior_rows), lower=True)
                for scatter, n in zip(scatters, rows, strict=True)
            ]
        )
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Probability of each class, shape (n, K)."""
        check_is_fitted(self)
        if not self.own_shape:
            lengths = (self.means_.T * self.directions_).sum(axis=0)
            return softmax(self.log_prior_ + X @ self.directions_ - lengths / 2, axis=1)
        out = np.empty((len(X), len(self.classes_)))
        for k, (mean, factor) in enumerate(zip(self.means_, self.factors_, strict=True)):
            away = solve_triangular(factor, (X - mean).T, lower=True)
            out[:, k] = self.log_prior_[k] - (away**2).sum(axis=0) / 2 - np.log(np.diag(factor)).sum()
        return softmax(out, axis=1)

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _shrunk(residuals: Floats, free: float) -> Floats:
    """Covariance of residuals about their class means, drawn to a sphere, shape (d, d)."""
    d = residuals.shape[1]
    covariance = residuals.T @ residuals / free
    mean = max(np.trace(covariance) / d, _LEAST_VARIANCE)
    share = ledoit_wolf_shrinkage(residuals, assume_centered=True) if covariance.any() else 1.0
    share = max(share, _LEAST_VARIANCE)
    return (1 - share) * covariance + share * mean * np.eye(d)

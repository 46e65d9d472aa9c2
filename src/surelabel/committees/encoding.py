"""A table as a matrix that linear models, kernels and distances can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from ..common.types import AnyLabels, Floats, Table, Values
from ..reading.column_values import is_sparse
from ..reading.features import category_mask, numbers, stacked
from .member_fitting import Classifier, Folds, SharesFolds, fit_folds, spreads

# A sparse matrix with more columns than this is first cut down to its main directions.
_MOST_COLUMNS = 1000
_MOST_COMPONENTS = 100
# Levels of a category with a column of their own; rarer ones share one.
_MOST_LEVELS = 50
# Values are cut at this many standard deviations: one extreme value must not decide every distance.
_FARTHEST = 10.0


class Dense(TransformerMixin, BaseEstimator):
    """A table as a dense matrix of numbers: a category becomes its code, missing is NaN.

    A sparse matrix with many columns is cut down to its main directions.
    """

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn the main directions, where there are too many columns."""
        self.reducer_ = None
        if is_sparse(X) and X.shape[1] > _MOST_COLUMNS:
            n_components = min(_MOST_COMPONENTS, X.shape[0] - 1)
            self.reducer_ = _plain(TruncatedSVD(n_components, random_state=0)).fit(X)
        return self

    def transform(self, X: Table) -> Floats:
        """X as an array of shape (n, d)."""
        if is_sparse(X):
            return X.toarray() if self.reducer_ is None else self.reducer_.transform(X)
        return np.asarray(numbers(X), dtype=float)


def _plain(transformer: Any) -> Any:
    """A transformer of scikit-learn that gives arrays, whatever a user has set for all transformers."""
    return transformer.set_output(transform="default")


class Binned(TransformerMixin, BaseEstimator):
    """Each number as its place among at most `n_bins` quantiles of the column; NaN stays.

    Boosting finds the same bins by itself, but is slow at it where rows have weights.

    Parameters
    ----------
    n_bins : int, default=32
        Most values of a column.

    Examples
    --------
    >>> Binned(2).fit_transform([[0.1], [0.2], [7.0], [float("nan")]]).ravel()
    array([ 0.,  0.,  1., nan])
    """

    def __init__(self, n_bins: int = 32) -> None:
        self.n_bins = n_bins

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn where the bins of each column end."""
        self.ends_ = [
            _ends(column[~np.isnan(column)], self.n_bins) for column in np.asarray(X, dtype=float).T
        ]
        return self

    def transform(self, X: Table) -> Floats:
        """Places, shape (n, d)."""
        X = np.asarray(X, dtype=float)
        out = np.empty(X.shape)
        for j, ends in enumerate(self.ends_):
            # A column without a value in fit says nothing; boosting cannot read one.
            out[:, j] = (
                0.0 if ends is None else np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(ends, X[:, j]))
            )
        return out


def _ends(values: Floats, n_bins: int) -> Floats | None:
    """Where one bin ends and the next begins: between values where they are few, else at quantiles.

    None where there is no value.
    """
    if not len(values):
        return None
    distinct = np.unique(values)
    if len(distinct) <= n_bins:
        return (distinct[1:] + distinct[:-1]) / 2
    return np.unique(np.quantile(values, np.arange(1, n_bins) / n_bins))


@dataclass
class Encoder(TransformerMixin, BaseEstimator):
    """Numbers scaled, categories one-hot, gaps filled with the median, shape (n, d).

    Parameters
    ----------
    scale : {"column", "table"}, default="column"
        "column": each column to variance 1. "table": one factor for all numbers, for
        columns of one unit, such as pixels.
    components : {"all", "signal"}, default="all"
        "signal": only the principal components that stand out of noise: their variance is
        above what columns of pure noise would give (the edge of Marchenko and Pastur).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> signal = rng.normal(size=(200, 1)) @ np.ones((1, 5))
    >>> X = np.hstack([signal + rng.normal(size=(200, 5)), rng.normal(size=(200, 20))])
    >>> Encoder(components="signal").fit_transform(X).shape
    (200, 1)
    """

    scale: str = "column"
    components: str = "all"

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn medians, scales, levels and components from X."""
        if self.scale not in ("column", "table") or self.components not in ("all", "signal"):
            raise ValueError(
                'scale must be "column" or "table" and components "all" or "signal"; '
                f"they are {self.scale!r} and {self.components!r}."
            )
        self.categorical_ = category_mask(X)
        self.dense_ = Dense().fit(X)
        values = self._numbers(X)
        self.median_ = np.zeros(values.shape[1])
        known = ~np.isnan(values).all(axis=0)
        self.median_[known] = np.nanmedian(values[:, known], axis=0)
        values = self._filled(values)
        self.mean_, deviation = values.mean(axis=0), values.std(axis=0)
        if self.scale == "table":
            deviation = np.full(len(deviation), np.sqrt((deviation**2).mean()) if len(deviation) else 1.0)
        # A column that never varies in fit stays 0.
        self.scale_ = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        self.levels_ = None
        if self.categorical_.any():
            one_hot = OneHotEncoder(handle_unknown="ignore", max_categories=_MOST_LEVELS, sparse_output=False)
            self.levels_ = _plain(one_hot).fit(self._codes(X))
        self.pca_ = self._components(X) if self.components == "signal" else None
        return self

    def transform(self, X: Table) -> Floats:
        """X as a matrix of numbers without gaps."""
        check_is_fitted(self)
        encoded = self._encoded(X)
        return encoded if self.pca_ is None else self.pca_.transform(encoded)

    def _encoded(self, X: Table) -> Floats:
        values = (self._filled(self._numbers(X)) - self.mean_) * self.scale_
        np.clip(values, -_FARTHEST, _FARTHEST, out=values)
        if self.levels_ is None:
            return values
        return np.hstack([values, self.levels_.transform(self._codes(X))])

    def _components(self, X: Table) -> PCA | None:
        encoded = self._encoded(X)
        n, d = encoded.shape
        if not encoded.var(axis=0).any():
            return None
        pca = _plain(PCA(min(n - 1, d, _MOST_COMPONENTS), random_state=0)).fit(encoded)
        edge = encoded.var(axis=0).mean() * (1 + np.sqrt(d / n)) ** 2
        kept = max(int((pca.explained_variance_ > edge).sum()), 1)
        pca.components_ = pca.components_[:kept]
        pca.explained_variance_ = pca.explained_variance_[:kept]
        return pca

    def _numbers(self, X: Table) -> Floats:
        return self.dense_.transform(X.loc[:, ~self.categorical_] if self.categorical_.any() else X)

    def _codes(self, X: Table) -> Floats:
        return numbers(X.loc[:, self.categorical_])

    def _filled(self, values: Floats) -> Floats:
        return np.where(np.isnan(values), self.median_, values)


class Encoded(SharesFolds, ClassifierMixin, BaseEstimator):
    """A classifier behind an encoder that has seen all rows, labelled or not.

    Parameters
    ----------
    classifier : classifier
        Reads numbers without gaps.
    encoder : transformer, default=Encoder()
        Fitted on X and X_unlabeled together: scales and components need no labels.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 5.0, 6.0]})
    >>> Encoded(LogisticRegression()).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(self, classifier: Classifier, encoder: Any = None) -> None:
        self.classifier = classifier
        self.encoder = encoder

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> Self:
        """Fit the encoder on all rows, the classifier on the labelled ones."""
        return self._fit(X, y, sample_weight, X_unlabeled, folds=())[0]

    def fit_folds(
        self,
        X: Table,
        y: AnyLabels,
        folds: Folds,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> tuple[Self, Floats]:
        """Fit, and predict each row by a model that has not seen its label: (self, p (n, K)).

        The encoder is fitted on all rows, so it is the same in each fold, and rows are encoded once.
        """
        return self._fit(X, y, sample_weight, X_unlabeled, folds)

    @property
    def spreads(self) -> bool:
        """Whether the classifier spreads labels over unlabelled rows by itself."""
        return spreads(self.classifier)

    def _fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None,
        X_unlabeled: Table | None,
        folds: Folds,
    ) -> tuple[Self, Floats]:
        self.encoder_ = (Encoder() if self.encoder is None else clone(self.encoder)).fit(
            stacked(X, X_unlabeled)
        )
        others = None if X_unlabeled is None else self.encoder_.transform(X_unlabeled)
        self.classifier_, p = fit_folds(
            clone(self.classifier), self.encoder_.transform(X), y, folds, sample_weight, others
        )
        self.classes_ = self.classifier_.classes_
        return self, p

    def predict_proba(self, X: Table) -> Floats:
        """Probability of each class, shape (n, K)."""
        return self.classifier_.predict_proba(self.encoder_.transform(X))

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

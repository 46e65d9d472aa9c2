"""A table as a matrix that linear models, kernels and distances can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.ndimage import uniform_filter1d
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer
from sklearn.utils.validation import check_is_fitted

from ..common.types import Floats, Table
from ..reading.column_values import is_sparse
from ..reading.features import category_mask, numbers, without_text

# A sparse matrix with more columns than this is first cut down to its main directions.
_MOST_COLUMNS = 1000
_MOST_COMPONENTS = 100
_MAIN_COMPONENTS = 70
_SCALES = ("column", "table", "quantile")
_COMPONENTS = ("all", "main", "signal")
# Levels of a category with a column of their own; rarer ones share one.
_MOST_LEVELS = 50
# Values are cut at this many standard deviations: one extreme value must not decide every distance.
_FARTHEST = 10.0
# The same for quantiles, which never are far: the most of few rows is no outlier.
_FARTHEST_QUANTILE = 2.5
_QUANTILES = 200
# Columns are in an order, as those of a signal are, where neighbours are as alike as this in the mean, and
# more alike than chance would make them, in standard errors.
_ALIKE = 0.5
_BEYOND_CHANCE = 4.0
# Rows from which that is told.
_ORDER_ROWS = 2_000


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
    """Numbers scaled, categories one-hot, gaps filled with the median, shape (n, d); free text is left out.

    Parameters
    ----------
    scale : {"column", "table", "quantile"}, default="column"
        "column": each column to variance 1. "table": one factor for all numbers, for
        columns of one unit, such as pixels. "quantile": each number by its place among the
        others of its column, as a value of the normal distribution.
    components : {"all", "main", "signal"}, default="all"
        "main": the first 70 principal components, where there are more columns. "signal": only those
        that stand out of noise: their variance is above what columns of pure noise would give (the
        edge of Marchenko and Pastur).
    window : int, default=1
        Above 1, each number becomes the mean of so many neighbouring columns, where the columns of
        the table are in an order, as those of a signal or a spectrum.

    Attributes
    ----------
    idle_ : bool
        Whether this shows nothing that an encoder with default settings does not: the table has no
        numbers to scale, or its columns are in no order.

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
    window: int = 1

    # Encoders of older files know no quantiles.
    quantiles_ = None

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn medians, scales, levels and components from X."""
        if self.scale not in _SCALES or self.components not in _COMPONENTS:
            raise ValueError(
                f"scale must be one of {', '.join(_SCALES)} and components one of {', '.join(_COMPONENTS)}; "
                f"they are {self.scale!r} and {self.components!r}."
            )
        X = without_text(X)
        self.categorical_ = category_mask(X)
        self.dense_ = Dense().fit(X)
        values = self._numbers(X)
        self.median_ = np.zeros(values.shape[1])
        known = ~np.isnan(values).all(axis=0)
        self.median_[known] = np.nanmedian(values[:, known], axis=0)
        values = self._filled(values)
        self.mean_, deviation = values.mean(axis=0), values.std(axis=0)
        varies = bool((deviation > 0).any())
        self.idle_ = (self.scale != "column" and not varies) or (self.window > 1 and not in_order(values))
        if self.scale == "table":
            deviation = np.full(len(deviation), np.sqrt((deviation**2).mean()) if len(deviation) else 1.0)
        # A column that never varies in fit stays 0.
        self.scale_ = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        self.quantiles_ = _quantiles(values) if self.scale == "quantile" and varies else None
        self.levels_ = None
        if self.categorical_.any():
            one_hot = OneHotEncoder(handle_unknown="ignore", max_categories=_MOST_LEVELS, sparse_output=False)
            self.levels_ = _plain(one_hot).fit(self._codes(X))
        self.pca_ = None if self.components == "all" else self._components(X)
        return self

    def transform(self, X: Table) -> Floats:
        """X as a matrix of numbers without gaps."""
        check_is_fitted(self)
        encoded = self._encoded(without_text(X))
        return encoded if self.pca_ is None else self.pca_.transform(encoded)

    def _encoded(self, X: Table) -> Floats:
        values = self._filled(self._numbers(X))
        if self.quantiles_ is None:
            values = np.clip((values - self.mean_) * self.scale_, -_FARTHEST, _FARTHEST)
        else:
            values = self.quantiles_.transform(values) * (self.scale_ > 0)
            values = np.clip(values, -_FARTHEST_QUANTILE, _FARTHEST_QUANTILE)
        if self.window > 1 and values.shape[1]:
            values = uniform_filter1d(values, self.window, axis=1, mode="nearest")
        if self.levels_ is None:
            return values
        return np.hstack([values, self.levels_.transform(self._codes(X))])

    def _components(self, X: Table) -> PCA | None:
        encoded = self._encoded(X)
        n, d = encoded.shape
        main = self.components == "main"
        if not encoded.var(axis=0).any() or (main and d <= _MAIN_COMPONENTS):
            return None
        most = _MAIN_COMPONENTS if main else _MOST_COMPONENTS
        pca = _plain(PCA(max(min(n - 1, d, most), 1), random_state=0)).fit(encoded)
        edge = encoded.var(axis=0).mean() * (1 + np.sqrt(d / n)) ** 2
        kept = most if main else max(int((pca.explained_variance_ > edge).sum()), 1)
        pca.components_ = pca.components_[:kept]
        pca.explained_variance_ = pca.explained_variance_[:kept]
        return pca

    def _numbers(self, X: Table) -> Floats:
        return self.dense_.transform(X.loc[:, ~self.categorical_] if self.categorical_.any() else X)

    def _codes(self, X: Table) -> Floats:
        return numbers(X.loc[:, self.categorical_])

    def _filled(self, values: Floats) -> Floats:
        return np.where(np.isnan(values), self.median_, values)


def _quantiles(values: Floats) -> QuantileTransformer:
    n = min(_QUANTILES, len(values))
    made = QuantileTransformer(n_quantiles=n, output_distribution="normal", subsample=None)
    return _plain(made).fit(values)


def in_order(values: Floats) -> bool:
    """Whether neighbouring columns are alike, as those of a signal are, and more so than other columns.

    Examples
    --------
    >>> import numpy as np
    >>> steps = np.random.default_rng(0).normal(size=(100, 30)).cumsum(axis=1)
    >>> in_order(steps), in_order(steps[:, np.random.default_rng(1).permutation(30)])
    (True, False)
    """
    values = values[:: max(len(values) // _ORDER_ROWS, 1)]
    values = values[:, values.std(axis=0) > 0]
    if values.shape[1] < 10 or len(values) < 3:
        return False
    alike = np.abs(np.corrcoef(values, rowvar=False))
    pairs, neighbours = alike[np.triu_indices(len(alike), 1)], np.diagonal(alike, 1)
    by_chance = pairs.mean() + _BEYOND_CHANCE * pairs.std() / np.sqrt(len(neighbours))
    return bool(neighbours.mean() > max(_ALIKE, by_chance))

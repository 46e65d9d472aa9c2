"""Gradient boosting: each tree corrects the errors of those before it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from ...common.types import AnyLabels, Floats
from ..encoding import Binned, Dense
from .leaf_masks import MOST_LEAVES, LeafMasks

_BINS = 32
# Making the masks takes as long as walking the trees for some thousand rows.
_MANY_ROWS = 4_096
# Masks are joined column by column: of more columns than this, walking the trees is faster.
_MOST_COLUMNS = 100
# Bytes that the masks may take.
_MOST_BYTES = 64_000_000


def boosting(n_estimators: int = 50) -> Pipeline:
    """Gradient boosting that reads numbers, categories and missing values.

    Examples
    --------
    >>> X = [[0.0]] * 10 + [[1.0]] * 10
    >>> boosting(10).fit(X, ["no"] * 10 + ["yes"] * 10).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    return make_pipeline(Dense(), Binned(_BINS), BoostedBins(n_estimators))


class BoostedBins(HistGradientBoostingClassifier):
    """Gradient boosting on the places of `Binned`, which predicts many rows faster.

    Parameters
    ----------
    max_iter : int, default=50
        Trees of each class.
    random_state : int or RandomState, optional
        As in scikit-learn.
    """

    def __init__(self, max_iter: int = 50, *, random_state: Any = None) -> None:
        super().__init__(
            # Small steps and a penalty: with few rows, or rows of little weight, large ones overshoot.
            learning_rate=0.1,
            l2_regularization=1.0,
            max_iter=max_iter,
            max_leaf_nodes=15,
            min_samples_leaf=5,
            early_stopping=False,
            random_state=random_state,
        )

    def fit(self, X: Floats, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Fit on places."""
        self.__dict__.pop("_masks", None)
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X: Floats) -> Floats:
        """Probability of each class, shape (n, K)."""
        check_is_fitted(self)
        masks = self._leaf_masks() if len(X) >= _MANY_ROWS else None
        if masks is None:
            return super().predict_proba(X)
        raw = masks.sums(X, len(self._predictors[0])) + self._baseline_prediction.ravel()
        if raw.shape[1] > 1:
            return softmax(raw, axis=1)
        second = expit(raw[:, 0])
        return np.column_stack([1 - second, second])

    def _leaf_masks(self) -> LeafMasks | None:
        """Masks of the trees, made when first asked for; None where walking the trees is faster."""
        if "_masks" not in vars(self):
            trees = [tree.nodes for each in self._predictors for tree in each]
            size = self.n_features_in_ * (_BINS + 1) * len(trees) * np.dtype(np.uint16).itemsize
            small = max(int(nodes["is_leaf"].sum()) for nodes in trees) <= MOST_LEAVES
            fits = self.n_features_in_ <= _MOST_COLUMNS and size <= _MOST_BYTES and small
            self._masks = LeafMasks.of(trees, _BINS) if fits else None
        return self._masks

    def __getstate__(self) -> dict[str, Any]:
        """Without the masks, which the trees tell."""
        return {name: value for name, value in super().__getstate__().items() if name != "_masks"}

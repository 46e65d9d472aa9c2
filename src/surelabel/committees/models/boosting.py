"""Gradient boosting: each tree corrects the errors of those before it."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from ..encoding import Binned, Dense


def boosting(n_estimators: int = 50) -> Pipeline:
    """Gradient boosting that reads numbers, categories and missing values.

    Examples
    --------
    >>> X = [[0.0]] * 10 + [[1.0]] * 10
    >>> boosting(10).fit(X, ["no"] * 10 + ["yes"] * 10).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    return make_pipeline(
        Dense(),
        Binned(),
        HistGradientBoostingClassifier(
            # Small steps and a penalty: with few rows, or rows of little weight, large ones overshoot.
            learning_rate=0.1,
            l2_regularization=1.0,
            max_iter=n_estimators,
            max_leaf_nodes=15,
            min_samples_leaf=5,
            early_stopping=False,
        ),
    )

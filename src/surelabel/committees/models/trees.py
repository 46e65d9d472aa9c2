"""A forest of random trees."""

from __future__ import annotations

from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ...reading.features import numbers


def trees(n_estimators: int = 25) -> Pipeline:
    """Extra-trees that read numbers, categories and missing values.

    Examples
    --------
    >>> trees(10).fit([[0.0], [1.0]], ["no", "yes"]).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    return make_pipeline(FunctionTransformer(numbers), ExtraTreesClassifier(n_estimators))

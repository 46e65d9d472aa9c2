"""A forest of random trees."""

from __future__ import annotations

from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ...reading.features import numbers


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

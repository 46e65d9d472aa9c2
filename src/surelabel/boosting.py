"""The paper's committee of XGBoost models. The only file that knows XGBoost."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from .committee import BaseCommittee
from .features import category_mask, numbers
from .notice import notice


class RandomXGBoost(BaseCommittee):
    """The paper's committee: XGBoost models with random hyper-parameters.

    Learning rate 0.01 to 0.3, depth 3 to 20, subsample 0.5 to 1, columns by tree and by
    level 0.4 to 1, 100 to 1000 trees. Needs XGBoost: `pip install surelabel[xgboost-cpu]`.

    Parameters
    ----------
    n_members : int, default=20
        Number of members.
    n_jobs : int, optional
        Members to run at once; each uses one thread.
    random_state : int or RandomState, optional
        Draws the hyper-parameters and seeds every member.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> RandomXGBoost(2, random_state=0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    def __init__(self, n_members=20, *, n_jobs=None, random_state=None):
        self.n_members = n_members
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _draw(self, X, codes, rng):
        kinds = np.where(category_mask(X), "c", "q").tolist()
        for _ in range(self.n_members):
            booster = load_xgboost().XGBClassifier(
                learning_rate=rng.uniform(0.01, 0.3),
                max_depth=int(rng.randint(3, 21)),
                subsample=rng.uniform(0.5, 1),
                colsample_bytree=rng.uniform(0.4, 1),
                colsample_bylevel=rng.uniform(0.4, 1),
                n_estimators=int(rng.randint(100, 1001)),
                random_state=0,
                n_jobs=1,
                feature_types=kinds,
                enable_categorical=True,
            )
            yield make_pipeline(FunctionTransformer(numbers), booster), None


def load_xgboost():
    """The xgboost package, whichever of its two builds is installed."""
    try:
        import xgboost
    except ImportError as error:
        raise ImportError(
            "RandomXGBoost needs XGBoost, which is not installed. "
            'pip install "surelabel[xgboost-cpu]" brings the small build.'
        ) from error
    if _installed("xgboost") and _installed("xgboost-cpu"):
        notice(
            "Both xgboost and xgboost-cpu are installed; each overwrites files of the other. "
            "Run: pip uninstall xgboost xgboost-cpu, then install one of them.",
        )
    return xgboost


def _installed(distribution):
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False

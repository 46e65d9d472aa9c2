"""Unlike models for one table, each with the preparation it needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from ...reading.features import numbers
from ..encoding import Binned, Dense, Encoded, Encoder
from ..member_fitting import fit_weighted
from .graph import Spreading


def trees(n_estimators=25):
    """Extra-trees that read numbers, categories and missing values.

    Examples
    --------
    >>> trees(10).fit([[0.0], [1.0]], ["no", "yes"]).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    return make_pipeline(FunctionTransformer(numbers), ExtraTreesClassifier(n_estimators))


def boosting(n_estimators=30):
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
            learning_rate=0.3,
            max_iter=n_estimators,
            max_leaf_nodes=15,
            min_samples_leaf=5,
            early_stopping=False,
        ),
    )


class Bayes(GaussianNB):
    """Naive Bayes on columns of variance about 1, none taken for constant because few rows say so."""

    def __init__(self):
        super().__init__(var_smoothing=1e-2)

    def fit(self, X, y, sample_weight=None):
        """Fit on numbers without gaps."""
        super().fit(X, y, sample_weight)
        self.var_ = np.maximum(self.var_, self.var_smoothing)  # type: ignore[has-type]
        return self


class Kernel(ClassifierMixin, BaseEstimator):
    """A Gaussian kernel: a support vector machine, or on many rows what comes close to one.

    Parameters
    ----------
    reach : float, default=0.5
        Inverse of the kernel's width: gamma is this over the variance of a row.
    max_rows : int, default=2000
        Most rows for the machine itself, whose cost grows faster than they do; beyond, a
        logistic regression on the kernel with 500 of the rows.
    random_state : int or RandomState, optional
        Draws these rows.
    """

    def __init__(self, reach=0.5, *, max_rows=2000, random_state=None):
        self.reach = reach
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit on numbers without gaps."""
        gamma = self.reach / max(X.var(axis=0).sum(), np.finfo(float).tiny)
        self.model_: Any
        if len(X) <= self.max_rows:
            self.model_ = SVC(C=10.0, gamma=gamma)
        else:
            landmarks = Nystroem(gamma=gamma, n_components=500, random_state=self.random_state)
            self.model_ = make_pipeline(landmarks, LogisticRegression(C=100.0, max_iter=300))
        fit_weighted(self.model_, X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """Probability of each class, shape (n, K); of the machine only their order is sure."""
        if isinstance(self.model_, Pipeline):
            return self.model_.predict_proba(X)
        distance = self.model_.decision_function(X)
        if distance.ndim == 1:
            distance = np.column_stack([-distance, distance])
        return softmax(2 * distance, axis=1)

    def predict(self, X):
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def unlike_models():
    """Linear, kernel, trees, boosting, Bayes, network and graphs of neighbours, by name.

    Examples
    --------
    >>> len(unlike_models())
    10
    """
    signal = Encoder(components="signal")
    return {
        "linear": Encoded(LogisticRegression(max_iter=300)),
        "kernel": Encoded(Kernel()),
        "kernel on components": Encoded(Kernel(), signal),
        "trees": trees(100),
        "boosting": boosting(),
        "bayes": Encoded(Bayes()),
        # Scaled by the labelled rows alone: it is dear, and so need not be trained again to find out
        # what the unlabelled ones are worth.
        "network": make_pipeline(
            Encoder(), MLPClassifier((64,), alpha=1.0, max_iter=150, learning_rate_init=0.005)
        ),
        "graph": Encoded(Spreading()),
        "raw graph": Encoded(Spreading(), Encoder(scale="table")),
        "graph on components": Encoded(Spreading(), signal),
    }

"""How any classifier is trained here: seeds, weights, absent classes, unlabelled rows, folds."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self, TypeVar

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from ..common.limits import LARGEST_SEED
from ..common.types import AnyLabels, Floats, Ints, Table
from ..reading.features import stacked, take
from .failing import probabilities

# A classifier of scikit-learn, or of another library that has its methods.
Classifier = Any
# Of each fold, the positions of the rows to train on and of those held out.
Folds = Sequence[tuple[Ints, Ints]]

_Model = TypeVar("_Model")
_MOST_COPIES = 10


class SharesFolds(ABC):
    """A model with a cheaper way to predict rows without their labels than to be fitted for each fold."""

    @property
    def learns_from_unlabeled(self) -> bool:
        """Whether unlabelled rows make a difference."""
        return has_fit_parameter(self, "X_unlabeled")

    @property
    def spreads(self) -> bool:
        """Whether the model spreads labels over unlabelled rows by itself."""
        return False

    @abstractmethod
    def fit_folds(
        self,
        X: Table,
        y: AnyLabels,
        folds: Folds,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> tuple[Self | None, Floats]:
        """As the function `fit_folds`."""


def learns_from_unlabeled(estimator: Classifier) -> bool:
    """Whether the estimator's `fit` takes unlabelled rows, and learns from them."""
    if isinstance(estimator, SharesFolds):
        return estimator.learns_from_unlabeled
    return has_fit_parameter(estimator, "X_unlabeled")


def spreads(estimator: Classifier) -> bool:
    """Whether a model spreads labels over unlabelled rows by itself."""
    return isinstance(estimator, SharesFolds) and estimator.spreads


def seeded(estimator: _Model, rng: np.random.RandomState) -> _Model:
    """A copy of the estimator whose every random_state is drawn from rng."""
    copy = clone(estimator)
    names = sorted(seeds_of(copy))
    copy.set_params(**{name: int(rng.randint(LARGEST_SEED)) for name in names})
    return copy


def seeds_of(estimator: Any) -> list[str]:
    """Names of the parameters that hold a random state."""
    return [n for n in estimator.get_params() if n == "random_state" or n.endswith("__random_state")]


def fit_weighted(
    estimator: Classifier,
    X: Table,
    y: AnyLabels,
    sample_weight: Floats | None = None,
    X_unlabeled: Table | None = None,
) -> Classifier:
    """Fit an estimator, or a pipeline, with weights, and with unlabelled rows if it takes them.

    One that takes no weights is given each row several times, in proportion to its weight.
    """
    extra: dict[str, Any] = {}
    if X_unlabeled is not None and learns_from_unlabeled(estimator):
        extra["X_unlabeled"] = X_unlabeled
    last = estimator.steps[-1] if isinstance(estimator, Pipeline) else None
    if sample_weight is not None and has_fit_parameter(last[1] if last else estimator, "sample_weight"):
        extra[f"{last[0]}__sample_weight" if last else "sample_weight"] = sample_weight
    elif sample_weight is not None:
        rows = as_often(np.unique(y, return_inverse=True)[1], np.asarray(sample_weight))
        X, y = take(X, rows), np.asarray(y)[rows]
    # Where a user routes metadata, a pipeline would take no weights by the name of a step.
    with config_context(enable_metadata_routing=False):
        return estimator.fit(X, y, **extra)


def as_often(codes: Ints, weight: Floats) -> Ints:
    """Rows, each repeated in proportion to its weight, at most ten times; no class is lost, shape (n,)."""
    scale = max(weight[weight > 0].min(), weight.max() / _MOST_COPIES)
    times = np.zeros(len(weight), dtype=int)
    for k in np.unique(codes):
        rows = np.flatnonzero(codes == k)
        # The running total is rounded up, so that the first row of a class is always there.
        total = np.ceil(np.cumsum(weight[rows]) / scale - 1e-9)
        times[rows] = np.diff(total, prepend=0).astype(int)
    return np.repeat(np.arange(len(weight)), times)


def fit_present(
    estimator: Classifier,
    X: Table,
    codes: Ints,
    sample_weight: Floats | None = None,
    X_unlabeled: Table | None = None,
) -> tuple[Classifier, Ints]:
    """Fit on the classes that are there; returns the estimator and those classes.

    Some libraries insist on classes 0, 1, ... without a gap.
    """
    present, codes = np.unique(codes, return_inverse=True)
    return fit_weighted(estimator, X, codes, sample_weight, X_unlabeled), present


def aligned(proba: Floats, present: Ints, n_classes: int) -> Floats:
    """Probabilities over all classes from those over the classes present, last axis K."""
    out = np.zeros((*proba.shape[:-1], n_classes))
    out[..., present] = proba
    return out


def stratified_folds(codes: Ints, n_folds: int, rng: np.random.RandomState) -> Folds:
    """Folds with every class in each of them where it has enough rows: (seen, held-out) positions.

    Empty where no class has two rows.
    """
    n_folds = min(n_folds, np.bincount(codes).max())
    if n_folds < 2:
        return []
    with warnings.catch_warnings():
        # A class with fewer rows than folds is missing from some; there it counts as unseen.
        warnings.simplefilter("ignore", UserWarning)
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=rng).split(codes, codes))


def fit_folds(
    estimator: Classifier,
    X: Table,
    codes: Ints,
    folds: Folds,
    sample_weight: Floats | None = None,
    X_unlabeled: Table | None = None,
) -> tuple[Classifier | None, Floats]:
    """Predict each row by a model that has not seen its label: (the estimator or None, p (n, K)).

    The estimator, fitted on all rows, is there where it was needed for p. With folds, codes are 0, 1, ...
    without a gap.
    """
    if isinstance(estimator, SharesFolds):
        return estimator.fit_folds(X, codes, folds, sample_weight, X_unlabeled)
    n_classes = int(np.max(codes)) + 1 if folds else 0
    p = np.zeros((len(codes), n_classes))
    for seen, held in folds:
        if (codes[seen] == codes[seen[0]]).all():
            p[held, codes[seen[0]]] = 1.0  # many models refuse to learn one class
            continue
        # Held-out rows keep their place among the unlabelled ones.
        others = stacked(take(X, held), X_unlabeled)
        weight = None if sample_weight is None else sample_weight[seen]
        model, present = fit_present(clone(estimator), take(X, seen), codes[seen], weight, others)
        p[held] = aligned(probabilities(model, take(X, held), len(present)), present, n_classes)
    return None, p

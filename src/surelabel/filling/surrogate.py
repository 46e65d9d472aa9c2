"""Labelled rows beside the others, as a small classifier sees both: easier, or of other classes.

What the final classifier says of the unlabelled rows cannot be compared with what is said of held-out rows:
those of the folds have learnt from fewer labels. A small classifier that is fitted without a fold says
something of the rows it has not seen, labelled and not, and these can be compared.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.stats import norm

from ..common.types import Floats, Ints

_FOLDS = 5
# Rows teach the classifiers that judge each other, so sums vary more than those of rows by themselves.
# Measured with 60 trees on rows labelled at random in tables for choosing.
_INFLATED = 1.1
_NEARLY = 1e-9


class Classifier(Protocol):
    """What can be fitted, and fitted anew: any classifier of scikit-learn."""

    classes_: Any

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from X and y, and forget what was learnt before."""

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of `classes_`, shape (N, K)."""


def seen_alike(
    labelled: Floats, codes: Ints, unlabelled: Floats, classifier: Classifier, rng: np.random.RandomState
) -> Floats:
    """Two p-values: that labelled rows are as sure as the others, and guessed to be of the same classes.

    Each labelled row has its place among the unlabelled ones, by what is said without its fold: of the
    probability of its best class, and of every class. The mean place is that of the middle if rows were
    labelled at random.
    """
    if not len(unlabelled) or len(np.unique(codes)) < 2 or len(codes) < 2 * _FOLDS:
        return np.ones(2)
    places = _places(labelled, codes, unlabelled, classifier, rng)
    error = np.sqrt(1 / len(labelled) + 1 / len(unlabelled))
    p = 2 * norm.sf(np.abs(places.mean(axis=0)) / error / _INFLATED)
    # The probabilities of all classes sum to 1: one of them says nothing new.
    return np.array([p[-1], min(p[:-1].min() * max(places.shape[1] - 2, 1), 1.0)])


def _places(
    labelled: Floats, codes: Ints, unlabelled: Floats, classifier: Classifier, rng: np.random.RandomState
) -> Floats:
    """Places of labelled rows among unlabelled ones, mean 0 and variance 1 for those, shape (n, K + 1)."""
    classes, codes = np.unique(codes, return_inverse=True)
    places = np.zeros((len(codes), len(classes) + 1))
    fold = _folds(codes, rng)
    for k in range(_FOLDS):
        here = fold == k
        if not here.any() or len(np.unique(codes[~here])) < 2:
            continue
        classifier.fit(labelled[~here], codes[~here])
        inside, outside = (_said(classifier, X, len(classes)) for X in (labelled[here], unlabelled))
        places[here] = _standardised(inside, outside)
    return places


def _folds(codes: Ints, rng: np.random.RandomState) -> Ints:
    """A fold for each row, the rows of each class spread evenly, shape (n,)."""
    fold = np.empty(len(codes), dtype=int)
    fold[np.lexsort([rng.rand(len(codes)), codes])] = np.arange(len(codes)) % _FOLDS
    return fold


def _said(classifier: Classifier, X: Floats, n_classes: int) -> Floats:
    """The probability of every class, and of the best, shape (N, K + 1)."""
    p = np.zeros((len(X), n_classes + 1))
    p[:, classifier.classes_] = classifier.predict_proba(X)
    p[:, -1] = p.max(axis=1)
    return p


def _standardised(inside: Floats, outside: Floats) -> Floats:
    """The place of each figure among those outside, so that the places outside have mean 0 and variance 1."""
    made = np.zeros_like(inside)
    for k, (some, all_of) in enumerate(zip(inside.T, outside.T, strict=True)):
        ordered = np.sort(all_of)
        spread = _middle(ordered, ordered).std()
        if spread > _NEARLY:
            made[:, k] = _middle(ordered, some) / spread
    return made


def _middle(ordered: Floats, values: Floats) -> Floats:
    """The place of values among ordered ones, from -0.5 to 0.5; equal ones share their mean place."""
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (low + high) / (2 * len(ordered)) - 0.5

"""Label spreading over a sparse graph of neighbours: what the unlabelled rows' shape says."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...budget import apportion
from ...common.types import AnyLabels, Floats, Ints, RandomState, Values
from ..member_fitting import Folds, SharesFolds
from .nearest import nearest

# A sparse matrix (n, n) of SciPy.
_Graph = Any
_STEPS = 30


def neighbor_graph(indices: Ints, n: int) -> _Graph:
    """Symmetric, normalised adjacency from each row's neighbours (itself included), (n, n)."""
    k = indices.shape[1]
    links = sp.csr_array((np.ones(indices.size), indices.ravel(), np.arange(0, n * k + 1, k)), (n, n))
    links = links.maximum(links.T)
    links.setdiag(0)
    scale = sp.diags_array(1 / np.sqrt(np.maximum(links.sum(axis=1), 1)))
    return scale @ links @ scale


def spread(graph: _Graph, Y: Floats, alpha: float) -> Floats:
    """Let each row take `alpha` from its neighbours and the rest from its label, (n, K).

    Rows that no label reaches get the same share of every class.
    """
    F = Y
    for _ in range(_STEPS):
        F = alpha * (graph @ F) + (1 - alpha) * Y
    total = F.sum(axis=1, keepdims=True)
    return np.divide(F, total, out=np.full_like(F, 1 / F.shape[1]), where=total > 0)


def heaviest(codes: Ints, weight: Floats, most: int, rng: np.random.RandomState) -> Ints:
    """The rows of most weight, about `most` of them and at least one of each class, ascending, shape (n,)."""
    if len(codes) <= most:
        return np.arange(len(codes))
    counts = np.bincount(codes)
    shares = np.maximum(apportion(most, counts), counts > 0)
    order = rng.permutation(len(codes))
    order = order[np.argsort(-weight[order], kind="stable")]
    kept = [order[codes[order] == k][:share] for k, share in enumerate(shares)]
    return np.sort(np.concatenate(kept))


class Spreading(SharesFolds, ClassifierMixin, BaseEstimator):
    """Labels spread from row to neighbouring row, over the unlabelled rows too.

    Like scikit-learn's LabelSpreading with a kernel of nearest neighbours, but on a graph
    of bounded size: other rows look up their neighbours in it. So the cost per row
    does not grow with the number of rows.

    Parameters
    ----------
    n_neighbors : int, default=7
        Neighbours of each row, itself included.
    alpha : float, default=0.2
        Share that a row takes from its neighbours in each step.
    max_nodes : int, default=5_000
        Most rows in the graph. Labelled rows come first, of each class the heaviest; then
        unlabelled ones at random.
    random_state : int or RandomState, optional
        Draws the rows to leave out.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    >>> Spreading(2).fit(X[[0, 4]], [0, 1], X_unlabeled=X[1:4]).predict(X)
    array([0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 7,
        alpha: float = 0.2,
        *,
        max_nodes: int = 5_000,
        random_state: RandomState = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_nodes = max_nodes
        self.random_state = random_state

    @property
    def spreads(self) -> bool:
        """Yes."""
        return True

    def fit(
        self,
        X: Floats,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Floats | None = None,
    ) -> Self:
        """Build the graph over X and X_unlabeled and spread the labels of X."""
        return self.fit_folds(X, y, (), sample_weight, X_unlabeled)[0]

    def fit_folds(
        self,
        X: Floats,
        y: AnyLabels,
        folds: Folds,
        sample_weight: Floats | None = None,
        X_unlabeled: Floats | None = None,
    ) -> tuple[Self, Floats]:
        """Fit, and predict each row by a graph without its label: (self, p (n, K)).

        The graph knows no labels, so it is built once.
        """
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = check_random_state(self.random_state)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        labeled = heaviest(codes, weight, self.max_nodes, rng)
        rows = [X[labeled]]
        if X_unlabeled is not None and len(labeled) < self.max_nodes:
            others = rng.permutation(len(X_unlabeled))[: self.max_nodes - len(labeled)]
            rows.append(X_unlabeled[np.sort(others)])
        nodes = np.concatenate(rows)
        self.neighbors_ = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(nodes))).fit(nodes)
        near = self.neighbors_.kneighbors(nodes, return_distance=False)
        graph = neighbor_graph(near, len(nodes))
        Y = np.zeros((len(nodes), len(self.classes_)))
        Y[np.arange(len(labeled)), codes[labeled]] = weight[labeled]
        p = np.zeros((len(X), len(self.classes_)))
        # Rows of the graph know their neighbours already.
        near_rows = np.empty((len(X), near.shape[1]), dtype=int)
        near_rows[labeled] = near[: len(labeled)]
        others = np.setdiff1d(np.arange(len(X)), labeled)
        if folds and len(others):
            near_rows[others] = self.neighbors_.kneighbors(X[others], return_distance=False)
        for _, held in folds:
            known = Y.copy()
            known[np.flatnonzero(np.isin(labeled, held))] = 0
            p[held] = spread(graph, known, self.alpha)[near_rows[held]].mean(axis=1)
        self.distribution_ = spread(graph, Y, self.alpha)
        return self, p

    def predict_proba(self, X: Floats) -> Floats:
        """Mean over the nearest rows of the graph, shape (n, K)."""
        check_is_fitted(self)
        return self.distribution_[nearest(self.neighbors_, X)].mean(axis=1)

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

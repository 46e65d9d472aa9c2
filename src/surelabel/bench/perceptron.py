"""The paper's network: two layers of 100 units, trained as, to our knowledge, in the code of Vime."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neural_network import MLPClassifier

from ..common.types import Floats, Values


class HeldOut(ClassifierMixin, BaseEstimator):
    """A network as it was when labels it had not seen were predicted best.

    Parameters
    ----------
    network : MLPClassifier
        Trained epoch by epoch.
    share : float, default=0.1
        Of the rows, held out.
    epochs : int, default=100
        Most passes over the others, 1 or more.
    patience : int, default=50
        Passes without improvement.
    random_state : int, default=0
        Chooses the rows.
    """

    def __init__(
        self,
        network: MLPClassifier,
        share: float = 0.1,
        *,
        epochs: int = 100,
        patience: int = 50,
        random_state: int = 0,
    ) -> None:
        self.network = network
        self.share = share
        self.epochs = epochs
        self.patience = patience
        self.random_state = random_state

    def fit(self, X: Floats, y: Values) -> Self:
        """Train; the network of the best epoch remains."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        order = np.random.RandomState(self.random_state).permutation(len(X))
        seen, held = np.split(order, [min(int((1 - self.share) * len(X)), len(X) - 1)])
        # With a number as seed, every epoch would have the rows in the same order.
        dice = np.random.RandomState(self.network.random_state)
        network = clone(self.network).set_params(batch_size=min(100, len(seen)), random_state=dice)
        lowest, waited = np.inf, 0
        for _ in range(self.epochs):
            network.partial_fit(X[seen], codes[seen], classes=np.arange(len(self.classes_)))
            right = network.predict_proba(X[held])[np.arange(len(held)), codes[held]]
            loss = -np.log(np.clip(right, 1e-7, None)).mean()
            waited += 1
            if loss < lowest:
                best, lowest, waited = [w.copy() for w in network.coefs_ + network.intercepts_], loss, 0
            if waited >= self.patience:
                break
        n_layers = len(network.coefs_)
        network.coefs_, network.intercepts_ = best[:n_layers], best[n_layers:]
        self.network_ = network
        return self

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.network_.predict_proba(X).argmax(axis=1)]


def perceptron(n_rows: int, held_out: float, seed: int) -> Any:
    """The network for so many rows, a share of which is held out."""
    network = MLPClassifier((100, 100), max_iter=100, n_iter_no_change=50, random_state=seed)
    if held_out:
        return HeldOut(network, held_out, random_state=seed)
    return network.set_params(batch_size=min(100, n_rows))

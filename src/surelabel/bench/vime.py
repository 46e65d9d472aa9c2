"""Vime (Yoon et al. 2020) in torch: learn from corrupted rows, then agree on them.

Settings are those of the authors' code: an encoder as wide as the table learns for ten epochs which
cells of a row were replaced (3 in 10) and what was there, the latter counting twice; then a network with
two layers of 100 on what the encoder makes of a row learns the labels, and to say the same of three
corrupted copies of unlabelled rows. It ends when held-out labels, a tenth, have not improved for 100
steps, or after 1,000.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.preprocessing import MinMaxScaler
from torch import Generator, Tensor, nn

from ..common.types import Floats, Values
from ..torch.devices import one_thread


class Vime(ClassifierMixin, BaseEstimator):
    """Self- and semi-supervised learning on a table of numbers.

    Parameters
    ----------
    scaler : transformer, optional
        How columns are scaled; by default to lie within 0 and 1, the range of the sigmoid that
        estimates the values.
    corrupted : float, default=0.3
        Share of the cells replaced by those of other rows.
    alpha : float, default=2.0
        Weight of the values against the mask in what the encoder learns.
    beta : float, default=1.0
        Weight of agreement on unlabelled rows against the labels.
    copies : int, default=3
        Corrupted copies that are to agree.
    hidden : int, default=100
        Width of the two layers.
    epochs : int, default=10
        Of the encoder.
    iterations : int, default=1000
        Most steps of the network.
    batch_size : int, default=128
        Rows of a step.
    patience : int, default=100
        Steps without improvement on held-out labels.
    random_state : int, default=0
        One seed, one result.
    """

    def __init__(
        self,
        scaler: Any = None,
        corrupted: float = 0.3,
        alpha: float = 2.0,
        beta: float = 1.0,
        copies: int = 3,
        hidden: int = 100,
        *,
        epochs: int = 10,
        iterations: int = 1000,
        batch_size: int = 128,
        patience: int = 100,
        random_state: int = 0,
    ) -> None:
        self.scaler = scaler
        self.corrupted = corrupted
        self.alpha = alpha
        self.beta = beta
        self.copies = copies
        self.hidden = hidden
        self.epochs = epochs
        self.iterations = iterations
        self.batch_size = batch_size
        self.patience = patience
        self.random_state = random_state

    def fit(self, X: Floats, y: Values, X_unlabeled: Floats) -> Self:
        """Learn from labelled and unlabelled rows."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        scaler = MinMaxScaler(clip=True) if self.scaler is None else clone(self.scaler)
        self.scaler_ = scaler.fit(np.concatenate([X, X_unlabeled]))
        seed = int(self.random_state)
        dice = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]), one_thread():
            torch.manual_seed(seed)
            unlabelled = self._read(X_unlabeled)
            self.encoder_ = self._pretrain(unlabelled, dice)
            self.network_ = self._train(self._read(X), torch.as_tensor(codes), unlabelled, dice)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Probability of each class, shape (n, K)."""
        with torch.no_grad(), one_thread():
            return self.network_(self.encoder_(self._read(X))).softmax(dim=1).numpy()

    def predict(self, X: Floats) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _read(self, X: Floats) -> Tensor:
        return torch.as_tensor(self.scaler_.transform(X), dtype=torch.float32)

    def _pretrain(self, X: Tensor, dice: Generator) -> nn.Module:
        """The encoder: which cells were replaced, and what was there."""
        width = X.shape[1]
        encoder = nn.Sequential(_dense(width, width), nn.ReLU())
        mask_head, value_head = _dense(width, width), _dense(width, width)
        weights = [*encoder.parameters(), *mask_head.parameters(), *value_head.parameters()]
        solver = torch.optim.RMSprop(weights, lr=1e-3, alpha=0.9, eps=1e-7)
        damaged = corrupt(X, self.corrupted, dice)
        replaced = (damaged != X).float()
        for _ in range(self.epochs):
            for rows in torch.randperm(len(X), generator=dice).split(self.batch_size):
                hidden = encoder(damaged[rows])
                guess = nn.functional.binary_cross_entropy_with_logits(mask_head(hidden), replaced[rows])
                values = nn.functional.mse_loss(value_head(hidden).sigmoid(), X[rows])
                _step(solver, guess + self.alpha * values)
        return encoder.requires_grad_(False)

    def _train(self, X: Tensor, codes: Tensor, unlabelled: Tensor, dice: Generator) -> nn.Module:
        """The network, as it was when held-out labels were predicted best."""
        order = torch.randperm(len(X), generator=dice)
        seen = order[: max(int(0.9 * len(X)), 1)]
        held = order[len(seen) :] if len(seen) < len(X) else seen
        encoded = self.encoder_(X)
        network = nn.Sequential(
            _dense(X.shape[1], self.hidden),
            nn.ReLU(),
            _dense(self.hidden, self.hidden),
            nn.ReLU(),
            _dense(self.hidden, len(self.classes_)),
        )
        solver = torch.optim.Adam(network.parameters())
        best, lowest, waited = copy.deepcopy(network), float("inf"), 0
        for _ in range(self.iterations):
            rows = seen[torch.randperm(len(seen), generator=dice)[: self.batch_size]]
            others = unlabelled[torch.randperm(len(unlabelled), generator=dice)[: self.batch_size]]
            said = torch.stack(
                [network(self.encoder_(corrupt(others, self.corrupted, dice))) for _ in range(self.copies)]
            )
            loss = nn.functional.cross_entropy(network(encoded[rows]), codes[rows])
            _step(solver, loss + self.beta * said.var(dim=0, correction=0).mean())
            with torch.no_grad():
                on_held = float(nn.functional.cross_entropy(network(encoded[held]), codes[held]))
            if on_held < lowest:
                best, lowest, waited = copy.deepcopy(network), on_held, 0
            elif (waited := waited + 1) > self.patience:
                break
        return best.requires_grad_(False)


def corrupt(X: Tensor, share: float, dice: Generator) -> Tensor:
    """X with a share of the cells replaced by those of other rows in their column, shape of X."""
    order = torch.rand(X.shape, generator=dice).argsort(dim=0)
    mask = torch.rand(X.shape, generator=dice) < share
    return torch.where(mask, X.gather(0, order), X)


def _dense(n_in: int, n_out: int) -> nn.Linear:
    layer = nn.Linear(n_in, n_out)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _step(solver: torch.optim.Optimizer, loss: Tensor) -> None:
    solver.zero_grad()
    loss.backward()
    solver.step()

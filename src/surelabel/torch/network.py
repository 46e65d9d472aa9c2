"""A network as a scikit-learn classifier and committee, for tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ..committees.base import Committee, Runner
from ..committees.encoding import Encoder
from ..common.limits import LARGEST_SEED, MOST_MEMBERS
from ..common.settings import POSITIVE, Setting, whole
from ..common.types import AnyLabels, Floats, RandomState, Table
from ..confidence import Moments
from .data import Rows, TrainingSet
from .devices import chosen, seed_of, seeded
from .mc import mc_dropout, mc_members, one_pass
from .training import Training, cosine, train

_BATCH = 1024


def perceptron(n_features: int, n_classes: int, hidden: int = 128, dropout: float = 0.3) -> nn.Module:
    """Two hidden layers with dropout after each, an nn.Module."""
    return nn.Sequential(
        nn.Linear(n_features, hidden),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, n_classes),
    )


class Network(Committee):
    """One network with dropout, whose passes are the members of a committee.

    Columns are prepared as for the other models: numbers scaled, categories one-hot, gaps filled.

    Parameters
    ----------
    module_fn : callable, optional
        (number of features, K) -> nn.Module with dropout: features (n, d) -> logits (n, K). By
        default two layers of 128.
    passes : int, default=20
        M.
    training : Training, optional
        By default 30 epochs of batches of 128, and 300 steps at least.
    learning_rate : float, default=0.003
        Of AdamW, at the start of a cosine.
    encoder : transformer, optional
        What prepares the columns; by default `Encoder()`.
    device : str, default="cpu"
        As in `TorchPseudoLabeler`.
    random_state : int or RandomState, optional
        In a `PseudoLabelClassifier` its own random_state counts.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes.
    weights_ : dict of ndarrays
        The state of the trained network.

    See Also
    --------
    TorchPseudoLabeler : Networks for anything that is not a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import csa
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = csa(committee=Network(passes=10), n_rounds=2, guard=False, random_state=0)
    >>> clf = clf.fit(X, hide_labels(y, 0.8, random_state=0))  # -1 is unlabelled
    >>> bool(clf.score(X, y) > 0.9)
    True
    """

    takes: ClassVar[dict[str, Setting]] = {"passes": whole(1, MOST_MEMBERS), "learning_rate": POSITIVE}

    def __init__(
        self,
        module_fn: Callable[[int, int], nn.Module] | None = None,
        passes: int = 20,
        *,
        training: Training | None = None,
        learning_rate: float = 0.003,
        encoder: Any = None,
        device: str = "cpu",
        random_state: RandomState = None,
    ) -> None:
        self.module_fn = module_fn
        self.passes = passes
        self.training = training
        self.learning_rate = learning_rate
        self.encoder = encoder
        self.device = device
        self.random_state = random_state

    @property
    def expected_members(self) -> int:
        """Number of passes."""
        return self.passes

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train on rows that all have a label; weights count relative to their mean."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.encoder_ = Encoder() if self.encoder is None else clone(self.encoder)
        table = self.encoder_.fit_transform(X)
        rows = self._rows(table)
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        used = np.flatnonzero(weight > 0)
        nothing = np.zeros((len(used), len(self.classes_)), dtype=bool)
        data = TrainingSet(rows, used, codes[used], nothing, weight[used] / weight[used].mean())
        self.seed_ = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        self.n_features_ = table.shape[1]
        device = chosen(self.device)
        model = self._module(device)
        train(
            model,
            data,
            Training(30, 128, least_steps=300) if self.training is None else self.training,
            partial(torch.optim.AdamW, lr=self.learning_rate),
            cosine,
            seed=seed_of(self.seed_, 1),
            device=device,
        )
        self.weights_ = {name: value.cpu().numpy() for name, value in model.state_dict().items()}
        return self

    def predict_moments(self, X: Table) -> Moments:
        """Mean and variance over the passes, each (N, K), without holding the passes."""
        model, batches = self._asked(X)
        return mc_dropout(model, batches, self.passes, seed=seed_of(self.seed_, 2))

    def opinion(self, X: Table) -> Moments:
        """The moments of P: there may be many passes."""
        return self.predict_moments(X)

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each pass, shape (M, N, K)."""
        model, batches = self._asked(X)
        return mc_members(model, batches, self.passes, seed=seed_of(self.seed_, 2))

    def predict_proba(self, X: Table) -> Floats:
        """Probabilities with dropout off, shape (N, K)."""
        model, batches = self._asked(X)
        return one_pass(model, batches).mean

    def _asked(self, X: Table) -> tuple[nn.Module, DataLoader[Any]]:
        check_is_fitted(self)
        rows = self._rows(self.encoder_.transform(X))
        model = self._module(chosen(self.device))
        model.load_state_dict({name: torch.as_tensor(value) for name, value in self.weights_.items()})
        return model, rows.batches(np.arange(len(rows)), _BATCH)

    def _module(self, device: torch.device) -> nn.Module:
        make = perceptron if self.module_fn is None else self.module_fn
        with seeded(seed_of(self.seed_, 0), device):
            return make(self.n_features_, len(self.classes_)).to(device)

    @staticmethod
    def _rows(X: Table) -> Rows:
        return Rows(TensorDataset(torch.as_tensor(np.asarray(X, dtype=np.float32))))

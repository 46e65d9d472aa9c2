"""The rounds for networks: train afresh, judge all unlabelled rows, label, repeat."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from ..budget import class_frequencies
from ..common.durations import timed
from ..common.notice import logger, shown
from ..common.types import Floats, Ints
from ..rounds.labels import Labels
from ..rounds.one_machine import allocated, recorded
from ..rounds.records import Round
from .data import Rows, Source, TrainingSet, targets_of, training_set
from .devices import chosen, seed_of, seeded
from .kept import Kept, Stored
from .mc import one_pass
from .protocol import Method, method_of, sgd, without_bound
from .training import MakeOptimizer, MakeSchedule, Training, cosine, train


class TorchPseudoLabeler:
    """Label the unlabelled rows of a dataset by networks, round by round.

    Each round trains a fresh network on the given labels and those of the round before, and then
    finds the labels of all unlabelled rows anew. What is random in a round depends on the seed and
    its number alone: a run that goes on after a kill ends with the same weights, on a CPU to the bit.

    Parameters
    ----------
    model_fn : callable
        () -> nn.Module, a new network: inputs -> logits (n, K). It needs dropout unless the
        method asks it once only.
    optimizer_fn : callable, optional
        Parameters -> optimizer; by default SGD at 0.03 with Nesterov's momentum.
    schedule_fn : callable, optional
        (optimizer, steps) -> schedule of the learning rate; by default a cosine.
    fit_fn : callable, optional
        (model, TrainingSet, seed) -> None, in place of the training here: your own loop.
        Batches of the set are (inputs, codes, ruled out (n, K), weight).
    method : str or Method, default="csa"
        One of `METHODS`, or a cell of your own.
    training : Training, optional
        How long.
    n_rounds : int, default=5
        Rounds of labelling; with 0 the network is supervised.
    class_prior : array of shape (K,), optional
        Class frequencies of the unlabelled rows; by default those of the labelled ones.
    n_classes : int, optional
        K; by default one more than the largest label.
    device : str, default="auto"
        "cpu", "cuda", "mps", or the best there is.
    random_state : int, default=0
        One seed, one result, on a CPU.
    verbose : int, default=0
        Above 0: a line per round.

    Attributes
    ----------
    model_ : nn.Module
        The network of the round, at the end the final one.
    labels_ : Labels
        What is known of each row: those of the labelled dataset first, then the unlabelled ones.
    history_ : list of Round
        What happened in each round.

    See Also
    --------
    Network : A network as the committee of a `PseudoLabelClassifier`, for tables.

    Examples
    --------
    >>> import torch
    >>> from torch.utils.data import TensorDataset
    >>> X = torch.cat([torch.randn(60, 2), torch.randn(60, 2) + 4])
    >>> labelled = TensorDataset(X[[0, 1, 60, 61]], torch.tensor([0, 0, 1, 1]))
    >>> def model_fn():
    ...     hidden = torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Dropout(0.3)
    ...     return torch.nn.Sequential(*hidden, torch.nn.Linear(16, 2))
    >>> labeler = TorchPseudoLabeler(model_fn, training=Training(50), n_rounds=2, device="cpu")
    >>> for round in labeler.fit_rounds(labelled, TensorDataset(X)):
    ...     print(round.number, round.pool)
    1 120
    2 120
    >>> labeler.predict_proba(TensorDataset(X)).shape
    (120, 2)
    """

    def __init__(
        self,
        model_fn: Callable[[], nn.Module],
        optimizer_fn: MakeOptimizer = sgd,
        schedule_fn: MakeSchedule | None = cosine,
        fit_fn: Callable[[nn.Module, TrainingSet, int], None] | None = None,
        *,
        method: str | Method = "csa",
        training: Training | None = None,
        n_rounds: int = 5,
        class_prior: ArrayLike | None = None,
        n_classes: int | None = None,
        device: str = "auto",
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.model_fn = model_fn
        self.optimizer_fn = optimizer_fn
        self.schedule_fn = schedule_fn
        self.fit_fn = fit_fn
        self.method = method
        self.training = training
        self.n_rounds = n_rounds
        self.class_prior = class_prior
        self.n_classes = n_classes
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, labelled: Source, unlabelled: Source, folder: Path | str | None = None) -> Self:
        """Run all rounds, then train the final network.

        Parameters
        ----------
        labelled : Dataset or DataLoader
            Of (inputs, class), classes as whole numbers from 0.
        unlabelled : Dataset or DataLoader
            Of inputs, or of tuples of which they are the first.
        folder : str or path, optional
            Where each round is kept as it ends. A run that was cut off goes on from there.

        Returns
        -------
        self
        """
        for _ in self.fit_rounds(labelled, unlabelled, folder):
            pass
        return self

    def fit_rounds(
        self, labelled: Source, unlabelled: Source, folder: Path | str | None = None
    ) -> Iterator[Round]:
        """The same as a loop of one's own: yields each Round, also those kept in the folder.

        Meanwhile `model_` is the network of the round; the final one is trained when the loop ends.
        """
        method, inputs = method_of(self.method), Rows(labelled, unlabelled)
        start = self._start(targets_of(labelled), len(inputs))
        prior = self._prior(start)
        kept = Kept(None if folder is None else Path(folder), self._about(start, prior, method))
        labels, self.history_ = start, []
        for number in range(1, self.n_rounds + 1 if len(start.pool) else 1):
            stored = kept.read(f"round-{number:03d}")
            if stored is None:
                seconds: dict[str, float] = {}
                with timed(seconds, "train"):
                    self.model_ = self._trained(inputs, labels, number)
                labels = labels.before(1)  # found anew, for all unlabelled rows
                self.history_.append(self._labelled(inputs, labels, method, prior, seconds))
                kept.write(f"round-{number:03d}", self.model_, labels, self.history_)
            else:
                labels = self._restored(start, stored)
            self.labels_ = labels
            with shown(self.verbose):
                logger.info("%s", self.history_[-1])
            yield self.history_[-1]
            if not len(self.history_[-1].rows) and not self.history_[-1].negatives:
                break
        self.labels_ = labels
        stored = kept.read("final")
        if stored is None:
            self.model_ = self._trained(inputs, labels, len(self.history_) + 1)
            kept.write("final", self.model_, labels, self.history_)
        else:
            self._restored(start, stored)

    def predict_proba(self, dataset: Source) -> Floats:
        """Probability of each class by the network as it is now, dropout off, shape (n, K)."""
        rows = Rows(dataset)
        return one_pass(self.model_, rows.batches(np.arange(len(rows)))).mean

    def predict(self, dataset: Source) -> Ints:
        """The most probable class, shape (n,)."""
        return self.predict_proba(dataset).argmax(axis=1)

    def _start(self, codes: Ints, n_rows: int) -> Labels:
        n_classes = int(codes.max()) + 1 if self.n_classes is None else self.n_classes
        if codes.max() >= n_classes:
            raise ValueError(f"n_classes is {n_classes} and a label is {codes.max()}; they count from 0.")
        return Labels.start(np.append(codes, np.full(n_rows - len(codes), -1)), n_classes, found="full")

    def _prior(self, labels: Labels) -> Floats:
        given = labels.codes[labels.codes >= 0]
        found = class_frequencies(given, np.ones(len(given)), labels.n_classes)
        prior = found if self.class_prior is None else np.asarray(self.class_prior, dtype=float)
        if prior.shape != found.shape or (prior < 0).any() or not prior.sum() > 0:
            raise ValueError(f"class_prior must be {len(found)} numbers, none below 0; it is {prior}.")
        return prior / prior.sum()

    def _about(self, labels: Labels, prior: Floats, method: Method) -> dict[str, Any]:
        """What the result of a run depends on, as far as it can be told, in plain values."""
        training = self._training()
        return {
            "rows": len(labels.codes),
            "labels": hashlib.sha256(labels.codes.astype("<i8").tobytes()).hexdigest()[:16],
            "class_prior": [float(share) for share in prior],
            "method": re.sub(" at 0x[0-9a-f]+", "", repr(method)),  # functions have other addresses next time
            "n_rounds": self.n_rounds,
            "epochs": training.epochs,
            "batch_size": [training.first_batch_size, training.batch_size],
            "least_steps": training.least_steps,
            "random_state": self.random_state,
        }

    def _training(self) -> Training:
        return Training() if self.training is None else self.training

    def _model(self, number: int, device: torch.device) -> nn.Module:
        """A new network; its weights depend on the seed and the round."""
        with seeded(seed_of(self.random_state, number, 0), device):
            return self.model_fn().to(device)

    def _trained(self, inputs: Rows, labels: Labels, number: int) -> nn.Module:
        device = chosen(self.device)
        model, data = self._model(number, device), training_set(inputs, labels)
        seed, plan = seed_of(self.random_state, number, 1), self._training()
        if self.fit_fn is not None:
            with seeded(seed, device):
                self.fit_fn(model, data, seed)
            return model.eval()
        if number == 1:
            plan = plan.first()
        return train(model, data, plan, self.optimizer_fn, self.schedule_fn, seed=seed, device=device)

    def _labelled(
        self, inputs: Rows, labels: Labels, method: Method, prior: Floats, seconds: dict[str, float]
    ) -> Round:
        """Judge the pool by the network as it is now, and label it."""
        number, pool, parts = len(self.history_) + 1, labels.pool, method.parts
        seed = seed_of(self.random_state, number, 2)
        with timed(seconds, "predict"):
            moments = parts.committee(self.model_, inputs.batches(pool), seed=seed)
            p, confidence = moments.mean, parts.confidence(moments)
            if not np.isfinite(p).all():
                raise ValueError(
                    f"The network of round {number} gives probabilities that are not numbers: its training "
                    "diverged. Lower the learning rate in optimizer_fn."
                )
            changed = float((p.argmax(axis=1) != labels.guess[pool]).mean()) if self.history_ else np.nan
            soft = None
            if parts.negatives is not None:
                # The same passes, less sure of themselves.
                cooler = parts.committee(
                    self.model_, inputs.batches(pool), temperature=method.temperature, seed=seed
                )
                bound = without_bound(labels.n_classes, len(pool))
                soft = parts.negatives(cooler.mean, np.sqrt(cooler.variance), bound)
        with timed(seconds, "allocate"):
            trusted = p[confidence > 0]
            budget = method.budget(number, self.n_rounds, prior, len(pool), trusted, parts.allocator)
            allocation = allocated(parts.allocator, trusted, budget)
            found = recorded(labels, number, p, confidence, allocation, soft)
        return found.as_round(number, budget, len(trusted), seconds, changed)

    def _restored(self, start: Labels, stored: Stored) -> Labels:
        """The labels after a round that was kept; its network and history are restored too."""
        weights, checkpoint = stored
        self.model_ = self._model(1, chosen(self.device)).eval()
        self.model_.load_state_dict(weights)
        self.history_ = list(checkpoint.history)
        labels = start.before(1)
        checkpoint.restore(labels)
        return labels

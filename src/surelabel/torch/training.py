"""How a network is trained in a round: batches, the loss of labels and of classes ruled out, steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy, softmax

from ..common.notice import logger
from .data import TrainingSet, loader
from .devices import autocast, moved, seed_of, seeded

_LARGEST_PROBABILITY = 1 - 1e-7

# Parameters -> optimizer; (optimizer, number of steps) -> learning rate schedule.
MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
MakeSchedule = Callable[[torch.optim.Optimizer, int], torch.optim.lr_scheduler.LRScheduler]


@dataclass(frozen=True)
class Training:
    """How long, and on what.

    Parameters
    ----------
    epochs : int, default=100
        Passes over the rows.
    batch_size : int, default=128
        Rows of a step; fewer rows than that are one batch. Where there are more, those that
        fill no batch are not used in that epoch.
    least_steps : int, default=0
        Steps at least, however few the rows: so that a network trained on few labels gets as much
        training as one on many.
    augment : callable, optional
        (inputs, torch.Generator) -> inputs, for every batch.
    first_batch_size : int, optional
        Rows of a step in the first round.

    See Also
    --------
    TorchPseudoLabeler, Network : Take it as `training`.

    Examples
    --------
    >>> Training(epochs=10, first_batch_size=64).first().batch_size
    64
    """

    epochs: int = 100
    batch_size: int = 128
    least_steps: int = 0
    augment: Callable[[Any, Generator], Any] | None = None
    first_batch_size: int | None = None

    def first(self) -> Training:
        """The training of the first round."""
        return self if self.first_batch_size is None else replace(self, batch_size=self.first_batch_size)


def train(
    model: nn.Module,
    data: TrainingSet,
    plan: Training,
    optimizer_fn: MakeOptimizer,
    schedule_fn: MakeSchedule | None = None,
    *,
    seed: int,
    device: torch.device,
) -> nn.Module:
    """Train a network in place; on the CPU the same seed gives the same weights.

    Parameters
    ----------
    model : nn.Module
        Inputs -> logits (n, K).
    data : TrainingSet
        On what.
    plan : Training
        How long.
    optimizer_fn : callable
        Parameters -> optimizer.
    schedule_fn : callable, optional
        (optimizer, number of steps) -> learning rate schedule, which steps with every batch.
    seed : int
        Of order, augmentation and dropout.
    device : torch.device
        Where.
    """
    size = min(plan.batch_size, len(data))
    in_epoch = len(data) // size
    steps = max(plan.epochs * in_epoch, plan.least_steps)
    dice = torch.Generator().manual_seed(seed_of(seed, 1))
    places = _places(len(data), size, steps, torch.Generator().manual_seed(seed))
    model.train()
    with seeded(seed, device):
        optimizer = optimizer_fn(model.parameters())
        schedule = schedule_fn(optimizer, steps) if schedule_fn is not None else None
        for step, batch in enumerate(loader(data, places, data.workers), start=1):
            inputs, codes, ruled_out, weight = moved(batch, device)
            if plan.augment is not None:
                inputs = plan.augment(inputs, dice)
            with autocast(device):
                loss = batch_loss(model(inputs), codes, ruled_out, weight)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if schedule is not None:
                schedule.step()
            if step % in_epoch == 0:
                logger.debug("step %d of %d, loss %.4f", step, steps, loss.item())
    return model.eval()


def batch_loss(logits: Tensor, codes: Tensor, ruled_out: Tensor, weight: Tensor) -> Tensor:
    """Cross-entropy of the rows with a class, plus the loss of UPS for classes ruled out, a scalar.

    Each is a mean over its own rows; the second is the mean of -log(1 - p) over a row's
    ruled-out classes.
    """
    logits, known = logits.float(), codes >= 0
    loss = logits.sum() * 0.0  # a batch may have no row of one kind
    if known.any():
        entropies = cross_entropy(logits[known], codes[known], reduction="none")
        loss = loss + (weight[known] * entropies).mean()
    negative = ruled_out.any(dim=1)
    if negative.any():
        loss = loss + negative_loss(logits[negative], ruled_out[negative])
    return loss


def negative_loss(logits: Tensor, ruled_out: Tensor) -> Tensor:
    """Mean over rows of the mean of -log(1 - p) over their ruled-out classes, a scalar."""
    p = softmax(logits, dim=1).clamp(max=_LARGEST_PROBABILITY)
    return -((torch.log1p(-p) * ruled_out).sum(dim=1) / ruled_out.sum(dim=1)).mean()


def _places(n: int, size: int, steps: int, generator: Generator) -> Iterator[list[int]]:
    """Positions of every batch, in a new order each epoch."""
    made = 0
    while True:
        order = torch.randperm(n, generator=generator)[: n // size * size]
        for batch in order.split(size):
            if made == steps:
                return
            made += 1
            yield batch.tolist()


def cosine(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    """The learning rate of the UPS protocol: lr * cos(7 pi / 16 * t / T)."""
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: math.cos(7 * math.pi / 16 * t / steps))

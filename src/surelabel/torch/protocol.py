"""The methods as cells of the grid, and the settings of the paper's experiment on CIFAR.

The paper follows UPS (Rizve et al. 2021): in each round a fresh network is trained on all labels so far,
and the labels of all unlabelled rows are then found anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..allocation import AdaptiveThreshold, Allocation, Threshold, Transport
from ..budget import Budget, ramp
from ..common.types import Floats
from ..confidence import Everything, Spread, TTest
from ..negatives import Negatives
from ..rounds.records import Parts
from .augment import ups_augment
from .mc import McDropout, OnePass
from .training import Training
from .wideresnet import WideResNet

_Allocator = Callable[[Floats, Budget], Allocation]

_MEANS, _DEVIATIONS = (0.4914, 0.4822, 0.4465), (0.2471, 0.2435, 0.2616)


@dataclass(frozen=True)
class WholePool:
    """Any row may be labelled in any round: labels are found anew each time, so none is final.

    See Also
    --------
    GrowingShare, SmallestClass : Other budgets.

    Examples
    --------
    >>> WholePool()(1, 5, np.array([0.5, 0.5]), 100, None, None).quota
    array([50, 50])
    """

    def __call__(
        self,
        number: int,
        n_rounds: int,
        prior: Floats,
        pool: int,
        p: Floats,
        allocator: _Allocator,
    ) -> Budget:
        """The budget of a round."""
        return Budget(1.0, prior, pool)


@dataclass(frozen=True)
class GrowingShare:
    """Label as much of the pool as a run that keeps its labels would have by this round.

    See Also
    --------
    WholePool, SmallestClass : Other budgets.

    Examples
    --------
    >>> [GrowingShare()(number, 3, np.array([0.5, 0.5]), 100, None, None).share for number in (1, 2, 3)]
    [0.5, 0.833333333333, 1.0]
    """

    def __call__(
        self,
        number: int,
        n_rounds: int,
        prior: Floats,
        pool: int,
        p: Floats,
        allocator: _Allocator,
    ) -> Budget:
        """The budget of a round."""
        # Rounding must not leave the last round slightly below all of it.
        return Budget(min(round(float(ramp(n_rounds)[:number].sum()), 12), 1.0), prior, pool)


@dataclass(frozen=True)
class SmallestClass:
    """In the first rounds every class gets as many rows as the one with the fewest; later, no bound.

    Parameters
    ----------
    rounds : int, default=9
        How many rounds are balanced.
    least : int, default=25
        Rows for each class, also where the smallest has fewer.

    See Also
    --------
    WholePool, GrowingShare : Other budgets.

    Examples
    --------
    The second class has two rows above the threshold, so each class gets two:

    >>> p = np.array([[0.9, 0.1]] * 5 + [[0.1, 0.9]] * 2)
    >>> SmallestClass(least=1)(1, 5, np.array([0.5, 0.5]), 7, p, Threshold(0.7)).quota
    array([2, 2])
    """

    rounds: int = 9
    least: int = 25

    def __call__(
        self,
        number: int,
        n_rounds: int,
        prior: Floats,
        pool: int,
        p: Floats,
        allocator: _Allocator,
    ) -> Budget:
        """The budget of a round."""
        unbounded = without_bound(len(prior), pool)
        if number > self.rounds or not len(p):
            return unbounded
        codes = allocator(p, unbounded).codes
        fewest = np.bincount(codes[codes >= 0], minlength=len(prior)).min()
        share = min(max(fewest, self.least), pool) / pool
        return Budget(share * len(prior), unbounded.prior, pool)


def without_bound(n_classes: int, pool: int) -> Budget:
    """A budget under which any class may get the whole pool."""
    return Budget(float(n_classes), np.full(n_classes, 1 / n_classes), pool)


@dataclass(frozen=True)
class Method:
    """A cell of the grid for networks.

    Parameters
    ----------
    parts : Parts
        Its committee is `McDropout` or `OnePass`.
    budget : callable, default=WholePool()
        What a round may label.
    temperature : float, default=2.0
        Logits are divided by it before `negatives` sees them.

    See Also
    --------
    METHODS : Those with a name.
    TorchPseudoLabeler : Runs it.

    Examples
    --------
    >>> Method(Parts(OnePass(), Everything(), Threshold(0.9))).temperature
    2.0
    """

    parts: Parts
    budget: Callable[..., Budget] = WholePool()
    temperature: float = 2.0


METHODS = {
    "pl": Method(Parts(OnePass(), Everything(), Threshold(0.7)), SmallestClass()),
    "flexmatch": Method(Parts(OnePass(), Everything(), AdaptiveThreshold(0.7))),
    "sla": Method(Parts(McDropout(), Everything(), Transport("released"))),
    "ups": Method(
        Parts(McDropout(), Spread(0.05), Threshold(0.7), Negatives(0.05, 0.005)),
        SmallestClass(),
    ),
    # A floor of a hundredth of the passes: with it t asks for about the same of any number (docs/deep.md).
    "csa": Method(Parts(McDropout(), TTest(), Transport())),
}


def method_of(method: str | Method) -> Method:
    """A method, or the one of that name."""
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, or a Method; it is {method!r}.")
    return METHODS[method]


def sgd(parameters: Iterable[nn.Parameter], rate: float = 0.03) -> torch.optim.SGD:
    """The optimizer of the protocol: SGD at 0.03 with Nesterov's momentum of 0.9."""
    return torch.optim.SGD(parameters, lr=rate, momentum=0.9, nesterov=True)


class _Standardised(nn.Module):
    """Images between 0 and 1 brought to mean 0 and variance 1, by the pixels of CIFAR-10."""

    mean: Tensor
    deviation: Tensor

    def __init__(self) -> None:
        super().__init__()
        for name, values in [("mean", _MEANS), ("deviation", _DEVIATIONS)]:
            self.register_buffer(name, torch.tensor(values).reshape(1, 3, 1, 1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Of the shape of the images."""
        return (images - self.mean) / self.deviation


def cifar_model(n_classes: int, depth: int = 28, width: int = 2) -> nn.Sequential:
    """The network of the protocol for images between 0 and 1: a Wide ResNet 28-2 with dropout of 0.3."""
    net = WideResNet(n_classes, depth, width, activation=nn.Mish, momentum=0.001)
    return nn.Sequential(_Standardised(), net)


def cifar_training(n_labelled: int) -> Training:
    """1,024 epochs of batches of 128, of 64 in the first round where labels are few, augmented."""
    first = 64 if n_labelled < 4000 else None
    return Training(1024, 128, augment=ups_augment, first_batch_size=first)

"""One network asked several times with dropout on (Gal and Ghahramani 2016): a committee of passes.

Rows are read in batches, and of each only mean and variance over the passes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..common.types import Floats
from ..confidence import Moments
from .devices import autocast, moved, seeded

# Their dropout is a number, applied when they themselves are in training mode.
_CARRIERS = (
    nn.MultiheadAttention,
    nn.RNNBase,
    # In evaluation these skip the dropout layers within them.
    nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
)


def mc_dropout(
    module: nn.Module,
    loader: Iterable[Any],
    passes: int = 10,
    *,
    temperature: float = 1.0,
    seed: int | None = None,
) -> Moments:
    """Mean and variance of the probabilities over passes with dropout on.

    Everything but dropout is as in prediction: batch normalisation uses what it has learnt.
    Afterwards every part of the module is in the mode it was in.

    Parameters
    ----------
    module : nn.Module
        Inputs -> logits (n, K). It stays on its device.
    loader : iterable of batches
        A batch is the inputs, or a tuple of which they are the first.
    passes : int, default=10
        M.
    temperature : float, default=1.0
        Logits are divided by it.
    seed : int, optional
        Of the dropout; by default PyTorch's own state decides.

    Returns
    -------
    Moments
        Mean and variance (N, K) over the passes.

    See Also
    --------
    mc_members : Every pass, not their moments alone.
    one_pass : Dropout off.

    Examples
    --------
    >>> import torch
    >>> net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 3))
    >>> moments = mc_dropout(net, torch.ones(10, 4).split(5), passes=20, seed=0)
    >>> moments.mean.shape, bool((moments.variance > 0).all())
    ((10, 3), True)
    """
    moments = [_streamed(each) for each in _by_batch(module, loader, passes, temperature, seed)]
    mean, variance = (np.concatenate(parts) for parts in zip(*moments, strict=True))
    return Moments(mean, variance, passes)


def mc_members(
    module: nn.Module,
    loader: Iterable[Any],
    passes: int = 10,
    *,
    temperature: float = 1.0,
    seed: int | None = None,
) -> Floats:
    """The probabilities of every pass, shape (M, N, K): the same passes as `mc_dropout`, all held.

    Parameters
    ----------
    module, loader, passes, temperature, seed
        As in `mc_dropout`.

    Returns
    -------
    ndarray of shape (M, N, K)

    See Also
    --------
    mc_dropout : Mean and variance, which take less memory.

    Examples
    --------
    >>> import torch
    >>> net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 3))
    >>> mc_members(net, [torch.ones(10, 4)], passes=20).shape
    (20, 10, 3)
    """
    batches = [torch.stack(list(each)) for each in _by_batch(module, loader, passes, temperature, seed)]
    return torch.cat(batches, dim=1).numpy()


def one_pass(module: nn.Module, loader: Iterable[Any], *, temperature: float = 1.0) -> Moments:
    """The probabilities as the module predicts them, dropout off; the variance of one pass is 0.

    Parameters
    ----------
    module, loader, temperature
        As in `mc_dropout`.

    Returns
    -------
    Moments

    See Also
    --------
    mc_dropout : Several passes with dropout on.

    Examples
    --------
    >>> import torch
    >>> one_pass(torch.nn.Linear(4, 3), [torch.zeros(5, 4)]).mean.shape
    (5, 3)
    """
    with _modes_kept(module), _asking(module, None) as ask:
        mean = np.concatenate([ask(batch, temperature).numpy() for batch in loader])
    return Moments(mean, np.zeros_like(mean), 1)


@dataclass(frozen=True)
class McDropout:
    """The committee of a method: passes with dropout on.

    Parameters
    ----------
    passes : int, default=10
        M.

    See Also
    --------
    mc_dropout : What it calls.
    OnePass : The network asked once.

    Examples
    --------
    >>> import torch
    >>> net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 3))
    >>> McDropout(passes=5)(net, [torch.ones(10, 4)]).n_members
    5
    """

    passes: int = 10

    def __call__(
        self, module: nn.Module, loader: Iterable[Any], *, temperature: float = 1.0, seed: int | None = None
    ) -> Moments:
        """See `mc_dropout`."""
        return mc_dropout(module, loader, self.passes, temperature=temperature, seed=seed)


@dataclass(frozen=True)
class OnePass:
    """The committee of a method that asks the network once, dropout off.

    See Also
    --------
    one_pass : What it calls.
    McDropout : Several passes.

    Examples
    --------
    >>> import torch
    >>> OnePass()(torch.nn.Linear(4, 3), [torch.zeros(5, 4)]).n_members
    1
    """

    def __call__(
        self, module: nn.Module, loader: Iterable[Any], *, temperature: float = 1.0, seed: int | None = None
    ) -> Moments:
        """See `one_pass`."""
        return one_pass(module, loader, temperature=temperature)


def _by_batch(
    module: nn.Module, loader: Iterable[Any], passes: int, temperature: float, seed: int | None
) -> Iterator[Iterator[Tensor]]:
    """For every batch the probabilities (n, K) of its passes, one after the other."""
    if passes < 2:
        raise ValueError(f"Passes are compared with each other, so at least 2 are needed; got {passes}.")
    droppers = _droppers(module)
    if not droppers:
        raise ValueError(
            f"{type(module).__name__} has no dropout, so every pass would be the same. Add nn.Dropout "
            "layers to it, or ask it once: one_pass(module, loader)."
        )
    with _modes_kept(module), _asking(module, seed) as ask:
        for part in droppers:
            part.training = True
        for batch in loader:
            yield (ask(batch, temperature) for _ in range(passes))


def _droppers(module: nn.Module) -> list[nn.Module]:
    """The parts of a module that drop something when they are in training mode."""
    return [part for part in module.modules() if _drops(part)]


def _drops(part: nn.Module) -> bool:
    if isinstance(part, nn.modules.dropout._DropoutNd):
        return part.p > 0
    if isinstance(part, _CARRIERS):
        rate: Any = part.dropout
        return getattr(rate, "p", rate) > 0
    # Layers of other libraries: DropPath, StochasticDepth, VariationalDropout, ...
    name = type(part).__name__.lower()
    return "drop" in name or "stochasticdepth" in name


@contextmanager
def _modes_kept(module: nn.Module) -> Iterator[None]:
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


@contextmanager
def _asking(module: nn.Module, seed: int | None) -> Iterator[Callable[[Any, float], Tensor]]:
    """A function from a batch and a temperature to probabilities (n, K) in double precision."""
    device = next((weight.device for weight in module.parameters()), torch.device("cpu"))

    def ask(batch: Any, temperature: float) -> Tensor:
        inputs = moved(batch[0] if isinstance(batch, (tuple, list)) else batch, device)
        with autocast(device):
            logits = module(inputs)
        # On the CPU: not every device has double precision.
        return (logits.float().cpu().double() / temperature).softmax(dim=1)

    with torch.inference_mode(), seeded(seed, device):
        yield ask


def _streamed(passes: Iterable[Tensor]) -> tuple[Floats, Floats]:
    """Mean and population variance of arrays that come one by one (Welford), two of their shape."""
    mean: Tensor = torch.zeros(())
    squares: Tensor = torch.zeros(())
    count = 0
    for count, p in enumerate(passes, start=1):
        gap = p - mean
        mean = mean + gap / count
        squares = squares + gap * (p - mean)
    return mean.numpy(), (squares / count).numpy()

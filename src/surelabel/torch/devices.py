"""Where networks run, what is random there, and where half precision is worth it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch


def chosen(device: str | torch.device) -> torch.device:
    """A device by its name; "auto" takes CUDA, else MPS, else the CPU.

    Examples
    --------
    >>> chosen("cpu")
    device(type='cpu')
    """
    if device != "auto":
        device = torch.device(device)
        there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not there.get(device.type, True):
            raise ValueError(f'There is no {device.type!r} device here. device="auto" takes what there is.')
        return device
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def moved(inputs: Any, device: torch.device) -> Any:
    """Tensors on a device, in whatever tuples, lists and dicts they come."""
    if isinstance(inputs, torch.Tensor):
        return inputs.to(device, non_blocking=True)
    if isinstance(inputs, dict):
        return {name: moved(value, device) for name, value in inputs.items()}
    if isinstance(inputs, (tuple, list)):
        return type(inputs)(moved(value, device) for value in inputs)
    return inputs


def autocast(device: torch.device) -> AbstractContextManager[Any]:
    """Half precision where it is quick and needs no scaling of the loss: bfloat16 on newer GPUs."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False):
        return torch.autocast("cuda", torch.bfloat16)
    return nullcontext()


def seed_of(seed: int, *steps: int) -> int:
    """The seed of one step of a run: it depends on the numbers alone.

    Examples
    --------
    >>> seed_of(0, 1) == seed_of(0, 1), seed_of(0, 1) == seed_of(0, 2)
    (True, False)
    """
    return int(np.random.SeedSequence([seed, *steps]).generate_state(1)[0])


@contextmanager
def seeded(seed: int | None, device: torch.device) -> Iterator[None]:
    """PyTorch's random numbers from a seed within, and as if nothing had been drawn afterwards.

    None leaves them alone.
    """
    if seed is None:
        yield
        return
    # CPU and CUDA; older releases of PyTorch cannot put the state of MPS back.
    gpus = [device.index or 0] if device.type == "cuda" else []
    with torch.random.fork_rng(gpus, device_type="cuda"):
        torch.manual_seed(seed)
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread within: small matrices, and the same sums on every machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)

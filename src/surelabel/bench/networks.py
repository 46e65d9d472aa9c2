"""One cell of the grid for networks on one split: the accuracy of every round's network."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d
from torch.utils.data import TensorDataset

from ..allocation import Transport
from ..budget import Budget
from ..confidence import TTest
from ..files import InputError
from ..torch import METHODS, GrowingShare, McDropout, Method, TorchPseudoLabeler, Training, WholePool
from ..torch.augment import ups_augment, weak_augment
from ..torch.data import TrainingSet
from ..torch.devices import chosen, one_thread
from ..torch.network import perceptron
from ..torch.protocol import cifar_model, sgd
from ..torch.training import cosine, train
from .datasets import DEVICE_VARIABLE, ROUNDS_VARIABLE, Split
from .grid import Outcome, percent_right

SUPERVISED, _TRUTH = "supervised", "truth"
_AUGMENT = {"none": None, "weak": weak_augment, "ups": ups_augment}
# The network of the labelled rows of the last split.
_BEGINNING: dict[tuple[Any, ...], dict[str, Any]] = {}
_SHARES: dict[str, Callable[..., Budget]] = {"whole": WholePool(), "growing": GrowingShare()}
_COUNTS = ("rounds", "pool", "sure", "selected", "right", "negatives", "fewest", "most")


@dataclass(frozen=True)
class Setting:
    """A method, the network it trains, and for how long; see `methods.network`."""

    method: str
    net: str
    side: int
    augment: str
    rounds: int
    passes: int
    floor: float
    bounds: str
    epochs: int
    least_steps: int
    batch: int
    rate: float
    share: str


def play_network(split: Split, setting: Setting) -> Outcome:
    """Run the rounds of a method on a split; the test rows judge the network of every round."""
    split = split.coded()
    known, pool, test = inputs(split, setting.side)
    codes, truth = torch.as_tensor(split.y_l), np.append(split.y_l, split.y_u)
    if setting.method == _TRUTH:
        known, codes = torch.cat([known, pool]), torch.as_tensor(truth)
    labeler = labeler_of(split, setting, known.shape[1:])
    details: dict[str, list[Any]] = {name: [] for name in _COUNTS}
    seconds: dict[str, list[float]] = {name: [] for name in ("train", "predict", "allocate")}
    with one_thread():
        for round in labeler.fit_rounds(
            TensorDataset(known, codes), TensorDataset(pool), _folder(split, setting)
        ):
            details["rounds"].append(percent_right(labeler.predict(TensorDataset(test)), split.y_t))
            details["pool"].append(round.pool)
            details["sure"].append(round.candidates)
            details["selected"].append(len(round.rows))
            details["right"].append(int((truth[round.rows] == round.codes).sum()))
            details["negatives"].append(round.negatives)
            details["fewest"].append(int(round.selected.min()))
            details["most"].append(int(round.selected.max()))
            for part, values in seconds.items():
                values.append(round.seconds[part])
        details["rounds"].append(percent_right(labeler.predict(TensorDataset(test)), split.y_t))
    return Outcome(details["rounds"][-1], details, seconds)


def labeler_of(split: Split, setting: Setting, shape: Sequence[int]) -> TorchPseudoLabeler:
    """What labels a split whose inputs have that shape."""
    rounds = 0 if setting.method in (SUPERVISED, _TRUTH) else setting.rounds
    # As the protocol has it, where epochs decide: few labels would make few steps.
    first = setting.batch // 2 if len(split.y_l) < 4000 and not setting.least_steps else None
    augment = _AUGMENT[setting.augment] if split.dataset.image else None
    plan = Training(setting.epochs, setting.batch, setting.least_steps, augment, first)
    device = os.environ.get(DEVICE_VARIABLE, "cpu")
    return TorchPseudoLabeler(
        lambda: _network_of(setting.net, shape, split.n_classes),
        fit_fn=partial(_fit, split, setting, plan, chosen(device)),
        method=method_of(setting) if rounds else "csa",
        training=plan,
        n_rounds=rounds,
        n_classes=split.n_classes,
        device=device,
        random_state=split.seed,
    )


def _fit(
    split: Split,
    setting: Setting,
    plan: Training,
    device: torch.device,
    model: nn.Module,
    data: TrainingSet,
    seed: int,
) -> None:
    """Train, but only once on the labelled rows alone: every method begins with that network."""
    same = replace(setting, method="", rounds=0, passes=0, floor=0.0, bounds="", share="")
    key = (split.dataset.name, split.y_l.tobytes(), seed, same)
    alone = len(data) == len(split.y_l)
    if alone and key in _BEGINNING:
        model.load_state_dict(_BEGINNING[key])
        return
    optimizer_fn = partial(sgd, rate=setting.rate)
    train(model, data, plan.first() if alone else plan, optimizer_fn, cosine, seed=seed, device=device)
    if alone:
        _BEGINNING.clear()
        _BEGINNING[key] = model.state_dict()


def method_of(setting: Setting) -> Method:
    """The method with its number of passes and its share of the pool; CSA with its floor and bounds."""
    method = METHODS[setting.method]
    if setting.share not in _SHARES:
        raise InputError(f"share must be one of {', '.join(_SHARES)}; it is {setting.share!r}.")
    if isinstance(method.budget, WholePool):
        method = replace(method, budget=_SHARES[setting.share])
    parts = method.parts
    if isinstance(parts.committee, McDropout):
        parts = replace(parts, committee=McDropout(setting.passes))
    if setting.method == "csa":
        parts = replace(parts, confidence=TTest(floor=setting.floor), allocator=Transport(setting.bounds))
    return replace(method, parts=parts)


def _folder(split: Split, setting: Setting) -> Path | None:
    """Where the rounds of this very run are kept, if anywhere."""
    root = os.environ.get(ROUNDS_VARIABLE)
    text = f"{split.dataset.name} {split.seed} {len(split.y_l)} {len(split.y_u)} {setting}"
    return Path(root, hashlib.sha256(text.encode()).hexdigest()[:16]) if root else None


def inputs(split: Split, side: int = 0) -> list[Tensor]:
    """Labelled, unlabelled and test rows: images (n, C, side, side) between 0 and 1, or scaled columns."""
    rows = split.X_l, split.X_u, split.X_t
    if split.dataset.image is None:
        scaler = StandardScaler().fit(np.concatenate(rows[:2]))
        return [torch.as_tensor(scaler.transform(X)).float() for X in rows]
    channels, own, brightest = split.dataset.image
    images = [torch.as_tensor(X).float().reshape(-1, channels, own, own) / brightest for X in rows]
    return [avg_pool2d(part, own // side) if 0 < side < own else part for part in images]


def _network_of(name: str, shape: Sequence[int], n_classes: int) -> nn.Module:
    """A network by its name: such as "cnn-16" or "wrn-28-2"; for tables a perceptron."""
    if len(shape) == 1:
        return perceptron(shape[0], n_classes)
    kind, *sizes = name.split("-")
    # Channels last: a third quicker on a CPU.
    make: Callable[..., Any] = partial(_convolutions, shape[0]) if kind == "cnn" else cifar_model
    return make(n_classes, *map(int, sizes)).to(memory_format=torch.channels_last)


def _convolutions(channels: int, n_classes: int, width: int = 16, dropout: float = 0.3) -> nn.Module:
    """Three convolutions with normalisation, and dropout where the picture is small, an nn.Module."""
    return nn.Sequential(
        *_convolution(channels, width),
        nn.MaxPool2d(2),
        *_convolution(width, 2 * width),
        nn.Dropout(dropout),
        nn.MaxPool2d(2),
        *_convolution(2 * width, 4 * width),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(dropout),
        nn.Linear(4 * width, n_classes),
    )


def _convolution(before: int, after: int) -> tuple[nn.Module, nn.Module, nn.Module]:
    return nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()

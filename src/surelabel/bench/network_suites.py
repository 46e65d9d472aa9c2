"""The paper's experiments with networks, and what of them a CPU can do."""

from __future__ import annotations

from typing import Any

from . import paper
from .cells import Column
from .datasets import CIFAR
from .suite import Suite

_NETWORKS = {
    "SL": "supervised",
    "PL": "pl",
    "FlexMatch": "flexmatch",
    "SLA": "sla",
    "UPS": "ups",
    "CSA": "csa",
}
_IMAGES = {"balanced": True, "rounds": 2, "side": 14}
_CIFAR = {"balanced": True, "net": "wrn-28-2", "augment": "ups", "rounds": 19, "epochs": 1024}
_CIFAR |= {"least_steps": 0, "batch": 128}
_CIFAR_SMALL = {"balanced": True, "net": "cnn-32", "side": 16, "rounds": 2, "least_steps": 1500, "rate": 0.15}
_CIFAR_SMALL |= {"labelled": 1000, "unlabelled": 20_000}
_CIFAR100 = _CIFAR_SMALL | {"labelled": 4000}
_AS_PAPER = {"floor": 0.0, "bounds": "paper"}


def _networks(settings: dict[str, Any]) -> tuple[Column, ...]:
    methods = _NETWORKS | {"true labels": "truth"}
    return tuple(Column(label, "network", settings | {"method": name}) for label, name in methods.items())


NETWORK_SUITES = [
    Suite(
        "images",
        "Networks on small images",
        "table",
        ("digits", "mnist"),
        (
            *_networks(_IMAGES),
            Column("CSA, growing share", "network", _IMAGES | {"share": "growing"}),
            Column("CSA, floor 1", "network", _IMAGES | {"floor": 1.0}),
            Column("CSA, inequalities", "network", _IMAGES | {"floor": 0.0, "bounds": "unscaled"}),
            Column("CSA, as the paper", "network", _IMAGES | _AS_PAPER),
        ),
        5,
        about="Digits of 8 x 8 and 14 x 14 pixels, 14 and 20 labels of each class, three convolutions with "
        "dropout, 10 passes, 2 rounds, 400 steps of 64 images for each network. *SL* learns from the labels "
        "alone, *true labels* from those of all rows: the most that pseudo-labels could reach.",
    ),
    Suite(
        "cifar_small",
        "CIFAR-10, cut down to what a CPU can do",
        "table",
        ("cifar10_1000",),
        (
            *_networks(_CIFAR_SMALL),
            Column("CSA, growing share", "network", _CIFAR_SMALL | {"share": "growing"}),
            Column("CSA, floor 1", "network", _CIFAR_SMALL | {"floor": 1.0}),
            Column("CSA, as the paper", "network", _CIFAR_SMALL | _AS_PAPER),
        ),
        2,
        {"cifar10_1000": paper.CIFAR["cifar10_1000"]},
        "16 x 16 pixels, 1,000 labels, a pool of 20,000, three convolutions, no augmentation, 2 rounds, "
        "96,000 training images for each network. In brackets is the paper's, of a larger network on whole "
        "images with thousands of times the training: the full protocol (`surelabel bench run cifar --device "
        "cuda`) takes about 971 million training images a run, and so needs a GPU.",
        printed_seeds=0,
    ),
    Suite(
        "cifar100_small",
        "CIFAR-100, cut down to what a CPU can do",
        "table",
        ("cifar100_4000",),
        (*_networks(_CIFAR100), Column("CSA, as the paper", "network", _CIFAR100 | _AS_PAPER)),
        2,
        about="As above, with 4,000 labels.",
    ),
    Suite(
        "cifar",
        "CIFAR with Wide ResNet 28-2",
        "table",
        CIFAR,
        (*_networks(_CIFAR), Column("CSA, as the paper", "network", _CIFAR | _AS_PAPER)),
        5,
        paper.CIFAR,
        "The UPS protocol: 20 networks one after the other, 1,024 epochs each.",
        printed_seeds=5,
    ),
]

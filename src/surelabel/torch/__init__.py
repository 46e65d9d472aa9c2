"""Pseudo-labelling for any network with dropout, in PyTorch (extra `torch`).

`mc_dropout` asks one network several times with dropout on: a committee. `TorchPseudoLabeler` runs the
rounds over datasets; `Network` is a scikit-learn committee for tables; `protocol` holds the methods and
settings of the paper's experiment on CIFAR.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "surelabel.torch needs PyTorch, which is not installed. In a clone of surelabel, "
        'pip install ".[torch]" brings it.'
    ) from error

from .labeler import TorchPseudoLabeler
from .mc import McDropout, OnePass, mc_dropout, mc_members, one_pass
from .network import Network
from .protocol import METHODS, GrowingShare, Method, SmallestClass, WholePool
from .training import Training
from .wideresnet import WideResNet

__all__ = [
    "METHODS",
    "GrowingShare",
    "McDropout",
    "Method",
    "Network",
    "OnePass",
    "SmallestClass",
    "TorchPseudoLabeler",
    "Training",
    "WholePool",
    "WideResNet",
    "mc_dropout",
    "mc_members",
    "one_pass",
]

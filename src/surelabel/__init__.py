"""Fill in the missing labels of a table and say which of them to trust."""

from importlib.metadata import version

from . import bounds
from .allocation import AdaptiveThreshold, Allocation, Negatives, Status, Threshold, Transport
from .boosting import RandomXGBoost
from .budget import Budget
from .classifier import PseudoLabelClassifier
from .committee import Panel, Repeated
from .confidence import Entropy, Everything, Spread, TotalVariance, TTest
from .features import Columns
from .labels import Labels
from .loop import Parts, Round, rounds
from .models import trees, unlike_models
from .persistence import ModelFileError, load
from .recipes import csa, flexmatch, pl, sla, ups
from .reporting import report
from .unlike import Unlike

__version__ = version("surelabel")

__all__ = [
    "AdaptiveThreshold",
    "Allocation",
    "Budget",
    "Columns",
    "Entropy",
    "Everything",
    "Labels",
    "ModelFileError",
    "Negatives",
    "Panel",
    "Parts",
    "PseudoLabelClassifier",
    "RandomXGBoost",
    "Repeated",
    "Round",
    "Spread",
    "Status",
    "TTest",
    "Threshold",
    "TotalVariance",
    "Transport",
    "Unlike",
    "bounds",
    "csa",
    "flexmatch",
    "load",
    "pl",
    "report",
    "rounds",
    "sla",
    "trees",
    "unlike_models",
    "ups",
]

from . import bounds as bounds
from . import model_selection as model_selection
from .allocation import AdaptiveThreshold, Allocation, Status, Threshold, Transport
from .budget import Budget
from .classifier import PseudoLabelClassifier
from .committees.models.default import unlike_models
from .committees.models.text import text_models
from .committees.models.trees import trees
from .committees.panel import Panel, Repeated
from .committees.random_xgboost import RandomXGBoost
from .committees.unlike import Unlike
from .confidence import Entropy, Everything, Spread, TotalVariance, TTest
from .negatives import Negatives
from .paper_recipes import paper_csa, paper_flexmatch, paper_pl, paper_sla, paper_ups
from .reading.columns import Columns
from .recipes import csa, flexmatch, pl, sla, ups
from .reporting import report
from .review import review
from .rounds.labels import Labels
from .rounds.records import Parts, Round
from .saving.model_file import ModelFileError, load

__version__: str

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
    "model_selection",
    "paper_csa",
    "paper_flexmatch",
    "paper_pl",
    "paper_sla",
    "paper_ups",
    "pl",
    "report",
    "review",
    "sla",
    "text_models",
    "trees",
    "unlike_models",
    "ups",
]

"""The five methods of the paper, each a cell of one grid.

A recipe fills in the parts; any setting of `PseudoLabelClassifier` may be given as well
and replaces what the recipe would have chosen:

>>> from surelabel import Entropy, csa
>>> csa(confidence=Entropy(), n_rounds=3)
PseudoLabelClassifier(allocator=Transport(...), committee=Unlike(...), confidence=Entropy(...), n_rounds=3)
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from .allocation import AdaptiveThreshold, Negatives, Threshold, Transport
from .classifier import PseudoLabelClassifier
from .committees.base import Repeated
from .committees.models.default import trees
from .committees.unlike import Unlike, default_test
from .confidence import Everything, Spread


class Settings(TypedDict, total=False):
    """What `PseudoLabelClassifier` takes."""

    committee: Any
    confidence: Any
    allocator: Any
    negatives: Any
    estimator: Any
    n_rounds: int
    found_weight: str
    class_prior: Any
    classes: Any
    missing_label: Any
    columns: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    guard: bool
    labels_per_row: int | None


def pl(threshold: float = 0.8, **settings: Unpack[Settings]) -> PseudoLabelClassifier:
    """Pseudo-labelling (Lee 2013): one model, one threshold.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    **settings
        Of `PseudoLabelClassifier`.
    """
    parts: Settings = {
        "committee": _one_model(),
        "confidence": Everything(),
        "allocator": Threshold(threshold),
    }
    return PseudoLabelClassifier(**(parts | settings))


def flexmatch(threshold: float = 0.8, **settings: Unpack[Settings]) -> PseudoLabelClassifier:
    """FlexMatch (Zhang et al. 2021) for tables: one model, a threshold for each class.

    Parameters
    ----------
    threshold : float, default=0.8
        The threshold of the class that is predicted most; others get a lower one.
    **settings
        Of `PseudoLabelClassifier`.
    """
    parts: Settings = {
        "committee": _one_model(),
        "confidence": Everything(),
        "allocator": AdaptiveThreshold(threshold),
    }
    return PseudoLabelClassifier(**(parts | settings))


def ups(threshold: float = 0.8, **settings: Unpack[Settings]) -> PseudoLabelClassifier:
    """UPS (Rizve et al. 2021) for tables: a threshold, low spread, and negative labels.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    **settings
        Of `PseudoLabelClassifier`.
    """
    parts: Settings = {
        "committee": Unlike(),
        "confidence": Spread(),
        "allocator": Threshold(threshold),
        "negatives": Negatives(),
    }
    return PseudoLabelClassifier(**(parts | settings))


def sla(**settings: Unpack[Settings]) -> PseudoLabelClassifier:
    """SLA (Tai et al. 2021): optimal transport over every row, classes bounded from above.

    Parameters
    ----------
    **settings
        Of `PseudoLabelClassifier`.
    """
    parts: Settings = {
        "committee": Unlike(),
        "confidence": Everything(),
        "allocator": Transport(bounds="released"),
    }
    return PseudoLabelClassifier(**(parts | settings))


def csa(**settings: Unpack[Settings]) -> PseudoLabelClassifier:
    """CSA (Nguyen et al. 2024): optimal transport over the rows that pass a t-test.

    Parameters
    ----------
    **settings
        Of `PseudoLabelClassifier`.
    """
    committee = settings.get("committee") or Unlike()
    parts: Settings = {
        "committee": committee,
        "confidence": default_test(committee),
        "allocator": Transport(),
    }
    return PseudoLabelClassifier(**(parts | settings))


def _one_model():
    # As many trees as the 20 members of the default committee have together.
    return Repeated(trees(500), n_members=1)

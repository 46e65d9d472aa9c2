"""The methods as the paper runs them: its committee, its classifier, its rule; nothing of ours.

`csa()` is what we recommend; `paper_csa()` is Algorithm 1 as printed, and what `surelabel bench` runs. Where
the paper leaves a choice open, docs/reproduction.md says which was made. Any argument of
`PseudoLabelClassifier` may be given as well and replaces what the recipe would have chosen.
"""

from __future__ import annotations

from typing import Any

from .allocation import AdaptiveThreshold, Threshold, Transport
from .classifier import PseudoLabelClassifier
from .committees.panel import Panel
from .committees.random_xgboost import RandomXGBoost, load_xgboost
from .confidence import Everything, Spread, TTest
from .negatives import Negatives
from .released import Released


def paper_csa(
    members: int = 20, schedule: str = "paper", *, released: bool = False, **settings: Any
) -> PseudoLabelClassifier:
    """CSA, Algorithm 1 of the paper: a t-test, then Sinkhorn on (N + 1) x (K + 1) cells.

    Parameters
    ----------
    members : int, default=20
        XGBoost models in the committee.
    schedule : {"paper", "short"}, default="paper"
        As in `RandomXGBoost`; "short" predicts about the same in a fraction of the time.
    released : bool, default=False
        What the authors' released code does where it differs: members drawn once, 0.1 added to the
        variances, bounds scaled by the round's share, cost 1 - p, an epsilon by the size of the table, the
        best rows of each class if p > 0.5, class frequencies averaged with uniform where they are skewed.
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    csa : The recommended one.
    paper_sla, paper_ups, paper_flexmatch, paper_pl : What the paper compares it with.

    Examples
    --------
    >>> from surelabel import paper_csa
    >>> clf = paper_csa()
    >>> clf.allocator, clf.n_rounds, clf.guard
    (Transport(bounds='paper', epsilon=0.01, cost='log', low=0.9, high=1.1, rows='auto'), 5, False)
    """
    drawn_by = None
    if released:
        seed = settings.get("random_state")
        drawn_by = seed if isinstance(seed, int) else 0
    committee = RandomXGBoost(members, schedule=schedule, drawn_by=drawn_by)
    if released:
        parts = {"confidence": TTest(floor=0.1), "allocator": Released(), "class_prior": "smoothed"}
    else:
        parts = {"confidence": TTest(floor=0.0), "allocator": Transport("paper")}
    return _as_in_the_paper({"committee": committee} | parts | settings)


def paper_sla(members: int = 20, schedule: str = "paper", **settings: Any) -> PseudoLabelClassifier:
    """SLA in the paper's comparison: the same plan over every row, without the lower bound.

    Parameters
    ----------
    members, schedule, **settings
        As in `paper_csa`.

    See Also
    --------
    paper_csa : With a t-test and a lower bound.

    Examples
    --------
    >>> from surelabel import paper_sla
    >>> paper_sla().confidence
    Everything()
    """
    parts = {
        "committee": RandomXGBoost(members, schedule=schedule),
        "confidence": Everything(),
        # w_ only scales the total of the paper's plan: at 1 it is not there.
        "allocator": Transport("paper", low=1.0),
    }
    return _as_in_the_paper(parts | settings)


def paper_ups(
    threshold: float = 0.8, members: int = 20, schedule: str = "paper", **settings: Any
) -> PseudoLabelClassifier:
    """UPS in the paper's comparison: a threshold, a bound on the spread, and negative labels.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    members, schedule, **settings
        As in `paper_csa`.

    See Also
    --------
    paper_csa : A t-test instead, and optimal transport.

    Examples
    --------
    The bound on the spread is that of the released code; the paper names none.

    >>> from surelabel import paper_ups
    >>> paper_ups().confidence
    Spread(kappa=0.2)
    """
    parts = {
        "committee": RandomXGBoost(members, schedule=schedule),
        "confidence": Spread(0.2),
        "allocator": Threshold(threshold),
        "negatives": Negatives(0.2, 0.05),
    }
    return _as_in_the_paper(parts | settings)


def paper_flexmatch(threshold: float = 0.8, **settings: Any) -> PseudoLabelClassifier:
    """FlexMatch in the paper's comparison: one XGBoost, a threshold for each class.

    Parameters
    ----------
    threshold : float, default=0.8
        The threshold of the class that is predicted most; others get a lower one.
    **settings
        As in `paper_csa`.

    See Also
    --------
    paper_pl : One threshold for all classes.

    Examples
    --------
    >>> from surelabel import paper_flexmatch
    >>> paper_flexmatch(0.9).allocator
    AdaptiveThreshold(gamma=0.9)
    """
    parts = {"committee": Panel([paper_classifier()]), "confidence": Everything()}
    return _as_in_the_paper(parts | {"allocator": AdaptiveThreshold(threshold)} | settings)


def paper_pl(threshold: float = 0.8, **settings: Any) -> PseudoLabelClassifier:
    """Pseudo-labelling in the paper's comparison: one XGBoost, one threshold.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    **settings
        As in `paper_csa`.

    See Also
    --------
    paper_flexmatch : A threshold for each class.

    Examples
    --------
    >>> from surelabel import paper_pl
    >>> paper_pl(0.9).allocator
    Threshold(gamma=0.9)
    """
    parts = {"committee": Panel([paper_classifier()]), "confidence": Everything()}
    return _as_in_the_paper(parts | {"allocator": Threshold(threshold)} | settings)


def paper_classifier(**settings: Any) -> Any:
    """The paper's classifier: XGBoost with its default settings, one thread."""
    return load_xgboost().XGBClassifier(**({"n_jobs": 1, "random_state": 0, "verbosity": 0} | settings))


def _as_in_the_paper(settings: dict[str, Any]) -> PseudoLabelClassifier:
    """Found labels weigh as much as given ones, XGBoost is the final classifier, and nothing guards."""
    common = {"estimator": paper_classifier(), "found_weight": "full", "guard": False}
    return PseudoLabelClassifier(**(common | settings))

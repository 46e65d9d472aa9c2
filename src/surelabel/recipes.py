"""The five methods of the paper, each a combination of parts.

A recipe chooses the parts; any argument of `PseudoLabelClassifier` may be given as well
and replaces what the recipe would have chosen:

>>> from surelabel import Entropy, csa
>>> csa(confidence=Entropy(), n_rounds=3)
PseudoLabelClassifier(allocator=Transport(...), committee=Unlike(...), confidence=Entropy(...), n_rounds=3)
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, cleandoc, getdoc, signature
from textwrap import indent
from typing import Any, TypeVar

from .allocation import AdaptiveThreshold, Threshold, Transport
from .classifier import PseudoLabelClassifier
from .committees.models.trees import trees
from .committees.panel import Repeated
from .committees.unlike import Unlike
from .confidence import Everything, Spread, TTest
from .negatives import Negatives

# Arguments of `PseudoLabelClassifier`.
_Settings = dict[str, Any]
_Recipe = TypeVar("_Recipe", bound=Callable[..., PseudoLabelClassifier])
_PLACEHOLDER = "    **settings\n        As in `PseudoLabelClassifier`.\n"


def _told_in_full(recipe: _Recipe) -> _Recipe:
    """Show the estimator's arguments as the recipe's own: they are written down in one place."""
    own = [p for p in signature(recipe).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    others = signature(PseudoLabelClassifier).parameters.values()
    arguments = [*own, *(p.replace(kind=Parameter.KEYWORD_ONLY) for p in others)]
    vars(recipe)["__signature__"] = Signature(arguments, return_annotation="PseudoLabelClassifier")
    told = cleandoc(getdoc(PseudoLabelClassifier) or "")
    told = told.split("Parameters\n----------\n")[1].split("\nAttributes\n")[0]
    recipe.__doc__ = (recipe.__doc__ or "").replace(_PLACEHOLDER, indent(told, "    ").rstrip(" "))
    return recipe


@_told_in_full
def pl(threshold: float = 0.8, **settings: Any) -> PseudoLabelClassifier:
    """Pseudo-labelling (Lee 2013): one model, one threshold.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    flexmatch : A threshold for each class.
    csa : A committee, a t-test, and optimal transport.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import pl
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = pl(threshold=0.9, n_rounds=2, guard=False, random_state=0)
    >>> print(clf.fit(X, hide_labels(y, 0.8, random_state=0)).history_[0])
    round 1: 120 unlabelled, 120 sure, 78 accepted
    """
    parts: _Settings = {
        "committee": _one_model(),
        "confidence": Everything(),
        "allocator": Threshold(threshold),
    }
    return PseudoLabelClassifier(**(parts | settings))


@_told_in_full
def flexmatch(threshold: float = 0.8, **settings: Any) -> PseudoLabelClassifier:
    """FlexMatch (Zhang et al. 2021) for tables: one model, a threshold for each class.

    Parameters
    ----------
    threshold : float, default=0.8
        The threshold of the class that is predicted most; others get a lower one.
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    pl : One threshold for all classes.

    Examples
    --------
    >>> from surelabel import flexmatch
    >>> flexmatch(0.9).allocator
    AdaptiveThreshold(gamma=0.9)
    """
    parts: _Settings = {
        "committee": _one_model(),
        "confidence": Everything(),
        "allocator": AdaptiveThreshold(threshold),
    }
    return PseudoLabelClassifier(**(parts | settings))


@_told_in_full
def ups(threshold: float = 0.8, **settings: Any) -> PseudoLabelClassifier:
    """UPS (Rizve et al. 2021) for tables: a threshold, low spread, and negative labels.

    Parameters
    ----------
    threshold : float, default=0.8
        A row is labelled when its best class is more probable than this.
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    csa : A t-test instead of a bound on the spread, and optimal transport instead of a threshold.

    Examples
    --------
    >>> from surelabel import ups
    >>> ups().negatives
    Negatives(gamma=0.2, kappa=0.05)
    """
    parts: _Settings = {
        "committee": Unlike(),
        "confidence": Spread(),
        "allocator": Threshold(threshold),
        "negatives": Negatives(),
    }
    return PseudoLabelClassifier(**(parts | settings))


@_told_in_full
def sla(**settings: Any) -> PseudoLabelClassifier:
    """SLA (Tai et al. 2021): optimal transport over every row, classes bounded from above.

    Parameters
    ----------
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    csa : The same over the rows that the committee is sure of.

    Examples
    --------
    >>> from surelabel import sla
    >>> sla().confidence
    Everything()
    """
    parts: _Settings = {
        "committee": Unlike(),
        "confidence": Everything(),
        "allocator": Transport(bounds="released"),
    }
    return PseudoLabelClassifier(**(parts | settings))


@_told_in_full
def csa(**settings: Any) -> PseudoLabelClassifier:
    """CSA (Nguyen et al. 2024): optimal transport over the rows that pass a t-test.

    Parameters
    ----------
    **settings
        As in `PseudoLabelClassifier`.

    See Also
    --------
    PseudoLabelClassifier : Any other combination of parts.
    sla, ups, flexmatch, pl : The methods it is compared with.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import csa
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> y_few = hide_labels(y, 0.8, random_state=0)  # -1 is unlabelled
    >>> clf = csa(guard=False, random_state=0).fit(X, y_few)
    >>> print(clf.history_[0])
    round 1: 120 unlabelled, 114 sure, 42 accepted
    """
    parts: _Settings = {"committee": Unlike(), "confidence": TTest(), "allocator": Transport()}
    return PseudoLabelClassifier(**(parts | settings))


def _one_model() -> Repeated:
    # As many trees as the 20 members of the default committee have together.
    return Repeated(trees(500), n_members=1)

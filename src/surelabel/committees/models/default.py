"""The models of the default committee, each with the preparation it needs."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from ..encoding import Encoded, Encoder
from ..member_fitting import Classifier
from .bayes import Bayes
from .boosting import boosting
from .graph import Spreading
from .kernel import Kernel
from .trees import trees


def unlike_models() -> dict[str, Classifier]:
    """Linear, kernel, trees, boosting, Bayes, network and graphs of neighbours, by name.

    Returns
    -------
    dict of classifiers
        New ones, to be fitted; models may be taken out or added before they become a committee.

    See Also
    --------
    Unlike : The committee of them.

    Examples
    --------
    >>> from surelabel import Unlike, unlike_models
    >>> models = unlike_models()
    >>> len(models)
    10
    >>> del models["network"]  # an expensive one
    >>> committee = Unlike(models)
    """
    signal = Encoder(components="signal")
    return {
        "linear": Encoded(LogisticRegression(max_iter=300)),
        "kernel": Encoded(Kernel()),
        "kernel on components": Encoded(Kernel(), signal),
        "trees": trees(100),
        "boosting": boosting(),
        "bayes": Encoded(Bayes()),
        # Scaled by the labelled rows alone. It is expensive, and this way it is not trained again to find
        # out whether the unlabelled rows helped.
        "network": make_pipeline(
            Encoder(), MLPClassifier((64,), alpha=1.0, max_iter=150, learning_rate_init=0.005)
        ),
        "graph": Encoded(Spreading()),
        "raw graph": Encoded(Spreading(), Encoder(scale="table")),
        "graph on components": Encoded(Spreading(), signal),
    }

"""The models of the default committee, each with the preparation it needs."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from ..encoding import Encoded, Encoder
from .bayes import Bayes
from .boosting import boosting
from .graph import Spreading
from .kernel import Kernel
from .trees import trees


def unlike_models() -> dict[str, Any]:
    """Linear, kernel, trees, boosting, Bayes, network and graphs of neighbours, by name.

    Examples
    --------
    >>> len(unlike_models())
    10
    """
    signal = Encoder(components="signal")
    return {
        "linear": Encoded(LogisticRegression(max_iter=300)),
        "kernel": Encoded(Kernel()),
        "kernel on components": Encoded(Kernel(), signal),
        "trees": trees(100),
        "boosting": boosting(),
        "bayes": Encoded(Bayes()),
        # Scaled by the labelled rows alone. It is expensive, and this way it need not be trained again
        # to find out what the unlabelled rows are worth.
        "network": make_pipeline(
            Encoder(), MLPClassifier((64,), alpha=1.0, max_iter=150, learning_rate_init=0.005)
        ),
        "graph": Encoded(Spreading()),
        "raw graph": Encoded(Spreading(), Encoder(scale="table")),
        "graph on components": Encoded(Spreading(), signal),
    }

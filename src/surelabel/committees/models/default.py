"""The models of the default committee, each with the preparation it needs."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression

from ..encoded import Encoded
from ..encoding import Encoder
from ..member_fitting import Classifier
from .boosting import boosting
from .gaussian import Gaussian
from .graph import Spreading
from .kernel import Kernel
from .trees import forest

_WINDOW = 5


def unlike_models() -> dict[str, Classifier]:
    """Linear models, Gaussians, kernels, graphs of neighbours, a forest and boosting, by name.

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
    12
    >>> del models["boosting"]  # an expensive one
    >>> committee = Unlike(models)
    """
    signal, quantiles = Encoder(components="signal"), Encoder(scale="quantile")
    pixels, smooth = Encoder(scale="table"), Encoder(scale="table", window=_WINDOW)
    return {
        "linear": Encoded(LogisticRegression(max_iter=300)),
        "linear on quantiles": Encoded(LogisticRegression(max_iter=300), quantiles),
        "Gaussian": Encoded(Gaussian()),
        "Gaussian of own shape": Encoded(Gaussian(own_shape=True), Encoder(components="main")),
        "kernel": Encoded(Kernel()),
        "kernel on components": Encoded(Kernel(), signal),
        "kernel on smooth columns": Encoded(Kernel(), smooth),
        "graph": Encoded(Spreading(), pixels),
        "graph on components": Encoded(Spreading(), signal),
        "graph on smooth columns": Encoded(Spreading(), smooth),
        "forest": forest(),
        "boosting": boosting(),
    }

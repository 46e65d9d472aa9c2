"""Models that read free text, for tables that have some."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from ..encoded import Encoded
from ..encoding import Encoder
from ..member_fitting import Classifier
from ..text_encoding import TextBesideNumbers, TextBesideTable, WholeRow, Words
from .boosting import boosting
from .graph import Spreading
from .kernel import Kernel
from .margins import Margins
from .trees import forest


def text_models() -> dict[str, Classifier]:
    """Models that read free text, and the columns beside it, by name.

    `Unlike` adds them by itself to its own models where a table has text.

    Returns
    -------
    dict of classifiers
        New ones, to be fitted.

    See Also
    --------
    unlike_models : Models that read all other columns.

    Examples
    --------
    >>> from surelabel import Unlike, text_models, unlike_models
    >>> committee = Unlike(unlike_models() | text_models())
    """
    linear, directions = LogisticRegression(max_iter=300), TextBesideTable(300, scale=6.0)
    return {
        "linear on quantiles": Encoded(linear, Encoder(scale="quantile")),
        "forest": forest(),
        "boosting": boosting(),
        "linear on text": Encoded(linear, directions),
        "kernel on text": Encoded(Kernel(), TextBesideTable(100, scale=3.0)),
        "graph on text": Encoded(Spreading(), TextBesideTable(300, scale=1.0, table=False)),
        "margins on text": Encoded(Margins(0.5), WholeRow()),
        "Bayes on words": Encoded(ComplementNB(alpha=0.3), Words()),
        "forest on text": Encoded(forest(), TextBesideNumbers(30)),
    }

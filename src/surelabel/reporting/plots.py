"""The charts of one fitted classifier, by name: `clf.plot.rounds()`."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np

from ..common.types import AnyLabels, Fitted, Table
from . import calibration, charts, classifier_charts, data, paper_charts, promise_section
from .column_section import column_section, contribution_frame
from .names import class_colors


class Plots:
    """Charts of a fitted classifier, each an `altair.Chart`: shown in notebooks, saved to PNG, SVG or HTML.

    Parameters
    ----------
    clf : fitted PseudoLabelClassifier
        Whose run is drawn.

    See Also
    --------
    surelabel.report : All of them on one page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import pl
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = pl(committee=GaussianNB(), guard=False).fit(X, hide_labels(y, 0.8, random_state=0))
    >>> clf.plot.rounds().to_dict()["mark"]["type"]
    'bar'
    """

    def __init__(self, clf: Fitted) -> None:
        data.check_shown(clf)
        self._clf = clf

    def rounds(self) -> alt.Chart:
        """Rows accepted, not selected and not sure, by round."""
        return charts.rounds(data.rounds(self._clf))

    def round_classes(self) -> alt.Chart:
        """Rows accepted by class in each round."""
        return charts.round_classes(data.round_classes(self._clf), class_colors(len(self._clf.classes_)))

    def accuracy(self, y_true: AnyLabels) -> alt.LayerChart:
        """Share of each round's labels that are right, with its 95% interval."""
        return charts.accuracy(data.accuracy(self._clf, y_true))

    def class_mix(self) -> alt.LayerChart:
        """Class shares among labels given and found, and in the prior."""
        return charts.class_mix(data.class_mix(self._clf))

    def confidence(self, most: int = data.MOST_ROWS) -> alt.LayerChart:
        """Each row, or `most` of them, by the lead of its best class and its confidence."""
        return charts.confidence(data.rows(self._clf, most=most), data.measure(self._clf))

    def calibration(self) -> alt.LayerChart:
        """What was stated of held-out rows, and how many of these guesses were right."""
        return classifier_charts.calibration(calibration.by_stated(self._clf))

    def promise(self, right: float = 0.95, confidence: float | None = None) -> alt.LayerChart:
        """How many labels can be filled in for every share right, and how many are for this one."""
        filling = self._clf.fill(right, confidence)
        frame = promise_section.curve(self._clf, confidence)
        return classifier_charts.promise(frame, promise_section.point(filling))

    def plan(self, thresholds: Sequence[float] = (0.8,)) -> alt.Chart:
        """Some rows of each round's plan, beside what thresholds would have taken."""
        return charts.plan(data.plans(self._clf, thresholds), data.class_names(self._clf))

    def confusions(self) -> alt.Chart | alt.LayerChart:
        """The two best classes of doubtful rows."""
        return charts.confusions(data.confusions(self._clf), data.class_names(self._clf))

    def members(self) -> alt.LayerChart:
        """Models of the committee by the share of held-out rows that they predict correctly."""
        return charts.members(data.members(self._clf))

    def columns(self, X: Table) -> alt.Chart:
        """What each column of X, the table of the fit, contributes to the guesses."""
        section = column_section(self._clf, X)
        if section is None and len(self._clf.pseudo_labels_) > 1:
            raise ValueError("X is not the table of the fit. Give the rows and columns that fit was given.")
        return classifier_charts.columns(contribution_frame(section))

    def one_round(self, number: int = 1, rows: int = 20) -> alt.Chart:
        """The paper's figure 1: from the mean of P over the t-test and the plan to the labels of a round.

        For runs that keep their plans: `for round in clf.fit_rounds(X, y, keep_plans=True): pass`.
        """
        found = [r for r in self._clf.history_ if r.number == number]
        if not found or found[0].kept is None:
            raise ValueError(
                f"Round {number} was not run, or not kept. Fit by: "
                "for round in clf.fit_rounds(X, y, keep_plans=True): pass"
            )
        names = data.class_names(self._clf)
        return paper_charts.one_round(paper_charts.round_frame(found[0].kept, names, rows))

    def trust(self, X: Table, columns: Sequence[int] = (0, 1)) -> alt.Chart:
        """The paper's figure 2: unlabelled rows of X, the table of the fit, by two numeric columns."""
        values = np.asarray(X)
        came_unlabelled = np.flatnonzero(self._clf.labeled_iter_ != 0)
        if len(values) != len(self._clf.labeled_iter_):
            raise ValueError(
                f"X has {len(values)} rows, the table of the fit {len(self._clf.labeled_iter_)}. "
                "Give the rows that fit was given, those of X_unlabeled below."
            )
        places = values[came_unlabelled][:, list(columns)].astype(float)
        names = [str(name) for name in getattr(X, "columns", [f"column {c}" for c in range(values.shape[1])])]
        lines = self._clf.pseudo_labels_
        rows = paper_charts.trust_frame(places, lines["guess"], lines["confidence"])
        return paper_charts.trust(rows, [names[c] for c in columns])

    def time(self) -> alt.Chart:
        """Seconds that each part took."""
        return charts.times(data.times(self._clf))

    def __repr__(self) -> str:
        names = ", ".join(name for name in vars(type(self)) if not name.startswith("_"))
        return f"Plots({names})"

"""The charts of one fitted classifier, by name: `clf.plot.rounds()`."""

from __future__ import annotations

from . import charts, data
from .names import class_colors


class Plots:
    """Charts of a fitted classifier, each an `altair.Chart`: shown in notebooks, saved to PNG, SVG or HTML.

    Parameters
    ----------
    clf : fitted PseudoLabelClassifier
        Whose run is drawn.

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

    def __init__(self, clf):
        data.check_shown(clf)
        self._clf = clf

    def rounds(self):
        """Rows labelled, not selected and not sure, by round."""
        return charts.rounds(data.rounds(self._clf))

    def round_classes(self):
        """Rows labelled by class in each round."""
        return charts.round_classes(data.round_classes(self._clf), class_colors(len(self._clf.classes_)))

    def accuracy(self, y_true):
        """Share of each round's labels that are right, with its 95% interval."""
        return charts.accuracy(data.accuracy(self._clf, y_true))

    def class_mix(self):
        """Class shares among labels given and found, and in the prior."""
        return charts.class_mix(data.class_mix(self._clf))

    def confidence(self, most=data.MOST_ROWS):
        """Each row, or `most` of them, by the lead of its best class and its confidence."""
        return charts.confidence(data.rows(self._clf, most=most), data.measure(self._clf))

    def plan(self, thresholds=(0.8,)):
        """Some rows of each round's plan, beside what thresholds would have taken."""
        return charts.plan(data.plans(self._clf, thresholds), data.class_names(self._clf))

    def confusions(self):
        """The two best classes of doubtful rows."""
        return charts.confusions(data.confusions(self._clf), data.class_names(self._clf))

    def members(self):
        """Models of the committee by what they predict rightly of rows held out."""
        return charts.members(data.members(self._clf))

    def time(self):
        """Seconds that each part took."""
        return charts.times(data.times(self._clf))

    def __repr__(self):
        names = ", ".join(name for name in vars(type(self)) if not name.startswith("_"))
        return f"Plots({names})"

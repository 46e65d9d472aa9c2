"""What the final classifier of a run says of rows: the same numbers in labels.* and in predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..allocation import Threshold
from ..classifier import PseudoLabelClassifier
from ..committees.base import Committee
from ..committees.member_fitting import aligned
from ..common.types import Bools, Floats, Ints, Table, Values
from ..confidence import Confidence, Everything, Moments, TTest, as_confidence, two_best
from ..reading.features import take
from ..rounds.asking import answers
from ..rounds.records import Parts

# Rows that the members are asked about at a time, and most numbers of P (M, N, K) in memory.
_BLOCK_ROWS = 16_384
_MOST_NUMBERS = 50_000_000


@dataclass(frozen=True)
class Opinion:
    """What a final classifier says of rows, of their only label or of one of several.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    p : ndarray of shape (n, K)
        Their probabilities.
    confidence : ndarray of shape (n,) or None
        By the test of the method; above 0 is sure. None where the method has no test, or the classifier
        no members to compare.
    """

    classes: Values
    p: Floats
    confidence: Floats | None = None

    @property
    def best(self) -> Ints:
        """Position of the most probable class, shape (n,)."""
        return self.p.argmax(axis=1)

    @property
    def sure(self) -> Bools | None:
        """Which rows pass the test of the method, shape (n,); None where there is none."""
        return None if self.confidence is None else self.confidence > 0

    def rows(self, which: Bools) -> Opinion:
        """What is said of some of the rows."""
        confidence = None if self.confidence is None else self.confidence[which]
        return Opinion(self.classes, self.p[which], confidence)

    def of(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Lines of an audit with guess, probability, gap and runner-up as the final classifier has them.

        Parameters
        ----------
        lines : DataFrame of n lines
            What the rounds found of each of these rows.
        """
        best, second = two_best(self.p)
        names, rows = np.array(list(self.classes), dtype=object), np.arange(len(lines))
        return lines.assign(
            guess=names[best],
            probability=self.p[rows, best],
            gap=self.p[rows, best] - self.p[rows, second],
            runner_up=names[second],
        )


def as_final(lines: pd.DataFrame) -> pd.DataFrame:
    """What `Opinion.of` gives, where the classifier that was asked in the rounds is the final one."""
    return lines.assign(guess=lines["label"].where(lines["label"].notna(), lines["guess"]))


def opinions(clf: PseudoLabelClassifier, X: pd.DataFrame) -> list[Opinion]:
    """What the final classifier says of rows: of each label, where rows have several.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    X : DataFrame of shape (n, d)
        Rows with the columns of the fit.
    """
    each = clf.estimators_ if clf.several_labels else [clf]
    if not len(X):
        return [Opinion(one.classes_, np.empty((0, len(one.classes_)))) for one in each]
    table = clf.columns_.transform(clf.columns_.arrange(X))
    return [_opinion(one, table) for one in each]


def _opinion(clf: PseudoLabelClassifier, table: Table) -> Opinion:
    final, n_classes = clf.estimator_, len(clf.classes_)
    if not isinstance(final, Committee):
        return Opinion(clf.classes_, aligned(final.predict_proba(table), clf._present, n_classes))
    n_members = _n_members(final, table)
    confidence = as_confidence(TTest() if clf.confidence is None else clf.confidence)
    if n_members < 2 or isinstance(confidence, Everything):
        return Opinion(clf.classes_, _asked(final, table, n_classes, n_members, Everything())[0])
    part = confidence.for_committee(final)
    p, measured = _asked(final, table, n_classes, n_members, part)
    return Opinion(clf.classes_, p, part.trust(measured))


def _n_members(final: Committee, table: Table) -> int:
    said = final.opinion(take(table, np.arange(1)))
    return said.n_members if isinstance(said, Moments) else len(said)


def _asked(
    final: Committee, table: Table, n_classes: int, n_members: int, confidence: Confidence
) -> tuple[Floats, Floats]:
    """Mean probabilities (n, K), and what the confidence measures (n,), some rows at a time."""
    n = table.shape[0]
    size = max(1, min(_BLOCK_ROWS, _MOST_NUMBERS // (n_members * n_classes)))
    parts = Parts(final, confidence, Threshold())  # no label is given here
    blocks = [np.arange(start, min(start + size, n)) for start in range(0, n, size)]
    said = [answers(final, table, n_classes, rows, parts) for rows in blocks]
    return np.concatenate([each.p for each in said]), np.concatenate([each.measured for each in said])

"""The final classifier: the committee, or a classifier that the user names, trained on all labels."""

from __future__ import annotations

from dataclasses import dataclass

from ..committees.member_fitting import Classifier, aligned, fit_present, seeded
from ..common.types import Floats, Ints, Table
from ..reading.features import take
from .training import FINAL, Lesson, Trainer


@dataclass(frozen=True)
class Final:
    """A classifier trained on positions of classes.

    Parameters
    ----------
    model : classifier
        Fitted.
    present : ndarray
        Positions of the classes that it knows.
    """

    model: Classifier
    present: Ints

    def predict_proba(self, X: Table, n_classes: int) -> Floats:
        """Probability of each of all classes, shape (n, K)."""
        return aligned(self.model.predict_proba(X), self.present, n_classes)


def final(estimator: Classifier | None, trainer: Trainer, lesson: Lesson, before: int | None = None) -> Final:
    """The final classifier, trained on the labels so far, or on those before a round.

    Parameters
    ----------
    estimator : classifier or None
        What a user named; None for the committee itself.
    trainer : Trainer
        Of the committee.
    lesson : callable
        What to train on (`training.Lesson`).
    """
    if estimator is None:
        committee = trainer(lesson, before).for_prediction()
        return Final(committee, committee.classes_)
    X, labels = lesson(before)
    rows, codes, weight = labels.training()
    return Final(*fit_present(seeded(estimator, trainer.seeds.rng(FINAL)), take(X, rows), codes, weight))

"""One cell of the paper's grid on one split: the accuracy after every round, and what it took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..boosting import load_xgboost
from ..budget import class_frequencies, smoothed
from ..confidence import Confidence
from ..features import stacked, take
from ..fitting import aligned, fit_present
from ..labels import Labels
from ..loop import Parts, rounds
from .datasets import Split


@dataclass
class Outcome:
    """What a method reached on a split, and its seconds, which no two runs share.

    Parameters
    ----------
    accuracy : float
        On the test rows, in percent.
    details : dict
        Anything else that is the same in every run: accuracies and counts by round.
    seconds : dict
        Seconds by component: a number, or a list by round.
    """

    accuracy: float
    details: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, Any] = field(default_factory=dict)


def percent_right(predicted, truth):
    """Accuracy in percent, to four digits after the point."""
    return round(100 * float((np.asarray(predicted) == truth).mean()), 4)


def classifier():
    """The paper's classifier: XGBoost as it comes, one thread."""
    return load_xgboost().XGBClassifier(n_jobs=1, random_state=0, verbosity=0)


def frequencies(split: Split, prior):
    """Class frequencies of the labelled rows, shape (K,); "smoothed" as in the released code."""
    found = class_frequencies(split.y_l, np.ones(len(split.y_l)), split.n_classes)
    return smoothed(found) if prior == "smoothed" else found


def play(split: Split, parts: Parts, *, n_rounds, prior="labeled") -> Outcome:
    """Run the rounds as in the paper: found labels weigh in full, and XGBoost has the last word."""
    split = split.coded()
    X = stacked(split.X_l, split.X_u)
    truth = np.append(split.y_l, split.y_u)
    start = np.where(np.arange(len(truth)) < len(split.y_l), truth, -1)
    labels = Labels.start(start, split.n_classes, found="full")
    timed = Timed(parts.confidence)
    parts = Parts(parts.committee, timed, parts.allocator, parts.negatives)
    details: dict[str, list] = {
        name: [] for name in ("rounds", "pool", "sure", "selected", "right", "negatives")
    }
    seconds: dict[str, list] = {
        name: [] for name in ("train", "predict", "confidence", "allocate", "classifier")
    }
    _judge(X, labels, split, details, seconds)
    for round in rounds(
        X, labels, parts, prior=frequencies(split, prior), n_rounds=n_rounds, random_state=split.seed
    ):
        details["pool"].append(round.pool)
        details["sure"].append(round.candidates)
        details["selected"].append(len(round.rows))
        details["right"].append(int((truth[round.rows] == round.codes).sum()))
        details["negatives"].append(round.negatives)
        tested = timed.taken()
        seconds["train"].append(round.seconds["train"])
        seconds["predict"].append(round.seconds["predict"] - tested)
        seconds["confidence"].append(tested)
        seconds["allocate"].append(round.seconds["allocate"])
        _judge(X, labels, split, details, seconds)
    return Outcome(details["rounds"][-1], details, seconds)


def _judge(X, labels, split, details, seconds):
    """The accuracy of XGBoost trained on the labels so far."""
    begin = time.perf_counter()
    rows, codes, weight = labels.training()
    model, present = fit_present(classifier(), take(X, rows), codes, weight)
    p = aligned(model.predict_proba(split.X_t), present, split.n_classes)
    details["rounds"].append(percent_right(p.argmax(axis=1), split.y_t))
    seconds["classifier"].append(time.perf_counter() - begin)


class Timed(Confidence):
    """A confidence that knows how long it took."""

    def __init__(self, part):
        self.part = part
        self._seconds = 0.0

    def measure(self, P):
        """What the part measures, shape (N,)."""
        return self._clocked(self.part.measure, P)

    def trust(self, measured):
        """What the part makes of it, shape (N,)."""
        return self._clocked(self.part.trust, measured)

    def taken(self):
        """Seconds since this was last asked."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _clocked(self, call, argument):
        begin = time.perf_counter()
        result = call(argument)
        self._seconds += time.perf_counter() - begin
        return result

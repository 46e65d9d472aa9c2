"""One cell of the paper's grid on one split: the accuracy after every round, and what it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, precision_score

from ..budget import class_frequencies, smoothed
from ..committees.member_fitting import fit_present
from ..common.types import Floats, Ints, Table, Values
from ..confidence import Confidence, Moments
from ..paper_recipes import paper_classifier
from ..reading.features import stacked, take
from ..rounds.engine import Strand
from ..rounds.labels import Labels
from ..rounds.loop import in_step
from ..rounds.method import ready
from ..rounds.one_machine import OneMachine
from ..rounds.records import Parts
from ..rounds.training import Seeds, Trainer
from .datasets import Split


@dataclass
class Outcome:
    """What a method reached on a split, and its seconds, which no two runs share.

    Parameters
    ----------
    accuracy : float
        On the test rows, in percent; where rows have several labels, the precision, averaged over
        rows.
    details : dict
        Anything else that is the same in every run: accuracies and counts by round.
    seconds : dict
        Seconds by component: a number, or a list by round.
    """

    accuracy: float
    details: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, Any] = field(default_factory=dict)


def percent_right(predicted: Values, truth: Values) -> float:
    """Accuracy in percent, to four digits after the point."""
    return round(100 * float((np.asarray(predicted) == truth).mean()), 4)


def classifier(split: Split) -> Any:
    """The paper's classifier: XGBoost with its default settings, one thread."""
    return paper_classifier(tree_method=split.trees)


def scores_of(predicted: Values, truth: Values) -> dict[str, float]:
    """How good predictions are, in percent: "accuracy", and F1 where rows have several labels.

    Of several labels "accuracy" is the paper's measure: the share of a row's predicted labels that
    are right, averaged over rows; 0 for a row without any. "cells" is the share of all cells.
    """
    if truth.ndim == 1:
        return {"accuracy": percent_right(predicted, truth)}
    found = {
        "accuracy": precision_score(truth, predicted, average="samples", zero_division=0),
        "micro_f1": f1_score(truth, predicted, average="micro", zero_division=0),
        "macro_f1": f1_score(truth, predicted, average="macro", zero_division=0),
    }
    in_percent = {name: round(100 * float(value), 4) for name, value in found.items()}
    return in_percent | {"cells": percent_right(predicted, truth)}


def _frequencies(codes: Ints, n_classes: int, prior: str) -> Floats:
    """Class frequencies of the labelled rows, shape (K,); "smoothed" as in the released code."""
    found = class_frequencies(codes, np.ones(len(codes)), n_classes)
    return smoothed(found) if prior == "smoothed" else found


def play(split: Split, parts: Parts, *, n_rounds: int, prior: str = "labeled") -> Outcome:
    """Run the rounds as in the paper: found labels weigh in full, and XGBoost is the final classifier.

    Where rows have several labels, each is a question of its own, and all are asked in step; there is then
    one XGBoost for each.
    """
    split = split.coded()
    X = stacked(split.X_l, split.X_u)
    # A column for each question.
    given, hidden = (y.reshape(len(y), -1) for y in (split.y_l, split.y_u))
    truth = np.concatenate([given, hidden])
    n_classes = 2 if split.dataset.several else split.n_classes
    parts = ready(parts)
    start = np.where(np.arange(len(truth))[:, None] < len(given), truth, -1)
    strands = [
        Strand(
            Labels.start(codes, n_classes, found="full"),
            _frequencies(known, n_classes, prior),
            Trainer(parts.committee, Seeds.of(split.seed)),
        )
        for codes, known in zip(start.T, given.T, strict=True)
    ]
    timed = _Timed(parts.confidence)
    parts = Parts(parts.committee, timed, parts.allocator, parts.negatives)
    details: dict[str, Any] = {
        name: [] for name in ("rounds", "pool", "sure", "selected", "right", "negatives")
    }
    seconds: dict[str, list[float]] = {
        name: [] for name in ("train", "predict", "confidence", "allocate", "classifier")
    }
    reached = _judge(X, strands, split, details, seconds)
    for turn in in_step(OneMachine(X), strands, parts, n_rounds):
        at_work = [(number, round) for number, round in enumerate(turn) if round is not None]
        found = [int((truth[r.rows, number] == r.codes).sum()) for number, r in at_work]
        details["pool"].append(sum(round.pool for _, round in at_work))
        details["sure"].append(sum(round.candidates for _, round in at_work))
        details["selected"].append(sum(len(round.rows) for _, round in at_work))
        details["right"].append(sum(found))
        details["negatives"].append(sum(round.negatives for _, round in at_work))
        tested = timed.taken()
        for part in ("train", "predict", "allocate"):
            seconds[part].append(sum(round.seconds[part] for _, round in at_work))
        seconds["predict"][-1] -= tested
        seconds["confidence"].append(tested)
        reached = _judge(X, strands, split, details, seconds)
    return Outcome(reached.pop("accuracy"), details | reached, seconds)


def _judge(
    X: Table,
    strands: Sequence[Strand],
    split: Split,
    details: dict[str, Any],
    seconds: dict[str, list[float]],
) -> dict[str, float]:
    """How good XGBoost is, trained on the labels so far."""
    begin = time.perf_counter()
    predicted = np.column_stack([_predicted(X, strand.labels, split) for strand in strands])
    reached = scores_of(predicted.reshape(split.y_t.shape), split.y_t)
    details["rounds"].append(reached["accuracy"])
    seconds["classifier"].append(time.perf_counter() - begin)
    return reached


def _predicted(X: Table, labels: Labels, split: Split) -> Ints:
    rows, codes, weight = labels.training()
    if (codes == codes[0]).all():
        return np.full(len(split.X_t), codes[0])
    model, present = fit_present(classifier(split), take(X, rows), codes, weight)
    return present[model.predict_proba(split.X_t).argmax(axis=1)]


class _Timed(Confidence):
    """A confidence that knows how long it took."""

    def __init__(self, part: Confidence) -> None:
        self.part = part
        self._seconds = 0.0

    @property
    def whole_rows(self) -> bool:  # type: ignore[override]
        """Whether the part looks at whole rows."""
        return self.part.whole_rows

    def measure(self, P: Floats | Moments) -> Floats:
        """What the part measures, shape (N,)."""
        return self._clocked(self.part.measure, P)

    def trust(self, measured: Floats) -> Floats:
        """What the part makes of it, shape (N,)."""
        return self._clocked(self.part.trust, measured)

    def taken(self) -> float:
        """Seconds since this was last asked."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _clocked(self, call: Callable[[Any], Floats], argument: Any) -> Floats:
        begin = time.perf_counter()
        result = call(argument)
        self._seconds += time.perf_counter() - begin
        return result

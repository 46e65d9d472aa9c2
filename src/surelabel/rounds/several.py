"""Several labels a row: a run for each label, all in step, and what they found taken together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from ..common.notice import speaking_of
from ..common.types import Bools, Floats, Ints, Table, Values
from ..heldout import Verdict
from ..reading.indicators import Indicators
from ..reading.priors import (
    Prior,
    check_classes,
    check_prior,
    learnable,
    named_shares,
    speak_of_look_alikes,
)
from ..reading.targets import Targets
from ..reading.unlabeled import is_auto
from .checkpoint import Checkpoint
from .loop import in_step
from .method import method_of, with_readable_models
from .one_machine import OneMachine
from .records import Parts, Round
from .run import Run, begin
from .training import Seeds

# Of all labels' reasons to end, the first of these that any has.
_REASONS = ("stopped", "max_iter", "no_change", "all_labeled", "hurt")


@dataclass(frozen=True)
class LabelRounds:
    """What happened in one round, label by label; it counts cells, one for each row and label.

    Parameters
    ----------
    number : int
        Counted from 1.
    by_label : dict of Round
        The round of each label that was still at work, by its name.

    Examples
    --------
    >>> LabelRounds(1, {}).pool
    0
    """

    number: int
    by_label: dict[Hashable, Round] = field(repr=False)

    @property
    def pool(self) -> int:
        """Cells unknown when the round began."""
        return sum(round.pool for round in self.by_label.values())

    @property
    def candidates(self) -> int:
        """Cells the committees were sure of."""
        return sum(round.candidates for round in self.by_label.values())

    @property
    def rows(self) -> Ints:
        """Row of each cell that was filled in, label by label, shape (n,)."""
        return np.concatenate([np.empty(0, dtype=int), *(round.rows for round in self.by_label.values())])

    @property
    def labelled(self) -> int:
        """Cells filled in."""
        return sum(round.labelled for round in self.by_label.values())

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time of "train", "predict" and "allocate"."""
        each = [round.seconds for round in self.by_label.values()]
        return {step: sum(seconds[step] for seconds in each) for step in (each[0] if each else {})}

    def __str__(self) -> str:
        n_yes = sum(int(round.selected[1]) for round in self.by_label.values())
        return (
            f"round {self.number}: {self.pool} cells unknown, {self.candidates} sure, "
            f"{self.labelled} accepted, {n_yes} of them yes"
        )


@dataclass(eq=False)
class Runs:
    """A fit under way of several labels a row: a run for each label, in step.

    Parameters
    ----------
    names : list
        The labels.
    clfs : list of PseudoLabelClassifier
        A classifier for each, to be fitted.
    runs : list of Run
        The run of each.
    method : Parts
        Committee, confidence and allocator of all of them.
    """

    names: list[Hashable]
    clfs: list[Any]
    runs: list[Run]
    method: Parts

    @property
    def history(self) -> list[LabelRounds]:
        """The rounds of every label, side by side."""
        length = max(len(run.strand.history) for run in self.runs)
        return [
            LabelRounds(
                k + 1,
                {
                    name: run.strand.history[k]
                    for name, run in zip(self.names, self.runs, strict=True)
                    if len(run.strand.history) > k
                },
            )
            for k in range(length)
        ]

    @property
    def class_prior(self) -> Floats:
        """The share of rows that has each label, shape (L,)."""
        return np.array([run.class_prior[1] for run in self.runs])

    def rounds(self) -> Iterator[LabelRounds]:
        """Label the unknown cells round by round."""
        active = [run for run in self.runs if run.n_worth_running]
        if not active:
            return
        n_rounds = max(run.n_worth_running for run in active)
        for _ in in_step(active[0].engine, [run.strand for run in active], self.method, n_rounds):
            yield self.history[-1]

    def checkpoint(self) -> Checkpoint:
        """What is known now, between two rounds."""
        return Checkpoint({}, (), labels=tuple(run.checkpoint() for run in self.runs))

    def fitted(self, guard: bool = True) -> dict[str, Any]:
        """Finish, and hand each label's classifier what was found; all together, as fitted attributes."""
        for name, clf, run in zip(self.names, self.clfs, self.runs, strict=True):
            with speaking_of(f"Label {name!r}"):
                clf.__dict__.update(run.fitted(guard))
        labeled_iter = np.column_stack([clf.labeled_iter_ for clf in self.clfs])
        audits = [clf.pseudo_labels_ for clf in self.clfs]
        return self.outcome() | {
            "transduction_": np.column_stack([clf.transduction_ for clf in self.clfs]),
            "labeled_iter_": labeled_iter,
            "pseudo_labels_": _audit_of_each(self.names, labeled_iter, audits),
        }

    def outcome(self) -> dict[str, Any]:
        """What all runs came to, once each is finished, by the names of fitted attributes."""
        # A label that nothing could be learnt of had no rounds to end.
        ended = [clf for clf in self.clfs if clf.n_rounds] or self.clfs
        reasons = {clf.termination_condition_ for clf in ended}
        return {
            "estimators_": self.clfs,
            "history_": self.history,
            "n_iter_": max(clf.n_iter_ for clf in self.clfs),
            "verdict_": pooled([clf.verdict_ for clf in self.clfs]),
            "termination_condition_": next(reason for reason in _REASONS if reason in reasons),
            "_learnt": any(clf._learnt for clf in self.clfs),
        }


def drawn_at_random(run: Run | Runs, drawn: Bools | None) -> None:
    """Tell a run which rows were drawn at random, if they are labelled, shape (n,); None for all."""
    for one in run.runs if isinstance(run, Runs) else [run]:
        one.drawn = drawn


def begun(
    clf: Any,
    table: Table,
    targets: Targets | Indicators,
    weight: Floats | None,
    index: pd.Index[Any],
    after: Checkpoint | None,
    *,
    keep_plans: bool = False,
) -> Run | Runs:
    """The run of one label or of several, by what was given; the arguments are those of `begin`.

    Those of `keep_plans` keep P and the plan of all rows in each round.
    """
    run = _begun(clf, table, targets, weight, index, after)
    if keep_plans:
        for each in [run] if isinstance(run, Run) else run.runs:
            each.engine = OneMachine(table, keep_plans=True)
    return run


def _begun(
    clf: Any,
    table: Table,
    targets: Targets | Indicators,
    weight: Floats | None,
    index: pd.Index[Any],
    after: Checkpoint | None,
) -> Run | Runs:
    if isinstance(targets, Indicators):
        speak_of_look_alikes(targets.classes.tolist())
        like = with_readable_models(as_read(clf), table, targets.codes)
        return begin_each(like, table, targets, weight, index, after)
    counts = targets.counts(weight)
    check_classes(targets.classes, counts, is_auto(clf.missing_label))
    check_prior(clf.class_prior, targets.classes, counts)
    return begin(with_readable_models(clf, table, targets.codes), table, targets, weight, index, after)


def as_read(clf: Any) -> Any:
    """A clone for several labels a row, that knows how the table was read and nothing else."""
    like, read = clone(clf), ("columns_", "n_features_in_", "feature_names_in_")
    vars(like).update({name: vars(clf)[name] for name in read if name in vars(clf)})
    if clf.class_prior is None:
        like.class_prior = "labeled"
    return like


def begin_each(
    clf: Any,
    table: Table,
    cells: Indicators,
    weight: Floats | None = None,
    index: pd.Index[Any] | None = None,
    after: Checkpoint | None = None,
) -> Runs:
    """Make ready for the rounds of several labels a row.

    Each label gets its own of `classifiers_of`. The other arguments are those of `begin`.
    """
    names, runs = cells.classes.tolist(), []
    columns = [cells.column(k) for k in range(len(names))]
    clfs = classifiers_of(clf, cells.classes, [column.counts(weight) for column in columns])
    for k, (one, column) in enumerate(zip(clfs, columns, strict=True)):
        with speaking_of(f"Label {names[k]!r}"):
            knew = None if after is None else after.of_label(k, len(names))
            runs.append(begin(one, table, column, weight, index, knew))
            runs[-1].one_label = False
    return Runs(names, clfs, runs, method_of(clf))


def classifiers_of(clf: Any, names: Values, counts: Sequence[Ints]) -> list[Any]:
    """A copy of `clf` for each label, which knows how the table was read.

    All have one seed, so that each finds what it would find alone. That of a label which cannot be learnt has
    no rounds.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        As `as_read` gives it.
    names : ndarray of shape (L,)
        The labels.
    counts : sequence of L arrays of shape (2,)
        Rows known to lack each label, and to have it.
    """
    alike = {"classes": None, "labels_per_row": None, "random_state": Seeds.of(clf.random_state).seed}
    clfs, priors = [], _prior_of_each(clf.class_prior, names)
    for name, prior, known in zip(names.tolist(), priors, counts, strict=True):
        one = copy(clf).set_params(**alike, class_prior=prior)
        with speaking_of(f"Label {name!r}"):
            if not learnable(known, name):
                one.set_params(committee=DummyClassifier(), estimator=None, class_prior="labeled", n_rounds=0)
        clfs.append(one)
    return clfs


def _prior_of_each(class_prior: Prior, names: Values) -> list[Prior]:
    """The class_prior of each label's classifier, a list of L: shares of no and yes, or a word."""
    if isinstance(class_prior, str):
        return [class_prior] * len(names)
    shares = named_shares(class_prior, names)
    known = class_prior if isinstance(class_prior, (dict, pd.Series)) else names
    # Of the labels that a user does not name, the given cells tell.
    return [
        [1 - share, share] if name in known else "labeled"
        for name, share in zip(names.tolist(), shares, strict=True)
    ]


def _audit_of_each(names: list[Hashable], labeled_iter: Ints, audits: list[pd.DataFrame]) -> pd.DataFrame:
    """A line for each row and label, row by row, on the caller's index.

    Parameters
    ----------
    names : sequence of L
        The labels.
    labeled_iter : ndarray of shape (n, L)
        Round in which a cell was filled in; 0 is given, and has no line.
    audits : list of L DataFrames
        The lines of each label (`audit`).
    """
    labels, rows = np.nonzero(labeled_iter.T != 0)
    table = pd.concat([frame.rename(columns={"label": "value"}) for frame in audits])
    table.insert(0, "label", np.array([*names, None], dtype=object)[labels])
    # The runner-up of yes is no.
    return table.drop(columns="runner_up").iloc[np.argsort(rows, kind="stable")]


def pooled(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """One verdict from those of the labels that have one: means over labels, counted in cells.

    Error and interval are the means of theirs, the most that they can be: labels of the same rows may err
    together.
    """
    known = [verdict for verdict in verdicts if verdict is not None]
    if not known:
        return None
    means = {
        name: float(np.mean([getattr(verdict, name) for verdict in known]))
        for name in ("supervised", "semi_supervised", "gain", "error")
    }
    low, high = np.mean([verdict.interval for verdict in known], axis=0).tolist()
    n_cells, seconds = sum(v.n_rows for v in known), sum(v.seconds for v in known)
    return replace(known[0], **means, n_rows=n_cells, seconds=seconds, unit="cells", low=low, high=high)

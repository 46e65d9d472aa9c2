"""Several labels a row: what the classifiers of the single labels found, taken together."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from ..common.notice import speaking_of
from ..reading.indicators import Indicators
from ..reading.priors import learnable, named_shares
from .loop import Round
from .training import Trainer
from .verdict import Verdict

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
    def rows(self) -> np.ndarray:
        """Row of each cell that was filled in, label by label, shape (n,)."""
        return np.concatenate([np.empty(0, dtype=int), *(round.rows for round in self.by_label.values())])

    @property
    def labelled(self) -> int:
        """Cells filled in."""
        return sum(round.labelled for round in self.by_label.values())

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time of "train", "predict" and "allocate"."""
        parts = [round.seconds for round in self.by_label.values()]
        return {name: sum(part[name] for part in parts) for name in (parts[0] if parts else {})}

    def __str__(self):
        n_yes = sum(int(round.selected[1]) for round in self.by_label.values())
        return (
            f"round {self.number}: {self.pool} cells unknown, {self.candidates} sure, "
            f"{self.labelled} filled in, {n_yes} of them yes"
        )


def begun(clf, table, cells: Indicators, weight, index, after):
    """A classifier for each label, made ready like `clf`, and the strands of those that have rounds.

    All have one seed, so that each finds what it would find alone.
    """
    like = clone(clf).set_params(
        classes=None, labels_per_row=None, random_state=Trainer(None, clf.random_state).seed
    )
    for name in ("columns_", "n_features_in_", "feature_names_in_"):
        if hasattr(clf, name):
            setattr(like, name, getattr(clf, name))
    names = cells.classes.tolist()
    clfs, strands = [], []
    for k, prior in enumerate(_prior_of_each(clf.class_prior, cells.classes)):
        one, column = copy(like).set_params(class_prior=prior), cells.column(k)
        with speaking_of(f"Label {names[k]!r}"):
            if not learnable(column.counts(weight), names[k]):
                one.set_params(committee=DummyClassifier(), estimator=None, class_prior="labeled", n_rounds=0)
            knew = None if after is None else after.of_label(k, len(names))
            strand, n_rounds = one._begin(table, column, weight, index, knew)
        clfs.append(one)
        strands += [strand] if n_rounds else []
    return clfs, strands


def _prior_of_each(class_prior, names):
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


def history_of(names, clfs) -> list[LabelRounds]:
    """The rounds of every label's classifier, side by side."""
    length = max(len(clf.history_) for clf in clfs)
    return [
        LabelRounds(
            k + 1, {n: c.history_[k] for n, c in zip(names, clfs, strict=True) if len(c.history_) > k}
        )
        for k in range(length)
    ]


def gathered(names, clfs) -> dict[str, Any]:
    """What the labels' classifiers say of their rows, by the names of fitted attributes."""
    labeled_iter = np.column_stack([clf.labeled_iter_ for clf in clfs])
    # A label that nothing could be learnt of had no rounds to end.
    ended = [clf for clf in clfs if clf.n_rounds] or clfs
    reasons = {clf.termination_condition_ for clf in ended}
    return {
        "n_iter_": max(clf.n_iter_ for clf in clfs),
        "transduction_": np.column_stack([clf.transduction_ for clf in clfs]),
        "labeled_iter_": labeled_iter,
        "pseudo_labels_": audit_of_each(names, labeled_iter, [clf.pseudo_labels_ for clf in clfs]),
        "verdict_": pooled([clf.verdict_ for clf in clfs]),
        "termination_condition_": next(reason for reason in _REASONS if reason in reasons),
    }


def audit_of_each(names, labeled_iter, audits) -> pd.DataFrame:
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


def pooled(verdicts) -> Verdict | None:
    """One verdict from those of the labels that have one: means over labels, counted in cells.

    The error is the mean of theirs, the most that it can be: labels of the same rows may err together.
    """
    known = [verdict for verdict in verdicts if verdict is not None]
    if not known:
        return None
    means = {
        name: float(np.mean([getattr(verdict, name) for verdict in known]))
        for name in ("supervised", "semi_supervised", "gain", "error")
    }
    n_cells, seconds = sum(v.n_rows for v in known), sum(v.seconds for v in known)
    return replace(known[0], **means, n_rows=n_cells, seconds=seconds, unit="cells")

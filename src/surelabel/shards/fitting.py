"""A fit on a table in shards, from the given labels to the final classifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..classifier import PseudoLabelClassifier
from ..common.notice import logger, notice, shown
from ..common.types import Ints
from ..common.types import Table as AnyTable
from ..filling.evidence import unseen
from ..handing_out import judged_by_held_out
from ..reading.priors import check_classes, check_prior, resolved_prior
from ..reading.targets import Targets
from ..reading.unlabeled import is_auto
from ..rounds.audit import what_learnt
from ..rounds.engine import Strand
from ..rounds.final import Final
from ..rounds.method import (
    brings_models,
    found_weight_of,
    method_of,
    rounds_worth_running,
    with_readable_models,
)
from ..rounds.records import Round
from ..rounds.run import Run, frequencies_of, shares_of
from ..rounds.training import Seeds, Trainer
from . import shard
from .asking import Asking
from .engine import Sharded, check
from .excerpt import Table
from .keeping import SIZES, Keeper
from .pieces import Each, Pieces
from .reading import line_types, lines, read


@dataclass(eq=False)
class Fit:
    """A fit on shards under way.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Gets its fitted attributes, but for those that say something of every row.
    run : Run
        Its rounds.
    table : Table
        All shards.
    counts : ndarray of shape (K,)
        Labelled rows of each class.
    facts : dict
        What the fit depends on besides: kept with each round.
    """

    clf: PseudoLabelClassifier
    run: Run
    table: Table
    counts: Ints
    facts: dict[str, Any]

    @classmethod
    def begun(cls, clf: PseudoLabelClassifier, x: Pieces, y: Pieces, heading: AnyTable | None = None) -> Fit:
        """Read the shards of X and y, and make ready for the rounds; clf is written into.

        `heading` is a table with as many columns as X, where these have no names.
        """
        check_settings(clf)
        table, labels, targets = read(clf, x, y, heading)
        counts = given_counts(labels)
        check_classes(clf.classes_, counts, is_auto(clf.missing_label))
        check_prior(clf.class_prior, clf.classes_, counts)
        able = with_readable_models(clf, *table.sample(labels)) if brings_models(clf) else clf
        return cls.over(clf, able, table, labels, targets, counts)

    @classmethod
    def over(
        cls,
        clf: PseudoLabelClassifier,
        able: PseudoLabelClassifier,
        table: Table,
        labels: Pieces,
        targets: Targets,
        counts: Ints,
    ) -> Fit:
        """The same over shards that were read; `able` is clf, or a copy with models that can read them."""
        clf.classes_ = targets.classes
        clf.class_prior_ = resolved_prior(clf.class_prior, counts / counts.sum(), clf.classes_)
        method = method_of(able)
        extremes = labels.ask(shard.extremes, table.x, table.columns)
        n_worth_running = rounds_worth_running(
            clf.n_rounds, np.concatenate([each for each in extremes if len(each)])
        )
        run = Run(
            engine=Sharded(table),
            strand=Strand(
                labels,
                clf.class_prior_,
                Trainer(method.committee, Seeds.of(clf.random_state), table.x.place.runner()),
                learns_found=found_weight_of(able, method) != "none",
                shares=shares_of(clf.class_prior, counts),
            ),
            method=method,
            targets=targets,
            n_rounds=clf.n_rounds,
            n_worth_running=n_worth_running,
            frequencies=partial(frequencies_of, clf.class_prior, clf.classes_),
            estimator=able.estimator,
            verbose=clf.verbose,
        )
        clf.history_ = run.history
        return cls(clf, run, table, counts, {})

    def rounds(self, folder: str | Path | None = None) -> Iterator[Round]:
        """Label round by round, then train the final classifier.

        With a folder, what is known after each round is there before it is yielded, and a fit that ended
        early goes on after its last round.
        """
        clf, run, strand, table = self.clf, self.run, self.run.strand, self.table
        keeper, place = None, table.x.place
        if folder is not None:
            keeper = Keeper(folder, self._facts(), len(table.sizes))
            strand.history, seed = keeper.begin(strand.trainer.seeds.seed)
            strand.trainer = replace(strand.trainer, seeds=Seeds(seed))
            if strand.history:
                strand.labels = keeper.labels(len(strand.history), table.n_classes, table.found, place)
        clf.history_ = run.history
        for round in run.rounds():
            clf.history_ = run.history
            with shown(bool(clf.verbose)):
                logger.info("%s", round)
            if keeper is not None:
                keeper.keep(strand)
                strand.labels = keeper.labels(round.number, table.n_classes, table.found, place)
            yield round
        self.finish()
        speak_of_left(run.engine.pool(run.strand), run.found, run.learnt)

    def lines(self) -> Pieces:
        """What became of each row, a frame for each shard."""
        return lines(self.table, self.run.strand.labels, self.clf.classes_)

    def asking(self) -> Asking:
        """What chooses rows to ask a person about."""
        return Asking(self.table, self.run.strand.labels, self.clf.classes_, self.counts)

    @property
    def line_types(self) -> dict[str, str]:
        """Columns of `lines`, and the type of each."""
        return line_types(self.clf.classes_)

    def finish(self) -> None:
        """Train the final classifier on what was found."""
        clf, run = self.clf, self.run
        clf.__dict__.update(run.outcome(run.finish(clf.guard)))
        if clf.held_out_ is not None:
            clf._given = self._given()
        if clf.evidence_ is None:
            # No labelled row was held out. There is what was stated of the others.
            scores, guesses = zip(*run.strand.labels.ask(shard.stated), strict=True)
            clf.evidence_ = unseen(np.concatenate(scores), np.concatenate(guesses), len(clf.classes_))
        run.strand.said = None  # no row is asked about any more

    def _given(self) -> pd.DataFrame:
        """The given labels, in the order in which they were held out, as those of a table in memory."""
        labels, table = self.run.strand.labels, self.table
        some = [i for i, each in enumerate(labels.ask(shard.counts, None)) if each.given.any()]
        begins = Each([int(table.begins[i]) for i in some])
        return pd.concat(labels.some(some).ask(shard.given, table.x.some(some), self.clf.classes_, begins))

    def ask_final(self) -> None:
        """Ask the final classifier about all rows, where the rounds asked another and no row was held out."""
        clf, run = self.clf, self.run
        if clf._asked or judged_by_held_out(clf):
            return
        guesses = run.engine.guesses(run.strand, Final(clf.estimator_, clf._present).predict_proba)
        clf.evidence_ = unseen(*guesses, len(clf.classes_))

    def _facts(self) -> dict[str, Any]:
        """What a fit depends on: a fit with other facts cannot go on from its folder."""
        return {
            "classifier": BaseEstimator.__repr__(self.clf, N_CHAR_MAX=10**6),
            SIZES: self.table.sizes.tolist(),
            "classes": [str(label) for label in self.clf.classes_],
            "given labels": self.counts.tolist(),
            "columns": {str(name): kind for name, kind in self.table.columns.kinds_.items()},
        } | self.facts


def check_settings(clf: PseudoLabelClassifier) -> None:
    """Refuse what needs a table in memory, before anything is read."""
    if clf.found_weight == "full":
        raise ValueError('found_weight="full" trains on every row found; in shards it is "balanced".')
    if clf.aside:
        raise ValueError(f"aside={clf.aside:g} is for a table in memory; leave it out for shards.")
    if clf.clean is not None:
        raise ValueError(f"clean={clf.clean!r} is for a table in memory; leave it out for shards.")
    check(method_of(clf))


def given_counts(labels: Pieces) -> Ints:
    """Rows with a given label, by class, shape (K,)."""
    return np.sum([each.given for each in labels.ask(shard.counts, None)], axis=0)


def speak_of_left(left: int, found: bool, learnt: bool, what: str = "row") -> None:
    """Warn where there was nothing to label, or nothing was labelled of so many rows or cells."""
    if not left and not found:
        notice(f"y has no unlabelled {what}; this is the supervised model.")
    elif not found:
        notice(f"None of the {left} unlabelled {what}s was labelled; {what_learnt(learnt)}.")

"""A run: the rounds of one label of every row, from the given labels to the final classifier."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..budget import class_frequencies, share_interval
from ..common.notice import about, begun, logger, notice, shown
from ..common.types import Bools, Floats, Ints, Table, Values
from ..filling.evidence import Evidence, beside
from ..filling.likeness import Likeness
from ..heldout.record import HeldOut
from ..heldout.verdict import Verdict, compared
from ..reading.features import take
from ..reading.priors import Prior, check_prior, resolved_prior
from ..reading.targets import Targets
from .aside import Aside, set_aside
from .audit import described, why_ended
from .checkpoint import Checkpoint
from .cleaning import cleaning, told
from .engine import Engine, Strand
from .final import Final, final
from .labels import Labels
from .likeness import labelled_like_others
from .loop import in_step
from .method import found_weight_of, method_of, rounds_worth_running
from .nested import nested
from .one_machine import OneMachine
from .records import Parts, Round
from .training import ASIDE, GUARD, GUARD_POOL, LIKENESS, Seeds, Trainer, some_of

# Unlabelled rows on which two classifiers are compared.
_COMPARED_ROWS = 2_000
_NEARLY = 1e-9


@dataclass(frozen=True)
class _Finished:
    """What a run came to.

    Parameters
    ----------
    final : Final
        The final classifier.
    verdict : Verdict or None
        Whether the unlabelled rows helped.
    ended : str
        Why the rounds ended, as a `termination_condition_`.
    held_out : HeldOut or None
        What the final classifier says of labelled rows without their labels.
    evidence : Evidence or None
        The same beside what it says of the rows that came unlabelled.
    aside : Evidence or None
        What it says of labelled rows that took no part, beside the same rows.
    likeness : Likeness or None
        Whether the labelled rows are like the others.
    """

    final: Final
    verdict: Verdict | None
    ended: str
    held_out: HeldOut | None = None
    evidence: Evidence | None = None
    aside: Evidence | None = None
    likeness: Likeness | None = None


@dataclass(eq=False)
class Run:
    """A fit under way.

    Parameters
    ----------
    engine : Engine
        Where the rows are.
    strand : Strand
        What is known of every row, the class frequencies, the trainer and the rounds so far.
    method : Parts
        Committee, confidence and allocator.
    targets : Targets
        The given labels.
    n_rounds : int
        Most rounds that were asked for.
    n_worth_running : int
        Most rounds that can label anything: these, or 0.
    frequencies : callable
        Labels -> class frequencies (K,), by what the user says and the labels show.
    estimator : classifier, optional
        The final classifier; without, the committee.
    index : Index, optional
        The caller's row labels.
    verbose : int, default=0
        Above 0, the verdict is shown as soon as it is known.
    aside : Aside, optional
        Labelled rows that take no part as such: to the rounds they are unlabelled.
    one_label : bool, default=True
        Whether it is the only label of a row, not one of several.
    drawn : ndarray of shape (n,), optional
        Which rows were drawn at random, if they are labelled; those that were chosen stand for no others.
    """

    engine: Engine
    strand: Strand
    method: Parts
    targets: Targets
    n_rounds: int
    n_worth_running: int
    frequencies: Callable[[Labels], Floats]
    estimator: Any = None
    index: Any = None
    verbose: int = 0
    aside: Aside | None = None
    one_label: bool = True
    drawn: Bools | None = None

    @property
    def history(self) -> list[Round]:
        """The rounds so far."""
        return list(self.strand.history)

    @property
    def class_prior(self) -> Floats:
        """The class frequencies used, shape (K,)."""
        return self.strand.prior

    @property
    def found(self) -> bool:
        """Whether any label was found."""
        return any(round.labelled for round in self.strand.history)

    @property
    def learnt(self) -> bool:
        """Whether the unlabelled rows have taught anything: by labels that were found, or by their shape."""
        shown = bool(self.strand.trainer.shows_pool) and not self.strand.learns_found
        return self.found or (shown and bool(self.strand.history))

    def rounds(self) -> Iterator[Round]:
        """Label the pool round by round."""
        for _ in in_step(self.engine, [self.strand], self.method, self.n_worth_running):
            yield self.strand.history[-1]

    def checkpoint(self) -> Checkpoint:
        """What is known now, between two rounds."""
        return Checkpoint.of(self.strand.labels, self.strand.history)

    def finish(self, guard: bool = True) -> _Finished:
        """Train the final classifier, and find out whether the unlabelled rows helped.

        Parameters
        ----------
        guard : bool, default=True
            Whether to find that out; where the classifier without them is expected to be better, it is the
            final one.
        """
        trainer = self.strand.trainer
        ended = why_ended(self.engine.pool(self.strand), self.strand.history, self.n_rounds)
        if not self.learnt:
            # The supervised model, also where classes were ruled out.
            alone = _Finished(self._final(trainer.blind(), before=1), None, ended)
            return self._unaided(alone) if guard else alone
        model = self._final(trainer)
        start = self.engine.at_first(self.strand) if guard else None
        if start is None:
            return _Finished(model, None, ended)
        supervised, verdict, held = self._judged(model, *start)
        if verdict is None or held is None:
            return _Finished(model, None, ended)
        if verdict.gain < 0:
            return self._beside(_Finished(supervised, verdict, "hurt", held.of(held.names[:1])), start)
        seen = _Finished(model, verdict, ended, held.of(held.names[1:]))
        return self._beside(seen, start, asked_before=True)

    def _unaided(self, finished: _Finished) -> _Finished:
        """With what is said of rows that were not seen, where unlabelled rows have taught nothing."""
        start = self.engine.at_first(self.strand) if self.engine.pool(self.strand) else None
        held = None
        if start is not None and self.estimator is None:
            held = self.strand.trainer.blind()(lambda before: start, 1).opinions()
        if start is not None and held is None and self.n_worth_running and self.strand.learns_found:
            held = self._held_out(*start)
        if start is None or held is None:
            return finished
        return self._beside(replace(finished, held_out=held.of(held.names[:1])), start)

    def _beside(
        self, finished: _Finished, start: tuple[Table, Labels], asked_before: bool = False
    ) -> _Finished:
        """With what the final classifier says of the rows that came unlabelled.

        Parameters
        ----------
        finished : _Finished
            With a record of held-out rows.
        start : pair
            All rows, and what was known of them before the first round.
        asked_before : bool, default=False
            Whether the rounds asked the same committee, if they train one only.
        """
        held = finished.held_out
        assert held is not None
        same = asked_before and self.estimator is None and self.strand.said is not None
        predict = None if same else finished.final.predict_proba
        score, guess = self.engine.guesses(self.strand, predict)
        others = slice(None) if self.aside is None else ~self.aside.among_unlabelled
        like, evidence = self._standing_for(beside(held, score[others], guess[others]), held.codes, start)
        aside = None if self.aside is None else self.aside.evidence(score, guess, len(self.targets.classes))
        return replace(finished, likeness=like, evidence=evidence, aside=aside)

    def _standing_for(
        self, evidence: Evidence, codes: Ints, start: tuple[Table, Labels]
    ) -> tuple[Likeness | None, Evidence]:
        """Whether labelled rows are like the others, and the evidence of those that stand for them.

        Where the user says how frequent the classes are among unlabelled rows, each class by that. Where
        labelled rows are not like the others, each by how likely it is among those.
        """
        X, labels = start
        given = np.flatnonzero((labels.codes >= 0) & (labels.weight > 0))
        if len(given) != len(codes):
            # Not every given row was held out: which of them stand for others is not known.
            return None, evidence if self.drawn is None else evidence.rows(
                codes < 0, evidence.pool_score >= 0
            )
        if self.drawn is not None:
            evidence = evidence.rows(self.drawn[given], np.ones(len(evidence.pool_score), dtype=bool))
            codes, given = codes[self.drawn[given]], given[self.drawn[given]]
        weight, told = evidence.weight, self.strand.shares is None
        if told and len(codes):
            frequencies = class_frequencies(codes, weight, len(self.class_prior))
            weight = weight * (self.class_prior / frequencies.clip(_NEARLY))[codes]
        begun("comparing labelled rows with the others")
        rng = self.strand.trainer.seeds.rng(LIKENESS)
        found = labelled_like_others(X, labels, given, rng, one_label=self.one_label and not told)
        if found is not None and not found[0].alike:
            weight = weight * found[1]
        return None if found is None else found[0], replace(evidence, weight=weight)

    def outcome(self, finished: _Finished) -> dict[str, Any]:
        """What the run came to, by the names of fitted attributes."""
        return {
            "estimator_": finished.final.model,
            "_present": finished.final.present,
            "verdict_": finished.verdict,
            "held_out_": finished.held_out,
            "evidence_": finished.evidence,
            "likeness_": finished.likeness,
            "aside_evidence_": finished.aside,
            "n_iter_": len(self.strand.history),
            "termination_condition_": finished.ended,
            "_learnt": self.learnt,
            "_asked": self._has_asked(finished),
        }

    def _has_asked(self, finished: _Finished) -> bool:
        """Whether it is the final classifier that was asked about the unlabelled rows."""
        once = not self.strand.learns_found and bool(self.strand.history)
        return once and self.estimator is None and finished.ended != "hurt"

    def fitted(self, guard: bool = True) -> dict[str, Any]:
        """Finish; the outcome and what became of each row, by the names of fitted attributes."""
        finished = self.finish(guard)
        self.strand.said = None  # no row is asked about any more
        known = {
            "classes_": self.targets.classes,
            "class_prior_": self.class_prior,
            "history_": self.history,
        }
        labels = self.strand.labels
        known["cleaned_"] = told(self.strand.trainer, labels)
        return known | self.outcome(finished) | described(self.targets, labels, self.index)

    def _final(self, trainer: Trainer, before: int | None = None) -> Final:
        if self.estimator is None:
            # Where the rows are: an engine may train a committee on rows that never come here.
            committee = self.engine.train(self.strand, trainer, before).for_prediction()
            return Final(committee, committee.classes_)
        return final(self.estimator, trainer, partial(self.engine.lesson, self.strand, trainer), before)

    def _judged(self, model: Final, X: Table, start: Labels) -> tuple[Final, Verdict | None, HeldOut | None]:
        """The supervised classifier, whether the other is better, and what both say of held-out rows."""
        begin, trainer = time.perf_counter(), self.strand.trainer
        supervised = final(self.estimator, trainer.blind(), lambda before: (X, start))
        held = self._held_out(X, start)
        verdict = None
        if held is not None:
            differing = _differing(supervised, model, X, start, trainer.seeds)
            verdict = compared(held, differing, time.perf_counter() - begin)
        with shown(bool(self.verbose)):
            told = verdict or "too few labels to tell whether they helped"
            logger.info("%sunlabelled rows: %s", about(), told)
        if verdict is not None and verdict.word == "hurt":
            notice(
                f"Unlabelled rows {verdict}; the classifier is the one trained on the given labels "
                "alone. guard=False keeps the other.",
            )
        return supervised, verdict, held

    def _held_out(self, X: Table, start: Labels) -> HeldOut | None:
        """What the two classifiers say of labelled rows that they have not seen."""
        trainer = self.strand.trainer
        if not self.strand.learns_found:
            return trainer(lambda before: (X, start), 1).opinions()
        return nested(
            X,
            start,
            self.method,
            trainer,
            prior=self.frequencies,
            estimator=self.estimator,
            random_state=trainer.seeds.rng(GUARD),
        )


def _differing(one: Final, other: Final, X: Table, labels: Labels, seeds: Seeds) -> tuple[int, int]:
    """On how many of some unlabelled rows two classifiers differ, and of how many."""
    some = labels.pool[some_of(len(labels.pool), _COMPARED_ROWS, seeds.rng(GUARD_POOL))]
    rows = take(X, some)
    guesses = [each.predict_proba(rows, labels.n_classes).argmax(axis=1) for each in (one, other)]
    return int((guesses[0] != guesses[1]).sum()), len(some)


def begin(
    clf: Any,
    table: Table,
    targets: Targets,
    weight: Floats | None = None,
    index: pd.Index[Any] | None = None,
    after: Checkpoint | None = None,
) -> Run:
    """Make ready for the rounds of one label on one machine.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Its arguments say what to do.
    table : matrix or frame
        All rows, as `Columns` gives them.
    targets : Targets
        Their labels.
    weight : ndarray of shape (n,), optional
        Their weights.
    index : Index, optional
        The caller's row labels.
    after : Checkpoint, optional
        What an earlier run knew.
    """
    method = method_of(clf)
    found = found_weight_of(clf, method)
    seeds = Seeds.of(clf.random_state)
    codes, aside = set_aside(targets.codes, weight, clf.aside, seeds.rng(ASIDE))
    labels = Labels.start(codes, len(targets.classes), weight, "balanced" if found == "none" else found)
    check_prior(clf.class_prior, targets.classes, targets.counts(weight))
    frequencies = partial(frequencies_of, clf.class_prior, targets.classes)
    prior = frequencies(labels)
    n_worth_running = rounds_worth_running(clf.n_rounds, take(table, labels.training()[0]))
    strand = Strand(
        labels,
        prior,
        Trainer(cleaning(method.committee, clf.clean), seeds),
        learns_found=found != "none",
        shares=shares_of(clf.class_prior, targets.counts(weight)),
    )
    if after is not None:
        after.restore(labels)
        strand.history = list(after.history)
    return Run(
        engine=OneMachine(table),
        strand=strand,
        method=method,
        targets=targets,
        n_rounds=clf.n_rounds,
        n_worth_running=n_worth_running,
        frequencies=frequencies,
        estimator=clf.estimator,
        index=index,
        verbose=clf.verbose,
        aside=aside,
    )


def shares_of(class_prior: Prior, counts: Floats | Ints) -> tuple[Floats, Floats] | None:
    """Where the share of each class lies, a pair of (K,); None where the user says what it is."""
    told = not (class_prior is None or isinstance(class_prior, str))
    return None if told else share_interval(counts)


def frequencies_of(class_prior: Prior, classes: Values, labels: Labels) -> Floats:
    """Class frequencies by what the user says and the given labels show, shape (K,)."""
    given = (labels.codes >= 0) & (labels.weight > 0)
    found = class_frequencies(labels.codes[given], labels.weight[given], labels.n_classes)
    return resolved_prior(class_prior, found, classes)

"""The loop: train, ask, allocate, record, repeat. A generator of `Round` records.

Progress bars, early stopping and asking a person are the caller's `for`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..budget import Budget, ramp
from ..common.durations import timed
from ..common.types import Floats, RandomState, Table
from .engine import Engine, Opinion, Strand
from .labels import Labels
from .method import ready
from .one_machine import OneMachine
from .records import Parts, Round
from .training import Seeds, Trainer

# If a smaller share of the pool than this changed its most probable class since the round before, the
# committee has settled: it is not trained again.
_SETTLED = 0.001


def rounds(
    X: Table,
    labels: Labels,
    parts: Parts,
    *,
    prior: Floats,
    n_rounds: int = 5,
    random_state: RandomState = None,
    trainer: Trainer | None = None,
    done: Sequence[Round] = (),
) -> Iterator[Round]:
    """Label the pool round by round.

    Parameters
    ----------
    X : matrix or frame with n rows
        All rows, labelled or not, in the form `Columns` gives.
    labels : Labels
        What is known; written into.
    parts : Parts
        The method.
    prior : ndarray of shape (K,)
        Class frequencies, summing to 1.
    n_rounds : int, default=5
        Most rounds. Ends early when the pool is empty or a round labelled nothing. Where a committee keeps
        what its first fit found out (`Unlike`), it is not trained again after a round in which hardly any
        guess changed: the next rounds use the committee of that round.
    random_state : int or RandomState, optional
        Seeds the committees.
    trainer : Trainer, optional
        Gives the fitted committee afterwards; it has its own random state, and random_state is not used.
    done : sequence of Round, default=()
        Rounds that made the labels so far; the next ones follow as if never interrupted.

    Yields
    ------
    Round
        What happened, once the labels are written.

    See Also
    --------
    surelabel.PseudoLabelClassifier : Reads the table, runs the rounds, and trains the final classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Repeated, Threshold, TTest
    >>> from surelabel.rounds import Labels, Parts, rounds
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(4, 1, (50, 2))])
    >>> labels = Labels.start(np.r_[[0] * 3, [-1] * 47, [1] * 3, [-1] * 47], n_classes=2)
    >>> parts = Parts(Repeated(GaussianNB(), 5, over="bootstrap"), TTest(), Threshold())
    >>> for round in rounds(X, labels, parts, prior=np.array([0.5, 0.5]), n_rounds=2, random_state=0):
    ...     print(round)
    round 1: 94 unlabelled, 46 sure, 32 accepted
    round 2: 62 unlabelled, 25 sure, 11 accepted
    >>> int((labels.codes >= 0).sum())
    49
    """
    parts = ready(parts)
    trainer = Trainer(parts.committee, Seeds.of(random_state)) if trainer is None else trainer
    strand = Strand(labels, prior, trainer, list(done))
    for _ in in_step(OneMachine(X), [strand], parts, n_rounds):
        yield strand.history[-1]


def in_step(
    engine: Engine, strands: list[Strand], method: Parts, n_rounds: int = 5
) -> Iterator[list[Round | None]]:
    """Rounds of several strands at once: all are asked before any row is labelled.

    Strands share the rows and nothing else, except where the confidence looks at whole rows.

    Parameters
    ----------
    engine : Engine
        Where the rows are.
    strands : list of Strand
        What is asked of the rows.
    method : Parts
        Committee, confidence and allocator.
    n_rounds : int, default=5
        Most rounds.

    Yields
    ------
    list of Round
        One for each strand; None for those that are over.
    """
    begun = max((len(strand.history) for strand in strands), default=0)
    for number, share in list(enumerate(ramp(n_rounds), start=1))[begun:]:
        active = [strand for strand in strands if not _is_over(engine, strand)]
        if not active:
            return
        seconds: list[dict[str, float]] = [{} for _ in active]
        asked = [_asked(engine, *each, method) for each in zip(active, seconds, strict=True)]
        opinions = engine.trust(active, asked, method)
        del asked
        for strand, opinion, spent in zip(active, opinions, seconds, strict=True):
            strand.history.append(_labelled(engine, strand, opinion, method, number, share, spent))
        yield [strand.history[-1] if strand in active else None for strand in strands]


def _is_over(engine: Engine, strand: Strand) -> bool:
    """Whether the last round labelled nothing, or the pool is empty."""
    idle = bool(strand.history) and not strand.history[-1].labelled
    return idle or not engine.pool(strand)


def _asked(engine: Engine, strand: Strand, seconds: dict[str, float], method: Parts) -> Any:
    """Train the committee and ask it about the pool."""
    # Classes are ruled out anew in each round, so there the committee always has something new to learn.
    may_settle = strand.trainer.committee.builds_on_first_fit and method.negatives is None
    settled = next((r.number for r in strand.history if may_settle and r.changed < _SETTLED), None)
    with timed(seconds, "train"):
        # Trained on the labels before that round, it is the committee of that round.
        committee = engine.train(strand, strand.trainer, before=settled)
    with timed(seconds, "predict"):
        return engine.ask(strand, committee, method)


def _labelled(
    engine: Engine,
    strand: Strand,
    opinion: Opinion,
    method: Parts,
    number: int,
    share: float,
    seconds: dict[str, float],
) -> Round:
    """Give labels to the rows that are trusted, and write down what was found."""
    budget = Budget(share, strand.prior, opinion.pool, strand.shares)
    with timed(seconds, "allocate"):
        allocation = engine.allocate(strand, opinion, method, budget)
        found = engine.record(strand, opinion, allocation, number)
    return found.as_round(number, budget, opinion.candidates, seconds, opinion.changed)

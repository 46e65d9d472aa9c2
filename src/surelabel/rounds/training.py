"""How committees are trained during a run: the random numbers of each step, and nothing trained twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from ..committees.base import Committee, Runner
from ..committees.member_fitting import seeded
from ..common.limits import LARGEST_SEED
from ..common.types import Floats, Ints, RandomState, Table
from ..reading.features import take
from .labels import Labels

# Unlabelled rows that are shown to a committee that can learn from them.
_CONTEXT_ROWS = 20_000
# Steps beyond any round: the final classifier, the guard, and runs that hold out rows.
FINAL, GUARD, GUARD_POOL, ASIDE, LIKENESS = range(1_000_000, 1_000_005)
_HELD_OUT = 2_000_000

# The rows to train on and what is known of them: now, or before the round of this number.
Lesson = Callable[[int | None], tuple[Table, Labels]]
# Rows to train on, their codes and weights; None for weights of 1.
_Data = tuple[Table, Ints, Floats | None]


@dataclass(frozen=True)
class Seeds:
    """The random numbers of each step of a run; they depend on the seed and the step alone.

    So a run that was interrupted goes on with the same numbers.

    Parameters
    ----------
    seed : int
        Of the run.

    Examples
    --------
    >>> Seeds.of(7).rng(2).randint(100) == Seeds.of(7).rng(2).randint(100)
    True
    """

    seed: int

    @classmethod
    def of(cls, random_state: RandomState) -> Seeds:
        """From what a user gives: a number, a RandomState, or None."""
        if isinstance(random_state, Integral):
            return cls(int(random_state))
        return cls(int(check_random_state(random_state).randint(LARGEST_SEED)))

    def rng(self, step: int = 0) -> np.random.RandomState:
        """The random numbers of one step."""
        return np.random.RandomState([self.seed, step] if step else self.seed)

    def held_out(self, rows: Ints) -> Seeds:
        """Those of a run that holds out some rows."""
        return Seeds(int(self.rng(_HELD_OUT + int(rows[0])).randint(LARGEST_SEED)))

    def shown(self, n: int, step: int) -> Ints:
        """Ranks in a pool of n of the rows that are shown to a committee in a step."""
        return some_of(n, _CONTEXT_ROWS, self.rng(step))


@dataclass(frozen=True, eq=False)
class _Known:
    """Rows, codes and weights that a committee was trained on."""

    places: Ints
    codes: Ints
    weight: Floats

    def same(self, other: _Known) -> bool:
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))


@dataclass(eq=False)
class _Memory:
    """Committees that were trained, by what they were trained on: the first and the last of each kind."""

    first: dict[bool, tuple[_Known, Committee]] = field(default_factory=dict)
    last: dict[bool, tuple[_Known, Committee]] = field(default_factory=dict)

    def recall(self, known: _Known, shows_pool: bool) -> Committee | None:
        """The committee of exactly these labels, if it is still there."""
        kept = [memory[shows_pool] for memory in (self.first, self.last) if shows_pool in memory]
        return next((committee for labels, committee in kept if labels.same(known)), None)

    def keep(self, known: _Known, shows_pool: bool, committee: Committee) -> None:
        """Remember a committee."""
        self.first.setdefault(shows_pool, (known, committee))
        self.last[shows_pool] = known, committee


@dataclass(frozen=True, eq=False)
class Trainer:
    """Trains the committee on what is labelled so far; asked twice for the same, it trains once.

    What comes out depends on the labels and the seeds, never on what was asked for before.

    Parameters
    ----------
    committee : Committee
        Copied, never fitted itself.
    seeds : Seeds
        Of the run.
    run : callable, optional
        Trains members elsewhere (`surelabel.committees.base.Runner`).
    shows_pool : bool, optional
        Whether unlabelled rows take part in training; by default where the committee can learn from them.
    origin : callable, optional
        Whether it has seen unlabelled rows -> the fitted committee that is refitted on more labels. By
        default the committee trained on the given labels.
    """

    committee: Committee
    seeds: Seeds
    run: Runner | None = None
    shows_pool: bool | None = None
    origin: Callable[[bool], Committee] | None = None
    _memory: _Memory = field(default_factory=_Memory, repr=False)

    def __post_init__(self) -> None:
        if self.shows_pool is None:
            object.__setattr__(self, "shows_pool", self.committee.uses_unlabeled)

    def __call__(self, lesson: Lesson, before: int | None = None) -> Committee:
        """A committee fitted on the labels so far, or on those before a round."""
        X, labels = lesson(before)
        rows, codes, weight = labels.training()
        known = _Known(labels.places(rows), codes, np.ones(len(rows)) if weight is None else weight)
        kept = self._memory.recall(known, bool(self.shows_pool))
        if kept is not None:
            return kept
        data: _Data = take(X, rows), codes, weight
        like = None if self.shows_pool else self._memory.recall(known, True)
        if self._is_first(labels):
            fitted = self._first(data, self._context(X, labels), like, labels.last)
        else:
            given = np.where(labels.round[rows] == 0, labels.weight[rows], 0.0)
            fitted = self._origin(lesson).refit(
                *data,
                self._context(X, labels),
                rng=self.seeds.rng(labels.last),
                like=like,
                given=given,
                run=self.run,
            )
        self._memory.keep(known, bool(self.shows_pool), fitted)
        return fitted

    @property
    def first(self) -> Committee | None:
        """The committee that was trained on the given labels, with unlabelled rows where it was."""
        kept = self._memory.first
        return next((kept[shown][1] for shown in (True, False) if shown in kept), None)

    def blind(self) -> Trainer:
        """The same trainer, showing labelled rows only; both share what they have trained."""
        return replace(self, shows_pool=False)

    def without(self, held: Ints, lesson: Lesson) -> Trainer:
        """A trainer for a run that holds out some rows of the first fit, whose lesson this is."""

        def origin(shows_pool: bool) -> Committee:
            return replace(self, shows_pool=shows_pool)(lesson, 1).without(held)

        return Trainer(
            self.committee,
            self.seeds.held_out(held),
            self.run,
            self.shows_pool,
            origin if self.committee.builds_on_first_fit else None,
        )

    def _is_first(self, labels: Labels) -> bool:
        """Whether these labels are trained on without building on an earlier fit."""
        if self.origin is not None:
            return False
        return not self.committee.builds_on_first_fit or (not labels.last and labels.soft is None)

    def _first(self, data: _Data, context: Table | None, like: Committee | None, step: int) -> Committee:
        if like is not None:
            return like.blind(*data, run=self.run)
        return seeded(self.committee, self.seeds.rng(step)).fit(*data, context, run=self.run)

    def _origin(self, lesson: Lesson) -> Committee:
        return self(lesson, 1) if self.origin is None else self.origin(bool(self.shows_pool))

    def _context(self, X: Table, labels: Labels) -> Table | None:
        pool = labels.pool
        if not self.shows_pool or not len(pool):
            return None
        return take(X, pool[self.seeds.shown(len(pool), labels.last)])


def some_of(n: int, most: int, rng: np.random.RandomState) -> Ints:
    """Ranks of at most `most` of n rows, drawn at random, ascending; without an array of n.

    Examples
    --------
    >>> some_of(10**12, 3, np.random.RandomState(0)).shape
    (3,)
    """
    if n <= most:
        return np.arange(n)
    generator = np.random.default_rng(rng.randint(LARGEST_SEED))
    return np.sort(generator.choice(n, most, replace=False, shuffle=False))

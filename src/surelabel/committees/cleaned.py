"""A committee that is taught less by given labels that look wrong, where held-out rows say that it is better.

Nobody knows which labels are wrong, so the labels that judge may be wrong too. Two things keep that from
misleading. First, every labelled row is a judge with the label as it was given, also one that looks wrong:
who agrees with the truth more often agrees more often with labels some of which are wrong, as long as these
are spread over the rows. Second, what is cleaned is decided anew for each fold by those that have not seen
it: the labels that judge had no part in choosing the labels that teach.
"""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..advice.cleaning import Cleaning, lesson_weights
from ..common.settings import CLEAN_WAYS, DROP, Setting, one_of, whole
from ..common.types import AnyLabels, Floats, Ints, RandomState, Table, Values
from ..confidence import Moments
from ..heldout.record import ALONE, SEEING, HeldOut
from ..heldout.verdict import compared
from ..reading.features import stacked, take
from .base import Committee, Runner
from .member_fitting import aligned, fit_folds, stratified_folds

_MOST_FOLDS = 20
# Folds of the record that is made where a committee keeps none itself.
_OWN_FOLDS = 5


class Cleaned(Committee):
    """Another committee, taught less by labels that look wrong to those that had not seen them.

    Parameters
    ----------
    committee : Committee
        The other.
    way : {"drop", "down-weight"}
        What becomes of such labels.
    n_folds : int, default=3
        Folds in which both ways of training are compared; the whole costs about as much as training the
        committee once more for each.
    random_state : int or RandomState, optional
        Draws the folds.

    Attributes
    ----------
    fitted_ : Committee
        The better of the two.
    cleaning : Cleaning or None
        What was found; None where there are too few labels to tell.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Panel, trees
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::10] = (y[::10] + 1) % 3  # one in ten is wrong
    >>> committee = Cleaned(Panel([trees(20)]), "drop", random_state=0).fit(X, y)
    >>> committee.cleaning.used, len(set(committee.cleaning.rows) & set(range(0, 150, 10)))
    (True, 14)
    """

    takes: ClassVar[dict[str, Setting]] = {"way": one_of(CLEAN_WAYS), "n_folds": whole(2, _MOST_FOLDS)}
    # Rounds that follow go on with what was found of the given labels.
    builds_on_first_fit = True

    fitted_: Committee
    _as_given: Committee
    _held: HeldOut | None  # of the cleaned committee, where it is the better one
    _factor: Floats | None  # what each label of `fit` is to count; None where that is to be found out

    def __init__(
        self, committee: Any, way: str = DROP, *, n_folds: int = 3, random_state: RandomState = None
    ) -> None:
        self.committee = committee
        self.way = way
        self.n_folds = n_folds
        self.random_state = random_state

    @property
    def expected_members(self) -> int | None:
        """Those of the other."""
        return self.committee.expected_members

    @property
    def uses_unlabeled(self) -> bool:
        """Whether the other does."""
        return self.committee.uses_unlabeled

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train on all labels, find out whether it is better to clean some, and if so train again."""
        begin, rng = time.perf_counter(), check_random_state(self.random_state)
        lesson = _Lesson(X, np.asarray(y), _ones(sample_weight, len(y)), X_unlabeled)
        self.classes_ = np.unique(lesson.y)
        self._as_given = lesson.taught(self.committee, run)
        self.fitted_, self._held, self._factor, self.cleaning = self._as_given, None, None, None
        record, both = lesson.record(self._as_given, rng), self._compared(lesson, rng, run)
        if record is None or both is None:
            return self
        given, cleaned = both
        verdict = compared(
            given.of([SEEING]).beside(cleaned.of([SEEING])), seconds=time.perf_counter() - begin
        )
        self._factor = lesson_weights(record, self.way)
        rows = np.flatnonzero(self._factor < 1)
        self.cleaning = Cleaning(self.way, rows, self._factor[rows], len(lesson.y), verdict)
        if self.cleaning.used:
            self.fitted_, self._held = lesson.again(self._as_given, self._factor, rng, run), cleaned
        return self

    @property
    def _cleans(self) -> bool:
        return self.cleaning is not None and self.cleaning.used

    def _compared(
        self, lesson: _Lesson, rng: np.random.RandomState, run: Runner | None
    ) -> tuple[HeldOut, HeldOut] | None:
        """What committees that were trained on all other labels say of held-out rows, and on fewer of them.

        None where a fold would have no two classes to learn.
        """
        codes, K = np.searchsorted(self.classes_, lesson.y), len(self.classes_)
        folds = stratified_folds(codes, self.n_folds, rng)
        if not folds or any(len(np.unique(codes[seen])) < 2 for seen, _ in folds):
            return None
        # By what was trained on, by whether unlabelled rows were seen.
        P, fold = np.zeros((2, 2, len(codes), K)), np.zeros(len(codes), dtype=int)
        for k, (seen, held) in enumerate(folds):
            fold[held], some, rows = k, lesson.without(seen, held), take(lesson.X, held)
            seeing = some.taught(self.committee, run)
            record = some.record(seeing, rng)
            factor = np.ones(len(seen)) if record is None else lesson_weights(record, self.way)
            arms = [(seeing, some)]
            if some.X_unlabeled is not None and self.uses_unlabeled:
                alone = replace(some, X_unlabeled=None)
                arms.insert(0, (seeing.blind(*alone.as_given, run=run), alone))
            for arm, (committee, learnt) in enumerate(arms):
                fewer = learnt.again(committee, factor, rng, run)
                for way, each in enumerate((committee, fewer)):
                    present = np.searchsorted(self.classes_, each.classes_)
                    P[way, arm:][:, held] = aligned(each.predict_proba(rows), present, K)
        weight = lesson.weight / lesson.weight.mean()
        given, cleaned = (HeldOut((ALONE, SEEING), each, codes, weight, fold) for each in P)
        return given, cleaned

    def blind(
        self, X: Table, y: AnyLabels, sample_weight: Floats | None = None, *, run: Runner | None = None
    ) -> Self:
        """The same without unlabelled rows; X and y are those of `fit`, and what was found of y stays."""
        other, lesson = copy(self), _Lesson(X, np.asarray(y), _ones(sample_weight, len(y)))
        other._as_given = other.fitted_ = self._as_given.blind(*lesson.as_given, run=run)
        if self._cleans and self._factor is not None:
            rng = check_random_state(self.random_state)
            other.fitted_ = lesson.again(other._as_given, self._factor, rng, run)
        return other

    def without(self, rows: Ints) -> Self:
        """A copy that knows nothing of some rows of `fit`; what to clean is found out anew in `refit`."""
        other = copy(self)
        other._as_given, other._factor = self._as_given.without(rows), None
        return other

    def refit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        rng: np.random.RandomState,
        like: Self | None = None,
        given: Floats | None = None,
        run: Runner | None = None,
    ) -> Self:
        """A committee trained on more labels; the given ones among them are cleaned as before."""
        other, factor = copy(self), np.ones(len(y))
        lesson = _Lesson(X, np.asarray(y), _ones(sample_weight, len(y)), X_unlabeled)
        if self._cleans:
            of_given = np.arange(len(y)) if given is None else np.flatnonzero(given)
            factor[of_given] = self._factor_of(lesson, of_given, rng, run)
        other.fitted_ = lesson.again(
            self._as_given, factor, rng, run, None if like is None else like.fitted_, given
        )
        other.classes_ = other.fitted_.classes_
        return other

    def _factor_of(
        self, lesson: _Lesson, given: Ints, rng: np.random.RandomState, run: Runner | None
    ) -> Floats:
        """What each given label is to count: as in `fit`, or found out anew where rows of it are held out."""
        if self._factor is not None:
            return self._factor
        some = replace(lesson.rows(given), X_unlabeled=lesson.X_unlabeled)
        record = some.record(some.taught(self.committee, run), rng)
        return np.ones(len(given)) if record is None else lesson_weights(record, self.way)

    def opinions(self) -> HeldOut | None:
        """What it says of all labelled rows of `fit` without their labels, also of those that look wrong."""
        return self._as_given.opinions() if self._held is None else self._held

    def predict_members(self, X: Table) -> Floats:
        """P (M, N, K) of the better of the two."""
        return self.fitted_.predict_members(X)

    def opinion(self, X: Table) -> Floats | Moments:
        """P (M, N, K), or its moments, of the better of the two."""
        return self.fitted_.opinion(X)

    def predict_proba(self, X: Table) -> Floats:
        """Mean of the members' probabilities, shape (N, K)."""
        return self.fitted_.predict_proba(X)

    def for_prediction(self) -> Committee:
        """The better of the two: nothing of the cleaning is needed any more."""
        return self.fitted_.for_prediction()


@dataclass(frozen=True, eq=False)
class _Lesson:
    """What a committee is trained on: rows, their classes, weights, and unlabelled rows."""

    X: Table
    y: Values
    weight: Floats
    X_unlabeled: Table | None = None

    @property
    def as_given(self) -> tuple[Table, Values, Floats | None]:
        """Rows, classes and weights; no weights where all are 1, as everywhere."""
        return self.X, self.y, None if (self.weight == 1).all() else self.weight

    def rows(self, some: Ints) -> _Lesson:
        """Some of the labelled rows."""
        return replace(self, X=take(self.X, some), y=self.y[some], weight=self.weight[some])

    def without(self, seen: Ints, held: Ints) -> _Lesson:
        """The rows seen; those held out keep their place among the unlabelled ones."""
        pool = self.X_unlabeled
        return replace(
            self.rows(seen), X_unlabeled=None if pool is None else stacked(take(self.X, held), pool)
        )

    def taught(self, committee: Committee, run: Runner | None) -> Committee:
        """A copy of a committee, fitted."""
        return clone(committee).fit(*self.as_given, self.X_unlabeled, run=run)

    def again(
        self,
        committee: Committee,
        factor: Floats,
        rng: np.random.RandomState,
        run: Runner | None,
        like: Committee | None = None,
        given: Floats | None = None,
    ) -> Committee:
        """A fitted committee trained again, each label by what it is to count."""
        some = np.flatnonzero(factor > 0)
        lesson = replace(self, weight=self.weight * factor).rows(some)
        return committee.refit(
            *lesson.as_given,
            self.X_unlabeled,
            rng=rng,
            like=like,
            given=None if given is None else (given * factor)[some],
            run=run,
        )

    def record(self, committee: Committee, rng: np.random.RandomState) -> HeldOut | None:
        """What a committee fitted on this says of each row without its label; None with too few labels."""
        known = committee.opinions()
        if known is not None:
            return known
        present, codes = np.unique(self.y, return_inverse=True)
        folds = stratified_folds(codes, _OWN_FOLDS, rng)
        if not folds or len(present) < 2:
            return None
        X, _, weight = self.as_given
        _, p = fit_folds(clone(committee), X, codes, folds, weight, self.X_unlabeled)
        fold = np.zeros(len(codes), dtype=int)
        for k, (_, held) in enumerate(folds):
            fold[held] = k
        return HeldOut((SEEING,), p[None], codes, self.weight / self.weight.mean(), fold)


def _ones(weight: Floats | None, n: int) -> Floats:
    """Weights of n rows, shape (n,)."""
    return np.ones(n) if weight is None else np.asarray(weight, dtype=float)

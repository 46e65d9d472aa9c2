"""The default committee: unlike models, each with a weight for what it predicts correctly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from ..budget import apportion
from ..common.limits import MOST_MEMBERS
from ..common.settings import JOBS, POSITIVE, Setting, optional, whole
from ..common.types import AnyLabels, Floats, Ints, RandomState, Table
from ..reading.features import stacked, take
from .base import Committee, Runner, run_each
from .failing import attempt, names_of, probabilities, survivors
from .member_fitting import (
    Classifier,
    Folds,
    aligned,
    fit_folds,
    fit_weighted,
    learns_from_unlabeled,
    seeded,
    spreads,
    stratified_folds,
)
from .member_weights import exponent, mixture_weights, sharpened
from .models.default import unlike_models
from .readable import check_models

# Every model is trained once for each.
_MOST_FOLDS = 100
# Rows predicted at a time: the probabilities of all seats are in memory at once.
_BLOCK_ROWS = 50_000


class Unlike(Committee):
    """Unlike models, calibrated and weighted by how they predict rows they have not seen.

    Cross-validation on the labelled rows gives each model an exponent (its probabilities
    are made less sure or surer) and a weight (the mixture that explains the held-out labels
    best). Weights become seats: a model with a quarter of the weight speaks for a quarter
    of the members, one without a seat is dropped. One bad model cannot spoil the rest.

    Parameters
    ----------
    estimators : list or dict of classifiers, optional
        By default `unlike_models()`. Any classifiers with `predict_proba` that read the
        table as it comes; those whose `fit` takes X_unlabeled are given it.
    n_folds : int, default=5
        Folds of the cross-validation.
    n_seats : int, default=20
        Members M of the committee.
    member_seconds : float, optional
        Most seconds that a model may take to be cross-validated, trained or asked; the committee goes on
        without one that takes longer. What comes out then depends on the speed of the machine.
    n_jobs : int, optional
        Models to train at once.
    random_state : int or RandomState, optional
        Draws folds and seeds every model.

    Attributes
    ----------
    weights_ : dict
        Weight of each model, by name.
    scores_ : dict
        Share of held-out rows that each model predicts correctly.
    exponents_ : dict
        Power to which the probabilities of each model are raised: below 1, they are made less sure.
    seats_ : dict
        Seats of each model that has any.
    failed_ : dict
        Models that could not be trained or asked, and why; the committee goes on without them.
    members_ : dict
        The fitted models that have a seat.

    See Also
    --------
    unlike_models : The models.
    Panel : A committee in which every model has the same weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Unlike
    >>> X, y = load_iris(return_X_y=True)
    >>> committee = Unlike([GaussianNB(), DummyClassifier()], random_state=0).fit(X, y)
    >>> committee.seats_
    {'GaussianNB': 19, 'DummyClassifier': 1}
    """

    takes: ClassVar[dict[str, Setting]] = {
        "n_folds": whole(2, _MOST_FOLDS),
        "n_seats": whole(1, MOST_MEMBERS),
        "member_seconds": optional(POSITIVE),
        "n_jobs": JOBS,
    }
    builds_on_first_fit = True
    # The seats of one model agree with each other whether they are right or wrong (docs/defaults.md).
    test_floor = 2.0

    # Only weighing the models needs these; they are None in a copy that only predicts.
    _trials: dict[str, tuple[Classifier, Floats]]  # each model, fitted on all rows, and its held-out p (n, K)
    _folds: Folds
    _held_out: tuple[Floats, Ints, Floats]  # P (M, n, K) of rows that were held out, their codes and weights

    def __init__(
        self,
        estimators: Sequence[Classifier] | dict[str, Classifier] | None = None,
        *,
        n_folds: int = 5,
        n_seats: int = 20,
        member_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimators = estimators
        self.n_folds = n_folds
        self.n_seats = n_seats
        self.member_seconds = member_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def expected_members(self) -> int:
        """Number of seats."""
        return self.n_seats

    def check(self) -> None:
        """Refuse what are no classifiers, and numbers of folds, seats, jobs or seconds that there are not."""
        check_models(self)
        super().check()

    @property
    def uses_unlabeled(self) -> bool:
        """Whether a model learns from unlabelled rows."""
        return any(map(learns_from_unlabeled, _named(self.estimators).values()))

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Weigh every model by cross-validation, then train those with a seat on all rows."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = check_random_state(self.random_state)
        self.models_ = {name: seeded(model, rng) for name, model in _named(self.estimators).items()}
        self.failed_: dict[str, str] = {}
        self._folds = stratified_folds(codes, self.n_folds, rng)
        return self._try(X, codes, sample_weight, X_unlabeled, {}, run)

    def blind(
        self, X: Table, y: AnyLabels, sample_weight: Floats | None = None, *, run: Runner | None = None
    ) -> Self:
        """The committee fitted as this one was, but without unlabelled rows; X and y are those of `fit`.

        Models that never look at unlabelled rows are not trained again.
        """
        other = copy(self)
        kept = {name: trial for name, trial in self._trials.items() if self._is_blind(name)}
        return other._try(X, np.searchsorted(self.classes_, np.asarray(y)), sample_weight, None, kept, run)

    def for_prediction(self) -> Self:
        """A copy with all that predicting needs, and nothing that only weighing the models needed."""
        other = copy(self)
        for name in ("_trials", "_folds", "_held_out"):
            setattr(other, name, None)
        return other

    def without(self, rows: Ints) -> Self:
        """A copy whose weights are made on the other rows of `fit`; to be refitted.

        Parameters
        ----------
        rows : ndarray of int
            Positions in the X of `fit`.
        """
        other = copy(self)
        other._weigh(np.setdiff1d(np.arange(len(self._held_out[1])), rows))
        return other

    def refit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        rng: np.random.RandomState | None = None,
        like: Self | None = None,
        given: Floats | None = None,
        run: Runner | None = None,
    ) -> Self:
        """A copy whose models with a seat are trained on more labels; weights and exponents stay.

        Parameters
        ----------
        X, y, sample_weight, X_unlabeled, like, run
            As in `Committee.refit`.
        rng : RandomState, optional
            Not used: every model keeps the seed of the first fit.
        given : ndarray of shape (n,), optional
            Weights of the labels that were given, 0 for those found. A model that spreads labels over
            unlabelled rows by itself is trained on given labels only: those found by the committee
            would decide what it says of the rows near them.
        """
        check_is_fitted(self)
        other = copy(self)
        present, codes = np.unique(y, return_inverse=True)
        there = {} if like is None else like.members_
        kept = {name: there[name] for name in self.seats_ if name in there and self._is_blind(name)}
        new = {name: clone(self.models_[name]) for name in self.seats_ if name not in kept}
        fitted = self._each(_fit_known, new, X, codes, sample_weight, X_unlabeled, given, run=run)
        members = kept | survivors(fitted, "trained", self.failures, len(kept))
        other.seats_ = {name: n for name, n in self.seats_.items() if name in members}
        other.members_ = {name: members[name] for name in other.seats_}
        other.present_ = np.searchsorted(self.classes_, present)
        return other

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each seat, shape (M, N, K)."""
        check_is_fitted(self)
        asked = self._each(probabilities, self.members_, X, len(self.present_))
        said = survivors(asked, "asked", self.failures)
        P = [sharpened(p, self.exponents_[name]) for name, p in said.items()]
        seats = [self.seats_[name] for name in said]
        return aligned(np.repeat(P, seats, axis=0), self.present_, len(self.classes_))

    def predict_proba(self, X: Table) -> Floats:
        """Mean over the seats, shape (N, K), a block of rows at a time."""
        blocks = [
            self.predict_members(take(X, slice(start, start + _BLOCK_ROWS))).mean(axis=0)
            for start in range(0, max(X.shape[0], 1), _BLOCK_ROWS)
        ]
        return np.concatenate(blocks)

    def _is_blind(self, name: str) -> bool:
        """Whether a model never looks at unlabelled rows."""
        return not learns_from_unlabeled(self.models_[name])

    def _each(
        self,
        work: Callable[..., Any],
        models: dict[str, Classifier],
        *args: Any,
        run: Runner | None = None,
    ) -> dict[str, Any]:
        """Results of work(model, *args), or what failed, by name.

        n_jobs models at once, each with one thread: small models are slower with several.
        """
        alone = _Alone()
        calls = [
            delayed(attempt)(self.member_seconds, alone, work, model, *args) for model in models.values()
        ]
        with alone.here():
            return dict(zip(models, run_each(calls, self.n_jobs, _WORDS[work], run), strict=True))

    def _try(
        self,
        X: Table,
        codes: Ints,
        sample_weight: Floats | None,
        X_unlabeled: Table | None,
        trials: dict[str, tuple[Classifier, Floats]],
        run: Runner | None,
    ) -> Self:
        """Cross-validate the models that are not in `trials`, weigh all of them, keep those with a seat."""
        new = {name: clone(model) for name, model in self.models_.items() if name not in trials}
        fitted = self._each(fit_folds, new, X, codes, self._folds, sample_weight, X_unlabeled, run=run)
        trials = trials | survivors(fitted, "trained", self.failures, len(trials))
        self.models_ = {name: model for name, model in self.models_.items() if name in trials}
        self._trials = {name: trials[name] for name in self.models_}
        held = np.arange(len(codes) if self._folds else 0)
        weight = np.ones(len(held)) if sample_weight is None else np.asarray(sample_weight)[held]
        P = (
            np.stack([p[held] for _, p in self._trials.values()])
            if len(held)
            else np.empty((len(trials), 0, 0))
        )
        self._held_out = P, codes[held], weight
        self._weigh(held)
        self.members_ = {name: self._trials[name][0] for name in self.seats_}
        self.present_ = np.arange(len(self.classes_))
        return self

    def _weigh(self, rows: Ints) -> None:
        """Set exponents, weights, scores and seats by the held-out predictions of these rows.

        Without any row all models have the same weight.
        """
        P, codes, weight = self._held_out
        P, codes, weight = P[:, rows], codes[rows], weight[rows]
        names = list(self.models_)
        powers, w, right = np.ones(len(P)), np.full(len(P), 1 / len(P)), np.full(len(P), np.nan)
        if len(rows):
            weight = weight / weight.mean()
            powers = np.array([exponent(p, codes, weight) for p in P])
            sharp = sharpened(P, powers[:, None, None])
            w = mixture_weights(sharp, codes, weight)
            right = np.average(P.argmax(axis=2) == codes, axis=1, weights=weight)
        self.weights_ = dict(zip(names, w.tolist(), strict=True))
        self.scores_ = dict(zip(names, right.tolist(), strict=True))
        self.exponents_ = dict(zip(names, powers.tolist(), strict=True))
        self.seats_ = {name: n for name, n in zip(names, _seats(w, self.n_seats).tolist(), strict=True) if n}


def _seats(w: Floats, n_seats: int) -> Ints:
    """Seats of each model, whole numbers in proportion to the weights w (M,), shape (M,).

    Where one model would get all seats, the second best gets one of them: seats of one model never differ,
    so a committee of them alone could not tell which rows it is unsure of.
    """
    found = apportion(n_seats, w)
    if (found > 0).sum() == 1 and (w > 0).sum() > 1 and n_seats > 1:
        first, second = np.argsort(-w, kind="stable")[:2]
        found[first], found[second] = n_seats - 1, 1
    return found


class _Alone:
    """Works with one thread, so that results do not depend on how many there are."""

    def __init__(self) -> None:
        self.threads = ThreadpoolController()
        self.at_home = False

    @contextmanager
    def here(self) -> Iterator[None]:
        """What is set once for all work in this process."""
        self.at_home = True
        with warnings.catch_warnings(), self.threads.limit(limits=1):
            # A model that did not converge is weighed by what it predicts, as any other.
            warnings.simplefilter("ignore", ConvergenceWarning)
            yield

    def __call__(self, work: Callable[..., Any], *args: Any) -> Any:
        """The result of work(*args)."""
        if not self.at_home:
            with self.here():
                return work(*args)
        # The limit on OpenMP holds for one thread, so each sets its own.
        with self.threads.limit(limits=1, user_api="openmp"):
            return work(*args)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Alone, ()  # another process has its own libraries


def _fit_known(
    model: Classifier,
    X: Table,
    codes: Ints,
    sample_weight: Floats | None,
    X_unlabeled: Table | None,
    given: Floats | None,
) -> Classifier:
    """Fit a model; one that spreads labels by itself, on the given labels only."""
    if given is not None and not given.all() and spreads(model):
        X_unlabeled = stacked(take(X, given == 0), X_unlabeled)
        X, codes, sample_weight = take(X, given > 0), codes[given > 0], given[given > 0]
    return fit_weighted(model, X, codes, sample_weight, X_unlabeled)


_WORDS: dict[Callable[..., Any], str] = {
    fit_folds: "trying model",
    _fit_known: "training model",
    probabilities: "asking model",
}


def _named(estimators: Sequence[Classifier] | dict[str, Classifier] | None) -> dict[str, Classifier]:
    """Classifiers by name; those of a list are named by their class."""
    if estimators is None:
        return unlike_models()
    if isinstance(estimators, dict):
        return estimators
    return dict(zip(names_of(estimators), estimators, strict=True))

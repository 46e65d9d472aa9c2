"""The default committee: unlike models, each with a weight for what it predicts correctly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import delayed
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..budget import apportion
from ..common.limits import MOST_MEMBERS
from ..common.settings import JOBS, POSITIVE, Setting, optional, whole
from ..common.types import AnyLabels, Floats, Ints, RandomState, Table
from ..confidence import Moments
from ..heldout.record import ALONE, SEEING, HeldOut
from ..heldout.weights import blend, calibrated_blend, exponents, sharpened
from ..reading.features import take
from .base import Committee, Runner, run_each
from .encoded import View, key_of, matrices, seen_by, view_of
from .failing import Failure, attempt, probabilities, survivors
from .member_fitting import (
    Classifier,
    aligned,
    learns_from_unlabeled,
    seeded,
    stratified_folds,
)
from .models.choosing import models_for, named, terms_for
from .one_thread import OneThread
from .readable import check_models
from .text import Terms, TextSpace
from .trials import Trial, Trials, cross_validated, fit_again

# Every model is trained once for each.
_MOST_FOLDS = 100
# Rows predicted at a time: the probabilities of all members are in memory at once.
_BLOCK_ROWS = 50_000
# A model that can learn from unlabelled rows is tried without them too, under this name.
_ALONE = f", {ALONE}"


class Unlike(Committee):
    """Unlike models, calibrated and weighted by how they predict rows they have not seen.

    Cross-validation on the labelled rows gives each model an exponent (its probabilities
    are made less sure or surer) and a weight (the mixture that explains the held-out labels
    best). A model that can learn from unlabelled rows is tried with and without them. Weights become
    seats: a model with a quarter of the weight speaks for a quarter of the members, one without a seat
    is dropped and never trained on all rows. One bad model cannot spoil the rest.

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
    power_ : float
        Power to which the mean of all members is raised at last.
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
    # Trained on found labels these models are no better, at several times the cost (docs/defaults.md).
    found_weight = "none"
    # The seats of one model agree with each other whether they are right or wrong (docs/defaults.md).
    test_floor = 2.0
    # Committees of older files were not calibrated as a whole.
    power_ = 1.0

    seats_: dict[str, int]
    _trials: Trials  # only weighing the models needs them: a copy that only predicts has none

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
        return any(map(learns_from_unlabeled, named(self.estimators).values()))

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
        terms = terms_for(self.estimators, X, X_unlabeled)
        models = {name: seeded(model, rng) for name, model in models_for(self.estimators, X, terms).items()}
        self.failed_: dict[str, str] = {}
        self._trials = Trials(stratified_folds(codes, self.n_folds, rng), codes, sample_weight)
        alone = self._tried(models, X, None, terms, run)
        seeing: dict[str, Trial] = {}
        if X_unlabeled is not None:
            self._trials = replace(self._trials, tried=alone)
            learning = {name: model for name, model in models.items() if learns_from_unlabeled(model)}
            seeing = self._tried(learning, X, X_unlabeled, terms, run)
        named = {name + _ALONE if name in seeing else name: trial for name, trial in alone.items()}
        self._trials = replace(self._trials, tried=seeing | named)
        return self._seated(list(self._trials.tried), run)

    def blind(
        self, X: Table, y: AnyLabels, sample_weight: Floats | None = None, *, run: Runner | None = None
    ) -> Self:
        """The committee fitted as this one was, but without unlabelled rows; X and y are those of `fit`.

        Its models have been tried; those that get a seat only now are trained on all rows.
        """
        other = copy(self)
        return other._seated(self._trials.blind(), run)

    def for_prediction(self) -> Self:
        """A copy with all that predicting needs, and nothing that only weighing the models needed."""
        other = copy(self)
        other.__dict__.pop("_trials", None)
        return other

    def without(self, rows: Ints) -> Self:
        """A copy whose weights are made on the other rows of `fit`; to be refitted.

        Parameters
        ----------
        rows : ndarray of int
            Positions in the X of `fit`.
        """
        other = copy(self)
        held = self._trials.held_out()
        other._weigh(held.of(list(self.weights_)).rows(np.setdiff1d(np.arange(len(held)), rows)))
        return other

    def opinions(self) -> HeldOut | None:
        """What the committee says of the labelled rows without their labels; None without folds.

        Two candidates: trained on labels alone, and on the unlabelled rows too. Exponents and weights that
        are applied to a fold are those of the other folds.
        """
        held = self._trials.held_out()
        if not len(held):
            return None
        names = (ALONE, self._trials.blind()), (SEEING, list(held.names))
        alone, seeing = (held.of(some).merged(name, calibrated_blend) for name, some in names)
        return alone.beside(seeing)

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
        """A copy whose models with a seat are trained on more labels; weights and encodings stay.

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
        more = (X, codes, sample_weight, X_unlabeled, given)
        tried = {name: self._trials.tried[name] for name in self.seats_}
        calls = {name: (trial.model, trial.view, *more) for name, trial in tried.items()}
        members = survivors(self._each(fit_again, calls, run), "trained", self.failures)
        other.seats_ = {name: n for name, n in self.seats_.items() if name in members}
        other.members_ = {name: members[name] for name in other.seats_}
        other.present_ = np.searchsorted(self.classes_, present)
        return other

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each seat, shape (M, N, K)."""
        P, seats = self._said(X)
        return np.repeat(P, seats, axis=0)

    def opinion(self, X: Table) -> Moments:
        """Mean and variance over the seats; the mean is calibrated, as that of `predict_proba`."""
        P, seats = self._said(X)
        share = seats / seats.sum()
        mean = np.tensordot(share, P, axes=1)
        variance = np.maximum(np.tensordot(share, P**2, axes=1) - mean**2, 0.0)
        return Moments(sharpened(mean, self.power_), variance, int(seats.sum()))

    def predict_proba(self, X: Table) -> Floats:
        """Mean over the seats, calibrated, shape (N, K), a block of rows at a time."""
        blocks = [
            self.opinion(take(X, slice(start, start + _BLOCK_ROWS))).mean
            for start in range(0, max(X.shape[0], 1), _BLOCK_ROWS)
        ]
        return np.concatenate(blocks)

    def _said(self, X: Table) -> tuple[Floats, Ints]:
        """What each model with a seat says, shape (m, N, K), and its seats (m,); each view is made once."""
        check_is_fitted(self)
        shown = matrices(self.members_.values(), X)
        calls = {
            name: (*seen_by(member, X, shown), len(self.present_)) for name, member in self.members_.items()
        }
        said = survivors(self._each(probabilities, calls), "asked", self.failures)
        P = np.stack([sharpened(p, self.exponents_[name]) for name, p in said.items()])
        seats = np.array([self.seats_[name] for name in said])
        return aligned(P, self.present_, len(self.classes_)), seats

    def _each(
        self, work: Callable[..., Any], calls: dict[str, tuple[Any, ...]], run: Runner | None = None
    ) -> dict[str, Any]:
        """Results of work(*args), or what failed, by name.

        n_jobs models at once, each with one thread: small models are slower with several.
        """
        alone = OneThread()
        delayed_calls = [delayed(attempt)(self.member_seconds, alone, work, *args) for args in calls.values()]
        with alone.here():
            return dict(zip(calls, run_each(delayed_calls, self.n_jobs, _WORDS[work], run), strict=True))

    def _tried(
        self,
        models: dict[str, Classifier],
        X: Table,
        X_unlabeled: Table | None,
        terms: Terms | None,
        run: Runner | None,
    ) -> dict[str, Trial]:
        """Cross-validate models; those that see nothing that others do not see are left out."""
        trials = self._trials
        tables = [X] if X_unlabeled is None else [X, X_unlabeled]
        space = None if terms is None else TextSpace(terms).learn(tables)
        views = self._each(
            view_of, {key_of(model): (model, X, X_unlabeled, space) for model in models.values()}
        )
        seen = {name: (model, views[key_of(model)]) for name, model in models.items()}
        calls = {
            name: (model, view, trials.folds, trials.codes, trials.weight)
            for name, (model, view) in seen.items()
            if isinstance(view, Failure) or not view.idle
        }
        if not calls and not trials.tried:
            raise ValueError(
                "There is nothing to learn from: the labelled rows have nothing that a model reads. Where "
                "all columns are free text, that of the labelled rows has no words."
            )
        tried = self._each(cross_validated, calls, run)
        found = survivors(tried, "trained", self.failures, len(trials.tried))
        return {name: Trial(*seen[name], *result) for name, result in found.items()}

    def _seated(self, names: list[str], run: Runner | None) -> Self:
        """Weigh some of the models, and train those with a seat on all rows where that is not done."""
        self._weigh(self._trials.held_out().of(names))
        new = self._trials.unfitted(self.seats_)
        fitted = survivors(
            self._each(View.fit, new, run), "trained", self.failures, len(self.seats_) - len(new)
        )
        self._trials = self._trials.with_fitted(fitted)
        self.members_ = {
            name: self._trials.tried[name].fitted
            for name in self.seats_
            if self._trials.tried[name].fitted is not None
        }
        self.seats_ = {name: self.seats_[name] for name in self.members_}
        self.present_ = np.arange(len(self.classes_))
        return self

    def _weigh(self, held: HeldOut) -> None:
        """Set exponents, weights, scores and seats by held-out predictions.

        Without any row all models have the same weight.
        """
        names, made = held.names, blend(held)
        self.weights_ = dict(zip(names, made.weights.tolist(), strict=True))
        self.scores_ = dict(zip(names, held.share_right.tolist(), strict=True))
        self.exponents_ = dict(zip(names, made.exponents.tolist(), strict=True))
        seats = _seats(made.weights, self.n_seats).tolist()
        self.seats_ = {name: n for name, n in zip(names, seats, strict=True) if n}
        merged = held.merged("all", blend)
        self.power_ = float(exponents(merged.P, held.codes, held.weight)[0]) if len(held) else 1.0


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


_WORDS: dict[Callable[..., Any], str] = {
    view_of: "encoding",
    cross_validated: "trying model",
    View.fit: "training model",
    fit_again: "training model",
    probabilities: "asking model",
}

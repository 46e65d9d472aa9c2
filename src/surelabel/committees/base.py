"""Committees: what yields P (M, N, K), the probabilities of several models.

A committee is a classifier that can also tell its members apart: `predict_members`
gives P, and `predict_proba` their mean. To add one, say in `_draw` which models are
its members and on which rows each is trained.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..common.notice import logger
from ..reading.features import take
from .member_fitting import aligned, fit_present, seeded, seeds_of
from .models.default import trees


class BaseCommittee(ClassifierMixin, BaseEstimator):
    """What all committees share: train the members, gather their probabilities."""

    members_: Any
    present_: Any

    def fit(self, X, y, sample_weight=None, X_unlabeled=None):
        """Train every member on (X, y); members that can also learn from X_unlabeled."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = check_random_state(self.random_state)
        draws = [(seeded(member, rng), rows) for member, rows in self._draw(X, codes, rng)]
        if not draws:
            raise ValueError(f"{self!r} has no member; a committee needs at least one.")
        calls = [
            delayed(_fit_member)(member, X, codes, sample_weight, rows, X_unlabeled) for member, rows in draws
        ]
        fitted = fit_each(calls, self.n_jobs, "training member")
        self.members_ = [member for member, _ in fitted]
        self.present_ = [present for _, present in fitted]
        return self

    def predict_members(self, X):
        """Probabilities of each member, shape (M, N, K)."""
        check_is_fitted(self)
        calls = [delayed(member.predict_proba)(X) for member in self.members_]
        P = run_each(calls, self.n_jobs, "asking member")
        K = len(self.classes_)
        return np.stack([aligned(p, present, K) for p, present in zip(P, self.present_, strict=True)])

    def predict_proba(self, X):
        """Mean of the members' probabilities, shape (N, K)."""
        return self.predict_members(X).mean(axis=0)

    def predict(self, X):
        """The most probable class, shape (N,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @property
    def uses_unlabeled(self):
        """Whether a member learns from unlabelled rows."""
        return any(has_fit_parameter(model, "X_unlabeled") for model in self._models())

    def _models(self):
        """The kinds of model among the members."""
        return []

    def _draw(self, X, codes, rng):
        """Yield (unfitted member, rows to train on; None for all)."""
        raise TypeError(f"{type(self).__name__} must say who its members are.")


def run_each(calls, n_jobs, what):
    """Results of delayed calls, n_jobs at once; each is written to the log as it comes."""
    # Threads: the members worth running in parallel release the lock.
    return _logged(Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(calls), len(calls), what)


def fit_each(calls, n_jobs, what):
    """As `run_each`, for calls that train: elsewhere, within `trained_by`."""
    train = _elsewhere.get()
    return run_each(calls, n_jobs, what) if train is None else _logged(train(calls), len(calls), what)


_elsewhere: ContextVar[Callable | None] = ContextVar("trains members elsewhere", default=None)


@contextmanager
def trained_by(train):
    """Within this block, members of committees are trained by `train`: delayed calls -> their results."""
    token = _elsewhere.set(train)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def _logged(results, n, what):
    found = []
    for result in results:
        found.append(result)
        logger.debug("%s %d of %d", what, len(found), n)
    return found


def _fit_member(member, X, codes, sample_weight, rows, X_unlabeled):
    if rows is not None:
        X, codes = take(X, rows), codes[rows]
        sample_weight = None if sample_weight is None else sample_weight[rows]
    return fit_present(member, X, codes, sample_weight, X_unlabeled)


def as_committee(committee):
    """A committee from what the user gave: one, a list of classifiers, or a classifier."""
    if isinstance(committee, (list, tuple)):
        return Panel(list(committee))
    return committee if hasattr(committee, "predict_members") else Panel([committee])


class Panel(BaseCommittee):
    """A committee of the given classifiers, one member each.

    Parameters
    ----------
    estimators : list of classifiers
        Any scikit-learn classifiers with `predict_proba`.
    n_jobs : int, optional
        Members to run at once.
    random_state : int or RandomState, optional
        Seeds every member. In a `PseudoLabelClassifier` its own random_state counts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> Panel([GaussianNB(), LogisticRegression(max_iter=1000)]).fit(X, y).predict_members(X).shape
    (2, 150, 3)
    """

    def __init__(self, estimators, *, n_jobs=None, random_state=None):
        self.estimators = estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _models(self):
        return self.estimators

    def _draw(self, X, codes, rng):
        return [(estimator, None) for estimator in self.estimators]


class Repeated(BaseCommittee):
    """One classifier several times, over seeds or over bootstrap samples.

    Parameters
    ----------
    estimator : classifier, optional
        By default extra-trees that read numbers, categories and missing values.
    n_members : int, default=20
        Number of members.
    over : {"seeds", "bootstrap"}, default="seeds"
        "seeds": members differ by their random_state. "bootstrap": also by their rows,
        drawn with replacement within each class, so that none loses a class.
    n_jobs : int, optional
        Members to run at once.
    random_state : int or RandomState, optional
        Seeds every member. In a `PseudoLabelClassifier` its own random_state counts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> Repeated(GaussianNB(), 5, over="bootstrap", random_state=0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    def __init__(self, estimator=None, n_members=20, *, over="seeds", n_jobs=None, random_state=None):
        self.estimator = estimator
        self.n_members = n_members
        self.over = over
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _models(self):
        return [] if self.estimator is None else [self.estimator]

    def _draw(self, X, codes, rng):
        if self.over not in ("seeds", "bootstrap"):
            raise ValueError(f'over must be "seeds" or "bootstrap"; it is {self.over!r}.')
        member = trees() if self.estimator is None else self.estimator
        if self.over == "seeds" and self.n_members > 1 and not seeds_of(member):
            raise ValueError(
                f"{type(member).__name__} has no random_state, so members over seeds would all be the "
                'same. Use over="bootstrap".'
            )
        for _ in range(self.n_members):
            yield member, _bootstrap(codes, rng) if self.over == "bootstrap" else None


def _bootstrap(codes, rng):
    """Rows drawn with replacement within each class, shape (N,)."""
    groups = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    return np.concatenate([rng.choice(rows, len(rows)) for rows in groups])

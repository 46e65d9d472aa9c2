"""What a committee is: a classifier that can tell its members apart.

`predict_members` gives P (M, N, K), the probabilities of every member, and is the one thing that must be
given beside `fit`. Every other ability has a default that is right for any classifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from ..advice.cleaning import Cleaning
from ..common.notice import logger
from ..common.settings import Checked
from ..common.types import AnyLabels, Floats, Ints, Table, Values
from ..confidence import Moments
from ..heldout.record import HeldOut
from .member_fitting import seeded

# Runs delayed calls that train members, and yields their results in order: on another machine, for example.
Runner = Callable[[Sequence[Any]], Iterable[Any]]


class Committee(Checked, ClassifierMixin, BaseEstimator):
    """What yields P (M, N, K).

    To write a new committee, define `fit` and `predict_members`; everything else has a default.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.

    See Also
    --------
    Panel, Repeated : Committees of any classifiers.
    as_committee : A committee from what a user gives.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel.committees.base import Committee
    >>> class Certain(Committee):
    ...     def fit(self, X, y, sample_weight=None, X_unlabeled=None, *, run=None):
    ...         self.classes_ = np.unique(y)
    ...         return self
    ...
    ...     def predict_members(self, X):
    ...         return np.ones((1, len(X), 1))
    >>> Certain().fit([[0.0]], [7]).predict([[1.0]])
    array([7])
    """

    classes_: Values

    # Whether `refit` keeps what the first fit found out. If so, a run that is resumed makes the first fit
    # again, and a committee whose predictions hardly change is not trained again.
    builds_on_first_fit: ClassVar[bool] = False
    # What labels that were found weigh in training where the user does not say: "balanced", or "none".
    found_weight: ClassVar[str] = "balanced"
    # What `TTest` adds to the variances of this committee's members where its floor is not given.
    test_floor: ClassVar[float] = 0.1
    # What became of given labels that look wrong, where it was to look for them.
    cleaning: Cleaning | None = None

    @property
    def expected_members(self) -> int | None:
        """Number of members M, where that is known before training."""
        return None

    @property
    def uses_unlabeled(self) -> bool:
        """Whether `fit` learns from unlabelled rows."""
        return False

    @property
    def failures(self) -> dict[str, str]:
        """Members that failed, and why; empty where none did."""
        # Committees of older files have no such attribute.
        return self.__dict__.setdefault("failed_", {})

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train on (X, y), and on X_unlabeled where that is of use; `run` trains members elsewhere."""
        raise TypeError(f"{type(self).__name__} must say how it is trained.")

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each member, shape (M, N, K)."""
        raise TypeError(f"{type(self).__name__} must say what its members predict.")

    def opinion(self, X: Table) -> Floats | Moments:
        """P (M, N, K), or its moments where a committee never holds P."""
        return self.predict_members(X)

    def predict_proba(self, X: Table) -> Floats:
        """Mean of the members' probabilities, shape (N, K)."""
        return self.predict_members(X).mean(axis=0)

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (N,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

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
        """A committee trained on more labels; this one stays as it is.

        Parameters
        ----------
        X, y, sample_weight, X_unlabeled, run
            As in `fit`.
        rng : RandomState
            Seeds what is trained anew.
        like : Committee, optional
            Trained on the same labels and on unlabelled rows too; given where the new committee must not
            see unlabelled rows. Models of it that never look at these may be used again.
        given : ndarray of shape (n,), optional
            Weights of the labels that were given; 0 for labels that were found.
        """
        return seeded(self, rng).fit(X, y, sample_weight, X_unlabeled, run=run)

    def blind(
        self, X: Table, y: AnyLabels, sample_weight: Floats | None = None, *, run: Runner | None = None
    ) -> Self:
        """The committee fitted as this one was, but without unlabelled rows; X and y are those of `fit`."""
        return clone(self).fit(X, y, sample_weight, run=run)

    def without(self, rows: Ints) -> Self:
        """The fitted committee without what it knows of some rows of its X, to be refitted on the others."""
        return self

    def opinions(self) -> HeldOut | None:
        """What it says of the labelled rows of `fit` without their labels; None where it does not know.

        Two candidates: the committee trained on labels alone, and on the unlabelled rows too.
        """
        return None

    def for_prediction(self) -> Committee:
        """A copy with all that predicting needs, and nothing that only training needed."""
        return self


def run_each(calls: Sequence[Any], n_jobs: int | None, what: str, run: Runner | None = None) -> list[Any]:
    """Results of delayed calls, n_jobs at once or by `run`; each is written to the log as it comes."""
    found = []
    for result in (_here(n_jobs) if run is None else run)(calls):
        found.append(result)
        logger.debug("%s %d of %d", what, len(found), len(calls))
    return found


def _here(n_jobs: int | None) -> Runner:
    """Runs calls in this process, n_jobs at once."""
    if effective_n_jobs(n_jobs) == 1:
        # Asked about one row, members are so quick that starting joblib shows.
        return lambda calls: (work(*args, **options) for work, args, options in calls)
    # Threads: the members that are worth running in parallel release Python's lock.
    runner: Runner = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    return runner

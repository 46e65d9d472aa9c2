"""Committees of any classifiers: those of a list, one several times, or a committee from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Self

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..common.limits import MOST_MEMBERS
from ..common.settings import JOBS, Setting, one_of, shown, whole
from ..common.types import AnyLabels, Floats, Ints, RandomState, Table
from ..reading.features import take
from .base import Committee, Runner, run_each
from .failing import attempt, names_of, probabilities, survivors
from .member_fitting import (
    Classifier,
    aligned,
    fit_present,
    fit_weighted,
    learns_from_unlabeled,
    seeded,
    seeds_of,
)
from .models.trees import trees
from .readable import check_classifier, check_models

# A member to be fitted, and the rows to train it on; None for all.
_Draw = tuple[Classifier, Ints | None]
# Rows that a fitted member is asked about, to see whether it answers in probabilities.
_TRIED_ROWS = 10


class Members(Committee):
    """A committee whose members are drawn, then trained one by one.

    To add one, say in `_draw` which models are its members and on which rows each is trained.
    """

    takes: ClassVar[dict[str, Setting]] = {"n_jobs": JOBS}
    members_: list[Classifier]
    present_: list[Ints]
    failed_: dict[str, str]
    random_state: RandomState
    n_jobs: int | None

    @property
    def uses_unlabeled(self) -> bool:
        """Whether a member learns from unlabelled rows."""
        return any(learns_from_unlabeled(model) for model in self._models())

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train every member on (X, y); members that can also learn from X_unlabeled."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = check_random_state(self.random_state)
        draws = [(seeded(member, rng), rows) for member, rows in self._draw(X, codes, rng)]
        if not draws:
            raise ValueError(f"{self!r} has no member; a committee needs at least one.")
        calls = [
            delayed(attempt)(None, _fit_member, member, X, codes, sample_weight, rows, X_unlabeled)
            for member, rows in draws
        ]
        fitted = run_each(calls, self.n_jobs, "training member", run)
        names = names_of(member for member, _ in draws)
        self.failed_ = {}
        left = survivors(dict(zip(names, fitted, strict=True)), "trained", self.failed_)
        self.members_ = [member for member, _ in left.values()]
        self.present_ = [present for _, present in left.values()]
        return self

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each member, shape (M, N, K)."""
        check_is_fitted(self)
        members = zip(self.members_, self.present_, strict=True)
        known = dict(zip(names_of(self.members_), members, strict=True))
        calls = [
            delayed(attempt)(None, probabilities, member, X, len(present))
            for member, present in known.values()
        ]
        asked = run_each(calls, self.n_jobs, "asking member")
        P = survivors(dict(zip(known, asked, strict=True)), "asked", self.failures)
        return np.stack([aligned(p, known[name][1], len(self.classes_)) for name, p in P.items()])

    def _models(self) -> Sequence[Classifier]:
        """The kinds of model among the members."""
        return []

    def _draw(self, X: Table, codes: Ints, rng: np.random.RandomState) -> Iterable[_Draw]:
        """The members, to be fitted, and the rows to train each on; None for all."""
        raise TypeError(f"{type(self).__name__} must say who its members are.")


def _fit_member(
    member: Classifier,
    X: Table,
    codes: Ints,
    sample_weight: Floats | None,
    rows: Ints | None,
    X_unlabeled: Table | None,
) -> tuple[Classifier, Ints]:
    if rows is not None:
        X, codes = take(X, rows), codes[rows]
        sample_weight = None if sample_weight is None else sample_weight[rows]
    fitted, present = fit_present(member, X, codes, sample_weight, X_unlabeled)
    probabilities(fitted, take(X, np.arange(min(len(codes), _TRIED_ROWS))), len(present))
    return fitted, present


class Panel(Members):
    """A committee of the given classifiers, one member each.

    Parameters
    ----------
    estimators : list of classifiers
        Any scikit-learn classifiers with `predict_proba`.
    n_jobs : int, optional
        Members to run at once.
    random_state : int or RandomState, optional
        Seeds every member. In a `PseudoLabelClassifier` its own random_state counts.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    members_ : list of classifiers
        The fitted members, trained on positions in classes_.
    failed_ : dict
        Members that could not be trained or asked, and why; the committee goes on without them.

    See Also
    --------
    Repeated : One classifier several times.
    Unlike : Members weighted by what each predicts correctly.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Panel
    >>> X, y = load_iris(return_X_y=True)
    >>> Panel([GaussianNB(), LogisticRegression(max_iter=1000)]).fit(X, y).predict_members(X).shape
    (2, 150, 3)
    """

    def __init__(
        self,
        estimators: Sequence[Classifier],
        *,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimators = estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def expected_members(self) -> int:
        """Number of classifiers."""
        return len(self.estimators)

    def check(self) -> None:
        """Refuse what are no classifiers."""
        super().check()
        if self.estimators is None:
            raise TypeError("Panel takes a list of classifiers; it is None. Unlike() has models of its own.")
        check_models(self)

    def _models(self) -> Sequence[Classifier]:
        return self.estimators

    def _draw(self, X: Table, codes: Ints, rng: np.random.RandomState) -> list[_Draw]:
        return [(estimator, None) for estimator in self.estimators]


class Repeated(Members):
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

    Attributes
    ----------
    classes_, members_
        As those of `Panel`.

    See Also
    --------
    Panel : Different classifiers.
    trees : The default member.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Repeated
    >>> X, y = load_iris(return_X_y=True)
    >>> Repeated(GaussianNB(), 5, over="bootstrap", random_state=0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    takes: ClassVar[dict[str, Setting]] = {
        "n_members": whole(1, MOST_MEMBERS),
        "over": one_of(["seeds", "bootstrap"]),
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        estimator: Classifier | None = None,
        n_members: int = 20,
        *,
        over: str = "seeds",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_members = n_members
        self.over = over
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def expected_members(self) -> int:
        """Number of members."""
        return self.n_members

    def check(self) -> None:
        """Refuse what is no classifier, and a number of members or a way to draw them that there is not."""
        super().check()
        check_models(self)
        member = self._member()
        if self.over == "seeds" and self.n_members > 1 and not seeds_of(member):
            raise ValueError(
                f"{type(member).__name__} has no random_state, so members over seeds would all be the "
                'same. Use over="bootstrap".'
            )

    def _member(self) -> Classifier:
        return trees() if self.estimator is None else self.estimator

    def _models(self) -> Sequence[Classifier]:
        return [] if self.estimator is None else [self.estimator]

    def _draw(self, X: Table, codes: Ints, rng: np.random.RandomState) -> Iterator[_Draw]:
        self.check()
        member = self._member()
        for _ in range(self.n_members):
            yield member, _bootstrap(codes, rng) if self.over == "bootstrap" else None


def _bootstrap(codes: Ints, rng: np.random.RandomState) -> Ints:
    """Rows drawn with replacement within each class, shape (N,)."""
    groups = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    return np.concatenate([rng.choice(rows, len(rows)) for rows in groups])


class Wrapped(Committee):
    """A committee that is not a `Committee`: anything with `fit`, `predict_members` and `predict_proba`.

    Parameters
    ----------
    committee : estimator
        What to wrap.
    """

    def __init__(self, committee: Classifier) -> None:
        self.committee = committee

    @property
    def uses_unlabeled(self) -> bool:
        """Whether the wrapped committee's `fit` takes unlabelled rows."""
        return learns_from_unlabeled(self.committee)

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train the wrapped committee."""
        self.committee_ = fit_weighted(clone(self.committee), X, y, sample_weight, X_unlabeled)
        self.classes_ = self.committee_.classes_
        return self

    def predict_members(self, X: Table) -> Floats:
        """P (M, N, K) of the wrapped committee."""
        return self.committee_.predict_members(X)

    def predict_proba(self, X: Table) -> Floats:
        """The probabilities that the wrapped committee gives, shape (N, K)."""
        return self.committee_.predict_proba(X)


def as_committee(committee: Classifier | Sequence[Classifier]) -> Committee:
    """A committee from what the user gave: one, a list of classifiers, or a classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> as_committee(GaussianNB())
    Panel(estimators=[GaussianNB()])
    """
    if isinstance(committee, Committee):
        committee.check()
        return committee
    if isinstance(committee, (list, tuple)):
        if not committee:
            raise ValueError("committee=[] has no member; a committee needs at least one.")
        for number, model in enumerate(committee):
            check_classifier(model, f"committee[{number}]")
        return Panel(list(committee))
    if isinstance(committee, (str, dict)):
        raise TypeError(
            "committee must be a committee, such as Unlike() or RandomXGBoost(), a classifier, or a list of "
            f"classifiers; it is {shown(committee)}."
        )
    if hasattr(committee, "predict_members") and not isinstance(committee, type):
        return Wrapped(committee)
    check_classifier(committee, "committee")
    return Panel([committee])

"""The paper's committee of XGBoost models; this file and `dask.spread` are those that know XGBoost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..common.limits import LARGEST_SEED, MOST_MEMBERS
from ..common.notice import notice
from ..common.settings import JOBS, Setting, one_of, whole
from ..common.types import AnyLabels, Bools, Floats, Ints, RandomState, Table, Values
from ..common.versions import installed
from ..reading.features import category_mask, numbers, take
from ..saving.codec import Stand
from .base import Committee, Runner, run_each

# Of the xgboost package, which has no annotations.
_Booster = Any

_LEARNING_RATE = 0.3  # of every member on the short schedule: the highest the paper draws
_PATIENCE = 10  # trees over which the training loss must fall
_LEAST_FALL = 0.05  # by this share of it, or the member is done
_BINS = {"short": 64, "paper": 256}  # of each column; small nodes cost as much as there are bins
_BLOCK = 65_536  # rows of the pool that are a matrix of numbers at once


class RandomXGBoost(Committee):
    """The paper's committee: XGBoost models with random hyper-parameters.

    Learning rate 0.01 to 0.3, depth 3 to 20, subsample 0.5 to 1, columns by tree and by
    level 0.4 to 1, 100 to 1000 trees. Needs XGBoost: `pip install ".[xgboost-cpu]"` in a clone.

    Parameters
    ----------
    n_members : int, default=20
        Number of members.
    schedule : {"short", "paper"}, default="short"
        "paper": as many trees as drawn, at the learning rate drawn. "short": all members learn at a rate
        of 0.3, with fewer trees in proportion; they end when ten trees lower the training loss by less
        than 5%, and see 64 bins of a column instead of 256. It predicts about the same in a fraction of
        the time.
    drawn_by : int, optional
        A seed that draws the hyper-parameters, so that they are the same in every round. By default
        random_state draws them, anew each time the committee is trained.
    n_jobs : int, optional
        Members to run at once; each uses one thread.
    random_state : int or RandomState, optional
        Draws the hyper-parameters and seeds every member.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes.
    members_ : list of xgboost.Booster
        The fitted members.
    parameters_ : list of dict
        What was drawn for each member, under the names of `XGBClassifier`.

    See Also
    --------
    Repeated : Any classifier several times, XGBClassifier too.
    Unlike : The default committee.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import RandomXGBoost
    >>> X, y = load_iris(return_X_y=True)
    >>> RandomXGBoost(2, random_state=0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    takes: ClassVar[dict[str, Setting]] = {
        "n_members": whole(1, MOST_MEMBERS),
        "schedule": one_of(_BINS),
        "n_jobs": JOBS,
    }
    members_: list[_Booster]

    def __init__(
        self,
        n_members: int = 20,
        *,
        schedule: str = "short",
        drawn_by: int | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_members = n_members
        self.schedule = schedule
        self.drawn_by = drawn_by
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def expected_members(self) -> int:
        """Number of members."""
        return self.n_members

    def check(self) -> None:
        """Refuse numbers of members and jobs or a schedule that there are not; XGBoost must be installed."""
        super().check()
        load_xgboost()

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
        *,
        run: Runner | None = None,
    ) -> Self:
        """Train every member on (X, y); unlabelled rows are of no use to it."""
        classes, codes = np.unique(y, return_inverse=True)
        plans = self.plan(classes)
        binned = _Binned(X, codes, sample_weight, plans[0].n_bins)
        calls = [delayed(_grow)(plan, binned) for plan in plans]
        self.members_ = run_each(calls, self.n_jobs, "training member", run)
        return self

    def plan(self, classes: Values) -> list[Plan]:
        """Draw the members for these classes (K,): a list of `Plan`, one for each."""
        self.check()
        self.classes_ = classes
        rng = check_random_state(self.random_state if self.drawn_by is None else self.drawn_by)
        self.parameters_ = [draw(rng) for _ in range(self.n_members)]
        short = self.schedule == "short"
        task = _objective(len(classes)) | {"max_bin": _BINS[self.schedule], "nthread": 1}
        return [Plan.of(shortened(p) if short else p, task, short) for p in self.parameters_]

    def predict_members(self, X: Table) -> Floats:
        """Probabilities of each member, shape (M, N, K)."""
        check_is_fitted(self)
        n_rows = X.shape[0]
        P = np.empty((len(self.members_), n_rows, len(self.classes_)))
        with Parallel(n_jobs=self.n_jobs, prefer="threads") as parallel:
            for begin in range(0, n_rows, _BLOCK):
                rows = slice(begin, begin + _BLOCK)
                block = plain(take(X, rows))
                found = parallel(delayed(_predict)(member, block) for member in self.members_)
                for out, p in zip(P, found, strict=True):
                    # Two classes come as the probability of the second alone.
                    out[rows] = p if p.ndim == 2 else np.column_stack([1 - p, p])[:, : out.shape[1]]
        return P


@dataclass(frozen=True)
class Plan:
    """How to train a member.

    Parameters
    ----------
    settings : dict
        For XGBoost.
    n_trees : int
        Most trees.
    may_end : bool
        Whether it is done when `learned` says so.
    """

    settings: dict[str, Any]
    n_trees: int
    may_end: bool

    @classmethod
    def of(cls, parameters: dict[str, Any], task: dict[str, Any], may_end: bool) -> Self:
        """A plan from parameters under the names of `XGBClassifier`."""
        own = dict(parameters)
        n_trees, seed = own.pop("n_estimators"), own.pop("random_state")
        return cls(own | task | {"seed": seed}, n_trees, may_end)

    @property
    def n_bins(self) -> int:
        """Bins of each column."""
        return self.settings["max_bin"]


class _Binned:
    """Rows as XGBoost trains on them; bins are sought once in each process."""

    def __init__(self, X: Table, codes: Ints, weight: Floats | None, n_bins: int) -> None:
        self.X, self.codes, self.weight, self.n_bins = X, codes, weight, n_bins
        self._lock = Lock()

    def matrix(self) -> Any:
        """The matrix. One thread, so that its bins cannot depend on n_jobs."""
        with self._lock:
            if not hasattr(self, "_matrix"):
                self._matrix = load_xgboost().QuantileDMatrix(
                    plain(self.X),
                    self.codes,
                    weight=self.weight,
                    feature_types=feature_types(category_mask(self.X)),
                    enable_categorical=True,
                    max_bin=self.n_bins,
                    nthread=1,
                )
        return self._matrix

    def __reduce__(self) -> tuple[Any, ...]:
        return _Binned, (self.X, self.codes, self.weight, self.n_bins)


def draw(rng: np.random.RandomState) -> dict[str, Any]:
    """Hyper-parameters of one member from the paper's ranges, as `XGBClassifier` names them."""
    return {
        "learning_rate": rng.uniform(0.01, 0.3),
        "max_depth": int(rng.randint(3, 21)),
        "subsample": rng.uniform(0.5, 1),
        "colsample_bytree": rng.uniform(0.4, 1),
        "colsample_bylevel": rng.uniform(0.4, 1),
        "n_estimators": int(rng.randint(100, 1001)),
        "random_state": int(rng.randint(LARGEST_SEED)),
    }


def _objective(n_classes: int) -> dict[str, Any]:
    """What XGBoost is to learn, and how its loss is measured."""
    if n_classes <= 2:
        return {"objective": "binary:logistic", "eval_metric": "logloss"}
    return {"objective": "multi:softprob", "eval_metric": "mlogloss", "num_class": n_classes}


def shortened(parameters: dict[str, Any]) -> dict[str, Any]:
    """The same amount of learning, trees times rate, at a rate of 0.3."""
    ratio = parameters["learning_rate"] / _LEARNING_RATE
    n_trees = math.ceil(parameters["n_estimators"] * ratio)
    return parameters | {"learning_rate": _LEARNING_RATE, "n_estimators": n_trees}


def learned(losses: Sequence[float]) -> bool:
    """Whether the last trees lowered the training loss so little that a member is done."""
    # Over several trees: one alone may fall on rows and columns that teach nothing.
    return len(losses) > _PATIENCE and losses[-1] >= (1 - _LEAST_FALL) * losses[-1 - _PATIENCE]


def _grow(plan: Plan, binned: _Binned) -> _Booster:
    matrix = binned.matrix()
    booster = load_xgboost().Booster(plan.settings, [matrix])
    losses: list[float] = []
    for number in range(plan.n_trees):
        booster.update(matrix, number)
        if plan.may_end:
            losses.append(float(booster.eval(matrix).rpartition(":")[2]))
            if learned(losses):
                break
    return booster.copy()  # without what only training needed


def _predict(booster: _Booster, block: Any) -> Floats:
    return booster.inplace_predict(block)


def feature_types(category: Bools) -> list[str] | None:
    """Which columns XGBoost is to take for categories, from a mask (d,); None for none."""
    # XGBoost reads the types again for every tree.
    return np.where(category, "c", "q").tolist() if category.any() else None


def plain(X: Table) -> Any:
    """X as XGBoost reads it in place: single precision, or rows of a sparse matrix."""
    X = numbers(X)
    return X.tocsr() if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float32)


class Grown(Stand, of=["xgboost.core.Booster"]):
    """A booster in a file."""

    @staticmethod
    def parts(value: _Booster) -> tuple[bytes, str]:
        """Its trees, and its settings, such as the number of threads."""
        return bytes(value.save_raw("ubj")), value.save_config()

    @staticmethod
    def made(trees: bytes, config: str) -> _Booster:
        """The booster."""
        # A name instead of bytes would have XGBoost open a file.
        if not isinstance(trees, bytes):
            raise TypeError(f"a booster is made from bytes, not from {type(trees).__name__}")
        booster = load_xgboost().Booster()
        booster.load_model(bytearray(trees))
        booster.load_config(config)
        return booster


def load_xgboost() -> Any:
    """The xgboost package, whichever of its two builds is installed."""
    try:
        import xgboost
    except ImportError as error:
        raise ImportError(
            "RandomXGBoost needs XGBoost, which is not installed. "
            'In a clone of surelabel, pip install ".[xgboost-cpu]" brings the small build.'
        ) from error
    if installed("xgboost") and installed("xgboost-cpu"):
        notice(
            "Both xgboost and xgboost-cpu are installed; each overwrites files of the other. "
            "Run: pip uninstall xgboost xgboost-cpu, then install one of them.",
        )
    return xgboost

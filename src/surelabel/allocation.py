"""From probabilities to labels: who gets which label within a round's budget.

Each allocator maps the candidates' mean probabilities p (N, K) and a `Budget` to an
`Allocation`. To add one, write a part with the same call; `choose` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from .budget import BOUNDS, Budget, whole_mass
from .common.notice import notice
from .common.settings import AT_LEAST_ONE, NOT_NEGATIVE, SHARE, Checked, Setting, one_of
from .common.types import Bools, Floats, Ints, Values
from .transport import Assignment, Certificate, Rows, solve

# The cost of a class that every model calls impossible is high, but finite.
_SMALLEST_PROBABILITY = 1e-12
# The entropy gives every cell some mass; less than this counts as none.
_NO_MASS = 1e-6


class Status(StrEnum):
    """Why a row has its label, or has none.

    See Also
    --------
    Allocation : Has one for each row.

    Examples
    --------
    >>> Status.ACCEPTED == "accepted"
    True
    """

    GIVEN = "given"
    ACCEPTED = "accepted"
    UNSURE = "committee not sure"
    BELOW = "below the threshold"
    SLACK = "left out by the plan"
    DISPUTED = "plan and committee disagree"
    FULL = "quota of the class was full"
    WEIGHTLESS = "weight is 0"
    UNASKED = "not reached"


@dataclass(frozen=True)
class Allocation:
    """The labels of a round.

    Parameters
    ----------
    codes : ndarray of shape (N,)
        The class each row gets; -1 for none.
    status : ndarray of shape (N,)
        A `Status` for each row.
    certificate : Certificate or None
        What the solver says of the plan; None where there was nothing to solve.
    plan : callable or None
        Positions of some rows (n,) -> what the plan gives them, shape (n, K); None where there
        is no plan.

    See Also
    --------
    choose : Makes one within quotas.

    Examples
    --------
    >>> from surelabel import Budget, Threshold
    >>> p = np.array([[0.9, 0.1], [0.6, 0.4]])
    >>> allocation = Threshold(0.8)(p, Budget(1.0, np.array([0.5, 0.5]), pool=2))
    >>> allocation.codes, [str(status) for status in allocation.status]
    (array([ 0, -1]), ['accepted', 'below the threshold'])
    """

    codes: Ints
    status: Values
    certificate: Certificate | None = None
    plan: Callable[[Ints], Floats] | None = None


def best_first(codes: Ints, score: Floats, quota: Ints) -> Bools:
    """Rows to keep so that no class exceeds its quota, best score first, shape (N,).

    Equal scores keep the order of the rows.
    """
    keep = np.zeros(len(codes), dtype=bool)
    for k, most in enumerate(quota):
        rows = np.flatnonzero(codes == k)
        keep[rows[np.argsort(-score[rows], kind="stable")[:most]]] = True
    return keep


def choose(
    codes: Ints,
    score: Floats,
    accepted: Bools,
    quota: Ints,
    refused: Status | Values = Status.BELOW,
    crowded_out: Status = Status.FULL,
    certificate: Certificate | None = None,
) -> Allocation:
    """Give the accepted rows their class, best score first, within the quotas.

    Parameters
    ----------
    codes : ndarray of shape (N,)
        The class each row would get.
    score : ndarray of shape (N,)
        Higher goes first.
    accepted : ndarray of shape (N,)
        Rows that may be labelled.
    quota : ndarray of shape (K,)
        Most rows for each class.
    refused, crowded_out : Status, or array of shape (N,)
        What to say of rows that are not accepted, and of those beyond the quota.
    certificate : Certificate, optional
        Passed on.
    """
    keep = best_first(np.where(accepted, codes, -1), score, quota)
    offer = Offer(codes, score, accepted, refused, crowded_out)
    return replace(offer.kept(keep), certificate=certificate)


@dataclass(frozen=True)
class Offer:
    """What each row would get if there were no quotas; it depends on no other row.

    Parameters
    ----------
    codes, score, accepted, refused, crowded_out
        As in `choose`.
    """

    codes: Ints
    score: Floats
    accepted: Bools
    refused: Status | Values = Status.BELOW
    crowded_out: Status = Status.FULL

    def within(self, quota: Ints, certificate: Certificate | None = None) -> Allocation:
        """The offer within the quotas."""
        return choose(
            self.codes, self.score, self.accepted, quota, self.refused, self.crowded_out, certificate
        )

    def kept(self, keep: Bools) -> Allocation:
        """The labels of the offer for some of the rows, (N,), all of them accepted."""
        status = np.empty(len(keep), dtype=object)
        status[:] = self.refused
        status[self.accepted] = self.crowded_out
        status[keep] = Status.ACCEPTED
        return Allocation(np.where(keep, self.codes, -1), status)


def above(p: Floats, gammas: Floats) -> Offer:
    """Its best class for each row in which that exceeds the class's threshold (K,)."""
    codes, best = p.argmax(axis=1), p.max(axis=1)
    return Offer(codes, best, best > gammas[codes])


@dataclass
class Threshold(Checked, BaseEstimator):
    """Take a row's best class when its probability exceeds one threshold.

    Parameters
    ----------
    gamma : float, default=0.8
        The threshold. At 0 the best rows of each class are taken: what every other allocator must beat.

    See Also
    --------
    AdaptiveThreshold : A threshold for each class.
    Transport : Rows and classes weighed together.

    Examples
    --------
    >>> from surelabel import Budget, Threshold
    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.1, 0.9]])
    >>> Threshold(0.8)(p, Budget(1.0, np.array([0.5, 0.5]), pool=3)).codes
    array([ 0, -1,  1])
    """

    gamma: float = 0.8
    takes: ClassVar[dict[str, Setting]] = {"gamma": SHARE}

    def __call__(self, p: Floats, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        return above(p, np.full(p.shape[1], self.gamma)).within(budget.quota)


@dataclass
class AdaptiveThreshold(Checked, BaseEstimator):
    """A threshold for each class, lower for those that are predicted less (FlexMatch).

    Parameters
    ----------
    gamma : float, default=0.8
        The threshold of the class that exceeds it most often.

    See Also
    --------
    Threshold : One for all classes.

    Examples
    --------
    The second class exceeds 0.8 half as often as the first, so 0.6 is enough there:

    >>> from surelabel import AdaptiveThreshold, Budget
    >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.4, 0.6], [0.6, 0.4]])
    >>> AdaptiveThreshold(0.8)(p, Budget(1.0, np.array([0.5, 0.5]), pool=5)).codes
    array([ 0,  0,  1,  1, -1])
    """

    gamma: float = 0.8
    takes: ClassVar[dict[str, Setting]] = {"gamma": SHARE}

    def __call__(self, p: Floats, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        return above(p, class_thresholds(sure_of(p, self.gamma), self.gamma)).within(budget.quota)


def sure_of(p: Floats, gamma: float) -> Ints:
    """Rows whose best class exceeds gamma, by class, shape (K,)."""
    sure = p.max(axis=1) > gamma
    return np.bincount(p.argmax(axis=1)[sure], minlength=p.shape[1])


def class_thresholds(counts: Ints, gamma: float) -> Floats:
    """Thresholds scaled by how often each class exceeds gamma, shape (K,)."""
    # No row exceeds gamma yet: every class keeps the full threshold.
    return gamma * (counts / counts.max() if counts.any() else np.ones(len(counts)))


# Which rows may be labelled, and how many of each class.
_ROWS: dict[str, tuple[Callable[[Assignment], Bools], Callable[[Floats, Ints], Ints]]] = {
    "mass": (lambda best: best.mass > _NO_MASS, lambda mass, quota: whole_mass(mass)),
    "quota": (lambda best: best.mass > _NO_MASS, lambda mass, quota: quota),
    "slack": (lambda best: best.mass > best.slack, lambda mass, quota: quota),
}
_COSTS: dict[str, Callable[[Floats], Floats]] = {
    "log": lambda p: -np.log(np.clip(p, _SMALLEST_PROBABILITY, None)),
    "linear": lambda p: 1 - p,
}


@dataclass
class Transport(Checked, BaseEstimator):
    """Label by optimal transport: rows and classes are weighed together.

    A row may stay unlabelled at no cost (its slack); each class gets a share of rows
    within bounds around its prior. Bounds are rounded to whole rows. The plan may leave a
    row out but not overrule the committee: a row is only given the class that is most
    probable for it, also where a bound asks for more rows than a class has.

    Parameters
    ----------
    bounds : {"per_class", "released", "paper"}, default="per_class"
        "per_class": each class within [share * low, share * high] of its prior; more if few rows tell it.
        "released": that upper bound, and the lower bound only in total.
        "paper": the upper bound not scaled by the round's share, the lower in total;
        easy classes are drained first.
    epsilon : float, default=0.01
        Strength of the entropy, in the unit of the costs.
    cost : {"log", "linear"}, default="log"
        -log p, or 1 - p.
    low, high : float, default=0.9 and 1.1
        The bounds, as multiples of the prior.
    rows : {"mass", "quota", "slack"}, default="mass"
        How the plan becomes labels. A row may get the class with most of its mass, best
        first; "mass": as many rows for each class as the plan has mass for it. "quota":
        as many as the round's quota for the class. "slack": that too, and only rows whose
        mass there exceeds what they leave unused. The entropy spreads mass over rows of like
        cost, and then "slack" takes none of them.

    See Also
    --------
    surelabel.transport.solve : The plan behind it.
    Threshold : Rows one by one.

    Examples
    --------
    Half of the rows; the first class has all of the surest, and yet the second gets its share:

    >>> from surelabel import Budget, Transport
    >>> p = np.repeat([[0.95, 0.05], [0.9, 0.1], [0.2, 0.8], [0.3, 0.7]], 3, axis=0)
    >>> Transport()(p, Budget(0.5, np.array([0.5, 0.5]), pool=12)).codes
    array([ 0,  0,  0,  0, -1, -1,  1,  1, -1, -1, -1, -1])
    """

    bounds: str = "per_class"
    epsilon: float = 0.01
    cost: str = "log"
    low: float = 0.9
    high: float = 1.1
    rows: str = "mass"
    takes: ClassVar[dict[str, Setting]] = {
        "bounds": one_of(BOUNDS),
        "epsilon": NOT_NEGATIVE,
        "cost": one_of(_COSTS),
        "low": SHARE,
        "high": AT_LEAST_ONE,
        "rows": one_of(_ROWS),
    }

    def __call__(self, p: Floats, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        bounds, slack = self.limits(len(p), budget)
        solution = solve(Rows(p, self.costs), 1.0, bounds, self.epsilon, slack=slack)
        quota = self.quota(solution.column_sum, budget, solution.certificate)
        offer = self.offer(p, solution.assignment())
        return replace(offer.within(quota, solution.certificate), plan=solution.rows)

    def limits(self, n: int, budget: Budget) -> tuple[tuple[Floats, Ints], tuple[int, int]]:
        """Of n candidates: the range of each class, a pair of (K,), and that of rows left out."""
        self.check()
        lower, upper, left_out = BOUNDS[self.bounds](n, budget, self.low, self.high)
        return (lower, upper), left_out

    def costs(self, p: Floats) -> Floats:
        """What each class costs each row, shape of p."""
        return _COSTS[self.cost](p)

    def quota(self, mass: Floats, budget: Budget, certificate: Certificate) -> Ints:
        """Most rows of each class, given what the plan moves to it, shape (K,)."""
        if not certificate.converged:
            notice(f"The transport solver did not converge: {certificate}", ConvergenceWarning)
        return _ROWS[self.rows][1](mass, budget.quota)

    def offer(self, p: Floats, best: Assignment) -> Offer:
        """What the plan would give each row, given its best column there."""
        accepted = _ROWS[self.rows][0](best)
        agreed = best.column == p.argmax(axis=1)
        refused = np.array([Status.DISPUTED, Status.SLACK], dtype=object)[agreed.astype(int)]
        return Offer(best.column, best.mass, accepted & agreed, refused, Status.SLACK)


@dataclass
class Negatives(Checked, BaseEstimator):
    """Find classes that a row is surely not (the negative labels of UPS).

    Parameters
    ----------
    gamma : float, default=0.2
        A class is ruled out at or below this probability...
    kappa : float, default=0.05
        ...when the committee's standard deviation on it is at most this.

    See Also
    --------
    Threshold : The labels that UPS gives beside them.

    Examples
    --------
    The third class is ruled out in the first row; what is left sums to 1.

    >>> from surelabel import Budget, Negatives
    >>> p = np.array([[0.5, 0.4, 0.1], [0.4, 0.3, 0.3]])
    >>> Negatives()(p, np.zeros((2, 3)), Budget(1.0, np.full(3, 1 / 3), pool=2)).round(2)
    array([[0.56, 0.44, 0.  ],
           [0.  , 0.  , 0.  ]])
    """

    gamma: float = 0.2
    kappa: float = 0.05
    takes: ClassVar[dict[str, Setting]] = {"gamma": SHARE, "kappa": NOT_NEGATIVE}

    def __call__(self, p: Floats, spread: Floats, budget: Budget) -> Floats:
        """Soft targets of the rows with a class ruled out, zero elsewhere, shape (N, K)."""
        ruled_out = rule_out(p, spread, self.gamma, self.kappa, budget.quota)
        return remaining(p, ruled_out)


def rule_out(p: Floats, spread: Floats, gamma: float, kappa: float, quota: Ints) -> Bools:
    """Cells that are surely not the row's class, at most quota per class, shape (N, K)."""
    low = (p <= gamma) & (spread <= kappa)
    # With one class left this would be a positive label outside its quota.
    low &= (~low).sum(axis=1, keepdims=True) > 1
    for k, most in enumerate(quota):
        rows = np.flatnonzero(low[:, k])
        low[rows[np.argsort(p[rows, k], kind="stable")[most:]], k] = False
    return low


def remaining(p: Floats, ruled_out: Bools) -> Floats:
    """P over the classes not ruled out, summing to 1 in rows that have any, shape (N, K).

    Training on these has the gradient of UPS's loss, -log(1 - sum of p ruled out).
    """
    left = np.where(ruled_out, 0.0, p)
    scale = left.sum(axis=1, keepdims=True)
    touched = ruled_out.any(axis=1, keepdims=True) & (scale > 0)
    return np.where(touched, left / np.where(scale > 0, scale, 1), 0.0)

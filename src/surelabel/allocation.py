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

from .budget import BOUNDS, Budget, Limits
from .common.notice import notice
from .common.settings import AT_LEAST_ONE, NOT_NEGATIVE, SHARE, Checked, Setting, one_of
from .common.types import Bools, Floats, Ints, Values
from .plan_rows import PLAN_ROWS, PlanRows
from .transport import Assignment, Certificate, Rows, solve

# The cost of a class that every model calls impossible is high, but finite.
_SMALLEST_PROBABILITY = 1e-12


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


_COSTS: dict[str, Callable[[Floats], Floats]] = {
    "log": lambda p: -np.log(np.clip(p, _SMALLEST_PROBABILITY, None)),
    "linear": lambda p: 1 - p,
}


@dataclass
class Transport(Checked, BaseEstimator):
    """Label by optimal transport: rows and classes are weighed together.

    A row may stay unlabelled at no cost (its slack); each class gets a share of rows
    within bounds around its prior.

    Parameters
    ----------
    bounds : {"per_class", "released", "unscaled", "paper"}, default="per_class"
        "per_class": each class within [share * low, share * high] of its prior; more if few rows tell it.
        "released": that upper bound, and the lower bound only in total.
        "unscaled": the upper bound not scaled by the round's share, the lower in total; easy classes are
        drained first. These three are rounded to whole rows.
        "paper": "unscaled" as the paper solves it, not rounded: what classes leave unused is one more row
        of the plan, and has entropy too.
    epsilon : float, default=0.01
        Strength of the entropy, in the unit of the costs.
    cost : {"log", "linear"}, default="log"
        -log p, or 1 - p.
    low, high : float, default=0.9 and 1.1
        The bounds, as multiples of the prior.
    rows : {"auto", "mass", "quota", "slack", "plan"}, default="auto"
        How the plan becomes labels. A row may get the class with most of its mass, best
        first; "mass": as many rows for each class as the plan has mass for it. "quota":
        as many as the round's quota for the class. "slack": that too, and only rows whose
        mass there exceeds what they leave unused. The entropy spreads mass over rows of like
        cost, and then "slack" may take none of them. In these a row only gets the class that is most
        probable for it. "plan": every row whose mass there exceeds what it leaves unused, no quota, also
        where another class is more probable. "auto": "plan" with the paper's bounds, else "mass".

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
    rows: str = "auto"
    takes: ClassVar[dict[str, Setting]] = {
        "bounds": one_of(BOUNDS),
        "epsilon": NOT_NEGATIVE,
        "cost": one_of(_COSTS),
        "low": SHARE,
        "high": AT_LEAST_ONE,
        "rows": one_of(["auto", *PLAN_ROWS]),
    }

    def __call__(self, p: Floats, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        lower, upper, left_out, spare = self.limits(len(p), budget)
        solution = solve(Rows(p, self.costs), 1.0, (lower, upper), self.epsilon, slack=left_out, spare=spare)
        quota = self.quota(solution.column_sum, budget, solution.certificate)
        offer = self.offer(p, solution.assignment())
        return replace(offer.within(quota, solution.certificate), plan=solution.rows)

    def limits(self, n: int, budget: Budget) -> Limits:
        """What a plan of n candidates must keep to."""
        self.check()
        return BOUNDS[self.bounds](n, budget, self.low, self.high)

    def costs(self, p: Floats) -> Floats:
        """What each class costs each row, shape of p."""
        return _COSTS[self.cost](p)

    def quota(self, mass: Floats, budget: Budget, certificate: Certificate) -> Ints:
        """Most rows of each class, given what the plan moves to it, shape (K,)."""
        if not certificate.converged:
            notice(f"The transport solver did not converge: {certificate}", ConvergenceWarning)
        return self._how.most(mass, budget.quota, budget.pool)

    def offer(self, p: Floats, best: Assignment) -> Offer:
        """What the plan would give each row, given its best column there."""
        may = self._how.may(best)
        agreed = (best.column == p.argmax(axis=1)) | self._how.overrules
        refused = np.array([Status.DISPUTED, Status.SLACK], dtype=object)[agreed.astype(int)]
        return Offer(best.column, best.mass, may & agreed, refused, Status.SLACK)

    @property
    def _how(self) -> PlanRows:
        if self.rows != "auto":
            return PLAN_ROWS[self.rows]
        return PLAN_ROWS["plan" if self.bounds == "paper" else "mass"]

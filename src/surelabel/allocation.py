"""From probabilities to labels: who gets which label within a round's budget.

Each allocator maps the candidates' mean probabilities p (N, K) and a `Budget` to an
`Allocation`. To add one, write a part with the same call; `choose` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from .budget import Budget, apportion, whole
from .common.notice import notice
from .transport import Assignment, Certificate, Rows, solve

# The cost of a class that every model calls impossible: far, but finite.
_SMALLEST_PROBABILITY = 1e-12
# Entropy gives every cell some mass; this little is none.
_NO_MASS = 1e-6


class Status(StrEnum):
    """Why a row has its label, or has none."""

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
    """

    codes: np.ndarray
    status: np.ndarray
    certificate: Certificate | None = None
    plan: Callable | None = None


def best_first(codes, score, quota):
    """Rows to keep so that no class exceeds its quota, best score first, shape (N,).

    Equal scores keep the order of the rows.
    """
    keep = np.zeros(len(codes), dtype=bool)
    for k, most in enumerate(quota):
        rows = np.flatnonzero(codes == k)
        keep[rows[np.argsort(-score[rows], kind="stable")[:most]]] = True
    return keep


def choose(
    codes, score, accepted, quota, refused=Status.BELOW, crowded_out=Status.FULL, certificate=None
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

    codes: np.ndarray
    score: np.ndarray
    accepted: np.ndarray
    refused: Any = Status.BELOW
    crowded_out: Status = Status.FULL

    def within(self, quota, certificate=None) -> Allocation:
        """The offer within the quotas."""
        return choose(
            self.codes, self.score, self.accepted, quota, self.refused, self.crowded_out, certificate
        )

    def kept(self, keep) -> Allocation:
        """The offer made good for some of the rows, (N,), all of them accepted."""
        status = np.empty(len(keep), dtype=object)
        status[:] = self.refused
        status[self.accepted] = self.crowded_out
        status[keep] = Status.ACCEPTED
        return Allocation(np.where(keep, self.codes, -1), status)


def above(p, gammas) -> Offer:
    """Its best class for each row in which that exceeds the class's threshold (K,)."""
    codes, best = p.argmax(axis=1), p.max(axis=1)
    return Offer(codes, best, best > gammas[codes])


@dataclass
class Threshold(BaseEstimator):
    """Take a row's best class when its probability exceeds one threshold.

    Parameters
    ----------
    gamma : float, default=0.8
        The threshold. At 0 this is "the best rows of each class": the control
        against which every other allocator must show its worth.
    """

    gamma: float = 0.8

    def __call__(self, p, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        return above(p, np.full(p.shape[1], self.gamma)).within(budget.quota)


@dataclass
class AdaptiveThreshold(BaseEstimator):
    """A threshold for each class, lower for those that are predicted less (FlexMatch).

    Parameters
    ----------
    gamma : float, default=0.8
        The threshold of the class that exceeds it most often.
    """

    gamma: float = 0.8

    def __call__(self, p, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        return above(p, class_thresholds(sure_of(p, self.gamma), self.gamma)).within(budget.quota)


def sure_of(p, gamma):
    """Rows whose best class exceeds gamma, by class, shape (K,)."""
    sure = p.max(axis=1) > gamma
    return np.bincount(p.argmax(axis=1)[sure], minlength=p.shape[1])


def class_thresholds(counts, gamma):
    """Thresholds scaled by how often each class exceeds gamma, shape (K,)."""
    # No class has shown itself yet: none has earned a lower threshold.
    return gamma * (counts / counts.max() if counts.any() else np.ones(len(counts)))


def whole_mass(mass):
    """The classes' mass as whole rows that sum to the total, shape (K,)."""
    total = round(mass.sum())
    return apportion(total, mass) if total else np.zeros(len(mass), dtype=int)


def paper_bounds(n, share, prior, low, high):
    """Caps not scaled by the share; the minimum holds in total (the paper's text)."""
    least = whole(share * low * n)
    return np.zeros(len(prior)), whole(high * prior * n), n - least


def released_bounds(n, share, prior, low, high):
    """Caps scaled by the share; the minimum holds in total (the released code)."""
    least = whole(share * low * n)
    return np.zeros(len(prior)), whole(share * high * prior * n), n - least


def per_class_bounds(n, share, prior, low, high):
    """Every class within its own range (what the paper promises)."""
    # Rounded down: a row must not be forced into a class that expects less than one.
    floors = np.floor(share * low * prior * n)
    return floors, whole(share * high * prior * n), n - whole(share * low * n)


BOUNDS: dict[str, Callable] = {
    "paper": paper_bounds,
    "released": released_bounds,
    "per_class": per_class_bounds,
}
# Which rows may be labelled, and how many of each class.
ROWS: dict[str, tuple[Callable, Callable]] = {
    "mass": (lambda best: best.mass > _NO_MASS, lambda mass, quota: whole_mass(mass)),
    "quota": (lambda best: best.mass > _NO_MASS, lambda mass, quota: quota),
    "slack": (lambda best: best.mass > best.slack, lambda mass, quota: quota),
}
COSTS: dict[str, Callable] = {
    "log": lambda p: -np.log(np.clip(p, _SMALLEST_PROBABILITY, None)),
    "linear": lambda p: 1 - p,
}


@dataclass
class Transport(BaseEstimator):
    """Label by optimal transport: rows and classes are weighed together.

    A row may stay unlabelled at no cost (its slack); each class gets a share of rows
    within bounds around its prior. Bounds are rounded to whole rows. The plan may leave a
    row out but not overrule the committee: a row is only given the class that is most
    probable for it, also where a bound asks for more rows than a class has.

    Parameters
    ----------
    bounds : {"per_class", "released", "paper"}, default="per_class"
        "per_class": each class within [share * low, share * high] of its prior.
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
    """

    bounds: str = "per_class"
    epsilon: float = 0.01
    cost: str = "log"
    low: float = 0.9
    high: float = 1.1
    rows: str = "mass"

    def __call__(self, p, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        bounds, slack = self.limits(len(p), budget)
        solution = solve(Rows(p, self.costs), 1.0, bounds, self.epsilon, slack=slack)
        quota = self.quota(solution.column_sum, budget, solution.certificate)
        offer = self.offer(p, solution.assignment())
        return replace(offer.within(quota, solution.certificate), plan=solution.rows)

    def limits(self, n, budget: Budget):
        """Of n candidates: the range of each class, a pair of (K,), and that of rows left out."""
        if not 0 <= self.low <= 1 <= self.high:
            raise ValueError(
                f"low must be within 0 and 1 and high at least 1; they are {self.low} and {self.high}."
            )
        bounds = _named(BOUNDS, "bounds", self.bounds)
        lower, upper, most_slack = bounds(n, budget.share, budget.prior, self.low, self.high)
        return (lower, upper), (0, most_slack)

    def costs(self, p):
        """What each class costs each row, shape of p."""
        return _named(COSTS, "cost", self.cost)(p)

    def quota(self, mass, budget: Budget, certificate):
        """Most rows of each class, given what the plan moves to it, shape (K,)."""
        if not certificate.converged:
            notice(f"The transport solver did not converge: {certificate}", ConvergenceWarning)
        return _named(ROWS, "rows", self.rows)[1](mass, budget.quota)

    def offer(self, p, best: Assignment) -> Offer:
        """What the plan would give each row, given its best column there."""
        accepted = _named(ROWS, "rows", self.rows)[0](best)
        agreed = best.column == p.argmax(axis=1)
        refused = np.array([Status.DISPUTED, Status.SLACK], dtype=object)[agreed.astype(int)]
        return Offer(best.column, best.mass, accepted & agreed, refused, Status.SLACK)


def _named(table, parameter, name):
    if name not in table:
        raise ValueError(f"{parameter} must be one of {', '.join(table)}; it is {name!r}.")
    return table[name]


@dataclass
class Negatives(BaseEstimator):
    """Find classes that a row is surely not (the negative labels of UPS).

    Parameters
    ----------
    gamma : float, default=0.2
        A class is ruled out at or below this probability...
    kappa : float, default=0.05
        ...when the committee's standard deviation on it is at most this.
    """

    gamma: float = 0.2
    kappa: float = 0.05

    def __call__(self, p, spread, budget: Budget):
        """Soft targets of the rows with a class ruled out, zero elsewhere, shape (N, K)."""
        ruled_out = rule_out(p, spread, self.gamma, self.kappa, budget.quota)
        return remaining(p, ruled_out)


def rule_out(p, spread, gamma, kappa, quota):
    """Cells that are surely not the row's class, at most quota per class, shape (N, K)."""
    low = (p <= gamma) & (spread <= kappa)
    # With one class left this would be a positive label outside its quota.
    low &= (~low).sum(axis=1, keepdims=True) > 1
    for k, most in enumerate(quota):
        rows = np.flatnonzero(low[:, k])
        low[rows[np.argsort(p[rows, k], kind="stable")[most:]], k] = False
    return low


def remaining(p, ruled_out):
    """P over the classes not ruled out, summing to 1 in rows that have any, shape (N, K).

    Training on these has the gradient of UPS's loss, -log(1 - sum of p ruled out).
    """
    left = np.where(ruled_out, 0.0, p)
    scale = left.sum(axis=1, keepdims=True)
    touched = ruled_out.any(axis=1, keepdims=True) & (scale > 0)
    return np.where(touched, left / np.where(scale > 0, scale, 1), 0.0)

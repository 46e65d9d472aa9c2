"""Allocators over rows in pieces: what each row would get, and the quotas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np

from ..allocation import (
    AdaptiveThreshold,
    Offer,
    Threshold,
    Transport,
    above,
    class_thresholds,
    sure_of,
)
from ..budget import Budget
from ..common.types import Floats, Ints
from ..transport import Certificate, Rule
from ..transport.problem import read_bounds
from ..transport.solver import solve_rule
from .pieces import Pieces
from .transport import FarProblem


@dataclass(frozen=True)
class Deal:
    """What was decided over all rows together; each row can then be labelled by itself.

    Parameters
    ----------
    rule : callable
        Probabilities of some rows (n, K) -> Offer.
    quota : ndarray of shape (K,)
        Most rows of each class.
    certificate : Certificate or None
        What the solver says of the plan.
    """

    rule: Callable[[Floats], Offer]
    quota: Ints
    certificate: Certificate | None = None


def check_allocator(allocator: Any) -> None:
    """Refuse an allocator that needs all rows in one place."""
    if deal.dispatch(type(allocator)) is deal.dispatch(object):
        raise _elsewhere(allocator)
    if isinstance(allocator, Transport) and allocator.epsilon == 0:
        raise ValueError("Transport(epsilon=0) needs all rows in one place. In shards epsilon is above 0.")


@singledispatch
def deal(allocator: Any, pieces: Pieces, sizes: Ints, budget: Budget) -> Deal:
    """Decide what needs all rows: pieces are probabilities (n, K) of the candidates, sizes their n."""
    raise _elsewhere(allocator)


def _elsewhere(allocator: Any) -> TypeError:
    return TypeError(
        f"{allocator!r} needs all rows in one place. In shards the allocator is one of Transport(), "
        "Threshold() and AdaptiveThreshold()."
    )


@deal.register
def _(allocator: Threshold, pieces: Pieces, sizes: Ints, budget: Budget) -> Deal:
    return Deal(partial(above, gammas=np.full(len(budget.prior), allocator.gamma)), budget.quota)


@deal.register
def _(allocator: AdaptiveThreshold, pieces: Pieces, sizes: Ints, budget: Budget) -> Deal:
    counts = np.sum(pieces.ask(sure_of, allocator.gamma), axis=0)
    return Deal(partial(above, gammas=class_thresholds(counts, allocator.gamma)), budget.quota)


@deal.register
def _(allocator: Transport, pieces: Pieces, sizes: Ints, budget: Budget) -> Deal:
    n, k = int(np.sum(sizes)), len(budget.prior)
    lower, upper, left_out, spare = allocator.limits(n, budget)
    bounds, is_open = read_bounds(n, k, np.array(1.0), (lower, upper), left_out, allocator.epsilon, spare)
    problem = FarProblem.of(pieces, sizes, allocator, is_open, bounds)
    rule, mass, certificate = solve_rule(problem, is_open, allocator.epsilon, spare=spare)
    return Deal(_PlanRule(allocator, rule), allocator.quota(mass, budget, certificate), certificate)


@dataclass(frozen=True)
class _PlanRule:
    """What a transport plan would give rows by their probabilities."""

    allocator: Transport
    rule: Rule

    def __call__(self, p: Floats) -> Offer:
        """An Offer for each row of p (n, K)."""
        return self.allocator.offer(p, self.rule(self.allocator.costs(p)))

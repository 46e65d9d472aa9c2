"""How a transport plan becomes labels: which rows may have one, how many of each class, and who decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .budget import whole_mass
from .common.types import Bools, Floats, Ints
from .transport import Assignment

# The entropy gives every cell some mass; less than this counts as none.
_NO_MASS = 1e-6


@dataclass(frozen=True)
class PlanRows:
    """A way from a plan to labels.

    Parameters
    ----------
    may : callable
        The best column of each row (`Assignment`) -> which rows may be labelled, (N,).
    most : callable
        Mass of each column (K,), the round's quotas (K,), and the number of rows -> most rows of each
        class, (K,).
    overrules : bool
        Whether a row may be given a class that is not the most probable one for it.
    """

    may: Callable[[Assignment], Bools]
    most: Callable[[Floats, Ints, int], Ints]
    overrules: bool = False


def _has_mass(best: Assignment) -> Bools:
    return best.mass > _NO_MASS


def _more_than_slack(best: Assignment) -> Bools:
    return best.mass > best.slack


PLAN_ROWS = {
    "mass": PlanRows(_has_mass, lambda mass, quota, n: whole_mass(mass)),
    "quota": PlanRows(_has_mass, lambda mass, quota, n: quota),
    "slack": PlanRows(_more_than_slack, lambda mass, quota, n: quota),
    "plan": PlanRows(_more_than_slack, lambda mass, quota, n: np.full(len(mass), n), overrules=True),
}

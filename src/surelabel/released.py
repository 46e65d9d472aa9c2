"""How the authors' released code turns a plan into labels, without its errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from .allocation import Allocation, Status, Transport
from .budget import Budget
from .common.settings import Checked
from .common.types import Floats

# Rows a class, at least, and the entropy of the released code there.
_EPSILONS = [(300, 1.0), (200, 0.5), (100, 0.2), (50, 0.1), (0, 0.05)]
_LEAST_PROBABILITY = 0.5


@dataclass
class Released(Checked, BaseEstimator):
    """The allocation of the released code: the best rows of each column of a diffuse plan, if p > 0.5.

    See Also
    --------
    Transport : The paper's, and others.

    Examples
    --------
    >>> from surelabel import Budget
    >>> from surelabel.released import Released
    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.1, 0.9]])
    >>> Released()(p, Budget(0.5, np.array([0.5, 0.5]), pool=3)).codes
    array([ 0, -1,  1])
    """

    def __call__(self, p: Floats, budget: Budget) -> Allocation:
        """Allocate the candidates p (N, K)."""
        epsilon = released_epsilon(*p.shape)
        found = Transport("released", epsilon=epsilon, cost="linear", rows="quota")(p, budget)
        low = (found.codes >= 0) & (p.max(axis=1) <= _LEAST_PROBABILITY)
        status = np.where(low, Status.BELOW, found.status).astype(object)
        return Allocation(np.where(low, -1, found.codes), status, found.certificate, found.plan)


def released_epsilon(n_rows: int, n_classes: int) -> float:
    """The released code's regulariser for a table of that shape."""
    return next(epsilon for least, epsilon in _EPSILONS if n_rows / n_classes >= least)

"""How sure a committee is of each row: above 0 is trusted.

Each part maps the committee's probabilities P (M, N, K) to a confidence (N,). Where there are too many
rows to hold P, its `Moments` do as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr, stdtrit
from sklearn.base import BaseEstimator

from .common.settings import INSIDE_SHARE, NOT_NEGATIVE, SHARE, Checked, Setting, optional
from .common.types import Floats, Ints

# What is added to the variances where neither the caller nor a committee says it.
_FLOOR = 0.1


def two_best(p: Floats) -> tuple[Ints, Ints]:
    """Best and second-best class of each row, two arrays of shape (N,).

    Ties go to the lower class.
    """
    rows = np.arange(len(p))
    first = p.argmax(axis=1)
    rest = p.copy()
    rest[rows, first] = -np.inf
    return first, rest.argmax(axis=1)


@dataclass(frozen=True)
class Moments:
    """What every confidence needs of P, without its members.

    Parameters
    ----------
    mean, variance : ndarrays of shape (N, K)
        Over the members; population variance.
    n_members : int
        M.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[.9, .1]], [[.8, .2]], [[.9, .1]]])
    >>> TTest()(Moments.of(P)) == TTest()(P)
    array([ True])
    """

    mean: Floats
    variance: Floats
    n_members: int

    @classmethod
    def of(cls, P: Floats | Moments) -> Moments:
        """The moments of P (M, N, K); what already is `Moments` is returned as it is."""
        return P if isinstance(P, Moments) else cls(P.mean(axis=0), P.var(axis=0), len(P))


def mean_of(P: Floats | Moments) -> Floats:
    """Mean over the members of P or of its moments, shape (N, K)."""
    return P.mean if isinstance(P, Moments) else P.mean(axis=0)


def welch_t(P: Floats | Moments, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Welch's t between the two best classes and its degrees of freedom, each (N,).

    Population variances; `floor` is added to their sum. Never NaN: where the
    members agree exactly, t is infinite, or 0 on a tie.
    """
    moments = Moments.of(P)
    mean, variance, n_members = moments.mean, moments.variance, moments.n_members
    rows = np.arange(len(mean))
    first, second = two_best(mean)
    gap = mean[rows, first] - mean[rows, second]
    v1, v2 = variance[rows, first], variance[rows, second]
    error = np.sqrt((v1 + v2 + floor) / n_members)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(gap > 0, gap / error, 0.0)
        # A ratio of variances, not their squares: those underflow.
        ratio = np.where(v1 == v2, 1.0, np.minimum(v1, v2) / np.maximum(v1, v2))
    dof = (n_members - 1) * (1 + ratio) ** 2 / (1 + ratio**2)
    return t, dof


def _total_variance(P: Floats | Moments) -> Floats:
    """Variance over the committee, averaged over classes, shape (N,)."""
    return Moments.of(P).variance.mean(axis=1)


def entropy(P: Floats | Moments) -> Floats:
    """Entropy of the mean prediction, shape (N,)."""
    return entr(mean_of(P)).sum(axis=1)


def _below_quantile(uncertainty: Floats, share: float) -> Floats:
    """Distance below the quantile at `share`: positive for the surest rows, shape (N,)."""
    return below(np.quantile(uncertainty, share), uncertainty)


def below(limit: float, uncertainty: Floats) -> Floats:
    """Distance below the limit, positive at it too, shape (N,)."""
    # The limit itself is still trusted: where most rows have no uncertainty, it is 0.
    return np.nextafter(limit, np.inf) - uncertainty


def _compared(part: Confidence, P: Floats | Moments) -> Moments:
    """The moments of a committee that has members to compare."""
    moments = Moments.of(P)
    part.check_members(moments.n_members)
    return moments


class Confidence(Checked, BaseEstimator):
    """What a confidence is: a measure of each row, then a decision over all rows.

    To write a new one, define `measure`; everything else has a default. Where a row has several labels,
    each label has its own measure. If `whole_rows` is true, the mean of these measures decides and all cells
    of a row are trusted or none; if not, each cell is trusted by itself.

    See Also
    --------
    surelabel.TTest : The one of `csa`.
    surelabel.Everything : Trusts every row.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel.confidence import Confidence
    >>> class Unanimous(Confidence):
    ...     def measure(self, P):
    ...         votes = P.argmax(axis=2)
    ...         return np.where((votes == votes[0]).all(axis=0), 1.0, -1.0)
    >>> Unanimous()(np.array([[[0.9, 0.1], [0.4, 0.6]], [[0.8, 0.2], [0.7, 0.3]]]))
    array([ 1., -1.])
    """

    whole_rows: ClassVar[bool] = False
    # Whether it compares the members of a committee with each other: then there must be two.
    compares: ClassVar[bool] = False
    # Whether `measure` looks at each row by itself: then rows may be measured a block at a time.
    row_by_row: ClassVar[bool] = True

    def __call__(self, P: Floats | Moments) -> Floats:
        """Confidence, shape (N,)."""
        return self.trust(self.measure(P))

    def measure(self, P: Floats | Moments) -> Floats:
        """A number for each row, shape (N,)."""
        raise TypeError(f"{type(self).__name__} must say how it measures P.")

    @property
    def trusted_share(self) -> float | None:
        """The share of rows, those with the lowest measure, to trust; None where each is judged by itself."""
        return None

    def trust(self, measured: Floats) -> Floats:
        """From the measures of all rows to their confidence, shape (N,)."""
        share = self.trusted_share
        return measured if share is None else _below_quantile(measured, share)

    def check_members(self, n_members: int) -> None:
        """Refuse a committee of so many members where they are compared and are too few."""
        if self.compares and n_members < 2:
            raise ValueError(
                f"{type(self).__name__} compares the members of a committee, and this one "
                f"has {n_members}. Use a committee of at least 2, or confidence=Everything()."
            )

    def for_committee(self, committee: Any) -> Confidence:
        """The same confidence, with the settings that were not given chosen to suit a committee."""
        return self


@dataclass
class Plain(Confidence):
    """A confidence that is a plain function of P: it may compare rows, so it gets all of them at once.

    Parameters
    ----------
    function : callable
        P (M, N, K) -> confidence (N,).
    """

    function: Callable[[Any], Floats]
    row_by_row: ClassVar[bool] = False

    def measure(self, P: Floats | Moments) -> Floats:
        """What the function says, shape (N,)."""
        return self.function(P)


def as_confidence(confidence: Any) -> Confidence:
    """A confidence from what the user gave: one, or a function of P.

    Examples
    --------
    >>> as_confidence(Everything())
    Everything()
    """
    if isinstance(confidence, Confidence):
        return confidence
    if isinstance(confidence, type) or not callable(confidence):
        raise TypeError(f"confidence must be a part such as confidence=TTest(); it is {confidence!r}.")
    return Plain(confidence)


@dataclass
class Everything(Confidence):
    """Trust every row: no test of confidence.

    See Also
    --------
    TTest : Trusts the rows in which two classes differ significantly.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import Everything
    >>> Everything()(np.full((1, 2, 3), 1 / 3))
    array([1., 1.])
    """

    def measure(self, P: Floats | Moments) -> Floats:
        """Confidence, shape (N,)."""
        return np.ones(len(mean_of(P)))


@dataclass
class TTest(Confidence):
    """Trust a row when its two best classes differ significantly (Welch's t-test).

    Parameters
    ----------
    alpha : float, default=0.05
        Two-sided significance level.
    floor : float, optional
        Added to the sum of the two variances. At 0, members that agree to the
        last digit make any gap significant, however small. By default what the committee asks for:
        2 for one of unlike models (`Unlike`), 0.1 for others.

    See Also
    --------
    Spread : Looks at the best class alone.
    TotalVariance, Entropy : Trust a share of the rows.
    Everything : Trusts all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import TTest
    >>> sure, torn = [[.9, .1], [.8, .2], [.9, .1]], [[.6, .4], [.4, .6], [.5, .5]]
    >>> TTest()(np.stack([sure, torn], axis=1)) > 0
    array([ True, False])
    """

    alpha: float = 0.05
    floor: float | None = None
    compares: ClassVar[bool] = True
    takes: ClassVar[dict[str, Setting]] = {"alpha": INSIDE_SHARE, "floor": optional(NOT_NEGATIVE)}

    def for_committee(self, committee: Any) -> TTest:
        """The same test with the floor that a committee asks for, where none is given."""
        return self if self.floor is not None else TTest(self.alpha, committee.test_floor)

    def measure(self, P: Floats | Moments) -> Floats:
        """How far t is above the value that chance would reach, shape (N,)."""
        moments = _compared(self, P)
        self.check()
        t, dof = welch_t(moments, _FLOOR if self.floor is None else self.floor)
        return t - stdtrit(dof, 1 - self.alpha / 2)


@dataclass
class TotalVariance(Confidence):
    """Trust the rows on which the committee varies least.

    Parameters
    ----------
    share : float, default=0.5
        Share of the pool to trust.

    See Also
    --------
    Entropy : Looks at the mean prediction, whether members agree or not.
    Spread : Looks at each row by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import TotalVariance
    >>> same, torn = [[.6, .4], [.6, .4]], [[.9, .1], [.1, .9]]
    >>> TotalVariance()(np.stack([same, torn], axis=1)) > 0
    array([ True, False])
    """

    share: float = 0.5
    compares: ClassVar[bool] = True
    whole_rows: ClassVar[bool] = True
    takes: ClassVar[dict[str, Setting]] = {"share": SHARE}

    def measure(self, P: Floats | Moments) -> Floats:
        """Total variance, shape (N,)."""
        return _total_variance(_compared(self, P))

    @property
    def trusted_share(self) -> float:
        """Share of the pool to trust."""
        return self.share


@dataclass
class Entropy(Confidence):
    """Trust the rows whose mean prediction has the least entropy.

    Parameters
    ----------
    share : float, default=0.5
        Share of the pool to trust.

    See Also
    --------
    TotalVariance : Looks at how far members differ.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import Entropy
    >>> Entropy()(np.array([[[.9, .1], [.5, .5]]])) > 0
    array([ True, False])
    """

    share: float = 0.5
    whole_rows: ClassVar[bool] = True
    takes: ClassVar[dict[str, Setting]] = {"share": SHARE}

    def measure(self, P: Floats | Moments) -> Floats:
        """Entropy, shape (N,)."""
        return entropy(P)

    @property
    def trusted_share(self) -> float:
        """Share of the pool to trust."""
        return self.share


@dataclass
class Spread(Confidence):
    """Trust a row when the committee's standard deviation on its best class is low.

    This is the uncertainty bound of UPS.

    Parameters
    ----------
    kappa : float, default=0.05
        Largest standard deviation that is trusted.

    See Also
    --------
    TTest : Looks at the second-best class too.
    ups : The method.

    Examples
    --------
    >>> import numpy as np
    >>> from surelabel import Spread
    >>> same, torn = [[.6, .4], [.6, .4]], [[.9, .1], [.1, .9]]
    >>> Spread()(np.stack([same, torn], axis=1)) > 0
    array([ True, False])
    """

    kappa: float = 0.05
    compares: ClassVar[bool] = True
    takes: ClassVar[dict[str, Setting]] = {"kappa": NOT_NEGATIVE}

    def measure(self, P: Floats | Moments) -> Floats:
        """Confidence, shape (N,)."""
        moments = _compared(self, P)
        best = moments.mean.argmax(axis=1)
        spread = np.sqrt(moments.variance[np.arange(len(best)), best])
        # The bound itself is still trusted, and trusted means above 0.
        return np.nextafter(self.kappa, np.inf) - spread

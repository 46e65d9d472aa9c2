"""What Theorem 1 is told, and the quantities that its statements are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import erfc

from ..common.types import Floats

_NORMS = (1, 2, np.inf)


@dataclass(frozen=True, eq=False)
class MeanSetting:
    """What Theorem 1 is told: K classes, Gaussian around their means, and labels found for their rows.

    Parameters
    ----------
    counts : array of shape (K,)
        Rows found for each class.
    variances : array of shape (d,)
        Variance of each column within a class, the same for all classes.
    correct : array of shape (K,) or float
        Probability that a label found for the class is right. Its variance, the theorem's
        Var(I), is correct (1 - correct).
    means : array of shape (K, d)
        The class means.
    norm : {1, 2, inf}, default=2
        How an error over d columns is measured, as in `numpy.linalg.norm`.
    correlation : float, default=0
        Between the rightness of any two found labels. 0: rows are right or wrong each by itself,
        as they are for one fixed model. 1: nothing is assumed, all may be wrong together.
    shift : array of shape (K,) or float, default=0
        How far the choice of rows itself may move each mean; see `selection_shift`.

    See Also
    --------
    estimated_setting : From a fitted classifier.
    mean_bound : What Theorem 1 says of it.

    Examples
    --------
    >>> print(MeanSetting([50, 80], [1.0, 1.0], 0.9, [[0, 0], [3, 4]]))
    2 classes, 2 columns; 50 to 80 rows found for each, 90% to 90% right; the means may stay off by 1 in all
    """

    counts: Floats
    variances: Floats
    correct: Floats
    means: Floats
    norm: float = 2
    correlation: float = 0.0
    shift: Floats | float = 0.0

    def __post_init__(self) -> None:
        means = np.atleast_2d(np.asarray(self.means, dtype=float))
        K, d = means.shape
        read = {
            "means": means,
            "counts": np.broadcast_to(np.asarray(self.counts, dtype=float), (K,)),
            "variances": np.broadcast_to(np.asarray(self.variances, dtype=float), (d,)),
            "correct": np.broadcast_to(np.asarray(self.correct, dtype=float), (K,)),
            "shift": np.broadcast_to(np.asarray(self.shift, dtype=float), (K,)),
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)
        self._check(K)

    def _check(self, K: int) -> None:
        if K < 2:
            raise ValueError(f"means must have a row for each of at least 2 classes; it has {K}.")
        if self.counts.min() < 1:
            raise ValueError(
                f"Every class needs at least one found row; counts are {self.counts}. "
                "Leave out classes with none."
            )
        if self.variances.min() < 0 or not np.isfinite(self.variances).all():
            raise ValueError(f"variances must be finite and not below 0; they are {self.variances}.")
        if self.correct.min() < 0 or self.correct.max() > 1 or not 0 <= self.correlation <= 1:
            raise ValueError(
                f"correct and correlation must be within 0 and 1; they are {self.correct} and "
                f"{self.correlation}."
            )
        if self.norm not in _NORMS:
            raise ValueError(f"norm must be 1, 2 or inf; it is {self.norm}.")

    @cached_property
    def gaps(self) -> Floats:
        """Distance of each class mean to the farthest other, the worst a wrong row can do, shape (K,)."""
        apart = self.means[:, None] - self.means
        return np.linalg.norm(apart, ord=self.norm, axis=2).max(axis=1)

    @property
    def bias(self) -> float:
        """What remains of the summed error when there are infinitely many rows."""
        return float(((1 - self.correct) * self.gaps + self.shift).sum())

    @property
    def label_variance(self) -> Floats:
        """The theorem's Var(I), shape (K,)."""
        return self.correct * (1 - self.correct)

    @property
    def width(self) -> float:
        """Largest standard deviation of a row in any direction that the norm can see."""
        return float(np.sqrt(self.variances.sum() if self.norm == 1 else self.variances.max()))

    @cached_property
    def noise(self) -> tuple[float, float]:
        """Expected noise of the means, summed over classes (or a little more), and its Lipschitz constant."""
        sigma = np.sqrt(self.variances)
        if self.norm == 1:
            of_one_row = sigma.sum() * np.sqrt(2 / np.pi)
        elif self.norm == 2:
            of_one_row = np.sqrt(self.variances.sum())
        else:
            of_one_row = _expected_maximum(sigma[sigma > 0])
        mean = of_one_row * (self.counts**-0.5).sum()
        return float(mean), float(self.width * np.sqrt((1 / self.counts).sum()))

    def resized(self, n: float) -> MeanSetting:
        """The same with n found rows in all, in the same shares."""
        shares = self.counts / self.counts.sum()
        return replace(self, counts=np.maximum(np.floor(n * shares + 1e-9), 1.0))

    def __str__(self) -> str:
        K, d = self.means.shape
        low, high = self.correct.min(), self.correct.max()
        return (
            f"{K} classes, {d} columns; {self.counts.min():.0f} to {self.counts.max():.0f} rows found for "
            f"each, {low:.0%} to {high:.0%} right; the means may stay off by {self.bias:.3g} in all"
        )


def _expected_maximum(sigma: Floats) -> float:
    """Expected largest of |N(0, sigma_j^2)|, from above."""
    if not len(sigma):
        return 0.0
    top = sigma.max() * (np.sqrt(2 * np.log(2 * len(sigma))) + 8)
    t, step = np.linspace(0, top, 4000, retstep=True)
    inside = -erfc(t[1:, None] / (sigma * np.sqrt(2)))
    # The integrand falls, so heights at the left ends give no less than the integral.
    return step * (1 + (1 - np.exp(np.log1p(inside).sum(axis=1))).sum())

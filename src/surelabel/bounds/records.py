"""The records of `bounds`: what a theorem is told, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

# How much of one coordinate's error a norm can gather over d coordinates: d ** (1 / norm).
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

    Examples
    --------
    >>> print(MeanSetting([50, 80], [1.0, 1.0], 0.9, [[0, 0], [3, 4]]))
    2 classes, 2 columns; 50 to 80 rows found for each, 90% to 90% right; the means may stay off by 1 in all
    """

    counts: np.ndarray
    variances: np.ndarray
    correct: np.ndarray
    means: np.ndarray
    norm: float = 2
    correlation: float = 0.0
    shift: np.ndarray | float = 0.0

    def __post_init__(self):
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

    def _check(self, K):
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

    @property
    def gaps(self):
        """Distance of each class mean to the farthest other, the worst a wrong row can do, shape (K,)."""
        apart = self.means[:, None] - self.means
        return np.linalg.norm(apart, ord=self.norm, axis=2).max(axis=1)

    @property
    def bias(self) -> float:
        """What remains of the summed error when rows are without number."""
        return float(((1 - self.correct) * self.gaps + self.shift).sum())

    def resized(self, n) -> MeanSetting:
        """The same with n found rows in all, in the same shares."""
        shares = self.counts / self.counts.sum()
        return replace(self, counts=np.maximum(np.floor(n * shares + 1e-9), 1.0))

    def __str__(self):
        K, d = self.means.shape
        low, high = self.correct.min(), self.correct.max()
        return (
            f"{K} classes, {d} columns; {self.counts.min():.0f} to {self.counts.max():.0f} rows found for "
            f"each, {low:.0%} to {high:.0%} right; the means may stay off by {self.bias:.3g} in all"
        )


@dataclass(frozen=True)
class MeanBound:
    """How surely the class means are right to within delta, summed over classes.

    Parameters
    ----------
    delta : float
        The error allowed.
    probability : float
        Holds at least; 0 says nothing.
    printed : float
        What the paper's formula gives, which does not always hold.
    bias : float
        The error that more rows do not remove.

    Examples
    --------
    >>> print(MeanBound(2.0, 0.97, 0.99, 0.5))
    error at most 2 with probability 0.97 or more (as printed in the paper: 0.99)
    >>> print(MeanBound(0.4, 0.0, 0.9, 0.5))
    nothing can be said of an error of 0.4: wrong labels alone may cause 0.5 (as printed in the paper: 0.90)
    """

    delta: float
    probability: float
    printed: float
    bias: float

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing."""
        return self.probability <= 0

    def __str__(self):
        printed = f"(as printed in the paper: {self.printed:.2f})"
        if self.delta <= self.bias:
            return (
                f"nothing can be said of an error of {self.delta:.3g}: wrong labels alone may cause "
                f"{self.bias:.3g} {printed}"
            )
        if self.vacuous:
            return f"nothing can be said of an error of {self.delta:.3g} with so few rows {printed}"
        return f"error at most {self.delta:.3g} with probability {self.probability:.2f} or more {printed}"


@dataclass(frozen=True)
class VoteBound:
    """How often a vote errs at most.

    Parameters
    ----------
    name : str
        Which bound.
    bound : float
        The vote errs on no more than this share of new rows; never above 1.
    loss : float
        The loss seen on the rows, on which the bound rests.
    confidence : float
        Probability, over draws of the rows, that the bound holds.
    n_rows : int
        The rows.
    baseline : float, default=1
        Error of always naming the most common class; no better than that is vacuous.

    Examples
    --------
    >>> print(VoteBound("tandem", 0.31, 0.02, 0.95, 200))
    tandem: errs on at most 31.0% of new rows (95% sure, from 200 rows)
    >>> print(VoteBound("tandem", 0.31, 0.02, 0.95, 200, baseline=0.3))
    tandem: vacuous; 31.0% is no less than the 30.0% of naming one class always (95% sure, from 200 rows)
    """

    name: str
    bound: float
    loss: float
    confidence: float
    n_rows: int
    baseline: float = 1.0

    @property
    def vacuous(self) -> bool:
        """Whether it says no more than a constant guess would."""
        return self.bound >= self.baseline

    def __str__(self):
        how = f"({self.confidence:.0%} sure, from {self.n_rows} rows)"
        if not self.vacuous:
            return f"{self.name}: errs on at most {self.bound:.1%} of new rows {how}"
        if self.baseline < 1:
            return (
                f"{self.name}: vacuous; {self.bound:.1%} is no less than the {self.baseline:.1%} of naming "
                f"one class always {how}"
            )
        return f"{self.name}: vacuous {how}"

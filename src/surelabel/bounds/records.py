"""What a bound says: records that print as a sentence."""

from __future__ import annotations

from dataclasses import dataclass


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

    See Also
    --------
    mean_bound : Returns it.

    Examples
    --------
    >>> print(MeanBound(2.0, 0.97, 0.99, 0.5))
    error at most 2 with probability 0.97 or more (as printed in the paper: 0.99)
    >>> print(MeanBound(0.4, 0.0, 0.9, 0.5))
    nothing can be said of an error of 0.4: 0.5 may remain, however many rows (as printed in the paper: 0.90)
    """

    delta: float
    probability: float
    printed: float
    bias: float

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing."""
        return self.probability <= 0

    def __str__(self) -> str:
        printed = f"(as printed in the paper: {self.printed:.2f})"
        if self.delta <= self.bias:
            return (
                f"nothing can be said of an error of {self.delta:.3g}: {self.bias:.3g} may remain, "
                f"however many rows {printed}"
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

    See Also
    --------
    vote_bounds : Returns one for each kind of bound.

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

    def __str__(self) -> str:
        how = f"({self.confidence:.0%} sure, from {self.n_rows} rows)"
        if not self.vacuous:
            return f"{self.name}: errs on at most {self.bound:.1%} of new rows {how}"
        if self.baseline < 1:
            return (
                f"{self.name}: vacuous; {self.bound:.1%} is no less than the {self.baseline:.1%} of naming "
                f"one class always {how}"
            )
        return f"{self.name}: vacuous {how}"

"""Did the unlabelled rows help? Two opinions of rows that neither had seen tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Floats, Ints
from .record import HeldOut

_DRAWS = 4000
_OUTSIDE = 0.025  # on each side of an interval of 95%
# What is assumed before any row on which the two differ is seen: one row for each of them, half for neither.
_ASSUMED = (1.0, 1.0, 0.5)
_Z = 1.96


@dataclass(frozen=True)
class Verdict:
    """Whether the unlabelled rows helped, in points of accuracy.

    Parameters
    ----------
    supervised, semi_supervised : float
        Share of held-out labelled rows predicted correctly, without and with unlabelled rows.
    gain, error : float
        What is expected of their difference on the unlabelled rows, and its standard error, in points.
    n_rows : int
        Labelled rows that were held out and predicted.
    seconds : float
        What it took.
    unit : {"rows", "cells"}
        What was predicted; cells where rows have several labels.
    low, high : float, optional
        Where the difference lies with 95% confidence; by default within 1.96 standard errors.

    See Also
    --------
    surelabel.PseudoLabelClassifier : Has one as `verdict_` after fit, unless guard=False.

    Examples
    --------
    >>> from surelabel.heldout import Verdict
    >>> print(Verdict(0.80, 0.84, gain=4.0, error=1.1, n_rows=143, seconds=2.0))
    helped: by 4.0 points (+1.8 to +6.2 with 95% confidence; 84.0% against 80.0% of 143 held-out rows)
    >>> print(Verdict(0.80, 0.80, gain=0.2, error=1.1, n_rows=143, seconds=2.0))
    no evidence: +0.2 points (-2.0 to +2.4 with 95% confidence); with 143 held-out rows a difference under 2.2
    points cannot be seen
    """

    supervised: float
    semi_supervised: float
    gain: float
    error: float
    n_rows: int
    seconds: float
    unit: str = "rows"
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the difference lies with 95% confidence, in points."""
        if self.low is None or self.high is None:
            return self.gain - _Z * self.error, self.gain + _Z * self.error
        return self.low, self.high

    @property
    def word(self) -> str:
        """One of "helped", "hurt", "no evidence"."""
        low, high = self.interval
        if low > 0:
            return "helped"
        return "hurt" if high < 0 else "no evidence"

    @property
    def visible(self) -> float:
        """The smallest difference that so many labels could have shown, in points."""
        low, high = self.interval
        return (high - low) / 2

    def __str__(self) -> str:
        low, high = self.interval
        span = f"{low:+.1f} to {high:+.1f} with 95% confidence"
        if self.word == "no evidence":
            return (
                f"no evidence: {self.gain:+.1f} points ({span}); with {self.n_rows:,} held-out {self.unit} a "
                f"difference under {self.visible:.1f} points cannot be seen"
            )
        shares = f"{self.semi_supervised:.1%} against {self.supervised:.1%}"
        return (
            f"{self.word}: by {abs(self.gain):.1f} points ({span}; {shares} of {self.n_rows:,} held-out "
            f"{self.unit})"
        )


def compared(held: HeldOut, differing: tuple[int, int] | None = None, seconds: float = 0.0) -> Verdict:
    """What held-out rows say of the second candidate against the first.

    The two can differ in accuracy only where they differ in their guess. How many of the unlabelled rows
    those are is known; the labelled ones among them tell which candidate is right there.

    Parameters
    ----------
    held : HeldOut
        Two candidates.
    differing : (int, int), optional
        On how many unlabelled rows the two differ, and of how many; without, the held-out rows tell.
    seconds : float, default=0.0
        What it took.
    """
    alone, pooled = held.right
    differ = held.P[0].argmax(axis=1) != held.P[1].argmax(axis=1)
    kinds = np.stack([pooled & ~alone, alone & ~pooled, differ & ~pooled & ~alone])
    n = _rows_worth(held.weight)
    seen = n * (kinds @ held.weight) / held.weight.sum()
    rng = np.random.default_rng(0)
    drawn = _differences(rng, seen, n, differing)
    low, high = np.quantile(drawn, [_OUTSIDE, 1 - _OUTSIDE], method="inverted_cdf")
    supervised, semi_supervised = held.share_right.tolist()
    return Verdict(
        supervised=supervised,
        semi_supervised=semi_supervised,
        gain=_expected(seen, n, differing),
        error=float(drawn.std()),
        n_rows=len(held),
        seconds=seconds,
        low=float(low),
        high=float(high),
    )


def _differences(
    rng: np.random.Generator, seen: Floats, n: float, differing: tuple[int, int] | None
) -> Floats:
    """Differences in accuracy on the unlabelled rows that agree with what was seen, in points, (draws,).

    Parameters
    ----------
    rng : Generator
        Draws them.
    seen : ndarray of shape (3,)
        Held-out rows on which the second alone is right, the first alone, and neither, where they differ.
    n : float
        Held-out rows in all.
    differing : (int, int) or None
        As in `compared`.
    """
    shares = rng.dirichlet(seen + _ASSUMED, _DRAWS)
    if differing is None:
        m = seen.sum()
        share = rng.beta(m + 0.5, n - m + 0.5, _DRAWS)
        return 100 * share * (shares[:, 0] - shares[:, 1])
    m, of = differing
    rows: Ints = rng.multinomial(m, shares)
    # A row more: that none differs here does not mean that none would elsewhere.
    either: Floats = rng.choice([-1.0, 0.0, 1.0], _DRAWS)
    return 100 * (rows[:, 0] - rows[:, 1] + either) / max(of, 1)


def _expected(seen: Floats, n: float, differing: tuple[int, int] | None) -> float:
    """The mean of such differences, in points."""
    assumed = seen + _ASSUMED
    share = (seen.sum() + 0.5) / (n + 1) if differing is None else differing[0] / max(differing[1], 1)
    return float(100 * share * (assumed[0] - assumed[1]) / assumed.sum())


def _rows_worth(weight: Floats) -> float:
    """How many rows of equal weight would tell as much."""
    return float(weight.sum() ** 2 / (weight**2).sum())

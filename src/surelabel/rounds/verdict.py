"""Did the unlabelled rows help? Cross-validation on the labelled rows says so.

For each fold the whole method runs without the fold: its rows are neither labelled nor in
the pool, so no model and no pseudo-label has seen them. Then the fold is predicted by what came
out, and by the same committee trained on the labelled rows alone.

The weights of a committee of unlike models are made on the other rows, from predictions held
out there; the models behind those predictions, which are used for nothing else, had the fold
among their training rows. Fitting them anew for each fold would cost more than the run itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from ..committees.member_fitting import stratified_folds
from ..reading.features import take
from .labels import Labels
from .loop import Parts, rounds
from .training import GUARD_POOL, some_of

# Standard errors; praise needs more evidence than caution.
_HELPED = 2.0
_HURT = -1.645
# Unlabelled rows that take part.
_POOL_ROWS = 20_000


@dataclass(frozen=True)
class Verdict:
    """Whether the unlabelled rows helped, in points of accuracy.

    Parameters
    ----------
    supervised, semi_supervised : float
        Share of held-out labelled rows predicted rightly, without and with unlabelled rows.
    gain, error : float
        Their difference and its standard error, paired over rows, in points.
    n_rows : int
        Labelled rows that were held out and predicted.
    seconds : float
        What it took.
    unit : {"rows", "cells"}
        What was predicted; cells where rows have several labels.

    Examples
    --------
    >>> print(Verdict(0.80, 0.84, gain=4.0, error=1.1, n_rows=143, seconds=2.0))
    helped by 4.0 +- 1.1 points (84.0% against 80.0% of 143 held-out rows)
    """

    supervised: float
    semi_supervised: float
    gain: float
    error: float
    n_rows: int
    seconds: float
    unit: str = "rows"

    @property
    def word(self) -> str:
        """One of "helped", "hurt", "no evidence"."""
        if self.gain > 0 and self.gain >= _HELPED * self.error:
            return "helped"
        if self.gain < 0 and self.gain <= _HURT * self.error:
            return "hurt"
        return "no evidence"

    def __str__(self):
        start = {
            "helped": f"helped by {self.gain:.1f} +- {self.error:.1f} points",
            "hurt": f"hurt by {-self.gain:.1f} +- {self.error:.1f} points",
            "no evidence": f"no evidence ({self.gain:+.1f} +- {self.error:.1f} points)",
        }[self.word]
        shares = (
            f"{self.semi_supervised:.1%} against {self.supervised:.1%} of {self.n_rows} held-out {self.unit}"
        )
        return f"{start} ({shares})" if self.word != "no evidence" else f"{start[:-1]}; {shares})"


def nested(
    X, labels: Labels, parts: Parts, trainer, alone, *, prior, final, n_folds=3, random_state=None, begin=None
):
    """Hold out each fold of the labelled rows and predict it with and without unlabelled rows.

    Each fold runs one round that may label the whole pool, or 20,000 rows of a larger one:
    enough to tell, at a fraction of the cost.

    Parameters
    ----------
    X, labels, parts
        As in `rounds`; labels before the first round.
    trainer, alone : Trainer
        Those of the main run and of the labelled rows alone, after their first fit.
    prior : callable
        Labels -> class frequencies (K,).
    final : callable
        (Trainer, Labels) -> the final classifier and the classes it knows.
    n_folds : int, default=3
        Number of folds.
    random_state : int or RandomState, optional
        Draws the folds.
    begin : float, optional
        When the clock started; now.

    Returns
    -------
    Verdict, or None where there are too few labels to hold any out
    """
    begin = time.perf_counter() if begin is None else begin
    given = np.flatnonzero((labels.codes >= 0) & (labels.weight > 0))
    rng = check_random_state(random_state)
    folds = stratified_folds(labels.codes[given], n_folds, rng)
    if not folds or any(len(np.unique(labels.codes[given[seen]])) < 2 for seen, _ in folds):
        return None
    right = np.zeros((2, len(given)))
    beyond = np.delete(labels.pool, pool_shown(trainer, len(labels.pool)))
    for _, held in folds:
        rows = given[held]
        strand = labels.afresh(labels.weight.copy())
        strand.codes[rows], strand.weight[rows], strand.weight[beyond] = -1, 0.0, 0.0
        with_pool = trainer.without(held)
        with_pool(X, strand)  # before the other, which takes over what it can
        labeled_alone = alone.without(held, with_pool) if trainer.shows_pool else with_pool
        models = [final(labeled_alone, strand)]
        for _ in rounds(X, strand, parts, prior=prior(strand), n_rounds=1, trainer=with_pool):
            pass
        models.append(final(with_pool, strand))
        for arm, (model, present) in enumerate(models):
            guess = present[model.predict_proba(take(X, rows)).argmax(axis=1)]
            right[arm, held] = guess == labels.codes[rows]
    return verdict(right, labels.weight[given], time.perf_counter() - begin)


def pool_shown(trainer, n):
    """Ranks in a pool of n of the rows that take part."""
    return some_of(n, _POOL_ROWS, trainer.rng(GUARD_POOL))


def verdict(right, weight, seconds=0.0) -> Verdict:
    """From which rows each arm got right (2, n) to what that says."""
    share = weight / weight.sum()
    difference = right[1] - right[0]
    gain = difference @ share
    error = np.sqrt(((difference - gain) ** 2) @ share**2)
    supervised, semi_supervised = (right @ share).tolist()
    return Verdict(supervised, semi_supervised, float(100 * gain), float(100 * error), len(weight), seconds)

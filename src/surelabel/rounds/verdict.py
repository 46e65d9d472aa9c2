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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from ..committees.member_fitting import Classifier, stratified_folds
from ..common.types import Floats, Ints, RandomState, Table
from ..reading.features import take
from .final import final
from .labels import Labels
from .loop import rounds
from .records import Parts
from .training import GUARD_POOL, Lesson, Trainer, some_of

# In standard errors: to say that unlabelled rows helped needs more evidence than to say that they hurt.
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
        Share of held-out labelled rows predicted correctly, without and with unlabelled rows.
    gain, error : float
        Their difference and its standard error, paired over rows, in points.
    n_rows : int
        Labelled rows that were held out and predicted.
    seconds : float
        What it took.
    unit : {"rows", "cells"}
        What was predicted; cells where rows have several labels.

    See Also
    --------
    surelabel.PseudoLabelClassifier : Has one as `verdict_` after fit, unless guard=False.

    Examples
    --------
    >>> from surelabel.rounds import Verdict
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

    def __str__(self) -> str:
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
    X: Table,
    labels: Labels,
    parts: Parts,
    trainer: Trainer,
    *,
    prior: Callable[[Labels], Floats],
    estimator: Classifier | None = None,
    n_folds: int = 3,
    random_state: RandomState = None,
    begin: float | None = None,
) -> Verdict | None:
    """Hold out each fold of the labelled rows and predict it with and without unlabelled rows.

    Each fold runs one round that may label the whole pool, or 20,000 rows of a larger one:
    enough to tell, at a fraction of the cost.

    Parameters
    ----------
    X, labels, parts
        As in `rounds`; labels before the first round.
    trainer : Trainer
        That of the main run, after its first fit.
    prior : callable
        Labels -> class frequencies (K,).
    estimator : classifier, optional
        The final classifier, as in `final`.
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
        fold = labels.afresh(labels.weight.copy())
        fold.codes[rows], fold.weight[rows], fold.weight[beyond] = -1, 0.0, 0.0
        lesson = _lesson_of(X, fold)
        with_pool = trainer.without(held, _lesson_of(X, labels))
        with_pool(lesson)  # before the other, which uses some of its models again
        models = [final(estimator, with_pool.blind(), lesson)]
        for _ in rounds(X, fold, parts, prior=prior(fold), n_rounds=1, trainer=with_pool):
            pass
        models.append(final(estimator, with_pool, lesson))
        for arm, model in enumerate(models):
            right[arm, held] = model.predict(take(X, rows)) == labels.codes[rows]
    return verdict(right, labels.weight[given], time.perf_counter() - begin)


def _lesson_of(X: Table, labels: Labels) -> Lesson:
    return lambda before: (X, labels if before is None else labels.before(before))


def pool_shown(trainer: Trainer, n: int) -> Ints:
    """Ranks in a pool of n of the rows that take part."""
    return some_of(n, _POOL_ROWS, trainer.seeds.rng(GUARD_POOL))


def verdict(right: Floats, weight: Floats, seconds: float = 0.0) -> Verdict:
    """From which rows each arm got right (2, n) to what that says."""
    share = weight / weight.sum()
    difference = right[1] - right[0]
    gain = difference @ share
    error = np.sqrt(((difference - gain) ** 2) @ share**2)
    supervised, semi_supervised = (right @ share).tolist()
    return Verdict(supervised, semi_supervised, float(100 * gain), float(100 * error), len(weight), seconds)

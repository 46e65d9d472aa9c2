"""What the whole method says of labelled rows that it has not seen, with and without unlabelled rows.

For each fold the whole method runs without the fold: its rows are neither labelled nor in
the pool, so no model and no pseudo-label has seen them. Then the fold is predicted by what came
out, and by the same committee trained on the labelled rows alone.

The weights of a committee of unlike models are made on the other rows, from predictions held
out there; the models behind those predictions, which are used for nothing else, had the fold
among their training rows. Fitting them anew for each fold would cost more than the run itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from ..committees.member_fitting import Classifier, stratified_folds
from ..common.types import Floats, Ints, RandomState, Table
from ..heldout.record import ALONE, SEEING, HeldOut
from ..reading.features import take
from .final import final
from .labels import Labels
from .loop import rounds
from .records import Parts
from .training import GUARD_POOL, Lesson, Trainer, some_of

# Unlabelled rows that take part.
_POOL_ROWS = 20_000


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
) -> HeldOut | None:
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

    Returns
    -------
    HeldOut, or None where there are too few labels to hold any out
        Two candidates: trained on the given labels alone, and on those found too.
    """
    given = np.flatnonzero((labels.codes >= 0) & (labels.weight > 0))
    rng = check_random_state(random_state)
    folds = stratified_folds(labels.codes[given], n_folds, rng)
    if not folds or any(len(np.unique(labels.codes[given[seen]])) < 2 for seen, _ in folds):
        return None
    P, number = np.zeros((2, len(given), labels.n_classes)), np.zeros(len(given), dtype=int)
    beyond = np.delete(labels.pool, pool_shown(trainer, len(labels.pool)))
    for k, (_, held) in enumerate(folds):
        rows, number[held] = given[held], k
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
            P[arm, held] = model.predict_proba(take(X, rows), labels.n_classes)
    weight = labels.weight[given] / labels.weight[given].mean()
    return HeldOut((ALONE, SEEING), P, labels.codes[given], weight, number)


def _lesson_of(X: Table, labels: Labels) -> Lesson:
    return lambda before: (X, labels if before is None else labels.before(before))


def pool_shown(trainer: Trainer, n: int) -> Ints:
    """Ranks in a pool of n of the rows that take part."""
    return some_of(n, _POOL_ROWS, trainer.seeds.rng(GUARD_POOL))

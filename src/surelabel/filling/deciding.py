"""A filling: which missing labels to hand out so that a share of them is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..common.types import Floats
from .average import on_average
from .bounds import share_right
from .confident import N_STEPS, last_passed
from .evidence import Evidence
from .more import rows_missing
from .record import AVERAGE, CONFIDENT, NOTHING, ClassFilled, Filling, ShareRight
from .steps import Steps, estimated_error, steps_of

_NEARLY = 1e-12


def fill(
    evidence: Evidence,
    right: float = 0.95,
    confidence: float | None = None,
    per_class: bool = False,
    exact: bool = False,
    promise: bool = True,
) -> Filling:
    """Fill in as many labels as can be answered for.

    If the labelled rows are a random sample of the table, and held-out guesses are as good as those of the
    final classifier, at least `right` of the filled labels are right: in the mean over such tables, or, with
    `confidence`, in this table. Cross-fitting makes the second condition nearly true, not exactly: the final
    classifier has learnt from more labels, and its scores have another level (`steps.steps_of`).

    Parameters
    ----------
    evidence : Evidence
        Guesses of held-out labelled rows and of unlabelled rows.
    right : float, default=0.95
        The share of the filled labels that is to be right, below 1.
    confidence : float, optional
        How sure this is to be; without, it holds on average.
    per_class : bool, default=False
        Whether it is to hold in each class that is filled, and not only in all of them together.
    exact : bool, default=False
        Whether the labelled rows are a split that the classifier has neither learnt from nor been chosen on
        (`surelabel.rounds.aside`). Then the promise is a theorem, and reckons with one wrong row more
        than there were; of cross-fitted rows that would be too careful (`average.likely_false_share`).
    promise : bool, default=True
        False: fill in by the estimated share right (`steps.estimated_error`), and promise nothing.

    Returns
    -------
    Filling
        Nothing is filled where nothing can be promised.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score = 1 - 0.5 * rng.random(1200) ** 3
    >>> right, zeros = rng.random(1200) < score, np.zeros(1200, int)
    >>> evidence = Evidence(score[:200], zeros[:200], right[:200], np.ones(200), score[200:], zeros[200:], 1)
    >>> print(fill(evidence, right=0.9))
    924 of 1,000 missing labels filled in; about 90% of them are right (at least 90% on average)
    >>> print(fill(evidence, right=0.9, confidence=0.9))
    800 of 1,000 missing labels filled in; about 94% of them are right (at least 90% with 90% confidence)
    """
    own = [steps_of(evidence.of_class(k)) for k in range(evidence.n_classes)]
    tested = own if per_class else [steps_of(evidence)]
    decided = _limits(tested, right, confidence, exact) if promise else _estimated(tested, right)
    limits = np.broadcast_to(decided, evidence.n_classes)
    filled = evidence.pool_score >= limits[evidence.pool_guess]
    missing = [rows_missing(steps, right, confidence) for steps in tested]
    by_class = tuple(
        ClassFilled(
            k,
            steps.m,
            _filled(steps, limits[k]),
            float(limits[k]),
            _share(steps, limits[k]),
            promise and per_class and bool(_filled(steps, limits[k])),
            rows_missing(steps, right, confidence),
        )
        for k, steps in enumerate(own)
    )
    form = AVERAGE if confidence is None else CONFIDENT
    return Filling(
        filled,
        np.where(filled, evidence.pool_guess, -1),
        form if promise and filled.any() else NOTHING,
        right,
        confidence,
        per_class,
        _together(by_class) if per_class else _share(tested[0], limits[0]),
        by_class,
        len(evidence.score),
        0 if filled.any() else min(missing),
    )


def _limits(each: Sequence[Steps], right: float, confidence: float | None, exact: bool) -> Floats:
    """The least score to fill in each group; infinite where nothing is filled."""
    if confidence is None:
        chosen = [on_average(steps, right, exact) for steps in each]
    else:
        each = [steps.spread(N_STEPS) for steps in each]
        chosen = last_passed(each, right, confidence).tolist()
    return np.array([steps.threshold[i] if i >= 0 else np.inf for steps, i in zip(each, chosen, strict=True)])


def _estimated(each: Sequence[Steps], right: float) -> Floats:
    """The least score to fill in each group by the estimated share right."""
    limits = np.full(len(each), np.inf)
    for k, steps in enumerate(each):
        passed = np.flatnonzero(estimated_error(steps) <= 1 - right + _NEARLY)
        if len(passed):
            limits[k] = steps.threshold[passed[-1]]
    return limits


def _filled(steps: Steps, limit: float) -> int:
    place = int(np.searchsorted(-steps.threshold, -limit, "right")) - 1
    return int(steps.filled[place]) if place >= 0 else 0


def _share(steps: Steps, limit: float) -> ShareRight | None:
    place = int(np.searchsorted(-steps.threshold, -limit, "right")) - 1
    if place < 0:
        return None
    n, wrong, stated = (float(each[place]) for each in (steps.n, steps.wrong, steps.stated))
    return share_right(n, wrong, int(steps.filled[place]), 1 - stated)


def _together(each: Sequence[ClassFilled]) -> ShareRight | None:
    """The share right of all classes, each by the number of its rows that are filled."""
    known = [(one.filled, one.share) for one in each if one.share is not None]
    if not known:
        return None
    total = sum(filled for filled, _ in known)
    n = sum(share.n for _, share in known)
    wrong = sum(filled / total * share.wrong / share.n for filled, share in known) * n
    stated = sum(filled / total * (2 * share.estimate - 1 + share.wrong / share.n) for filled, share in known)
    return share_right(n, wrong, total, stated)

"""What the arguments of the estimator mean, checked."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight

from ..allocation import Transport
from ..committees.base import as_committee
from ..committees.unlike import Unlike, default_test
from ..common.notice import notice
from ..reading.features import is_constant
from .loop import Parts

_EXAMPLES = {"confidence": "TTest()", "allocator": "Transport()"}


def parts_of(clf) -> Parts:
    """The parts that an estimator's arguments name, the default ones where they name none."""
    committee = as_committee(Unlike() if clf.committee is None else clf.committee)
    if clf.n_jobs is not None and "n_jobs" in committee.get_params(deep=False):
        committee = clone(committee).set_params(n_jobs=clf.n_jobs)
    confidence = default_test(committee) if clf.confidence is None else clf.confidence
    allocator = Transport() if clf.allocator is None else clf.allocator
    for name, part in [("confidence", confidence), ("allocator", allocator)]:
        if isinstance(part, type) or not callable(part):
            raise TypeError(f"{name} must be a part such as {name}={_EXAMPLES[name]}; it is {part!r}.")
    return Parts(committee, confidence, allocator, clf.negatives)


def rounds_worth_running(n_rounds, labeled):
    """The number of rounds; 0 where no column of the labelled rows varies."""
    if n_rounds != int(n_rounds) or n_rounds < 0:
        raise ValueError(f"n_rounds must be a whole number, 0 or more; it is {n_rounds}.")
    if not is_constant(labeled):
        return n_rounds
    notice(
        "No column of X varies over the labelled rows, so nothing tells the classes apart "
        "and no row is labelled."
    )
    return 0


def row_weights(sample_weight, X, n_rows):
    """Weights of the rows of X and, at 1, of those below, shape (n_rows,); None for none."""
    if sample_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    if not weight.any():
        raise ValueError("All sample weights are zero; at least one must be above it.")
    return np.append(weight, np.ones(n_rows - len(weight)))

"""From what a user names to the parts of a method, checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight

from ..allocation import Transport
from ..committees.panel import as_committee
from ..committees.unlike import Unlike
from ..common.notice import notice
from ..common.types import Floats, Table
from ..confidence import TTest, as_confidence
from ..reading.features import is_constant
from .records import Parts


def method_of(clf: Any) -> Parts:
    """The parts that an estimator's arguments name, the default ones where they name none."""
    committee = as_committee(Unlike() if clf.committee is None else clf.committee)
    if clf.n_jobs is not None and "n_jobs" in committee.get_params(deep=False):
        committee = clone(committee).set_params(n_jobs=clf.n_jobs)
    confidence = TTest() if clf.confidence is None else clf.confidence
    allocator = Transport() if clf.allocator is None else clf.allocator
    return ready(Parts(committee, confidence, allocator, clf.negatives))


def ready(parts: Parts) -> Parts:
    """The same parts as the loop needs them.

    Classifiers become a committee, a function a confidence; settings that were not given are chosen.
    """
    committee, allocator = as_committee(parts.committee), parts.allocator
    confidence = as_confidence(parts.confidence).for_committee(committee)
    if isinstance(allocator, type) or not callable(allocator):
        raise TypeError(f"allocator must be a part such as allocator=Transport(); it is {allocator!r}.")
    return replace(parts, committee=committee, confidence=confidence)


def rounds_worth_running(n_rounds: int, labeled: Table) -> int:
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


def row_weights(sample_weight: Any, X: Table, n_rows: int) -> Floats | None:
    """Weights of the rows of X and, at 1, of those below, shape (n_rows,); None for none."""
    if sample_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    if not weight.any():
        raise ValueError("All sample weights are zero; at least one must be above it.")
    return np.append(weight, np.ones(n_rows - len(weight)))

"""Members that fail: the committee goes on without them, and says which and why.

A member may raise in training or in prediction, answer in a wrong shape, or not end in time. What it did is
kept as a `Failure` in the place of its result; a committee fails only where no member is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np

from ..common.notice import logger, notice
from ..common.types import Floats, Table

# How far the probabilities of a row may be from summing to 1.
_ROUNDING = 1e-3


@dataclass(frozen=True)
class Failure:
    """What a member did instead of its work.

    Parameters
    ----------
    error : Exception
        What it raised.
    """

    error: Exception

    @property
    def reason(self) -> str:
        """The error in one line."""
        text = " ".join(str(self.error).split())
        return f"{type(self.error).__name__}: {text[:300]}" if text else type(self.error).__name__


def attempt(seconds: float | None, work: Callable[..., Any], *args: Any) -> Any:
    """What work(*args) gives, or a Failure; one too where it takes longer than so many seconds.

    A thread cannot be ended from outside: what did not end in time goes on in the background, and its
    result is not used.
    """
    if seconds is None:
        return _tried(work, *args)
    found: list[Any] = []
    thread = Thread(target=lambda: found.append(_tried(work, *args)), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else Failure(TimeoutError(f"it did not end within {seconds:g} seconds"))


def _tried(work: Callable[..., Any], *args: Any) -> Any:
    try:
        return work(*args)
    except Exception as error:
        # Any kind of error: a member may be of anybody's making, and the others can do without it.
        logger.debug("a member of the committee failed", exc_info=True)
        return Failure(error)


def survivors(
    results: Mapping[str, Any], what: str, failed: dict[str, str], n_others: int = 0
) -> dict[str, Any]:
    """Results of the members that did their work, by name; an error where no member is left.

    Parameters
    ----------
    results : dict
        Result of each member, or its Failure.
    what : str
        What they were to do, such as "trained".
    failed : dict
        Reasons of members that failed; new ones are added, and told once.
    n_others : int, default=0
        Members that need not do this work.
    """
    bad = {name: result for name, result in results.items() if isinstance(result, Failure)}
    if len(bad) == len(results) and not n_others:
        _refuse(bad, what)
    new = {name: failure.reason for name, failure in bad.items() if name not in failed}
    failed.update(new)
    if new:
        each = "; ".join(f"{name} ({reason})" for name, reason in new.items())
        notice(f"The committee goes on without members that could not be {what}: {each}.")
    return {name: result for name, result in results.items() if name not in bad}


def _refuse(bad: Mapping[str, Failure], what: str) -> None:
    first = next(iter(bad.values())).error
    if len({failure.reason for failure in bad.values()}) == 1:
        raise first
    reasons = "; ".join(f"{name}: {failure.reason}" for name, failure in bad.items())
    raise ValueError(f"No member of the committee could be {what}. {reasons}.") from first


def probabilities(model: Any, X: Table, n_classes: int | None = None) -> Floats:
    """What a model predicts, checked, shape (n, K): a ValueError where these are no probabilities.

    A row of NaN or infinity is one that a model cannot judge: every class is equally probable there.
    """
    p = np.asarray(model.predict_proba(X), dtype=float)
    n_rows, expected = X.shape[0], n_classes if n_classes is not None else len(model.classes_)
    if p.shape != (n_rows, expected):
        raise ValueError(
            f"predict_proba gives an array of shape {p.shape} for {n_rows} rows and {expected} classes"
        )
    known = p[np.isfinite(p).all(axis=1)]
    if n_rows and not len(known):
        raise ValueError("predict_proba gives NaN or infinity for every row")
    if len(known) and (known.min() < -_ROUNDING or np.abs(known.sum(axis=1) - 1).max() > _ROUNDING):
        raise ValueError("predict_proba gives numbers below 0, or rows that do not sum to 1")
    return _without_gaps(p)


def _without_gaps(p: Floats) -> Floats:
    """P, with every class equally probable in rows where a model gives NaN or infinity, shape of p."""
    return np.where(np.isfinite(p).all(axis=-1, keepdims=True), p, 1 / p.shape[-1])


def names_of(members: Iterable[Any]) -> list[str]:
    """A name for each member: its class, with a number where several have the same.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> names_of([GaussianNB(), GaussianNB()])
    ['GaussianNB 1', 'GaussianNB 2']
    """
    kinds = [type(member).__name__ for member in members]
    return [
        kind if kinds.count(kind) == 1 else f"{kind} {number}" for number, kind in enumerate(kinds, start=1)
    ]

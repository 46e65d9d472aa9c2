"""What a hostile case is, and the table that most of them begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from surelabel import Repeated, csa, trees


@dataclass(frozen=True)
class Case:
    """Something to try.

    Parameters
    ----------
    name : str
        What is tried.
    run : callable
        Tries it.
    wrong : callable
        (what came out, what was warned of) -> in a word, what is wrong; None if nothing is.
    must_work : bool
        Whether even a clear error would be wrong.
    """

    name: str
    run: Callable
    wrong: Callable = lambda found, told: found
    must_work: bool = False


def table(n=60, seed=0):
    """X, y with 24 labels, and the truth: two columns tell three classes apart."""
    rng = np.random.default_rng(seed)
    k = np.arange(n) % 3
    X = pd.DataFrame({"width": 5.0 * (k == 1), "height": 5.0 * (k == 2)}) + rng.normal(size=(n, 2)) / 2
    truth = np.array(["cat", "dog", "owl"], dtype=object)[k]
    return X, np.where(np.arange(n) < 24, truth, None), truth


def small(**settings):
    """A method that takes a moment and reads every kind of column."""
    given = {"committee": Repeated(trees(10), 5), "n_rounds": 2, "guard": False, "random_state": 0}
    return csa(**given | settings)


def fitted(X, y, truth, clf=None, ask=None):
    """What is wrong with a fit and its predictions; None if nothing is."""
    clf = (small() if clf is None else clf).fit(X, y)
    found = np.asarray(clf.predict(X if ask is None else ask), dtype=object)
    if len(found) != len(truth):
        return f"{len(found)} predictions for {len(truth)} rows"
    right = np.mean([str(a) == str(b) for a, b in zip(found, truth, strict=True)])
    given = np.flatnonzero(clf.labeled_iter_ == 0)
    if [str(v) for v in np.asarray(clf.transduction_, dtype=object)[given]] != [str(truth[i]) for i in given]:
        return "a given label has changed"
    return None if right > 0.85 else f"{right:.0%} right"

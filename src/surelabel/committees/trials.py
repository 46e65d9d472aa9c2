"""Models that were cross-validated on the labelled rows: what each says of rows it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..common.types import Floats, Ints, Table
from ..heldout.record import HeldOut
from ..reading.features import stacked, take
from .encoded import View
from .failing import Failure
from .member_fitting import Classifier, Folds, spreads


@dataclass(frozen=True, eq=False)
class Trial:
    """A model that was cross-validated.

    Parameters
    ----------
    model : classifier
        To be fitted.
    view : View
        What it sees of the table.
    fitted : classifier or None
        The model fitted on all rows, where that is done.
    p : ndarray of shape (n, K)
        What models that had not seen the label say of each row.
    """

    model: Classifier
    view: View
    fitted: Classifier | None
    p: Floats


@dataclass(frozen=True, eq=False)
class Trials:
    """All models that were tried, on the same folds of the same rows.

    Parameters
    ----------
    folds : list
        Of each, the positions of the rows seen and held out; none where no class has two rows.
    codes : ndarray of shape (n,)
        The given classes: 0, 1, ... without a gap.
    weight : ndarray of shape (n,) or None
        Weights of the rows.
    tried : dict of str to Trial
        By name.
    """

    folds: Folds
    codes: Ints
    weight: Floats | None
    tried: Mapping[str, Trial] = field(default_factory=dict)

    def held_out(self) -> HeldOut:
        """What every model says of the rows without their labels; of no row where there are no folds."""
        weight = np.ones(len(self.codes)) if self.weight is None else np.asarray(self.weight, dtype=float)
        fold = np.zeros(len(self.codes), dtype=int)
        for number, (_, held) in enumerate(self.folds):
            fold[held] = number
        rows, P = slice(0), np.empty((len(self.tried), 0, int(self.codes.max()) + 1))
        if self.folds:
            rows, P = slice(None), np.stack([trial.p for trial in self.tried.values()])
        return HeldOut(tuple(self.tried), P, self.codes[rows], (weight / weight.mean())[rows], fold[rows])

    def blind(self) -> list[str]:
        """Names of the models that have not seen unlabelled rows."""
        return [name for name, trial in self.tried.items() if trial.view.X_unlabeled is None]

    def unfitted(self, names: Mapping[str, int]) -> dict[str, tuple[View, Classifier, Ints, Floats | None]]:
        """For `View.fit`: those of these names that are not fitted on all rows yet."""
        return {
            name: (self.tried[name].view, self.tried[name].model, self.codes, self.weight)
            for name in names
            if self.tried[name].fitted is None
        }

    def with_fitted(self, models: Mapping[str, Classifier]) -> Trials:
        """The same, with these models fitted on all rows."""
        new = {name: replace(self.tried[name], fitted=model) for name, model in models.items()}
        return replace(self, tried={**self.tried, **new})


def cross_validated(
    model: Classifier, view: View | Failure, folds: Folds, codes: Ints, sample_weight: Floats | None
) -> tuple[Classifier | None, Floats]:
    """(the model fitted on all rows, or None where that was not needed; p (n, K))."""
    if isinstance(view, Failure):
        raise view.error
    return view.fit_folds(model, codes, folds, sample_weight)


def fit_again(
    model: Classifier,
    view: View,
    X: Table,
    codes: Ints,
    sample_weight: Floats | None,
    X_unlabeled: Table | None,
    given: Floats | None,
) -> Classifier:
    """Fit a model on more labels; one that spreads labels by itself, on the given ones only."""
    if given is not None and not given.all() and spreads(model):
        X_unlabeled = stacked(take(X, given == 0), X_unlabeled)
        X, codes, sample_weight = take(X, given > 0), codes[given > 0], given[given > 0]
    return view.of(X, X_unlabeled).fit(model, codes, sample_weight)

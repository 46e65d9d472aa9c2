"""Models of a user's own: what can be a member, and models that cannot read a table as it is."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline, make_pipeline

from ..common.notice import notice
from ..common.settings import shown
from ..common.types import Bools, Ints, Table
from ..reading.column_values import is_sparse
from ..reading.features import category_mask, has_text, numbers, take
from .encoding import Dense, Encoder
from .failing import Failure, attempt, names_of, probabilities
from .member_fitting import Classifier, SharesFolds, fit_present, seeded

_Model = TypeVar("_Model")
# Rows that a model is tried on: to train, and to be asked about.
_TRAINED_ROWS = 500
_ASKED_ROWS = 20


def check_classifier(model: Any, name: str) -> None:
    """Refuse what is no classifier that gives probabilities; errors speak of it by this name.

    Examples
    --------
    >>> check_classifier("xgboost", "estimator")
    Traceback (most recent call last):
    TypeError: estimator must be a classifier, such as LogisticRegression(); it is 'xgboost'.
    """
    if isinstance(model, type):
        raise TypeError(f"{name} is the class {model.__name__}; give a model, {model.__name__}().")
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise TypeError(f"{name} must be a classifier, such as LogisticRegression(); it is {shown(model)}.")
    for each in (model, *model.get_params(deep=True).values()):
        if hasattr(each, "fit_rounds") and not isinstance(each, type):
            raise TypeError(
                f"{name} must be a classifier that learns from labelled rows; {type(each).__name__} has "
                "rounds and a committee of its own. Give that committee, such as Unlike()."
            )
    if not hasattr(model, "predict_proba") and not _gives_probabilities_when_fitted(model):
        way_out = (
            f"CalibratedClassifierCV({type(model).__name__}()) does."
            if is_classifier(model)
            else "Give a classifier, such as LogisticRegression()."
        )
        raise TypeError(
            f"{name} must give probabilities (predict_proba); {type(model).__name__} gives none. {way_out}"
        )


def _gives_probabilities_when_fitted(model: Classifier) -> bool:
    """Whether a model that now seems to give none, such as a StackingClassifier, does after fit."""
    if not hasattr(type(model), "predict_proba"):
        return False
    fitted = attempt(None, clone(model).fit, np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
    return isinstance(fitted, Failure) or hasattr(fitted, "predict_proba")


def check_models(committee: Any) -> None:
    """Refuse a committee whose models are no classifiers."""
    kind, given = type(committee).__name__, committee.get_params(deep=False)
    several = given.get("estimators")
    if several is not None and not isinstance(several, (list, tuple, dict)):
        raise TypeError(f"{kind} takes a list of classifiers, such as {kind}([{shown(several)}]).")
    if several is not None and not several:
        raise ValueError(f"{kind}({several!r}) has no member; a committee needs at least one.")
    for name, model in models_of(committee).items():
        check_classifier(model, f"{name} in {kind}")


def models_of(committee: Any) -> dict[str, Classifier]:
    """The models that a committee was given, by name; none where it has its own."""
    given = committee.get_params(deep=False)
    models = given["estimators"] if "estimators" in given else [given["estimator"]]
    if models is None or isinstance(models, dict):
        return dict(models or {})
    return {name: model for name, model in zip(names_of(models), models, strict=True) if model is not None}


def with_models(committee: _Model, models: dict[str, Classifier], by_name: bool) -> _Model:
    """A copy of a committee with these models instead of those it was given, as a dict or as a list."""
    if "estimators" not in committee.get_params(deep=False):  # type: ignore[attr-defined]
        return clone(committee).set_params(estimator=next(iter(models.values())))
    return clone(committee).set_params(estimators=models if by_name else list(models.values()))


def made_readable(models: dict[str, Classifier], X: Table, codes: Ints) -> dict[str, Classifier]:
    """The models; those that cannot read X as it is, behind an `Encoder`, which is said.

    Whether one can is tried, on some rows, where X has what many models cannot read: categories, free text,
    gaps, or a sparse matrix. A model that fails behind the encoder too fails for another reason, and is left
    as it is.

    Parameters
    ----------
    models : dict of classifiers
        To be fitted.
    X : matrix or frame
        All rows, in the form `Columns` gives.
    codes : ndarray of shape (n,)
        Their classes; -1 is unlabelled.
    """
    strangers = {name: model for name, model in models.items() if not reads_everything(model)}
    if not strangers:
        return models
    gaps = rows_with_gaps(X)
    text = has_text(X)
    kinds = {
        "categories": category_mask(X).any(),
        "free text": text,
        "gaps": gaps.any(),
        "sparse matrices": is_sparse(X),
    }
    hard = [kind for kind, there in kinds.items() if there]
    known = np.flatnonzero(codes >= 0)
    if not hard or len(np.unique(codes[known])) < 2:
        return models
    rows = _some(known, gaps[known], _TRAINED_ROWS)
    asked = take(X, _some(np.arange(len(gaps)), gaps, _ASKED_ROWS))
    lesson = take(X, rows), codes[rows]
    behind = {
        name: make_pipeline(Encoder(), model)
        for name, model in strangers.items()
        if not _works(model, *lesson, asked)
    }
    behind = {name: model for name, model in behind.items() if _works(model, *lesson, asked)}
    if behind:
        notice(
            f"{_listed(behind)} cannot read {' and '.join(hard)}; X becomes numbers first: scaled, with "
            f"categories one-hot and gaps filled with the median{', without free text' if text else ''}.",
            advice=True,
        )
    return models | behind


def reads_everything(model: Classifier) -> bool:
    """Whether a model is one of this package's own, or begins with one of its steps."""
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    return isinstance(first, (SharesFolds, Encoder, Dense)) or getattr(first, "func", None) is numbers


def _works(model: Classifier, X: Table, codes: Ints, asked: Table) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return not isinstance(attempt(None, _tried, model, X, codes, asked), Failure)


def _tried(model: Classifier, X: Table, codes: Ints, asked: Table) -> None:
    fitted, present = fit_present(seeded(model, np.random.RandomState(0)), X, codes)
    probabilities(fitted, asked, len(present))


def rows_with_gaps(X: Table) -> Bools:
    """Which rows have a missing cell, shape (n,)."""
    if is_sparse(X):
        return np.zeros(X.shape[0], dtype=bool)
    return np.any(np.asarray(pd.isna(X)), axis=1)


def _some(rows: Ints, first: Bools, most: int) -> Ints:
    """At most so many rows, evenly over all of them, and as many of those that come first."""

    def spaced(of: Ints) -> Ints:
        return of[:: -(-len(of) // most)] if len(of) else of

    return np.union1d(spaced(rows), spaced(rows[first]))


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last

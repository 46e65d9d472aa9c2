"""Which models read a table: those that a user names, or the default ones that can read something of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...common.types import Table
from ...reading.features import has_text, without_text
from ..encoded import reads_text
from ..failing import names_of
from ..member_fitting import Classifier
from ..text import Terms
from .default import unlike_models
from .text import text_models

# As a user gives them; None stands for the default ones.
Estimators = Sequence[Classifier] | dict[str, Classifier] | None


def named(estimators: Estimators) -> dict[str, Classifier]:
    """Classifiers by name; those of a list are named by their class."""
    if estimators is None:
        return unlike_models()
    if isinstance(estimators, dict):
        return estimators
    return dict(zip(names_of(estimators), estimators, strict=True))


def terms_for(estimators: Estimators, X: Table, X_unlabeled: Table | None) -> Terms | None:
    """The terms of the text of all rows; None where there is no text, or no model that reads it."""
    if not has_text(X) or not (estimators is None or any(map(reads_text, named(estimators).values()))):
        return None
    return Terms().learn([X] if X_unlabeled is None else [X, X_unlabeled])


def models_for(estimators: Estimators, X: Table, terms: Terms | None) -> dict[str, Classifier]:
    """The models for a table, by name.

    Parameters
    ----------
    estimators : list, dict or None
        What the user says.
    X : table
        The rows.
    terms : Terms or None
        The terms of its text.
    """
    if estimators is not None or not has_text(X):
        return named(estimators)
    others = without_text(X).shape[1] > 0
    if terms is not None and len(terms):
        return {name: model for name, model in text_models().items() if others or reads_text(model)}
    if not others:
        raise ValueError("There is nothing to learn from: all columns are free text, and it has no words.")
    return unlike_models()

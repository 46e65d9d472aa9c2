"""Classifiers behind an encoder, and tables as encoders show them: each view is made once."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, clone

from ..common.types import AnyLabels, Floats, Table, Values
from ..reading.features import stacked
from .encoding import Encoder
from .member_fitting import Classifier, Folds, SharesFolds, fit_folds, fit_weighted, spreads
from .text import TextSpace
from .text_encoding import ReadsText, Words


class Encoded(SharesFolds, ClassifierMixin, BaseEstimator):
    """A classifier behind an encoder that has seen all rows, labelled or not.

    Parameters
    ----------
    classifier : classifier
        Reads numbers without gaps.
    encoder : transformer, default=Encoder()
        Fitted on X and X_unlabeled together: scales and components need no labels.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 5.0, 6.0]})
    >>> Encoded(LogisticRegression()).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(self, classifier: Classifier, encoder: Any = None) -> None:
        self.classifier = classifier
        self.encoder = encoder

    def fit(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> Self:
        """Fit the encoder on all rows, the classifier on the labelled ones."""
        view = view_of(self, X, X_unlabeled)
        self.encoder_ = view.encoder
        self.classifier_ = fit_weighted(clone(self.classifier), view.X, y, sample_weight, view.X_unlabeled)
        self.classes_ = self.classifier_.classes_
        return self

    def fit_folds(
        self,
        X: Table,
        y: AnyLabels,
        folds: Folds,
        sample_weight: Floats | None = None,
        X_unlabeled: Table | None = None,
    ) -> tuple[Self | None, Floats]:
        """As the function `fit_folds`; the encoder is the same in each fold, and rows are encoded once."""
        return view_of(self, X, X_unlabeled).fit_folds(self, y, folds, sample_weight)

    @property
    def learns_from_unlabeled(self) -> bool:
        """Whether unlabelled rows make a difference; they make none to how words are weighed."""
        return not isinstance(self.encoder, Words)

    @property
    def spreads(self) -> bool:
        """Whether the classifier spreads labels over unlabelled rows by itself."""
        return spreads(self.classifier)

    def predict_proba(self, X: Table) -> Floats:
        """Probability of each class, shape (n, K)."""
        return self.classifier_.predict_proba(self.encoder_.transform(X))

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@dataclass(frozen=True, eq=False)
class View:
    """A table as one encoder shows it.

    Parameters
    ----------
    encoder : transformer or None
        Fitted; None where models read the table itself.
    X, X_unlabeled : matrices or tables
        The labelled rows, and the others where they are shown.
    """

    encoder: Any
    X: Table
    X_unlabeled: Table | None

    @property
    def idle(self) -> bool:
        """Whether it shows nothing that others do not."""
        return isinstance(self.encoder, (Encoder, ReadsText)) and self.encoder.idle_

    def of(self, X: Table, X_unlabeled: Table | None = None) -> View:
        """Other rows as the same encoder shows them; unlabelled ones only where they were shown before."""
        if self.X_unlabeled is None:
            X_unlabeled = None
        if self.encoder is None:
            return View(None, X, X_unlabeled)
        others = None if X_unlabeled is None else self.encoder.transform(X_unlabeled)
        return View(self.encoder, self.encoder.transform(X), others)

    def fit(self, model: Classifier, y: AnyLabels, sample_weight: Floats | None) -> Classifier:
        """The model, fitted on what it sees here."""
        return self._behind(
            model, fit_weighted(clone(_inner(model)), self.X, y, sample_weight, self.X_unlabeled)
        )

    def fit_folds(
        self, model: Classifier, y: AnyLabels, folds: Folds, sample_weight: Floats | None = None
    ) -> tuple[Classifier | None, Floats]:
        """As the function `fit_folds`, of the model on what it sees here."""
        fitted, p = fit_folds(clone(_inner(model)), self.X, y, folds, sample_weight, self.X_unlabeled)
        return None if fitted is None else self._behind(model, fitted), p

    def _behind(self, model: Classifier, fitted: Classifier) -> Classifier:
        if not isinstance(model, Encoded):
            return fitted
        made = copy(model)
        made.encoder_, made.classifier_, made.classes_ = self.encoder, fitted, fitted.classes_
        return made


def view_of(
    model: Classifier, X: Table, X_unlabeled: Table | None = None, space: TextSpace | None = None
) -> View:
    """The table as a model sees it; a space is what was learnt of its text before."""
    if not isinstance(model, Encoded):
        return View(None, X, X_unlabeled)
    encoder = Encoder() if model.encoder is None else clone(model.encoder)
    if isinstance(encoder, ReadsText):
        encoder.fit(stacked(X, X_unlabeled), space=space)
    else:
        encoder.fit(stacked(X, X_unlabeled))
    others = None if X_unlabeled is None else encoder.transform(X_unlabeled)
    return View(encoder, encoder.transform(X), others)


def key_of(model: Classifier) -> str:
    """Models of one key see the same view."""
    if not isinstance(model, Encoded):
        return ""
    encoder = Encoder() if model.encoder is None else model.encoder
    return f"{type(encoder).__qualname__} {sorted(encoder.get_params().items())}"


def reads_text(model: Classifier) -> bool:
    """Whether a model reads free text by an encoder."""
    return isinstance(model, Encoded) and isinstance(model.encoder, ReadsText)


def matrices(members: Iterable[Classifier], X: Table) -> dict[int, Floats]:
    """X as each encoder of fitted members shows it, by the identity of the encoder."""
    encoders = {id(m.encoder_): m.encoder_ for m in members if isinstance(m, Encoded)}
    return {name: encoder.transform(X) for name, encoder in encoders.items()}


def seen_by(member: Classifier, X: Table, shown: dict[int, Floats]) -> tuple[Classifier, Table]:
    """The classifier to be asked, and what it reads."""
    if isinstance(member, Encoded):
        return member.classifier_, shown[id(member.encoder_)]
    return member, X


def _inner(model: Classifier) -> Classifier:
    return model.classifier if isinstance(model, Encoded) else model

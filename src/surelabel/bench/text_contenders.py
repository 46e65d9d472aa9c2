"""What stands beside csa() on tables with text: plain models of words, and skrub's reading of tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from ..common.types import Table
from ..reading.columns import Columns
from ..reading.features import text_mask
from ..recipes import csa as default_csa
from . import elsewhere
from .contenders import heard, here_or_elsewhere, of_classifier, task
from .datasets import Split
from .grid import Outcome
from .judging import Said
from .preparation import framed, softmax
from .registry import method, method_that_needs

_SKRUB = here_or_elsewhere("skrub", "skrub")


def _text_columns(split: Split) -> list[str]:
    """The columns that are taken for free text."""
    read = Columns().fit_transform(framed(split.X_l), framed(split.X_u))
    return list(read.columns[text_mask(read)])


def _texts(X: Table, columns: list[str]) -> list[str]:
    return framed(X)[columns].fillna("").astype(str).agg(" ".join, axis=1).tolist()


def _shares(split: Split) -> Said:
    """The shares of the classes, for every row: what is left where there is nothing to read."""
    shares = np.bincount(split.y_l) / len(split.y_l)
    return Said(np.tile(shares, (len(split.y_u), 1)), np.tile(shares, (len(split.y_t), 1)))


def _of_words(split: Split, words: Any, model: Any) -> Outcome:
    """A model of the words of the labelled rows alone; without text it has nothing to say."""

    def say() -> Said:
        columns = _text_columns(split)
        if not columns:
            return _shares(split)
        fitted = make_pipeline(words, model).fit(_texts(split.X_l, columns), split.y_l)
        ask = fitted.predict_proba if hasattr(model, "predict_proba") else fitted.decision_function
        p_u, p_t = (ask(_texts(X, columns)) for X in (split.X_u, split.X_t))
        return Said(p_u, p_t) if hasattr(model, "predict_proba") else Said(softmax(p_u), softmax(p_t))

    return heard(split, say)


@method
def words_logistic(split: Split, C: float = 10.0) -> Outcome:
    """Logistic regression on the words of the labelled rows alone (TF-IDF)."""
    return _of_words(split, TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=C, max_iter=1000))


@method
def words_and_parts_machine(split: Split, C: float = 1.0) -> Outcome:
    """A linear support vector machine on words and parts of words of the labelled rows alone."""
    words = make_union(
        TfidfVectorizer(sublinear_tf=True),
        TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2),
    )
    return _of_words(split, words, LinearSVC(C=C, random_state=split.seed))


@method
def csa_without_text(split: Split) -> Outcome:
    """csa() that is not shown the columns of text."""
    text = _text_columns(split)
    if len(text) == split.X_l.shape[1]:
        return heard(split, lambda: _shares(split))
    return of_classifier(split, default_csa(columns=Columns(drop=text), random_state=split.seed), split.X_u)


@method_that_needs(_SKRUB, optional=True)
def skrub_logistic(split: Split) -> Outcome:
    """Skrub's TableVectorizer and logistic regression on the labelled rows alone."""
    return task(split, "skrub", {"trees": False}, elsewhere.pythons().get("skrub"))


@method_that_needs(_SKRUB, optional=True)
def skrub_trees(split: Split) -> Outcome:
    """Skrub's TableVectorizer and extra trees on the labelled rows alone."""
    return task(split, "skrub", {"trees": True}, elsewhere.pythons().get("skrub"))

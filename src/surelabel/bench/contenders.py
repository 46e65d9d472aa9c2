"""What stands beside csa() on the tables of a folder; each is judged by its probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from ..allocation import Threshold
from ..classifier import PseudoLabelClassifier
from ..committees.models.default import unlike_models
from ..committees.panel import Panel
from ..common.types import Ints
from ..confidence import Everything
from ..files import InputError
from ..recipes import csa as default_csa
from . import elsewhere, other_python
from .datasets import Split
from .grid import Outcome, classifier
from .judging import Said, judged
from .preparation import framed, ordinal, plain, scaled, softmax
from .registry import Lacks, method, method_that_needs, package

_TREES = 300


def heard(split: Split, say: Callable[[], Said]) -> Outcome:
    """What a method comes to on a split, and how often it warned."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        said = say()
    return judged(split, replace(said, warned=[*said.warned, *(str(each.message) for each in warned)]))


def task(split: Split, name: str, settings: dict[str, Any], python: str | None) -> Outcome:
    """A task of `other_python`, in the Python named or else in this one."""
    if python is not None:
        return heard(split, lambda: elsewhere.asked(split, name, python, settings))
    X_l, X_u, X_t = (framed(X) for X in (split.X_l, split.X_u, split.X_t))
    run = other_python.TASKS[name]
    return heard(split, lambda: Said(*run(X_l, split.y_l, X_u, X_t, split.seed, **settings)))


@method
def csa_on_table(split: Split) -> Outcome:
    """csa() as users get it, judged by its probabilities."""
    return task(split, "csa", {}, None)


def _no_such_release(settings: dict[str, Any]) -> str:
    name = settings["release"]
    return "" if name in elsewhere.pythons() else f"no Python is named {name!r}: --python {name!r}=PATH."


@method_that_needs(_no_such_release, optional=True)
def csa_elsewhere(split: Split, release: str = "") -> Outcome:
    """csa() of another release of surelabel, in a Python of its own."""
    return task(split, "csa", {}, elsewhere.pythons()[release])


@method
def labels_alone(split: Split) -> Outcome:
    """The committee of csa() on the labelled rows alone, judged by its probabilities."""
    return of_classifier(split, default_csa(n_rounds=0, guard=False, random_state=split.seed), None)


@method
def csa_trained_on_found(split: Split) -> Outcome:
    """csa() whose committee is trained again on the labels that the rounds find."""
    settings = {"found_weight": "balanced", "random_state": split.seed}
    return of_classifier(split, default_csa(**settings), split.X_u)


@method
def member(split: Split, name: str = "linear") -> Outcome:
    """A single model of the committee of csa(), which also sees the unlabelled rows if it can."""
    models = unlike_models()
    if name not in models:
        raise InputError(f"csa() has no member {name!r}; it has {', '.join(models)}.")
    clf = PseudoLabelClassifier(
        Panel([models[name]]), Everything(), Threshold(), n_rounds=0, guard=False, random_state=split.seed
    )
    return of_classifier(split, clf, split.X_u)


def of_classifier(split: Split, clf: PseudoLabelClassifier, X_unlabeled: Any) -> Outcome:
    """What a classifier of ours comes to on a split."""

    def say() -> Said:
        clf.fit(split.X_l, split.y_l, X_unlabeled=X_unlabeled)
        return Said(clf.predict_proba(split.X_u), clf.predict_proba(split.X_t))

    return heard(split, say)


def _supervised(split: Split, prepare: Any, model: Any) -> Outcome:
    """A model with its preparation, both on the labelled rows alone."""

    def say() -> Said:
        fitted = make_pipeline(prepare, model).fit(plain(split.X_l), split.y_l)
        return Said(fitted.predict_proba(plain(split.X_u)), fitted.predict_proba(plain(split.X_t)))

    return heard(split, say)


@method
def random_forest(split: Split, trees: int = _TREES) -> Outcome:
    """A random forest on the labelled rows alone."""
    return _supervised(split, ordinal(filled=True), RandomForestClassifier(trees, random_state=split.seed))


@method
def extra_trees(split: Split, trees: int = _TREES) -> Outcome:
    """Extremely randomised trees on the labelled rows alone."""
    return _supervised(split, ordinal(filled=True), ExtraTreesClassifier(trees, random_state=split.seed))


@method
def hist_boosting(split: Split) -> Outcome:
    """scikit-learn's HistGradientBoosting on the labelled rows alone."""
    model = HistGradientBoostingClassifier(random_state=split.seed)
    return _supervised(split, ordinal(filled=False), model)


@method
def xgboost_on_table(split: Split) -> Outcome:
    """XGBoost with its default settings on the labelled rows alone, judged by its probabilities."""
    return _supervised(split, ordinal(filled=False), classifier(split))


@method
def support_vectors(split: Split, C: float = 10.0) -> Outcome:
    """A support vector machine on the labelled rows alone; probabilities are a softmax of its margins."""

    def say() -> Said:
        # With ties broken by margins, the class predicted is the one with the largest.
        machine = make_pipeline(scaled(), SVC(C=C, break_ties=True)).fit(plain(split.X_l), split.y_l)
        p_u, p_t = (softmax(machine.decision_function(plain(X))) for X in (split.X_u, split.X_t))
        return Said(p_u, p_t)

    return heard(split, say)


@method
def logistic(split: Split) -> Outcome:
    """Logistic regression on the labelled rows alone."""
    return _supervised(split, scaled(), LogisticRegression(max_iter=1000))


def _all_rows(split: Split, prepare: Any) -> tuple[Any, Ints, Any]:
    """Labelled above unlabelled rows, -1 for no label, and the test rows; prepared by all but the test."""
    X = prepare.fit_transform(pd.concat([plain(split.X_l), plain(split.X_u)], ignore_index=True))
    return X, np.append(split.y_l, np.full(len(split.y_u), -1)), prepare.transform(plain(split.X_t))


@method
def self_training_forest(split: Split, threshold: float = 0.75, trees: int = _TREES) -> Outcome:
    """scikit-learn's SelfTrainingClassifier with a random forest."""

    def say() -> Said:
        X, y, X_t = _all_rows(split, ordinal(filled=True))
        forest = RandomForestClassifier(trees, random_state=split.seed)
        model = SelfTrainingClassifier(forest, threshold=threshold).fit(X, y)
        return Said(model.predict_proba(X[len(split.y_l) :]), model.predict_proba(X_t))

    return heard(split, say)


@method
def label_spreading_on_table(split: Split, neighbours: int = 7) -> Outcome:
    """scikit-learn's LabelSpreading over nearest neighbours, judged by its probabilities."""

    def say() -> Said:
        X, y, X_t = _all_rows(split, scaled())
        model = LabelSpreading(kernel="knn", n_neighbors=neighbours, max_iter=200).fit(X, y)
        p_u, p_t = model.label_distributions_[len(split.y_l) :], model.predict_proba(X_t)
        # Rows that no label reaches have no probabilities at all.
        return Said(np.nan_to_num(p_u), np.nan_to_num(p_t))

    return heard(split, say)


def here_or_elsewhere(name: str, module: str) -> Lacks:
    """That a package is installed neither here nor in another Python of its name."""
    here = package(module, f"pip install {name}, or --python {name}=PATH of a Python that has it")
    return lambda settings: "" if name in elsewhere.pythons() else here(settings)


@method_that_needs(here_or_elsewhere("catboost", "catboost"), optional=True)
def catboost(split: Split) -> Outcome:
    """CatBoost with its default settings on the labelled rows alone."""
    return task(split, "catboost", {}, elsewhere.pythons().get("catboost"))


@method_that_needs(here_or_elsewhere("autogluon", "autogluon"), optional=True)
def autogluon(split: Split, seconds: int = 600) -> Outcome:
    """AutoGluon, medium quality, on the labelled rows alone, for so many seconds."""
    return task(split, "autogluon", {"seconds": seconds}, elsewhere.pythons().get("autogluon"))

"""The cases of `hostile.py`, as grids: each is a function that gives a list of `Case`."""

from __future__ import annotations

import tempfile
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from hostile_base import Case, fitted, small, table
from hostile_files import file_cases, folder_cases, option_cases
from hostile_forms import labels, tables
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelabel import (
    AdaptiveThreshold,
    Columns,
    Entropy,
    Negatives,
    Panel,
    PseudoLabelClassifier,
    RandomXGBoost,
    Repeated,
    Spread,
    Threshold,
    TotalVariance,
    Transport,
    TTest,
    Unlike,
    csa,
    pl,
    trees,
)
from surelabel.rounds import run as rounds_run
from surelabel.rounds.loop import in_step

NASTY = {
    "NaN": np.nan,
    "infinity": np.inf,
    "minus infinity": -np.inf,
    "1e300": 1e300,
    "1e-320": 1e-320,
    "None": None,
    "pd.NA": pd.NA,
    "NaT": pd.NaT,
    "empty text": "",
    "a space": " ",
    "NUL": "a\x00b",
    "emoji": "🦉",
    "a long text": "x" * 200_000,
    "complex": 1 + 2j,
    "bytes": b"owl",
    "a list": [1, 2],
    "a dict": {"a": 1},
    "True": True,
    "2**70": 2**70,
    "Decimal": Decimal("1.5"),
    "a date": date(2024, 1, 1),
    "a moment": datetime(2024, 1, 1, 12),
    "a timedelta": timedelta(days=1),
    "'inf'": "inf",
    "'nan'": "nan",
}
KINDS = {
    "numbers": lambda n: np.arange(n) * 1.0,
    "text": lambda n: np.array(["red", "blue"], dtype=object)[np.arange(n) % 2],
    "bools": lambda n: np.arange(n) % 2 == 0,
    "moments": lambda n: pd.date_range("2024-01-01", periods=n, freq="D"),
}
PLACES = {
    "a labelled row": [0],
    "an unlabelled row": [40],
    "all labelled rows": range(24),
    "all rows": range(60),
}


def cells():
    """Kind of column x place x value, in a frame."""

    def run(kind, place, value):
        X, y, truth = table()
        column = pd.Series(list(KINDS[kind](60)), dtype=object)
        for row in PLACES[place]:
            column.iat[row] = value
        X["odd"] = column
        return fitted(X, y, truth)

    return [
        Case(f"{name} in {place} of {kind}", lambda k=kind, p=place, v=value: run(k, p, v))
        for kind in KINDS
        for place in PLACES
        for name, value in NASTY.items()
    ]


def later():
    """A value at predict that was not there in fit."""

    def run(kind, value):
        X, y, truth = table()
        X["odd"] = pd.Series(list(KINDS[kind](60)), dtype=object)
        ask = X.copy()
        ask["odd"] = ask["odd"].astype(object)
        ask.loc[0, "odd"] = np.nan
        ask["odd"] = [value if i == 5 else v for i, v in enumerate(ask["odd"])]
        return fitted(X, y, truth, ask=ask)

    return [
        Case(f"{name} at predict in {kind}", lambda k=kind, v=value: run(k, v))
        for kind in KINDS
        for name, value in NASTY.items()
    ]


NONSENSE = [None, "", "nonsense", -1, 0, 2.5, 10**9, float("nan"), [], {}, object, lambda: None]
PARAMETERS = [
    "committee",
    "confidence",
    "allocator",
    "negatives",
    "estimator",
    "n_rounds",
    "found_weight",
    "class_prior",
    "classes",
    "missing_label",
    "columns",
    "random_state",
    "n_jobs",
    "verbose",
    "guard",
    "labels_per_row",
]


def parameters():
    """Parameter x nonsense, and settings that are nearly right."""

    def run(settings, X=None):
        table_of = table()
        return fitted(table_of[0] if X is None else X, *table_of[1:], small(**settings))

    cases = [
        Case(f"{name}={value!r}"[:80], lambda n=name, v=value: run({n: v}))
        for name in PARAMETERS
        for value in NONSENSE
    ]
    nearly = {
        "a prior that leaves out a class": {"class_prior": {"cat": 0.5, "dog": 0.5}},
        "a prior above 1": {"class_prior": {"cat": 0.5, "dog": 0.5, "owl": 0.5}},
        "a prior of a class there is not": {"class_prior": {"cat": 0.5, "dog": 0.25, "yak": 0.25}},
        "a regressor as the final classifier": {"estimator": LinearRegression()},
        "a final classifier without probabilities": {"estimator": Perceptron()},
        "a committee that is a regressor": {"committee": LinearRegression()},
        "a list with a regressor": {"committee": [GaussianNB(), LinearRegression()]},
        "a list with a text": {"committee": [GaussianNB(), "xgboost"]},
        "a class, not an object": {"committee": GaussianNB},
        "an empty list": {"committee": []},
        "several marks": {"missing_label": [0, -1]},
        "classes twice": {"classes": ["cat", "cat", "dog", "owl"]},
        "classes that lack one": {"classes": ["cat", "dog"]},
        "columns that are not there": {"columns": Columns(categorical=["no such column"])},
        "an estimator of ours as committee": {"committee": csa()},
        "a list with an estimator of ours": {"committee": [GaussianNB(), pl()]},
        "an estimator of ours repeated": {"committee": Repeated(csa(), 3)},
        "an estimator of ours in a pipeline": {"committee": make_pipeline(StandardScaler(), csa())},
        "an estimator of ours as the final classifier": {"estimator": csa()},
        "one member to compare": {"committee": Repeated(trees(5), 1)},
        "a threshold above 1": {"allocator": Threshold(2.0)},
    }
    cases += [Case(name, lambda s=settings: run(s)) for name, settings in nearly.items()]
    works = {
        "one classifier": {"committee": LogisticRegression()},
        "a list of classifiers": {"committee": [GaussianNB(), LogisticRegression()]},
        "a prior in full": {"class_prior": {"cat": 0.3, "dog": 0.3, "owl": 0.4}},
        "no prior": {"class_prior": None},
    }
    cases += [Case(name, lambda s=settings: run(s), must_work=True) for name, settings in works.items()]
    X, _, _ = table()
    mixed = X.assign(colour=["red", "blue", None] * 20, gap=[1.0, np.nan] * 30)
    for name, committee in {
        "models that read no text": [LogisticRegression(), GaussianNB()],
        "unlike models that read no text": Unlike([LogisticRegression(), GaussianNB()]),
    }.items():
        cases.append(Case(name, lambda c=committee: run({"committee": c}, mixed), must_work=True))
    reader = {"estimator": LogisticRegression()}
    cases.append(Case("a final classifier that reads no text", lambda: run(reader, mixed), must_work=True))
    return cases


# Arguments of parts, by the place of the part in a method.
PARTS = {
    "confidence": {
        TTest: ["alpha", "floor"],
        TotalVariance: ["share"],
        Entropy: ["share"],
        Spread: ["kappa"],
    },
    "allocator": {
        Threshold: ["gamma"],
        AdaptiveThreshold: ["gamma"],
        Transport: ["bounds", "epsilon", "cost", "low", "high", "rows"],
    },
    "negatives": {Negatives: ["gamma", "kappa"]},
    "committee": {
        partial(Unlike, [GaussianNB(), LogisticRegression()]): [
            "n_folds",
            "n_seats",
            "member_seconds",
            "n_jobs",
        ],
        partial(Repeated, trees(5)): ["n_members", "over", "n_jobs", "random_state"],
        Repeated: ["estimator"],
        Panel: ["estimators"],
        Unlike: ["estimators"],
        RandomXGBoost: ["n_members", "schedule", "n_jobs"],
    },
    "columns": {Columns: ["categorical", "order"]},
}


def parts():
    """Argument of a part x nonsense: it is refused before any round begins, or it works."""

    def run(place, make, name, value):
        begun = []
        rounds_run.in_step = lambda *args: (begun.append(1), in_step(*args))[1]  # of this process alone
        try:
            return fitted(*table(), small(**{place: make(**{name: value})}))
        except (ValueError, TypeError) as error:
            if begun:
                return f"refused only after rounds had begun: {error}"
            raise

    return [
        Case(
            f"{place}={getattr(make, 'func', make).__name__}({name}={value!r})"[:80],
            lambda a=(place, make, name, value): run(*a),
        )
        for place, kinds in PARTS.items()
        for make, names in kinds.items()
        for name in names
        for value in NONSENSE
    ]


def weights():
    """Sample weights of any scale."""
    scales = {
        "1e300": 1e300,
        "1e-300": 1e-300,
        "1e-320": 1e-320,
        "1": 1.0,
        "both": np.where(np.arange(60) % 2, 1e300, 1e-300),
    }
    bad = {
        "negative": -np.ones(60),
        "NaN": np.full(60, np.nan),
        "infinite": np.full(60, np.inf),
        "zero": np.zeros(60),
        "short": np.ones(5),
        "text": ["a"] * 60,
    }

    def run(weight):
        X, y, truth = table()
        clf = small().fit(X, y, sample_weight=np.ones(60) * weight if np.isscalar(weight) else weight)
        right = np.mean(clf.predict(X) == truth)
        return None if right > 0.85 else f"{right:.0%} right"

    return [
        Case(f"weights {name}", lambda w=w: run(w), must_work=name != "both") for name, w in scales.items()
    ] + [Case(f"weights {name}", lambda w=w: run(w)) for name, w in bad.items()]


def settings():
    """scikit-learn's own configurations and tools."""

    def under(**config):
        X, y, truth = table()
        with sklearn.config_context(**config):
            return fitted(X.assign(colour=["a", "b", None] * 20), y, truth)

    def default(**config):
        X, y, truth = table()
        with sklearn.config_context(**config):
            return fitted(X.assign(colour=["a", "b", None] * 20), y, truth, csa(random_state=0))

    def crossed():
        X, _, truth = table()
        scores = cross_val_score(small(), X, truth, cv=3)
        return None if scores.mean() > 0.85 else f"{scores}"

    def quiet(found, told):
        return found or (
            f"cross-validation is told: {told[:200]}" if told.count("y has no unlabelled row") > 1 else None
        )

    def searched():
        X, _, truth = table()
        search = GridSearchCV(small(), {"n_rounds": [1, 2], "allocator__epsilon": [0.01, 0.1]}, cv=2).fit(
            X, truth
        )
        return None if search.best_score_ > 0.85 else "the search found nothing"

    def piped():
        X, y, truth = table()
        return fitted(X, y, truth, Piped(), None)

    class Piped:  # a pipeline that looks like a classifier of ours
        def fit(self, X, y):
            self.pipe = make_pipeline(StandardScaler(), small()).fit(X, y)
            self.labeled_iter_, self.transduction_ = self.pipe[-1].labeled_iter_, self.pipe[-1].transduction_
            return self

        def predict(self, X):
            return self.pipe.predict(X)

    def again():
        X, y, truth = table()
        clf = small()
        clf.fit(X, y)
        return fitted(X.iloc[:, ::-1], y, truth, clf)

    def unfitted():
        X, _, _ = table()
        return PseudoLabelClassifier().predict(X)

    configs = [
        {"enable_metadata_routing": True},
        {"transform_output": "pandas"},
        {"transform_output": "polars"},
        {"assume_finite": True},
        {"array_api_dispatch": False},
        {"skip_parameter_validation": True},
        {"display": "text"},
    ]
    cases = [Case(f"{c}", lambda c=c: under(**c), must_work=True) for c in configs]
    cases += [Case(f"{c}, default committee", lambda c=c: default(**c), must_work=True) for c in configs[:3]]
    cases.append(Case("cross_val_score", crossed, quiet, must_work=True))
    cases.append(Case("GridSearchCV", searched, must_work=True))
    cases.append(Case("a pipeline", piped, must_work=True))
    cases.append(Case("fit twice, columns in another order", again, must_work=True))
    cases.append(
        Case("clone", lambda: None if clone(small()).get_params() else "no parameters", must_work=True)
    )
    cases.append(Case("predict before fit", unfitted))
    return cases


def columns():
    """Columns that say nothing among the labelled rows, with the default committee."""

    def run(values, clf=None):
        X, y, truth = table()
        column = pd.Series(values(np.arange(60)))
        return fitted(
            X.assign(odd=column), y, truth, csa(random_state=0, guard=False) if clf is None else clf
        )

    odd = {
        "no value among the labelled rows": lambda i: np.where(i < 24, np.nan, i),
        "one value among the labelled rows": lambda i: np.where((i < 24) & (i > 0), np.nan, i),
        "no category among the labelled rows": lambda i: np.where(i < 24, None, "a").astype(object),
        "no date among the labelled rows": lambda i: pd.Series(
            np.where(i < 24, pd.NaT, pd.Timestamp("2024-01-01"))
        ),
        "no value at all": lambda i: np.full(len(i), np.nan),
        "a value in one row only": lambda i: np.where(i == 30, 1.0, np.nan),
        "always the same": lambda i: np.ones(len(i)),
        "different in each row": lambda i: np.array([f"row {k}" for k in i], dtype=object),
        "tiny numbers": lambda i: i * 1e-300,
        "large numbers": lambda i: i * 1e30,
    }
    here = [Case(f"default committee: {name}", lambda v=v: run(v), must_work=True) for name, v in odd.items()]
    return here + [
        Case(f"trees: {name}", lambda v=v: run(v, small()), must_work=True) for name, v in odd.items()
    ]


def in_folder(run):
    """A case that has a folder to itself."""

    def inside():
        with tempfile.TemporaryDirectory() as folder:
            return run(Path(folder))

    return inside


GRIDS = {
    "cells": cells,
    "later": later,
    "tables": tables,
    "labels": labels,
    "parameters": parameters,
    "parts": parts,
    "weights": weights,
    "settings": settings,
    "columns": columns,
    "files": lambda: [Case(name, in_folder(run), wrong, must) for name, run, wrong, must in file_cases()],
    "options": lambda: [Case(name, in_folder(run), wrong, must) for name, run, wrong, must in option_cases()],
    "folders": lambda: [Case(name, in_folder(run), wrong, must) for name, run, wrong, must in folder_cases()],
}

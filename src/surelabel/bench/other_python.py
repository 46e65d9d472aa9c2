"""What another Python is given to run: an older surelabel, or packages that do not fit beside ours.

`python other_python.py question.json answer.json`. It needs NumPy, pandas and what the task is about, and
nothing of the surelabel around it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from datetime import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# X and y of labelled rows, X of unlabelled and of test rows, seed, settings -> p of both, details.
Answer = tuple[Any, Any, dict[str, Any]]


def csa(X_l: Any, y_l: Any, X_u: Any, X_t: Any, seed: int) -> Answer:
    """csa() with its defaults, and its verdict."""
    from surelabel import csa as default

    clf = default(random_state=seed).fit(X_l, y_l, X_unlabeled=X_u)
    return clf.predict_proba(X_u), clf.predict_proba(X_t), {"verdict": verdict_of(clf.verdict_)}


def verdict_of(verdict: Any) -> dict[str, Any] | None:
    """A verdict's numbers and words, whatever a release has of them; not its seconds."""
    if not is_dataclass(verdict) or isinstance(verdict, type):
        return None
    kept = {k: v for k, v in asdict(verdict).items() if k != "seconds" and _is_plain(v)}
    word = getattr(verdict, "word", None)
    return kept | ({"word": word} if isinstance(word, str) else {})


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    return isinstance(value, (int, float, str))


def catboost(X_l: Any, y_l: Any, X_u: Any, X_t: Any, seed: int) -> Answer:
    """CatBoost with its default settings."""
    from catboost import CatBoostClassifier

    categories = [name for name in X_l.columns if X_l[name].dtype == object]
    X_l, X_u, X_t = (
        dates_as_days(X).assign(**{name: X[name].fillna("") for name in categories}) for X in (X_l, X_u, X_t)
    )
    model = CatBoostClassifier(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False)
    model.fit(X_l, y_l, cat_features=categories)
    return model.predict_proba(X_u), model.predict_proba(X_t), {}


def dates_as_days(X: pd.DataFrame) -> pd.DataFrame:
    """The same table with dates as numbers of days, for a package that reads none."""
    dates = [name for name in X.columns if X[name].dtype.kind == "M"]
    return X.assign(**{name: (X[name] - pd.Timestamp(0)) / pd.Timedelta(days=1) for name in dates})


def autogluon(X_l: Any, y_l: Any, X_u: Any, X_t: Any, seed: int, seconds: int = 600) -> Answer:
    """AutoGluon, medium quality, for so many seconds at most."""
    from autogluon.tabular import TabularPredictor

    target = "surelabel target"
    kind = "binary" if len(np.unique(y_l)) == 2 else "multiclass"
    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor(target, problem_type=kind, path=folder, verbosity=0)
        rows = X_l.assign(**{target: y_l})
        predictor.fit(rows, presets="medium_quality", time_limit=seconds, num_cpus=1, num_gpus=0)
        # A class of too few rows is not learnt; no row is said to have it.
        p_u, p_t = (
            predictor.predict_proba(X).reindex(columns=np.unique(y_l), fill_value=0.0) for X in (X_u, X_t)
        )
    return p_u.to_numpy(), p_t.to_numpy(), {}


def skrub(X_l: Any, y_l: Any, X_u: Any, X_t: Any, seed: int, trees: bool = False) -> Answer:
    """Skrub's TableVectorizer, with a linear model or with trees."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from skrub import TableVectorizer

    linear = (StandardScaler(), LogisticRegression(max_iter=1000))
    last = (ExtraTreesClassifier(300, random_state=seed),) if trees else linear
    model = make_pipeline(TableVectorizer(), SimpleImputer(keep_empty_features=True), *last).fit(X_l, y_l)
    return model.predict_proba(X_u), model.predict_proba(X_t), {}


TASKS: dict[str, Callable[..., Answer]] = {
    "csa": csa,
    "catboost": catboost,
    "autogluon": autogluon,
    "skrub": skrub,
}
# Tasks that are done once on a few rows before the clock starts: what is imported and set up by a first
# fit is no part of the second, and beside methods that share one process it would count in every run.
_WARMED_UP = ("csa", "catboost")


def packed(frame: pd.DataFrame) -> dict[str, Any]:
    """A frame as plain values: any release of pandas reads them."""
    return {str(name): [frame[name].dtype.kind, _cells(frame[name])] for name in frame.columns}


def _cells(column: pd.Series) -> list[Any]:
    if column.dtype.kind == "M":
        return column.to_numpy().astype("datetime64[us]").view("int64").tolist()
    return [_plain_cell(cell) for cell in column.tolist()]


def _plain_cell(cell: Any) -> Any:
    """A cell that JSON can hold: times of day are written as a person would."""
    if cell is pd.NA:
        return None
    return str(cell) if isinstance(cell, time) else cell


def unpacked(columns: dict[str, Any]) -> pd.DataFrame:
    """The frame of plain values."""
    return pd.DataFrame({name: _series(kind, cells) for name, (kind, cells) in columns.items()})


def _series(kind: str, cells: list[Any]) -> Any:
    if kind == "M":
        return pd.Series(np.array(cells, dtype="int64").view("datetime64[us]"))
    return pd.Series(cells, dtype=float if kind in "fiub" else object)


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked; processor seconds are of the task alone."""
    X_l, X_u, X_t = (unpacked(question[part]) for part in ("X_l", "X_u", "X_t"))
    if question["task"] in _WARMED_UP:
        _warm_up(TASKS[question["task"]])
    begin = sum(os.times()[:4])  # child processes that have ended among them
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        p_u, p_t, details = TASKS[question["task"]](
            X_l, np.array(question["y_l"]), X_u, X_t, question["seed"], **question["settings"]
        )
    return {
        "pool": np.asarray(p_u).tolist(),
        "test": np.asarray(p_t).tolist(),
        "details": details,
        "cpu": sum(os.times()[:4]) - begin,
        "warnings": [str(warning.message) for warning in heard],
    }


def _warm_up(task: Callable[..., Answer]) -> None:
    rows = pd.DataFrame(np.random.RandomState(0).normal(size=(90, 3)), columns=list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task(rows[:30], np.arange(30) % 2, rows[30:60], rows[60:], 0)


if __name__ == "__main__":
    _question, _answer = map(Path, sys.argv[1:])
    _answer.write_text(json.dumps(answer(json.loads(_question.read_text()))))

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from surelabel import Panel, RandomXGBoost, Repeated, Unlike, trees
from surelabel.committees.encoding import Encoder
from surelabel.committees.panel import as_committee
from surelabel.committees.readable import (
    check_classifier,
    check_models,
    made_readable,
    models_of,
    with_models,
)

N = 60
CODES = np.where(np.arange(N) % 4 == 0, -1, np.arange(N) % 3)
NUMBERS = np.random.default_rng(0).normal(np.arange(N)[:, None] % 3, 0.3, (N, 2))
GAPS = np.where(np.arange(2 * N).reshape(N, 2) % 7 == 0, np.nan, NUMBERS)
MIXED = pd.DataFrame(
    {"size": GAPS[:, 0], "colour": pd.Categorical(np.array(["red", "green"])[np.arange(N) % 2])}
)
TABLES = {
    "gaps": GAPS,
    "categories": MIXED[["colour"]],
    "both": MIXED,
    "sparse": sp.csr_array(np.abs(NUMBERS)),
}


class Broken(ClassifierMixin, BaseEstimator):
    """Fails whatever it is given."""

    def fit(self, X, y):
        raise RuntimeError("always")

    def predict_proba(self, X):
        return np.ones((len(X), 1))


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), GaussianNB()),
        GridSearchCV(LogisticRegression(), {"C": [1, 10]}),
        CalibratedClassifierCV(LinearSVC()),
        StackingClassifier([("bayes", GaussianNB()), ("linear", LogisticRegression())], cv=2),
        VotingClassifier([("bayes", GaussianNB())], voting="soft"),
        Unlike(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_classifiers_that_give_probabilities_will_do(model):
    check_classifier(model, "estimator")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            LogisticRegression,
            r"estimator is the class LogisticRegression; give a model, LogisticRegression\(\)",
        ),
        ("xgboost", "estimator must be a classifier, .*; it is 'xgboost'"),
        (None, "estimator must be a classifier, .*; it is None"),
        ([GaussianNB()], r"estimator must be a classifier, .*; it is \[GaussianNB\(\)\]"),
        (LinearRegression(), "LinearRegression gives none. Give a classifier"),
        (KMeans(3), "KMeans gives none. Give a classifier"),
        (StandardScaler(), "StandardScaler gives none. Give a classifier"),
        (Perceptron(), r"Perceptron gives none. CalibratedClassifierCV\(Perceptron\(\)\) does"),
        (SVC(), r"SVC gives none. CalibratedClassifierCV\(SVC\(\)\) does"),
        (VotingClassifier([("bayes", GaussianNB())]), "VotingClassifier gives none"),
        (make_pipeline(StandardScaler(), LinearRegression()), "Pipeline gives none"),
    ],
)
def test_anything_else_is_refused_with_a_way_out(model, message):
    with pytest.raises(TypeError, match=message):
        check_classifier(model, "estimator")


@pytest.mark.parametrize(
    ("committee", "error", "message"),
    [
        ("xgboost", TypeError, r"such as Unlike\(\) or RandomXGBoost\(\), .*; it is 'xgboost'"),
        ({"bayes": GaussianNB()}, TypeError, "a list of classifiers; it is {'bayes'"),
        (Unlike, TypeError, r"committee is the class Unlike; give a model, Unlike\(\)"),
        (5, TypeError, "committee must be a classifier, .*; it is 5"),
        ([], ValueError, r"committee=\[\] has no member"),
        ([GaussianNB(), LinearRegression()], TypeError, r"committee\[1\] must give probabilities"),
        ([GaussianNB(), "xgboost"], TypeError, r"committee\[1\] must be a classifier"),
        (Panel([GaussianNB(), LinearRegression()]), TypeError, "LinearRegression in Panel must give"),
        (
            Panel(GaussianNB()),
            TypeError,
            r"Panel takes a list of classifiers, such as Panel\(\[GaussianNB\(\)\]\)",
        ),
        (Repeated("xgboost"), TypeError, "str in Repeated must be a classifier"),
    ],
)
def test_what_is_no_committee_is_refused_with_a_way_out(committee, error, message):
    with pytest.raises(error, match=message):
        as_committee(committee)


def test_models_of_a_committee_by_name_are_checked_too():
    check_models(Unlike())
    with pytest.raises(TypeError, match="line in Unlike must give probabilities"):
        check_models(Unlike({"bayes": GaussianNB(), "line": LinearRegression()}))


@pytest.mark.parametrize("committee", [Unlike(), Repeated(), Panel([])], ids=str)
def test_a_committee_of_its_own_models_was_given_none(committee):
    assert models_of(committee) == {}
    assert as_committee(RandomXGBoost(2)).n_members == 2


def test_models_are_exchanged_in_a_copy():
    panel, new = Panel([GaussianNB()]), {"GaussianNB": LogisticRegression()}
    assert with_models(panel, new, by_name=False).estimators == list(new.values())
    assert isinstance(panel.estimators[0], GaussianNB)
    assert with_models(Repeated(GaussianNB()), new, by_name=False).estimator is new["GaussianNB"]
    assert with_models(Unlike([GaussianNB()]), new, by_name=True).estimators == new


@pytest.mark.parametrize("table", TABLES)
def test_models_that_cannot_read_a_table_are_put_behind_an_encoder_which_is_said(table):
    bayes = {"bayes": GaussianNB()}
    kinds = {"both": "categories and gaps", "sparse": "sparse matrices"}.get(table, table)
    with pytest.warns(UserWarning, match=f"^bayes cannot read {kinds}; X becomes numbers first: ") as said:
        read = made_readable(bayes, TABLES[table], CODES)
    assert len(said) == 1
    assert isinstance(read["bayes"], Pipeline)
    assert isinstance(read["bayes"].steps[0][1], Encoder)
    known = CODES >= 0
    rows = TABLES[table].iloc[known] if isinstance(TABLES[table], pd.DataFrame) else TABLES[table][known]
    assert read["bayes"].fit(rows, CODES[known]).predict_proba(TABLES[table]).shape == (N, 3)


def test_all_that_cannot_are_named_in_one_notice():
    models = {"a": GaussianNB(), "b": KNeighborsClassifier(), "trees": trees(5), "c": LogisticRegression()}
    with pytest.warns(UserWarning, match="^a, b and c cannot read gaps; ") as said:
        read = made_readable(models, GAPS, CODES)
    assert len(said) == 1
    assert read["trees"] is models["trees"]


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (GaussianNB(), NUMBERS),
        (GaussianNB(), pd.DataFrame(NUMBERS)),
        (LogisticRegression(), TABLES["sparse"]),
        (trees(5), MIXED),
        (HistGradientBoostingClassifier(max_iter=2), MIXED),
        (make_pipeline(Encoder(), GaussianNB()), MIXED),
        (Broken(), MIXED),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_that_can_or_fail_for_another_reason_stay_as_they_are(model, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made_readable({"it": model}, table, CODES)["it"] is model


@pytest.mark.parametrize("place", ["labelled", "unlabelled"])
def test_one_gap_in_a_thousand_rows_is_found(place):
    X = np.random.default_rng(0).normal(size=(5000, 2))
    codes = np.where(np.arange(5000) < 2000, np.arange(5000) % 2, -1)
    X[1234 if place == "labelled" else 3456, 1] = np.nan
    with pytest.warns(UserWarning, match="GaussianNB cannot read gaps"):
        made_readable({"GaussianNB": GaussianNB()}, X, codes)

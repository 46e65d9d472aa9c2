"""Free text through the doors of the package: recipes, committees, forms of tables, files."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from remarks import beside, few, remarks
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from surelabel import (
    Columns,
    Panel,
    RandomXGBoost,
    Repeated,
    Unlike,
    csa,
    flexmatch,
    load,
    pl,
    sla,
    text_models,
    trees,
    ups,
)

SETTINGS = {"n_rounds": 1, "guard": False, "random_state": 0}


def quick(**settings):
    """The default committee with fewer folds."""
    return csa(committee=Unlike(n_folds=3), **(SETTINGS | settings))


@pytest.fixture(scope="module")
def alone():
    """A table of text, few of its labels, and the truth."""
    X, truth = remarks()
    return X, few(truth), truth


@pytest.fixture(scope="module")
def mixed(alone):
    """The same text beside other columns."""
    X, y, truth = alone
    return beside(X, truth), y, truth


@pytest.fixture(scope="module")
def fitted(alone):
    return quick().fit(*alone[:2])


def test_text_alone_is_learnt_from_and_unseen_text_predicted(alone, fitted):
    X, _, truth = alone
    assert fitted.columns_.kinds_ == {"remark": "text"}
    assert fitted.score(X, truth) > 0.95
    new, classes = remarks(90, seed=1)
    assert fitted.score(new, classes) > 0.9
    assert (fitted.transduction_ == truth)[fitted.transduction_ >= 0].mean() > 0.95


def test_text_in_any_script_or_none_is_predicted(fitted):
    cells = [
        "",
        None,
        "🎉🎉",
        "打印机",
        "الطابعة",
        "เครื่องพิมพ์",
        "?!",
        "PRINTER" * 10**5,
        "Pass\u200bword",
        "12",
    ]
    proba = fitted.predict_proba(pd.DataFrame({"remark": cells}))
    assert_allclose(proba.sum(axis=1), 1)
    assert_array_equal(proba[0], proba[1])


def test_text_that_is_cut_within_a_character_is_read(alone, fitted):
    X, _, truth = alone
    cut = pd.DataFrame({"remark": (X["remark"].astype(object) + " \ud83d").astype(object)})
    assert (fitted.predict(cut) == truth).mean() > 0.95


def test_what_is_said_of_a_row_does_not_depend_on_the_rows_beside_it(alone, fitted, rng):
    X = pd.concat([alone[0], remarks(60, seed=2)[0]], ignore_index=True)
    rows = rng.permutation(len(X))
    whole = fitted.predict_proba(X)
    assert_allclose(fitted.predict_proba(X.iloc[rows]), whole[rows], rtol=1e-9)
    assert_allclose(fitted.predict_proba(X.iloc[:5]), whole[:5], rtol=1e-9)


def test_text_tells_more_than_the_columns_beside_it(mixed):
    X, y, truth = mixed
    clf = quick().fit(X, y)
    assert clf.columns_.kinds_ == {"remark": "text", "size": "number", "colour": "category", "opened": "date"}
    assert clf.score(X, truth) > 0.9
    assert quick().fit(X.drop(columns="remark"), y).score(X.drop(columns="remark"), truth) < 0.85


def wordless(n):
    """Cells without a word, no two the same: patterns of dots."""
    return [chr(0x2800 + row) for row in range(n)]


def test_text_without_a_word_is_left_out_and_refused_where_it_is_all(mixed):
    X, y, _ = mixed
    X = X.assign(remark=wordless(len(X)))
    columns = Columns(text=["remark"])
    assert_allclose(quick(columns=columns).fit(X, y).predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="all columns are free text, and it has no words"):
        quick(columns=columns).fit(X[["remark"]], y)


@pytest.mark.filterwarnings("ignore:No column of X varies")
def test_labelled_rows_without_a_word_are_refused_where_text_is_all(alone):
    X, y, _ = alone
    for cells in (pd.Series("", X.index), pd.Series(wordless(len(X)), X.index)):
        with pytest.raises(ValueError, match="nothing to learn from"):
            quick(columns=Columns(text=["remark"])).fit(X.where(y[:, None] < 0, cells.to_frame("remark")), y)


@pytest.mark.parametrize("labelled", ["one and the same", "", None])
def test_labelled_rows_may_have_no_text_of_their_own(labelled, mixed):
    X, y, truth = mixed
    X = X.assign(remark=X["remark"].where(y < 0, labelled))
    assert quick(columns=Columns(text=["remark"])).fit(X, y).score(X, truth) > 0.5


def test_a_file_gives_identical_probabilities(mixed, tmp_path):
    X, y, _ = mixed
    clf = quick().fit(X, y)
    clf.save(tmp_path / "remarks.surelabel")
    loaded = load(tmp_path / "remarks.surelabel")
    other = beside(*remarks(60, seed=3))
    for table in (X, other, X.iloc[::-1]):
        assert_array_equal(loaded.predict_proba(table), clf.predict_proba(table))


def test_same_result_for_every_n_jobs(mixed):
    X, y, _ = mixed
    one, two = (quick(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert_array_equal(one.transduction_, two.transduction_)
    assert not two.estimator_.failed_


@pytest.mark.filterwarnings("ignore:None of the .* was labelled")
def test_weights_of_rows_count(alone):
    """Wrong labels that weigh nearly nothing do no harm."""
    X, _, truth = alone
    y = few(truth, 72)
    y[36:72] = (y[36:72] + 1) % 3
    weight = np.where(np.arange(len(y)) < 36, 1.0, 1e-3)
    weighed = quick().fit(X, y, sample_weight=weight).score(X[72:], truth[72:])
    assert weighed > 0.9
    assert quick().fit(X, y).score(X[72:], truth[72:]) < weighed


def test_a_rare_class_is_found(alone):
    X, _, truth = alone
    kept = (truth != 2) | (np.arange(len(truth)) % 5 == 0)
    X, truth = X[kept], truth[kept]
    clf = quick().fit(X, few(truth, 45))
    assert 3 <= (few(truth, 45) == 2).sum() <= 6
    assert (clf.predict(X) == truth)[truth == 2].mean() > 0.5


def test_rows_may_have_several_labels(alone):
    X, _, truth = alone
    y = pd.DataFrame({"money": truth == 0, "device": truth == 1, "entry": truth == 2}).astype(float)
    known = y.copy()
    known[45:] = np.nan
    clf = quick().fit(X, known)
    assert (clf.predict(X) == y.to_numpy()).mean() > 0.9


def test_unlabelled_rows_may_come_apart(alone):
    X, y, truth = alone
    clf = quick().fit(X[:36], y[:36], X_unlabeled=X[36:])
    assert clf.score(X, truth) > 0.95
    # Their words are known.
    assert "charged" in next(iter(clf.estimator_.members_.values())).encoder_.space_.terms_.words_.split("\n")


def test_frames_of_polars_and_arrays_of_objects_are_read_alike(alone, fitted):
    pl_frame = pytest.importorskip("polars").DataFrame({"remark": alone[0]["remark"].tolist()})
    expected = fitted.predict_proba(alone[0])
    assert_array_equal(fitted.predict_proba(pl_frame), expected)
    assert_array_equal(quick().fit(pl_frame, alone[1]).predict_proba(pl_frame), expected)
    array = alone[0].to_numpy(dtype=object)
    assert_array_equal(quick().fit(array, alone[1]).predict_proba(array), expected)


# Other recipes and committees.


@pytest.mark.parametrize("recipe", [sla, ups])
def test_recipes_with_the_default_models_read_text(recipe, mixed):
    X, y, truth = mixed
    models = {
        name: model for name, model in text_models().items() if "forest" not in name and name != "boosting"
    }
    clf = recipe(committee=Unlike(models, n_folds=3), **SETTINGS).fit(X, y)
    assert clf.score(X, truth) > 0.9


@pytest.mark.parametrize("recipe", [pl, flexmatch])
def test_recipes_of_one_model_read_the_other_columns(recipe, mixed):
    X, y, truth = mixed
    clf = recipe(committee=Repeated(trees(20), n_members=1), **SETTINGS).fit(X, y)
    others = X.assign(remark="something else altogether, in other words")
    assert_array_equal(clf.predict_proba(X), clf.predict_proba(others))
    assert clf.score(X, truth) > 0.5


def numbers_only():
    pytest.importorskip("xgboost")
    return [RandomXGBoost(3), Repeated(trees(5), n_members=3)]


@pytest.mark.parametrize("number", [0, 1])
def test_committees_of_numbers_read_the_other_columns_and_refuse_text_alone(number, mixed):
    X, y, truth = mixed
    committee = numbers_only()[number]
    assert csa(committee=committee, **SETTINGS).fit(X, y).score(X, truth) > 0.5
    with pytest.raises(ValueError, match="All columns of X are free text, and this model reads numbers"):
        csa(committee=committee, **SETTINGS).fit(X[["remark"]], y)


def own(*others):
    words = (TfidfVectorizer(), "remark")
    return make_pipeline(make_column_transformer(words, *others), LogisticRegression(C=10))


@pytest.mark.parametrize("blank", ["", None, np.nan])
def test_a_pipeline_of_the_users_own_reads_text(blank, mixed):
    X, y, truth = mixed
    X = X[["remark", "colour"]].copy()
    X.loc[5::20, "remark"] = blank
    committees = [Panel([own(), own()]), Repeated(own(), 3, over="bootstrap"), Unlike([own()])]
    for committee in committees:
        clf = sla(committee=committee, **SETTINGS).fit(X, y)
        assert clf.score(X, truth) > 0.85


def test_a_model_that_cannot_read_text_reads_the_other_columns(mixed):
    X, y, truth = mixed
    X = X[["remark", "size"]].fillna({"size": 0.0})
    with pytest.warns(UserWarning, match="GaussianNB cannot read free text; .* without free text"):
        clf = sla(committee=Panel([GaussianNB(), own()]), **SETTINGS).fit(X, y)
    assert clf.score(X, truth) > 0.8

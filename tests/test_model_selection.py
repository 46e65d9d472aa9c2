import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV, cross_val_score

from surelabel import PseudoLabelClassifier, Repeated, Threshold, trees
from surelabel.model_selection import LabeledKFold, LabeledScorer, hide_labels
from surelabel.reading.indicators import read_indicators

N = 60
CODES = np.arange(N) % 3
HIDDEN = np.arange(N) % 4 > 1
X = np.random.default_rng(0).normal(10 * CODES[:, None], 0.5, (N, 2))
NAMES = np.array(["ash", "birch", "cedar"], dtype=object)
TARGETS = {
    "integers, -1": np.where(HIDDEN, -1, CODES),
    "text, None": np.where(HIDDEN, None, NAMES[CODES]),
    "text, None, list": np.where(HIDDEN, None, NAMES[CODES]).tolist(),
    "-1 a class, NaN": np.where(HIDDEN, np.nan, CODES - 1),
    "pandas, NA": pd.Series(CODES - 1, dtype="Int64").mask(HIDDEN),
    "pandas text": pd.Series(NAMES[CODES], index=range(100, 100 + N)).mask(HIDDEN),
    "polars, -1 a class": polars.Series(np.where(HIDDEN, None, CODES - 1).tolist()),
    "polars text": polars.Series(np.where(HIDDEN, None, NAMES[CODES]).tolist()),
}
TABLES = {
    "array": X,
    "pandas": pd.DataFrame(X, columns=["a", "b"], index=range(100, 100 + N)),
    "polars": polars.DataFrame(X, schema=["a", "b"]),
}


def small(**settings):
    """Without the guard: how rows are split and scored is the same with it, and it is most of the time."""
    committee = Repeated(trees(5), n_members=3)
    return PseudoLabelClassifier(
        committee, allocator=Threshold(), n_rounds=1, guard=False, random_state=0, **settings
    )


@pytest.mark.parametrize("form", TARGETS)
def test_folds_test_each_labelled_row_once_and_train_on_all_unlabelled_rows(form):
    folds = list(LabeledKFold(3, random_state=0).split(X, TARGETS[form]))
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.flatnonzero(~HIDDEN))
    for train, test in folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(N))
        assert HIDDEN[np.setdiff1d(train, np.flatnonzero(~HIDDEN))].sum() == HIDDEN.sum()
        assert set(np.bincount(CODES[test], minlength=3)) <= {3, 4}


def test_folds_follow_the_seed():
    def tests(seed):
        return [test.tolist() for _, test in LabeledKFold(3, random_state=seed).split(X, CODES)]

    assert tests(0) == tests(0) != tests(1)


def test_folds_without_shuffling_ignore_the_seed():
    one = LabeledKFold(3, shuffle=False, random_state=0).split(X, CODES)
    other = LabeledKFold(3, shuffle=False).split(X, CODES)
    for (_, first), (_, second) in zip(one, other, strict=True):
        assert_array_equal(first, second)


def test_folds_know_a_declared_mark():
    y = np.where(HIDDEN, 99, CODES)
    for _, test in LabeledKFold(3, missing_label=99).split(X, y):
        assert not HIDDEN[test].any()


def test_folds_refuse_lengths_that_differ():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[60, 50\]"):
        next(LabeledKFold(3).split(X, CODES[:50]))


@pytest.mark.parametrize("form", TARGETS)
@pytest.mark.parametrize("table", TABLES)
def test_cross_validation_scores_labelled_rows_only(table, form):
    scores = cross_val_score(small(), TABLES[table], TARGETS[form], cv=LabeledKFold(3, random_state=0))
    assert_array_equal(scores, 1)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("form", ["text, None", "-1 a class, NaN", "polars text"])
def test_grid_search_scores_labelled_rows_only(table, form):
    search = GridSearchCV(
        small(),
        {"allocator__gamma": [0.5, 0.9]},
        scoring=LabeledScorer("balanced_accuracy"),
        cv=LabeledKFold(2, random_state=0),
    ).fit(TABLES[table], TARGETS[form])
    assert search.best_score_ == 1
    assert (search.best_estimator_.predict(TABLES[table]) == search.classes_[CODES]).all()


@pytest.mark.parametrize("form", TARGETS)
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr"])
def test_scorers_of_scikit_learn_work_on_labelled_rows(form, scoring):
    clf = small().fit(X, TARGETS[form])
    truth = clf.classes_[CODES]
    rows = ~HIDDEN
    score = LabeledScorer(scoring)
    assert score(clf, X, TARGETS[form]) == score(clf, X[rows], truth[rows])
    assert score(clf, X, TARGETS[form]) == pytest.approx(0 if scoring == "neg_log_loss" else 1, abs=0.1)


def test_scorer_counts_errors_on_labelled_rows():
    clf = small().fit(X, TARGETS["text, None"])
    wrong = np.where(HIDDEN, None, NAMES[(CODES + (CODES == 0)) % 3])
    assert LabeledScorer()(clf, X, wrong) == pytest.approx(2 / 3)


def test_scorer_works_for_two_text_classes():
    y = np.where(HIDDEN, None, NAMES[np.minimum(CODES, 1)])
    assert LabeledScorer("roc_auc")(small().fit(X, y), X, y) == 1


def test_scorer_knows_a_declared_mark():
    y = np.where(HIDDEN, 99, CODES)
    assert LabeledScorer(missing_label=99)(small(missing_label=99).fit(X, y), X, y) == 1


def test_scorer_refuses_lengths_that_differ():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[60, 50\]"):
        LabeledScorer()(small().fit(X, TARGETS["integers, -1"]), X, CODES[:50])


FULL = {
    "integers": (CODES, lambda y: y == -1),
    "uint8": (CODES.astype(np.uint8), lambda y: y == -1),
    "-1 and 1": (2 * (CODES > 0) - 1, pd.isna),
    "floats": (CODES * 1.0, pd.isna),
    "bools": (CODES > 0, pd.isna),
    "text": (NAMES[CODES], pd.isna),
    "pandas": (pd.Series(NAMES[CODES]), pd.isna),
    "polars": (polars.Series(CODES), lambda y: y == -1),
}


@pytest.mark.parametrize("form", FULL)
@pytest.mark.parametrize("fraction", [0, 0.3, 0.9])
def test_hiding_hides_that_many_and_changes_no_other_label(form, fraction):
    full, is_hidden = FULL[form]
    before = np.array(full)
    y = hide_labels(full, fraction, random_state=0)
    hidden = is_hidden(y)
    assert hidden.sum() == round(fraction * N)
    assert_array_equal(y[~hidden], before[~hidden])
    assert set(y[~hidden].tolist()) == set(before.tolist())
    assert_array_equal(np.array(full), before)


def test_hiding_follows_the_seed():
    one, other, third = (hide_labels(CODES, 0.5, random_state=seed).tolist() for seed in (0, 0, 1))
    assert one == other != third


def test_hiding_all_keeps_one_of_each_class_with_a_warning():
    with pytest.warns(UserWarning, match="57 labels were hidden instead of 60"):
        y = hide_labels(CODES, 1, random_state=0)
    assert sorted(y[y >= 0]) == [0, 1, 2]


def test_hiding_writes_the_mark_that_was_asked_for():
    assert set(hide_labels(NAMES[CODES], 0.5, missing_label="?", random_state=0)) == {*NAMES, "?"}
    assert set(hide_labels(CODES, 0.5, missing_label=99, random_state=0)) == {0, 1, 2, 99}


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        (CODES, {"fraction": 1.5}, "fraction must be between 0 and 1; it is 1.5"),
        (CODES, {"fraction": 0.5, "missing_label": 2}, "missing_label=2 is one of the labels"),
        (TARGETS["text, None"], {"fraction": 0.5}, "y has 30 unlabelled rows already"),
        (TARGETS["-1 a class, NaN"], {"fraction": 0.5}, "y has 30 unlabelled rows already"),
    ],
)
def test_hiding_refuses_what_makes_no_sense(y, settings, message):
    with pytest.raises(ValueError, match=message):
        hide_labels(y, **settings)


CELLS = np.column_stack([CODES == 0, CODES != 1, np.arange(N) % 5 == 0]).astype(int)
SEVERAL = {
    "matrix": CELLS,
    "floats": CELLS * 1.0,
    "frame": pd.DataFrame(CELLS, columns=["a", "b", "c"], index=np.arange(N) + 7),
    "polars": polars.DataFrame(CELLS, schema=["a", "b", "c"]),
    "sparse": csr_array(CELLS),
    "tags": [[name for name, cell in zip("abc", row, strict=True) if cell] for row in CELLS],
}


@pytest.mark.parametrize("form", SEVERAL)
def test_hiding_hides_whole_rows_where_they_have_several_labels(form):
    y = hide_labels(SEVERAL[form], 0.6, random_state=0)
    codes = read_indicators(y).codes
    hidden = (codes < 0).any(axis=1)
    assert hidden.sum() == 36
    assert (codes[hidden] < 0).all()
    assert_array_equal(codes[~hidden], CELLS[~hidden])
    if form in ("frame", "polars", "tags"):
        assert list(y.columns) == ["a", "b", "c"]
    if form == "frame":
        assert_array_equal(y.index, np.arange(N) + 7)
    by_year = hide_labels(pd.DataFrame(CELLS, columns=[2010, 2011, 2012]), 0.6, random_state=0)
    assert list(by_year.columns) == [2010, 2011, 2012]


def test_hiding_keeps_a_row_with_each_label_and_one_without():
    with pytest.warns(UserWarning, match="instead of 60"):
        codes = read_indicators(hide_labels(CELLS, 1, random_state=0)).codes
    assert [set(column) for column in codes.T] == [{-1, 0, 1}] * 3
    with pytest.raises(ValueError, match="y has 1 unlabelled rows already"):
        hide_labels(np.where(np.arange(N)[:, None] == 3, -1, CELLS), 0.5)


@pytest.mark.parametrize("form", SEVERAL)
def test_rows_with_several_labels_can_be_cross_validated(form):
    y = hide_labels(SEVERAL[form], 0.5, random_state=0)
    partly = np.array(y, dtype=float)
    partly[np.flatnonzero((partly >= 0).all(axis=1))[0], 0] = np.nan  # one cell
    known = (read_indicators(partly).codes >= 0).all(axis=1)
    cv = LabeledKFold(3, random_state=0)
    folds = list(cv.split(X, partly))
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.flatnonzero(known))
    assert all(len(train) + len(test) == N for train, test in folds)
    scores = cross_val_score(small(), X, y, cv=cv, scoring=LabeledScorer("f1_micro"))
    assert np.isfinite(scores).all()
    assert scores.mean() > 0.6

"""What hostile cases found in the first release: each is right now, or refused in one sentence."""

import warnings

import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

import surelabel
from surelabel import (
    Columns,
    Everything,
    Negatives,
    PseudoLabelClassifier,
    Repeated,
    Threshold,
    TTest,
    Unlike,
    csa,
    trees,
)
from surelabel.model_selection import LabeledKFold
from surelabel.rounds.training import Trainer

N = 60
CODES = np.arange(N) % 3
HIDDEN = np.arange(N) % 7 >= 2
X = np.random.default_rng(0).normal(10 * CODES[:, None], 0.5, (N, 3))
Y = np.where(HIDDEN, -1, CODES)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
NAMES = np.array(["ash", "birch", "cedar"], dtype=object)
TEXT = np.where(HIDDEN, None, NAMES[CODES])
MIXED = FRAME.assign(
    b=FRAME["b"].mask(np.arange(N) % 5 == 0), colour=NAMES[(CODES + (np.arange(N) % 9 == 0)) % 3]
)


def small(**settings):
    defaults = {"committee": Repeated(trees(5), 3), "n_rounds": 2, "guard": False, "random_state": 0}
    return PseudoLabelClassifier(**defaults | settings)


def assert_right(clf, X, truth=CODES):
    filled = clf.labeled_iter_ > 0
    assert filled.sum() > 10
    assert_array_equal(np.asarray(clf.transduction_)[filled], np.asarray(truth)[filled])
    assert_array_equal(clf.predict(X), truth)
    assert clf.score(X, truth) == 1


@pytest.fixture
def untrained(monkeypatch):
    """Nothing may be trained: an error must come before."""
    monkeypatch.setattr(Trainer, "__call__", lambda *_: pytest.fail("training has begun"))


# Arguments

NONSENSE = {
    "n_rounds": (
        [10**9, 10_001, 2.5, "five", -1, True, None, [5], np.nan, np.inf, int],
        "n_rounds must be a whole number from 0 to 10,000; it is",
    ),
    "random_state": (
        ["a", -1, 2**32, 2.5, [1], np.random.default_rng(0)],
        "random_state must be None, a whole",
    ),
    "n_jobs": ([0, "two", 2.5, 10**6, []], "n_jobs must be None, a whole number from 1 to 1,000"),
    "verbose": (["yes", None, -1, 2.5, [1]], "verbose must be 0, or 1"),
    "guard": (["no", 1, 0, None, []], "guard must be True or False; it is"),
    "found_weight": (
        ["half", 1, None, 0.5, ["full"], np.array(["full"])],
        "found_weight must be one of 'auto', 'none', 'balanced', 'full'; it is",
    ),
    "labels_per_row": ([2, "1", 0, 1.0, [1]], "labels_per_row must be None or 1; it is"),
    "columns": ([["a"], {"a": "category"}, Columns, "a"], "columns must be how X is read"),
    "missing_label": ([[0, -1], (0,), {0, -1}, np.array([0, -1]), len], "missing_label must be one value"),
    "classes": ([3, "abc", {0, 1, 2}, {0: "a"}], "classes must be a list, an array or a series"),
    "committee": (
        ["xgboost", "", {}, 5, LogisticRegression, LinearRegression()],
        "committee (must|is the class)",
    ),
    "estimator": (
        ["lr", [LogisticRegression()], LogisticRegression, LinearRegression(), Perceptron()],
        "estimator (must|is the class)",
    ),
    "negatives": (["yes", Negatives, 5, lambda p: p], "negatives (must be a part|is called with)"),
    "allocator": (["transport", Threshold, lambda p: p], "allocator (must be a part|is called with)"),
    "confidence": (["ttest", TTest, lambda: None], "confidence (must be a part|is called with)"),
}


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("name", "number"), [(name, k) for name, (values, _) in NONSENSE.items() for k in range(len(values))]
)
def test_nonsense_is_refused_in_one_sentence_before_training(name, number):
    values, message = NONSENSE[name]
    with pytest.raises((ValueError, TypeError), match=message) as raised:
        small(**{name: values[number]}).fit(FRAME, Y)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"classes": [0, 1, 1, 2]}, "classes names 1 twice"),
        ({"classes": []}, "classes is empty"),
        ({"classes": [0, 1]}, "y holds 2, which is not among"),
        ({"classes": [0, 1, 2, None]}, "holds a missing value"),
        ({"classes": [0, 1, 2, -9], "missing_label": -9}, "missing_label=-9 is among classes"),
        (
            {"columns": Columns(categorical=["no such column"])},
            "'no such column', which X does not have: it has",
        ),
        ({"columns": Columns(categorical="a")}, r"a list of column names, such as \['a'\]; it is 'a'"),
        ({"committee": [GaussianNB(), LinearRegression()]}, r"committee\[1\] must give probabilities"),
        ({"committee": Unlike([GaussianNB(), LinearRegression()])}, "LinearRegression in Unlike must give"),
        ({"class_prior": {0: 1.0}}, "class_prior leaves out 1, 2, of which there are labelled rows"),
        ({"class_prior": {0: 0.5, 1: 0.5}}, r"leaves out 2, .* Name every class: \{0: ..., 1: ..., 2: ...\}"),
        ({"class_prior": {0: "a", 1: 0.5, 2: 0.5}}, "class_prior must be numbers, a share for each class"),
    ],
)
def test_settings_that_do_not_fit_the_data_are_refused_before_training(settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small(**settings).fit(FRAME, Y)


@pytest.mark.parametrize(
    "settings", [{"n_rounds": 2.0}, {"n_rounds": np.int64(2)}, {"guard": np.False_}, {"n_jobs": -1}]
)
def test_what_means_the_same_is_the_same(settings):
    assert_frame_equal(small(**settings).fit(X, Y).pseudo_labels_, small().fit(X, Y).pseudo_labels_)


def test_many_rounds_end_when_there_is_nothing_left():
    assert small(n_rounds=10_000).fit(X, Y).n_iter_ < 100


@pytest.mark.parametrize("several", [False, True])
def test_no_prior_is_that_of_the_labels(several):
    y = np.where(HIDDEN[:, None], -1, np.eye(3, dtype=int)[CODES]) if several else Y
    one, other = small(class_prior=None).fit(X, y), small().fit(X, y)
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)
    assert_array_equal(one.class_prior_, other.class_prior_)


def test_a_prior_of_several_labels_may_leave_some_to_the_given_cells():
    y = pd.DataFrame(np.where(HIDDEN[:, None], -1, np.eye(3, dtype=int)[CODES]), columns=list(NAMES))
    clf = small(class_prior={"ash": 0.5}).fit(X, y)
    given = (CODES[~HIDDEN] == 1).mean(), (CODES[~HIDDEN] == 2).mean()
    assert_allclose(clf.class_prior_, [0.5, *given])


def test_where_labels_are_classes_a_prior_must_name_all_of_them():
    y = np.where(HIDDEN[:, None], -1, np.eye(3, dtype=int)[CODES])
    with pytest.raises(ValueError, match="class_prior leaves out 1, 2"):
        small(class_prior={0: 1.0}, labels_per_row=1).fit(X, y)


# Forms of X and y

MASK = np.random.default_rng(1).random(X.shape) < 0.1
MASKED = np.ma.masked_array(np.where(MASK, np.inf, X), mask=MASK)
TABLES = {
    "lazy frame": (polars.from_pandas(FRAME).lazy(), FRAME),
    "dict of arrays": ({name: FRAME[name].to_numpy() for name in FRAME}, FRAME),
    "dict of lists": ({name: FRAME[name].tolist() for name in FRAME}, FRAME),
    "rows that are dicts": (FRAME.to_dict("records"), FRAME),
    "records": (FRAME.to_records(index=False), FRAME),
    "masked": (MASKED, np.where(MASK, np.nan, X)),
    "masked objects": (
        np.ma.masked_array(X.astype(object), mask=MASK),
        np.where(MASK, None, X.astype(object)),
    ),
    "names of several levels": (
        FRAME.set_axis(pd.MultiIndex.from_product([["a"], [1, 2, 3]]), axis=1),
        FRAME,
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_in_more_forms_are_read_right(form):
    given, plain = TABLES[form]
    one, other = small().fit(given, Y), small().fit(plain, Y)
    assert_right(one, given)
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)
    assert_array_equal(one.predict_proba(given), other.predict_proba(plain))


@pytest.mark.parametrize(
    "column",
    [
        pd.cut(X[:, 1], 5),
        pd.arrays.IntervalArray.from_breaks(np.arange(N + 1)),
        pd.period_range("2024-01", periods=N, freq="M"),
        pd.to_timedelta(CODES, unit="D"),
        [f"t{code}" if i % 2 else int(code) for i, code in enumerate(CODES)],
        [b"ash" if code else b"birch" for code in CODES],
        [str(code) * 10**6 for code in CODES],
        np.full(N, np.nan),
        [pd.NaT] * N,
        pd.array([True, None] * (N // 2), dtype="boolean"),
        pd.array([1, None] * (N // 2), dtype="Int64"),
        pd.Series(NAMES[CODES], dtype="string[pyarrow]"),
        pd.Categorical(NAMES[CODES], categories=["yew", *NAMES]),
    ],
    ids=lambda column: f"{type(column).__name__}",
)
def test_columns_of_every_kind_are_read_right(column):
    frame = FRAME.assign(odd=column)
    assert_right(small().fit(frame, Y), frame)


FIRST = np.flatnonzero(~HIDDEN)[0]
EMPTY = {
    "numbers": np.arange(N, dtype=float),
    "categories": np.array(["red", "blue"], dtype=object)[np.arange(N) % 2],
    "dates": pd.date_range("2024-01-01", periods=N),
    "bools": pd.array([True, False] * (N // 2), dtype="boolean"),
    "nullable numbers": pd.array(np.arange(N), dtype="Int64"),
}


@pytest.mark.parametrize("values", EMPTY)
@pytest.mark.parametrize("n_known", [0, 1])
def test_a_column_with_no_or_one_value_among_the_labelled_rows_stops_nobody(n_known, values):
    known = HIDDEN | ((np.arange(N) == FIRST) & (n_known == 1))
    frame = FRAME.assign(odd=pd.Series(EMPTY[values]).where(known))
    clf = small(committee=Unlike(n_folds=2), n_rounds=1).fit(frame, Y)
    assert clf.estimator_.failures == {}
    assert_right(clf, frame)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ((row for row in X), r"X is a generator; pass list\(X\)"),
        ("birds.csv", "X must be a table"),
        (None, "X must be a table"),
        (X[:, :, None], "rows and columns"),
        (FRAME.assign(b=X[:, 1] + 1j), "Complex data not supported: column 'b'"),
        (X + 1j, "Complex data not supported"),
        (sp.csr_array(np.where(MASK, np.nan, X)), "NaN, and is sparse: column"),
        (FRAME.assign(b=[(1, "a")] * N), "Column 'b', row 0: .* not 'tuple'"),
        (
            FRAME.assign(b=pd.Series([10**400, *range(N - 1)], dtype=object)),
            "column 'b', row 0 holds infinity",
        ),
        (polars.DataFrame({"b": [{"x": 1}] * N}), "Column 'b': .* Make columns of its parts"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "'a' has 1, 'b' has 2"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_one_sentence(X, message):
    with pytest.raises((ValueError, TypeError), match=message) as raised:
        small().fit(X, Y)
    assert "\n" not in str(raised.value)


DAYS = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="M8[D]")
LABELS = {
    "masked": (CODES, np.ma.masked_array(np.where(HIDDEN, 7, CODES), mask=HIDDEN)),
    "masked, -1 a class": (CODES - 1, np.ma.masked_array(np.where(HIDDEN, 7, CODES - 1), mask=HIDDEN)),
    "masked text": (NAMES[CODES], np.ma.masked_array(NAMES[CODES].astype(str), mask=HIDDEN)),
    "dates": (DAYS[CODES], np.where(HIDDEN, None, DAYS[CODES].astype(object))),
    "moments": (
        DAYS[CODES].astype("M8[us]"),
        np.where(HIDDEN, None, DAYS[CODES].astype("M8[us]").astype(object)),
    ),
    "datetime64": (DAYS[CODES], np.where(HIDDEN, np.datetime64("NaT"), DAYS[CODES])),
    "frame of one column": (NAMES[CODES], pd.DataFrame({"species": TEXT})),
    "a column": (CODES, Y[:, None]),
    "another index": (CODES, pd.Series(Y, index=range(N, 0, -1))),
    "levels unused": (NAMES[CODES], pd.Categorical(TEXT, categories=["yew", *NAMES])),
    "pyarrow": (NAMES[CODES], polars.Series(TEXT.tolist()).to_arrow()),
}


@pytest.mark.parametrize("form", LABELS)
def test_labels_in_more_forms_are_read_right_without_a_word(form):
    truth, y = LABELS[form]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = small().fit(FRAME, y)
    assert_right(clf, FRAME, truth)
    assert clf.score(FRAME, y) == 1


def test_classes_that_look_alike_are_named_once_and_kept_apart():
    alike = np.array(["cat", "CAT", "cat "], dtype=object)
    with pytest.warns(UserWarning, match="look alike are kept apart: 'CAT' and 'cat' and 'cat '") as said:
        clf = small().fit(X, np.where(HIDDEN, None, alike[CODES]))
    assert len(said) == 1
    assert_right(clf, X, alike[CODES])


def test_labels_of_rows_that_look_alike_are_named():
    y = pd.DataFrame(np.where(HIDDEN[:, None], -1, np.eye(3, dtype=int)[CODES]), columns=["a", "A ", "b"])
    with pytest.warns(UserWarning, match="look alike are kept apart: 'a' and 'A '"):
        small().fit(X, y)


# Weights

WEIGHT = np.random.default_rng(2).uniform(0.2, 3, N)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e9, 1e-9])
@pytest.mark.parametrize(
    "committee",
    [Repeated(trees(5), 3), [LogisticRegression(), KNeighborsClassifier(3)]],
    ids=["trees", "list"],
)
def test_only_how_weights_compare_counts(committee, scale):
    overlapping = np.random.default_rng(3).normal(CODES[:, None], 1, (N, 3))
    one, other = (
        small(committee=committee, confidence=Everything()).fit(overlapping, Y, sample_weight=weight)
        for weight in (WEIGHT / WEIGHT.mean(), scale * WEIGHT)
    )
    assert labels_of(one) == labels_of(other)
    assert_allclose(one.predict_proba(overlapping), other.predict_proba(overlapping), rtol=1e-6)


def labels_of(clf):
    return clf.pseudo_labels_["label"].tolist()


@pytest.mark.parametrize("weight", [1e300, 1.7e308, 1e-300, 1e-320, 5.0])
def test_equal_weights_are_none(weight):
    weighted, plain = small().fit(X, Y, sample_weight=np.full(N, weight)), small().fit(X, Y)
    assert_right(weighted, X)
    assert labels_of(weighted) == labels_of(plain)


@pytest.mark.filterwarnings("ignore:y has no unlabelled row", "ignore:.* one labelled row only")
def test_a_weight_is_a_number_of_rows_also_where_models_have_penalties():
    clf = small(committee=LogisticRegression(), confidence=Everything(), allocator=Threshold(0.6))
    check_sample_weight_equivalence_on_dense_data("PseudoLabelClassifier", clf)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (
            np.where(np.arange(N) % 2, 1e300, 1e-320),
            r"1e\+300 \(row 1\): beside the larger the smaller is lost",
        ),
        (np.where(np.arange(N) == 3, 1.0, 1e20), r"from 1 \(row 3\) to 1e\+20 \(row 0\)"),
        (["heavy"] * N, r"sample_weight must be a number for each row of X; it is \['heavy'"),
        (np.ones(N) * 1j, "sample_weight must be a number"),
        (np.ma.masked_array(np.ones(N), mask=np.arange(N) == 3), "sample_weight contains NaN"),
    ],
)
def test_weights_that_cannot_be_scaled_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        small().fit(X, Y, sample_weight=weight)


# scikit-learn's configurations

CONFIGS = [{"enable_metadata_routing": True}, {"transform_output": "pandas"}, {"transform_output": "polars"}]
COMMITTEES = {
    "trees": Repeated(trees(5), 3),
    "pipelines": [make_pipeline(StandardScaler(), LogisticRegression(C=c)) for c in (0.1, 1.0)],
    "unlike": None,
}


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize(
    ("committee", "table"),
    [("trees", "mixed"), ("pipelines", "numbers"), pytest.param("unlike", "mixed", marks=pytest.mark.slow)],
)
def test_scikit_learns_configurations_change_nothing(config, committee, table):
    given = {"mixed": MIXED, "numbers": FRAME}[table]

    def made():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parts = {"confidence": Everything()} if committee == "pipelines" else {}
            clf = small(committee=COMMITTEES[committee], **parts)
            clf.fit(given, Y, sample_weight=WEIGHT)
            return clf, clf.predict_proba(given)

    plain, p = made()
    with sklearn.config_context(**config):
        under, p_under = made()
    assert_frame_equal(plain.pseudo_labels_, under.pseudo_labels_)
    assert_allclose(p, p_under)


def test_weights_can_be_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        clf = small().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        cv = LabeledKFold(3, random_state=0)
        scores = cross_val_score(clf, X, Y, cv=cv, params={"sample_weight": WEIGHT})
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        piped = make_pipeline(scaler, clf).fit(X, Y, sample_weight=WEIGHT)
    assert scores.mean() > 0.9
    assert piped.score(X, CODES) == 1


def test_a_users_own_transformers_keep_their_configuration():
    seen = []

    class Telling(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(type(X))
            return super().fit(X, y, sample_weight)

    with sklearn.config_context(transform_output="pandas"):
        small(estimator=make_pipeline(StandardScaler(), Telling())).fit(X, Y)
    assert set(seen) == {pd.DataFrame}


# Models of a user's own


def test_one_classifier_is_a_committee():
    clf = csa(committee=LogisticRegression(), guard=False, random_state=0).fit(X, Y)
    assert_right(clf, X)
    assert len(clf.estimator_.members_) == 20
    alone = PseudoLabelClassifier(LogisticRegression(), Everything(), Threshold(), guard=False).fit(X, Y)
    assert len(alone.estimator_.members_) == 1


READERS = {
    "a list": {"committee": [LogisticRegression(), KNeighborsClassifier(3), GaussianNB()]},
    "one": {"committee": LogisticRegression()},
    "repeated": {"committee": Repeated(GaussianNB(), 3, over="bootstrap")},
    "unlike": {"committee": Unlike([LogisticRegression(), GaussianNB()])},
    "the final one": {"estimator": LogisticRegression()},
    "the final one, of several": {
        "estimator": StackingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], cv=2)
    },
}


@pytest.mark.parametrize("name", READERS)
def test_models_that_read_no_text_or_gaps_are_given_numbers_which_is_said_once(name):
    with pytest.warns(UserWarning, match="cannot read categories and gaps; X becomes numbers first") as said:
        clf = small(**READERS[name]).fit(MIXED, Y)
    assert len(said) == 1
    assert said[0].filename == __file__
    assert_right(clf, MIXED)


def test_models_behind_an_encoder_can_be_saved(tmp_path):
    with pytest.warns(UserWarning, match="cannot read"):
        clf = small(**READERS["repeated"]).fit(MIXED, Y)
    clf.save(tmp_path / "model")
    assert_array_equal(surelabel.load(tmp_path / "model").predict_proba(MIXED), clf.predict_proba(MIXED))


def test_models_of_several_labels_are_spoken_of_once():
    y = np.where(HIDDEN[:, None], -1, np.eye(3, dtype=int)[CODES])
    with pytest.warns(UserWarning, match="^GaussianNB cannot read categories and gaps") as said:
        clf = small(committee=Repeated(GaussianNB(), 3, over="bootstrap")).fit(MIXED, y)
    assert len(said) == 1
    assert (clf.predict(MIXED) == np.eye(3)[CODES]).all(axis=1).mean() > 0.9


def test_models_that_read_the_table_are_as_they_were():
    clf = small(committee=[GaussianNB(), LogisticRegression()], estimator=GaussianNB()).fit(FRAME, Y)
    assert isinstance(clf.estimator_, GaussianNB)


def test_unlike_models_keep_their_names():
    with pytest.warns(UserWarning, match="cannot read"):
        clf = small(**READERS["unlike"]).fit(MIXED, Y)
    assert set(clf.estimator_.weights_) == {"LogisticRegression", "GaussianNB"}


# Notices


def said(work):
    """What is said, whatever was said before at another line; and where."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [str(warning.message) for warning in caught], {warning.filename for warning in caught}


def test_a_cross_validation_of_labelled_rows_is_told_so_once_at_its_line():
    texts, files = said(lambda: cross_val_score(small(), X, CODES, cv=4))
    assert texts == ["y has no unlabelled row; this is the supervised model."]
    assert files == {__file__}


def test_a_search_is_told_once_at_its_line():
    texts, files = said(lambda: GridSearchCV(small(), {"n_rounds": [1, 2]}, cv=3).fit(X, CODES))
    assert texts == ["y has no unlabelled row; this is the supervised model."]
    assert files == {__file__}


def test_folds_with_rare_classes_are_told_of_once():
    y = np.where(np.isin(np.arange(N), [0, 3, 1, 4, 2, 5, 8, 11]), CODES, -1)
    texts, _ = said(lambda: cross_val_score(small(), X, y, cv=LabeledKFold(2, random_state=0)))
    assert sum("one labelled row only" in text for text in texts) == 1


def test_a_pipeline_is_told_at_its_line_each_time():
    texts, files = said(lambda: [make_pipeline(StandardScaler(), small()).fit(X, CODES) for _ in range(2)])
    assert texts == ["y has no unlabelled row; this is the supervised model."] * 2
    assert files == {__file__}


def test_a_member_that_fails_in_every_round_is_told_of_once():
    class Failing(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("always")

    committee = [GaussianNB(), Failing(), LogisticRegression()]
    texts, files = said(lambda: small(committee=committee, n_rounds=4, guard=True).fit(X, Y))
    assert [text for text in texts if "goes on without" in text] == texts
    assert len(texts) == 1
    assert files == {__file__}

"""Every form in which people bring a table: right, or an error that names what is wrong."""

from functools import cache

import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
)

from surelabel import (
    PseudoLabelClassifier,
    Repeated,
    Threshold,
    Transport,
    csa,
    flexmatch,
    pl,
    sla,
    trees,
    ups,
)

N = 60
CODES = np.arange(N) % 3
HIDDEN = np.arange(N) % 7 >= 2
X = np.random.default_rng(0).normal(10 * CODES[:, None], 0.5, (N, 3))
Y = np.where(HIDDEN, -1, CODES)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
NAMES = np.array(["ash", "birch", "cedar"], dtype=object)


def small(recipe=PseudoLabelClassifier, **settings):
    """Takes a moment; csa alone keeps its guard, which fits everything several times over."""
    defaults = {
        "committee": Repeated(trees(10), n_members=3),
        "n_rounds": 2,
        "guard": recipe is csa,
        "random_state": 0,
    }
    return recipe(**defaults | settings)


@cache
def fitted(recipe=PseudoLabelClassifier, table="X"):
    """A classifier that tests only read."""
    return small(recipe).fit({"X": X, "noisy": NOISY, "frame": FRAME}[table], Y)


def marked(truth, marker, dtype=object):
    y = np.array(truth, dtype=dtype)
    y[HIDDEN] = marker
    return y


def assert_right(clf, X, truth, hidden=HIDDEN, at_least=0.5):
    truth = np.asarray(truth)
    filled = clf.labeled_iter_ >= 0
    assert_array_equal(clf.classes_, np.unique(truth))
    assert_array_equal(clf.transduction_[filled], truth[filled])
    assert filled[~hidden].all()
    assert filled[hidden].mean() >= at_least
    assert_array_equal(clf.predict(X), truth)


def labels_of(clf):
    return clf.pseudo_labels_["label"].tolist()


WITHOUT_GUARD_AND_WITH = [PseudoLabelClassifier, pytest.param(csa, marks=pytest.mark.slow)]

# Labels in every form

BINARY = CODES % 2
TARGETS = {
    "integers, -1": (CODES, Y, {}),
    "int8, -1": (CODES, Y.astype(np.int8), {}),
    "list of integers, -1": (CODES, Y.tolist(), {}),
    "text, None": (NAMES[CODES], marked(NAMES[CODES], None), {}),
    "text, NaN": (NAMES[CODES], marked(NAMES[CODES], np.nan), {}),
    "text, NaN, in a list": (NAMES[CODES], marked(NAMES[CODES], np.nan).tolist(), {}),
    "text, empty": (NAMES[CODES], marked(NAMES[CODES], ""), {}),
    "text, empty, fixed width": (NAMES[CODES], marked(NAMES[CODES], "", "U9"), {}),
    "text, integer -1": (NAMES[CODES], marked(NAMES[CODES], -1), {}),
    "text, integer -1, in a list": (NAMES[CODES], marked(NAMES[CODES], -1).tolist(), {}),
    "text, declared": (NAMES[CODES], marked(NAMES[CODES], "?"), {"missing_label": "?"}),
    "text -1, declared": (NAMES[CODES], marked(NAMES[CODES], "-1", "U9"), {"missing_label": "-1"}),
    "floats, NaN": (CODES * 1.0, marked(CODES, np.nan, float), {}),
    "floats, -1 declared": (CODES * 1.0, Y * 1.0, {"missing_label": -1}),
    "bools, None": (BINARY > 0, marked(BINARY > 0, None), {}),
    "bools, -1 in a list": (BINARY > 0, marked(BINARY > 0, -1).tolist(), {}),
    "uint8, 255 declared": (CODES, marked(CODES, 255, np.uint8), {"missing_label": 255}),
    "1 to 3": (CODES + 1, marked(CODES + 1, -1, int), {}),
    "10, 20, 30": (10 * CODES + 10, marked(10 * CODES + 10, -1, int), {}),
    "-1 a class, NaN": (CODES - 1.0, marked(CODES - 1, np.nan, float), {}),
    "-1 a class, None": (CODES - 1, marked(CODES - 1, None), {}),
    "-1 a class, -99 declared": (CODES - 1, marked(CODES - 1, -99, int), {"missing_label": -99}),
    "-1 and 1, NaN": (2.0 * BINARY - 1, marked(2 * BINARY - 1, np.nan, float), {}),
    "-1 and 1, 0 declared": (2 * BINARY - 1, marked(2 * BINARY - 1, 0, int), {"missing_label": 0}),
    "beyond 2**53": (CODES + 2**60, marked(CODES + 2**60, None), {}),
    "pandas Int64": (CODES, pd.Series(CODES, dtype="Int64").mask(HIDDEN), {}),
    "pandas Int64 array, -1 a class": (CODES - 1, pd.Series(CODES - 1, dtype="Int64").mask(HIDDEN).array, {}),
    "pandas Float64": (CODES * 1.0, pd.Series(CODES * 1.0, dtype="Float64").mask(HIDDEN), {}),
    "pandas boolean": (BINARY > 0, pd.Series(BINARY > 0, dtype="boolean").mask(HIDDEN), {}),
    "pandas string": (NAMES[CODES], pd.Series(NAMES[CODES], dtype="string").mask(HIDDEN), {}),
    "pandas category": (NAMES[CODES], pd.Series(NAMES[CODES], dtype="category").mask(HIDDEN), {}),
    "pandas arrow": (CODES, pd.Series(CODES, dtype="int64[pyarrow]").mask(HIDDEN), {}),
    "polars integers": (CODES, polars.Series(marked(CODES, None).tolist()), {}),
    "polars integers, -1 a class": (CODES - 1, polars.Series(marked(CODES - 1, None).tolist()), {}),
    "polars text": (NAMES[CODES], polars.Series(marked(NAMES[CODES], None).tolist()), {}),
    "polars category": (
        NAMES[CODES],
        polars.Series(marked(NAMES[CODES], None).tolist(), dtype=polars.Categorical),
        {},
    ),
    "polars bools": (BINARY > 0, polars.Series(marked(BINARY > 0, None).tolist()), {}),
}


@pytest.mark.parametrize("form", TARGETS)
def test_labels_in_every_form_are_read_right_and_scored(form):
    truth, y, settings = TARGETS[form]
    X = np.random.default_rng(0).normal(10 * np.unique(truth, return_inverse=True)[1][:, None], 0.5, (N, 3))
    clf = small(**settings).fit(X, y)
    assert_right(clf, X, truth)
    assert clf.score(X, y) == clf.score(X, truth) == 1


def test_score_counts_errors_on_labelled_rows():
    clf = fitted()
    wrong = Y.copy()
    wrong[np.flatnonzero(~HIDDEN)[:9]] = (wrong[np.flatnonzero(~HIDDEN)[:9]] + 1) % 3
    assert clf.score(X, wrong) == 0.5
    assert clf.score(X, wrong, sample_weight=np.where(wrong == CODES, 3.0, 1.0)) == 0.75


def test_score_knows_from_the_classes_that_minus_one_is_a_mark():
    assert fitted().score(X, np.where(CODES == 1, 1, -1)) == 1


def test_score_refuses_rows_without_any_label():
    with pytest.raises(ValueError, match="None of the 60 rows to score has a label"):
        fitted().score(X, np.full(N, -1))


@pytest.mark.parametrize("shorter", ["y", "sample_weight"])
def test_score_refuses_lengths_that_differ(shorter):
    arguments = {"y": Y, "sample_weight": np.ones(N)}
    arguments[shorter] = arguments[shorter][:50]
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples.*50"):
        fitted().score(X, **arguments)


def test_minus_one_and_one_are_two_classes_with_a_warning():
    y = 2 * BINARY - 1
    X = np.random.default_rng(0).normal(10 * y[:, None], 0.5, (N, 3))
    with pytest.warns(UserWarning, match="both are read as classes.*missing_label=-1"):
        clf = small().fit(X[~HIDDEN], y[~HIDDEN], X_unlabeled=X[HIDDEN])
    order = np.r_[np.flatnonzero(~HIDDEN), np.flatnonzero(HIDDEN)]
    assert_right(clf, X[order], y[order], HIDDEN[order])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y * 1.0, r"-1\.0 and no NaN.*missing_label=-1.*missing_label=None"),
        (marked(NAMES[CODES], "-1"), r'text "-1".*missing_label="-1"'),
        (np.array(["a", "b", -1] * 20), r'text "-1".*missing_label="-1"'),
        (np.array(["a", "b", np.nan] * 20), r'text "nan".*missing_label="nan"'),
        (["a", 1, None] * 20, "mixes labels of types int, str"),
        (marked(CODES, np.inf, float), "y contains infinity"),
        (CODES + 0.5, "Unknown label type: continuous"),
        (None, "y is None"),
    ],
)
def test_doubtful_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        small().fit(X, y)


def test_missing_label_none_makes_every_value_a_class():
    with pytest.warns(UserWarning, match="no unlabelled row"):
        clf = small(missing_label=None).fit(X, CODES - 1)
    assert_array_equal(clf.classes_, [-1, 0, 1])


# Too few labels


def test_without_unlabelled_rows_it_is_the_supervised_model_with_a_warning():
    with pytest.warns(UserWarning, match="no unlabelled row; this is the supervised model"):
        clf = small().fit(X, CODES)
    supervised = clf.committee.fit(X, CODES)
    assert_array_equal(clf.predict(X), supervised.predict(X))
    assert_array_equal(clf.transduction_, CODES)
    assert (clf.n_iter_, len(clf.pseudo_labels_)) == (0, 0)


@pytest.mark.parametrize("y", [np.full(N, -1), np.full(N, np.nan), [None] * N, [""] * N])
def test_no_labelled_row_is_refused_with_the_count(y):
    with pytest.raises(ValueError, match="y has no labelled row: all 60 are unlabelled"):
        small().fit(X, y)


def test_no_labelled_row_is_refused_with_the_column():
    with pytest.raises(ValueError, match=r"y \('species'\) has no labelled row: all 60"):
        small().fit(X, pd.Series([None] * N, name="species"))


@pytest.mark.parametrize("missing_label", ["auto", pd.NA, np.nan, -1])
def test_one_labelled_class_is_refused_by_name(missing_label):
    y = marked(NAMES[np.ones(N, dtype=int)], None)
    with pytest.raises(ValueError, match="one class only, 'birch'; at least two"):
        small(missing_label=missing_label).fit(X, y)


def test_one_labelled_class_beside_minus_one_hints_that_it_may_be_a_class():
    with pytest.raises(ValueError, match=r"one class only, 7.*missing_label=None"):
        small().fit(X, np.where(HIDDEN, -1, 7))


def test_a_class_with_one_labelled_row_is_kept_with_a_warning():
    cedars = np.flatnonzero(~HIDDEN & (CODES == 2))
    hidden = HIDDEN.copy()
    hidden[cedars[1:]] = True
    y = np.where(hidden, None, NAMES[CODES])
    with pytest.warns(UserWarning, match="Class 'cedar' has one labelled row only"):
        clf = small(allocator=Threshold()).fit(X, y)
    assert_right(clf, X, NAMES[CODES], hidden)


def test_a_declared_class_without_labels_is_reported_and_gets_no_row():
    with pytest.warns(UserWarning, match="Class 'yew' has no labelled row"):
        clf = small(classes=[*NAMES, "yew"]).fit(X, marked(NAMES[CODES], None))
    assert_array_equal(clf.classes_, [*NAMES, "yew"])
    assert_array_equal(clf.predict(X), NAMES[CODES])
    assert_array_equal(clf.predict_proba(X)[:, 3], 0)
    assert "yew" not in labels_of(clf)


def test_declared_classes_settle_whether_minus_one_is_one():
    with pytest.warns(UserWarning, match="no unlabelled row"):
        assert_array_equal(small(classes=[-1, 0, 1]).fit(X, CODES - 1).predict(X), CODES - 1)
    y = np.where(HIDDEN, -1.0, CODES)
    assert_right(small(classes=[0, 1, 2]).fit(X, y), X, CODES)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["ash", "birch"], r"y holds 'cedar', which is not among classes=\['ash', 'birch'\]"),
        ([0, 1, 2], r"y holds 'ash', which is not among classes=\[0, 1, 2\]"),
        (["ash", 1], "mixes labels of types int, str"),
    ],
)
def test_classes_that_do_not_fit_y_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        small(classes=classes).fit(X, marked(NAMES[CODES], None))


@pytest.mark.parametrize(
    "prior",
    [
        {"cedar": 0.2, "ash": 0.5, "birch": 0.3},
        [0.5, 0.3, 0.2],
        np.array([0.5, 0.3, 0.2]),
        pd.Series({"cedar": 0.2, "ash": 0.5, "birch": 0.3}),
    ],
    ids=["dict", "list", "array", "Series"],
)
def test_class_prior_goes_by_class(prior):
    clf = small(class_prior=prior).fit(X, marked(NAMES[CODES], None))
    assert_array_equal(clf.class_prior_, [0.5, 0.3, 0.2])


def test_class_prior_leaves_out_classes_without_labels():
    prior = {"ash": 0.4, "birch": 0.2, "cedar": 0.2, "yew": 0.2}
    with pytest.warns(UserWarning, match="'yew' has no labelled row"):
        clf = small(classes=list(prior), class_prior=prior).fit(X, marked(NAMES[CODES], None))
    assert_array_equal(clf.class_prior_, [0.5, 0.25, 0.25, 0])


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"yew": 1.0}, r"class_prior names 'yew', which is not among \['ash', 'birch', 'cedar'\]"),
        ([0.5, 0.5], "class_prior has 2 entries for 3 classes"),
        ([0.5, 0.5, 0.5], r"sum to 1; it is \[0.5, 0.5, 0.5\]"),
        ([1.5, -0.5, 0.0], r"class_prior must be shares.*-0.5"),
        ([np.nan, 0.5, 0.5], "class_prior must be shares.*nan"),
        ({"ash": 0.5}, "class_prior leaves out 'birch', 'cedar'"),
        ("uniform", r"class_prior must be .*'uniform'"),
    ],
)
def test_a_wrong_class_prior_is_refused(prior, message):
    with pytest.raises(ValueError, match=message):
        small(class_prior=prior).fit(X, marked(NAMES[CODES], None))


# Few rows, many classes, rare classes


def test_a_pool_emptied_in_the_middle_ends_the_run():
    hidden = np.arange(N) >= 57
    clf = small(allocator=Threshold(), n_rounds=10).fit(X, np.where(hidden, -1, CODES))
    assert clf.termination_condition_ == "all_labeled"
    assert clf.n_iter_ < 10
    assert_right(clf, X, CODES, hidden, at_least=1)


def blobs(n_classes, per_class):
    """Points around a square grid, one class each."""
    codes = np.arange(n_classes * per_class) % n_classes
    side = int(np.ceil(np.sqrt(n_classes)))
    centres = 10 * np.column_stack(np.divmod(codes, side))
    return centres + np.random.default_rng(0).normal(0, 0.1, centres.shape), codes


@pytest.mark.filterwarnings("ignore:None of the 2 unlabelled rows was labelled")
@pytest.mark.parametrize("recipe", [PseudoLabelClassifier, csa, sla, ups, flexmatch, pl])
def test_two_unlabelled_rows_of_ten_classes_never_get_a_wrong_label(recipe):
    X, codes = blobs(10, 5)
    hidden = np.arange(len(codes)) >= len(codes) - 2
    clf = small(recipe).fit(X, np.where(hidden, -1, codes))
    assert_right(clf, X, codes, hidden, at_least=0)


def test_two_unlabelled_rows_of_ten_classes_are_labelled():
    X, codes = blobs(10, 5)
    hidden = np.arange(len(codes)) >= len(codes) - 2
    assert_right(small().fit(X, np.where(hidden, -1, codes)), X, codes, hidden, at_least=1)


@pytest.mark.parametrize("recipe", [PseudoLabelClassifier, csa])
def test_rows_of_two_hundred_classes_are_labelled_right_or_not(recipe):
    X, codes = blobs(200, 6)
    hidden = np.arange(len(codes)) >= 800
    clf = small(recipe).fit(X, np.where(hidden, -1, codes))
    found = hidden & (clf.labeled_iter_ > 0)
    assert_array_equal(clf.classes_, np.arange(200))
    assert_array_equal(clf.transduction_[found], codes[found])
    assert found.any()
    assert clf.score(X[hidden], codes[hidden]) > 0.9


@pytest.mark.parametrize(("allocator", "found"), [(Threshold(), 2), (Transport(), 1)], ids=str)
def test_one_in_a_thousand_is_kept_and_found(allocator, found):
    n = 4004
    codes = (np.arange(n) % 1001 == 1000).astype(int)
    hidden = np.arange(n) >= n // 2
    X = np.random.default_rng(0).normal(10 * codes[:, None], 0.5, (n, 3))
    clf = small(allocator=allocator, n_rounds=3).fit(X, np.where(hidden, -1, codes))
    assert_right(clf, X, codes, hidden)
    assert (clf.pseudo_labels_["label"] == 1).sum() >= found


# Features in every form

COLOURS = np.array(["red", "green", "blue"], dtype=object)
HOURS = pd.Timestamp("2024-03-01") + pd.to_timedelta(CODES * 20 + np.arange(N) % 5, unit="s")


def with_missing(frame):
    return frame.mask(np.arange(frame.size).reshape(frame.shape) % 11 == 5)


FRAMES = {
    "object": FRAME.astype(object),
    "text": pd.DataFrame({"colour": COLOURS[CODES], "size": NAMES[CODES]}),
    "text with gaps": pd.DataFrame({"colour": with_missing(pd.DataFrame({"c": COLOURS[CODES]}))["c"]}).assign(
        a=X[:, 0]
    ),
    "category": pd.DataFrame({"colour": pd.Categorical(COLOURS[CODES])}),
    "category of numbers": pd.DataFrame({"zip": pd.Categorical(CODES + 10)}),
    "datetime": pd.DataFrame({"when": HOURS}),
    "datetime with zone": pd.DataFrame({"when": HOURS.tz_localize("Asia/Tokyo")}),
    "datetime objects": pd.DataFrame({"when": HOURS.astype(object)}),
    "timedelta": pd.DataFrame({"since": HOURS - HOURS[0]}),
    "bool": pd.DataFrame({"one": CODES == 1, "two": CODES == 2}),
    "missing numbers": with_missing(FRAME),
    "constant column": FRAME.assign(same=1.0, never=np.nan),
    "column names are numbers": pd.DataFrame(X),
    "nullable numbers": with_missing(FRAME.round().convert_dtypes()),
    "nullable text and bools": pd.DataFrame(
        {
            "colour": pd.Series(COLOURS[CODES], dtype="string").mask(np.arange(N) % 11 == 5),
            "one": pd.Series(CODES == 1, dtype="boolean").mask(np.arange(N) % 13 == 7),
            "a": X[:, 0],
        }
    ),
    "arrow types": with_missing(FRAME).convert_dtypes(dtype_backend="pyarrow"),
    "sparse columns": FRAME.astype(pd.SparseDtype(float, 0.0)),
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames_in_every_form_are_read_right(form):
    assert_right(small().fit(FRAMES[form], Y), FRAMES[form], CODES)


@pytest.mark.parametrize(
    "form", [form for form in FRAMES if form not in ("category of numbers", "sparse columns")]
)
def test_polars_frames_give_the_labels_of_pandas(form):
    frame = FRAMES[form].rename(columns=str)
    as_polars = polars.from_pandas(frame.convert_dtypes() if form == "object" else frame)
    one, other = small().fit(frame, Y), small().fit(as_polars, Y)
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)
    assert_array_equal(one.predict_proba(frame), other.predict_proba(as_polars))
    assert_array_equal(one.predict(as_polars), CODES)


def read_only_map(X, path):
    np.save(path / "X.npy", X)
    return np.load(path / "X.npy", mmap_mode="r")


# Classes that overlap, so that a small difference would show.
NOISY = np.random.default_rng(1).normal(CODES[:, None], 1, (N, 3))
NOISY_FRAME = pd.DataFrame(NOISY, columns=["a", "b", "c"])
CONTAINERS = {
    "float32": lambda path: NOISY.astype(np.float32),
    "object": lambda path: NOISY.astype(object),
    "lists": lambda path: NOISY.tolist(),
    "Fortran order": lambda path: np.asfortranarray(NOISY),
    "strided": lambda path: np.repeat(np.repeat(NOISY, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda path: NOISY[::-1].copy()[::-1],
    "read-only memory map": lambda path: read_only_map(NOISY, path),
    "pandas": lambda path: NOISY_FRAME,
    "pandas float32": lambda path: NOISY_FRAME.astype(np.float32),
    "pandas nullable": lambda path: NOISY_FRAME.convert_dtypes(),
    "polars": lambda path: polars.from_pandas(NOISY_FRAME),
    "polars float32": lambda path: polars.from_pandas(NOISY_FRAME.astype(np.float32)),
    "arrow": lambda path: polars.from_pandas(NOISY_FRAME).to_arrow(),
}


@pytest.mark.parametrize("form", CONTAINERS)
@pytest.mark.parametrize("recipe", WITHOUT_GUARD_AND_WITH)
def test_one_seed_gives_the_same_labels_for_every_container(recipe, form, tmp_path):
    given = CONTAINERS[form](tmp_path)
    one, other = fitted(recipe, "noisy"), small(recipe).fit(given, Y)
    assert len(set(labels_of(one))) > 2
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)
    assert_array_equal(one.predict_proba(NOISY), other.predict_proba(given))


@pytest.mark.parametrize("recipe", [PseudoLabelClassifier, csa])
@pytest.mark.parametrize("n_jobs", [2, 4])
def test_one_seed_gives_the_same_labels_for_every_n_jobs(recipe, n_jobs):
    one, other = fitted(recipe, "noisy"), small(recipe, n_jobs=n_jobs).fit(NOISY, Y)
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)
    assert_array_equal(one.predict_proba(NOISY), other.predict_proba(NOISY))


def test_bool_arrays_are_read_as_numbers():
    flags = np.column_stack([CODES == 0, CODES == 1, CODES == 2])
    one, other = small().fit(flags, Y), small().fit(flags.astype(float), Y)
    assert_right(one, flags, CODES)
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)


# Features that cannot be read

LATE, HUGE = X.copy(), X.copy()
LATE[40, 1], HUGE[40, 1] = np.inf, 1e300
CELLS = {"infinity": LATE, "-infinity": -LATE, "1e300": HUGE}
FORMS = {
    "array": (lambda X: X, "column 1, row 40"),
    "objects": (lambda X: X.astype(object), "column 1, row 40"),
    "sparse": (sp.coo_array, "column 1, row 40"),
    "pandas": (
        lambda X: pd.DataFrame(X, columns=["a", "b", "c"], index=range(100, 160)),
        "column 'b', row 40",
    ),
    "polars": (lambda X: polars.DataFrame(X, schema=["a", "b", "c"]), "column 'b', row 40"),
}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("form", FORMS)
def test_cells_out_of_range_are_refused_with_column_and_row(form, cell):
    container, where = FORMS[form]
    with pytest.raises(ValueError, match=f"{where} holds"):
        small().fit(container(CELLS[cell]), Y)
    with pytest.raises(ValueError, match=f"{where} holds"):
        small().fit(container(X), Y).predict(container(CELLS[cell]))


@pytest.mark.parametrize("container", [pd.DataFrame, polars.DataFrame, lambda X: X.astype(object)])
def test_cells_out_of_range_are_refused_also_in_unlabelled_rows(container):
    with pytest.raises(ValueError, match=r"column .*1'?, row 40 holds infinity"):
        small().fit(X, CODES, X_unlabeled=container(LATE))


@pytest.mark.parametrize("recipe", [PseudoLabelClassifier, csa, sla, ups, flexmatch, pl])
@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, sp.csr_array])
def test_with_all_columns_constant_nothing_is_filled_and_it_warns(recipe, container):
    flat = container(np.ones((N, 2)))
    y = np.where(HIDDEN, -1, np.arange(N) >= 50)
    with (
        pytest.warns(UserWarning, match="No column of X varies over the labelled rows"),
        pytest.warns(UserWarning, match="None of the 42 unlabelled rows was labelled"),
    ):
        clf = small(recipe).fit(flat, y)
    assert_array_equal(clf.transduction_, y)
    assert_array_equal(clf.predict(flat), 0)


def test_duplicate_column_names_are_refused_by_name():
    twice = FRAME.set_axis(["a", "b", "a"], axis=1)
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        small().fit(twice, Y)
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        fitted(table="frame").predict(twice)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (X[:1], Y[:1], "one class only, 0"),
        (FRAME[:1], Y[:1], "one class only, 0"),
        (X[:0], Y[:0], "0 sample"),
        (FRAME[:0], Y[:0], "0 sample"),
        (X[:, :0], Y, "0 feature"),
        (FRAME[[]], Y, "0 feature"),
        (X, Y[:50], r"inconsistent numbers of samples: \[60, 50\]"),
        (FRAME, Y[:50].tolist(), r"inconsistent numbers of samples: \[60, 50\]"),
        (polars.from_pandas(FRAME), polars.Series(Y[:50]), r"inconsistent numbers of samples: \[60, 50\]"),
        (sp.csr_array(X), Y[:50], r"inconsistent numbers of samples: \[60, 50\]"),
        (X[:, 0], Y, r"must have rows and columns; it is of shape \(60,\)"),
        (FRAME.assign(b=[["a"]] * N), Y, "Column 'b', row 0: .*not 'list'"),
        (FRAME.assign(b=[[1], [1, 2]] * (N // 2)), Y, "Column 'b', row 0: .*not 'list'"),
        (polars.DataFrame({"b": [["a"]] * N}), Y, "Column 'b'"),
    ],
)
def test_tables_of_the_wrong_shape_or_content_are_refused(X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small().fit(X, y)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_matrices_give_right_labels(container):
    indicators = np.eye(6)[2 * CODES + np.arange(N) % 2]
    assert_right(small().fit(container(indicators), Y), container(indicators), CODES)


def test_sparse_rows_may_come_apart():
    indicators = sp.csr_array(np.eye(6)[2 * CODES + np.arange(N) % 2])
    whole = small().fit(indicators, Y)
    apart = small().fit(indicators[~HIDDEN], CODES[~HIDDEN], X_unlabeled=indicators[HIDDEN])
    assert_frame_equal(
        whole.pseudo_labels_.reset_index(drop=True), apart.pseudo_labels_.reset_index(drop=True)
    )


# Weights


@pytest.mark.parametrize(
    "check",
    [check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data],
)
@pytest.mark.filterwarnings("ignore:y has no unlabelled row", "ignore:.* one labelled row only")
def test_a_weight_is_a_number_of_rows(check):
    check("PseudoLabelClassifier", small())


def test_rows_of_weight_zero_do_not_exist():
    poisoned = Y.copy()
    poisoned[~HIDDEN & (np.arange(N) < 30)] = 0
    weight = (poisoned == Y).astype(float)
    clf = small(allocator=Threshold()).fit(X, poisoned, sample_weight=weight)
    assert_array_equal(clf.predict(X), CODES)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(50), "50"),
        (np.zeros(N), "[Ss]ample weights .*zero"),
        (-np.ones(N), "[Nn]egative"),
        (np.full(N, np.nan), "sample_weight contains NaN"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        small().fit(X, Y, sample_weight=weight)


# At predict


@pytest.mark.parametrize("container", [lambda frame: frame, polars.from_pandas])
def test_columns_go_by_name_at_predict(container):
    frame = FRAME.assign(b=0.0, colour=COLOURS[CODES])
    clf = small().fit(container(frame), Y)
    turned = container(frame[["colour", "c", "b", "a"]])
    assert_array_equal(clf.predict_proba(turned), clf.predict_proba(container(frame)))


def test_columns_go_by_name_between_labelled_and_unlabelled_rows():
    frame = FRAME.assign(b=-FRAME["b"])
    one = small().fit(frame[~HIDDEN], CODES[~HIDDEN], X_unlabeled=frame[HIDDEN])
    other = small().fit(frame[~HIDDEN], CODES[~HIDDEN], X_unlabeled=frame.loc[HIDDEN, ["c", "b", "a"]])
    assert_frame_equal(one.pseudo_labels_, other.pseudo_labels_)


@pytest.mark.parametrize("change", [lambda f: f.drop(columns="b"), lambda f: f.rename(columns={"b": "z"})])
def test_columns_missing_at_predict_are_named(change):
    with pytest.raises(ValueError, match=r"(?s)missing.*b"):
        fitted(table="frame").predict(change(FRAME))
    with pytest.raises(
        ValueError, match=r"X_unlabeled must have the columns seen in fit: \['b'\] are missing"
    ):
        small().fit(FRAME, CODES, X_unlabeled=change(FRAME))


@pytest.mark.parametrize("container", [lambda frame: frame, polars.from_pandas])
def test_unseen_categories_are_counted_and_read_as_missing(container):
    frame = pd.DataFrame({"a": X[:, 0], "colour": COLOURS[CODES]})
    clf = small().fit(container(frame), Y)
    unseen = frame.assign(colour=["pink", "teal", *frame["colour"][2:]])
    missing = frame.assign(colour=[None, None, *frame["colour"][2:]])
    message = r"Column 'colour': 2 of 60 rows hold a category not seen in fit \(pink, teal\)"
    with pytest.warns(UserWarning, match=message):
        proba = clf.predict_proba(container(unseen))
    assert_array_equal(proba, clf.predict_proba(container(missing)))


def test_categories_of_unlabelled_rows_are_known():
    frame = pd.DataFrame({"a": X[:, 0], "colour": np.where(HIDDEN & (CODES > 0), "pink", "red")})
    clf = small().fit(frame[~HIDDEN], CODES[~HIDDEN], X_unlabeled=frame[HIDDEN])
    assert clf.columns_.levels_ == {"colour": ["pink", "red"]}
    assert_array_equal(clf.predict(frame), CODES)


@pytest.mark.parametrize(
    ("fitted", "given", "message"),
    [
        (FRAME, FRAME.assign(b="x"), "Column 'b' held numbers in fit and now holds 'x'"),
        (
            FRAME,
            FRAME.assign(b=[*FRAME["b"][:-1], "x"]),
            f"held numbers in fit and now holds 'x', in row {len(FRAME) - 1}",
        ),
        (FRAME, FRAME.assign(b=HOURS), "Column 'b' held numbers in fit and now holds dates"),
        (
            FRAME,
            FRAME.assign(b=FRAME["b"].astype("category")),
            "held numbers in fit and now holds categories",
        ),
        (FRAME.assign(b=HOURS), FRAME, "Column 'b' held dates in fit and now holds numbers"),
        (X, FRAME.assign(b="x").to_numpy(), "column 1 of X holds 'x'"),
    ],
)
def test_a_column_that_changed_its_kind_is_named(fitted, given, message):
    with pytest.raises(ValueError, match=message):
        small().fit(fitted, Y).predict(given)


@pytest.mark.parametrize(
    ("labelled", "unlabelled", "message"),
    [
        (FRAME, FRAME.assign(b="1.5"), "Column 'b' is of kind number in X and category in X_unlabeled"),
        (X, FRAME.assign(b="1.5"), "column 'b' of X_unlabeled holds '1.5'"),
        (X, X[:, :2], "X has 3 features and X_unlabeled has 2"),
    ],
)
def test_unlabelled_rows_of_another_kind_are_refused(labelled, unlabelled, message):
    with pytest.raises(ValueError, match=message):
        small().fit(labelled, CODES, X_unlabeled=unlabelled)


# Labelled and unlabelled rows, together or apart; whose row is whose


@pytest.mark.parametrize(
    "container", [np.asarray, lambda X: NOISY_FRAME, lambda X: polars.from_pandas(NOISY_FRAME)]
)
@pytest.mark.parametrize("form", ["integers, -1", "text, None", "floats, NaN", "-1 a class, -99 declared"])
@pytest.mark.parametrize("recipe", WITHOUT_GUARD_AND_WITH)
def test_rows_together_or_apart_give_the_same_labels(container, form, recipe):
    truth, y, settings = TARGETS[form]
    table = container(NOISY)
    part = (lambda rows: table.filter(rows)) if isinstance(table, polars.DataFrame) else table.__getitem__
    together = small(recipe, **settings).fit(table, y)
    apart = small(recipe, **settings).fit(part(~HIDDEN), truth[~HIDDEN], X_unlabeled=part(HIDDEN))
    assert labels_of(together) == labels_of(apart)
    assert_array_equal(together.transduction_[HIDDEN], apart.transduction_[(~HIDDEN).sum() :])
    assert_array_equal(together.predict_proba(table), apart.predict_proba(table))


def test_some_rows_may_be_marked_and_others_come_apart():
    late = np.arange(N) >= 40
    together = small().fit(X, Y * ~late - late)
    apart = small().fit(X[~late], Y[~late], X_unlabeled=X[late])
    assert_frame_equal(together.pseudo_labels_, apart.pseudo_labels_)


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([f"row {i}" for i in range(N)]),
        pd.RangeIndex(N, 0, -1),
        pd.date_range("2024-01-01", periods=N),
        pd.MultiIndex.from_product([range(6), range(10)]),
    ],
    ids=["text", "range", "dates", "two levels"],
)
def test_the_callers_index_is_kept(index):
    frame = FRAME.set_axis(index)
    clf = small().fit(frame, Y)
    assert clf.pseudo_labels_.index.equals(index[HIDDEN])
    clf = small().fit(frame[~HIDDEN], CODES[~HIDDEN], X_unlabeled=frame[HIDDEN])
    assert clf.pseudo_labels_.index.equals(index[HIDDEN])


def test_the_callers_index_is_kept_when_unlabelled_rows_come_first():
    clf = small().fit(FRAME[30:], CODES[30:], X_unlabeled=FRAME[:30])
    assert clf.pseudo_labels_.index.tolist() == list(range(30))


def test_rows_of_arrays_are_numbered_through():
    clf = small().fit(X[~HIDDEN], CODES[~HIDDEN], X_unlabeled=X[HIDDEN])
    assert clf.pseudo_labels_.index.tolist() == list(range((~HIDDEN).sum(), N))


def test_the_callers_data_are_left_alone():
    frame, y, weight = FRAME.copy(), Y.copy(), np.ones(N)
    small().fit(frame, y, sample_weight=weight).predict(frame)
    assert_frame_equal(frame, FRAME)
    assert_array_equal(y, Y)
    assert_array_equal(weight, 1)

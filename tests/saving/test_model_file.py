import hashlib
import inspect
import io
import json
import os
import pickle
import re
import zipfile
from ast import literal_eval
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from packaging.version import Version
from sklearn import __version__
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import surelabel
from surelabel import (
    Columns,
    ModelFileError,
    PseudoLabelClassifier,
    RandomXGBoost,
    Repeated,
    csa,
    flexmatch,
    load,
    pl,
    sla,
    trees,
    unlike_models,
    ups,
)
from surelabel.model_selection import hide_labels
from surelabel.saving.codec import STANDS, Stand, plain
from surelabel.saving.model_file import FORMAT_VERSION, save
from surelabel.saving.trusted_types import TRUSTED

DATA = Path(__file__).parent / "data"
HIST = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=2)
# The guide on saving names them.
LIGHTGBM = ["collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier"]
QUICK = {"n_rounds": 2, "guard": False, "random_state": 0}

pytestmark = pytest.mark.filterwarnings("ignore:None of the:UserWarning")


class Mine(GaussianNB):
    """A classifier that the package does not know."""


class Payload:
    def __reduce__(self):
        return pytest.fail, ("code from a file has run",)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], hide_labels(y[::2], 0.7, random_state=0)


@pytest.fixture(scope="module")
def saved(iris, tmp_path_factory):
    """A small model and the bytes of its file."""
    model = csa(committee=[GaussianNB(), LogisticRegression()], **QUICK).fit(*iris)
    path = tmp_path_factory.mktemp("saved") / "model"
    model.save(path)
    return model, path.read_bytes()


def again(model, tmp_path, **settings):
    path = tmp_path / "model.surelabel"
    save(model, path)
    return load(path, **settings)


def assert_equal(a, b):
    """Equal in value and in type, all the way down."""
    assert type(a) is type(b)
    if isinstance(a, pd.DataFrame):
        pd.testing.assert_frame_equal(a, b)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        assert_array_equal(a, b) if a.dtype != object else assert_equal(a.tolist(), b.tolist())
    elif is_dataclass(a) and not isinstance(a, BaseEstimator):
        for field in fields(a):
            assert_equal(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for left, right in zip(a, b, strict=True):
            assert_equal(left, right)
    elif isinstance(a, dict):
        assert_equal(list(a), list(b))
        assert_equal(list(a.values()), list(b.values()))
    else:
        assert a is b or a == b or (a != a and b != b)


def assert_round_trip(model, X, tmp_path):
    other = again(model, tmp_path)
    assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert_array_equal(other.predict(X), model.predict(X))
    assert vars(other).keys() == vars(model).keys()
    for name in vars(model):
        if name.endswith("_") and not isinstance(getattr(model, name), BaseEstimator):
            assert_equal(getattr(other, name), getattr(model, name))
    assert repr(other.get_params()) == repr(model.get_params())
    assert repr(clone(other)) == repr(clone(model))
    return other


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [pl, flexmatch, ups, sla, csa], ids=lambda recipe: recipe.__name__)
def test_every_recipe_comes_back(recipe, iris, tmp_path):
    model = recipe(committee=Repeated(trees(3), 3), **QUICK | {"guard": recipe is csa}).fit(*iris)
    other = assert_round_trip(model, iris[0], tmp_path)
    assert other.verdict_ == model.verdict_


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
def test_a_pipe_is_refused_before_it_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.skops")
    for path in (tmp_path / "pipe.skops", "/dev/zero"):
        with pytest.raises(surelabel.ModelFileError, match="is not a regular file"):
            surelabel.load(path)


def test_default_committee_comes_back(iris, tmp_path):
    model = csa(**QUICK | {"n_rounds": 1}).fit(*iris)
    other = assert_round_trip(model, iris[0], tmp_path)
    assert other.estimator_.seats_ == model.estimator_.seats_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_of_the_unlike_models_comes_back(iris, tmp_path):
    model = csa(committee=list(unlike_models().values()), **QUICK | {"n_rounds": 1}).fit(*iris)
    assert_round_trip(model, iris[0], tmp_path)


@pytest.mark.parametrize("binary", [False, True])
def test_boosters_come_back_with_their_settings(iris, binary, tmp_path):
    X, y = iris
    if binary:
        X, y = X[y != 2], y[y != 2]
    model = csa(committee=RandomXGBoost(2), **QUICK).fit(X, y)
    other = assert_round_trip(model, X, tmp_path)
    pairs = zip(model.estimator_.members_, other.estimator_.members_, strict=True)
    for left, right in pairs:
        threads = [json.loads(b.save_config())["learner"]["generic_param"]["nthread"] for b in (left, right)]
        assert threads == ["1", "1"]


def test_final_xgboost_comes_back(iris, tmp_path):
    model = csa(committee=Repeated(trees(3), 3), estimator=XGBClassifier(n_estimators=3), **QUICK).fit(*iris)
    assert_round_trip(model, iris[0], tmp_path)


def test_scikit_learn_classifiers_come_back(iris, tmp_path):
    members = [
        KNeighborsClassifier(algorithm="kd_tree"),
        KNeighborsClassifier(algorithm="ball_tree", metric="manhattan"),
        GradientBoostingClassifier(n_estimators=2),
        HistGradientBoostingClassifier(max_iter=2),
        RandomForestClassifier(2),
        LabelSpreading(),
    ]
    model = csa(committee=members, **QUICK).fit(*iris)
    assert_round_trip(model, iris[0], tmp_path)


def mixed_table():
    wine = load_wine(as_frame=True).frame.iloc[::3]
    rng = np.random.default_rng(0)
    kind = np.where(wine["target"] == 0, "red", "white").astype(object)
    kind[rng.random(len(wine)) < 0.1] = None
    X = pd.DataFrame(
        {
            "alcohol": wine["alcohol"].to_numpy(),
            "kind": kind,
            "range": pd.cut(wine["hue"].to_numpy(), 3),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(wine["target"].to_numpy() * 40, unit="D"),
            ("two", 1): wine["flavanoids"].to_numpy(),
            7: rng.normal(size=len(wine)),
        },
        index=pd.date_range("2020-01-01", periods=len(wine), tz="Europe/Paris", name="when"),
    )
    X.loc[X.index[3], "day"] = pd.NaT
    y = pd.Series(np.array(["a", "b", "c"], dtype=object)[wine["target"]], index=X.index)
    return X, y.mask(rng.random(len(y)) < 0.6)


@pytest.mark.filterwarnings("ignore:Feature names:UserWarning", "ignore:.*column names:FutureWarning")
def test_frames_with_categories_dates_and_text_classes_come_back(tmp_path):
    X, y = mixed_table()
    X.columns = [str(name) for name in X.columns]
    X["grade"] = pd.Categorical.from_codes(np.arange(len(X)) % 2, [1, 2])
    model = csa(
        committee=Repeated(trees(5), 3),
        class_prior=pd.Series({"a": 0.3, "b": 0.4, "c": 0.3}),
        classes=["c", "b", "a"],
        columns=Columns(categorical=["7"]),
        missing_label=pd.NA,
        **QUICK,
    ).fit(X, y)
    other = assert_round_trip(model, X, tmp_path)
    assert other.missing_label is pd.NA
    assert_equal(other.columns_.levels_, model.columns_.levels_)
    assert other.columns_.origins_ == model.columns_.origins_


def test_sparse_tables_come_back(iris, tmp_path):
    X, y = sp.csr_array(np.round(iris[0])), iris[1]
    model = csa(committee=[Repeated(trees(3), 2), KNeighborsClassifier()], **QUICK).fit(X, y)
    assert_round_trip(model, X, tmp_path)


def test_unfitted_classifiers_come_back(tmp_path):
    model = csa(class_prior={1: 0.5, False: 0.5, None: 0.0}, random_state=np.random.RandomState(3))
    other = again(model, tmp_path)
    assert_equal(other.class_prior, model.class_prior)
    assert other.random_state.randint(10**9) == model.random_state.randint(10**9)
    with pytest.raises(NotFittedError):
        other.predict([[0.0]])


def test_what_stands_in_is_what_it_stands_for(tmp_path):
    class_prior = {
        True: False,
        "": -0.0,
        (1, "a"): [None, np.nan, 1, 1.0, True, 0.0, -0.0, "1", "a\x00", "\ud800", "é" * 300],
        date(2024, 2, 29): Decimal("1.10"),
        pd.Timestamp("2024-01-01 12:00:00.123456789", tz="Asia/Tokyo"): pd.Timestamp("2024-01-01"),
        pd.Timedelta("3h"): pd.Period("2024-03", "M"),
        pd.Interval(1, 2.5, "both"): [pd.NA, pd.NaT],
        3: np.array([[None, "x"], [1, "x"]], dtype=object),
        4: np.array([], dtype=object),
        5: np.datetime64("2024-01-01"),
        6: np.array(["ab", "c"]),
        7: np.float64(0.1),
    }
    assert_equal(again(PseudoLabelClassifier(class_prior=class_prior), tmp_path).class_prior, class_prior)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(1, 7, 2, name="n"),
        pd.Index(["a", None, "a"]),
        pd.Index(["a", "b", None], dtype=object, name=("x", 1)),
        pd.Index([1.5, np.nan, 2]),
        pd.DatetimeIndex(["2024-01-01", None, "2024-10-27 00:30Z"], tz="Europe/Berlin"),
        pd.DatetimeIndex(["2024-01-01", None, "2024-03-31 02:30"]),
        pd.CategoricalIndex(["x", "y", "x"], ordered=True),
        pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("a", 2)], names=["u", None]),
        pd.interval_range(0, 3),
        pd.period_range("2024-01", periods=3, freq="M"),
        pd.to_timedelta([1, 2, 3], unit="h"),
        pd.Index([True, False, True]),
    ],
    ids=lambda index: f"{type(index).__name__}-{index.dtype}",
)
def test_pandas_comes_back(index, tmp_path):
    frame = pd.DataFrame(
        {"x": [1, 2, 3], "y": pd.array([1, None, 3], dtype="Int64"), "z": pd.Categorical(["a", None, "b"])},
        index=index,
    )
    frame["index"] = index
    other = again(PseudoLabelClassifier(classes=frame, class_prior=frame["y"]), tmp_path)
    pd.testing.assert_frame_equal(other.classes, frame)
    pd.testing.assert_series_equal(other.class_prior, frame["y"])


def test_a_value_without_need_is_left_alone(saved):
    model, _ = saved
    assert plain(model.estimator_) is model.estimator_
    assert plain(model) is not model
    assert isinstance(model.pseudo_labels_, pd.DataFrame)


def test_all_our_types_are_trusted():
    pytest.importorskip("torch")
    pytest.importorskip("distributed")
    ours = set()
    for module in walk_packages(surelabel.__path__, "surelabel."):
        for kind in vars(import_module(module.name)).values():
            if inspect.isclass(kind) and kind.__module__ == module.name:
                ours |= {kind} if issubclass(kind, (BaseEstimator, Stand)) else set()
    names = {f"{kind.__module__}.{kind.__name__}" for kind in ours}
    abstract = {
        "surelabel.saving.codec.Stand",
        "surelabel.saving.codec.ListStand",
        "surelabel.committees.base.Committee",
        "surelabel.committees.panel.Members",
        "surelabel.confidence.Confidence",
    }
    # What is made for experiments is not saved; of what ran on a cluster, the plain classifier is.
    names = {name for name in names if not name.startswith(("surelabel.bench.", "surelabel.dask."))}
    assert names - abstract <= TRUSTED
    assert {f"{kind.__module__}.{kind.__name__}" for kind in STANDS.values()} <= TRUSTED
    for name in TRUSTED:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute), name


def test_unfinished_fits_are_not_saved(iris, tmp_path):
    model = csa(committee=Repeated(trees(3), 3), **QUICK)
    next(model.fit_rounds(*iris))
    with pytest.raises(ValueError, match=r"finish\(\)"):
        model.save(tmp_path / "model")
    model.finish().save(tmp_path / "model")


def test_what_cannot_be_imported_is_not_saved(tmp_path):
    class Local(GaussianNB):
        pass

    for model in [csa(confidence=lambda P: P.mean(axis=(0, 2))), csa(committee=[Local()])]:
        with pytest.raises(TypeError, match="Define it at the top of a module"):
            model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_saving_replaces_a_file_only_when_complete(saved, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def full_disk(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        saved[0].save(path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("model", b"old")]
    monkeypatch.undo()
    saved[0].save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    load(str(path))


# From here on: files that are not what they should be.


def load_bytes(data, tmp_path, **settings):
    path = tmp_path / "changed"
    path.write_bytes(data)
    return load(path, **settings)


def rewritten(data, payload=None, **header):
    """The file with another payload, its digest made right, and other values in the header."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        known = json.loads(archive.read("header.json"))
        payload = archive.read("model.skops") if payload is None else payload
    known |= {"bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()} | header
    return archive_of({"header.json": json.dumps(known), "model.skops": payload})


def archive_of(members, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def schema_of(data):
    payload = zipfile.ZipFile(io.BytesIO(data)).read("model.skops")
    with zipfile.ZipFile(io.BytesIO(payload)) as inner:
        members = {name: inner.read(name) for name in inner.namelist()}
    return json.loads(members.pop("schema.json")), members


def with_schema(data, schema, members):
    return rewritten(data, archive_of(members | {"schema.json": json.dumps(schema)}, zipfile.ZIP_DEFLATED))


def test_damaged_files_are_refused(saved, iris, tmp_path, rng):
    model, data = saved
    expected, refused = model.predict_proba(iris[0]), 0
    for _ in range(200):
        changed = bytearray(data)
        for place in rng.choice(len(data), 3, replace=False):
            changed[place] ^= rng.integers(1, 256)
        try:
            other = load_bytes(changed, tmp_path)
        except ModelFileError:
            refused += 1
        else:  # such as the date of a member
            assert_array_equal(other.predict_proba(iris[0]), expected)
    assert refused > 190


def test_truncated_files_are_refused(saved, tmp_path):
    data = saved[1]
    for end in np.linspace(0, len(data) - 1, 30).astype(int):
        with pytest.raises(ModelFileError):
            load_bytes(data[:end], tmp_path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_refused(tmp_path, saved, content, as_payload):
    with pytest.raises(ModelFileError):
        load_bytes(rewritten(saved[1], content) if as_payload else content, tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_schema_is_refused_or_read(tmp_path, saved, data):
    schema, members = schema_of(saved[1])
    places = [(None, None)]
    states = [schema]
    for state in states:  # grows on the way
        pairs = state.items() if isinstance(state, dict) else enumerate(state)
        places += [(state, key) for key, _ in pairs]
        states += [value for _, value in pairs if isinstance(value, (dict, list))]
    parent, key = places[data.draw(st.integers(0, len(places) - 1))]
    value = data.draw(JSON)
    if parent is None:
        schema = value
    else:
        parent[key] = value
    with suppress(ModelFileError):
        load_bytes(with_schema(saved[1], schema, members), tmp_path)


@pytest.mark.parametrize("key", ["format", "version", "packages", "bytes", "sha256"])
@pytest.mark.parametrize("value", [None, -1, 0, "x", [], {}, True, 1e400, 2**70])
def test_any_header_is_refused_or_read(saved, tmp_path, key, value):
    expected = (ModelFileError, UserWarning) if key == "packages" and value == {} else ModelFileError
    if key == "version" and value is True:
        return
    with pytest.raises(expected):
        load_bytes(rewritten(saved[1], **{key: value}), tmp_path)


def test_newer_formats_are_named(saved, tmp_path):
    data = rewritten(saved[1], version=FORMAT_VERSION + 1, packages={"surelabel": "9.9.0"})
    with pytest.raises(
        ModelFileError, match=r"version 4.*surelabel 9\.9\.0.*up to 3\. Install a newer surelabel"
    ):
        load_bytes(data, tmp_path)


def test_another_scikit_learn_is_said_once(saved, iris, tmp_path):
    data = rewritten(saved[1], packages={"scikit-learn": "1.2.3"})
    with pytest.warns(UserWarning, match=r"written with scikit-learn 1\.2\.3") as caught:
        load_bytes(data, tmp_path).predict(iris[0])
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_pickles_are_not_run(saved, tmp_path):
    malicious = pickle.dumps(Payload())
    schema, members = schema_of(saved[1])
    array = next(name for name in members if name.endswith(".npy"))
    for data in [
        malicious,
        rewritten(saved[1], malicious),
        archive_of({"header.json": malicious, "model.skops": malicious}),
        with_schema(saved[1], schema, members | {array: malicious}),
    ]:
        with pytest.raises(ModelFileError):
            load_bytes(data, tmp_path)


def test_arrays_of_pickled_objects_are_not_read(saved, tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([Payload()], dtype=object), allow_pickle=True)
    schema, members = schema_of(saved[1])
    array = next(name for name in members if name.endswith(".npy"))
    with pytest.raises(ModelFileError, match="allow_pickle"):
        load_bytes(with_schema(saved[1], schema, members | {array: buffer.getvalue()}), tmp_path)


def test_bombs_are_refused(saved, tmp_path):
    zeros = bytes(30_000_000)
    schema, members = schema_of(saved[1])
    array = next(name for name in members if name.endswith(".npy"))
    nested = archive_of({"zeros.npy": zeros}, zipfile.ZIP_DEFLATED)
    builtin = {"__module__": "builtins"}
    one = builtin | {"__class__": "bytes", "__loader__": "BytesNode", "file": "zeros"}
    many = builtin | {
        "__class__": "list",
        "__loader__": "ListNode",
        "content": [one | {"__id__": i} for i in range(40)],
    }
    bombs = [
        with_schema(saved[1], schema, members | {"zeros": zeros}),
        with_schema(saved[1], schema, members | {array: nested}),
        with_schema(saved[1], many | {"protocol": 2}, {"zeros": bytes(1_000_000)}),
    ]
    for bomb in bombs:
        assert len(bomb) < 100_000
        with pytest.raises(ModelFileError, match="max_bytes is 20,000,000"):
            load_bytes(bomb, tmp_path, max_bytes=20_000_000)
    outer = archive_of({"header.json": zeros, "model.skops": zeros}, zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="members are compressed"):
        load_bytes(outer, tmp_path)
    with pytest.raises(ModelFileError, match=r"takes .* bytes and max_bytes is 100\. If you trust the file"):
        load_bytes(saved[1], tmp_path, max_bytes=100)


def test_strange_types_are_refused_unless_trusted(iris, tmp_path):
    model = csa(committee=[Mine(), GaussianNB()], **QUICK).fit(*iris)
    name, path = f"{__name__}.Mine", tmp_path / "model.surelabel"
    with pytest.warns(UserWarning, match=rf"{name}\..*written in full.*trusted=\['{name}'\]"):
        model.save(path)
    with pytest.raises(ModelFileError, match=rf"{name}\..*trusted=\['{name}'\]"):
        load(path)
    for trusted in [[Mine], [name]]:
        other = load(path, trusted=trusted)
        assert_array_equal(other.predict_proba(iris[0]), model.predict_proba(iris[0]))


def test_lightgbm_comes_back_if_its_types_are_named(iris, tmp_path):
    model = pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=3, min_child_samples=2, verbose=-1)
    model = csa(committee=[model, GaussianNB()], **QUICK).fit(*iris)
    path = tmp_path / "model.surelabel"
    with pytest.warns(UserWarning, match="lightgbm") as said:
        model.save(path)
    named = re.search(r"trusted=(\[.*\])\)", str(said[0].message))[1]
    assert literal_eval(named) == LIGHTGBM
    other = load(path, trusted=LIGHTGBM)
    assert_array_equal(other.predict_proba(iris[0]), model.predict_proba(iris[0]))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "eval"),
        ("os", "system"),
        ("surelabel.saving.model_file", "load"),
        ("surelabel.committees.random_xgboost", "load_xgboost"),
        ("surelabel.committees.models.default", "boosting"),
        ("sklearn.utils", "all_estimators"),
        ("numpy", "load"),
        ("pandas", "read_pickle"),
        ("xgboost.core", "Booster"),
        ("joblib", "Memory"),
    ],
)
@pytest.mark.parametrize("loader", ["FunctionNode", "TypeNode", "ObjectNode", "ConstructorFromReduceNode"])
def test_callables_are_refused(saved, tmp_path, module, name, loader):
    schema, members = schema_of(saved[1])
    nothing = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": []}
    schema["content"]["content"]["confidence"] = {
        "__class__": name,
        "__module__": module,
        "__loader__": loader,
        "content": nothing,
    }
    with pytest.raises(ModelFileError, match="types that surelabel does not know"):
        load_bytes(with_schema(saved[1], schema, members), tmp_path)


def changed(array, value, place=0):
    array[place] = value


@pytest.mark.parametrize(
    ("classifier", "harm"),
    [
        (DecisionTreeClassifier(), lambda m: changed(m.tree_.feature, 10**6)),
        (DecisionTreeClassifier(), lambda m: changed(m.tree_.children_left, 10**6)),
        (DecisionTreeClassifier(), lambda m: changed(m.tree_.children_right, 0)),
        (DecisionTreeClassifier(), lambda m: setattr(m, "n_features_in_", 2)),
        (RandomForestClassifier(2), lambda m: setattr(m, "n_features_in_", 2)),
        (GradientBoostingClassifier(n_estimators=1), lambda m: setattr(m, "n_features_in_", 2)),
        (HIST, lambda m: changed(m._predictors[0][0].nodes["feature_idx"], 10**6)),
        (HIST, lambda m: changed(m._predictors[0][0].nodes["left"], 10**6)),
        (HIST, lambda m: changed(m._predictors[0][0].nodes["right"], 0)),
        (HIST, lambda m: changed(m._predictors[0][0].nodes["is_categorical"], 1)),
        (SVC(), lambda m: changed(m._n_support, 10**6)),
        (SVC(), lambda m: setattr(m, "_dual_coef_", m._dual_coef_[:, :2])),
        (SVC(), lambda m: setattr(m, "_intercept_", m._intercept_[:1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_positions_that_native_code_would_follow_are_checked(classifier, harm, iris, tmp_path):
    X, y = iris
    model = clone(classifier).fit(X, y)
    assert_array_equal(again(model, tmp_path).predict(X), model.predict(X))
    harm(model)
    with pytest.raises(ModelFileError, match=r"a tree|a support vector machine"):
        again(model, tmp_path)


def test_only_models_are_loaded(saved, tmp_path):
    save({"a": 1}, tmp_path / "dict")
    with pytest.raises(ModelFileError, match="no model but dict"):
        load(tmp_path / "dict")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
    with pytest.raises((IsADirectoryError, PermissionError)):
        load(tmp_path)


@pytest.mark.skipif(
    Version(__version__) < Version("1.8"), reason="its logistic regression is that of scikit-learn 1.9"
)
@pytest.mark.filterwarnings("ignore:.*was written with scikit-learn:UserWarning")
def test_a_file_of_the_first_version_still_loads():
    expected = json.loads((DATA / "model-v1.json").read_text())
    model = load(DATA / "model-v1.skops")
    X = pd.DataFrame(expected["rows"], columns=model.feature_names_in_)
    assert_allclose(model.predict_proba(X), expected["probabilities"], atol=1e-9)
    assert model.classes_.tolist() == expected["classes"]
    assert model.pseudo_labels_["status"].value_counts().to_dict() == expected["status"]
    assert [str(round) for round in model.history_] == expected["history"]
    verdict = model.verdict_
    assert expected["verdict"].startswith(
        f"{verdict.word} ({verdict.gain:+.1f} +- {verdict.error:.1f} points"
    )
    assert f"of {verdict.n_rows} held-out {verdict.unit}" in expected["verdict"]

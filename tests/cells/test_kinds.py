"""What columns are taken for does not depend on the file they came in."""

from datetime import time
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from packaging.version import Version
from pandas.testing import assert_frame_equal

from surelabel.cells import features, kinds_of, target_column
from surelabel.files import InputError, did_you_mean, format_of, read_table, target_values, write_table
from surelabel.reading.columns import Columns


def kind_of(cells, name="x", **said):
    return kinds_of(pd.DataFrame({name: cells, "y": ["a"] * len(cells)}), "y", **said)[name]


def feature(cells, **said):
    frame = pd.DataFrame({"x": cells, "y": ["a"] * len(cells)})
    return features(frame, kinds_of(frame, "y", **said))["x"]


WORDS = [f"word {chr(97 + k % 26) * (1 + k // 26)}" for k in range(60)]
KINDS = [
    (["1", "2.5", "-3e2", ".5", "5.", "+1", "0", "-0.0"], "number"),
    ([" 1", "2 ", "\t3"], "number"),
    (["1", "", "  ", "3"], "number"),
    (["1", "NA", "n/a", "?", "3"], "number"),
    (["007", "7", "8"], "category"),
    (["-01", "7", "8"], "category"),
    (["1_000", "7", "8"], "category"),
    (["1,5", "7", "8"], "number"),
    (["1,5", "7.5", "8"], "category"),
    (["5 %", "7%", "-8 %"], "number"),
    (["$5", "-$7.50", "$1,000"], "number"),
    (["5 kg", "7 kg", "8 kg"], "number"),
    (["5 kg", "7 lb", "8 st"], "category"),
    (["A12", "A13", "A14"], "category"),
    (["5A", "7A", "8A"], "category"),
    (["1 234", "7", "8\u202f000"], "number"),
    (["1'234.5", "7", "8"], "number"),
    (["1,23,456", "7", "8"], "category"),
    (["inf", "7", "8"], "category"),
    (["1e999", "7", "8"], "category"),
    (["0x10", "7", "8"], "category"),
    (["\u0661", "7", "8"], "category"),
    (["1\n", "7", "8"], "category"),
    (["NA", "NaN", "NA"], "category"),
    (["NA", "a", "b"], "category"),
    (["2024-01-31", "2024-02-29"], "date"),
    (["2024-01-31T12:00", "2024-02-29 01:02:03.5", "2024-01-01"], "date and time"),
    (["2024-01-31T12:00Z", "2024-02-29 01:02:03+02:00"], "date and time"),
    (["2024-01-31T12:00Z", "2024-02-29 01:02:03"], "category"),
    (["2024-02-30", "2024-02-29"], "category"),
    (["31/01/2024", "29/02/2024"], "date"),
    (["2024-01", "2024-02"], "category"),
    (["2023", "2024"], "number"),
    (["a", "a"], "constant"),
    (["", ""], "constant"),
    (["a", ""], "category"),
    (["1", "1.0"], "constant"),
    ([str(k) for k in range(5, 15)], "identifier"),
    ([str(k) for k in range(5, 14)], "number"),
    ([str(k) for k in range(15, 5, -1)], "number"),
    (WORDS, "text"),
    (WORDS[:49], "category"),
    (WORDS[:31] + ["word a"] * 29, "category"),
    (WORDS[:52] + ["word a"] * 48, "text"),
    (WORDS[:52] + ["word a"] * 52, "many levels"),
    (WORDS[:49] + [""] * 100, "category"),
    ([True, False, None], "category"),
    ([1, None, 3], "number"),
    ([1.5, np.nan, 3], "number"),
    (pd.to_datetime(["2024-01-31", "2024-02-29"]), "date"),
    (pd.Categorical(["1", "2", "1"]), "category"),
    (pd.Categorical([1, 2, 1]), "category"),
    ([[1], [2], None], "vector"),
    ([[1], [2, 3], None], "dropped"),
    ([["a"], ["b"], None], "dropped"),
    ([1, "a", 2**70], "category"),
    ([1, 2.5, 2**70], "number"),
]


@pytest.mark.parametrize(("cells", "expected"), KINDS)
def test_kinds(cells, expected):
    assert kind_of(cells).kind == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("id", "identifier"),
        ("user_id", "identifier"),
        ("userId", "identifier"),
        ("UUID", "identifier"),
        ("__index_level_0__", "identifier"),
        ("humid", "category"),
        ("monkey", "category"),
        ("idea", "category"),
    ],
)
def test_names_of_identifiers(name, expected):
    assert kind_of(["a", "b", "c"], name).kind == expected
    assert kind_of(["a", "b", "b"], name).kind == "category"
    assert kind_of(["1.5", "2", "3"], name).kind == "number"


def test_what_a_kind_tells():
    kind = kind_of(["1", "NA", "", "2", "2"])
    assert (kind.n_missing, kind.n_distinct, kind.examples) == (2, 2, ("1", "NA", "2"))
    assert "'NA'" in kind.why
    assert kind.used
    assert not kind_of(["a", "a"]).used


def test_what_is_said_decides():
    numbers = ["3", "1", "2"]
    assert kind_of(numbers, drop=["x"]).kind == "dropped"
    assert kind_of(numbers, identifiers=["x"]).kind == "identifier"
    assert kind_of(numbers, categorical=["x"]).kind == "category"
    assert kind_of(WORDS, categorical=["x"]).kind == "many levels"
    assert kind_of(numbers, text=["x"]).kind == "text"
    assert kind_of(["31/12/2024", "a", "b"], date=["x"]).kind == "date"
    assert kind_of(["13:30", "a", "b"], date=["x"]).kind == "time"
    for said, words in [
        ({"drop": ["z"]}, "No column 'z'"),
        ({"drop": ["y"]}, "holds the labels"),
        ({"drop": ["x"], "categorical": ["x"]}, "cannot be both dropped and category"),
    ]:
        with pytest.raises(InputError, match=words):
            kind_of(numbers, **said)


def test_features_keep_words_apart():
    assert feature(["NA", "a", "None", ""]).tolist() == ["NA", "a", "None", None]
    assert np.isnan(feature(["1", "NA", ""])[1:]).all()


def test_numbers_as_categories_are_told_apart_by_value():
    for cells in (["1.0", "2", "1"], [1.0, 2.0, 1.0], [1, 2, 1]):
        assert feature(cells, categorical=["x"]).tolist() == ["1", "2", "1"]
    long = [2**60, 2**60 + 1, 5]
    assert (
        feature(long, categorical=["x"]).tolist() == feature(list(map(str, long)), categorical=["x"]).tolist()
    )
    assert feature(long, categorical=["x"]).nunique() == 3


numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.from_regex(
    r"\A[+-]?(0|[1-9][0-9]{0,25})(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,2})?\Z"
)


@settings(max_examples=100)
@given(st.lists(numbers, min_size=2, max_size=5, unique_by=float))
@example(["1e-400", "2"])
@example(["4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324"])
@example(["17976931348623157000e289", "0.1"])
@example(["9007199254740993", "9007199254740992.5", "0"])
def test_numbers_are_read_as_python_reads_them(cells):
    assert feature(cells).tolist() == [float(cell) for cell in cells]


mixed = st.lists(
    st.fixed_dictionaries(
        {
            "f": st.none() | st.floats(-1e30, 1e30),
            "i": st.none() | st.integers(-(2**62), 2**62),
            "b": st.none() | st.booleans(),
            "s": st.none() | st.text("abNA07. é,\"'\n", min_size=1, max_size=4),
            "d": st.none() | st.datetimes(),
            "y": st.sampled_from(["cat", "dog", None]),
        }
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=15)
@given(mixed)
def test_csv_parquet_and_frame_give_the_same_features(folder, records):
    columns = {name: [record[name] for record in records] for name in records[0]}
    types = {"f": pa.float64(), "i": pa.int64(), "b": pa.bool_(), "s": pa.string(), "d": pa.timestamp("us")}
    typed = pa.table({name: pa.array(cells, types.get(name, pa.string())) for name, cells in columns.items()})
    frames = [typed.to_pandas(types_mapper=pd.ArrowDtype)]
    for name in ("t.csv", "t.tsv.gz", "t.parquet"):
        write_table(frames[0], folder / name, format_of(name))
        frames.append(read_table(folder / name).frame)
    plain = typed.to_pandas()
    plain["i"] = plain["i"].astype(float) if plain["i"].isna().any() else plain["i"]
    frames.append(plain)
    results = []
    for frame in frames:
        kinds = kinds_of(frame, "y")
        results.append(({name: kind.kind for name, kind in kinds.items()}, features(frame, kinds)))
    for kinds, found in results[1:]:
        assert kinds == results[0][0]
        assert_frame_equal(found, results[0][1], check_exact=True)
    for frame in frames:
        assert target_values(frame, "y").tolist() == columns["y"]


def test_the_classifier_reads_the_features():
    frame = pd.DataFrame(
        {
            "f": ["1", "NA", "2"],
            "c": ["a", "", "b"],
            "d": ["2024-01-01", "", "2024-01-02"],
            "y": ["a", "b", ""],
        }
    )
    columns = Columns()
    columns.fit_transform(features(frame, kinds_of(frame, "y")))
    assert columns.kinds_ == {"f": "number", "c": "category", "d": "date"}


def test_features_of_another_table_must_be_of_the_same_kind():
    kinds = kinds_of(pd.DataFrame({"x": ["1", "2"], "y": ["a", "b"]}), "y")
    with pytest.raises(InputError, match="Column 'x' was a number and now holds 'b', in row 2"):
        features(pd.DataFrame({"x": ["1", "b"], "y": ["a", "b"]}), kinds)
    with pytest.raises(InputError, match="Column 'x' was a number and now holds '2024-01-01', in row 1"):
        features(pd.DataFrame({"x": ["2024-01-01", "2024-01-02"]}), kinds)
    with pytest.raises(InputError, match="Column 'x' was a number and now holds a date in each row"):
        features(pd.DataFrame({"x": pd.to_datetime(["2024-01-01", "2024-01-02"])}), kinds)
    with pytest.raises(InputError, match="now holds '1e999', in row 1"):
        features(pd.DataFrame({"x": ["1e999", "2"]}), kinds)


@pytest.mark.parametrize("cells", [["", ""], ["NA", ""], [" ", "?"], [None, None]])
def test_features_of_another_table_may_all_be_missing(cells):
    frame = pd.DataFrame({"x": ["1", "2"], "d": ["2024-01-01", "2024-01-02"], "y": ["a", "b"]})
    other = pd.DataFrame({"x": cells, "d": ["", ""]})
    X = features(other, kinds_of(frame, "y"))
    assert X.isna().all(axis=None)
    assert list(X.dtypes) == list(features(frame, kinds_of(frame, "y")).dtypes)


def test_did_you_mean():
    frame = pd.DataFrame({"width": ["1"], "species": ["cat"]})
    with pytest.raises(
        InputError, match=r"No column 'speceis'; did you mean 'species'\? Columns: width, species"
    ):
        kinds_of(frame, "speceis")
    with pytest.raises(InputError, match=r"No column 'colour'\. Columns"):
        target_column(frame, "colour")
    assert did_you_mean("SPECIES", frame.columns) == "species"
    assert did_you_mean("x", []) is None


@pytest.mark.parametrize(
    ("cells", "missing_label", "expected"),
    [
        (
            ["007", "7", "NA", "None", "null", "nan", ""],
            None,
            ["007", "7", "NA", "None", "null", "nan", None],
        ),
        (["a", "?", ""], "?", ["a", None, None]),
        ([1.0, 2.0, np.nan], None, [1, 2, None]),
        ([1.5, 2.0, np.nan], None, [1.5, 2.0, None]),
        ([1, 2, -1], "-1", [1, 2, None]),
        ([1, 2, -1], -1, [1, 2, None]),
        (["1", "-1"], -1, ["1", "-1"]),
        ([True, False, None], None, [True, False, None]),
        (pd.array([2**60 + 1, None], dtype="Int64"), None, [2**60 + 1, None]),
        (pd.Categorical(["a", None, "b"]), None, ["a", None, "b"]),
        (pd.Categorical([3, None, 4]), None, [3, None, 4]),
        (["cat ", "dog"], None, ["cat ", "dog"]),
        (["  ", "dog"], "  ", [None, "dog"]),
        (["#N/A", "dog"], "#N/A", [None, "dog"]),
        ([1, "a", None], None, [1, "a", None]),
    ],
)
def test_labels_are_as_written(cells, missing_label, expected):
    found = target_values(pd.DataFrame({"y": cells}), "y", missing_label)
    assert found.dtype == object
    assert found.tolist() == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["dog", "cat ", "cat"], r"'cat' \(row 3\) and 'cat ' \(row 2\), which differ only in spaces"),
        (["cat", "  "], r"'  ' \(row 2\), which is only spaces"),
        (
            ["cat", "", "#N/A"],
            r"'#N/A' \(row 3\), which is an error of a spreadsheet.*--missing-label '#N/A'",
        ),
        ([f"c{k}" for k in range(10_001)], "10,001 different labels; at most 10,000 classes"),
        (np.arange(10**6).astype(float), "1,000,000 different labels"),
        ([[1], [2]], "holds lists"),
    ],
)
def test_labels_that_cannot_be(cells, words):
    with pytest.raises(InputError, match=words):
        target_values(pd.DataFrame({"y": cells}), "y")


def test_words_are_labels_too():
    kind = kinds_of(pd.DataFrame({"x": ["1", "2", "3"], "y": ["1", "NA", ""]}), "y")["y"]
    assert (kind.kind, kind.n_missing, kind.n_distinct) == ("target", 1, 2)


def test_labels_share_their_text():
    found = target_values(pd.DataFrame({"y": ["cat", "".join(["c", "at"])]}), "y")
    assert found[0] is found[1]


def test_index_of_a_frame_is_kept():
    frame = pd.DataFrame({"x": ["3", "1"], "c": ["a", "b"], "y": ["a", "b"]}, index=[7, 5])
    assert features(frame, kinds_of(frame, "y")).index.tolist() == [7, 5]


RARE = {
    "decimal": (pa.array([Decimal("1" * 38), None, Decimal(2)]), "number", [float("1" * 38), None, 2.0]),
    "unsigned": (pa.array([2**64 - 1, None, 1], pa.uint64()), "number", [float(2**64), None, 1.0]),
    "half": (pa.array([1.5, None, 2.0]).cast(pa.float16()), "number", [1.5, None, 2.0]),
    "duration": (pa.array([1500, None, 2000], pa.duration("ns")), "number", [1e-6, None, 2e-6]),
    "time": (pa.array([time(1), None, time(2)]), "time", [time(1), None, time(2)]),
    "bytes": (pa.array([b"\xff", None, b"a"]), "category", ["b'\\xff'", None, "b'a'"]),
    "null": (pa.nulls(3), "constant", None),
    "struct": (pa.array([{"a": 1}, None, {"a": 2}]), "dropped", None),
}


# Older ones cannot write it.
if Version(pa.__version__) >= Version("21"):
    RARE["view"] = (pa.array(["a", None, "b"], pa.string_view()), "category", ["a", None, "b"])


@pytest.mark.parametrize("name", RARE)
def test_rare_types_of_parquet(name, tmp_path):
    cells, kind, expected = RARE[name]
    pq.write_table(pa.table({"x": cells, "y": ["a", "b", "a"]}), tmp_path / "t.parquet")
    frame = read_table(tmp_path / "t.parquet").frame
    kinds = kinds_of(frame, "y")
    assert kinds["x"].kind == kind
    if expected is not None:
        found = features(frame, kinds)["x"]
        assert [None if pd.isna(value) else value for value in found] == expected


def test_time_zones_that_nobody_knows_are_refused(tmp_path):
    pq.write_table(pa.table({"x": pa.array([0], pa.timestamp("s", "Mars/Olympus"))}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'x' has the time zone 'Mars/Olympus', which is not known"):
        read_table(tmp_path / "t.parquet")


def test_dates_beyond_python_are_refused(tmp_path):
    for cells in (
        pa.array([10**15], pa.timestamp("s")),
        pa.array([2**62], pa.timestamp("us")),
        pa.array([2**30], pa.date32()),
    ):
        pq.write_table(pa.table({"x": cells}), tmp_path / "t.parquet")
        with pytest.raises(InputError, match="'x' holds a date outside the years 1 to 9999"):
            read_table(tmp_path / "t.parquet")


def test_nanoseconds_and_zones(tmp_path):
    moments = pd.to_datetime(["2024-01-01T00:00:00.123456789", "2024-01-02"], format="ISO8601")
    table = pa.table({"x": pa.array(moments.tz_localize("UTC")), "y": ["a", "b"]})
    pq.write_table(table, tmp_path / "t.parquet")
    frame = read_table(tmp_path / "t.parquet").frame
    found = features(frame, kinds_of(frame, "y"))["x"]
    assert_frame_equal(
        found.to_frame(), feature(["2024-01-01T00:00:00.123456789Z", "2024-01-02T00:00Z"]).to_frame()
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kinds")

"""Files are written whole or not at all, and the same table gives the same bytes."""

import codecs
import errno
import gzip
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from surelabel.files import (
    Format,
    InputError,
    OutputError,
    format_of,
    read_table,
    replacing,
    write_bytes,
    write_table,
)
from surelabel.files import writing as writing_module

CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
NASTY_CELLS = st.text("ab,;\t\"'\n\r =\ufeff", max_size=5)
NAMES = (CELLS | NASTY_CELLS).filter(str.strip)


@st.composite
def text_tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    n = draw(st.integers(1, 5))
    cells = st.lists(CELLS | NASTY_CELLS, min_size=n, max_size=n)
    return pd.DataFrame({name: draw(cells) for name in names}, dtype=object)


@settings(max_examples=60)
@given(
    text_tables(),
    st.sampled_from(["t.csv", "t.tsv", "t.csv.gz"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_what_is_written_is_read(folder, frame, name, newline, bom):
    kind = format_of(name)
    form = Format(kind.kind, kind.delimiter, bom=bom, newline=newline, gz=kind.gz)
    write_table(frame, folder / name, form)
    read = read_table(folder / name)
    assert list(read.frame.columns) == list(frame.columns)
    assert read.frame.values.tolist() == frame.values.tolist()
    assert read.format == form
    before = (folder / name).read_bytes()
    write_table(read.frame, folder / name, read.format)
    assert (folder / name).read_bytes() == before


@settings(max_examples=40)
@given(text_tables())
def test_json_lines_too(folder, frame):
    write_table(frame, folder / "t.jsonl", format_of("t.jsonl"))
    read = read_table(folder / "t.jsonl").frame
    assert list(read.columns) == list(frame.columns)
    assert read.values.tolist() == frame.values.tolist()


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"a;b\r\n1,5;2\r\n",
        codecs.BOM_UTF8 + 'ä,b\r\n"1,5",é\r\n'.encode(),
        b'a\n""\n1\n',
        codecs.BOM_UTF16_BE + "a,b\n1,é\n".encode("utf-16-be"),
        b"a,b\r1,2\r",
        codecs.BOM_UTF8 + b"sep=;\r\na;b\r\n1,5;2\r\n",
        b'sep=^\na^"sep=x"\n"1^"^]\n',
        b"a|b\n1,5|2\n",
    ],
)
def test_layout_is_kept_to_the_byte(content, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    read = read_table(path)
    write_table(read.frame, tmp_path / "out.csv", read.format)
    assert (tmp_path / "out.csv").read_bytes() == content


def test_only_the_columns_named_are_guarded(tmp_path):
    cells = ["=1+1", "+1", "-1.5", "-x", "@x", "\tx", "\rx", "x=1", "", "-1e5", "+49 30"]
    frame = pd.DataFrame({"given": cells, "label": cells})
    write_table(frame, tmp_path / "t.csv", Format("csv"), guarded=["label"])
    read = read_table(tmp_path / "t.csv").frame
    assert read["given"].tolist() == cells
    assert read["label"].tolist() == [
        "'=1+1", "+1", "-1.5", "'-x", "'@x", "'\tx", "'\rx", "x=1", "", "-1e5", "'+49 30",
    ]  # fmt: skip


def test_cells_of_the_user_are_written_as_they_came(tmp_path):
    cells = ["+", "-", "=x", " =1", "@a", "\u00a0=1", " -2", "-2"]
    guarded = ["'+", "'-", "'=x", "' =1", "'@a", "'\u00a0=1", " -2", "-2"]
    frame = pd.DataFrame({"=given": cells, "label": cells, "=added": cells})
    found = np.arange(len(cells)) % 2 == 0
    ours = {"label": found, "=added": None}
    write_table(frame, tmp_path / "t.csv", Format("csv"), guarded=ours)
    read = read_table(tmp_path / "t.csv").frame
    assert list(read.columns) == ["=given", "label", "'=added"]
    assert read["=given"].tolist() == cells
    assert read["label"].tolist() == np.where(found, guarded, cells).tolist()
    assert read["'=added"].tolist() == guarded
    write_table(frame, tmp_path / "t.csv", Format("csv"), guarded=ours, guard_all=True)
    read = read_table(tmp_path / "t.csv").frame
    assert list(read.columns) == ["'=given", "label", "'=added"]
    assert all(read[name].tolist() == guarded for name in read)


def test_cells_are_guarded_beyond_the_first_rows(tmp_path):
    found = np.zeros(70_000, dtype=bool)
    found[-1] = True
    frame = pd.DataFrame({"a": "1", "label": ["=x"] * 70_000})
    write_table(frame, tmp_path / "t.csv", Format("csv"), guarded={"label": found})
    read = read_table(tmp_path / "t.csv").frame["label"]
    assert (read == "=x").sum() == 69_999
    assert read.iloc[-1] == "'=x"


def test_typed_columns_as_csv(tmp_path):
    frame = pd.DataFrame(
        {
            "f": [0.1, np.nan, 1e300],
            "i": pd.array([2**60 + 1, None, 3], dtype="Int64"),
            "b": [True, False, True],
            "d": pd.to_datetime(["2024-01-01 00:00:00", None, "2024-01-02 03:04:05"]),
            "c": pd.Categorical(["x", None, "y"]),
            "m": [1, "a", None],
        }
    )
    write_table(frame, tmp_path / "t.csv", Format("csv"))
    assert read_table(tmp_path / "t.csv").frame.values.tolist() == [
        ["0.1", "1152921504606846977", "True", "2024-01-01 00:00:00", "x", "1"],
        ["", "", "False", "", "", "a"],
        ["1e+300", "3", "True", "2024-01-02 03:04:05", "y", ""],
    ]


def test_text_without_a_mark_gets_none(tmp_path):
    content = ("a,b\n" + "1,é\n" * 3).encode("utf-16-le")
    (tmp_path / "t.csv").write_bytes(content)
    read = read_table(tmp_path / "t.csv", encoding="utf-16")
    write_table(read.frame, tmp_path / "out.csv", read.format)
    assert (tmp_path / "out.csv").read_bytes() == content


def test_cells_the_encoding_lacks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"before")
    with pytest.raises(InputError, match="'名' cannot be written in iso8859-1"):
        write_table(pd.DataFrame({"a": ["名"], "b": ["x"]}), path, Format("csv", encoding="iso8859-1"))
    assert path.read_bytes() == b"before"


def test_gzip_bytes_are_stable(tmp_path):
    frame = pd.DataFrame({"a": ["1"], "b": ["2"]})
    for name in ("one.csv.gz", "two.csv.gz"):
        write_table(frame, tmp_path / name, format_of(name))
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"a,b\n1,2\n"


# Older pyarrows read categories with codes of this type, whatever the file says.
CODES = pa.int8() if Version(pa.__version__) >= Version("20") else pa.int32()


def test_parquet_keeps_its_schema(tmp_path):
    schema = pa.schema(
        [
            pa.field("i", pa.int16(), metadata={"unit": "mm"}),
            pa.field("c", pa.dictionary(CODES, pa.string())),
            pa.field("l", pa.list_(pa.float32())),
            pa.field("y", pa.string()),
        ],
        metadata={"author": "me"},
    )
    table = pa.table([[1, None], ["x", "y"], [[1.0], []], ["cat", None]], schema=schema)
    pq.write_table(table, tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    frame = read.frame.assign(y=np.array(["cat", "dog"], dtype=object), confidence=[0.5, 1.0])
    write_table(frame, tmp_path / "out.parquet", read.format)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.field("i").metadata == {b"unit": b"mm"}
    assert found.schema.metadata[b"author"] == b"me"
    assert found.schema.types[:4] == schema.types
    assert found["i"].to_pylist() == [1, None]
    assert found["y"].to_pylist() == ["cat", "dog"]
    assert found["confidence"].to_pylist() == [0.5, 1.0]


def test_parquet_that_pandas_wrote_with_its_index(tmp_path):
    pd.DataFrame({"a": [1, 2]}, index=[5, 6]).to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    write_table(read.frame.assign(y=["x", "z"]), tmp_path / "out.parquet", read.format)
    assert pd.read_parquet(tmp_path / "out.parquet").index.tolist() == [5, 6]


def test_labels_of_another_type_change_the_type(tmp_path):
    pq.write_table(pa.table({"y": [1, None]}), tmp_path / "t.parquet")
    form = read_table(tmp_path / "t.parquet").format
    write_table(pd.DataFrame({"y": ["a", "b"]}), tmp_path / "t.parquet", form)
    assert pq.read_table(tmp_path / "t.parquet")["y"].to_pylist() == ["a", "b"]
    with pytest.raises(InputError, match="'y' mixes types"):
        write_table(pd.DataFrame({"y": ["a", 1]}), tmp_path / "t.parquet", form)


def test_json_lines_keep_types(tmp_path):
    content = (
        '{"i": 9007199254740993, "f": 1.5, "m": 1, "s": "é", "b": true}\n'
        '{"i": 1, "f": null, "m": "1", "s": "", "b": false}\n'
    )
    (tmp_path / "t.jsonl").write_text(content, encoding="utf-8")
    read = read_table(tmp_path / "t.jsonl")
    write_table(read.frame, tmp_path / "out.jsonl", read.format)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == content


def test_json_lines_hold_no_infinity(tmp_path):
    with pytest.raises(InputError, match="'f' holds infinity"):
        write_table(pd.DataFrame({"s": ["a"], "f": [np.inf]}), tmp_path / "t.jsonl", format_of("t.jsonl"))
    assert listing(tmp_path) == []


def test_excel_is_text_where_it_was_text(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"=a": ["=1+1", "007"], "n": [1, 2**53 + 1], "f": [0.1, np.nan], "m": [1, "x"]})
    frame["d"] = pd.to_datetime(["2024-01-01", None])
    path = tmp_path / "t.xlsx"
    write_table(frame, path, format_of(path))
    read = read_table(path)
    assert read.frame["=a"].tolist() == ["=1+1", "007"]
    assert read.frame["n"].tolist() == [1, str(2**53 + 1)]  # a number would lose its end
    assert read.frame["m"].tolist() == [1, "x"]
    assert read.frame["d"].iloc[0] == pd.Timestamp("2024-01-01")
    before = path.read_bytes()
    write_table(read.frame, path, read.format)
    assert path.read_bytes() == before
    for cell, words in {"\x01": "characters Excel cannot", "x" * 40_000: "40,000 characters"}.items():
        with pytest.raises(InputError, match=words):
            write_table(pd.DataFrame({"a": [cell]}), path, format_of(path))
    assert path.read_bytes() == before


def listing(folder):
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyboardInterrupt()])
def test_a_failure_leaves_the_previous_file(error, tmp_path):
    path = tmp_path / "t.csv"
    write_bytes(path, b"before")

    def half():
        with replacing(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        half()
    assert path.read_bytes() == b"before"
    assert listing(tmp_path) == ["t.csv"]


def test_a_full_disk_leaves_the_previous_file(tmp_path, monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    path = tmp_path / "t.csv"
    write_bytes(path, b"before")
    monkeypatch.setattr(writing_module, "_create", lambda temporary: open("/dev/full", "wb"))  # noqa: SIM115
    for name in ("t.csv", "t.csv.gz", "t.parquet", "t.jsonl", "t.xlsx"):
        with pytest.raises(
            OutputError, match=r"Cannot write '.*': No space left on device; [\d,]+ MB are free"
        ):
            write_table(pd.DataFrame({"a": ["1"], "b": ["2"]}), tmp_path / name, format_of(name))
    assert path.read_bytes() == b"before"
    assert listing(tmp_path) == ["t.csv"]


def test_a_disk_that_fills_up_at_the_sync(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "t.csv"
    write_bytes(path, b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="What was there before is untouched"):
        write_bytes(path, b"after")
    assert path.read_bytes() == b"before"
    assert listing(tmp_path) == ["t.csv"]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="there is no folder"):
        write_bytes(tmp_path / "nowhere" / "t.csv", b"")
    with pytest.raises(OutputError, match="not a regular file"):
        write_bytes(tmp_path, b"")


@pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")
def test_links_are_followed_and_modes_kept(tmp_path):
    path, link = tmp_path / "t.csv", tmp_path / "link.csv"
    write_bytes(path, b"before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_bytes(link, b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    write_bytes(path, b"whole")
    assert path.read_bytes() == b"whole"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")

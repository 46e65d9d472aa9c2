"""Tables are read exactly as written, or refused in words that name the place."""

import codecs
import contextlib
import csv
import gzip
import hashlib
import io
import json
import sys
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surelabel.cells import kinds_of
from surelabel.files import InputError, read_table, sizes, write_table
from surelabel.files import delimited as delimited_module


def table(folder, content, name="t.csv", **options):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def rows(read):
    return [list(read.frame.columns), *read.frame.values.tolist()]


AB = ["a", "b"]
LONG = "x" * 200_000
NASTY = {
    "plain": ("a,b\n1,2\n", [AB, ["1", "2"]]),
    "no newline at the end": ("a,b\n1,2", [AB, ["1", "2"]]),
    "words for missing stay text": ("a,b\nNA,None\nnull,nan\n", [AB, ["NA", "None"], ["null", "nan"]]),
    "zeros in front": ("a,b\n007,07\n7,7.0\n", [AB, ["007", "07"], ["7", "7.0"]]),
    "long integers": ("a,b\n9007199254740993,1\n", [AB, ["9007199254740993", "1"]]),
    "empty cells": ("a,b\n,\n1,\n", [AB, ["", ""], ["1", ""]]),
    "spaces kept": ("a,b\n 1 ,  \n", [AB, [" 1 ", "  "]]),
    "byte-order mark": (codecs.BOM_UTF8 + b"a,b\n1,2\n", [AB, ["1", "2"]]),
    "byte-order mark, quoted": (codecs.BOM_UTF8 + b'"a",b\n1,2\n', [AB, ["1", "2"]]),
    "CRLF": ("a,b\r\n1,2\r\n", [AB, ["1", "2"]]),
    "lone CR": ("a,b\r1,2\r3,4\r", [AB, ["1", "2"], ["3", "4"]]),
    "mixed line ends": ("a,b\r\n1,2\n3,4\r", [AB, ["1", "2"], ["3", "4"]]),
    "quoted newline": ('a,b\n"x\ny",2\n', [AB, ["x\ny", "2"]]),
    "quoted CRLF": ('a,b\r\n"x\r\ny",2\r\n', [AB, ["x\r\ny", "2"]]),
    "quoted newline in the header": ('"a\nb",c\n1,2\n', [["a\nb", "c"], ["1", "2"]]),
    "quoted comma": ('a,b\n"1,5",2\n', [AB, ["1,5", "2"]]),
    "doubled quote": ('a,b\n"5"" tall",2\n', [AB, ['5" tall', "2"]]),
    "quote inside a bare field": ('a,b\n5" tall,2\n', [AB, ['5" tall', "2"]]),
    "quoted empty": ('a,b\n"",""\n', [AB, ["", ""]]),
    "only a doubled quote": ('a,b\n"""",2\n', [AB, ['"', "2"]]),
    "blank line at the end": ("a,b\n1,2\n\n", [AB, ["1", "2"]]),
    "blank lines at the end": ('a,b\n"1",2\n\n\r\n\n', [AB, ["1", "2"]]),
    "blank line, one column": ("a\n1\n\n2\n", [["a"], ["1"], [""], ["2"]]),
    "semicolons": ("a;b\n1,5;2\n", [AB, ["1,5", "2"]]),
    "quoted semicolons": ('"a";"b"\n"1";"2"\n', [AB, ["1", "2"]]),
    "tabs": ("a\tb\n1\t2\n", [AB, ["1", "2"]]),
    "comma before semicolon": ("a;x,b\n1,2\n", [["a;x", "b"], ["1", "2"]]),
    "quoted semicolon in one name": ('"a;b"\n1\n', [["a;b"], ["1"]]),
    "other line separators are text": ("a,b\nx\u2028y\x0b\x0c,\x85\n", [AB, ["x\u2028y\x0b\x0c", "\x85"]]),
    "emoji and accents": ("ä,名\n🐦,é\n", [["ä", "名"], ["🐦", "é"]]),
    "huge field": (f"a,b\n{LONG},2\n", [AB, [LONG, "2"]]),
    "huge quoted field": (f'a,b\n"{LONG}",2\n', [AB, [LONG, "2"]]),
    "names with spaces kept": (" a,b \n1,2\n", [[" a", "b "], ["1", "2"]]),
    "formulas are text": ("a,b\n=1+1,@x\n", [AB, ["=1+1", "@x"]]),
    "UTF-16 by its mark": ("a,b\n1,é\n".encode("utf-16"), [AB, ["1", "é"]]),
    "markup": ("a,b\n<script>,&amp;\n", [AB, ["<script>", "&amp;"]]),
    "backslash is no escape": ("a,b\n\\,\\n\n", [AB, ["\\", "\\n"]]),
    "mark in the first cell": ("a,b\n\ufeff,2\n", [AB, ["\ufeff", "2"]]),
    "same name, other case": ("a,A\n1,2\n", [["a", "A"], ["1", "2"]]),
    "separator told": ("sep=;\na;b\n1,5;2\n", [AB, ["1,5", "2"]]),
    "separator told, CRLF": ("SEP=,\r\na,b\r\n1,2\r\n", [AB, ["1", "2"]]),
    "separator told, with a mark": (codecs.BOM_UTF8 + b"sep=\t\na\tb\n1\t2\n", [AB, ["1", "2"]]),
    "separator told, UTF-16": ('sep=|\na|b\n1|"2"\n'.encode("utf-16"), [AB, ["1", "2"]]),
    "separator told, quotes": ('sep=^\na^b\n"1^"^2\n', [AB, ["1^", "2"]]),
    "separator as a name": ('"sep=;"\n1\n', [["sep=;"], ["1"]]),
    "vertical bars": ("a|b\n1,5|2\n", [AB, ["1,5", "2"]]),
}
REFUSED = {
    "empty": ("", "t.csv is empty."),
    "only a mark": (codecs.BOM_UTF8, "is empty"),
    "only blank lines": ("\n\n\n", "is empty"),
    "header only": ("a,b\n", "has a header and no rows"),
    "header without newline": ("a,b", "has a header and no rows"),
    "header and blank lines": ("a,b\n\n\n", "has a header and no rows"),
    "blank first line": ("\na,b\n1,2\n", "line 1 is blank; it must hold the column names"),
    "too many fields": ("a,b\n1,2\n1,2,3\n", "line 3: 3 fields where the header has 2; .* too many is '3'"),
    "too many in every row": ("a,b\n1,2,3\n1,2,3\n", "line 2: 3 fields"),
    "too few fields": ("a,b\n1,2\n1\n", "line 3: 1 field where the header has 2; 'b' has none"),
    "ragged below a quoted newline": ('a,b\n"x\ny",2\n1\n', "line 4: 1 field"),
    "ragged below quoted CRLF": ('a,b\r\n"x\r\n\r\ny",2\r\n1\r\n', "line 5: 1 field"),
    "decimal comma": ("a,b\n1,5,2\n", "A cell that holds a comma must stand in quotes"),
    "blank line in the middle": ("a,b\n1,2\n\n3,4\n", "line 3 is blank"),
    "two blank lines in the middle": ("a,b\n1,2\n\n\n3,4\n", "line 3 is blank"),
    "line of spaces": ("a,b\n1,2\n  \n", "line 3: 1 field"),
    "same name twice": ("a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'"),
    "no name": (",a\n0,1\n", "column 1 has no name.*index=False"),
    "name of spaces": ("a,  \n0,1\n", "column 2 has no name"),
    "comma at the end of the header": ("a,b,\n0,1,\n", "column 3 has no name"),
    "unclosed quote": ('a,b\n1,2\n3,"4\n5,6\n7,8\n', "line 3: a quote opens here and is never closed"),
    "unclosed after a closed one": ('a,b\n1,2\n"x\ny","4\n5,6\n', "line 4: a quote opens here"),
    "unclosed in the header": ('a,"b\n1,2\n', "line 1: a quote opens here"),
    "text after a quote": ('a,b\n1,2\n"x"y,2\n', "line 3: text after the closing quote"),
    "text after a quote in the header": ('"a"b,c\n1,2\n', "line 1: text after the closing quote"),
    "not UTF-8": (b"a,b\n1,2\n3,caf\xe9\n", r"line 3: not UTF-8 text \(byte 0xe9\).*--encoding cp1252"),
    "not UTF-8 in the header": (b"caf\xe9,b\n1,2\n", "line 1: not UTF-8"),
    "cut in a character": ("a,b\n1,é".encode()[:-1], "line 2: not UTF-8"),
    "NUL": (b"a,b\n1,2\n3,\x00\n", "line 3: a NUL byte"),
    "UTF-16 without its mark": ("a,b\n1,2\n".encode("utf-16-le"), "line 1: a NUL byte.*utf-16"),
    "ragged below a told separator": ("sep=;\na;b\n1;2\n1\n", "line 4: 1 field"),
    "unclosed below a told separator": ('sep=;\na;b\n1;"2\n3;4\n', "line 3: a quote opens here"),
    "text after a quote, told separator": ('sep=;\na;b\n"x"y;2\n', "line 3: text after the closing quote"),
    "not UTF-8 below a told separator": (b"sep=;\na;b\n1;\xe9\n", "line 3: not UTF-8"),
    "NUL below a told separator": (b"sep=;\na;b\n1;\0\n", "line 3: a NUL byte"),
    "blank below a told separator": ("sep=;\n\na;b\n", "line 2 is blank"),
    "only a told separator": ("sep=;\n", "is empty"),
    "Excel named .csv": (b"PK\x03\x04\xff\xfe\xfd", "looks like Excel"),
    "gzip named .csv": (gzip.compress(b"a,b\n1,2\n"), "looks like gzip|NUL"),
}


@pytest.mark.parametrize("name", NASTY)
def test_nasty_csv_is_read_rightly(name, tmp_path):
    content, expected = NASTY[name]
    assert rows(table(tmp_path, content)) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_bad_csv_is_refused_by_line(name, tmp_path):
    content, words = REFUSED[name]
    with pytest.raises(InputError, match=f"(?s)t.csv.*{words}|{words}"):
        table(tmp_path, content)


def test_errors_far_down_name_their_line(tmp_path):
    good = "1,2\n" * 70_000
    with pytest.raises(InputError, match="line 70002: 3 fields"):
        table(tmp_path, "a,b\n" + good + "1,2,3\n" + good)
    with pytest.raises(InputError, match="line 70002 is blank"):
        table(tmp_path, "a,b\n" + good + "\n" * 70_000 + '"1",2\n')


def test_what_the_reader_decides_is_said(tmp_path):
    read = table(tmp_path, "a;b\n1;2\n")
    assert read.format.delimiter == ";"
    assert "semicolon" in read.notes[0]
    assert table(tmp_path, "a,b\n1,2\n").notes == ()


def test_the_format_is_kept(tmp_path):
    data = codecs.BOM_UTF8 + b"a\tb\r\n1\t2\r\n"
    read = table(tmp_path, gzip.compress(data), "t.TSV.gz")
    form = read.format
    assert (form.kind, form.delimiter, form.bom, form.newline, form.gz) == ("tsv", "\t", True, "\r\n", True)
    assert read.digest == hashlib.sha256((tmp_path / "t.TSV.gz").read_bytes()).hexdigest()
    assert table(tmp_path, "a,b\r1,2\r").format.newline == "\r"


def test_encodings(tmp_path):
    assert rows(table(tmp_path, "a,b\n1,é\n".encode("cp1252"), encoding="cp1252"))[1] == ["1", "é"]
    assert rows(table(tmp_path, "a,b\n1,é\n".encode("utf-16-le"), encoding="utf-16-le"))[1] == ["1", "é"]
    big = codecs.BOM_UTF16_BE + "a,b\n1,é\n".encode("utf-16-be")
    assert rows(table(tmp_path, big, encoding="utf-16"))[1] == ["1", "é"]
    for unknown in ("klingon", "hex", "\0"):
        with pytest.raises(InputError, match="unknown encoding"):
            table(tmp_path, "a,b\n1,2\n", encoding=unknown)


def test_an_encoding_that_is_hardly_meant_is_said(tmp_path):
    for content in ("a,b\n1,é\n".encode(), b"a,b\n1,2\n", "a,b\n1,é\n".encode("latin-1")):
        notes = table(tmp_path, content, encoding="latin-1").notes
        assert len(notes) == (content == "a,b\n1,é\n".encode())
    assert (
        "UTF-8 text, but was read as iso8859-1" in table(tmp_path, "a,b\n1,é\n", encoding="latin-1").notes[0]
    )


def test_the_field_limit_of_csv_is_given_back(tmp_path):
    before = csv.field_size_limit()
    table(tmp_path, f'a,b\n"{LONG}",2\n')
    assert csv.field_size_limit() == before


def test_paths(tmp_path):
    (tmp_path / "birds.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"No file '.*brids.csv'; did you mean '.*birds.csv'\?"):
        read_table(tmp_path / "brids.csv")
    with pytest.raises(InputError, match="there is no folder"):
        read_table(tmp_path / "nowhere" / "birds.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)
    for name, words in {
        "t.doc": "'.doc' tells no known format",
        "t": "''",
        "t.json": "JSON lines",
        "t.xls": "as .xlsx",
        "t.parquet.gz": "'.parquet.gz'",
    }.items():
        with pytest.raises(InputError, match=words):
            table(tmp_path, "a,b\n1,2\n", name)
    with pytest.raises(InputError, match="--sheet one is for Excel"):
        table(tmp_path, "a,b\n1,2\n", sheet="one")
    with pytest.raises(InputError, match="--encoding utf-8 is for text"):
        table(tmp_path, "x", "t.parquet", encoding="utf-8")
    with pytest.raises(InputError, match="Cannot read"):
        read_table("\0.csv")


def test_gzip_cut_short(tmp_path):
    packed = gzip.compress(b"a,b\n" + bytes(range(49, 58)).replace(b"", b",\n") * 50)
    for content, words in {
        packed[:-9]: "cut short",
        packed[:5]: "cut short",
        b"a,b\n1,2\n": "not a sound gzip",
    }.items():
        with pytest.raises(InputError, match=words):
            table(tmp_path, content, "t.csv.gz")
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 255
    with pytest.raises(InputError):
        table(tmp_path, bytes(damaged), "t.csv.gz")


PLAIN = st.lists(st.lists(st.text("a1 ,\n\r'é;\ufeff", max_size=6), min_size=1, max_size=4), max_size=6)


@settings(max_examples=150)
@given(PLAIN)
def test_the_quick_reader_agrees_with_the_strict_one(lines):
    """Whatever Arrow accepts of a plain file, Python's csv reads the same."""
    data = "a,b\n" + "\n".join(",".join(fields) for fields in lines)
    text = delimited_module.Text(data.encode(), "t.csv", "utf-8", 0)
    quick = delimited_module._without_quotes(text, ",", ["a", "b"])
    if quick is not None:
        found = [list(row) for row in zip(*(column.to_pylist() for column in quick.values()), strict=True)]
        assert found == list(csv.reader(io.StringIO(data, newline=""), strict=True))[1:]


def test_plain_files_take_the_quick_way(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited_module, "_chunks", None)
    assert rows(table(tmp_path, "a,b\r\n1,\r\n")) == [AB, ["1", ""]]


def test_json_lines_keep_types_apart(tmp_path):
    lines = [
        '{"i": 9007199254740993, "f": 1.5, "s": "007", "b": true, "m": 1}',
        '{"i": 2, "f": NaN, "s": "", "b": null, "m": "1"}',
        "",
        '{"i": 3, "new": "x", "m": 18446744073709551617}',
    ]
    frame = table(tmp_path, "\n".join(lines), "t.jsonl").frame
    assert frame["i"].tolist() == [9007199254740993, 2, 3]
    assert frame["f"].isna().tolist() == [False, True, True]
    assert frame["s"].fillna("?").tolist() == ["007", "", "?"]
    assert frame["b"].dropna().tolist() == [True]
    assert frame["m"].tolist() == [1, "1", 18446744073709551617]
    assert frame["new"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"a": 1', "line 2: not JSON"),
        ("[1]", "line 2: holds a list, not an object"),
        ("3", "line 2: holds a number"),
        ('{"a": [1e999]}', "line 2, key 'a': the number is infinite"),
        ('{"a": {"b": ["\\ud800"]}}', "line 2, key 'b': half of a surrogate"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", "line 2: lists and objects within each other"),
        ('{"a": 1, "a": 2}', "line 2: the key 'a' comes twice"),
        ('{"a": 1e999}', "line 2, key 'a': the number is infinite"),
        ('{"a": -Infinity}', "line 2, key 'a': the number is infinite"),
        ('{"a": "\\ud800"}', "line 2, key 'a': half of a surrogate"),
        ('{"": 1}', "has no name"),
        ("[" * 100_000, "line 2: not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "line 2: not JSON"),
    ],
)
def test_bad_json_lines(line, words, tmp_path):
    with pytest.raises(InputError, match=words):
        table(tmp_path, '{"a": 1}\n' + line + "\n", "t.ndjson")


def test_json_lines_keep_lists_and_objects(tmp_path):
    content = '{"w": 1, "x": [1, 2], "z": {"k": 1}}\n{"w": 2, "x": [3, 4], "z": null}\n'
    read = table(tmp_path, content, "t.jsonl")
    assert read.frame["x"].tolist() == [[1, 2], [3, 4]]
    kinds = kinds_of(read.frame, "w")
    assert [kinds[name].kind for name in "xz"] == ["vector", "dropped"]
    write_table(read.frame, tmp_path / "out.jsonl", read.format)
    assert (tmp_path / "out.jsonl").read_text() == content


def test_a_list_of_rows_is_no_json_lines(tmp_path):
    with pytest.raises(InputError, match=r"line 1: not JSON .* Take away the brackets around all rows"):
        table(tmp_path, '[\n{"a": 1},\n{"a": 2}\n]\n', "t.jsonl")


def test_json_lines_without_rows(tmp_path):
    for content, words in {"\n\n": "has no rows", "{}\n{}\n": "none of its 2 objects has a key"}.items():
        with pytest.raises(InputError, match=words):
            table(tmp_path, content, "t.jsonl")


def test_parquet_is_typed(tmp_path):
    path = tmp_path / "t.parquet"
    columns = {
        "i": pa.array([2**53 + 1, None]),
        "s": pa.array(["007", None]).dictionary_encode(),
        "b": [True, None],
    }
    pq.write_table(pa.table(columns), path)
    frame = read_table(path).frame
    assert frame["i"].iloc[0] == 2**53 + 1
    assert frame["i"].isna().tolist() == [False, True]
    assert frame["b"].iloc[0] is True or frame["b"].iloc[0] == True  # noqa: E712
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(InputError, match="no rows"):
        read_table(path)
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(InputError, match="both named 'a'"):
        read_table(path)


def test_damaged_parquet(tmp_path):
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": list(range(100))}), buffer)
    for content in (b"PAR1", buffer.getvalue()[:-20], b"a,b\n1,2\n"):
        with pytest.raises(InputError, match=r"t.parquet: not a readable Parquet file"):
            table(tmp_path, content, "t.parquet")


def test_damaged_notes_of_pandas_in_parquet(tmp_path):
    # They are written back, and then nobody could read what was written.
    buffer = io.BytesIO()
    plain = pa.table({"a": list(range(100))})
    pq.write_table(plain.replace_schema_metadata({"pandas": b'{"columns": \xff}'}), buffer)
    with pytest.raises(InputError, match=r"t.parquet: not a readable Parquet file"):
        table(tmp_path, buffer.getvalue(), "t.parquet")


def workbook(path, sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        page = book.create_sheet(name)
        for row in cells:
            page.append(row)
    book.save(path)
    return path


def test_excel(tmp_path):
    path = workbook(
        tmp_path / "t.xlsx",
        {"one": [["a", "b", 3], [1, "x", None], [2, None, True], [None, None]], "two": [["c"], ["y"]]},
    )
    read = read_table(path)
    assert list(read.frame.columns) == ["a", "b", "3"]
    assert read.frame["a"].tolist() == [1, 2]
    assert read.frame["b"].isna().tolist() == [False, True]
    assert "--sheet chooses another of: two" in read.notes[0]
    assert read_table(path, sheet="two").frame["c"].tolist() == ["y"]
    with pytest.raises(InputError, match="No sheet 'tow'; did you mean 'two'"):
        read_table(path, sheet="tow")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([], "is empty"),
        ([["a", "b"]], "has a header and no rows"),
        ([["a", None, "b"], [1, 2, 3]], "column 2 has no name"),
        ([["a", "a"], [1, 2]], "both named 'a'"),
        ([["a"], [1, 2]], "column 2 has no name"),
        ([["a"], [1], [None], [2]], "line 3 is blank"),
    ],
)
def test_bad_excel(cells, words, tmp_path):
    with pytest.raises(InputError, match=words):
        read_table(workbook(tmp_path / "t.xlsx", {"one": cells}))


def sheet(folder, change, rows=6):
    """A workbook of a few labelled rows, changed."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    page = book.active
    page.title = "data"
    page.append(["width", "colour", "species"])
    for k in range(rows):
        page.append([k / 2, "red", "cat" if k < 3 else None])
    change(page, book)
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def test_merged_cells_of_a_column_hold_for_each_of_their_rows(tmp_path):
    def merge(page, book):
        page.merge_cells("C2:C4")
        page["C5"] = "dog"
        page.merge_cells("C5:C6")
        page.merge_cells("F2:F9")  # beside the table

    read = read_table(sheet(tmp_path, merge))
    assert read.frame["species"].fillna("").tolist() == ["cat"] * 3 + ["dog"] * 2 + [""]
    assert "merged cells is taken for each of their rows: C2:C4 and C5:C6." in read.notes[0]


@pytest.mark.parametrize("area", ["A1:B1", "B1:B2", "A3:B3", "B3:C5"])
def test_cells_merged_over_columns_or_with_the_header_are_refused(area, tmp_path):
    with pytest.raises(InputError, match=f"the cells {area} are merged"):
        read_table(sheet(tmp_path, lambda page, book: page.merge_cells(area)))


def test_formulas_without_stored_values_are_refused_by_cell(tmp_path):
    def one(page, book):
        page["A3"] = "=1+1"

    def many(page, book):
        page["D1"] = "twice"
        for k in range(2, 8):
            page[f"D{k}"] = f"=A{k}*2"

    with pytest.raises(
        InputError, match=r"the cell A3 holds a formula without a stored value\. Open the file"
    ):
        read_table(sheet(tmp_path, one))
    with pytest.raises(InputError, match="the cells D2, D3, D4 and 3 more hold formulas without"):
        read_table(sheet(tmp_path, many))


def test_formulas_with_stored_values_are_read(tmp_path):
    path = sheet(tmp_path, lambda page, book: page.__setitem__("A3", "=1+1"))
    stored = {b"<f>1+1</f><v></v>": b"<f>1+1</f><v>2</v>", b"<f>1+1</f><v />": b"<f>1+1</f><v>2</v>"}
    changed(path, "xl/worksheets/sheet1.xml", stored)
    assert read_table(path).frame["width"].tolist()[:3] == [0.0, 2.0, 1.0]


def test_what_is_hidden_is_said(tmp_path):
    def hide(page, book):
        page.row_dimensions[3].hidden = True
        page.column_dimensions["B"].hidden = True
        book.create_sheet("notes").sheet_state = "hidden"

    notes = read_table(sheet(tmp_path, hide)).notes
    assert "--sheet chooses another of: notes (hidden)." in notes[0]
    assert "what is hidden is read like the rest: column B and row 3 of the sheet." in notes[1]


def test_the_first_sheet_that_is_shown_is_read(tmp_path):
    def hide(page, book):
        page.sheet_state = "hidden"
        other = book.create_sheet("shown")
        other.append(["a", "b"])
        other.append([1, 2])

    path = sheet(tmp_path, hide)
    assert list(read_table(path).frame.columns) == ["a", "b"]
    assert len(read_table(path, sheet="data").frame) == 6


def test_a_sheet_is_as_large_as_its_cells(tmp_path):
    path = sheet(tmp_path, lambda page, book: None)
    changed(path, "xl/worksheets/sheet1.xml", {b'ref="A1:C7"': b'ref="A1:XFD1048576"'})
    assert read_table(path).frame.shape == (6, 3)


def test_workbooks_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    path = sheet(tmp_path, lambda page, book: page.__setitem__("B2", "x" * 30_000))
    monkeypatch.setitem(sizes.MOST_BYTES, "xlsx", 20_000)
    with pytest.raises(InputError, match=r"t\.xlsx unpacks to more than 0 MB"):
        read_table(path)
    monkeypatch.undo()
    monkeypatch.setitem(sizes._MOST_CELLS, "xlsx", 20)
    with pytest.raises(InputError, match=r"7 rows of 3 columns; at most 20 cells are read of \.xlsx"):
        read_table(path)


def changed(path, member, words):
    """Replace words in a member of a zip file."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    before = members[member]
    for word, other in words.items():
        members[member] = members[member].replace(word, other)
    assert members[member] != before
    with zipfile.ZipFile(path, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def test_excel_without_openpyxl(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r'pip install "\.\[excel\]"'):
        table(tmp_path, b"PK", "t.xlsx")


ENDINGS = ["csv", "tsv", "jsonl", "parquet", "csv.gz", "xlsx"]


@settings(max_examples=200)
@given(
    st.sampled_from(ENDINGS),
    st.binary(max_size=200) | st.text(',"\n\r;ab1{}[]:é', max_size=60).map(str.encode),
)
def test_only_input_errors_escape(folder, ending, content):
    if ending == "csv.gz" and len(content) % 2:
        content = gzip.compress(content)
    try:
        read = table(folder, content, f"fuzz.{ending}")
    except InputError:
        return
    assert isinstance(read.frame, pd.DataFrame)
    assert len(read.frame)


@settings(max_examples=100)
@given(st.data())
def test_only_input_errors_escape_from_damaged_files(folder, sound, data):
    ending = data.draw(st.sampled_from(sorted(sound)))
    content = bytearray(sound[ending])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.integers(len(content) // 2, len(content)))
    with contextlib.suppress(InputError):
        table(folder, bytes(content[:length]), f"fuzz.{ending}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def sound(folder):
    """Whole files to damage."""
    lines = "".join(json.dumps({"a": k, "b": "x"}) + "\n" for k in range(5))
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), folder / "s.parquet")
    workbook(folder / "s.xlsx", {"one": [["a", "b"], [1, "x"]]})
    return {
        "csv": b'a,b\n1,"2"\n3,4\n',
        "jsonl": lines.encode(),
        "csv.gz": gzip.compress(b"a,b\n1,2\n", mtime=0),
        "parquet": (folder / "s.parquet").read_bytes(),
        "xlsx": (folder / "s.xlsx").read_bytes(),
    }


def test_a_carriage_return_alone_is_part_of_a_cell_where_lines_end_with_a_line_feed(tmp_path):
    """Text from elsewhere holds them, also outside quotes."""
    path = tmp_path / "notes.csv"
    path.write_bytes(b'text,kind\nfirst\rsecond,a\n"in\rquotes",b\nplain,c\n')
    frame = read_table(path).frame
    assert frame["text"].tolist() == ["first\rsecond", "in\rquotes", "plain"]
    assert frame["kind"].tolist() == ["a", "b", "c"]
    write_table(frame, tmp_path / "again.csv", read_table(path).format)
    assert read_table(tmp_path / "again.csv").frame["text"].tolist() == frame["text"].tolist()
    path.write_bytes(b"text,kind\nfirst\rsecond,a\nthird,b,c\n")
    with pytest.raises(InputError, match="line 2: 1 field"):
        read_table(path)
    path.write_bytes(b"text,kind\rfirst,a\rsecond,b\r")  # of old machines, where it ends a line
    assert read_table(path).frame["text"].tolist() == ["first", "second"]

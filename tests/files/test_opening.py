"""Only files are opened, and no more of them is read than fits."""

import gzip
import os
import socket
import time
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surelabel.files import InputError, opening, read_table, sizes

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, links and devices of POSIX")


def refused(path, words):
    start = time.perf_counter()
    with pytest.raises(InputError, match=words):
        read_table(path)
    assert time.perf_counter() - start < 10
    return True


@posix
def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    (tmp_path / "null.csv").symlink_to("/dev/null")
    (tmp_path / "self.csv").symlink_to(tmp_path / "self.csv")
    (tmp_path / "folder.csv").mkdir()
    with socket.socket(socket.AF_UNIX) as plug:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        plug.bind("plug.csv")
        for name, words in {
            "pipe.csv": "pipe.csv is a pipe, not a file. Write what comes out of it to a file",
            "zero.csv": "zero.csv is a device",
            "null.csv": "null.csv is a device",
            "plug.csv": "plug.csv is a socket",
            "self.csv": "Cannot read '.*self.csv'",
            "folder.csv": "folder.csv is a folder. Name a file in it",
        }.items():
            assert refused(tmp_path / name, words)


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    measure = sizes.check_bytes

    def grow(*args):
        with open(path, "a") as file:
            file.write("3,")
        measure(*args)

    monkeypatch.setattr(opening, "check_bytes", grow)
    assert refused(path, "t.csv changed while it was read: it had 8 bytes, then 10. Wait until it is written")


def test_files_of_too_many_bytes_are_refused_unread(tmp_path):
    path = tmp_path / "t.csv"
    with open(path, "wb") as file:
        file.truncate(2_000_000_001)  # takes no room on the disk
    tracemalloc.start()
    assert refused(path, r"t.csv has more than 2,000 MB, which is the most that is read of \.csv")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_gzip_is_unpacked_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setitem(sizes.MOST_BYTES, "csv", 1000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 249))
    assert len(read_table(path).frame) == 249
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100) + gzip.compress(b"1,2\n" * 150))
    assert refused(path, "t.csv.gz unpacks to more than 0 MB")


def test_parquet_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.nulls(10**7, pa.int8()), "b": pa.nulls(10**7, pa.int8())}), path)
    monkeypatch.setitem(sizes._MOST_CELLS, "parquet", 10**7)
    assert refused(path, "about 10,000,000 rows of 2 columns; at most 10,000,000 cells are read of .parquet")
    pq.write_table(pa.table({"a": ["x" * 1000] * 10}), path, use_dictionary=False, compression="zstd")
    monkeypatch.setitem(sizes.MOST_BYTES, "parquet", path.stat().st_size)
    assert refused(path, "t.parquet unpacks to more than")


def test_columns_and_cells_are_counted_before_they_are_read(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"a{k}" for k in range(50_001)) + "\n" + "," * 50_000 + "\n")
    assert refused(path, "t.csv has 50,001 columns; at most 50,000 are read")
    lines = "".join(f'{{"key {k}": {k}}}\n' for k in range(10_000))
    (tmp_path / "t.jsonl").write_text(lines)
    assert refused(tmp_path / "t.jsonl", "at most 50,000,000 cells are read of .jsonl")
    monkeypatch.setitem(sizes._MOST_CELLS, "csv", 9)
    path.write_text("a,b\n" + "1,2\n" * 4)
    assert refused(path, "about 5 rows of 2 columns; at most 9 cells")


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_of_many_megabytes_is_refused_by_its_place(quote, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,cat\n2," + quote + "x" * 20_000_000 + quote + "\n")
    assert refused(path, "t.csv, row 2, column 'y': a cell of 20,000,000 bytes; at most 1,000,000 are read")
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n{"a": "' + "x" * 2_000_000 + '"}\n')
    assert refused(path, "t.jsonl, row 3, column 'a': a cell of 2,000,000 bytes")


def test_a_name_of_many_megabytes_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,y," + "x" * 20_000_000 + "\n1,cat,2\n")
    assert refused(tmp_path / "t.csv", "column 3 has a name of 20,000,000 characters, which begins with 'xxx")

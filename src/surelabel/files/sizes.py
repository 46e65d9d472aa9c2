"""How large a file, a table, a name and a cell may be; more is refused before it fills the memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..cells.values import is_text
from ..common.errors import InputError

# Of the file, and of what it unpacks to. Values of JSON and Excel become objects, each many times its bytes.
MOST_BYTES = {
    "csv": 2_000_000_000,
    "tsv": 2_000_000_000,
    "parquet": 2_000_000_000,
    "jsonl": 500_000_000,
    "xlsx": 500_000_000,
}
_MOST_CELLS = {
    "csv": 500_000_000,
    "tsv": 500_000_000,
    "parquet": 500_000_000,
    "jsonl": 50_000_000,
    "xlsx": 50_000_000,
}
_MOST_COLUMNS = 50_000
_LONGEST_NAME = 1_000
_LONGEST_CELL = 1_000_000
_ELSEWHERE = "Larger tables are read from Parquet files, a shard at a time: --engine shards."


def check_bytes(size: int, kind: str, path: Path | str, does: str = "has") -> None:
    """Refuse a file of more bytes than its format may have, or that unpacks to more."""
    most = MOST_BYTES[kind]
    if size > most:
        raise InputError(
            f"{path} {does} more than {most // 1_000_000:,} MB, which is the most that is read of .{kind}. "
            f"{_ELSEWHERE}"
        )


def check_shape(n_rows: int, n_columns: int, kind: str, path: Path | str) -> None:
    """Refuse a table of too many columns or cells; rows may be counted roughly."""
    if n_columns > _MOST_COLUMNS:
        raise InputError(
            f"{path} has {n_columns:,} columns; at most {_MOST_COLUMNS:,} are read. Leave some out."
        )
    if n_rows * n_columns > _MOST_CELLS[kind]:
        raise InputError(
            f"{path} has about {n_rows:,} rows of {n_columns:,} columns; at most {_MOST_CELLS[kind]:,} cells "
            f"are read of .{kind}. {_ELSEWHERE}"
        )


def check_name(name: str, position: int, path: Path | str) -> None:
    """Refuse the name of a column that must be something else, such as a row or a whole file."""
    if len(name) > _LONGEST_NAME:
        raise InputError(
            f"{path}: column {position} has a name of {len(name):,} characters, which begins with "
            f"{name[:40]!r}; at most {_LONGEST_NAME:,} are read. The first line must hold the column names."
        )


def check_cells(frame: pd.DataFrame, path: Path | str) -> None:
    """Refuse a table with a cell of text that is too long."""
    for name in frame.columns:
        for start, values in _texts(frame[name]):
            lengths = pc.binary_length(values)
            longest = pc.max(lengths).as_py()
            if longest is not None and longest > _LONGEST_CELL:
                row = start + pc.index(lengths, longest).as_py() + 1
                raise InputError(
                    f"{path}, row {row:,}, column {str(name)!r}: a cell of {longest:,} bytes; at most "
                    f"{_LONGEST_CELL:,} are read. Shorten or empty it."
                )


def _texts(column: pd.Series) -> Iterator[tuple[int, pa.Array]]:
    """The text of a column in pieces, each with its first row."""
    start = 0
    if column.dtype == object:
        yield 0, pa.array([value if isinstance(value, str) else None for value in column], pa.large_string())
        return
    chunked = column.array.__arrow_array__()
    if is_text(chunked.type):
        for chunk in chunked.chunks:
            yield start, chunk
            start += len(chunk)

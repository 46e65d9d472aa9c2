"""A file -> a table, exactly as it is written."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .delimited import read_delimited
from .errors import InputError, did_you_mean
from .formats import TEXT_KINDS, Format, check_names, format_of, frame_of
from .lines import read_lines
from .sheets import read_sheet

# The years 1 to 9999, which is what Python's dates span.
_FIRST_SECOND = -62_135_596_800
_LAST_SECOND = 253_402_300_799


@dataclass(frozen=True)
class Table:
    """A table and the file it came from.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        Cells as in the file: text for CSV and TSV, where the empty cell is "" and nothing
        is taken for missing; typed for Parquet, JSON lines and Excel. Columns are held by
        Arrow, except those of JSON lines and Excel that mix types.
    format : Format
        How to write the table back.
    path : Path
        The file.
    digest : str
        SHA-256 of the file's bytes.
    notes : tuple of str
        What the reader decided by itself, such as another separator than the comma.
    """

    frame: pd.DataFrame
    format: Format
    path: Path
    digest: str
    notes: tuple[str, ...] = ()


def read_table(path: Path | str, sheet: str | None = None, encoding: str | None = None) -> Table:
    r"""Read a table from CSV, TSV, Parquet, JSON lines or Excel.

    Parameters
    ----------
    path : str or Path
        A file whose ending tells its format; text formats may be compressed (.gz).
    sheet : str, optional
        Name of the Excel sheet; the first if not given.
    encoding : str, optional
        Encoding of a text file; that of its byte-order mark, or UTF-8, if not given.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        If the file cannot be read in full. The message names the line where that is known.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.csv")
    ...     _ = path.write_text("code,species\n007,NA\n7,\n")
    ...     read_table(path).frame
      code species
    0  007      NA
    1    7
    """
    path = Path(path)
    data = _bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    form = format_of(path)
    if sheet is not None and form.kind != "xlsx":
        raise InputError(f"{path}: --sheet {sheet} is for Excel files only.")
    if encoding is not None and form.kind not in TEXT_KINDS:
        raise InputError(f"{path}: --encoding {encoding} is for text files only.")
    if form.gz:
        data = _unzipped(data, path)
    if not data:
        raise InputError(f"{path} is empty.")
    notes: tuple[str, ...] = ()
    if form.kind == "parquet":
        frame, form = _read_parquet(pa.BufferReader(data), path, form)
    elif form.kind == "xlsx":
        frame, form, notes = read_sheet(data, str(path), form, sheet)
    elif form.kind == "jsonl":
        frame, form = read_lines(data, str(path), form, encoding)
    else:
        frame, form, notes = read_delimited(data, str(path), form, encoding)
    return Table(frame, form, path, digest, notes)


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} is a folder. Name a file in it.")
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"No file {str(path)!r}{_near(path)}") from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"Cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}."
        ) from error


def _near(path: Path) -> str:
    """What else the file may be called, for the end of a sentence."""
    if not path.parent.is_dir():
        return f"; there is no folder {str(path.parent)!r}."
    try:
        near = did_you_mean(path.name, [other.name for other in path.parent.iterdir() if other.is_file()])
    except OSError:
        near = None
    return "." if near is None else f"; did you mean {str(path.parent / near)!r}?"


def _unzipped(data: bytes, path: Path | str) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError as error:
        raise InputError(f"{path}: the compressed file is cut short. Copy or download it again.") from error
    except (OSError, zlib.error) as error:
        raise InputError(
            f"{path}: not a sound gzip file ({error}). Compress or download it again."
        ) from error


def read_row_groups(
    path: Path | str, groups: list[int], columns: list[str] | None = None
) -> tuple[pd.DataFrame, Format]:
    """Some row groups of a Parquet file as `read_table` would read them, and how it was laid out.

    Parameters
    ----------
    path : str or Path
        The file.
    groups : list of int
        Which row groups.
    columns : list of str, optional
        Which columns; all.
    """
    return _read_parquet(str(path), path, format_of(path), lambda file: file.read_row_groups(groups, columns))


def _read_parquet(
    data: Any, path: Path | str, form: Format, read: Callable[[Any], Any] = pq.ParquetFile.read
) -> tuple[pd.DataFrame, Format]:
    try:
        with pq.ParquetFile(data) as file:
            table = read(file)
        table.validate(full=True)
    except Exception as error:
        # Arrow raises OSError, ValueError and its own kinds, by where the damage is.
        raise InputError(f"{path}: not a readable Parquet file ({error}). Write it again.") from error
    if not table.num_columns:
        raise InputError(f"{path} has no columns.")
    check_names(table.column_names, path)
    if not table.num_rows:
        raise InputError(f"{path} has columns and no rows.")
    columns = dict(zip(table.column_names, table.columns, strict=True))
    frame = frame_of({name: _usable(values, name, path) for name, values in columns.items()})
    return frame, replace(form, schema=table.schema)


def _usable(values: pa.ChunkedArray, name: str, path: Path | str) -> pa.ChunkedArray:
    """A column that Python and pandas can hold."""
    kind = values.type
    if pa.types.is_string_view(kind):
        return values.cast(pa.large_string())
    if pa.types.is_binary_view(kind):
        return values.cast(pa.large_binary())
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        seconds = values.cast(pa.timestamp("s", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
        ends = pc.min_max(seconds).as_py()
        if ends["min"] is not None and not _FIRST_SECOND <= ends["min"] <= ends["max"] <= _LAST_SECOND:
            raise InputError(
                f"{path}: column {name!r} holds a date outside the years 1 to 9999. Correct or delete it."
            )
    return values

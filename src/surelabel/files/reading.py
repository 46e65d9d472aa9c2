"""A file -> a table, exactly as it is written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..common.errors import InputError
from .delimited import read_delimited
from .formats import TEXT_KINDS, Format, check_names, format_of, frame_of
from .lines import read_lines
from .opening import bytes_of, check_file, unpacked
from .sheets import read_sheet
from .sizes import check_bytes, check_cells, check_shape

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
    check_file(path)
    form = format_of(path)
    if sheet is not None and form.kind != "xlsx":
        raise InputError(f"{path}: --sheet {sheet} is for Excel files only.")
    if encoding is not None and form.kind not in TEXT_KINDS:
        raise InputError(f"{path}: --encoding {encoding} is for text files only.")
    data = bytes_of(path, form.kind)
    digest = hashlib.sha256(data).hexdigest()
    if form.gz:
        data = unpacked(data, form.kind, path)
    if not data:
        raise InputError(f"{path} is empty.")
    notes: tuple[str, ...] = ()
    if form.kind == "parquet":
        frame, form = _read_parquet(pa.BufferReader(data), path, form, lambda file: _whole(file, path))
    elif form.kind == "xlsx":
        frame, form, notes = read_sheet(data, str(path), form, sheet)
    elif form.kind == "jsonl":
        frame, form = read_lines(data, str(path), form, encoding)
    else:
        frame, form, notes = read_delimited(data, str(path), form, encoding)
    check_cells(frame, path)
    return Table(frame, form, path, digest, notes)


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
    data: Any, path: Path | str, form: Format, read: Callable[[Any], Any]
) -> tuple[pd.DataFrame, Format]:
    try:
        with pq.ParquetFile(data) as file:
            table = read(file)
        table.validate(full=True)
        _ = table.schema.pandas_metadata  # it is written back: no reader of ours may find it damaged
    except InputError:
        raise
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


def _whole(file: Any, path: Path | str) -> pa.Table:
    """All rows, unless they are too many for one machine."""
    meta = file.metadata
    groups = (meta.row_group(i) for i in range(meta.num_row_groups))
    check_bytes(sum(group.total_byte_size for group in groups), "parquet", path, "unpacks to")
    check_shape(meta.num_rows, meta.num_columns, "parquet", path)
    return file.read()


def _usable(values: pa.ChunkedArray, name: str, path: Path | str) -> pa.ChunkedArray:
    """A column that Python and pandas can hold."""
    kind = values.type
    if pa.types.is_string_view(kind):
        return values.cast(pa.large_string())
    if pa.types.is_binary_view(kind):
        return values.cast(pa.large_binary())
    if getattr(kind, "tz", None) is not None:
        try:
            values.slice(0, 1).to_pylist()
        except Exception as error:
            # Arrow asks Python for the zone, which raises by what it lacks.
            raise InputError(
                f"{path}: column {name!r} has the time zone {kind.tz!r}, which is not known here. "
                "Write it in UTC."
            ) from error
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        seconds = values.cast(pa.timestamp("s", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
        ends = pc.min_max(seconds).as_py()
        if ends["min"] is not None and not _FIRST_SECOND <= ends["min"] <= ends["max"] <= _LAST_SECOND:
            raise InputError(
                f"{path}: column {name!r} holds a date outside the years 1 to 9999. Correct or delete it."
            )
    return values

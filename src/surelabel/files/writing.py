"""A table -> a file, all of it or nothing."""

from __future__ import annotations

import gzip
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..cells.values import to_arrow
from ..common.errors import InputError, OutputError
from ..common.types import Bools
from .formats import Format
from .serialising import delimited_batches, json_batches
from .sheets import write_sheet

_Bytes = BinaryIO | gzip.GzipFile


@contextmanager
def replacing(path: Path | str) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` once it is whole.

    What is written goes to a temporary file in the same folder, which is synced and then
    renamed. If anything fails, the temporary file is removed and `path` is as it was.

    Parameters
    ----------
    path : str or Path
        The file to write. A link is followed.

    Yields
    ------
    file object
        Open for writing bytes.

    Raises
    ------
    OutputError
        If the folder is missing, the disk full, or writing fails otherwise.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as file:
    ...         _ = file.write(b"whole")
    ...     Path(folder, "a.txt").read_bytes()
    b'whole'
    """
    real = Path(os.path.realpath(path))
    temporary = real.parent / f".surelabel-{secrets.token_hex(8)}.tmp"
    try:
        if real.exists() and not real.is_file():
            raise OSError(0, "it is not a regular file")
        with _create(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            os.chmod(temporary, real.stat().st_mode & 0o7777)
        os.replace(temporary, real)
        _sync_folder(real.parent)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise OutputError(_reason(error, path, real.parent)) from error
        raise


def _create(path: Path) -> BinaryIO:
    return open(path, "xb")


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError, path: Path | str, folder: Path) -> str:
    try:
        free = f"{shutil.disk_usage(folder).free / 1e6:,.0f} MB are free in {str(folder)!r}"
    except OSError:
        free = f"there is no folder {str(folder)!r}"
    return (
        f"Cannot write {str(path)!r}: {error.strerror or error}; {free}. What was there before is untouched."
    )


def write_bytes(path: Path | str, data: bytes) -> None:
    """Write a whole file or nothing; see `replacing`.

    Parameters
    ----------
    path : str or Path
        The file to write.
    data : bytes
        All of it.
    """
    with replacing(path) as file:
        file.write(data)


def write_table(
    frame: pd.DataFrame,
    path: Path | str,
    format: Format,
    guarded: Collection[str] | Mapping[str, Bools | None] = (),
    guard_all: bool = False,
) -> None:
    r"""Write a table the way its file was laid out; the same table gives the same bytes.

    Parameters
    ----------
    frame : DataFrame of shape (N, d)
        The table.
    path : str or Path
        The file to write; see `replacing`.
    format : Format
        That of the table read, or `format_of(path)`.
    guarded : collection of str, or mapping of str to ndarray of shape (N,) or None
        Columns that were added; or, for each column that was added or filled in, which of its cells are
        not the user's: None for all of them, and the name. Such a cell of CSV or TSV that begins with =,
        +, - or @, also after spaces, or with a tab or a carriage return, gets an apostrophe in front
        unless it is a number, so that no spreadsheet runs it as a formula. All others are written as
        they came. Excel files need no guard: their text is marked as text.
    guard_all : bool, default=False
        Whether to guard every cell and every column name of CSV and TSV, those of the user too.

    Examples
    --------
    >>> import tempfile
    >>> frame = pd.DataFrame({"width": ["1", "-2"], "label": ["=1+1", "-2"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(frame, Path(folder, "a.csv"), Format("csv"), guarded=["label"])
    ...     Path(folder, "a.csv").read_text()
    "width,label\n1,'=1+1\n-2,-2\n"
    """
    ours = guarded if isinstance(guarded, Mapping) else dict.fromkeys(guarded)
    with replacing(path) as file:
        if format.kind == "parquet":
            _write_parquet(frame, file, path, format)
        elif format.kind == "xlsx":
            write_sheet(frame, file, str(path), format)
        elif format.gz:
            # No name and no time in the header: the bytes depend on the table alone.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write_text(frame, packed, path, format, ours, guard_all)
        else:
            _write_text(frame, file, path, format, ours, guard_all)


def _write_text(
    frame: pd.DataFrame,
    file: _Bytes,
    path: Path | str,
    form: Format,
    guarded: Mapping[str, Bools | None],
    guard_all: bool,
) -> None:
    file.write(form.mark)
    delimited = form.kind != "jsonl"
    for text in (
        delimited_batches(frame, form, guarded, guard_all) if delimited else json_batches(frame, form)
    ):
        try:
            file.write(text.encode(form.encoding))
        except UnicodeEncodeError as error:
            bad = text[error.start : error.end][:20]
            raise InputError(
                f"{path}: {bad!r} cannot be written in {form.encoding}, the encoding of the input. "
                "Save the input as UTF-8 first."
            ) from error


def _write_parquet(frame: pd.DataFrame, file: _Bytes, path: Path | str, form: Format) -> None:
    fields, arrays = [], []
    for name in frame.columns:
        values = to_arrow(frame[name])
        if values is None:
            raise InputError(
                f"{path}: column {name!r} mixes types, which Parquet cannot hold. Write .csv or .jsonl."
            )
        field = pa.field(str(name), values.type)
        if form.schema is not None and name in form.schema.names:
            field = form.schema.field(name)
            values = _as_type(values, field.type)
            field = field.with_type(values.type).with_nullable(field.nullable or values.null_count > 0)
        fields.append(field)
        arrays.append(values)
    metadata = form.schema.metadata if form.schema is not None else None
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=metadata)), file)


def _as_type(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Values in the type they had, or in their own where that cannot hold them."""
    if values.type == kind:
        return values
    try:
        if pa.types.is_dictionary(kind):
            return pc.dictionary_encode(values.cast(kind.value_type)).cast(kind)
        return values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return values

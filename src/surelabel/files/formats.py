"""How a table is laid out in a file, told by the file's name."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ..common.errors import InputError
from .sizes import check_name

_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
TEXT_KINDS = ("csv", "tsv", "jsonl")
_OTHERS = {
    ".json": "Of JSON, only JSON lines is read: one object per line, in a file named .jsonl.",
    ".xls": "Save the old Excel file as .xlsx.",
    ".xlsm": "Save the Excel file as .xlsx, without macros.",
    ".txt": "Name it .csv or .tsv, whichever it is.",
    ".feather": "Save it as .parquet.",
}
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
)


@dataclass(frozen=True)
class Format:
    """How to write a table back the way it came.

    Parameters
    ----------
    kind : {"csv", "tsv", "jsonl", "parquet", "xlsx"}
        The family of the format.
    delimiter : str
        What stands between the fields of a line (csv and tsv).
    encoding : str
        Name of the text encoding, without a byte-order mark.
    bom : bool
        Whether the file begins with a byte-order mark.
    newline : str
        What ends a line.
    gz : bool
        Whether the file is compressed with gzip.
    sheet : str, optional
        Name of the Excel sheet.
    schema : pyarrow.Schema, optional
        Types and metadata of the Parquet columns.
    preamble : str
        The line above the header that tells spreadsheets the delimiter, such as "sep=;", with its end.
    """

    kind: str
    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    gz: bool = False
    sheet: str | None = None
    schema: Any = None
    preamble: str = ""

    @property
    def mark(self) -> bytes:
        """The byte-order mark the file begins with, or no bytes."""
        return dict(_MARKS)[self.encoding] if self.bom else b""


def format_of(path: Path | str) -> Format:
    """The format that a file's name tells.

    Parameters
    ----------
    path : str or Path
        Name of a file, which need not exist.

    Examples
    --------
    >>> format_of("birds.csv.gz").kind, format_of("birds.csv.gz").gz
    ('csv', True)
    >>> format_of("birds.doc")
    Traceback (most recent call last):
        ...
    surelabel.common.errors.InputError: birds.doc: the ending '.doc' tells no known format. ...
    """
    path = Path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    gz = suffixes[-1:] == [".gz"]
    if gz:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    kind = _KINDS.get(ending)
    if kind is None or (gz and kind not in TEXT_KINDS):
        shown = ending + ".gz" * gz
        known = ", ".join(_KINDS) + "; .csv, .tsv, .jsonl and .ndjson also with .gz"
        raise InputError(
            f"{path}: the ending {shown!r} tells no known format. {_OTHERS.get(ending, '')}".rstrip()
            + f" Known are {known}."
        )
    return Format(kind, delimiter="\t" if kind == "tsv" else ",", gz=gz)


def text_encoding(data: bytes, encoding: str | None, path: Path | str) -> tuple[str, bool]:
    """Encoding without its mark, and whether the mark is there.

    A byte-order mark tells the encoding by itself; without one it is UTF-8 unless named.
    """
    name = _canonical(encoding, path) if encoding is not None else None
    for marked, mark in _MARKS:
        if data.startswith(mark) and (name is None or marked.startswith(name)):
            return marked, True
    # Without a mark, the least significant byte comes first; and naming the order keeps marks out of
    # what is written.
    return {None: "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, name or ""), False


def _canonical(encoding: str, path: Path | str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)
    except (LookupError, ValueError, TypeError) as error:
        raise InputError(
            f"{path}: unknown encoding {encoding!r}. Common ones are utf-8, latin-1, cp1252 and utf-16."
        ) from error
    return "utf-8" if name == "utf-8-sig" else name


def check_names(names: Iterable[str], path: Path | str) -> None:
    """Refuse column names that are blank, far too long, or come twice."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(
                f"{path}: column {position} has no name. Name it in the header or delete it; "
                "if it holds row numbers that pandas wrote, save with index=False."
            )
        check_name(name, position, path)
        if name in seen:
            raise InputError(
                f"{path}: columns {seen[name]} and {position} are both named {name!r}. Rename one of them."
            )
        seen[name] = position


def frame_of(columns: dict[str, Any]) -> pd.DataFrame:
    """Columns of Arrow or object arrays as a frame, without copying them."""
    return pd.DataFrame(
        {
            name: pd.Series(
                pd.arrays.ArrowExtensionArray(values)
                if isinstance(values, (pa.Array, pa.ChunkedArray))
                else values,
                copy=False,
            )
            for name, values in columns.items()
        },
        copy=False,
    )

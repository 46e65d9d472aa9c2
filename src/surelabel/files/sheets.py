"""Excel sheets, by way of openpyxl."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from dataclasses import replace
from datetime import date, datetime
from typing import Any, BinaryIO

import pandas as pd

from ..common.limits import LARGEST_EXACT
from .errors import InputError, no_such
from .formats import Format, check_names, frame_of
from .values import python_values, typed

_MOST_ROWS = 1_048_576
_LONGEST_CELL = 32_767
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment a zip file can tell
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(<)")


def _openpyxl(path: str) -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise InputError(
            f'{path}: Excel files need the package openpyxl. Install it: pip install "surelabel[excel]".'
        ) from error
    return openpyxl


def read_sheet(
    data: bytes, path: str, form: Format, sheet: str | None
) -> tuple[pd.DataFrame, Format, tuple[str, ...]]:
    """Frame of one sheet whose first row names the columns, the format, and what was noticed."""
    openpyxl = _openpyxl(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of styles, which are not read
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            names = [page.title for page in book.worksheets]
            chosen = sheet if sheet is not None else next(iter(names), None)
            rows = None
            if chosen in names:
                rows = [list(row) for row in book[chosen].iter_rows(values_only=True)]
            book.close()
        except Exception as error:
            # A damaged workbook raises whatever its damage hits: zip, XML, keys, types.
            raise InputError(
                f"{path}: not a readable Excel file ({error}). Save it again as .xlsx."
            ) from error
    if chosen is None:
        raise InputError(f"{path} has no sheet of cells.")
    if rows is None:
        raise no_such("sheet", chosen, names)
    others = [name for name in names if name != chosen]
    notes = (f"{path}: sheet {chosen!r} is read; --sheet chooses another of: {', '.join(others)}.",)
    frame = _frame(rows, f"{path}, sheet {chosen!r}")
    return frame, replace(form, sheet=chosen), notes if others and sheet is None else ()


def _frame(rows: list[list[Any]], where: str) -> pd.DataFrame:
    rows = [[None if cell == "" else cell for cell in row] for row in rows]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise InputError(f"{where} is empty.")
    width = max((j + 1 for row in rows for j, cell in enumerate(row) if cell is not None), default=0)
    rows = [row[:width] + [None] * (width - len(row)) for row in rows]
    header = ["" if name is None else str(name) for name in rows[0]]
    check_names(header, where)
    if len(rows) == 1:
        raise InputError(f"{where} has a header and no rows.")
    for number, row in enumerate(rows[1:], 2):
        if all(cell is None for cell in row):
            raise InputError(f"{where}, line {number} is blank. Delete it.")
    return frame_of({name: typed(list(cells)) for name, *cells in zip(header, *rows[1:], strict=True)})


def write_sheet(frame: pd.DataFrame, file: BinaryIO, path: str, form: Format) -> None:
    """Write a sheet whose bytes depend on the cells alone, not on the clock."""
    openpyxl = _openpyxl(path)
    if len(frame) >= _MOST_ROWS:
        raise InputError(f"{path}: Excel holds {_MOST_ROWS - 1:,} rows at most; write .csv or .parquet.")
    # All is checked before the first row: a book left half written complains when it is collected.
    header = [_storable(str(name), f"{path}, header") for name in frame.columns]
    columns = [
        [_storable(value, f"{path}, column {name!r}") for value in python_values(frame[name])]
        for name in frame.columns
    ]
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet(form.sheet or "Sheet1")
    for row in (header, *zip(*columns, strict=True)):
        page.append([_cell(openpyxl, page, value) for value in row])
    buffer = io.BytesIO()
    book.save(buffer)
    _without_clock(buffer, file)


def _storable(value: Any, where: str) -> Any:
    """A value that Excel holds as it is; text for what it would change."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.isoformat(sep=" ")
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        return str(value)  # numbers of Excel are doubles
    if isinstance(value, (bool, int, float, date, type(None))):
        return value
    value = str(value)
    if len(value) > _LONGEST_CELL:
        raise InputError(f"{where}: a cell of {len(value):,} characters; Excel holds {_LONGEST_CELL:,}.")
    if _UNPRINTABLE.search(value):
        raise InputError(f"{where}: {value[:40]!r} holds characters Excel cannot.")
    return value


def _cell(openpyxl: Any, page: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    cell = openpyxl.cell.WriteOnlyCell(page, value)
    cell.data_type = "s"  # text that begins with = is no formula
    return cell


def _without_clock(source: io.BytesIO, file: BinaryIO) -> None:
    """The same zip file with every time in it set to one moment."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z\g<3>", content)
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, content)

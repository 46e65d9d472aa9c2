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

from ..cells.values import python_values, typed
from ..common.errors import InputError, listed, no_such
from ..common.limits import LARGEST_EXACT
from .formats import Format, check_names, frame_of
from .sheet_layout import Layout, layout_of, spread_merged
from .sizes import check_bytes, check_shape

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
            f'{path}: Excel files need the package openpyxl. In a clone of surelabel: pip install ".[excel]".'
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
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                check_bytes(sum(info.file_size for info in archive.infolist()), form.kind, path, "unpacks to")
                book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
                pages = {page.title: page for page in book.worksheets}
                shown = [name for name, page in pages.items() if page.sheet_state == "visible"]
                chosen = sheet if sheet is not None else next(iter([*shown, *pages]), None)
                rows, layout = None, Layout()
                if chosen in pages:
                    rows = _rows(pages[chosen], form.kind, path)
                    layout = layout_of(archive.read(pages[chosen]._worksheet_path))
                book.close()
        except InputError:
            raise
        except Exception as error:
            # A damaged workbook raises whatever its damage hits: zip, XML, keys, types.
            raise InputError(
                f"{path}: not a readable Excel file ({error}). Save it again as .xlsx."
            ) from error
    if chosen is None:
        raise InputError(f"{path} has no sheet of cells.")
    if rows is None:
        raise no_such("sheet", chosen, list(pages))
    notes: tuple[str, ...] = ()
    others = [name if name in shown else f"{name} (hidden)" for name in pages if name != chosen]
    if others and sheet is None:
        notes = (f"{path}: sheet {chosen!r} is read; --sheet chooses another of: {', '.join(others)}.",)
    frame, more = _frame(rows, layout, f"{path}, sheet {chosen!r}")
    return frame, replace(form, sheet=chosen), notes + more


def _rows(page: Any, kind: str, path: str) -> list[list[Any]]:
    """The cells that are there, whatever size the sheet says that it has."""
    page.reset_dimensions()
    rows: list[list[Any]] = []
    width = 0
    for row in page.iter_rows(values_only=True):
        rows.append([None if cell == "" else cell for cell in row])
        width = max(width, len(row))
        check_shape(len(rows), width, kind, path)
    return rows


def _frame(rows: list[list[Any]], layout: Layout, where: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if layout.unstored:
        one = len(layout.unstored) == 1
        raise InputError(
            f"{where}: {'the cell' if one else 'the cells'} {listed(layout.unstored)} "
            f"{'holds a formula' if one else 'hold formulas'} without a stored value. Open the file in a "
            "spreadsheet program and save it there, so that values are stored."
        )
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise InputError(f"{where} is empty.")
    width = max((j + 1 for row in rows for j, cell in enumerate(row) if cell is not None), default=0)
    check_shape(len(rows), width, "xlsx", where)
    rows = [row[:width] + [None] * (width - len(row)) for row in rows]
    try:
        notes = spread_merged(rows, layout, where)
    except (ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: its merged cells cannot be read ({error}). Unmerge them.") from error
    header = ["" if name is None else str(name) for name in rows[0]]
    check_names(header, where)
    if len(rows) == 1:
        raise InputError(f"{where} has a header and no rows.")
    for number, row in enumerate(rows[1:], 2):
        if all(cell is None for cell in row):
            raise InputError(f"{where}, line {number} is blank. Delete it.")
    if layout.hidden:
        notes += (f"{where}: what is hidden is read like the rest: {listed(layout.hidden)} of the sheet.",)
    frame = frame_of({name: typed(list(cells)) for name, *cells in zip(header, *rows[1:], strict=True)})
    return frame, notes


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

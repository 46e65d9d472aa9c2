"""CSV and TSV as text, strict about the number of fields in a line.

Nothing is taken for missing and nothing is taken for a number here: a reader that guesses
makes classes named NA vanish, 007 equal to 7, and shifts columns where a line has a field too many.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv

from ..common.errors import InputError
from .formats import Format, check_names, frame_of, text_encoding
from .sizes import check_shape

_ROWS = 32_768
_TEXT = pa.large_string()
_LONGEST = 2**31 - 1
_BREAK = re.compile("\r\n|\r|\n")
# A carriage return that ends no line, and what stands for it in a line: Python's reader refuses it.
_LONE_RETURN = re.compile("\r(?!\n)")
_STAND_IN = "\ue00d"
_SEPARATOR = re.compile("sep=([;,|:\t^~#*&/ ])[\r\n]*", re.IGNORECASE)
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_MAGIC = {b"\x1f\x8b": "gzip (.gz)", b"PK": "Excel (.xlsx) or zip", b"PAR1": "Parquet (.parquet)"}


@dataclass(frozen=True)
class Text:
    """The bytes of a text file and how to read them; some are skipped, and with them the lines above.

    Where `by_feeds`, lines end with a line feed: a carriage return alone is part of a cell, and something
    else stands for it in the line.
    """

    data: bytes
    path: str
    encoding: str
    skip: int
    above: int = 0
    by_feeds: bool = False

    def lines(self) -> Iterator[str]:
        """Lines with their ends; bytes that are no text are refused by line."""
        stream = io.BytesIO(self.data)
        stream.seek(self.skip)
        number = 0
        try:
            lines = io.TextIOWrapper(stream, self.encoding, newline="\n" if self.by_feeds else "")
            for number, line in enumerate(lines, self.above + 1):
                if "\0" in line:
                    raise InputError(
                        f"{self.path}, line {number}: a NUL byte. The file is damaged, or it is in another "
                        "encoding: try --encoding utf-16."
                    )
                yield _LONE_RETURN.sub(_STAND_IN, line) if self.by_feeds else line
        except UnicodeError as error:
            raise self._undecodable(number) from error

    def cells(self, fields: list[str]) -> list[str]:
        """Fields of lines, as they stand in the file."""
        return [field.replace(_STAND_IN, "\r") for field in fields] if self.by_feeds else fields

    def _undecodable(self, number: int) -> InputError:
        """The error for bytes that are not in the encoding, by line."""
        body = self.data[self.skip :]
        byte = ""
        try:
            body.decode(self.encoding)
        except UnicodeDecodeError as error:
            number = (
                self.above + 1 + len(_BREAK.findall(body[: error.start].decode(self.encoding, "replace")))
            )
            byte = f" (byte 0x{body[error.start]:02x})" if error.start < len(body) else ""
        for magic, name in _MAGIC.items():
            if self.data.startswith(magic):
                return InputError(f"{self.path}: this is no text; it looks like {name}. Give it that ending.")
        return InputError(
            f"{self.path}, line {number}: not {self.encoding.upper()} text{byte}. Name the encoding the file "
            "was saved in, such as --encoding cp1252 or --encoding latin-1."
        )


def text_of(data: bytes, path: str, form: Format, encoding: str | None) -> tuple[Text, Format]:
    """The text of a file and its format with the encoding filled in."""
    name, bom = text_encoding(data, encoding, path)
    form = replace(form, encoding=name, bom=bom)
    return Text(data, path, name, len(form.mark)), form


def read_delimited(
    data: bytes, path: str, form: Format, encoding: str | None
) -> tuple[pd.DataFrame, Format, tuple[str, ...]]:
    """Frame of text cells, the format completed, and what was noticed."""
    text, form = text_of(data, path, form, encoding)
    try:
        return _read(text, form)
    except InputError:
        lone = data.count(b"\r") - data.count(b"\r\n")
        if not 0 < lone <= data.count(b"\n"):
            raise
        # Text that was pasted into cells may hold carriage returns that end no row.
        try:
            return _read(replace(text, by_feeds=True), form)
        except InputError:
            pass  # the error of the first reading says more
        raise


def _read(text: Text, form: Format) -> tuple[pd.DataFrame, Format, tuple[str, ...]]:
    text, form = _without_preamble(text, form)
    data, path = text.data, text.path
    with _long_fields():
        header, form, notes = _header(text, form)
        notes += _doubts(text)
        check_shape(max(data.count(b"\n"), data.count(b"\r")), len(header), form.kind, path)
        quick = _without_quotes(text, form.delimiter, header)
        if quick is not None:
            return frame_of(quick), form, notes
        chunks = _chunks(text, form.delimiter, header)
        parts = [[_strings(cells) for cells in zip(*rows, strict=True)] for rows in chunks]
    if not parts:
        raise InputError(f"{path} has a header and no rows.")
    columns = {
        name: pa.chunked_array(list(arrays))
        for name, arrays in zip(header, zip(*parts, strict=True), strict=True)
    }
    return frame_of(columns), form, notes


def _without_preamble(text: Text, form: Format) -> tuple[Text, Format]:
    """The text below a line such as "sep=;", which tells spreadsheets the delimiter, and the format by it."""
    first = next(text.lines(), "")
    told = _SEPARATOR.fullmatch(first)
    if told is None:
        return text, form
    below = replace(text, skip=text.skip + len(first.encode(text.encoding)), above=1)
    return below, replace(form, delimiter=told[1], preamble=first)


def _doubts(text: Text) -> tuple[str, ...]:
    """A note where the encoding that was named is hardly that of the file."""
    if text.encoding.startswith("utf") or text.data.isascii():
        return ()
    try:
        text.data.decode()
    except UnicodeDecodeError:
        return ()
    return (
        f"{text.path}: the file is UTF-8 text, but was read as {text.encoding}, so that é is read as Ã©. "
        "Leave --encoding out.",
    )


def _without_quotes(text: Text, delimiter: str, header: list[str]) -> dict[str, pa.ChunkedArray] | None:
    """Columns of a plain file by Arrow's reader, five times as fast as Python's; else None.

    Only where the two cannot differ: UTF-8, several columns, one kind of line end, and below the header no
    quotes, NULs or blank lines. Whatever Arrow refuses goes to Python's reader, which names the line.
    """
    names = next(text.lines())
    start = text.skip + len(names.encode())
    returns = text.data.count(b"\r")
    plain = (
        text.encoding == "utf-8"
        and len(header) > 1
        and names.count('"') % 2 == 0
        and text.data.find(b'"', start) < 0
        and not any(mark in text.data for mark in (b"\0", b"\n\n", b"\n\r\n"))
        and returns in (0, text.data.count(b"\n"))
        and returns == text.data.count(b"\r\n")
        and start < len(text.data)
        and not text.data.startswith(codecs.BOM_UTF8, start)  # Arrow would drop it from the first cell
    )
    if not plain:
        return None
    try:
        table = pacsv.read_csv(
            pa.BufferReader(pa.py_buffer(text.data).slice(start)),
            pacsv.ReadOptions(column_names=header),
            pacsv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            pacsv.ConvertOptions(column_types=dict.fromkeys(header, _TEXT), strings_can_be_null=False),
        )
    except (pa.ArrowException, ValueError):
        return None
    return dict(zip(header, table.columns, strict=True))


def _strings(cells: Sequence[str]) -> pa.Array:
    return pa.array(cells, _TEXT)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Python's limit of 131,072 characters per field lifted for a while."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _header(text: Text, form: Format) -> tuple[list[str], Format, tuple[str, ...]]:
    """Column names, the format with delimiter and line end, and notes."""
    fields, line = _first_record(text, form.delimiter)
    notes: tuple[str, ...] = ()
    if form.kind == "csv" and len(fields) < 2 and not form.preamble:
        others = {mark: _first_record(text, mark) for mark in (";", "\t", "|")}
        likely = [mark for mark, (names, _) in others.items() if len(names) > 1]
        if len(likely) == 1:
            fields, line = others[likely[0]]
            form = replace(form, delimiter=likely[0])
            notes = (f"{text.path}: fields are separated by {_NAMES[likely[0]]}, judging by the header.",)
    if not fields:
        if not any(line.strip() for line in text.lines()):
            raise InputError(f"{text.path} is empty.")
        if not line.strip():
            raise InputError(f"{text.path}, line {text.above + 1} is blank; it must hold the column names.")
        raise _quote_error(text, form.delimiter)
    check_names(fields, text.path)
    ending = _BREAK.search(line, len(line.rstrip("\r\n")))
    return fields, replace(form, newline=ending[0] if ending else "\n"), notes


def _first_record(text: Text, delimiter: str) -> tuple[list[str], str]:
    """Fields of the header, none if it cannot be read so, and its last line."""
    last = [""]

    def remembered() -> Iterator[str]:
        for line in text.lines():
            last[0] = line
            yield line

    try:
        fields = text.cells(next(csv.reader(remembered(), delimiter=delimiter, strict=True), []))
    except csv.Error:
        fields = []
    return fields, last[0]


def _chunks(text: Text, delimiter: str, header: list[str]) -> Iterator[list[list[str]]]:
    """Lists of rows, each as long as the header."""
    reader = csv.reader(text.lines(), delimiter=delimiter, strict=True)
    next(reader)
    blank = None
    while True:
        line = text.above + reader.line_num + 1
        try:
            rows = [text.cells(row) for row in islice(reader, _ROWS)]
        except csv.Error as error:
            raise _quote_error(text, delimiter) from error
        if not rows:
            return
        if blank is not None or set(map(len, rows)) != {len(header)}:
            rows, blank = _checked(rows, header, line, blank, text, delimiter)
        if rows:
            yield rows


def _checked(
    rows: list[list[str]], header: list[str], line: int, blank: int | None, text: Text, delimiter: str
) -> tuple[list[list[str]], int | None]:
    """Rows without the blank lines at the end of the file, and where those begin."""
    good = []
    for row in rows:
        if not row and len(header) == 1:
            good.append([""])
        elif not row:
            blank = blank or line
        elif blank is not None:
            raise InputError(
                f"{text.path}, line {blank} is blank. Delete it, or write a row with all its fields."
            )
        elif len(row) != len(header):
            raise _ragged(row, header, line, text.path, delimiter)
        else:
            good.append(row)
        line += 1 + sum(cell.count("\n") if text.by_feeds else len(_BREAK.findall(cell)) for cell in row)
    return good, blank


def _ragged(row: list[str], header: list[str], line: int, path: str, delimiter: str) -> InputError:
    many = len(row) > len(header)
    extra = f"the first too many is {row[len(header)][:40]!r}" if many else f"{header[len(row)]!r} has none"
    mark = _NAMES.get(delimiter, repr(delimiter))
    hint = (
        f"A cell that holds a {mark} must stand in quotes."
        if many
        else f"An empty cell still needs its {mark}."
    )
    count = f"{len(row)} field{'s' * (len(row) != 1)}"
    return InputError(f"{path}, line {line}: {count} where the header has {len(header)}; {extra}. {hint}")


def _quote_error(text: Text, delimiter: str) -> InputError:
    """The error for quotes that do not pair up, by line."""
    reader = csv.reader(text.lines(), delimiter=delimiter, strict=True)
    start = 0
    try:
        for _ in reader:
            start = reader.line_num
    except csv.Error as error:
        if "unexpected end" not in str(error):
            return InputError(
                f"{text.path}, line {text.above + reader.line_num}: text after the closing quote of a field. "
                'Write a quote inside a quoted field twice, as in "5"" tall".'
            )
    rest = "".join(islice(text.lines(), start, None))
    line = text.above + start + 1 + len(_BREAK.findall(rest[: _open_quote(rest, delimiter)]))
    return InputError(
        f"{text.path}, line {line}: a quote opens here and is never closed. Close or delete it."
    )


def _open_quote(record: str, delimiter: str) -> int:
    """Where the quote stands that is never closed."""
    closed = re.compile('"[^"]*+(?:""[^"]*+)*+"')
    position = 0
    while position < len(record):
        if record[position] == '"':
            match = closed.match(record, position)
            if match is None:
                return position
            position = match.end()
        following = record.find(delimiter, position)
        if following < 0:
            break
        position = following + 1
    return max(record.find('"'), 0)

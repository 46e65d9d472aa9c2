"""Rows of a table as lines of text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..cells.notation import PLAIN
from ..cells.values import is_text, python_values, to_arrow
from ..common.errors import InputError
from ..common.types import Bools
from .formats import Format

_ROWS = 65_536
_TEXT = pa.large_string()


def delimited_batches(
    frame: pd.DataFrame, form: Format, guarded: Mapping[str, Bools | None], guard_all: bool = False
) -> Iterator[str]:
    """The header, then lines of many rows at a time; quotes only where they are needed.

    Cells that a spreadsheet would run are guarded where a mask says so; in a column whose mask is None,
    all of them and its name.
    """
    names = [str(name) for name in frame.columns]
    whole = {name for name in names if guard_all or guarded.get(name, False) is None}
    header = [_guarded(pa.array([name], _TEXT))[0].as_py() if name in whole else name for name in names]
    yield form.preamble + form.delimiter.join(_name(name, form) for name in header) + form.newline
    for start in range(0, len(frame), _ROWS):
        rows = slice(start, start + _ROWS)
        columns = []
        for j, name in enumerate(names):
            text = _cell_text(frame.iloc[rows, j])
            if name in whole:
                text = _guarded(text)
            elif name in guarded:
                text = pc.if_else(pa.array(np.asarray(guarded[name])[rows], pa.bool_()), _guarded(text), text)
            columns.append(_quoted(text, form.delimiter))
        if len(columns) == 1:
            # A blank line could be read as no row at all.
            joined = pc.if_else(pc.equal(columns[0], ""), pa.scalar('""', _TEXT), columns[0])
        else:
            joined = pc.binary_join_element_wise(*columns, pa.scalar(form.delimiter, _TEXT))
        yield form.newline.join(joined.to_pylist()) + form.newline


def json_batches(frame: pd.DataFrame, form: Format) -> Iterator[str]:
    """Lines of many objects at a time; what is missing is null."""
    names = [str(name) for name in frame.columns]
    for start in range(0, len(frame), _ROWS):
        rows = frame.iloc[start : start + _ROWS]
        columns = [python_values(rows.iloc[:, j]) for j in range(len(names))]
        lines = (_json(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True))
        yield form.newline.join(lines) + form.newline


def _json(row: dict[str, Any]) -> str:
    try:
        return json.dumps(row, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError as error:
        name = next(name for name, value in row.items() if value in (math.inf, -math.inf))
        raise InputError(
            f"Column {name!r} holds infinity, which JSON cannot. Write .csv or .parquet."
        ) from error


def _cell_text(column: pd.Series) -> pa.Array:
    """Cells as they are written to CSV; what is missing is empty."""
    arrow = to_arrow(column)
    if arrow is not None and is_text(arrow.type):
        return pa.concat_arrays(arrow.cast(_TEXT).chunks or [pa.array([], _TEXT)]).fill_null("")
    return pa.array(["" if value is None else _written(value) for value in python_values(column)], _TEXT)


def _written(value: Any) -> str:
    return repr(value) if isinstance(value, (float, np.floating)) else str(value)


def _guarded(text: pa.Array) -> pa.Array:
    # Spreadsheets may trim spaces before they look; a tab or a carriage return is enough by itself.
    formula = pc.match_substring_regex(text, r"\A(?:[\s\p{Z}]*[=+\-@]|[\t\r])")
    number = pc.match_substring_regex(text, rf"\A *{PLAIN.pattern} *\z")
    prefixed = pc.binary_join_element_wise(pa.scalar("'", _TEXT), text, pa.scalar("", _TEXT))
    return pc.if_else(pc.and_not(formula, number), prefixed, text)


def _quoted(text: pa.Array, delimiter: str) -> pa.Array:
    needed = pc.match_substring_regex(text, f'["\\r\\n{re.escape(delimiter)}]')
    if not pc.any(needed).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    mark = pa.scalar('"', _TEXT)
    return pc.if_else(needed, pc.binary_join_element_wise(mark, doubled, mark, pa.scalar("", _TEXT)), text)


def _name(name: str, form: Format) -> str:
    # The header tells the delimiter, so whatever could be taken for one is quoted; so is a character
    # that could be taken for a byte-order mark.
    told = name.lower().startswith("sep=") or any(
        mark in name for mark in f'",;|\t\r\n\ufeff{form.delimiter}'
    )
    if told or name != name.strip():
        return '"' + name.replace('"', '""') + '"'
    return name

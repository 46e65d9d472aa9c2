"""JSON lines: one object per line, with numbers, text and truth values kept apart."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pandas as pd

from ..cells.values import typed
from ..common.errors import InputError
from .delimited import text_of
from .formats import Format, check_names, frame_of
from .sizes import check_shape

_DEEPEST = 50


def read_lines(data: bytes, path: str, form: Format, encoding: str | None) -> tuple[pd.DataFrame, Format]:
    """Frame with a column for every key, in the order they first appear, and the format."""
    text, form = text_of(data, path, form, encoding)
    columns: dict[str, list[Any]] = {}
    count = 0
    for number, line in enumerate(text.lines(), 1):
        if number == 1 and line.endswith("\r\n"):
            form = replace(form, newline="\r\n")
        if not line.strip():
            continue
        row = _row(line, f"{path}, line {number}")
        for key, value in row.items():
            if key not in columns:
                columns[key] = []
                check_shape(count + 1, len(columns), form.kind, path)
            columns[key] += [None] * (count - len(columns[key])) + [value]
        count += 1
    if not count:
        raise InputError(f"{path} has no rows.")
    if not columns:
        raise InputError(f"{path}: none of its {count} objects has a key.")
    check_shape(count, len(columns), form.kind, path)
    check_names(columns, path)
    for values in columns.values():
        values += [None] * (count - len(values))
    return frame_of({name: typed(values) for name, values in columns.items()}), form


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(
            line, object_pairs_hook=lambda pairs: _unique(pairs, where), parse_constant=_constant
        )
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        hint = " Take away the brackets around all rows, and the commas after each." * line.startswith("[")
        raise InputError(f"{where}: not JSON ({error}). Each line must hold one object.{hint}") from error
    if not isinstance(row, dict):
        raise InputError(f'{where}: holds {_name(row)}, not an object such as {{"width": 1}}.')
    for key, value in row.items():
        _check_value(key, value, where)
    return row


def _unique(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"{where}: the key {twice!r} comes twice. Rename or delete one.")
    return row


def _constant(word: str) -> float | None:
    # Python's json writes NaN for what is missing.
    return None if word == "NaN" else math.inf


def _check_value(key: str, value: Any, where: str, depth: int = 0) -> None:
    """Refuse what cannot be written again; lists and objects can be, though they are not learnt from."""
    if depth > _DEEPEST:
        raise InputError(
            f"{where}: lists and objects within each other, more than {_DEEPEST} deep. Write text."
        )
    if isinstance(value, (dict, list)):
        for inner, each in value.items() if isinstance(value, dict) else ((key, each) for each in value):
            _check_value(inner, each, where, depth + 1)
    if isinstance(value, float) and math.isinf(value):
        raise InputError(f"{where}, key {key!r}: the number is infinite or too large. Write null if unknown.")
    for part in (key, value):
        if isinstance(part, str) and not part.isascii():
            try:
                part.encode()
            except UnicodeEncodeError as error:
                raise InputError(
                    f"{where}, key {key!r}: half of a surrogate pair is no text. Correct it."
                ) from error


def _name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")

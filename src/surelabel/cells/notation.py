"""How numbers are written: 1234.5, 1,234.5, 1.234,5, $ 5, 12 %. A column is read in one notation."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from ..common.errors import InputError

_SPACES = " \u00a0\u2009\u202f"
# What may stand between thousands, and the characters that it may be.
_GROUPS = {"": "", ",": ",", ".": "[.]", " ": f"[{_SPACES}]", "'": "['\u2019]"}
_EXAMPLE = re.compile(r"(\D*)1(\D?)234([.,])5 ?(.*)")
# A sign, a currency, digits with marks between them, a unit.
_PARTS = re.compile(
    r"[+-]?([^\d\s.,+-]?)\s?[+-]?(?:[.,]?\d(?:[\d.,'\u2019\s]*\d)?[.,]?(?:[eE][+-]?\d+)?)(\s?)(\D{0,10})"
)
_SIGNS_AFTER = "%\u2030\u00b0"


@dataclass(frozen=True)
class Notation:
    """One way to write numbers.

    Parameters
    ----------
    decimal : {".", ","}
        What stands before the decimals.
    group : {"", ",", ".", " ", "'"}
        What may stand between thousands.
    before, after : str
        What stands around every number: a currency, a percent sign, a unit.

    Examples
    --------
    >>> str(Notation(",", ".", after="%"))
    '1.234,5%'
    >>> Notation.of("1.234,5%") == Notation(",", ".", after="%")
    True
    """

    decimal: str = "."
    group: str = ""
    before: str = ""
    after: str = ""

    @classmethod
    def of(cls, example: str) -> Self:
        """The notation in which 1234.5 is written so."""
        parts = _EXAMPLE.fullmatch(example)
        if parts is None or parts[2] not in _GROUPS:
            raise InputError(f"{example!r} tells no notation of numbers.")
        before, group, decimal, after = parts.groups()
        return cls(decimal, group, before, after)

    def __str__(self) -> str:
        space = " " if self.after[:1].isalpha() else ""
        return f"{self.before}1{self.group}234{self.decimal}5{space}{self.after}"

    @property
    def pattern(self) -> str:
        """A regular expression that fits a whole number, for Python and for Arrow."""
        whole = "0|[1-9][0-9]*"
        if self.group:
            whole += f"|[1-9][0-9]{{0,2}}(?:{_GROUPS[self.group]}[0-9]{{3}})+"
        point, space = re.escape(self.decimal), f"[{_SPACES}]?"
        sign = "[+-]?"
        if self.before:
            mark = re.escape(self.before)
            sign = f"(?:[+-]?{mark}{space}|{mark}{space}[+-])"
        after = space + re.escape(self.after) if self.after else ""
        return f"{sign}(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?{after}"

    def plain(self, text: pa.Array) -> pa.Array:
        """Cells that fit, as Python writes numbers; shape (N,)."""
        for affix in filter(None, (self.before, self.after)):
            text = pc.replace_substring(text, affix, "")
        if self.before or self.after or self.group in (" ", "'"):
            text = pc.replace_substring_regex(text, f"[{_SPACES}'\u2019]", "")
        if self.group in (",", "."):
            text = pc.replace_substring(text, self.group, "")
        return text if self.decimal == "." else pc.replace_substring(text, self.decimal, ".")


PLAIN = Notation()
_POINT = (PLAIN, *(Notation(".", group) for group in (",", " ", "'")))
_COMMA = tuple(Notation(",", group) for group in (".", " ", "'"))


def fitting(cells: Sequence[str], notation: Notation) -> int:
    """How many cells are numbers in a notation."""
    fits = re.compile(notation.pattern).fullmatch
    return sum(fits(cell) is not None for cell in cells)


def likely(cells: Sequence[str]) -> list[Notation]:
    """The notations that fit most cells, with a decimal point and with a decimal comma; none if few fit.

    Examples
    --------
    >>> [str(one) for one in likely(["0,5", "12,25", "1.000,0"])]
    ['1.234,5']
    >>> [str(one) for one in likely(["$1,234", "$999"])]  # the comma may be either
    ['$1,234.5', '$1.234,5']
    >>> likely(["A1", "A2"])
    []
    """
    before, after = _around(cells)
    found = []
    for notations in (_POINT, _COMMA):
        each = [replace(one, before=before, after=after) for one in notations]
        counts = [fitting(cells, one) for one in each]
        found.append((max(counts), each[counts.index(max(counts))]))
    most = max(count for count, _ in found)
    return [one for count, one in found if count == most] if 2 * most >= len(cells) > 0 else []


def _around(cells: Sequence[str]) -> tuple[str, str]:
    """What stands before and after most numbers."""
    counts: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        parts = _PARTS.fullmatch(cell)
        if parts is None:
            continue
        before, space, after = parts[1], parts[2], parts[3].strip()
        is_unit = bool(space) and after[:1].isalpha() and " " not in after
        if (not before or _is_currency(before)) and (
            not after or after in _SIGNS_AFTER or _is_currency(after) or is_unit
        ):
            counts[before, after] += 1
    return counts.most_common(1)[0][0] if counts else ("", "")


def _is_currency(mark: str) -> bool:
    return len(mark) == 1 and unicodedata.category(mark) == "Sc"

"""What a sheet of Excel holds beside the values of its cells: what is merged, hidden, or not computed yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from ..common.errors import InputError, listed

# Most sheets have none of this, and need not be looked at cell by cell.
_WORTH_A_LOOK = re.compile(rb"[<:]f[ >/]|[<:]mergeCell |hidden=")
_REFERENCE = re.compile(r"\$?([A-Z]+)\$?([0-9]+)")


@dataclass
class Layout:
    """What stands out in a sheet.

    Parameters
    ----------
    merged : list of str
        Ranges of merged cells, such as C2:C4.
    unstored : list of str
        Cells whose formula has no stored value.
    hidden : list of str
        Rows and columns that are not shown.
    """

    merged: list[str] = field(default_factory=list)
    unstored: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


def layout_of(xml: bytes) -> Layout:
    """The layout of a sheet, from its XML."""
    found = Layout()
    if _WORTH_A_LOOK.search(xml) is None:
        return found
    for _, element in ElementTree.iterparse(BytesIO(xml)):
        tag = element.tag.rsplit("}", 1)[-1]
        if tag == "mergeCell":
            found.merged.append(element.get("ref", ""))
        elif tag == "col" and element.get("hidden") in ("1", "true"):
            found.hidden.append(f"column {_letters(int(element.get('min', 1)))}")
        elif tag == "row":
            if element.get("hidden") in ("1", "true"):
                found.hidden.append(f"row {element.get('r')}")
            found.unstored += [cell.get("r", "?") for cell in element if _is_unstored(cell)]
            element.clear()
    return found


def _is_unstored(cell: ElementTree.Element) -> bool:
    """Whether a cell has a formula and no value; a formula may well give an empty text."""
    parts = {part.tag.rsplit("}", 1)[-1]: part.text for part in cell}
    return "f" in parts and not parts.get("v") and cell.get("t") != "str"


def spread_merged(rows: list[list[Any]], layout: Layout, where: str) -> tuple[str, ...]:
    """Write the value of merged cells into each of their rows, and say so; refuse what else is merged."""
    notes = []
    for area in layout.merged:
        first, last = (_position(corner) for corner in (area.split(":")[0], area.split(":")[-1]))
        if first[0] >= len(rows) or first[1] >= len(rows[0]):
            continue  # outside the table
        if first[0] == 0 or first[1] != last[1]:
            raise InputError(
                f"{where}: the cells {area} are merged, so it is not certain what belongs to which column. "
                "Unmerge them, and write a value into each."
            )
        for row in rows[first[0] + 1 : last[0] + 1]:
            row[first[1]] = rows[first[0]][first[1]]
        notes.append(area)
    if not notes:
        return ()
    return (f"{where}: the value of merged cells is taken for each of their rows: {listed(notes)}.",)


def _position(reference: str) -> tuple[int, int]:
    """Row and column, from 0, of a cell such as B7."""
    parts = _REFERENCE.fullmatch(reference)
    if parts is None:
        raise ValueError(f"{reference!r} names no cell")
    column = 0
    for letter in parts[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(parts[2]) - 1, column - 1


def _letters(column: int) -> str:
    """The name of a column, from 1.

    Examples
    --------
    >>> _letters(1), _letters(27)
    ('A', 'AA')
    """
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name

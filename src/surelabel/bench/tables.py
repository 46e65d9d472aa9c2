"""Tables of stored results, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from .datasets import known
from .scores import Score, scores
from .sheets import Sheet, sheets_of
from .store import Store
from .suite import Suite

_LABEL, _CELL, _NARROW = 26, 18, 13  # widths of the first column and the others
_CAPTION = "+- half of a 95% interval. In brackets the paper's; ^ ours is higher, v lower, at 5%."
_MARK = {"higher": " [green]^[/green]", "lower": " [red]v[/red]", "agrees": "", "": ""}


def as_tables(suite: Suite, store: Store, width: int = 100) -> Iterator[Table]:
    """Methods down, datasets across, as many tables as it takes; below ours what the paper prints."""
    if suite.half:
        for sheet in sheets_of(suite, store):
            yield from _drawn(sheet, width)
        return
    at_once = max((width - _LABEL) // _CELL, 1)
    for measure, title in suite.measures.items():
        found = scores(suite, store, measure)
        datasets = list(found)
        for start in range(0, len(datasets), at_once):
            part = {dataset: found[dataset] for dataset in datasets[start : start + at_once]}
            last = start + at_once >= len(datasets)
            yield _table(suite, title, part, _CAPTION if last else None)


def _table(suite: Suite, title: str, found: dict[str, dict[str, Score]], caption: str | None) -> Table:
    table = Table(
        title=f"{suite.title}: {title}, %", caption=caption, title_justify="left", caption_justify="left"
    )
    table.add_column("")
    for dataset, row in found.items():
        table.add_column(f"{known(dataset).title}\n{_seeds(row)}", justify="right")
    for column in suite.columns:
        cells = [_cell(row.get(column.label)) for row in found.values()]
        if any(cells):
            table.add_row(column.label, *cells)
    return table


def _drawn(sheet: Sheet, width: int) -> Iterator[Table]:
    """A sheet, its columns side by side as far as there is room."""
    at_once = max((width - _LABEL) // _NARROW, 1)
    for start in range(1, len(sheet.head), at_once):
        some = slice(start, start + at_once)
        note = sheet.note if start + at_once >= len(sheet.head) else None
        table = Table(title=sheet.title, caption=note, title_justify="left", caption_justify="left")
        for name in [sheet.head[0], *sheet.head[some]]:
            table.add_column(name, justify="right" if table.columns else "left")
        for row in sheet.rows:
            table.add_row(row[0], *row[some])
        yield table


def _seeds(row: dict[str, Score]) -> str:
    counts = [score.n for score in row.values()]
    if max(counts) == 1:
        return "1 seed"
    return f"{min(counts)} to {max(counts)} seeds" if min(counts) < max(counts) else f"{max(counts)} seeds"


def _cell(score: Score | None) -> str:
    if score is None:
        return ""
    text = str(score) + _MARK[score.word]
    if score.printed:
        text += f"\n[dim]({score.printed[0]:.2f} +- {score.printed[1]:g})[/dim]"
    return text

"""Tables of stored results, for a terminal."""

from __future__ import annotations

from rich.table import Table

from .datasets import known
from .scores import scores
from .store import Store
from .suites import Suite

_MARK = {"higher": " [green]^[/green]", "lower": " [red]v[/red]", "agrees": "", "": ""}


def as_table(suite: Suite, store: Store) -> Table:
    """Datasets down, columns across; below ours what the paper prints."""
    found = scores(suite, store)
    labels = [c.label for c in suite.columns if any(c.label in row for row in found.values())]
    seeds = [score.n for row in found.values() for score in row.values()]
    several = (
        f"{min(seeds)} to {max(seeds)}" if seeds and min(seeds) < max(seeds) else str(max(seeds, default=0))
    )
    table = Table(
        title=f"{suite.title}: accuracy in % over {several} seeds",
        caption="+- half of a 95% interval. In brackets the paper's; ^ ours is higher, v lower, at 5%.",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("dataset")
    for label in labels:
        table.add_column(label, justify="right")
    for dataset, row in found.items():
        cells = []
        for label in labels:
            score = row.get(label)
            text = "" if score is None else str(score) + _MARK[score.word]
            if score is not None and score.printed:
                text += f"\n[dim]({score.printed[0]:.2f} +- {score.printed[1]:g})[/dim]"
            cells.append(text)
        table.add_row(known(dataset).title, *cells)
    return table

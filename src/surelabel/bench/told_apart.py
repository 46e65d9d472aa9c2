"""Differences on the same splits, one by one, and how small a difference so many seeds can show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .datasets import known
from .scores import accuracies, interval
from .store import Store
from .suite import Suite

# By suite: pairs of columns whose difference the paper makes a claim about.
PAIRS = {
    "table2": [("CSA", other) for other in ("XGBoost", "PL", "FlexMatch", "UPS", "SLA")],
    "confidence": [
        ("T-test", "SLA"),
        ("T-test", "Entropy"),
        ("T-test", "Total variance"),
        ("Entropy", "SLA"),
        ("Total variance", "SLA"),
    ],
    "lower_bound": [("no confidence", "SLA"), ("CSA", "no confidence"), ("CSA", "SLA")],
    "ensemble": [("PL, ensemble", "PL"), ("CSA", "PL"), ("CSA", "PL, ensemble")],
}


def differences(suite: Suite, store: Store, first: str, second: str) -> dict[str, list[float]]:
    """What `first` has more than `second` in points, seed by seed of those both have, by dataset."""
    columns = {column.label: column for column in suite.columns}
    if first not in columns or second not in columns:
        return {}
    found = {}
    for dataset in suite.datasets:
        a, b = (accuracies(suite, store, dataset, columns[label]) for label in (first, second))
        if shared := sorted(a.keys() & b.keys()):
            found[dataset] = [a[seed] - b[seed] for seed in shared]
    return found


def lines(suite: Suite, store: Store) -> Iterator[str]:
    """A table in Markdown of the differences, and what these seeds cannot tell apart."""
    found = {pair: differences(suite, store, *pair) for pair in PAIRS[suite.name]}
    found = {pair: row for pair, row in found.items() if row}
    shown = [d for d in suite.datasets if any(d in row for row in found.values())]
    if not shown:
        return
    yield from ["", "### Differences on the same splits", ""]
    yield "| | " + " | ".join(known(d).title for d in shown) + " |"
    yield "|---|" + "---|" * len(shown)
    for (first, second), row in found.items():
        yield f"| {first} less {second} | " + " | ".join(_cell(row.get(d)) for d in shown) + " |"
    halves = [interval(gains)[1] for row in found.values() for gains in row.values() if len(gains) > 2]
    told = sum(_told(gains) for row in found.values() for gains in row.values())
    text = (
        "Points, +- half of the paired 95% interval, and the number of seeds; **bold** where 0 is outside. "
    )
    if halves:
        text += (
            f"{told} of {len(halves)} can be told from 0; one in twenty would be by chance alone. So many "
            f"seeds show differences of {np.median(halves):.1f} points and more in the median, "
            f"{min(halves):.1f} at best and {max(halves):.1f} at worst."
        )
    yield from ["", text.rstrip()]


def _told(gains: list[float]) -> bool:
    """Whether the interval leaves 0 out."""
    mean, half = interval(gains)
    return abs(mean) > half  # never of an interval that is NaN


def _cell(gains: list[float] | None) -> str:
    if not gains:
        return ""
    mean, half = interval(gains)
    text = f"{mean:+.2f}" + (f" +- {half:.2f}" if np.isfinite(half) else "")
    return (f"**{text}**" if _told(gains) else text) + f" ({len(gains)})"

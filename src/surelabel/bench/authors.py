"""Ours beside the runs that the authors stored with their code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from . import page_parts
from .datasets import known
from .paper import STORED
from .scores import accuracies, interval
from .store import Store
from .suite import Suite

_BASE = "XGBoost"
_CSA = "CSA"
# Columns of ours that stand beside their CSA.
_AS_CSA = (
    _CSA,
    "CSA, inequalities",
    "CSA, trees in full",
    "CSA, released settings",
    "CSA, released settings, drawn once",
    "CSA, released settings, trees in full",
)


_GAIN = ", gain"
# Columns whose gain over XGBoost, paired by seed, is beside that of their files.
_WITH_GAIN = (*_AS_CSA, "UPS", "SLA")
_SEEDS = 20  # of theirs


@dataclass(frozen=True)
class Beside:
    """A figure of ours with half of its 95% interval, theirs, and our number of seeds."""

    ours: float
    half: float
    theirs: float
    seeds: int

    @classmethod
    def of(cls, values: Sequence[float], theirs: float) -> Beside:
        """From ours over seeds."""
        ours, half = interval(values)
        return cls(ours, half, theirs, len(values))

    @property
    def below(self) -> bool:
        """Whether ours is below theirs by more than its interval; never where there are too few seeds."""
        return round(self.ours + self.half, 2) < self.theirs  # theirs has two digits after the point


def lines(suite: Suite, store: Store) -> Iterator[str]:
    """The table in Markdown, and a summary of it."""
    found = {name: _of_dataset(suite, store, name) for name in STORED if name in suite.datasets}
    heads = list(dict.fromkeys(head for row in found.values() for head in row))
    yield (
        "The first figure is ours with half of its 95% interval, in round brackets is theirs; **below** "
        "where ours is below theirs by more than that. "
        + page_parts.seed_line(_SEEDS, [figure.seeds for row in found.values() for figure in row.values()])
    )
    yield ""
    yield from _table(found, [head for head in heads if not head.endswith(_GAIN)], "")
    yield from ["", "### Gain over XGBoost on the same splits", ""]
    yield from _table(found, [head for head in heads if head.endswith(_GAIN)], "+")
    for head in heads:
        if head.removesuffix(_GAIN) in _WITH_GAIN:
            figures = {dataset: row[head] for dataset, row in found.items() if head in row}
            below = [known(dataset).title for dataset, figure in figures.items() if figure.below]
            what = f"on {', '.join(below)}," if below else "on none"
            yield from ["", f"{head}: significantly below theirs {what} of {len(figures)}."]
    yield ""
    yield (
        "What is stored of theirs is a mean, without the figure of each seed, so that ours can be paired by "
        "seed with our XGBoost (the gains), and not with theirs."
    )


def _table(found: dict[str, dict[str, Beside]], heads: list[str], sign: str) -> Iterator[str]:
    yield "| | " + " | ".join(head.removesuffix(_GAIN) for head in heads) + " |"
    yield "|---|" + "---|" * len(heads)
    for dataset, row in found.items():
        if any(head in row for head in heads):
            cells = [_cell(row.get(head), sign) for head in heads]
            yield f"| {known(dataset).title} | " + " | ".join(cells) + " |"


def _of_dataset(suite: Suite, store: Store, dataset: str) -> dict[str, Beside]:
    """The figures of a dataset by the heads of their columns, as far as they are stored."""
    theirs, found = STORED[dataset], {}
    columns = {column.label: column for column in suite.columns}
    base = accuracies(suite, store, dataset, columns[_BASE])
    for label in [*theirs, *_AS_CSA]:
        ours = accuracies(suite, store, dataset, columns[label]) if label in columns else {}
        if not ours:
            continue
        bar = theirs[_CSA if label in _AS_CSA else label]
        found[label] = Beside.of(list(ours.values()), bar)
        both = ours.keys() & base.keys()
        if label in _WITH_GAIN and both:
            gains = [ours[seed] - base[seed] for seed in both]
            found[label + _GAIN] = Beside.of(gains, bar - theirs[_BASE])
    return found


def _cell(figure: Beside | None, sign: str) -> str:
    if figure is None:
        return ""
    ours = f"{figure.ours:{sign}.2f}" + (f" +- {figure.half:.2f}" if isfinite(figure.half) else "")
    seeds = "" if figure.seeds == _SEEDS else f" [{figure.seeds}]"
    return f"{ours}{seeds} ({figure.theirs:{sign}.2f})" + (" **below**" if figure.below else "")

"""Ours beside the runs that the authors stored with their code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Beside:
    """A figure of ours with half of its 95% interval, and theirs."""

    ours: float
    half: float
    theirs: float

    @classmethod
    def of(cls, values: Sequence[float], theirs: float) -> Beside:
        """From ours over seeds."""
        ours, half = interval(values)
        return cls(ours, half, theirs)

    @property
    def reached(self) -> bool:
        """Whether ours is at or above theirs, which has two digits after the point."""
        return round(self.ours, 2) >= self.theirs

    @property
    def below(self) -> bool:
        """Whether ours is below theirs by more than its interval; never where there are too few seeds."""
        return not self.reached and self.ours + self.half < self.theirs


def lines(suite: Suite, store: Store) -> Iterator[str]:
    """The table in Markdown, and a summary of it."""
    found = {name: _of_dataset(suite, store, name) for name in STORED if name in suite.datasets}
    heads = list(dict.fromkeys(head for row in found.values() for head in row))
    heads.sort(key=lambda head: head.endswith(", gain"))
    yield (
        "The first figure is ours with half of its 95% interval, in brackets is theirs. Gains are over "
        "XGBoost on the same splits."
    )
    yield ""
    yield "| | " + " | ".join(heads) + " |"
    yield "|---|" + "---|" * len(heads)
    for dataset, row in found.items():
        if row:
            cells = [_cell(row.get(head), "+" if head.endswith(", gain") else "") for head in heads]
            yield f"| {known(dataset).title} | " + " | ".join(cells) + " |"
    for head in heads:
        if head.removesuffix(", gain") in _AS_CSA:
            figures = {dataset: row[head] for dataset, row in found.items() if head in row}
            reached = sum(figure.reached for figure in figures.values())
            below = [known(dataset).title for dataset, figure in figures.items() if figure.below]
            yield ""
            yield (
                f"{head}: at or above theirs on {reached} of {len(figures)} datasets; significantly below on "
                f"{', '.join(below) or 'none'}."
            )
    yield ""
    yield (
        "Significantly below: by more than our 95% interval over seeds. What is stored of theirs is a mean, "
        "without the figure of each seed, so that ours can be paired by seed with our XGBoost (the gains), "
        "and not with theirs."
    )


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
        if label in _AS_CSA and both:
            gains = [ours[seed] - base[seed] for seed in both]
            found[f"{label}, gain"] = Beside.of(gains, bar - theirs[_BASE])
    return found


def _cell(figure: Beside | None, sign: str) -> str:
    if figure is None:
        return ""
    return f"{figure.ours:{sign}.2f} +- {figure.half:.2f} ({figure.theirs:{sign}.2f})"

"""A table or a figure, and its narrower versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..files import InputError
from .cells import Cell, Column
from .datasets import known
from .paper import Printed
from .registry import METHODS

_QUICK_DATASETS = ("breast_cancer", "digits", "blobs")
_QUICK = {"members": 4, "rounds": 2, "iterations": 100, "epochs": 1, "least_steps": 50}


@dataclass(frozen=True)
class Suite:
    """A table or a figure: datasets by columns, for as many seeds as one likes.

    Parameters
    ----------
    name, title : str
        What it is called on the command line, and on the page.
    kind : {"table", "figure"}
        What is made of it.
    datasets : tuple of str
        Its rows.
    columns : tuple of Column
        Its columns.
    seeds : int
        How many by default.
    printed : dict
        The paper's figures by dataset and label.
    about : str
        What to know when reading it.
    measures : dict of str
        What is in its tables: names in the stored lines, and titles.
    printed_seeds : int
        Runs behind the paper's figures; 0 puts them beside ours without comparing.
    splits : tuple of dict
        The ways in which a dataset is split: every column is run on each.
    first : int
        The number of its first seed.
    half : {"choosing", "confirming", "text", ""}
        Which half of the tables and draws it has, or those with text; "" for what the paper has.
    """

    name: str
    title: str
    kind: str
    datasets: tuple[str, ...]
    columns: tuple[Column, ...]
    seeds: int
    printed: Printed = field(default_factory=dict, hash=False)
    about: str = ""
    measures: dict[str, str] = field(default_factory=lambda: {"accuracy": "accuracy"}, hash=False)
    printed_seeds: int = 30
    splits: tuple[dict[str, Any], ...] = field(default=({},), hash=False)
    first: int = 0
    half: str = ""

    @property
    def numbers(self) -> range:
        """The seeds themselves."""
        return range(self.first, self.first + self.seeds)

    def cells(self) -> Iterator[Cell]:
        """All runs, seed by seed, so that a run that is stopped has a bit of everything."""
        for seed in self.numbers:
            for dataset in self.datasets:
                for split in self.splits:
                    for column in self.columns:
                        yield Cell.of(dataset, column.method, seed, split | column.settings)

    def narrowed(
        self,
        seeds: int | None = None,
        datasets: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
        quick: bool = False,
    ) -> Suite:
        """The same with fewer seeds, datasets or methods; quick: the least that shows all of it.

        Methods go by their own names, or by the label of a column.
        """
        suite = self.quickened() if quick else self
        if seeds is not None:
            # A half has its own draws, and never those of the other.
            suite = replace(suite, seeds=min(seeds, suite.seeds) if suite.half else seeds)
        if datasets:
            for name in datasets:
                if suite.half and name not in suite.datasets:
                    there = ", ".join(suite.datasets) or "none"
                    raise InputError(f"{suite.name} has no table {name!r} here; there are {there}.")
                if not suite.half:
                    known(name)
            suite = replace(suite, datasets=tuple(d for d in suite.datasets if d in datasets))
        if methods:
            suite = replace(
                suite, columns=tuple(c for c in suite.columns if c.method in methods or c.label in methods)
            )
        return suite

    def quickened(self) -> Suite:
        """One seed, small committees, the data that come with scikit-learn, the ends of every series."""
        own = tuple(d for d in self.datasets if d in _QUICK_DATASETS)[:1]
        # Numbers of rows are those of the suite's own data.
        columns = self.columns if own else tuple(map(_of_any_size, self.columns))
        if self.name in ("labels", "iterations", "members"):
            columns = (columns[0], *columns[-2:])
        # A half never has a table of the other.
        datasets = own or (self.datasets[:1] if self.half else ("breast_cancer",))
        if not own and all(column.method == "network" for column in columns):
            # Small pictures that are at hand, and a network that a CPU trains in a moment.
            small = {"net": "cnn-16", "side": 0, "augment": "none", "least_steps": _QUICK["least_steps"]}
            columns = tuple(replace(column, settings=column.settings | small) for column in columns)
            datasets = ("digits",)
        columns = tuple(map(_quick, columns))
        return replace(self, datasets=datasets, columns=columns, seeds=1, splits=self.splits[:1])


def _of_any_size(column: Column) -> Column:
    kept = {k: v for k, v in column.settings.items() if k not in ("labelled", "unlabelled")}
    return replace(column, settings=kept)


def _quick(column: Column) -> Column:
    defaults = METHODS[column.method].defaults
    # Numbers that the column itself sets stay where they are smaller still.
    smaller = {k: min(v, column.settings.get(k, v)) for k, v in _QUICK.items() if k in defaults}
    return replace(column, settings=column.settings | smaller)

"""Parts of the paper's page that are no tables of results: contents, the map, settings, sizes, commands."""

from __future__ import annotations

import math
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..files import InputError
from .datasets import DATASETS, Dataset
from .paper import SIZES
from .store import Store
from .suite import Suite

_MAP = "map.toml"
_VERDICTS = ("holds", "does not hold", "cannot be told", "not run", "defined")


def anchor(title: str) -> str:
    """What a heading is linked by.

    Examples
    --------
    >>> anchor("Table 2: all methods")
    'table-2-all-methods'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def contents(titles: Sequence[str]) -> Iterator[str]:
    """A list of links."""
    yield from (f"- [{title}](#{anchor(title)})" for title in titles)


def seed_line(usual: int, seeds: Sequence[int]) -> str:
    """How many seeds the cells of a table have.

    Examples
    --------
    >>> seed_line(10, [10, 10, 5])
    '10 seeds; where a cell has another number, it is in square brackets.'
    """
    text = "1 seed" if usual == 1 else f"{usual} seeds"
    if set(seeds) == {usual}:
        return f"{text} everywhere."
    return f"{text}; where a cell has another number, it is in square brackets."


def read_map(folder: Path, suites: Sequence[Suite]) -> dict[str, list[dict[str, str]]]:
    """What is typed by hand of the paper: `line` for each claim, `setting` for each setting; checked."""
    path = folder / _MAP
    if not path.exists():
        return {}
    found = tomllib.loads(path.read_text())
    names = {suite.name for suite in suites}
    for line in found.get("line", []):
        if line["verdict"] not in _VERDICTS:
            raise InputError(f"{path}: a verdict is one of {', '.join(_VERDICTS)}; not {line['verdict']!r}.")
        if line.get("suite") and line["suite"] not in names:
            raise InputError(f"{path} names the suite {line['suite']!r}, which there is not.")
    return found


def map_lines(found: dict[str, list[dict[str, Any]]], suites: Sequence[Suite]) -> Iterator[str]:
    """The map: of the paper's tables, figures, equations and claims, where each is, and what came out."""
    by_name = {suite.name: suite for suite in suites}
    yield "| in the paper | what it says | here | command | verdict |"
    yield "|---|---|---|---|---|"
    for line in found["line"]:
        suite = by_name.get(line.get("suite", ""))
        here = f"[{suite.title}](#{anchor(suite.title)})" if suite else line.get("where", "")
        command = f"`surelabel bench run {suite.name} --data-dir DIR`" if suite else line.get("command", "")
        verdict = f"**{line['verdict']}**" + (f": {line['why']}" if line.get("why") else "")
        yield f"| {line['paper']} | {line['says']} | {here} | {command} | {verdict} |"


def setting_lines(found: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Every setting of the paper's recipes, and where the paper says it."""
    yield "| setting | `paper_csa()` | where the paper says it | `released=True` |"
    yield "|---|---|---|---|"
    for line in found["setting"]:
        yield f"| {line['name']} | {line['value']} | {line['paper']} | {line.get('released', 'the same')} |"


def size_lines(used: set[str]) -> Iterator[str]:
    """Sizes of the splits beside those that the paper prints."""
    yield "| dataset | rows | columns | classes | labelled / unlabelled / test | in the paper's table |"
    yield "|---|---|---|---|---|---|"
    for d in DATASETS.values():
        if d.name in used:
            ours = " / ".join(f"{n:,}" for n in split_sizes(d))
            printed = SIZES.get(d.name)
            theirs = "" if printed is None else " / ".join(f"{n:,}" for n in printed)
            differs = " **other**" if printed is not None and tuple(printed) != split_sizes(d) else ""
            yield f"| {d.title} | {d.rows:,} | {d.columns} | {d.classes} | {ours} | {theirs}{differs} |"


def split_sizes(dataset: Dataset) -> tuple[int, int, int]:
    """Labelled, unlabelled and test rows of a split.

    Examples
    --------
    >>> split_sizes(DATASETS["segment"])
    (554, 1294, 462)
    """
    test = dataset.published or math.ceil(round(dataset.test * dataset.rows, 6))
    unlabelled = math.ceil(round(dataset.unlabelled * (dataset.rows - test), 6))
    return dataset.rows - test - unlabelled, unlabelled, test


def command_lines(suite: Suite, store: Store) -> Iterator[str]:
    """How a suite is run, and the commands by which it was."""
    own = [run["command"] for run in store.runs if _named(run["command"]) == suite.name]
    yield ""
    yield f"`surelabel bench run {suite.name} --data-dir DIR` runs what is not stored of it."
    commands = list(dict.fromkeys(own))
    if commands:
        yield from [
            "",
            f"<details><summary>Run by {len(commands)} command{'s'[len(commands) == 1 :]}</summary>",
            "",
        ]
        yield from (f"- `{command} --data-dir DIR`" for command in commands)
        yield from ["", "</details>"]


def _named(command: str) -> str:
    """The suite that a command runs; "" for none."""
    words = shlex.split(command)
    return words[3] if words[1:3] == ["bench", "run"] and len(words) > 3 else ""

"""docs/reproduction.md and the page of the suite, made from the stored lines alone."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from ..files import InputError
from . import authors, page_parts, told_apart
from .datasets import known
from .scores import Paired, Score, paired, ranks, scores, share_stored
from .sheets import sheets_of
from .store import Store
from .suite import Suite
from .suites import SUITES
from .table_suites import TEXT

_NOTES = "notes.toml"
_MAP_TITLE, _SETTINGS_TITLE = "The paper's claims, one by one", "Every setting"
_SIZES_TITLE, _RUN_TITLE = "Sizes of the datasets", "How this was run"
_WORTH_SHOWING = 0.4  # of a suite's datasets and columns
_COMPARED = ("CSA", "CSA, t-test, per class", "csa()")


def write(store: Store, path: Path, suites: list[Suite], *, pictures: bool = True) -> Path:
    """Write the page, and its figures beside the results."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines(store, path, suites, pictures=pictures)).rstrip() + "\n")
    return path


def lines(store: Store, path: Path, suites: list[Suite], *, pictures: bool = True) -> Iterator[str]:
    """The page, line by line."""
    shares = {suite.name: share_stored(suite, store) for suite in suites}
    # A figure of a point or two says nothing; but where there is no more than that, that is shown.
    least = _WORTH_SHOWING if max(shares.values()) >= _WORTH_SHOWING else 0.0
    stored = [suite for suite in suites if shares[suite.name] and shares[suite.name] >= least]
    if not stored:
        first = "table2" if any(not suite.half for suite in suites) else suites[0].name
        raise InputError(f"Nothing is stored in {store.folder}. First: surelabel bench run {first}")
    notes = _notes(store.folder)
    of_paper = any(not suite.half for suite in suites)
    typed = page_parts.read_map(store.folder, suites) if of_paper else {}
    yield from _preface(stored, store)
    yield from notes.get("page", [])
    if of_paper:
        front = [_MAP_TITLE, _SETTINGS_TITLE] if typed else []
        titles = [*front, _SIZES_TITLE, *(suite.title for suite in stored), _RUN_TITLE]
        yield from ["", "## Contents", "", *page_parts.contents(titles)]
        if typed:
            yield from ["", f"## {_MAP_TITLE}", "", *page_parts.map_lines(typed, stored)]
            yield from _noted(notes.get("map", []))
            yield from ["", f"## {_SETTINGS_TITLE}", "", *page_parts.setting_lines(typed)]
            yield from _noted(notes.get("settings", []))
        used = {dataset for suite in stored for dataset in suite.datasets}
        yield from ["", f"## {_SIZES_TITLE}", "", *page_parts.size_lines(used)]
        yield from _noted(notes.get("sizes", []))
    for suite in stored:
        yield from ["", f"## {suite.title}", ""]
        if suite.about:
            yield from [suite.about, ""]
        if suite.kind == "figure":
            yield from _figure_of(suite, store, path, pictures)
        for section in _SECTIONS.get(suite.name, (_tables_of,)) if suite.kind == "table" else ():
            yield from section(suite, store)
        yield from _noted(notes.get(suite.name, []))
        if not suite.half:
            yield from page_parts.command_lines(suite, store)
    left = [f"*{suite.title}* (`{suite.name}`)" for suite in suites if suite not in stored]
    if left:
        yield from ["", "## Not run yet, or only begun", "", ", ".join(left) + "."]
    yield from ["", f"## {_RUN_TITLE}", ""]
    yield from _circumstances(stored, store)


def _preface(suites: list[Suite], store: Store) -> Iterator[str]:
    of_paper = any(not suite.half for suite in suites)
    yield from ["# The paper, reproduced" if of_paper else "# csa() on tables as users bring them", ""]
    command = "surelabel bench page" + ("" if of_paper else f" {suites[0].name}")
    yield (
        f"This page is made by `{command}` from the JSON lines in "
        f"[{store.folder.name}]({store.folder.name}); nothing on it is typed by hand but the notes."
    )
    yield ""
    yield (
        "Ours is the mean test accuracy in percent over seeds, +- half of its 95% interval (Student's t). "
        "The paper's is in brackets with the deviation it prints (30 seeds, 5 for CIFAR). Beside it a word "
        "where the two differ at 5% by Welch's test: **higher** or **lower** is ours."
        if of_paper
        else "The models that read text were chosen on these tables, but on other draws of their rows."
        if suites[0].half == TEXT
        else "Tables and draws have two halves, named beforehand (`bench/table_suites.py`): what is changed "
        "is chosen on the first, and the second confirms it, once."
    )
    yield ""


def _cell_of(score: Score | None, usual: int) -> str:
    """A table's cell, with its number of seeds where that is not the usual one."""
    if score is None:
        return ""
    text = str(score) + ("" if score.n == usual else f" [{score.n}]")
    if score.printed:
        text += f" ({score.printed[0]:.2f} +- {score.printed[1]:g})"
    return text + (f" **{score.word}**" if score.word in ("higher", "lower") else "")


def _tables_of(suite: Suite, store: Store) -> Iterator[str]:
    """A table for each of a suite's measures, under its name where there are several."""
    for measure, title in suite.measures.items():
        if len(suite.measures) > 1:
            yield from ["", f"### {title[0].upper()}{title[1:]}", ""]
        yield from _table_of(suite, store, measure)


def _table_of(suite: Suite, store: Store, measure: str = "accuracy") -> Iterator[str]:
    """The table of a suite in Markdown: methods down, datasets across."""
    found = scores(suite, store, measure)
    if not found:
        return
    seeds = [score.n for row in found.values() for score in row.values()]
    usual = max(sorted(set(seeds)), key=seeds.count)
    yield "| | " + " | ".join(known(d).title for d in found) + " |"
    yield "|---|" + "---|" * len(found)
    for column in suite.columns:
        cells = [_cell_of(row.get(column.label), usual) for row in found.values()]
        if any(cells):
            yield f"| {column.label} | " + " | ".join(cells) + " |"
    yield ""
    yield page_parts.seed_line(usual, seeds)
    words = [score.word for row in found.values() for score in row.values() if score.word]
    if words:
        yield (
            f"Of {len(words)} figures of the paper ours agrees with {words.count('agrees')}, is higher than "
            f"{words.count('higher')} and lower than {words.count('lower')}."
        )


def _over_datasets(suite: Suite, store: Store) -> Iterator[str]:
    for label in ("CSA", "csa()"):
        tests = paired(suite, store, label)
        if not tests:
            continue
        yield from ["", f"### {label} against each, on the same splits", ""]
        yield "| against | gain in points, mean over datasets | better on | worse on | p over datasets |"
        yield "|---|---|---|---|---|"
        for test in tests:
            better, worse = (", ".join(known(d).title for d in names) for names in (test.better, test.worse))
            p = "" if test.p != test.p else f"{test.p:.3f}"
            yield f"| {test.other} | {test.gain:+.2f} | {better} | {worse} | {p} |"
        yield from [
            "",
            "Better and worse: the paired 95% interval over seeds leaves 0 out. p: Wilcoxon's signed-rank "
            "test over datasets.",
        ]
    ranked = ranks(suite, store)
    if ranked is None:
        return
    order = sorted(ranked.mean.items(), key=lambda item: item[1])
    yield from ["", "### Mean ranks", ""]
    yield ", ".join(f"{label} {rank:.1f}" for label, rank in order) + "."
    yield (
        f"Over {ranked.n_datasets} datasets (Friedman's test: p = {ranked.p:.2g}). Ranks closer than "
        f"{ranked.distance:.1f} cannot be told apart (Nemenyi, 5%):"
    )
    yield ""
    for group in ranked.groups():
        yield f"- {', '.join(group)}"


def _gains(suite: Suite, store: Store) -> Iterator[str]:
    """What a method gains over each other by every measure, on the same splits."""
    for label in _COMPARED:
        by_measure = [
            {test.other: test for test in paired(suite, store, label, measure)} for measure in suite.measures
        ]
        yield from ["", f"### {label} less each other, on the same splits", ""]
        yield "| | " + " | ".join(suite.measures.values()) + " |"
        yield "|---|" + "---|" * len(by_measure)
        for other in by_measure[0]:
            cells = [_gain(tests[other]) if other in tests else "" for tests in by_measure]
            yield f"| {other} | " + " | ".join(cells) + " |"
    yield from [
        "",
        "Points, mean over datasets; beside them those on which the paired 95% interval leaves 0 out.",
    ]


def _gain(test: Paired) -> str:
    better, worse = ([known(d).title for d in names] for names in (test.better, test.worse))
    words = [f"better: {', '.join(better)}"] * bool(better) + [f"worse: {', '.join(worse)}"] * bool(worse)
    return f"{test.gain:+.2f}" + (f" (**{'; '.join(words)}**)" if words else "")


def _sheets(suite: Suite, store: Store) -> Iterator[str]:
    for sheet in sheets_of(suite, store):
        yield from ["", f"### {sheet.title}", ""]
        for row in (sheet.head, ["---"] * len(sheet.head), *sheet.rows):
            yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"
        yield from ["", sheet.note]


def _figure_of(suite: Suite, store: Store, path: Path, pictures: bool) -> Iterator[str]:
    image = store.folder / f"{suite.name}.png"
    if pictures:
        from .figures import draw

        draw(suite, store, image)
    # Beside the page, whatever folder both are in.
    yield f"![{suite.title}]({_relative(image, path.parent)})"


def _relative(image: Path, folder: Path) -> str:
    image, folder = image.resolve(), folder.resolve()
    return image.relative_to(folder).as_posix() if image.is_relative_to(folder) else image.name


def _circumstances(stored: list[Suite], store: Store) -> Iterator[str]:
    by_machine: dict[str, list[str]] = {}
    for run in store.runs:
        versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
        machine = (
            f"{run['cores']} cores, {run['processor']}, {run['system']}; Python {run['python']}, {versions}"
        )
        by_machine.setdefault(machine, []).append(run["command"])
    # Those of the paper's suites stand beside their tables.
    apart = any(suite.half for suite in stored)
    shown = {suite.name for suite in stored}
    for machine, commands in by_machine.items():
        others = [c for c in commands if apart or not shown & set(c.split()[3:4])]
        yield from [f"On {machine}" + (":" if others else "."), ""]
        yield from [*(f"- `{command}`" for command in others), *([""] if others else [])]
    taken = sum(record["seconds"]["total"] for record in store.seconds.values())
    yield (
        f"{len(store.results):,} runs, {taken / 3600:.1f} hours of one core in all. Seeds count from 0: "
        "split, committee and network all depend on them. Every run has one thread."
    )


def _notes(folder: Path) -> dict[str, list[str]]:
    """Sentences by suite, from notes.toml beside the results: table2 = ["...", "..."]."""
    path = folder / _NOTES
    if not path.exists():
        return {}
    notes = tomllib.loads(path.read_text())
    unknown = [name for name in notes if name not in ("page", "map", "settings", "sizes", *SUITES)]
    if unknown:
        raise InputError(f"{path} has notes on {unknown[0]!r}, which is no table or figure.")
    return notes


def _noted(notes: list[str]) -> Iterator[str]:
    if notes:
        yield ""
        yield from (f"- {note}" for note in notes)


# What stands under the title of a table, where it is not the table alone.
_SECTIONS = {
    "table2": (_tables_of, told_apart.lines, _over_datasets),
    "confidence": (_tables_of, told_apart.lines),
    "lower_bound": (_tables_of, told_apart.lines),
    "ensemble": (_tables_of, told_apart.lines),
    "multilabel": (_tables_of, _gains),
    "stored": (authors.lines,),
    "stored_several": (authors.lines,),
    "suite": (_sheets,),
    "suite_confirm": (_sheets,),
    "suite_text": (_sheets,),
}

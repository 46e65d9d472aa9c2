"""What a person sees of a run: its columns and classes before, and what was found after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..advice.stopping import at_random
from ..cells import Kind
from ..common.settings import GOAL
from ..common.versions import versions
from ..files import listed
from ..filling import Filling, More
from ..handing_out import FilledLabels
from .console import escaped, note, sentence, shown
from .facts import Facts
from .problems import Problem
from .run_folder import RunFolder
from .source import Reader
from .summary import Summary
from .work import Outcome

_SHOWN_CLASSES = 12
_SHOWN_COLUMNS = 40
_SHOWN_SHORT = 6
_ROW = re.compile(r"\brow [0-9]")


def show_dashboard(console: Console, reader: Reader) -> None:
    """Where a cluster can be watched at work."""
    if reader.dashboard is not None:
        console.print(f"dashboard: {escaped(reader.dashboard)}", highlight=False, soft_wrap=True)


def show_facts(console: Console, facts: Facts) -> None:
    """What the reader decided by itself, and columns and classes in two lines, before any work.

    Of columns, the table has those alone that need a look; `surelabel inspect` has the rest.
    """
    for words in facts.notes:
        note(console, words)
    noted = [kind for kind in facts.kinds.values() if kind.note]
    if noted:
        console.print(_columns_table(noted, "columns to look at"))
        console.print()
    for line in _in_short(facts):
        console.print(escaped(line), highlight=False)
    _show_unused(console, facts)
    console.print()


def show_columns(console: Console, facts: Facts) -> None:
    """What each column is taken for, and the labelled rows of each class."""
    console.print(_columns_table(list(facts.kinds.values()), "columns"))
    _show_unused(console, facts)
    console.print()
    console.print(_classes_table(facts))
    console.print()


def _in_short(facts: Facts) -> Iterator[str]:
    """Columns by what they are taken for, and labelled rows by class: two lines."""
    kinds = Counter(kind.kind for kind in facts.kinds.values() if kind.used)
    counted = ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common())
    yield f"columns: {counted} (surelabel inspect tells why)"
    counts = sorted(facts.counts.items(), key=lambda item: -item[1])
    classes = ", ".join(f"{label} {count:,}" for label, count in counts[:_SHOWN_SHORT])
    if len(counts) > _SHOWN_SHORT:
        classes += f" and {len(counts) - _SHOWN_SHORT:,} more"
    if facts.several:
        yield f"rows that have each label: {classes}; rows with an unknown label: {facts.n_unlabeled:,}"
    else:
        yield f"labelled rows: {classes}; rows without a label: {facts.n_unlabeled:,}"


def _show_unused(console: Console, facts: Facts) -> None:
    """Columns that are not learnt from, if there are any."""
    unused = [kind.name for kind in facts.kinds.values() if not kind.used and kind.kind != "target"]
    if unused:
        n_all = sum(kind.kind != "target" for kind in facts.kinds.values())
        verb = "is" if len(unused) == 1 else "are"
        line = f"{len(unused):,} of {n_all:,} columns {verb} not learnt from: {listed(unused)}"
        console.print(escaped(line), style="dim", highlight=False)


def show_problems(console: Console, problems: Sequence[Problem]) -> None:
    """What to know before any time is spent, each with where it is and what to do."""
    if not problems:
        console.print("No problem found.")
        return
    table = Table(title="problems", title_justify="left", box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column()
    before = None
    for problem in problems:
        text = Text(shown(problem.what))
        if problem.advice:
            text.append(f"\n→ {shown(problem.advice)}", "cyan")
        where = "" if problem.where == before else problem.where
        table.add_row(Text(shown(where), "bold"), text)
        before = problem.where
    console.print(table)
    if any(_ROW.search(problem.what) for problem in problems):
        console.print("\nRow 1 is the first below the header.", style="dim")


def show_resumed(console: Console, record: dict[str, Any], n_rounds: int) -> None:
    """After which round a run goes on, and what may change its labels."""
    now = versions()
    for package, before in record["versions"].items():
        if now.get(package, before) != before:
            note(
                console,
                f"the run began with {package} {before} and goes on with {now[package]}: its labels may not "
                "be what they would have been.",
            )
    console.print(f"going on after round {n_rounds}" if n_rounds else "starting at round 1", highlight=False)


def show_rounds_over(console: Console, outcome: Outcome) -> None:
    """That the labels filled in are others than those that the rounds accepted."""
    if outcome.filling is not None and len(outcome.filling.filled):
        by = ", by the promise" if outcome.filling.share_promised else ""
        words = "Rounds accept labels for training. Which labels are filled in is decided after them"
        console.print(f"\n{words}{by}.", style="dim", highlight=False)


def show_outcome(console: Console, folder: RunFolder, outcome: Outcome) -> None:
    """What was labelled, whether it helped, what to do next."""
    summary = outcome.summary
    if summary is None:
        console.print("Stopped. To go on, give the same command with --resume.")
        return
    console.print(f"\n[bold]{escaped(sentence(str(outcome.filling)))}[/bold]\n", highlight=False)
    console.print(_outcome_table(summary))
    console.print()
    if outcome.verdict is not None:
        console.print(f"did the unlabelled rows help? [bold]{outcome.verdict}[/bold]", highlight=False)
    if outcome.gained is not None:
        console.print(sentence(outcome.gained), highlight=False)
    console.print("\n[bold]What to do next[/bold]")
    for line in _advice(folder, outcome):
        console.print(f"  {line}", highlight=False, soft_wrap=True)


def _advice(folder: RunFolder, outcome: Outcome) -> Iterator[str]:
    """Sentences on what to do with the outcome."""
    path = escaped(folder.path)
    if outcome.interrupted:
        yield f"Stopped. To go on, give the same command with --resume; so far all is in {path}."
    yield f"Labels and reasons: {', '.join(escaped(labels) for labels in outcome.labels)}"
    if outcome.page is not None:
        yield f"Look at it in a browser: {escaped(outcome.page)}"
    if outcome.reviewable:
        others = ", and label the others" if outcome.n_left else ""
        yield f"Check them{others}, one key a row: surelabel review {path}"
    yield f"Predict other rows: surelabel predict {path} new.csv -o predictions.csv"
    if outcome.filling is not None and outcome.n_left:
        yield from _for_more(path, outcome.filling, outcome.looser)
    if outcome.hurt:
        yield "Do not trust the labels found: on held-out rows they made the classifier worse."
    elif outcome.alone:
        yield "The classifier is the one trained on the given labels alone: it is expected to be no worse."


def _for_more(path: str, filling: Filling, looser: Filling | None) -> Iterator[str]:
    """What it takes to fill in more; nothing that would not."""
    in_shards = not isinstance(filling, FilledLabels)
    if looser is not None:
        how = "the same command with --overwrite" if in_shards else f"surelabel fill {path}"
        yield f"{looser.n_filled:,} labels, and less sure: {how} --right {looser.right:g}"
    wanted = _wanted(filling.more) if isinstance(filling, FilledLabels) else None
    if wanted is not None and wanted.labels is not None:
        yield (
            f"To fill in {wanted.share:.0%} of the missing labels under the same promise: "
            f"{at_random(wanted.labels)}; then give them back."
        )


def _wanted(steps: Sequence[More]) -> More | None:
    """The goal of `next` and `review`, or the step beyond it; else the one that comes nearest to it."""
    there = [step for step in steps if step.labels]
    return next((step for step in there if step.share >= GOAL), there[-1] if there else None)


def _columns_table(kinds: Sequence[Kind], title: str) -> Table:
    """What each of some columns is taken for, and why."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in ("column", "taken for", "why", "missing", "such as"):
        wrap = name in ("why", "such as")
        justify: Any = "right" if name == "missing" else "left"
        table.add_column(name, justify=justify, overflow="ellipsis", no_wrap=not wrap, max_width=40)
    for kind in kinds[:_SHOWN_COLUMNS]:
        unused = not kind.used and kind.kind != "target"
        style = "dim" if unused else "bold" if kind.kind == "target" else ""
        cells = [kind.name, kind.kind, kind.why, f"{kind.n_missing:,}" if kind.n_missing else ""]
        table.add_row(*[Text(shown(cell)) for cell in [*cells, ", ".join(kind.examples)]], style=style)
    if len(kinds) > _SHOWN_COLUMNS:
        rest = Counter(kind.kind for kind in kinds[_SHOWN_COLUMNS:])
        counts = ", ".join(f"{kind}: {n:,}" for kind, n in rest.items())
        table.add_row(f"and {len(kinds) - _SHOWN_COLUMNS:,} more", "", counts, style="dim")
    return table


def _classes_table(facts: Facts) -> Table:
    """Labelled rows of each class, or rows that have each label."""
    title, what = ("rows that have it", "label") if facts.several else ("labelled rows", "class")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column(what)
    table.add_column("rows", justify="right")
    table.add_column("")
    counts = sorted(facts.counts.items(), key=lambda item: -item[1])
    most = max(1, *facts.counts.values())
    for label, count in counts[:_SHOWN_CLASSES]:
        bar = "█" * max(min(count, 1), round(24 * count / most))
        table.add_row(Text(shown(label)), f"{count:,}", Text(bar, "cyan"))
    if len(counts) > _SHOWN_CLASSES:
        rest = sum(count for _, count in counts[_SHOWN_CLASSES:])
        table.add_row(f"{len(counts) - _SHOWN_CLASSES} others", f"{rest:,}", "", style="dim")
    unknown = "rows with an unknown label" if facts.several else "no label"
    table.add_row(unknown, f"{facts.n_unlabeled:,}", "", style="dim")
    return table


def _outcome_table(summary: Summary) -> Table:
    """What became of the rows of each class, or of the cells of each label."""
    what, *counted = summary.columns
    most, others = (_SHOWN_CLASSES, "classes") if what == "class" else (_SHOWN_COLUMNS, "labels")
    table = Table(box=None, pad_edge=False)
    table.add_column(what)
    for name in [*counted, *(["about right"] if summary.right else [])]:
        table.add_column(name, justify="right")
    for name, counts in summary.lines[:most]:
        right = [summary.right.get(name, "")] if summary.right else []
        table.add_row(Text(shown(name)), *[f"{n:,}" for n in counts], *right)
    if len(summary.lines) > most:
        table.add_row(f"and {len(summary.lines) - most} more {others}", style="dim")
    of_all = [summary.right_of_all] if summary.right else []
    table.add_row("all", *[f"{n:,}" for n in summary.totals], *of_all, style="bold")
    return table

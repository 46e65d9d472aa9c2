"""What a person sees: tables before and after, and how far a run has come."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ..common.durations import duration
from ..common.notice import logger
from ..common.versions import versions
from .source import Source

_SHOWN_CLASSES = 12
_SHOWN_COLUMNS = 40
# What comes after the rounds, as a share of these: the final classifier, and the guard.
_FINAL, _AFTER_ROUNDS = 0.1, 0.67


def console_for(quiet=False, *, stderr=False):
    """A console that takes names for what they are: no emoji, no failing on odd characters."""
    stream = sys.stderr if stderr else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return Console(quiet=quiet, stderr=stderr, emoji=False)


def shown(value):
    r"""A value as text without the characters that would move the cursor or break the line.

    Examples
    --------
    >>> print(shown("owl\x1b[2J"))
    owl\x1b[2J
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))


def escaped(value):
    """A value as it is shown, for use among markup."""
    return escape(shown(value))


def columns_table(source: Source):
    """What each column is taken for, and why."""
    table = Table(title="columns", title_justify="left", box=None, pad_edge=False)
    for name in ("column", "taken for", "why", "missing", "such as"):
        wrap = name in ("why", "such as")
        justify: Any = "right" if name == "missing" else "left"
        table.add_column(name, justify=justify, overflow="ellipsis", no_wrap=not wrap, max_width=40)
    kinds = list(source.kinds.values())
    for kind in kinds[:_SHOWN_COLUMNS]:
        unused = not kind.used and kind.kind != "target"
        what = f"{kind.kind}, unused" if unused else kind.kind
        style = "dim" if unused else "bold" if kind.kind == "target" else ""
        cells = [kind.name, what, kind.why, f"{kind.n_missing:,}" if kind.n_missing else ""]
        table.add_row(*[Text(shown(cell)) for cell in [*cells, ", ".join(kind.examples)]], style=style)
    if len(kinds) > _SHOWN_COLUMNS:
        table.add_row(f"and {len(kinds) - _SHOWN_COLUMNS} more", style="dim")
    return table


def classes_table(source: Source):
    """Labelled rows of each class, or rows that have each label."""
    title, what = ("rows that have it", "label") if source.several else ("labelled rows", "class")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column(what)
    table.add_column("rows", justify="right")
    table.add_column("")
    counts = sorted(source.counts.items(), key=lambda item: -item[1])
    most = max(1, *source.counts.values())
    for label, count in counts[:_SHOWN_CLASSES]:
        bar = "█" * max(min(count, 1), round(24 * count / most))
        table.add_row(Text(shown(label)), f"{count:,}", Text(bar, "cyan"))
    if len(counts) > _SHOWN_CLASSES:
        rest = sum(count for _, count in counts[_SHOWN_CLASSES:])
        table.add_row(f"{len(counts) - _SHOWN_CLASSES} others", f"{rest:,}", "", style="dim")
    unknown = "rows with an unknown" if source.several else "no label"
    table.add_row(unknown, f"{source.n_unlabeled:,}", "", style="dim")
    return table


def cells_table(clf):
    """Cells given, filled in and left over, by label."""
    table = Table(box=None, pad_edge=False)
    table.add_column("label")
    for name in ("given yes", "given no", "yes now", "no now", "left"):
        table.add_column(name, justify="right")
    given, found = clf.labeled_iter_ == 0, clf.labeled_iter_ > 0
    yes, no = clf.transduction_ == 1, clf.transduction_ == 0
    counts = np.stack([part.sum(axis=0) for part in (given & yes, given & no, found & yes, found & no)])
    counts = np.vstack([counts, len(given) - counts.sum(axis=0)])
    for name, column in list(zip(clf.classes_, counts.T, strict=True))[:_SHOWN_COLUMNS]:
        table.add_row(Text(shown(name)), *[f"{n:,}" for n in column])
    if len(clf.classes_) > _SHOWN_COLUMNS:
        table.add_row(f"and {len(clf.classes_) - _SHOWN_COLUMNS} more labels", style="dim")
    table.add_row("all", *[f"{n:,}" for n in counts.sum(axis=1)], style="bold")
    return table


def outcome_table(clf):
    """Rows given, labelled and left over, by class; cells, by label."""
    if hasattr(clf, "estimators_"):
        return cells_table(clf)
    audit = clf.pseudo_labels_
    found = audit.loc[audit["label"].notna(), "label"].astype(str).value_counts()
    doubtful = audit.loc[audit["label"].isna() & audit["guess"].notna(), "guess"].astype(str).value_counts()
    came_labelled = clf.transduction_[clf.labeled_iter_ == 0]
    given = [int((came_labelled == label).sum()) for label in clf.classes_]
    table = Table(box=None, pad_edge=False)
    for name in ("class", "given", "labelled now", "left, most likely"):
        table.add_column(name, justify="left" if name == "class" else "right")
    names = [str(label) for label in clf.classes_]
    order = sorted(range(len(names)), key=lambda k: -int(found.get(names[k], 0)))
    for k in order[:_SHOWN_CLASSES]:
        cells = [given[k], found.get(names[k], 0), doubtful.get(names[k], 0)]
        table.add_row(Text(shown(names[k])), *[f"{int(n):,}" for n in cells])
    if len(order) > _SHOWN_CLASSES:
        table.add_row(f"and {len(order) - _SHOWN_CLASSES} more classes", style="dim")
    table.add_row("all", f"{sum(given):,}", f"{found.sum():,}", f"{doubtful.sum():,}", style="bold")
    return table


def show_resumed(console, record, after):
    """From where a run goes on, and what may make it go another way."""
    now = versions()
    for package, before in record["versions"].items():
        if now.get(package, before) != before:
            console.print(
                f"[yellow]note:[/yellow] the run began with {escaped(package)} {escaped(before)} and goes on "
                f"with {now[package]}: its labels may not be what they would have been.",
                highlight=False,
            )
    done = 0 if after is None else len(after.history)
    console.print(f"going on after round {done}" if done else "starting at round 1", highlight=False)


def show_source(console, source):
    """Columns and classes, before any work."""
    for note in source.notes:
        console.print(f"[yellow]note:[/yellow] {escaped(note)}", highlight=False)
    console.print(columns_table(source))
    console.print()
    console.print(classes_table(source))
    console.print()


def show_outcome(console, folder, outcome):
    """What was labelled, whether it helped, what to do next."""
    clf = outcome.clf
    console.print()
    console.print(outcome_table(clf))
    audit = clf.pseudo_labels_
    left = audit.loc[_unfilled(audit), "status"].value_counts()
    if len(left):
        reasons = ", ".join(f"{n:,} {why}" for why, n in left.items())
        console.print(f"\nleft unlabelled: {escaped(reasons)}", highlight=False)
    if clf.verdict_ is not None:
        console.print(f"did the unlabelled rows help? [bold]{clf.verdict_}[/bold]", highlight=False)
    console.print("\n[bold]What to do next[/bold]")
    for line in advice(folder, outcome):
        console.print(f"  {line}", highlight=False, soft_wrap=True)


def advice(folder, outcome):
    """Sentences on what to do with the outcome."""
    path = escaped(str(folder.path))
    if outcome.interrupted:
        yield f"Stopped. To go on, give the same command with --resume; so far all is in {path}."
    yield f"Labels and reasons: {', '.join(escaped(str(label)) for label in outcome.labels)}"
    if outcome.page is not None:
        yield f"Look at it in a browser: {escaped(str(outcome.page))}"
    yield f"Predict other rows: surelabel predict {path} new.csv -o predictions.csv"
    audit = outcome.clf.pseudo_labels_
    left = _unfilled(audit)
    if left.any() and audit.loc[left, "guess"].notna().any():
        yield "To label more by hand, begin with the lowest surelabel_probability."
    if outcome.clf.termination_condition_ == "hurt":
        yield "Do not trust the labels found: on held-out rows they made the classifier worse."


def _unfilled(audit):
    """Lines of rows, or of cells, that still have no label."""
    return audit["value" if "value" in audit else "label"].isna()


def show_many(console, folder, source, outcome):
    """What was labelled over many files, whether it helped, and where it is."""
    clf = outcome.clf
    found = dict(zip(clf.classes_.tolist(), sum(round.selected for round in clf.history_), strict=True))
    table = Table(box=None, pad_edge=False)
    for name in ("class", "given", "labelled now"):
        table.add_column(name, justify="left" if name == "class" else "right")
    for label in sorted(found, key=lambda label: -found[label])[:_SHOWN_CLASSES]:
        table.add_row(Text(shown(label)), f"{source.counts[label]:,}", f"{found[label]:,}")
    if len(found) > _SHOWN_CLASSES:
        table.add_row(f"and {len(found) - _SHOWN_CLASSES} more classes", style="dim")
    table.add_row("all", f"{sum(source.counts.values()):,}", f"{sum(found.values()):,}", style="bold")
    console.print()
    console.print(table)
    if clf.verdict_ is not None:
        console.print(f"did the unlabelled rows help? [bold]{clf.verdict_}[/bold]", highlight=False)
    path = escaped(str(folder.path))
    console.print(f"\nLabels and reasons: {escaped(outcome.labels)}", highlight=False, soft_wrap=True)
    console.print(f"Predict other rows: surelabel predict {path} new.parquet -o predictions.parquet")


class Progress(logging.Handler):
    """Shows how far a run has come: live in a terminal, else a line per round.

    Parameters
    ----------
    console : Console
        Where to.
    settings : Settings
        Of the run.
    stop : Stop
        Whether a person wants it to end.
    """

    def __init__(self, console: Console, settings, stop):
        super().__init__(logging.DEBUG)
        self.console = console
        self.n_rounds = 0 if settings.method == "supervised" else settings.rounds
        self.after = _AFTER_ROUNDS if settings.guard else _FINAL
        self.stop = stop
        self.begin = time.perf_counter()
        self.durations: list[float] = []
        self.number = 0
        self.step = "reading the columns"
        self.live: Live | None = None

    def __enter__(self):
        self._level = logger.level
        logger.addHandler(self)
        if self.console.is_terminal and not self.console.quiet:
            logger.setLevel(logging.DEBUG)
            self.live = Live(self, console=self.console, refresh_per_second=4, transient=True)
            self.live.start()
        return self

    def __exit__(self, *exception):
        if self.live is not None:
            self.live.stop()
        logger.removeHandler(self)
        logger.setLevel(self._level)

    def __rich__(self):
        spent = time.perf_counter() - self.begin
        what = "last steps" if self.over else f"round {self.number + 1} of {self.n_rounds}"
        left = f", about {duration(left)} left" if (left := self._left(spent)) is not None else ""
        asked = f"\n{self.stopping}" if self.stop.asked else ""
        return Text(f"{what}: {self.step} ({duration(spent)}{left}){asked}", style="cyan")

    @property
    def over(self) -> bool:
        """Whether there are no more rounds to come."""
        return self.number >= self.n_rounds

    @property
    def stopping(self) -> str:
        """What Ctrl-C does, in words."""
        if self.over:
            return "The rounds are over: finishing. Ctrl-C again to stop now."
        return "Stopping after this round. Ctrl-C again to stop now."

    def emit(self, record):
        """Take note of a step within a round; `record.args` is (what, done, total)."""
        if record.levelno == logging.DEBUG and len(record.args) == 3:
            what, done, total = record.args
            self.step = f"{what} {done} of {total}"

    def round_done(self, round):
        """Say what a round brought."""
        self.durations.append(sum(round.seconds.values()))
        self.number = round.number
        self.console.print(
            f"round {round.number} of {self.n_rounds}: {round.candidates:,} sure of {round.pool:,}, "
            f"[bold]{round.labelled:,} labelled[/bold] ({duration(self.durations[-1])})",
            highlight=False,
        )
        if round.labelled in (0, round.pool):
            self.n_rounds = self.number  # nothing left to label, or nothing sure enough

    def _left(self, spent):
        """Seconds that are left, after the first round."""
        if not self.durations:
            return None
        each = sum(self.durations) / len(self.durations)
        total = (self.n_rounds - self.number + len(self.durations)) * each * (1 + self.after)
        return total - spent if total > spent else None


@contextmanager
def notices(console: Console):
    """Show what the package warns of as notes."""
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        text = str(message)
        if issubclass(category, UserWarning) and text not in seen:
            seen.add(text)
            console.print(f"[yellow]note:[/yellow] {escaped(text)}", highlight=False)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield

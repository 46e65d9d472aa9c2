"""The tables of the page on the promise, made from its stored runs: `make docs-promise` writes them again."""

import json
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
# The forms and rules of promise.json, and what they are called here.
RULES = {
    "average 90%": "on average, 90%",
    "average 95%": "on average, 95%",
    "average 99%": "on average, 99%",
    "confident 95%, 0.9": "with 90% confidence, 95%",
    "confident 95%, 0.9, two fifths held out": "the same, from two fifths of the labels held out",
    "confident 95%, 0.9, a fifth held out": "the same, from a fifth held out",
    "average 95%, per class": "each class on average, 95%",
    "confident 95%, 0.9, per class": "each class with 90% confidence, 95%",
    "p >= 0.95": "p >= 0.95",
    "p >= 0.99": "p >= 0.99",
    "accepted by the rounds": "what the rounds accept",
    "MAPIE, two fifths held out": "MAPIE's precision control, two fifths held out",
}
SIZES = ("60", "150", "400")
SHIFTS = {
    "none": "none (false alarms)",
    "column": "by a column",
    "class": "by class",
    "ease": "by ease",
    "time": "by time",
}


def rules() -> Iterator[str]:
    """What each rule fills, and how much of it is right."""
    stored = json.loads((DOCS / "promise.json").read_text())["by labels"]
    yield "| rule | filled | of the best possible (60, 150, 400 labels) | right | fails in | worst table |"
    yield "|---|---|---|---|---|---|"
    for rule, name in RULES.items():
        line = stored["all"][rule]
        each = ", ".join(f"{100 * stored[size][rule]['of best']:.0f}" for size in SIZES)
        yield (
            f"| {name} | {line['filled']:.1%} | {line['of best']:.0%} ({each}) | {line['right']:.1%} "
            f"| {line['failed of all runs']:.1%} of runs | {line['worst table']} {line['failed there']:.0%} |"
        )


def shifts() -> Iterator[str]:
    """How often labelled rows that were not drawn at random are noticed."""
    stored = json.loads((DOCS / "promise.json").read_text())["shifts"]
    yield f"| labelled rows drawn | {' | '.join(f'{size} labels' for size in SIZES)} |"
    yield "|---" * (len(SIZES) + 1) + "|"
    for kind, name in SHIFTS.items():
        shown = [f"{stored[f'{kind}, {size}']['caught']:.0%}" for size in SIZES]
        yield f"| {name} | {' | '.join(shown)} |"


TABLES = {"rules": rules, "shifts": shifts}


def page(text: str) -> str:
    """The page with its tables made anew: each stands between two comments that name it."""
    for name, lines in TABLES.items():
        begin, end = f"<!-- {name} -->\n\n", f"\n\n<!-- end of {name} -->"
        before, rest = text.split(begin)
        text = before + begin + "\n".join(lines()) + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    PAGE = DOCS / "promise.md"
    PAGE.write_text(page(PAGE.read_text()))

"""The page of comparisons and README's table, made from stored runs alone: `make docs-comparisons`."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from textwrap import TextWrapper

from surelabel.bench.comparison import against, as_stored, runs_of
from surelabel.bench.store import Store
from surelabel.bench.suites import SUITES

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
OURS = "csa()"
# Where README's table goes, and the methods that it names.
MARK, END = "<!-- comparisons: written by make docs-comparisons -->", "<!-- end -->"
BESIDE = {
    "AutoGluon, 600 s": "AutoGluon (medium quality, 600 s)",
    "CatBoost": "CatBoost",
    "random forest": "a random forest",
    "csa() on labels alone": "the same committee without the unlabelled rows",
}
# Places on the page.
ACCURACY = "accuracy-scikit-learn-xgboost-catboost-autogluon"
PROMISE = "labels-of-which-95-are-right-mapie"
WRONG = "wrong-labels-cleanlab"
# The rules of docs/promise.json, and what they are called here.
RULES = {
    "average 95%": "`clf.fill(right=0.95)`",
    "confident 95%, 0.9": "`clf.fill(right=0.95, confidence=0.9)`",
    "p >= 0.95": "csa(), probability at least 0.95",
    "MAPIE, two fifths held out": "MAPIE's precision control, two fifths of the labels held out",
}
FINDERS = {
    "doubtful_labels": "`clf.doubtful_labels()`",
    "cleanlab, same": "cleanlab, given the same probabilities",
    "cleanlab, trees": "cleanlab, extra trees",
    "cleanlab, logistic": "cleanlab, logistic regression",
}


def page() -> str:
    """The whole page."""
    parts = [_preface(), _accuracy(), _promise(), _wrong_labels(), _asking(), _versions()]
    return "\n".join(_wrapped(line for part in parts for line in part)).rstrip() + "\n"


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Lines of prose that follow one another as a paragraph of even lines; all others as they are."""
    wrapper = TextWrapper(120, break_long_words=False, break_on_hyphens=False)
    for is_prose, some in groupby(lines, lambda line: bool(line) and line[0] not in "|#"):
        if not is_prose:
            yield from some
            continue
        for item in re.split(" (?=- )", " ".join(line.strip() for line in some)):
            wrapper.subsequent_indent = "  " if item.startswith("- ") else ""
            yield from wrapper.wrap(item)


def short() -> str:
    """The table of README: a line for each page's part, with the figures that matter most."""
    store = Store(DOCS / "suite")
    suite = as_stored(SUITES["suite_confirm"], store)
    accuracy = {each.other: each for each in against(runs_of(suite, store), OURS)}
    rules = json.loads((DOCS / "promise.json").read_text())["by labels"]["all"]
    half = json.loads((DOCS / "asking" / "wrong_labels.json").read_text())["halves"]["confirming"]
    ours, mapie = rules["confident 95%, 0.9"], rules["MAPIE, two fifths held out"]
    rows = [
        [
            f"[accuracy](docs/comparisons.md#{ACCURACY}) above {name}",
            f"{accuracy[other].mean:+.1f} points (standard error {accuracy[other].error:.1f}), "
            f"{len(accuracy[other].by_table)} tables, {accuracy[other].cpu:.2g} times its processor time",
        ]
        for other, name in BESIDE.items()
    ]
    rows += [
        [
            f"[labels filled in](docs/comparisons.md#{PROMISE}), 95% right with 90% confidence",
            f"{ours['filled']:.0%}; MAPIE {mapie['filled']:.0%}; {ours['tables']} tables",
        ],
        [
            f"[wrong labels found](docs/comparisons.md#{WRONG}), AUROC",
            f"{half['auroc']['doubtful_labels']:.2f}; cleanlab with extra trees "
            f"{half['auroc']['cleanlab, trees']:.2f}, with our probabilities "
            f"{half['auroc']['cleanlab, same']:.2f}; {len(half['tables'])} tables",
        ],
    ]
    return "\n".join(_table(["on the same tables and labels", "surelabel"], rows)).replace("---:", "---")


def readme_with(table: str, text: str) -> str:
    """README with the table between its two marks."""
    before, mark, rest = text.partition(MARK)
    _, end, after = rest.partition(END)
    return f"{before}{mark}\n{table}\n{end}{after}"


def _preface() -> Iterator[str]:
    yield from [
        "# How it compares",
        "",
        "This page is made by `docs/comparisons.py` (`make docs-comparisons`) from stored runs; no figure",
        "on it is",
        "typed by hand. Every method has the same tables, the same labelled rows and the same test, and all",
        "have",
        "their default settings unless said. DIR is a folder of CSV files.",
        "",
    ]


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _accuracy() -> Iterator[str]:
    store = Store(DOCS / "suite")
    suite = as_stored(SUITES["suite_confirm"], store)
    found = against(runs_of(suite, store), OURS)
    yield from [
        "## Accuracy: scikit-learn, XGBoost, CatBoost, AutoGluon",
        "",
        "Points of test accuracy by which `csa()` is ahead on the tables for confirming, which are not",
        "those on which its",
        f"defaults were chosen. Labels: {', '.join(str(split['labelled']) for split in suite.splits)}; the",
        "table is the unit. AutoGluon has",
        "its medium quality, and the seconds are its limit. The ratio of processor seconds is the median;",
        "above 1, `csa()` is",
        "the slower one.",
        "",
    ]
    rows = [
        [
            each.other,
            str(len(each.by_table)),
            str(each.runs),
            f"{each.mean:+.2f} ({each.error:.2f})",
            f"{each.by_table.idxmin()} {each.by_table.min():+.2f}",
            f"{each.cpu:.2g}",
        ]
        for each in found
    ]
    head = ["`csa()` less", "tables", "runs", "mean (standard error)", "worst table", "CPU ratio"]
    yield from _table(head, rows)
    yield from [
        "",
        "`csa() on labels alone` is the same committee without the unlabelled rows: what they add is small",
        "on most",
        "tables. Methods with fewer tables have not run on the others. Every table, size and test is in",
        "[the suite](suite.md).",
        "",
        "Command: `surelabel bench run suite_confirm --data-dir DIR`;",
        "[those that made these runs](suite.md#how-this-was-run).",
        "",
    ]


def _promise() -> Iterator[str]:
    stored = json.loads((DOCS / "promise.json").read_text())["by labels"]["all"]
    first = stored[next(iter(RULES))]
    yield from [
        "## Labels of which 95% are right: MAPIE",
        "",
        f"{first['tables']} tables, {first['runs']} runs with 60, 150 and 400 labels. Filled is the share",
        "of missing labels",
        "that is filled in; fails is the share of runs in which fewer than 95% of them are right. The first",
        "rule promises 95%",
        "on average over tables, not in each; the second and MAPIE's promise it with 90% confidence.",
        "",
    ]
    rows = [
        [name, *(f"{100 * stored[rule][what]:.1f}%" for what in ("filled", "right", "failed of all runs"))]
        for rule, name in RULES.items()
    ]
    yield from _table(["rule", "filled", "right", "fails"], rows)
    yield from [
        "",
        "Filled and right are means with the table as the unit; a run that fills nothing counts as right.",
        "[The promise](promise.md#how-it-was-tried)",
        "has more rules and the reasons.",
        "",
        'Command: `make bench-promise ARGS="--data-dir DIR --half both --draws 30"`.',
        "",
    ]


def _wrong_labels() -> Iterator[str]:
    stored = json.loads((DOCS / "asking" / "wrong_labels.json").read_text())
    half = stored["halves"]["confirming"]
    yield from [
        "## Wrong labels: cleanlab",
        "",
        f"5, 10 and 20% of {stored['labelled']} labels made wrong, {half['flipped_runs']} runs on",
        f"{len(half['tables'])} tables for",
        "confirming. Precision: of the first as many rows as are wrong, the share that is.",
        "",
    ]
    rows = [
        [name, f"{half['auroc'][finder]:.3f}", f"{half['precision'][finder]:.3f}"]
        for finder, name in FINDERS.items()
    ]
    yield from _table(["", "AUROC", "precision"], rows)
    yield from [
        "",
        "With the same probabilities the two are equal: the score is the same. What is gained comes from",
        "the committee",
        "([more](asking.md#how-well-doubtful-labels-are-found)).",
        "",
        'Command: `make bench-wrong ARGS="--data-dir DIR"`.',
        "",
    ]


def _asking() -> Iterator[str]:
    stored = json.loads((DOCS / "asking" / "loop_activeml.json").read_text())
    lines = stored["lines"]
    shared = sorted({line["table"] for line in lines if line["who"].startswith("skactiveml")})
    yield from [
        "## Which rows to label next: scikit-activeml",
        "",
        f"From {stored['first']} random labels, {stored['batch']} answers at a time by a simulated person.",
        "Answers until the accuracy",
        "that the last random ones reach, and points of accuracy above random order on average over the",
        "way. Tables on",
        f"which scikit-activeml ran: {', '.join(shared)}.",
        "",
    ]
    rows = [
        [
            line["table"],
            line["who"].replace("skactiveml", "scikit-activeml,"),
            str(line["draws"]),
            f"{line['answers']:.0f}",
            f"{line['gain']:+.1f}",
        ]
        for line in lines
        if line["table"] in shared
    ]
    yield from _table(["table", "who chooses", "draws", "answers", "points"], rows)
    yield from [
        "",
        "A draw moves such figures by a point or two: so few decide nothing",
        "([more tables](asking.md#how-many-answers-it-saves)).",
        "",
        'Command: `make bench-loop ARGS="--data-dir DIR"`.',
        "",
    ]


def _versions() -> Iterator[str]:
    runs = Store(DOCS / "suite").runs
    pinned = (DOCS.parent / "requirements" / "constraints.txt").read_text().splitlines()
    others = ("cleanlab==", "mapie==", "scikit-activeml==")
    beside = [line.replace("==", " ") for line in pinned if line.lower().startswith(others)]
    machines = {
        f"{run['cores']} cores, {run['processor']}, {run['system']}; Python {run['python']}, "
        + ", ".join(f"{name} {number}" for name, number in run["versions"].items())
        for run in runs
    }
    yield from ["## Versions and dates", ""]
    yield from (f"- Accuracy: {machine}." for machine in sorted(machines))
    yield from [
        "- Not stored: the versions of CatBoost and AutoGluon, which ran in environments of their own, and",
        "those of the other",
        f"  three runs. What their commands install is {', '.join(beside)} (`requirements/constraints.txt`).",
        "- Not stored: dates. `git log docs/suite docs/promise.json docs/asking` has those on which the",
        "runs were committed.",
    ]


if __name__ == "__main__":
    (DOCS / "comparisons.md").write_text(page())
    README.write_text(readme_with(short(), README.read_text()))

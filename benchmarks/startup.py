"""How long surelabel takes to start, beside what it stands on: each in fresh processes, in turn.

Run with `make bench-startup` (under a minute), or with ARGS="--times 15 --to docs/startup.json". Times are
of the processor, the least of all runs: a machine that is busy makes the others longer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path

from surelabel.common.versions import installed

BASES = {
    "typer, rich": ["-c", "import typer, rich"],
    # What Typer itself takes to show the help of one command.
    "a Typer app of one line": ["-c", "import typer; typer.run(lambda: None)", "--help"],
    "scikit-learn": ["-c", "import sklearn"],
    # What every model of the default committee needs.
    "scikit-learn with what it needs": [
        "-c",
        "import narwhals, pandas, sklearn.ensemble, sklearn.feature_extraction.text, "
        "sklearn.gaussian_process, sklearn.kernel_approximation, sklearn.linear_model, "
        "sklearn.model_selection, sklearn.naive_bayes, sklearn.neighbors, sklearn.svm",
    ],
}
# What, the base it is compared with, and how many times as long it may take.
WHAT = {
    "surelabel --help": (["-m", "surelabel.tool", "--help"], "typer, rich", 3.0),
    "surelabel --version": (["-m", "surelabel.tool", "--version"], "typer, rich", 3.0),
    "surelabel label --help": (["-m", "surelabel.tool", "label", "--help"], "a Typer app of one line", None),
    "completion": (["-m", "surelabel.tool"], "typer, rich", 3.0),
    "import surelabel": (["-c", "import surelabel"], "scikit-learn", 1.1),
    "from surelabel import csa": (
        ["-c", "from surelabel import csa"],
        "scikit-learn with what it needs",
        None,
    ),
}
COMPLETING = {"_SURELABEL_COMPLETE": "complete_bash", "COMP_WORDS": "surelabel la", "COMP_CWORD": "1"}


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Of the processor, for a new Python with arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env=os.environ | environment, stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(times: int) -> dict[str, float]:
    """Least seconds of each, all in turn so that a busy moment meets all alike."""
    commands = BASES | {name: arguments for name, (arguments, _, _) in WHAT.items()}
    found = {name: float("inf") for name in commands}
    for _ in range(times):
        for name, arguments in commands.items():
            found[name] = min(found[name], seconds(arguments, COMPLETING if name == "completion" else {}))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--to", type=Path, help="a JSON file for what was measured")
    args = parser.parse_args()
    found = measured(args.times)
    rows = [(name, base, found[name] / found[base], most) for name, (_, base, most) in WHAT.items()]
    for name, base, ratio, most in rows:
        wanted = "" if most is None else f", at most {most}"
        print(f"{name:26} {found[name]:6.3f} s  {ratio:5.2f} times {base} ({found[base]:.3f} s){wanted}")
    if args.to is not None:
        packages = ("surelabel", "typer", "rich", "scikit-learn", "pandas")
        record = {
            "python": platform.python_version(),
            "versions": {package: installed(package) for package in packages},
            "times": args.times,
            "seconds": {name: round(value, 4) for name, value in found.items()},
            "ratios": {name: round(ratio, 3) for name, _, ratio, _ in rows},
        }
        args.to.write_text(json.dumps(record, indent=1) + "\n")
    return int(any(most is not None and ratio > most for _, _, ratio, most in rows))


if __name__ == "__main__":
    sys.exit(main())

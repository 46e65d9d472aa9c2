"""Hostile inputs to library and tool: right, a clear error, or something worse.

    make bench-hostile                      all cases; exit code 1 if any is obscure, silently wrong or hangs
    make bench-hostile ARGS="--only files"  one grid
    make bench-hostile ARGS="--show"        a line for each case

Cases come from grids: kind of column x place x value, forms of X and y, parameter x nonsense, file format x
damage, option x nonsense, scikit-learn's configurations, run folders that hold a user's own files. A case is
right when its result is checked and holds (given labels untouched, hidden labels found, every row predicted);
clear, when it ends in a sentence that names what was wrong; obscure, when the error speaks of internals;
silently wrong, when it ends well and is not; a hang, when it takes longer than the limit. Each has its time
limit, and a process that runs few others.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing as mp
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from hostile_cases import GRIDS

from surelabel.files import InputError, OutputError

RESULTS = Path("results")
LIMIT = 60  # seconds of a case
# Errors that a user of scikit-learn expects, and those of our own.
EXPECTED = (ValueError, TypeError, ImportError, OSError, InputError, OutputError)
# What the inside of a program says, not what a person was told.
INTERNAL = re.compile(
    r"NoneType|has no attribute|unhashable|out of bounds|broadcast|window shape|cannot reshape|list index"
    r"|ufunc|unsupported operand|not subscriptable|is not iterable|invalid literal|positional argument"
    r"|unexpected keyword|Traceback|truth value of|must be real number|fault of surelabel"
    r"|cannot convert float|object of type|boolean index|not supported between|Expected \d+D"
    r"|inhomogeneous"
)


class HangError(Exception):
    """The case takes too long."""


def judged(case) -> tuple[str, str]:
    """What became of a case, and a word on it."""

    def stop(signum, frame):
        raise HangError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = case.run()
        noise = [w for w in said if not issubclass(w.category, UserWarning)]
        if noise:
            return "silently wrong", f"warns of internals: {noise[0].category.__name__}: {noise[0].message}"
        told = " ".join(str(w.message) for w in said)
        wrong = case.wrong(found, told)
        return ("silently wrong", wrong) if wrong else ("right", "")
    except HangError:
        return "hang", f"over {LIMIT} s"
    except EXPECTED as error:
        text = f"{type(error).__name__}: {str(error)[:300]}"
        if INTERNAL.search(str(error)) or not str(error).strip():
            return "obscure", f"{text} ({raised_at(error)})"
        if case.must_work:
            return "silently wrong", f"refused although it can be right: {text}"
        return "clear error", text
    except Exception as error:
        logging.getLogger("hostile").debug("obscure", exc_info=True)
        return "obscure", f"{type(error).__name__}: {str(error)[:200]} ({raised_at(error)})"
    finally:
        signal.alarm(0)


def raised_at(error) -> str:
    """The line that raised an error."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(place.filename).name}:{place.lineno}"


def work(task):
    """Judge one case; for a process of its own."""
    grid, number = task
    case = GRIDS[grid]()[number]
    begin = time.perf_counter()
    outcome, word = judged(case)
    return grid, case.name, outcome, word, round(time.perf_counter() - begin, 2)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="grids, with commas between")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="a line for each case")
    args = parser.parse_args()
    grids = args.only.split(",") if args.only else list(GRIDS)
    tasks = [(grid, number) for grid in grids for number in range(len(GRIDS[grid]()))]
    RESULTS.mkdir(exist_ok=True)
    found = []
    with mp.get_context("fork").Pool(args.jobs, maxtasksperchild=50) as pool:
        for grid, name, outcome, word, seconds in pool.imap_unordered(work, tasks):
            found.append({"grid": grid, "case": name, "outcome": outcome, "word": word, "seconds": seconds})
            if args.show or outcome not in ("right", "clear error"):
                print(f"{outcome}: {grid}: {name}: {word}", flush=True)
    (RESULTS / "hostile.json").write_text(
        json.dumps(sorted(found, key=lambda r: (r["grid"], r["case"])), indent=1)
    )
    outcomes = ("right", "clear error", "obscure", "silently wrong", "hang")
    print(f"\n{'grid':<14}" + "".join(f"{name:>16}" for name in ("cases", *outcomes)))
    for grid in [*grids, "all"]:
        counts = Counter(r["outcome"] for r in found if grid in ("all", r["grid"]))
        print(f"{grid:<14}{sum(counts.values()):>16}" + "".join(f"{counts[name]:>16}" for name in outcomes))
    bad = sum(r["outcome"] in outcomes[2:] for r in found)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

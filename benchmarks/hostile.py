"""Hostile inputs to library and tool: right, a clear error, or something worse.

    make bench-hostile                      all cases; exit code 1 if any is obscure, silently wrong or hangs
    make bench-hostile ARGS="--only files"  one grid
    make bench-hostile ARGS="--show"        a line for each case

Cases come from grids: kind of column x place x value, forms of X and y, parameter x nonsense, parameter of a
part x nonsense, file format x damage, option x nonsense, scikit-learn's configurations, run folders that hold
a user's own files. A case is right when its result is checked and holds (given labels untouched, hidden
labels found, every row predicted); clear, when it ends in a sentence that names what was wrong; obscure, when
the error speaks of internals; silently wrong, when it ends well and is not; a hang, when it takes longer than
the limit. Each has its time limit and a process of its own; where that dies, the case is obscure.
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
from multiprocessing.connection import wait
from pathlib import Path

from hostile_cases import GRIDS

from surelabel.files import InputError, OutputError

RESULTS = Path("results")
LIMIT = 120  # seconds of a case, on a machine that has other things to do
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


class HangError(BaseException):
    """The case takes too long; no Exception, which a case may take for another error."""


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
        text = f"{type(error).__name__}: {str(error)[-300:]}"
        if not told_by_us(error):
            return "obscure", f"the check itself failed: {text} ({raised_at(error)})"
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


def told_by_us(error) -> bool:
    """Whether an error comes from surelabel, not from a case that judges what surelabel did."""
    if isinstance(error, InputError):
        return True
    return any(
        "surelabel" in Path(place.filename).parts for place in traceback.extract_tb(error.__traceback__)
    )


def raised_at(error) -> str:
    """The line that raised an error."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(place.filename).name}:{place.lineno}"


def work(task, there):
    """Judge one case, and tell; for a process of its own."""
    grid, number = task
    case = GRIDS[grid]()[number]
    begin = time.perf_counter()
    outcome, word = judged(case)
    seconds = time.perf_counter() - begin
    if seconds >= LIMIT:  # whatever was made of the interruption
        outcome, word = "hang", f"over {LIMIT} s"
    there.send(_line(grid, case.name, outcome, word, seconds))


def _line(grid, name, outcome, word, seconds):
    return {"grid": grid, "case": name, "outcome": outcome, "word": word, "seconds": round(seconds, 2)}


def outcomes_of(tasks, jobs):
    """What became of each case, each in a process of its own: one that dies or never ends is told, too."""
    context = mp.get_context("fork")
    waiting, running = list(reversed(tasks)), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.pop()
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=work, args=(task, there))
            process.start()
            there.close()
            running[here] = task, process, time.monotonic() + 2 * LIMIT
        done = wait(list(running), timeout=1)
        done += [here for here, (*_, end) in running.items() if here not in done and time.monotonic() > end]
        for here in done:
            yield told(here, *running.pop(here))


def told(here, task, process, end):
    """What a process said of its case, or what became of it."""
    grid, number = task
    name = GRIDS[grid]()[number].name
    try:
        if here.poll():
            return here.recv()
        process.kill()
        return _line(grid, name, "hang", f"over {2 * LIMIT} s, and not to be interrupted", 2 * LIMIT)
    except EOFError:
        process.join()
        return _line(grid, name, "obscure", f"the process died: exit code {process.exitcode}", 0)
    finally:
        process.join()
        here.close()


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
    for line in outcomes_of(tasks, args.jobs):
        found.append(line)
        if args.show or line["outcome"] not in ("right", "clear error"):
            print("{outcome}: {grid}: {case}: {word}".format(**line), flush=True)
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

"""Given labels that are wrong: what csa() loses by them, and what clean="drop" and "down-weight" win back.

Run with `make bench-clean ARGS="--data-dir DIR"` (five to sixty seconds a run; nine runs for each table and
draw). Of 200 labels of a table 0, 10 and 20% are flipped at random, as in wrong_labels.py. Accuracy is that
on the unlabelled rows, whose truth no run has seen. Each run is a line of results/cleaning.jsonl; what is
there is not computed again. Prints tables with the table as the unit, and writes results/cleaning.json.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from wrong_labels import LABELLED, MOST_UNLABELLED, RESULTS, flipped

from surelabel import csa
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import TooSmallError, read_draw, tables_in
from surelabel.bench.table_suites import HALVES, half_of

RATES = (0.0, 0.1, 0.2)
WAYS = ("nothing", "drop", "down-weight")


def computed(name, draw, folder, rate, way):
    """A run: the accuracy on unlabelled rows, and what was cleaned."""
    split = read_draw(name, draw, folder, labelled=LABELLED)
    y = flipped(split, "random", rate, np.random.default_rng([draw, round(100 * rate), 0]))
    X_u, begin = split.X_u[:MOST_UNLABELLED], time.perf_counter()
    clf = csa(clean=None if way == "nothing" else way, random_state=draw).fit(split.X_l, y, X_unlabeled=X_u)
    seconds, cleaned = time.perf_counter() - begin, clf.cleaned_
    found = {"accuracy": clf.score(X_u, split.y_u[:MOST_UNLABELLED]), "seconds": round(seconds, 1)}
    if cleaned is None:
        return found
    truly_wrong = (y != split.y_l)[cleaned.rows]
    return found | {
        "used": cleaned.used,
        "gain": cleaned.verdict.gain,
        "n_doubted": len(cleaned.rows),
        "n_truly_wrong": int(truly_wrong.sum()),
    }


def known_in(path):
    """The runs that are stored."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def stored(path, key, compute):
    """The run of this key, from the file, or computed and written below the others."""
    found = next(
        (run for run in known_in(path) if all(run[name] == value for name, value in key.items())), None
    )
    if found is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = key | compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a") as file:
            file.write(json.dumps(found) + "\n")
    return found


def some_tables(names, half, n):
    """Some tables of a half, evenly over the alphabet."""
    here = [name for name in names if half_of(name) == half]
    return [here[k * len(here) // n] for k in range(n)] if len(here) > n else here


def summary(runs):
    """Of each half, rate and way: accuracy, points against doing nothing, how often it was used."""
    out = {}
    for half in HALVES:
        here = [run for run in runs if half_of(run["table"]) == half]
        for rate in RATES:
            by = {(run["table"], run["draw"], run["way"]): run for run in here if run["rate"] == rate}
            cells = sorted({key[:2] for key in by if all((*key[:2], way) in by for way in WAYS)})
            if not cells:
                continue
            names = sorted({name for name, _ in cells})
            ways = {}
            for way in WAYS:
                points = [
                    100
                    * np.mean(
                        [
                            by[*cell, way]["accuracy"] - by[*cell, "nothing"]["accuracy"]
                            for cell in cells
                            if cell[0] == name
                        ]
                    )
                    for name in names
                ]
                ways[way] = {
                    "accuracy": float(np.mean([by[*cell, way]["accuracy"] for cell in cells])),
                    "points": float(np.mean(points)),
                    "error": float(np.std(points, ddof=1) / np.sqrt(len(points))),
                    "worst": float(np.min(points)),
                    "used": float(np.mean([by[*cell, way].get("used", False) for cell in cells])),
                    "seconds": float(np.median([by[*cell, way]["seconds"] for cell in cells])),
                }
            out.setdefault(half, {"tables": names})[f"{rate:.0%}"] = ways
    return out


def printed(found):
    for half, figures in found.items():
        print(f"\n{half}: {len(figures['tables'])} tables")
        for rate, ways in figures.items():
            if rate == "tables":
                continue
            for way, each in ways.items():
                print(
                    f"  {rate:>4} wrong, {way:12} accuracy {each['accuracy']:.1%}, {each['points']:+.2f} ± "
                    f"{each['error']:.2f} points, at worst {each['worst']:+.1f}; used in {each['used']:.0%}"
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--tables", type=int, default=8, help="of each half")
    parser.add_argument("--stored", action="store_true", help="compute nothing, tell of what is stored")
    options = parser.parse_args()
    path = RESULTS / "cleaning.jsonl"
    runs = known_in(path) if options.stored else run_all(options, path)
    found = summary(runs)
    printed(found)
    out = RESULTS / "cleaning.json"
    out.write_text(json.dumps({"labelled": LABELLED, "halves": found, "runs": runs}, indent=1) + "\n")


def run_all(options, path):
    """Every run, those that are stored among them."""
    runs, names = [], list(tables_in(options.data_dir))
    by_half = [some_tables(names, half, options.tables) for half in HALVES]
    for k in range(options.draws):
        # In turn, so that a run that is stopped has something of both halves.
        for name in [name for both in zip(*by_half, strict=False) for name in both]:
            draw = k + 10 * HALVES.index(half_of(name))
            try:
                for rate in RATES:
                    for way in WAYS:
                        key = {"table": name, "draw": draw, "rate": rate, "way": way}
                        args = (name, draw, options.data_dir, rate, way)
                        runs.append(stored(path, key, lambda args=args: computed(*args)))
                        print(runs[-1], flush=True)
            except (TooSmallError, DataError) as error:
                print(f"left out: {error}", flush=True)
    return runs


if __name__ == "__main__":
    main()

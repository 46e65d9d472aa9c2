"""From a CSV of digits with 20 labels to a promise of 95% for 90% of the others, by the command line tool.

Run with `make bench-loop-digits ARGS="--seeds 5"`. A simulated person answers 20 rows of the page's first
pile (`surelabel review --answer-from`), `surelabel label --resume` takes them in, and so on until 90% of the
unlabelled rows are filled in. Beside it, in random order: as many labels of rows drawn at random are written
into the CSV; all of them count for the promise. Every run is kept in results/loop_digits/; prints the numbers
of answers and writes results/loop_digits.json.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

RESULTS = Path("results")
FIRST, BATCH, MOST = 20, 20, 300
GOAL = 0.9
OURS, AT_RANDOM = "page", "random"


def surelabel(*words):
    """Run a command of the tool; its errors are shown. Where no label is filled in, `label` ends with 1."""
    done = subprocess.run([sys.executable, "-m", "surelabel.tool", *map(str, words), "--quiet"])
    if done.returncode not in ((0, 1) if words[0] == "label" else (0,)):
        raise RuntimeError(f"surelabel {words[0]} ended with {done.returncode}.")


def standing(run, truth):
    """Of the rows that came without a label: how many are there, are filled in, and are right."""
    lines = pd.read_csv(run / "labels.csv", dtype=str, keep_default_na=False)
    free = (lines["surelabel_status"] != "given").to_numpy()
    filled = free & (lines["target"] != "").to_numpy()
    right = filled & (lines["target"].to_numpy() == truth)
    guessed = lines["surelabel_guess"].to_numpy()[free] == truth[free]
    return {
        "pool": int(free.sum()),
        "filled": int(filled.sum()),
        "right": int(right.sum()),
        "guessed": float(guessed.mean()),
    }


def reached(point):
    """Whether so many of the unlabelled rows are filled in."""
    return point["filled"] >= GOAL * point["pool"]


def asked(who, seed, folder):
    """Yield what is promised after each batch of answers, until the goal."""
    whole = load_digits(as_frame=True).frame.astype({"target": str})
    truth = whole["target"].to_numpy()
    order = np.random.RandomState(seed).permutation(len(truth))
    table, run = folder / "digits.csv", folder / "run"
    settings = ("--target", "target", "--out", run, "--seed", seed, "--jobs", 1, "--no-report")
    whole.to_csv(folder / "truth.csv", index=False)

    def write(n):
        hidden = order[n:]
        some = whole.copy()
        some.loc[hidden, "target"] = ""
        some.to_csv(table, index=False)

    write(FIRST)
    surelabel("label", table, *settings)
    answers = 0
    while True:
        point = {"answers": answers, **standing(run, truth)}
        yield point
        if reached(point) or answers >= MOST:
            return
        answers += BATCH
        if who == OURS:
            surelabel("review", run, "--answer-from", folder / "truth.csv", "-n", BATCH)
            surelabel("label", "--out", run, "--resume")
        else:
            write(FIRST + answers)
            surelabel("label", table, *settings, "--overwrite")


def stored(who, seed):
    """A run from its file, or computed; a file is there only when it is whole."""
    path = RESULTS / "loop_digits" / f"{who}-{seed}.json"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            points = list(asked(who, seed, Path(folder)))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"who": who, "seed": seed, "points": points}) + "\n")
        part.rename(path)
    return json.loads(path.read_text())


def summary(runs):
    """Of each who: answers until the goal in each run, their median, and the share right at the end."""
    out = {}
    for who in dict.fromkeys(run["who"] for run in runs):
        last = [run["points"][-1] for run in runs if run["who"] == who]
        needed = [point["answers"] if reached(point) else np.inf for point in last]
        out[who] = {
            "answers": [n if np.isfinite(n) else None for n in needed],
            "median": float(np.median(needed)),
            "right": [
                round(point["right"] / point["filled"], 4) if point["filled"] else None for point in last
            ],
        }
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    runs = []
    for seed in range(options.seeds):
        for who in (OURS, AT_RANDOM):
            runs.append(stored(who, seed))
            shown = " ".join(f"{point['filled'] / point['pool']:.2f}" for point in runs[-1]["points"])
            print(f"{who} {seed}: {shown}", flush=True)
    found = summary(runs)
    for who, of in found.items():
        print(f"{who}: {of['answers']} answers, median {of['median']:.0f}; right {of['right']}")
    said = {"first": FIRST, "batch": BATCH, "goal": GOAL, "found": found, "runs": runs}
    (RESULTS / "loop_digits.json").write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()

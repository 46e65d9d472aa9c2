"""How far csa() and others hang on the seed: one split of a table, several seeds.

Run with `make bench-seeds ARGS="--data-dir DIR"` (two to ten seconds a run). Each table is split once, by a
draw for confirming; every method is then run with seeds 0, 1, ... on the same rows. Prints, by table, the
standard deviation of the test accuracy over seeds and the share of test rows on which two seeds differ, and
writes results/seeds.json; what is stored there is not computed again.
"""

import argparse
import itertools
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from surelabel import csa
from surelabel.bench.folder_tables import read_draw
from surelabel.bench.preparation import ordinal, plain

TABLES = (
    "attrition", "chess", "contraceptive", "dna", "hawks", "magic", "marketing", "movement_libras",
    "penbased", "ring", "spambase", "texture",
)  # fmt: skip
DRAW = 10


def by_csa(split, seed):
    """Labels of the test rows by csa(), shape (n,)."""
    return csa(random_state=seed).fit(split.X_l, split.y_l, X_unlabeled=split.X_u).predict(split.X_t)


def by_forest(split, seed):
    """Labels of the test rows by a random forest, shape (n,)."""
    forest = make_pipeline(ordinal(filled=True), RandomForestClassifier(300, random_state=seed))
    return forest.fit(plain(split.X_l), split.y_l).predict(plain(split.X_t))


METHODS = {"csa()": by_csa, "random forest": by_forest}


def measured(split, method, seeds):
    """Accuracies in percent, one a seed, and the mean percentage of rows on which two differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        guesses = [METHODS[method](split, seed) for seed in range(seeds)]
    differing = [(a != b).mean() for a, b in itertools.combinations(guesses, 2)]
    return {
        "accuracies": [round(100 * float((guess == split.y_t).mean()), 4) for guess in guesses],
        "differing": round(100 * float(np.mean(differing)), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="the folder of CSV files")
    parser.add_argument("--tables", default=",".join(TABLES), help="names, with commas between")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--labels", type=int, default=150)
    parser.add_argument("--out", type=Path, default=Path("results/seeds.json"))
    args = parser.parse_args()
    runs = json.loads(args.out.read_text()) if args.out.exists() else []
    asked = {"draw": DRAW, "labels": args.labels, "seeds": args.seeds}
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for table, method in itertools.product(args.tables.split(","), METHODS):
        about = {"table": table, "method": method, **asked}
        if any(about.items() <= run.items() for run in runs):
            continue
        split = read_draw(table, DRAW, args.data_dir, labelled=args.labels)
        runs.append(about | measured(split, method, args.seeds))
        args.out.write_text(json.dumps(runs, indent=1) + "\n")
        print(runs[-1], flush=True)
    report([run for run in runs if asked.items() <= run.items()])


def report(runs):
    tables = sorted({run["table"] for run in runs})
    print("\n| table | " + " | ".join(f"{method}, spread | differing" for method in METHODS) + " |")
    print("|---" * (1 + 2 * len(METHODS)) + "|")
    kept = {(run["table"], run["method"]): run for run in runs}
    cells = {key: (np.std(run["accuracies"], ddof=1), run["differing"]) for key, run in kept.items()}
    for table in tables:
        print(
            f"| {table} | " + " | ".join("{:.2f} | {:.1f}%".format(*cells[table, m]) for m in METHODS) + " |"
        )
    # Over tables, variances are averaged and not their roots.
    for method in METHODS:
        spread, differing = np.array([cells[table, method] for table in tables]).T
        root = np.sqrt((spread**2).mean())
        print(f"{method}: spread {root:.2f} points (root mean square), largest {spread.max():.2f}, ", end="")
        print(f"{differing.mean():.1f}% of the rows differ; {len(tables)} tables.")


if __name__ == "__main__":
    main()

"""What it would save to stop trying models that are hopeless after two of five folds, and what it would cost.

Run with `make bench-early ARGS="--data-dir DIR"` (about ten seconds a run). A model of the default committee
is stopped where, on the rows of the first two folds, its calibrated log loss is above the best model's by so
many standard errors. Every model is cross-validated on two folds and on all with a clock beside it; the
committee is then made of all models, and of those that were not stopped. Prints both with the table as the
unit, and writes results/early.json; what is stored there is not computed again.
"""

import argparse
import itertools
import json
import time
import warnings
from copy import copy
from pathlib import Path

import numpy as np

from surelabel import csa
from surelabel.bench.folder_tables import TooSmallError, read_draw
from surelabel.bench.table_suites import CHOOSING, SIZES
from surelabel.committees.trials import cross_validated
from surelabel.heldout.weights import exponents, sharpened
from surelabel.reading.columns import Columns
from surelabel.reading.targets import read_targets
from surelabel.rounds.run import begin

TABLES = tuple(name for name in CHOOSING.datasets[::2] if name != "madelon")  # by far the slowest
FIRST = 2
ERRORS = (2.0, 3.0, 4.0)


def hopeless(held, errors):
    """Names of the models that are worse than the best one by so many standard errors."""
    powers = exponents(held.P, held.codes, held.weight)
    p = sharpened(held.P, powers[:, None, None])
    loss = -np.log(p[:, np.arange(len(held)), held.codes].clip(1e-6))
    worse = loss - loss[loss.mean(axis=1).argmin()]
    error = worse.std(axis=1, ddof=1) / np.sqrt(len(held))
    return [name for name, d, e in zip(held.names, worse.mean(axis=1), error, strict=True) if d > errors * e]


def clocked(trial, folds, codes):
    """Processor seconds of a cross-validation."""
    begin = time.process_time()
    cross_validated(trial.model, trial.view, folds, codes, None)
    return time.process_time() - begin


def computed(split):
    """Accuracy with and without the models stopped, the processor seconds they take, and those of a run."""
    clf, reader = csa(random_state=split.seed), Columns()
    table = reader.fit_transform(split.X_l, split.X_u)
    test = reader.transform(split.X_t)
    clock = time.process_time()
    run = begin(clf, table, read_targets(np.append(split.y_l, np.full(len(split.y_u), -1)), -1, None))
    for _ in run.rounds():
        pass
    run.finish()
    total = time.process_time() - clock
    committee = run.engine.train(run.strand, run.strand.trainer, 1)
    trials = committee._trials
    held = trials.held_out()
    # What the models that were stopped would have done in the other folds.
    rest = {
        name: clocked(trial, trials.folds, trials.codes) - clocked(trial, trials.folds[:FIRST], trials.codes)
        for name, trial in trials.tried.items()
    }
    result = {"cpu": total, "accuracy": right(committee, test, split), "models": len(rest), "rules": {}}
    for errors in ERRORS:
        out = hopeless(held.rows(held.fold < FIRST), errors)
        fewer = copy(committee)._seated([name for name in held.names if name not in out], None)
        result["rules"][f"{errors:.0f}"] = {
            "stopped": out,
            "had a seat": [name for name in out if name in committee.seats_],
            "saved": sum(rest[name] for name in out),
            "accuracy": right(fewer, test, split),
        }
    return result


def right(committee, X, split):
    """Test rows predicted correctly, in percent."""
    return 100 * float((committee.predict_proba(X).argmax(axis=1) == split.y_t).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="the folder of CSV files")
    parser.add_argument("--tables", default=",".join(TABLES), help="names, with commas between")
    parser.add_argument("--out", type=Path, default=Path("results/early.json"))
    args = parser.parse_args()
    runs = json.loads(args.out.read_text()) if args.out.exists() else []
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for n, table in itertools.product(SIZES, args.tables.split(",")):
        about = {"table": table, "labels": n, "draw": 0}
        if any(about.items() <= run.items() for run in runs):
            continue
        try:
            split = read_draw(table, 0, args.data_dir, labelled=n)
        except TooSmallError as error:
            print(error)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs.append(about | computed(split))
        args.out.write_text(json.dumps(runs, indent=1) + "\n")
        print(table, n, flush=True)
    report(runs)


def report(runs):
    tables = sorted({run["table"] for run in runs})
    print("\n| standard errors | accuracy | worst table | CPU saved | models stopped | of them with a seat |")
    print("|---" * 6 + "|")
    for rule in runs[0]["rules"]:
        told = {
            table: [(run, run["rules"][rule]) for run in runs if run["table"] == table] for table in tables
        }
        less = {
            t: np.mean([told["accuracy"] - run["accuracy"] for run, told in some]) for t, some in told.items()
        }
        saved = [np.mean([told["saved"] / run["cpu"] for run, told in some]) for some in told.values()]
        stopped = sum(len(each["stopped"]) for some in told.values() for _, each in some)
        seated = sum(len(each["had a seat"]) for some in told.values() for _, each in some)
        gain, root, worst = np.array(list(less.values())), np.sqrt(len(tables)), min(less, key=less.get)
        print(
            f"| {rule} | {gain.mean():+.2f} ({gain.std(ddof=1) / root:.2f}) | {worst} {less[worst]:+.1f} "
            f"| {np.mean(saved):.1%} ({np.std(saved, ddof=1) / root:.1%}) "
            f"| {stopped / sum(run['models'] for run in runs):.0%} | {seated / max(stopped, 1):.0%} |"
        )
    print(f"{len(runs)} runs of {len(tables)} tables.")


if __name__ == "__main__":
    main()

"""Whether labels that were found should train the committee, and whether a run could tell beforehand.

Run with `make bench-found ARGS="--data-dir DIR"` (about five seconds a run). On every second table for
choosing csa() runs as by default; then its committee is trained again on the labels found. Evidence is asked
of three folds of the given labels: the committee is trained without a fold, labels the pool, is trained
again on these labels, and predicts the fold before and after. This is done with the cheap models of the
committee alone, and by --whole, at five times the cost of the run, with all of them. Prints what comes of
training again always, only where evidence says so, or where the hidden labels of the pool say so, and writes
results/found.json; what is stored there is not computed again.
"""

import argparse
import itertools
import json
import time
import warnings
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np

from surelabel import Unlike, csa, unlike_models
from surelabel.bench.folder_tables import TooSmallError, read_draw
from surelabel.bench.table_suites import CHOOSING
from surelabel.committees.member_fitting import stratified_folds
from surelabel.reading.columns import Columns
from surelabel.reading.features import take
from surelabel.reading.targets import read_targets
from surelabel.rounds.loop import rounds
from surelabel.rounds.run import begin
from surelabel.rounds.training import GUARD, Trainer

TABLES = tuple(name for name in CHOOSING.datasets[::2] if name != "madelon")  # by far the slowest
CHEAP = ("linear", "linear on quantiles", "Gaussian", "Gaussian of own shape", "kernel")
FOLDS = 3
# Standard errors that the evidence must be above 0.
SURE = (0.0, 1.0, 2.0)
_MODELS = {"cheap": "cheap models", "whole": "all models"}


def lesson_of(X, labels):
    return lambda before: (X, labels if before is None else labels.before(before))


def losses(committee, X, codes):
    """-log of the true class's probability, and whether each row is predicted correctly: (2, n)."""
    p = committee.predict_proba(X)
    return np.array([-np.log(p[np.arange(len(codes)), codes].clip(1e-6)), p.argmax(axis=1) == codes])


def evidence(run, trainer):
    """What found labels gain on held-out rows, in log loss and in rows predicted correctly: (2, n)."""
    X, start = run.engine.at_first(run.strand)
    given = np.flatnonzero(start.codes >= 0)
    trainer(lesson_of(X, start))
    gains = []
    for _, held in stratified_folds(start.codes[given], FOLDS, trainer.seeds.rng(GUARD)):
        rows, fold = given[held], start.afresh(start.weight.copy())
        fold.codes[rows], fold.weight[rows] = -1, 0.0
        lesson, apart = lesson_of(X, fold), trainer.without(held, lesson_of(X, start))
        truth, held_rows = start.codes[rows], take(X, rows)
        before = losses(apart(lesson), held_rows, truth)
        for _ in rounds(X, fold, run.method, prior=run.frequencies(fold), n_rounds=1, trainer=apart):
            pass
        after = losses(apart(lesson), held_rows, truth)
        gains.append([before[0] - after[0], after[1] - before[1]])
    return np.concatenate(gains, axis=1)


def of_evidence(gains, seconds):
    """Mean and standard error of both gains, and processor seconds."""
    error = gains.std(axis=1, ddof=1) / np.sqrt(gains.shape[1])
    return {"gain": gains.mean(axis=1).tolist(), "error": error.tolist(), "cpu": seconds}


def computed(split, whole):
    """Accuracies on test and pool before and after training again, and the evidence beforehand."""
    clf, reader = csa(random_state=split.seed), Columns()
    table = reader.fit_transform(split.X_l, split.X_u)
    y = np.append(split.y_l, np.full(len(split.y_u), -1))
    clock = time.process_time()
    run = begin(clf, table, read_targets(y, -1, None))
    for _ in run.rounds():
        pass
    trainer, labels = run.strand.trainer, run.strand.labels
    known = partial(run.engine.lesson, run.strand, trainer)
    before = trainer(known, 1)
    cpu = {"run": time.process_time() - clock}
    clock = time.process_time()
    after = trainer(known) if (labels.round > 0).any() else before
    cpu["train again"] = time.process_time() - clock
    result = {"cpu": cpu, "found": int((labels.round > 0).sum())}
    pool = take(table, slice(len(split.y_l), None))
    places = {"test": (reader.transform(split.X_t), split.y_t), "pool": (pool, split.y_u)}
    for place, (X, truth) in places.items():
        both = np.array([losses(each, X, truth).mean(axis=1) for each in (before, after)])
        result[place] = {"gain": (both[1] - both[0]).tolist(), "accuracy": both[0, 1]}
    models = unlike_models()
    cheap = Trainer(Unlike({name: models[name] for name in CHEAP}), trainer.seeds)
    for name, each in {"cheap": cheap, **({"whole": trainer} if whole else {})}.items():
        clock = time.process_time()
        gains = evidence(run, each)
        result[name] = of_evidence(gains, time.process_time() - clock)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="the folder of CSV files")
    parser.add_argument("--tables", default=",".join(TABLES), help="names, with commas between")
    parser.add_argument("--draws", type=int, default=3, help="how many, from 0")
    parser.add_argument("--whole", action="store_true", help="ask the whole committee for evidence too")
    parser.add_argument("--out", type=Path, default=Path("results/found.json"))
    args = parser.parse_args()
    runs = json.loads(args.out.read_text()) if args.out.exists() else []
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for draw, table, n in itertools.product(range(args.draws), args.tables.split(","), (60, 150)):
        about = {"table": table, "labels": n, "draw": draw}
        if any(about.items() <= run.items() for run in runs):
            continue
        try:
            split = read_draw(table, draw, args.data_dir, labelled=n)
        except TooSmallError as error:
            print(error)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs.append(about | computed(split, args.whole))
        args.out.write_text(json.dumps(runs, indent=1) + "\n")
        print(table, n, draw, flush=True)
    report(runs)


def rules(run):
    """Whether the committee would be trained again, by each rule."""
    told = {"always": True, "by the hidden labels of the pool": run["pool"]["gain"][1] > 0}
    asked = [name for name in _MODELS if name in run]
    for name, (kind, place), sure in itertools.product(asked, (("log loss", 0), ("accuracy", 1)), SURE):
        gain, error = run[name]["gain"][place], run[name]["error"][place]
        told[f"{_MODELS[name]}, {kind}, {sure:.0f} standard errors above 0"] = gain > sure * error
    return told


def report(runs):
    told = [(run, rules(run)) for run in runs]
    print("\n| trained again | test accuracy | log loss | worst table | of runs |\n|---|---|---|---|---|")
    for rule in dict.fromkeys(rule for _, each in told for rule in each):
        gains = defaultdict(list)
        for run, each in told:
            if rule in each:
                gains[run["table"]].append(each[rule] * np.array([1, 100]) * run["test"]["gain"])
        means = {table: np.mean(some, axis=0) for table, some in gains.items()}
        loss, right = np.array(list(means.values())).T
        error = [each.std(ddof=1) / np.sqrt(len(means)) for each in (right, loss)]
        worst = min(means, key=lambda table: means[table][1])
        asked = [each[rule] for _, each in told if rule in each]
        print(
            f"| {rule} | {right.mean():+.2f} ({error[0]:.2f}) | {loss.mean():+.4f} ({error[1]:.4f}) "
            f"| {worst} {means[worst][1]:+.1f} | {sum(asked)} of {len(asked)} |"
        )
    cpu = {
        name: [run[name]["cpu"] / run["cpu"]["run"] for run in runs if name in run]
        for name in ("cheap", "whole")
    }
    cpu["training again"] = [run["cpu"]["train again"] / run["cpu"]["run"] for run in runs]
    medians = ", ".join(f"{name} {np.median(some):.2f}" for name, some in cpu.items() if some)
    print(f"CPU over that of the run, medians: {medians}.")


if __name__ == "__main__":
    main()

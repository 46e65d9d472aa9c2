"""What is promised of filled labels, and whether it is kept.

Run with `make bench-promise ARGS="--data-dir DIR --draws 30"` (one to five seconds a run). csa() is fitted on
each table of a half with so many labels at random; what it says of the unlabelled rows and of held-out ones
is kept in results/promise/. Decisions are replayed from these files in seconds, beside the rules that
people use. Prints tables with the table as the unit, and writes results/promise.json; what is stored is not
computed again. With --shifts also runs whose labelled rows were drawn with a shift (promise_shifts.py), and
whether that is noticed (promise_alike.py).
"""

import argparse
import json
import warnings
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
from promise_alike import LEFT_OUT, Kept, alike_report, split_of
from promise_more import more_report
from promise_shifts import KINDS

from surelabel import csa
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import TooSmallError, tables_in
from surelabel.bench.table_suites import HALVES, SIZES, half_of
from surelabel.filling import evidence_of, fill
from surelabel.heldout import HeldOut

try:
    from mapie.risk_control import BinaryClassificationController
except ImportError:
    BinaryClassificationController = None
    print("MAPIE is not installed (pip install mapie): its column is left out.")

RESULTS = Path("results")
# Asked: right, confidence, per class.
FORMS = {
    "average 90%": (0.9, None, False),
    "average 95%": (0.95, None, False),
    "average 99%": (0.99, None, False),
    "confident 95%, 0.9": (0.95, 0.9, False),
    "average 95%, per class": (0.95, None, True),
    "confident 95%, 0.9, per class": (0.95, 0.9, True),
}
RULES = {"p >= 0.95": 0.95, "p >= 0.99": 0.99}
_NEARLY = 1e-9


def computed(split, seed):
    """Arrays of a run: what is said of the pool, the truth, the held-out record, what the rounds found."""
    n = len(split.y_l)
    clf = csa(random_state=seed).fit(split.X_l, split.y_l, X_unlabeled=split.X_u)
    held = clf.held_out_
    found = np.where(clf.labeled_iter_[n:] > 0, clf.transduction_[n:], -1)
    return {
        "pool": clf.predict_proba(split.X_u),
        "truth": split.y_u,
        "names": held.names,
        "P": held.P,
        "codes": held.codes,
        "weight": held.weight,
        "fold": held.fold,
        "found": found,
    }


def stored(name, n, draw, folder, path, kind=None):
    """The arrays of a run, from its file or computed; a file is there only when it is whole."""
    if not path.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays = computed(split_of(name, n, draw, kind, folder), draw)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **arrays)
        part.rename(path)
    with np.load(path) as kept:
        return {key: kept[key] for key in kept.files}


def record(run):
    return HeldOut(tuple(run["names"].tolist()), run["P"], run["codes"], run["weight"], run["fold"])


def decided(run):
    """What each form and rule fills: the codes (m,), -1 for none, and the share right asked, by name."""
    evidence = evidence_of(record(run), run["pool"])
    fillings = {name: fill(evidence, *asked) for name, asked in FORMS.items()}
    everything = np.ones(len(run["pool"]), dtype=bool)
    for folds, part in ((1, "a fifth"), (2, "two fifths")):
        split = evidence.rows(run["fold"] < folds, everything)
        fillings[f"confident 95%, 0.9, {part} held out"] = fill(split, 0.95, 0.9)
    made = {name: (filling.codes, filling.right, filling) for name, filling in fillings.items()}
    for name, least in RULES.items():
        sure = evidence.pool_score >= least
        made[name] = (np.where(sure, evidence.pool_guess, -1), least, None)
    if BinaryClassificationController is not None:
        least = mapie_threshold(split, 0.95, 0.9)
        sure = evidence.pool_score >= least
        made["MAPIE, two fifths held out"] = (np.where(sure, evidence.pool_guess, -1), 0.95, None)
    made["accepted by the rounds"] = (run["found"], 0.95, None)
    return made


def mapie_threshold(split, right, confidence):
    """The threshold by which MAPIE controls the precision of guesses; infinite where it finds none."""
    controller = BinaryClassificationController(
        lambda X: np.column_stack([1 - X[:, 0], X[:, 0]]), "precision", right, confidence_level=confidence
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is none
        controller.calibrate(split.score[:, None], split.right.astype(int))
    found = controller.best_predict_param
    return np.inf if found is None else float(found)


def best_possible(run, asked):
    """The largest set of top scores that has the precision, as a share of the rows."""
    score, wrong = run["pool"].max(axis=1), run["pool"].argmax(axis=1) != run["truth"]
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    number = np.arange(1, len(order) + 1)
    kept = number[(np.cumsum(wrong[order]) <= (1 - asked) * number + _NEARLY) & last]
    return kept.max(initial=0) / len(order)


def judged(run):
    """By form or rule: filled, best possible, right (1 if none is filled), failed, and more."""
    lines = {}
    for name, (codes, asked, filling) in decided(run).items():
        filled = codes >= 0
        right = float((codes == run["truth"])[filled].mean()) if filled.any() else 1.0
        line = {
            "filled": float(filled.mean()),
            "best": float(best_possible(run, asked)),
            "right": right,
            "asked": asked,
            "failed": bool(right < asked - _NEARLY),
            "any": bool(filled.any()),
        }
        if filling is not None and filling.share is not None:
            line["estimate"] = filling.share.estimate
            line["inside"] = filling.share.low <= right <= filling.share.high
        if filling is not None and filling.per_class:
            shares = [float((run["truth"][codes == k] == k).mean()) for k in np.unique(codes[filled])]
            line["classes"] = len(shares)
            line["classes failed"] = int((np.array(shares) < asked - _NEARLY).sum())
            line["classes right"] = float(np.mean(shares)) if shares else 1.0
            line["failed"] = bool(line["classes failed"])
        lines[name] = line
    return lines


def summary(by_table):
    """One line: means over runs of a table first, then over tables."""

    def mean(key, some=lambda line: True):
        tables = [[line[key] for line in lines if some(line) and key in line] for lines in by_table.values()]
        tables = [np.mean(values) for values in tables if values]
        return float(np.mean(tables)) if tables else None

    below = {}
    for table, lines in by_table.items():
        right = np.array([line["right"] for line in lines])
        error = right.std(ddof=1) / np.sqrt(len(right)) if len(right) > 1 else np.inf
        less = lines[0]["asked"] - right.mean()
        if less > 2 * error + _NEARLY:
            below[table] = round(float(less), 4)
    failed = {table: float(np.mean([line["failed"] for line in lines])) for table, lines in by_table.items()}
    worst = max(failed, key=failed.get)
    filled, best = mean("filled"), mean("best")
    off = [
        line["estimate"] - line["right"]
        for lines in by_table.values()
        for line in lines
        if "estimate" in line
    ]
    return {
        "tables": len(by_table),
        "runs": sum(map(len, by_table.values())),
        "runs that fill": mean("any"),
        "right": mean("right"),
        "right where filled": mean("right", lambda line: line["any"]),
        "filled": filled,
        "best possible": best,
        "of best": filled / best if best else None,
        "failed": mean("failed"),
        "failed of all runs": float(
            np.mean([line["failed"] for lines in by_table.values() for line in lines])
        ),
        "worst table": worst,
        "failed there": failed[worst],
        "below by two standard errors": below,
        "estimate is off by": float(np.mean(np.abs(off))) if off else None,
        "bias of the estimate": float(np.mean(off)) if off else None,
        "inside the interval": mean("inside"),
        "classes failed": _share(by_table, "classes failed", "classes"),
        "classes right": mean("classes right"),
    }


def _share(by_table, part, whole):
    lines = [line for lines in by_table.values() for line in lines if whole in line]
    total = sum(line[whole] for line in lines)
    return sum(line[part] for line in lines) / total if total else None


def report(found):
    """Print a table for each number of labels and for all, and give them."""
    sizes = sorted({size for _, size, _ in found})
    written = {}
    for which in [*sizes, "all"]:
        by_form = defaultdict(lambda: defaultdict(list))
        for (table, size, _), lines in found.items():
            for form, line in lines.items():
                if which in (size, "all"):
                    by_form[form][table].append(line)
        written[str(which)] = {form: summary(by_table) for form, by_table in by_form.items()}
        print(f"\n{which} labels" if which != "all" else "\nall numbers of labels")
        print(
            "| | filled | best possible | right | right where filled | runs failed | worst table | too low |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for form, line in written[str(which)].items():
            filled = "" if line["right where filled"] is None else f"{line['right where filled']:.1%}"
            print(
                f"| {form} | {line['filled']:.1%} | {line['best possible']:.1%} | {line['right']:.1%} "
                f"| {filled} | {line['failed of all runs']:.1%} "
                f"| {line['worst table']} {line['failed there']:.0%} "
                f"| {', '.join(line['below by two standard errors']) or 'none'} |"
            )
    return written


def by_table(found):
    """Filled, best possible, right and failed of each table, form and number of labels, over draws."""
    lines = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for (table, size, _), forms in found.items():
        for form, line in forms.items():
            lines[table][form][str(size)].append([line[key] for key in ("filled", "best", "right", "failed")])
    return {
        table: {
            form: {
                size: [len(some), *np.mean(some, axis=0).round(4).tolist()] for size, some in sizes.items()
            }
            for form, sizes in forms.items()
        }
        for table, forms in lines.items()
    }


def shifted(args, sizes, draws, names):
    """What comes of labelled rows drawn with a shift, and at random, by table, labels, draw and kind."""
    told = Kept(args.out / "promise" / "likeness.json", args.data_dir, compute=not args.stored_only)
    found = {}
    for draw, name, n, kind in product(draws, names, sizes, (None, *KINDS)):
        if name in LEFT_OUT:
            continue
        try:
            p = told(name, n, draw, kind)
            if p is not None:
                found[name, n, draw, kind] = (p, *broken(args, name, n, draw, kind))
        except TooSmallError:
            continue
    return found


def broken(args, name, n, draw, kind):
    """Whether a run breaks its promise, on average and with confidence; None where it was not made."""
    runs = args.out / "promise"
    path = runs / "shifts" / f"{name}-{n}-{draw}-{kind}.npz" if kind else runs / f"{name}-{n}-{draw}.npz"
    if not path.exists() and (args.stored_only or n not in args.fitted):
        return None, None
    lines = judged(stored(name, n, draw, args.data_dir, path, kind))
    return tuple(lines[form]["failed"] for form in ("average 95%", "confident 95%, 0.9"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="the folder of CSV files")
    parser.add_argument("--half", choices=(*HALVES, "both"), default="choosing", help="of the tables")
    parser.add_argument("--first", type=int, default=0, help="the first draw")
    parser.add_argument("--draws", type=int, default=10, help="how many")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of labels")
    parser.add_argument("--shifts", type=int, default=0, help="draws with planted shifts, the first ones")
    parser.add_argument("--fitted", default="150", help="numbers of labels at which these are fitted, too")
    parser.add_argument("--stored-only", action="store_true", help="compute nothing")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    sizes = [int(n) for n in args.sizes.split(",")]
    args.fitted = [int(n) for n in args.fitted.split(",") if n]
    names = [name for name in tables_in(args.data_dir) if args.half in ("both", half_of(name))]
    found, evidences = {}, {}
    for draw, name, n in product(range(args.first, args.first + args.draws), names, sizes):
        path = args.out / "promise" / f"{name}-{n}-{draw}.npz"
        if args.stored_only and not path.exists():
            continue
        try:
            run = stored(name, n, draw, args.data_dir, path)
        except TooSmallError:
            continue
        except DataError as error:
            print(error)
            continue
        found[name, n, draw] = judged(run)
        evidences[name, n, draw] = evidence_of(record(run), run["pool"])
    written = {
        "by labels": report(found),
        "further labels": more_report(evidences),
        "shifts": alike_report(shifted(args, sizes, range(args.shifts), names)) if args.shifts else None,
        "by table: runs, filled, best possible, right, failed": by_table(found),
    }
    (args.out / "promise.json").write_text(json.dumps(written))


if __name__ == "__main__":
    main()

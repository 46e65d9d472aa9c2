"""Given labels that are wrong: how well they are found, beside cleanlab, and how many there seem to be.

Run with `make bench-wrong ARGS="--data-dir DIR --draws 2"` (one to five seconds a run; seven runs for each
table and draw). Of 200 labels of a table some are flipped: at random, or to a class that they are likely to
be confused with, by a forest that has seen the truth of other rows. csa() is fitted on them; what it says of
held-out rows is kept in results/wrong_labels/. cleanlab gets the same probabilities, and its own. Prints
tables with the table as the unit, and writes results/wrong_labels.json, or with --clean, which flips nothing,
results/clean_labels.json; what is stored is not computed again.
"""

import argparse
import json
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from surelabel import csa
from surelabel.advice.doubts import doubtful
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import TooSmallError, read_draw, tables_in
from surelabel.bench.table_suites import HALVES, half_of
from surelabel.committees.encoding import Encoder
from surelabel.heldout import HeldOut
from surelabel.reading.columns import Columns

RESULTS = Path("results")
OURS = "doubtful_labels"
LABELLED = 200
MOST_UNLABELLED = 500
RATES = (0.05, 0.1, 0.2)
KINDS = ("random", "confusion")
CONDITIONS = (("clean", 0.0), *((kind, rate) for kind in KINDS for rate in RATES))


def matrix(split):
    """Labelled rows and the others as numbers, for models that read nothing else."""
    columns = Columns()
    table = columns.fit_transform(split.X_l, split.X_u)
    Z = Encoder().fit_transform(table)
    return Z[: len(split.y_l)], Z[len(split.y_l) :]


def flipped(split, kind, rate, rng):
    """Labels of which a share is another class than the truth."""
    y, K = split.y_l.copy(), split.dataset.classes
    rows = rng.permutation(len(y))[: round(rate * len(y))]
    weight = np.ones((len(y), K))
    if kind == "confusion" and len(rows):
        Z_l, Z_u = matrix(split)
        forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0).fit(Z_u, split.y_u)
        weight = np.zeros((len(y), K))
        weight[:, forest.classes_] = forest.predict_proba(Z_l)
        weight += 1e-3
    weight[np.arange(len(y)), y] = 0
    for row in rows:
        y[row] = rng.choice(K, p=weight[row] / weight[row].sum())
    return y


def computed(name, draw, folder, kind, rate):
    """Arrays of a run: held-out probabilities, labels and truth; and what others say of the same labels."""
    split = read_draw(name, draw, folder, labelled=LABELLED)
    y = flipped(
        split, kind, rate, np.random.default_rng([draw, round(100 * rate), KINDS.index(kind) if rate else 0])
    )
    clf = csa(random_state=draw).fit(split.X_l, y, X_unlabeled=split.X_u[:MOST_UNLABELLED])
    held = clf.held_out_
    out = {
        "P": held.P[-1],
        "codes": held.codes,
        "fold": held.fold,
        "classes": clf.classes_,
        "y": y,
        "truth": split.y_l,
    }
    Z, _ = matrix(split)
    codes = np.searchsorted(clf.classes_, y)
    for name, model in OTHERS.items():
        out[name] = own(model, Z, codes)
    return out


OTHERS = {
    "logistic": LogisticRegression(max_iter=2000),
    "trees": ExtraTreesClassifier(300, random_state=0),
}


def own(model, Z, codes):
    """Held-out probabilities by five folds, as cleanlab makes them; a class in one fold only has 0 there."""
    K = codes.max() + 1
    p = np.zeros((len(codes), K))
    for seen, held in StratifiedKFold(5, shuffle=True, random_state=0).split(Z, codes):
        fitted = model.fit(Z[seen], codes[seen])
        p[np.ix_(held, fitted.classes_)] = fitted.predict_proba(Z[held])
    return p


def stored(name, draw, folder, kind, rate):
    """The arrays of a run, from its file or computed; a file is there only when it is whole."""
    path = RESULTS / "wrong_labels" / f"{name}-{draw}-{kind}-{round(100 * rate)}.npz"
    if not path.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays = computed(name, draw, folder, kind, rate)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **arrays)
        part.rename(path)
    with np.load(path) as kept:
        return {key: kept[key] for key in kept.files}


def judged(run):
    """AUROC and precision at the true number of wrong labels, by who scores; how many seem to be wrong."""
    wrong, codes = run["y"] != run["truth"], run["codes"]
    held = HeldOut(("csa",), run["P"][None], codes, np.ones(len(codes)), run["fold"])
    doubts = doubtful(held)
    scores = {OURS: doubts.score}
    if find_spec("cleanlab") is not None:
        from cleanlab.rank import get_label_quality_scores

        for who, p in {
            "cleanlab, same": run["P"],
            **{f"cleanlab, {key}": run[key] for key in OTHERS},
        }.items():
            scores[who] = get_label_quality_scores(codes, p / p.sum(axis=1, keepdims=True))
    found = {}
    if wrong.any():
        for who, score in scores.items():
            first = np.argsort(score, kind="stable")[: wrong.sum()]
            found[who] = float(roc_auc_score(wrong, -score)), float(wrong[first].mean())
    return found, (doubts.expected, doubts.low, doubts.high)


def summary(runs):
    """What is printed and stored: means over the runs of a table, then over tables, for each half."""
    out = {}
    for half in HALVES:
        here = [run for run in runs if half_of(run["table"]) == half]
        names = sorted({run["table"] for run in here})
        if not names:
            continue
        flips = [run for run in here if run["wrong"]]
        who = sorted({each for run in flips for each in run["found"]})
        by = {
            each: np.array(
                [np.mean([r["found"][each] for r in flips if r["table"] == name], axis=0) for name in names]
            )
            for each in who
        }
        clean = [run for run in here if not run["wrong"]]
        inside = [run["number"][1] <= run["wrong"] <= run["number"][2] for run in flips]
        out[half] = {
            "tables": names,
            "clean_runs": len(clean),
            "clean_includes_0": float(np.mean([run["number"][1] == 0 for run in clean])),
        }
        if not flips:
            continue
        out[half] |= {
            "auroc": {each: float(by[each][:, 0].mean()) for each in who},
            "precision": {each: float(by[each][:, 1].mean()) for each in who},
            # Of the tables: how far ours is behind the other, at worst.
            "worst_auroc": {each: float((by[OURS] - by[each])[:, 0].min()) for each in who},
            "worst_precision": {each: float((by[OURS] - by[each])[:, 1].min()) for each in who},
            "flipped_runs": len(flips),
            "interval_has_the_number": float(np.mean(inside)),
            "interval_above_0": {
                f"{rate:.0%}": float(np.mean([r["number"][1] > 0 for r in flips if r["rate"] == rate]))
                for rate in RATES
            },
        }
    return out


def printed(found):
    for half, figures in found.items():
        print(f"\n{half}: {len(figures['tables'])} tables")
        print(
            f"  clean labels: 0 is in {figures['clean_includes_0']:.1%} of {figures['clean_runs']} intervals"
        )
        if "flipped_runs" not in figures:
            continue
        for who, auroc in figures["auroc"].items():
            worst = figures["worst_auroc"][who], figures["worst_precision"][who]
            print(
                f"  {who:22} AUROC {auroc:.4f}, precision {figures['precision'][who]:.4f}; ours at worst "
                f"{worst[0]:+.3f} and {worst[1]:+.3f}"
            )
        above = ", ".join(f"{share:.0%} with {rate}" for rate, share in figures["interval_above_0"].items())
        print(
            f"  {figures['flipped_runs']} runs with wrong labels: their number is in "
            f"{figures['interval_has_the_number']:.1%}; above 0: {above}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--clean", action="store_true", help="only runs with no label flipped")
    options = parser.parse_args()
    if find_spec("cleanlab") is None:
        print("left out: cleanlab; install cleanlab to compare with it")
    runs = []
    for k in range(options.draws):
        for name in options.tables or list(tables_in(options.data_dir)):
            if options.half and half_of(name) != options.half:
                continue
            draw = k + 10 * HALVES.index(half_of(name))
            try:
                for kind, rate in CONDITIONS[:1] if options.clean else CONDITIONS:
                    run = stored(name, draw, options.data_dir, kind, rate)
                    found, number = judged(run)
                    n_wrong = int((run["y"] != run["truth"]).sum())
                    runs.append(
                        {
                            "table": name,
                            "draw": draw,
                            "kind": kind,
                            "rate": rate,
                            "wrong": n_wrong,
                            "found": found,
                            "number": number,
                        }
                    )
            except (TooSmallError, DataError) as error:
                print(f"left out: {error}", flush=True)
                continue
            print(name, flush=True)
    found = summary(runs)
    printed(found)
    out = RESULTS / ("clean_labels.json" if options.clean else "wrong_labels.json")
    out.write_text(json.dumps({"labelled": LABELLED, "halves": found, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()

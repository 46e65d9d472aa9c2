"""Default CSA against what a user could pick instead, on the paper's ten tables and splits.

Run with `make bench-accuracy` (an hour on two cores for ten seeds), or with
`ARGS="--seeds 3 --datasets wdbc,digits"`. Results are appended to results/accuracy.jsonl, a
line for each dataset, seed and method; what is there is not computed again. Prints a table
and writes results/accuracy.json.

The alternatives: the same committee on the labelled rows alone; each of its models alone (those
that learn from unlabelled rows are given them); scikit-learn's self-training with a support
vector machine; scikit-learn's label spreading with seven neighbours, raw and scaled.
"""

import json
import time
import warnings
from collections import defaultdict

import numpy as np
from datasets import PAPERS_BEST, RESULTS, UNLABELLED, arguments, collect, load, split
from scipy.stats import ttest_rel
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from surelabel import Columns, csa, unlike_models
from surelabel.committees.encoding import Encoder
from surelabel.committees.member_fitting import fit_weighted, seeded
from surelabel.reading.features import stacked


def supervised_and_csa(labelled, unlabelled, test, seed):
    """Default CSA, and the same committee on the labelled rows alone."""
    begin = time.perf_counter()
    clf = csa(random_state=seed).fit(*labelled, X_unlabeled=unlabelled[0])
    found = clf.pseudo_labels_["label"].notna().to_numpy()
    right = clf.pseudo_labels_["label"].to_numpy()[found] == unlabelled[1][found]
    yield (
        "csa",
        clf.score(*test),
        {
            "verdict": str(clf.verdict_),
            "ended": clf.termination_condition_,
            "labelled": int(found.sum()),
            "right": float(right.mean()) if found.any() else None,
            "rounds_seconds": sum(sum(r.seconds.values()) for r in clf.history_),
            "guard_seconds": clf.verdict_.seconds if clf.verdict_ else 0.0,
            "seconds": time.perf_counter() - begin,
        },
    )
    alone = csa(n_rounds=0, random_state=seed).fit(*labelled)
    yield "labels alone", alone.score(*test), {}


def alternatives(labelled, unlabelled, test, seed):
    """Every model of the committee by itself, self-training and label spreading."""
    columns = Columns()
    table = columns.fit_transform(labelled[0], unlabelled[0])
    n = len(labelled[1])
    part = (lambda rows: table.iloc[rows]) if hasattr(table, "iloc") else (lambda rows: table[rows])
    X_l, X_u, X_t = part(slice(None, n)), part(slice(n, None)), columns.transform(test[0])
    rng = np.random.RandomState(seed)
    for name, model in unlike_models().items():
        yield name, _score(fit_weighted(seeded(model, rng), X_l, labelled[1], None, X_u), X_t, test[1]), {}
    y = np.append(labelled[1], np.full(len(unlabelled[1]), -1))
    for name, scale in [("label spreading, scaled", "column"), ("label spreading, raw", "table")]:
        encoder = Encoder(scale=scale).fit(table)
        spreading = LabelSpreading(kernel="knn", n_neighbors=7, max_iter=200)
        spreading.fit(encoder.transform(stacked(X_l, X_u)), y)
        yield name, _score(spreading, encoder.transform(X_t), test[1]), {}
    if np.bincount(labelled[1]).min() < 2:
        return  # too few to calibrate a support vector machine
    svm = CalibratedClassifierCV(SVC(random_state=seed), ensemble=False, cv=2)
    machine = make_pipeline(Encoder().fit(table), SelfTrainingClassifier(svm)).fit(stacked(X_l, X_u), y)
    yield "self-training SVM", _score(machine, X_t, test[1]), {}


def _score(model, X, y):
    return float((model.predict(X) == y).mean())


def run(name, seed, folder, done):
    """Records of one dataset and seed that are not done yet."""
    data = load(name, folder)
    if data is None:
        return []
    parts = split(*data, UNLABELLED[name], seed)
    records = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for methods, first in [(supervised_and_csa, "csa"), (alternatives, "linear")]:
            if (name, seed, first) in done:
                continue
            for method, accuracy, more in methods(*parts, seed):
                records.append(
                    {"dataset": name, "seed": seed, "method": method, "accuracy": 100 * accuracy} | more
                )
    return records


def table(records):
    """Per dataset: the bars, CSA, and the best of the alternatives."""
    by = defaultdict(dict)
    for r in records:
        by[r["dataset"], r["method"]][r["seed"]] = r["accuracy"]
    rows = []
    for name in UNLABELLED:
        ours = by.get((name, "csa"))
        if not ours:
            continue
        seeds = sorted(ours)
        alone = by[name, "labels alone"]
        others = {
            method: np.mean([scores[s] for s in seeds if s in scores])
            for (dataset, method), scores in by.items()
            if dataset == name and method not in ("csa", "labels alone")
        }
        best = max(others, key=others.get)
        gains = np.array([ours[s] - alone[s] for s in seeds])
        p = ttest_rel([ours[s] for s in seeds], [alone[s] for s in seeds]).pvalue if gains.any() else 1.0
        mean = np.mean(list(ours.values()))
        rows.append(
            {
                "dataset": name,
                "seeds": len(seeds),
                "paper's best": PAPERS_BEST.get(name),
                "labels alone": np.mean(list(alone.values())),
                "csa": mean,
                "gain": gains.mean(),
                "p": float(p),
                "best alternative": best,
                "its accuracy": others[best],
                "ahead": mean - others[best],
            }
        )
    return rows


def show(rows):
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        cells = [
            f"{v:.3f}" if k == "p" else f"{v:.2f}" if isinstance(v, float) else v for k, v in row.items()
        ]
        print("| " + " | ".join("" if c is None else str(c) for c in cells) + " |")


def main():
    rows = table(collect(run, "accuracy", arguments(__doc__), "method"))
    show(rows)
    (RESULTS / "accuracy.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

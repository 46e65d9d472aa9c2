"""CSA with the fast XGBoost committee against the plain loop over `XGBClassifier`.

Run with `make bench-committee` (about 40 minutes), or fewer seeds: `make bench-committee ARGS="--seeds 3"`.
Prints a table, writes results/committee.json as it goes. Segment is read from segment.csv in the folder
named by --data-dir or SURELABEL_DATA, and skipped where there is none.

Splits are the paper's: a fifth for the test, then a share of the rest unlabelled, both by the seed. "plain"
is what the paper's algorithm reads like: one `XGBClassifier.fit` after the other with all cores. "paper"
grows the same trees from the shared matrix, members in parallel, so its accuracy stands for that of the plain
loop. "short" is the default schedule. All three draw the same hyper-parameters.

Run it on idle cores. The threads of the plain loop wait for each other at every step: beside other work it is
several times slower, which would flatter the ratio, and so does OMP_WAIT_POLICY=passive on idle ones.
"""

import argparse
import json
import os
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from datasets import UNLABELLED, load, split
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from xgboost import XGBClassifier

from surelabel import RandomXGBoost, Transport, TTest, csa
from surelabel.committees.random_xgboost import draw

RESULTS = Path("results")
MEASURES = ["accuracy", "right", "labelled", "seconds"]
NAMES = ["breast_cancer", "digits", "segment"]


class Plain(RandomXGBoost):
    """The same draws, one `XGBClassifier` after the other, all cores each."""

    def fit(self, X, y, sample_weight=None, X_unlabeled=None):
        """Train the members in turn."""
        rng = np.random.RandomState(self.random_state)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.members_ = [
            XGBClassifier(**draw(rng), n_jobs=-1).fit(X, codes, sample_weight=sample_weight)
            for _ in range(self.n_members)
        ]
        return self

    def predict_members(self, X):
        """Probabilities of each member, shape (M, N, K)."""
        return np.stack([member.predict_proba(X) for member in self.members_])


def fit(committee, labelled, unlabelled, test, seed):
    """A CSA fit: test accuracy, accuracy of the pseudo-labels, wall seconds."""
    model = csa(
        committee=committee,
        confidence=TTest(),
        allocator=Transport(),
        # One thread: the final model is no part of the comparison.
        estimator=XGBClassifier(n_jobs=1),
        found_weight="full",
        guard=False,
        random_state=seed,
        n_jobs=-1,
    )
    start = time.perf_counter()
    model.fit(*labelled, X_unlabeled=unlabelled[0])
    took = time.perf_counter() - start
    found = model.transduction_[len(labelled[1]) :]
    return {
        "seconds": took,
        "accuracy": 100 * model.score(*test),
        "right": 100 * float((found == unlabelled[1])[found >= 0].mean()),
        "labelled": 100 * float((found >= 0).mean()),
    }


def votes(committee, labelled, unlabelled, seed):
    """Confidence of round 1, shape (N,), and how well it tells right labels from wrong."""
    committee = clone(committee).set_params(random_state=seed, n_jobs=-1).fit(*labelled)
    P = committee.predict_members(unlabelled[0])
    confidence = TTest()(P)
    right = committee.classes_[P.mean(axis=0).argmax(axis=1)] == unlabelled[1]
    return confidence, float(roc_auc_score(right, confidence)), 100 * float(right.mean())


def ranking(members, labelled, unlabelled, seed):
    """Spearman correlation of confidence with that of the paper's committee."""
    paper = RandomXGBoost(members, schedule="paper")
    short = RandomXGBoost(members)
    one, paper_auroc, paper_right = votes(paper, labelled, unlabelled, seed)
    two, *_ = votes(paper, labelled, unlabelled, seed + 1000)
    fast, auroc, right = votes(short, labelled, unlabelled, seed)
    other, *_ = votes(short, labelled, unlabelled, seed + 1000)
    return {
        "second_draw": float(spearmanr(one, two)[0]),
        "short": float(spearmanr(one, fast)[0]),
        "short_other_draw": float(spearmanr(one, other)[0]),
        "auroc_paper": paper_auroc,
        "auroc_short": auroc,
        "right_paper": paper_right,
        "right_short": right,
    }


def summary(table):
    """A line for each dataset."""
    lines = []
    for name, part in table.groupby("dataset", sort=False):
        line = {"dataset": name}
        timed = part[part["kind"] == "time"]
        took = timed.groupby(["seed", "committee"])["seconds"].median().unstack()
        if len(took):
            line |= {"plain_s": took["plain"].median(), "short_s": took["short"].median()}
            line["times_faster"] = (took["plain"] / took["short"]).median()
        fits = part[part["kind"] == "fit"]
        if not len(fits):
            lines.append(line)
            continue
        fits = fits.pivot(index="seed", columns="committee", values=MEASURES)
        for what in MEASURES:
            for committee in ("paper", "short"):
                line[f"{what}_{committee}"] = fits[what][committee].mean()
        gain = fits["accuracy"]["short"] - fits["accuracy"]["paper"]
        line |= {"gain": gain.mean(), "gain_se": gain.std() / np.sqrt(len(gain)), "seeds": len(gain)}
        ranks = (
            part[part["kind"] == "ranking"]
            .dropna(axis=1, how="all")
            .drop(columns=["dataset", "kind", "seed"])
        )
        lines.append(line | ranks.mean().to_dict())
    return pd.DataFrame(lines).set_index("dataset").T


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="splits for the accuracy")
    parser.add_argument("--timed", type=int, default=1, help="splits on which the plain loop is timed")
    parser.add_argument("--repeats", type=int, default=3, help="fits of the fast committee for each of them")
    parser.add_argument("--ranked", type=int, default=3, help="splits on which confidence is compared")
    parser.add_argument("--members", type=int, default=20)
    parser.add_argument("--datasets", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("SURELABEL_DATA", "data")))
    parser.add_argument("--output", type=Path, default=RESULTS / "committee.json")
    options = parser.parse_args()
    options.output.parent.mkdir(exist_ok=True)
    committees = {
        "plain": Plain(options.members),
        "paper": RandomXGBoost(options.members, schedule="paper"),
        "short": RandomXGBoost(options.members),
    }
    rows = []

    def add(row):
        rows.append(row)
        print(
            {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()},
            flush=True,
        )
        options.output.write_text(json.dumps(rows, indent=1))

    tables = {name: load(name, options.data_dir) for name in options.datasets}
    tables = {name: table for name, table in tables.items() if table is not None}
    for name, table in tables.items():
        for seed in range(options.timed):
            parts = split(*table, UNLABELLED[name], seed)
            for committee in ["short"] * options.repeats + ["plain"]:
                result = fit(committees[committee], *parts, seed)
                add({"kind": "time", "dataset": name, "seed": seed, "committee": committee, **result})
    # Seed by seed over all datasets, so that a run cut short is still a comparison.
    for seed, (name, table) in product(range(options.seeds), tables.items()):
        parts = split(*table, UNLABELLED[name], seed)
        where = {"dataset": name, "seed": seed}
        for committee in ("paper", "short"):
            add({"kind": "fit", **where, "committee": committee, **fit(committees[committee], *parts, seed)})
        if seed < options.ranked:
            add({"kind": "ranking", **where, **ranking(options.members, *parts[:2], seed)})
    with pd.option_context("display.width", 200, "display.float_format", "{:.4g}".format):
        print(summary(pd.DataFrame(rows)).to_string())
    print(f"\n{options.output}")


if __name__ == "__main__":
    main()

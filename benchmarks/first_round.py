"""Rows that the paper's plan labels in the first round: the solver's, and those of plain Sinkhorn.

Run with `python benchmarks/first_round.py --data-dir DIR`; writes docs/reproduction/first_round.json.

A committee of 20 XGBoost models is trained on the labelled rows of a split; rows that a confidence trusts
go into one plan. "naive" is Sinkhorn on the whole (N + 1) x (K + 1) matrix in the log domain, as the paper
writes it, until the potentials move by less than 1e-11; "unscaled" is the form of the inequalities.
"""

import argparse
import json
import os
from pathlib import Path

import numpy as np

from surelabel import Budget, RandomXGBoost, TotalVariance, Transport, TTest
from surelabel.bench.datasets import read_split
from surelabel.budget import class_frequencies, ramp
from surelabel.committees.member_fitting import seeded

TABLES = ("segment", "breast_cancer", "digits", "synthetic_control")
CONFIDENCES = {"t-test": TTest(floor=0.0), "total variance": TotalVariance()}
LOW, HIGH, EPSILON = 0.9, 1.1, 0.01
MOST_ITERATIONS = 200_000


def log_sum(x, axis):
    top = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + top.squeeze(axis)


def naive(p, w, rho):
    """The paper's Sinkhorn run to convergence: plan (N, K), slack (N,), iterations."""
    n, k = p.shape
    cells = np.zeros((n + 1, k + 1))
    cells[:n, :k] = np.log(np.maximum(p, 1e-12)) / EPSILON
    r = np.log(np.append(np.ones(n), n * (HIGH - rho * LOW)))
    with np.errstate(divide="ignore"):
        c = np.log(np.append(HIGH * n * w, n * (1 - rho * LOW)))
    g = np.zeros(k + 1)
    iterations, moved = 0, np.inf
    while moved > 1e-11 and iterations < MOST_ITERATIONS:
        f = r - log_sum(cells + g, 1)
        before, g = g, c - log_sum(cells + f[:, None], 0)
        iterations, moved = iterations + 1, np.ptp(g - before)
    plan = np.exp(cells + f[:, None] + g)
    return plan[:n, :k], plan[:n, k], iterations


def counted(name, seed, folder):
    """A line for each confidence."""
    split = read_split(name, seed, folder).coded()
    members = seeded(RandomXGBoost(20), np.random.RandomState(seed)).fit(split.X_l, split.y_l)
    P = members.predict_members(split.X_u)
    prior = class_frequencies(split.y_l, np.ones(len(split.y_l)), split.n_classes)
    for label, confidence in CONFIDENCES.items():
        trusted = confidence(P) > 0
        p, truth = P[:, trusted].mean(axis=0), np.asarray(split.y_u)[trusted]
        budget = Budget(float(ramp(5)[0]), prior, len(split.y_u))
        plan, slack, iterations = naive(p, prior, budget.share)
        theirs = np.where(plan.max(axis=1) > slack, plan.argmax(axis=1), -1)
        ours = Transport("paper")(p, budget)
        before = Transport("unscaled", rows="slack")(p, budget).codes
        yield {
            "dataset": name,
            "confidence": label,
            "seed": seed,
            "trusted": len(p),
            "unscaled": int((before >= 0).sum()),
            "paper": int((ours.codes >= 0).sum()),
            "naive": int((theirs >= 0).sum()),
            "same_labels": bool((ours.codes == theirs).all()),
            "right": int((truth == ours.codes).sum()),
            "overruled": int(((ours.codes >= 0) & (ours.codes != p.argmax(axis=1))).sum()),
            "largest_difference": float(np.abs(ours.plan(np.arange(len(p))) - plan).max()),
            "iterations": iterations,
            "evaluations": ours.certificate.n_iter,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("SURELABEL_DATA"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs/reproduction/first_round.json"))
    options = parser.parse_args()
    lines = []
    for name in TABLES:
        for seed in range(options.seeds):
            for line in counted(name, seed, options.data_dir):
                print(line, flush=True)
                lines.append(line)
    options.out.write_text("[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]\n")
    print(f"{sum(line['same_labels'] for line in lines)} of {len(lines)} with the same labels")


if __name__ == "__main__":
    main()

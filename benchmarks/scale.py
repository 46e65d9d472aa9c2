"""What default CSA costs per unlabelled row: 20,000 labelled rows, up to two million others.

Run with `make bench-scale` (most of an hour on two cores), or with `ARGS="--rows 20000,200000"`.
The table is made up: 50 columns, 5 classes of two clusters each. Each size runs in a process of its
own, so that its peak memory is its own. Prints a table and writes results/scale.json.
"""

import argparse
import json
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from surelabel import csa

RESULTS = Path("results")
LABELLED, FEATURES, CLASSES = 20_000, 50, 5


def made_up(n, seed=0):
    """Rows of ten clusters, two for each class, in float32: X (n, 50) and classes (n,)."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(scale=0.35, size=(2 * CLASSES, FEATURES)).astype(np.float32)
    cluster = rng.integers(len(centres), size=n)
    X = rng.standard_normal((n, FEATURES), dtype=np.float32)
    X += centres[cluster]
    return X, cluster % CLASSES


def run(n_unlabelled, guard):
    """One fit: seconds of each part, seconds per row, memory."""
    X, y = made_up(LABELLED + n_unlabelled)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    clf = csa(random_state=0, n_jobs=2, guard=guard)
    clf.fit(X[:LABELLED], y[:LABELLED], X_unlabeled=X[LABELLED:])
    total = time.perf_counter() - begin
    parts = {
        part: sum(round.seconds[part] for round in clf.history_) for part in ("train", "predict", "allocate")
    }
    asked = sum(round.pool for round in clf.history_)
    found = clf.transduction_[LABELLED:]
    known = found != -1
    return {
        "unlabelled": n_unlabelled,
        **parts,
        "guard": clf.verdict_.seconds if clf.verdict_ else 0.0,
        "total": total,
        "us per row asked": 1e6 * (parts["predict"] + parts["allocate"]) / asked,
        "labelled": int(known.sum()),
        "right": float((found[known] == y[LABELLED:][known]).mean()),
        "table MB": X.nbytes / 1e6,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "before MB": before / 1e3,
        "seats": clf.estimator_.seats_,
        "verdict": str(clf.verdict_),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="20000,200000,2000000")
    parser.add_argument("--guard", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    rows = []
    for n in map(int, args.rows.split(",")):
        with ProcessPoolExecutor(1) as pool:
            rows.append(pool.submit(run, n, args.guard).result())
        (RESULTS / "scale.json").write_text(json.dumps(rows, indent=1))
        print(", ".join(f"{k} {v:,.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in rows[-1].items()))


if __name__ == "__main__":
    main()

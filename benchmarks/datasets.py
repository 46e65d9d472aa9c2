"""Runs over the paper's datasets and splits that go on where they were stopped.

The datasets are those of `surelabel bench`: two come with scikit-learn, the others from the folder
named by --data-dir or SURELABEL_DATA, or from OpenML.
"""

import argparse
import os
from pathlib import Path

from joblib import Parallel, delayed

from surelabel.bench import datasets
from surelabel.bench.paper import TABLE2
from surelabel.bench.store import append, mended

# Share of the training part that is unlabelled, and the best figure of any method in the paper's table.
UNLABELLED = {name: datasets.DATASETS[name].unlabelled for name in datasets.PAPERS}
PAPERS_BEST = {name: max(mean for mean, _ in row.values()) for name, row in TABLE2.items()}
RESULTS = Path("results")


def arguments(description, seeds=10, jobs=2):
    """What a run over datasets and seeds is told on the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--datasets", default=",".join(UNLABELLED), help="names, with commas between")
    parser.add_argument("--jobs", type=int, default=jobs, help="datasets and seeds to run at once")
    folder = os.environ.get("SURELABEL_DATA", "data")
    parser.add_argument("--data-dir", type=Path, default=Path(folder), help="folder of the CSV files")
    return parser.parse_args()


def collect(run, name, args, what):
    """Records of run(dataset, seed, folder, what is done) for all datasets and seeds.

    They are appended to results/<name>.jsonl; those that are there by their dataset, seed and
    `what` are not asked for again.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    records = mended(path)
    done = {(r["dataset"], r["seed"], r[what]) for r in records}
    datasets = args.datasets.split(",")
    todo = [(dataset, seed) for seed in range(args.seeds) for dataset in datasets]
    work = Parallel(n_jobs=args.jobs, return_as="generator_unordered")(
        delayed(run)(dataset, seed, args.data_dir, done) for dataset, seed in todo
    )
    for i, found in enumerate(work, start=1):
        append(path, *found)
        records += found
        print(f"{i} of {len(todo)} runs", end="\r", flush=True)
    return [r for r in records if r["dataset"] in datasets and r["seed"] < args.seeds]


def load(name, folder):
    """X and y, or None, with a message, where the dataset is not there."""
    try:
        return datasets.load(name, Path(folder))
    except datasets.DataError as error:
        print(f"skipped: {error}")
        return None


def split(X, y, share, seed):
    """Labelled, unlabelled and test part, each (X, y), as in the paper."""
    shape = datasets.Dataset("", "", len(y), 0, int(y.max()) + 1, share)  # only the share counts
    parts = datasets.make_split(shape, X, y, seed)
    return (parts.X_l, parts.y_l), (parts.X_u, parts.y_u), (parts.X_t, parts.y_t)

"""The paper's tabular datasets and its splits, and runs over them that go on where they were stopped.

Digits and breast cancer come with scikit-learn; the others are CSV files with the target
in the last column, in the folder named by --data-dir or SURELABEL_DATA.
"""

import argparse
import json
import os
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split

# Share of the training part that is unlabelled, and the best figure of any method in the paper's table.
UNLABELLED = {
    "segment": 0.7,
    "wdbc": 0.9,
    "analcatdata_authorship": 0.9,
    "synthetic_control": 0.9,
    "german_credit": 0.8,
    "madelon": 0.94,
    "dna": 0.94,
    "agaricus_lepiota": 0.6,
    "breast_cancer": 0.8,
    "digits": 0.9,
}
PAPERS_BEST = {
    "segment": 95.90,
    "wdbc": 91.83,
    "analcatdata_authorship": 96.60,
    "german_credit": 71.47,
    "madelon": 57.51,
    "dna": 89.24,
    "agaricus_lepiota": 63.83,
    "breast_cancer": 93.55,
    "digits": 88.10,
}


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
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(r["dataset"], r["seed"], r[what]) for r in records}
    datasets = args.datasets.split(",")
    todo = [(dataset, seed) for seed in range(args.seeds) for dataset in datasets]
    work = Parallel(n_jobs=args.jobs, return_as="generator_unordered")(
        delayed(run)(dataset, seed, args.data_dir, done) for dataset, seed in todo
    )
    with path.open("a") as file:
        for i, found in enumerate(work, start=1):
            file.writelines(json.dumps(record) + "\n" for record in found)
            file.flush()
            records += found
            print(f"{i} of {len(todo)} runs", end="\r", flush=True)
    return [r for r in records if r["dataset"] in datasets and r["seed"] < args.seeds]


def load(name, folder):
    """X and y, or None, with a message, where the file is missing."""
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "breast_cancer":
        return load_breast_cancer(return_X_y=True)
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        print(f"{name}: skipped, no {path}; name its folder by --data-dir or SURELABEL_DATA")
        return None
    table = pd.read_csv(path, na_values=["?"], keep_default_na=False)
    X, y = table.iloc[:, :-1], pd.factorize(table.iloc[:, -1], sort=True)[0]
    if X.dtypes.map(pd.api.types.is_numeric_dtype).all():
        X = X.to_numpy(dtype=float)
    return X, y


def split(X, y, share, seed):
    """Labelled, unlabelled and test part, each (X, y), as in the paper."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
    X_l, X_u, y_l, y_u = train_test_split(X, y, test_size=share, random_state=seed)
    return (X_l, y_l), (X_u, y_u), (X_test, y_test)

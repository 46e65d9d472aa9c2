"""Whether columns of codes should be read otherwise: two questions, asked of tables that have such columns.

Run with `make bench-levels ARGS="--data-dir DIR"` (minutes). First: do columns of many levels gain by the
mean of each class in the rows of a level, as scikit-learn's TargetEncoder computes it: no row sees its own
label? Second: do whole numbers in a column that is called an id, such as plot_id, gain as categories? Test
accuracy of csa() as it is and with the change, on the same splits, is printed and written as JSON.
"""

import argparse
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import TargetEncoder

from surelabel import Columns, csa
from surelabel.bench.folder_tables import read_draw
from surelabel.bench.runner import circumstances

MANY_LEVELS = {
    "bird_strikes": ["operator", "atype", "state", "species"],
    "mlc_churn": ["state"],
    "storms": ["name"],
}
IDS = {"orange_juice": ["StoreID", "STORE"], "surveys": ["plot_id"]}


def with_means(split, columns):
    """Labelled, unlabelled and test rows with a column for each class and column of levels."""
    encoder = TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=split.seed))
    parts = (split.X_l, split.X_u, split.X_t)
    levels = [X[columns].astype(object).fillna("").to_numpy(dtype=object) for X in parts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rare classes
        means = [encoder.fit_transform(levels[0], split.y_l), *map(encoder.transform, levels[1:])]
    return [
        pd.concat([X, pd.DataFrame(M, index=X.index).add_prefix("mean ")], axis=1)
        for X, M in zip(parts, means, strict=True)
    ]


def accuracy(split, parts, columns=None):
    """Of csa() on the test rows, in percent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rare classes
        clf = csa(columns=columns, random_state=split.seed, guard=False)
        clf.fit(parts[0], split.y_l, X_unlabeled=parts[1])
        return round(100 * float((clf.predict(parts[2]) == split.y_t).mean()), 2)


def asked(table, n, draw, folder):
    """Accuracy as it is, and with the change."""
    split = read_draw(table, draw, folder, labelled=n)
    parts = (split.X_l, split.X_u, split.X_t)
    if table in MANY_LEVELS:
        changed = accuracy(split, with_means(split, MANY_LEVELS[table]))
    else:
        changed = accuracy(split, parts, Columns(categorical=IDS[table]))
    return accuracy(split, parts), changed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    folder = os.environ.get("SURELABEL_DATA", "data")
    parser.add_argument("--data-dir", type=Path, default=Path(folder), help="folder of the CSV files")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--sizes", default="300", help="numbers of labels")
    parser.add_argument("--only", choices=["levels", "ids"], help="one of the two questions")
    parser.add_argument(
        "--out", type=Path, default=Path("results/levels.json"), help="the JSON file to write"
    )
    args = parser.parse_args()
    questions = {"levels": MANY_LEVELS, "ids": IDS}
    found = []
    for table in {**questions["levels"], **questions["ids"]} if args.only is None else questions[args.only]:
        for n in map(int, args.sizes.split(",")):
            if table == "orange_juice" and n > 700:
                continue  # it has 1,070 rows
            pairs = [asked(table, n, draw, args.data_dir) for draw in range(args.draws)]
            now, changed = np.mean(pairs, axis=0)
            print(f"{table}, {n} labels: {now:.2f}, with the change {changed - now:+.2f}", flush=True)
            found.append({"table": table, "labels": n, "now_and_changed": pairs})
            args.out.parent.mkdir(parents=True, exist_ok=True)
            record = {"runs": found, "circumstances": circumstances("make bench-levels")}
            args.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

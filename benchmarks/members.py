"""What each model of the default committee is worth, and how the committee is made of them.

Run with `make bench-members ARGS="--data-dir DIR"` (about five seconds a split). Every model of the default
committee, and others that might join it, is cross-validated once on each split of the tables for choosing;
what it says of held-out and of test rows is kept in results/members/. Choices are then replayed from these
files: a model less, a model more, with and without the unlabelled rows, other priors of the weights. Prints a
table with the table as the unit and writes results/members.json; what is stored is not computed again.
"""

import argparse
import json
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from surelabel import Unlike, trees, unlike_models
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import read_draw, tables_in
from surelabel.bench.table_suites import SIZES, half_of
from surelabel.committees.encoded import Encoded
from surelabel.committees.encoding import Encoder
from surelabel.committees.failing import probabilities
from surelabel.committees.models.bayes import Bayes
from surelabel.committees.models.gaussian import Gaussian
from surelabel.committees.models.graph import Spreading
from surelabel.committees.models.kernel import Kernel
from surelabel.committees.models.trees import OutOfBag
from surelabel.heldout import weights
from surelabel.heldout.record import HeldOut
from surelabel.reading.columns import Columns

RESULTS = Path("results")
ALONE = ", labels alone"
QUANTILES = Encoder(scale="quantile")
# Models that might join.
OTHERS = {
    "bayes": Encoded(Bayes()),
    "kernel on quantiles": Encoded(Kernel(), QUANTILES),
    "Gaussian on quantiles": Encoded(Gaussian(), QUANTILES),
    "narrow kernel": Encoded(Kernel(reach=2.0)),
    "graph of scaled columns": Encoded(Spreading()),
    "graph of quantiles": Encoded(Spreading(), QUANTILES),
    "extra trees": trees(100),
    "extra trees, out of bag": OutOfBag(ExtraTreesClassifier(150, bootstrap=True, max_features=0.4)),
    "network": make_pipeline(
        Encoder(), MLPClassifier((64,), alpha=1.0, max_iter=100, learning_rate_init=0.005)
    ),
}


def opinions(split):
    """What every model, fitted with and without unlabelled rows, says of held-out and of test rows."""
    reader = Columns()
    table = reader.fit_transform(split.X_l, split.X_u)
    labelled, others = table.iloc[: len(split.y_l)], table.iloc[len(split.y_l) :].reset_index(drop=True)
    test = reader.transform(split.X_t)
    committee = Unlike(unlike_models() | OTHERS, random_state=split.seed)
    committee.fit(labelled, split.y_l, X_unlabeled=others)
    held = committee._trials.held_out()
    said = {}
    for name, trial in committee._trials.tried.items():
        fitted = trial.view.fit(trial.model, committee._trials.codes, None)
        said[name] = probabilities(fitted, test)
    return held, np.stack([said[name] for name in held.names])


def stored(name, n, draw, folder, path):
    """The opinions of a split, from its file or computed."""
    if not path.exists():
        split = read_draw(name, draw, folder, labelled=n)
        held, T = opinions(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            path,
            names=held.names,
            P=held.P.astype(np.float32),
            codes=held.codes,
            fold=held.fold,
            T=T.astype(np.float32),
            truth=split.y_t,
        )
    with np.load(path) as kept:
        arrays = {key: kept[key] for key in kept.files}
    names = tuple(arrays["names"].tolist())
    held = HeldOut(
        names, arrays["P"].astype(float), arrays["codes"], np.ones(len(arrays["codes"])), arrays["fold"]
    )
    return held, arrays["T"].astype(float), arrays["truth"]


def measured(held, T, truth, names):
    """Test accuracy in percent and log loss of the committee of these models."""
    names = [name for name in names if name in held.names]
    p = weights.blend(held.of(names))(T[[held.names.index(name) for name in names]])
    loss = -np.log(p[np.arange(len(truth)), truth].clip(1e-6)).mean()
    return 100 * (p.argmax(axis=1) == truth).mean(), loss


def choices(all_names):
    """Committees to compare, by name: the default first."""
    seeing = [name for name in all_names if not name.endswith(ALONE)]
    both = {name: [n for n in (name, name + ALONE) if n in all_names] for name in seeing}
    default = [n for name in unlike_models() if name in both for n in both[name]]
    blind = [n for n in default if n.endswith(ALONE) or n + ALONE not in all_names]
    return (
        {
            "default": default,
            "labels alone": blind,
            "with unlabelled rows only": [n for n in default if not n.endswith(ALONE)],
        }
        | {f"without {name}": [n for n in default if n not in both.get(name, [])] for name in unlike_models()}
        | {f"with {name}": default + both[name] for name in OTHERS if name in both}
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="the folder of CSV files")
    parser.add_argument("--draws", type=int, default=2, help="how many, from 0")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    found = defaultdict(lambda: defaultdict(list))
    tables = [name for name in tables_in(args.data_dir) if half_of(name) == "choosing"]
    for draw in range(args.draws):
        for name in tables:
            for n in SIZES:
                path = args.out / "members" / f"{name}-{n}-{draw}.npz"
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        held, T, truth = stored(name, n, draw, args.data_dir, path)
                except DataError as error:
                    print(error)
                    continue
                for choice, names in choices(held.names).items():
                    found[choice][name].append(measured(held, T, truth, names))
                print(f"{name}, {n} labels, draw {draw}", flush=True)
    report(found, args.out / "members.json")


def report(found, path):
    base = {name: np.mean(runs, axis=0) for name, runs in found["default"].items()}
    lines = []
    for choice, by_table in found.items():
        less = np.array([np.mean(runs, axis=0) - base[name] for name, runs in by_table.items()])
        worst = min(by_table, key=lambda name: np.mean(by_table[name], axis=0)[0] - base[name][0])
        error = less.std(axis=0, ddof=1) / np.sqrt(len(less))
        lines.append(
            {
                "choice": choice,
                "tables": len(less),
                "accuracy": np.mean([np.mean(runs, axis=0)[0] for runs in by_table.values()]),
                "less default": less[:, 0].mean(),
                "standard error": error[0],
                "log loss less default": less[:, 1].mean(),
                "its standard error": error[1],
                "worst": worst,
                "there": np.mean(by_table[worst], axis=0)[0] - base[worst][0],
            }
        )
    print("\n| choice | accuracy | less default | log loss | worst table |\n|---|---|---|---|---|")
    for line in lines:
        print(
            f"| {line['choice']} | {line['accuracy']:.2f} | {line['less default']:+.2f} "
            f"({line['standard error']:.2f}) | {line['log loss less default']:+.4f} "
            f"({line['its standard error']:.4f}) | {line['worst']} {line['there']:+.1f} |"
        )
    path.write_text(json.dumps(lines, indent=1))


if __name__ == "__main__":
    main()

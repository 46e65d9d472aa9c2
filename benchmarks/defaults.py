"""What each default is worth: one choice changed at a time, on the paper's tables and splits.

Run with `make bench-defaults` (hours on two cores for ten seeds), or with
`ARGS="--seeds 3 --datasets wdbc,digits"`. Results are appended to results/defaults.jsonl, a line for
each dataset, seed and choice; what is there is not computed again. Prints the table of docs/defaults.md.

To be affordable the committee has no network and no boosting. Its first fit is shared by all choices
of a split, so that they differ in nothing else.
"""

import time
import warnings
from collections import defaultdict

import numpy as np
from datasets import UNLABELLED, arguments, collect, load, split

from surelabel import (
    Columns,
    Everything,
    Labels,
    Parts,
    Threshold,
    Transport,
    TTest,
    Unlike,
    trees,
    unlike_models,
)
from surelabel.budget import class_frequencies
from surelabel.committees.member_fitting import fit_weighted, seeded
from surelabel.reading.features import take
from surelabel.rounds.asking import answers
from surelabel.rounds.loop import rounds
from surelabel.rounds.training import Seeds, Trainer

CHOICES = {
    "as it is": {},
    "no round at all": {"n_rounds": 0},
    "1 round": {"n_rounds": 1},
    "3 rounds": {"n_rounds": 3},
    "bounds of the released code": {"allocator": Transport(bounds="released")},
    "bounds of the paper": {"allocator": Transport(bounds="unscaled")},
    "best rows per class, no transport": {"allocator": Threshold(0.0)},
    "epsilon 0 (exact)": {"allocator": Transport(epsilon=0)},
    "epsilon 0.1": {"allocator": Transport(epsilon=0.1)},
    "cost 1 - p": {"allocator": Transport(cost="linear")},
    "floor 0": {"confidence": TTest(floor=0.0)},
    "floor 0.1": {"confidence": TTest(floor=0.1)},
    "floor 3.5": {"confidence": TTest(floor=3.5)},
    "no test": {"confidence": Everything()},
    "found labels weigh in full": {"found": "full"},
    "prior corrected by EM": {"prior": "em"},
    "final classifier: trees": {"final": "trees"},
}


def committee():
    """The default without its two slowest models."""
    models = unlike_models()
    del models["network"], models["boosting"]
    return Unlike(models | {"trees": trees(40)})


def corrected(p, prior, n_iter=100):
    """Class frequencies of the pool by expectation maximisation (Saerens et al. 2002), shape (K,)."""
    found = prior.copy()
    for _ in range(n_iter):
        posterior = p * (found / prior)
        found = (posterior / posterior.sum(axis=1, keepdims=True)).mean(axis=0)
    return found


class Run:
    """One split: the table, and a committee fitted once on its labelled rows."""

    def __init__(self, name, seed, folder):
        labelled, unlabelled, test = split(*load(name, folder), UNLABELLED[name], seed)
        columns = Columns()
        self.X = columns.fit_transform(labelled[0], unlabelled[0])
        self.X_test, self.y_test = columns.transform(test[0]), test[1]
        self.truth = np.append(labelled[1], unlabelled[1])
        self.codes = np.append(labelled[1], np.full(len(unlabelled[1]), -1))
        self.n_classes, self.seed = int(self.truth.max()) + 1, seed
        self.prior = class_frequencies(labelled[1], np.ones(len(labelled[1])), self.n_classes)
        self.trainer = Trainer(committee(), Seeds(seed))  # shared: its first fit serves every choice

    def labels(self, found):
        """Labels before the first round."""
        return Labels.start(self.codes, self.n_classes, found=found)

    def measure(
        self, n_rounds=5, allocator=None, confidence=None, found="balanced", prior="labelled", final=None
    ):
        """Test accuracy, and the found labels' number and accuracy, of one choice."""
        trainer, labels = self.trainer, self.labels(found)

        def lesson(before):
            return self.X, labels if before is None else labels.before(before)

        parts = Parts(trainer.committee, confidence or TTest(floor=2.0), allocator or Transport())
        frequencies = self.prior
        if prior == "em":
            said = answers(trainer(lesson), self.X, labels.n_classes, labels.pool, parts)
            frequencies = corrected(said.p, self.prior)
        for _ in rounds(self.X, labels, parts, prior=frequencies, n_rounds=n_rounds, trainer=trainer):
            pass
        if final:
            rows, codes, weight = labels.training()
            model = seeded(unlike_models()[final], np.random.RandomState(self.seed))
            model = fit_weighted(model, take(self.X, rows), codes, weight)
        else:
            model = trainer(lesson)
        new = labels.round > 0
        return {
            "accuracy": 100 * float((model.predict(self.X_test) == self.y_test).mean()),
            "labelled": float(new.sum() / (self.codes < 0).sum()),
            "right": float((labels.codes == self.truth)[new].mean()) if new.any() else None,
        }


def run(name, seed, folder, done):
    todo = {choice: c for choice, c in CHOICES.items() if (name, seed, choice) not in done}
    if not todo or load(name, folder) is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split_of = Run(name, seed, folder)
        records = []
        for choice, settings in todo.items():
            begin = time.perf_counter()
            found = split_of.measure(**settings)
            records.append(
                {"dataset": name, "seed": seed, "choice": choice}
                | found
                | {"seconds": time.perf_counter() - begin}
            )
    return records


def show(records):
    """Difference of each choice to the default: mean over datasets, standard error over seeds."""
    by = defaultdict(dict)
    for r in records:
        by[r["choice"]][r["dataset"], r["seed"]] = r
    base = by["as it is"]
    datasets = [name for name in UNLABELLED if any(name == d for d, _ in base)]
    print("| choice | accuracy | +- | labelled, % | right, % | " + " | ".join(datasets) + " |")
    print("|---|" + "---|" * (4 + len(datasets)))
    for choice, found in by.items():
        gains = defaultdict(list)
        for key, r in found.items():
            if key in base:
                gains[key[0]].append(r["accuracy"] - base[key]["accuracy"])
        # As many independent means as datasets; seeds within one share its rows.
        error = np.sqrt(np.sum([np.var(g, ddof=1) / len(g) for g in gains.values() if len(g) > 1])) / len(
            gains
        )
        right = [r["right"] for r in found.values() if r["right"] is not None]
        if choice == "as it is":
            level = [
                np.mean([r["accuracy"] for (d, _), r in found.items() if d == name]) for name in datasets
            ]
            cells = [f"{np.mean(level):.2f}", "", *[f"{x:.1f}" for x in level]]
        else:
            level = [np.mean(gains[name]) for name in datasets]
            cells = [f"{np.mean(level):+.2f}", f"{error:.2f}", *[f"{x:+.1f}" for x in level]]
        share = 100 * np.mean([r["labelled"] for r in found.values()])
        clean = f"{100 * np.mean(right):.1f}" if right else ""
        print(
            f"| {choice} | {cells[0]} | {cells[1]} | {share:.0f} | {clean} | " + " | ".join(cells[2:]) + " |"
        )


def main():
    show(collect(run, "defaults", arguments(__doc__), "choice"))


if __name__ == "__main__":
    main()

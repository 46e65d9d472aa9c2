"""A person in the loop: accuracy against the number of answers, by who chooses the rows.

Run with `make bench-loop ARGS="--data-dir DIR --draws 2"`. Each table begins with 60 labels at random; a
simulated person, who knows the truth, answers 40 rows at a time. csa() is trained on all answers, and
predicts rows that nobody is asked about. Rows are chosen by `next_rows`, at random, and by strategies of
scikit-activeml, which get the probabilities of the same csa(). Every curve is kept in results/loop/; what is
stored is not computed again. Prints a line for each table, and writes results/loop.json.
"""

import argparse
import json
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from surelabel import csa
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import TooSmallError, read_draw, tables_in
from surelabel.committees.encoding import Encoder

RESULTS = Path("results")
FIRST, BATCH, RANDOM_ANSWERS = 60, 40, 200
# Unlabelled rows that are shown, and rows of the test.
MOST_POOL, MOST_TEST = 1000, 1000
OURS, AT_RANDOM = "next_rows", "random"
OTHERS = ("skactiveml margin", "skactiveml badge")


def chosen(who, clf, X, y, rng):
    """Positions of the rows to ask about, at most a batch."""
    pool = np.flatnonzero(y < 0)
    n = min(BATCH, len(pool))
    if who == AT_RANDOM:
        return rng.permutation(pool)[:n]
    if who == OURS:
        return clf.next_rows(X, n=n, random_state=rng)["row"].to_numpy()
    return by_activeml(who, clf, X, y, n, rng)


def by_activeml(who, clf, X, y, n, rng):
    """Rows chosen by a strategy of scikit-activeml from the probabilities of the same classifier."""
    from skactiveml.base import SkactivemlClassifier
    from skactiveml.pool import Badge, UncertaintySampling

    class Said(SkactivemlClassifier):
        """Gives the probabilities that are known of rows; the last column of X is their position."""

        def __init__(self, p=None, classes=None):
            super().__init__(classes=classes)
            self.p = p

        def fit(self, X, y, sample_weight=None):
            self.classes_ = np.asarray(self.classes)
            return self

        def predict_proba(self, X):
            return self.p[np.rint(np.asarray(X)[:, -1] * len(self.p)).astype(int)]

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    table = clf.columns_.transform(clf.columns_.arrange(X))
    # Positions from 0 to 1 in a column of their own: beside columns of variance 1 they hardly count.
    Z = np.column_stack([Encoder().fit_transform(table), np.arange(len(y)) / len(y)])
    said = Said(clf.predict_proba(X), list(range(len(clf.classes_))))
    codes = np.where(y < 0, np.nan, np.searchsorted(clf.classes_, y).astype(float))
    said.fit(Z, codes)
    seed = rng.randint(2**31 - 1)
    if who.endswith("margin"):
        strategy = UncertaintySampling(method="margin_sampling", random_state=seed)
    else:
        strategy = Badge(random_state=seed)
    return strategy.query(X=Z, y=codes, clf=said, fit_clf=False, batch_size=n)


def curve(name, draw, who, folder, n_steps):
    """Accuracy after the first labels and after each batch of answers, a list."""
    split = read_draw(name, draw, folder, labelled=FIRST)
    X = pd.concat([split.X_l, split.X_u[:MOST_POOL]], ignore_index=True)
    truth = np.concatenate([split.y_l, split.y_u[:MOST_POOL]])
    y = np.where(np.arange(len(truth)) < FIRST, truth, -1)
    rng = np.random.RandomState(draw)
    accuracy = []
    for _ in range(n_steps + 1):
        clf = csa(random_state=draw, guard=False).fit(X, y)
        right = clf.predict(split.X_t[:MOST_TEST]) == split.y_t[:MOST_TEST]
        accuracy.append(float(right.mean()))
        asked = chosen(who, clf, X, y, rng)
        if not len(asked):
            break
        y[asked] = truth[asked]
    return accuracy


def stored(name, draw, who, folder, n_steps):
    """The curve of a run, from its file or computed; a file is there only when it is whole."""
    path = RESULTS / "loop" / f"{name}-{draw}-{who.replace(' ', '_')}-{n_steps}.json"
    if not path.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = curve(name, draw, who, folder, n_steps)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"table": name, "draw": draw, "who": who, "accuracy": found}) + "\n")
        part.rename(path)
    return json.loads(path.read_text())


def answers_to_reach(accuracy, goal):
    """Answers until a mean curve first reaches a goal, in a line between batches; None if it never does."""
    accuracy = np.asarray(accuracy)
    at = np.flatnonzero(accuracy >= goal)
    if not len(at):
        return None
    k = int(at[0])
    if not k:
        return 0.0
    below, above = accuracy[k - 1], accuracy[k]
    return BATCH * (k - 1 + (goal - below) / (above - below))


def summary(runs):
    """For each table and each who: answers to reach what 200 random ones reach, and the mean difference."""
    lines = []
    for name in sorted({run["table"] for run in runs}):
        of = [run for run in runs if run["table"] == name]
        draws = {run["draw"] for run in of if run["who"] == AT_RANDOM}
        if not draws:
            continue
        by = {}
        for who in sorted({run["who"] for run in of}):
            kept = {run["draw"]: run["accuracy"] for run in of if run["who"] == who}
            # Only draws that random order and this strategy share: else they would not be compared.
            both = sorted(draws & kept.keys())
            if both:
                by[who] = both, np.array([kept[draw] for draw in both])
        drawn = dict(zip(*by[AT_RANDOM], strict=True))
        for who, (both, curves) in by.items():
            random = np.array([drawn[draw] for draw in both])
            last = min(curves.shape[1], random.shape[1])
            goal = random.mean(axis=0)[min(RANDOM_ANSWERS // BATCH, last - 1)]
            gain = (curves[:, 1:last] - random[:, 1:last]).mean(axis=1)
            lines.append(
                {
                    "table": name,
                    "who": who,
                    "draws": len(both),
                    "goal": float(goal),
                    "answers": answers_to_reach(curves.mean(axis=0), goal),
                    "gain": float(100 * gain.mean()),
                    "gains": (100 * gain).tolist(),
                }
            )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--first-draw", type=int, default=0)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--who", nargs="*", help="next_rows, random, skactiveml margin, skactiveml badge")
    parser.add_argument("--steps", type=int, default=RANDOM_ANSWERS // BATCH)
    options = parser.parse_args()
    who = options.who or [AT_RANDOM, OURS, *OTHERS]
    if find_spec("skactiveml") is None:
        print("left out: strategies of scikit-activeml; install scikit-activeml to compare with them")
        who = [each for each in who if each not in OTHERS]
    runs = []
    for draw in range(options.first_draw, options.first_draw + options.draws):
        for name in options.tables or tables_in(options.data_dir):
            try:
                for each in who:
                    runs.append(stored(name, draw, each, options.data_dir, options.steps))
                    shown = " ".join(f"{100 * a:.1f}" for a in runs[-1]["accuracy"])
                    print(f"{name} {draw} {each}: {shown}", flush=True)
            except (TooSmallError, DataError) as error:
                print(f"left out: {error}", flush=True)
    lines = summary(runs)
    for line in lines:
        answers = "never" if line["answers"] is None else f"{line['answers']:.0f}"
        print(
            f"{line['table']:24} {line['who']:20} {answers:>6} answers to {line['goal']:.1%}; "
            f"{line['gain']:+.1f} points on average"
        )
    for each in who:
        reached = [np.inf if li["answers"] is None else li["answers"] for li in lines if li["who"] == each]
        if reached:
            never = sum(li["answers"] is None for li in lines if li["who"] == each)
            print(f"{each}: median {np.median(reached):.0f} answers, {never} of {len(reached)} tables never")
    out = RESULTS / "loop.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"first": FIRST, "batch": BATCH, "lines": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()

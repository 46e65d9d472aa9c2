"""One run of a simulated person, who knows the truth and is asked about some rows at a time."""

import json
import warnings
from functools import lru_cache

import numpy as np
import pandas as pd

from surelabel import csa
from surelabel.advice.next_rows import RANDOM
from surelabel.bench.folder_tables import TooSmallError, read_draw
from surelabel.committees.encoding import Encoder

FIRST, BATCH = 60, 50
RIGHT, SURE = 0.95, 0.9
# Unlabelled rows that are shown, at least and at most, and rows of the test.
LEAST_POOL, MOST_POOL, MOST_TEST = 300, 1000, 1000
OURS, AT_RANDOM = "next_rows", "random"
OTHERS = ("skactiveml margin", "skactiveml badge", "skactiveml typiclust")


@lru_cache(maxsize=1)
def begun(name, draw, folder):
    """The rows shown and their classes, those of the test and theirs, and csa() of the first labels."""
    split = read_draw(name, draw, folder, labelled=FIRST)
    if len(split.y_u) < LEAST_POOL:
        raise TooSmallError(f"{name}: it has {len(split.y_u)} unlabelled rows, fewer than {LEAST_POOL}.")
    X = pd.concat([split.X_l, split.X_u[:MOST_POOL]], ignore_index=True)
    truth = np.concatenate([split.y_l, split.y_u[:MOST_POOL]])
    known = np.arange(len(truth)) < FIRST
    clf = trained(X, truth, known, known, draw)
    return X, truth, split.X_t[:MOST_TEST], split.y_t[:MOST_TEST], clf


def trained(X, truth, known, sampled, draw):
    """csa() on the labels that are known, of which only those that are sampled count for a promise."""
    clf = csa(random_state=draw)
    clf.sampled_ = sampled
    return clf.fit(X, np.where(known, truth, -1))


def curve(name, draw, who, folder, n_steps):
    """Yield what is reached with the first labels, and after each batch of answers."""
    X, truth, X_test, y_test, clf = begun(name, draw, folder)
    known = np.arange(len(truth)) < FIRST
    sampled = known.copy()
    rng = np.random.RandomState(draw)
    yield standing(clf, truth, known, sampled, X_test, y_test)
    for _ in range(n_steps):
        rows, drawn = chosen(who, clf, X, truth, known, rng)
        if not len(rows):
            return
        known[rows] = True
        sampled[rows[drawn]] = True
        clf = trained(X, truth, known, sampled, draw)
        yield standing(clf, truth, known, sampled, X_test, y_test)


def standing(clf, truth, known, sampled, X_test, y_test):
    """What is reached: accuracy on other rows, and what is promised of the unlabelled ones and is right."""
    out = {
        "answers": int(known.sum()) - FIRST,
        "sampled": int((known & sampled).sum()),
        "accuracy": float((clf.predict(X_test) == y_test).mean()),
        "pool": int((~known).sum()),
        "alike": clf.likeness_ is None or clf.likeness_.alike,
    }
    for form, confidence in (("mean", None), ("sure", SURE)):
        labels = clf.fill(RIGHT, confidence).labels
        filled = labels.notna().to_numpy()
        right = labels.to_numpy()[filled] == truth[~known][filled]
        out[form] = {"filled": int(filled.sum()), "right": int(right.sum())}
    return out


def chosen(who, clf, X, truth, known, rng):
    """Positions of the rows to ask about, at most a batch, and which of them were drawn at random."""
    pool = np.flatnonzero(~known)
    n = min(BATCH, len(pool))
    if who == AT_RANDOM:
        return rng.permutation(pool)[:n], np.ones(n, dtype=bool)
    if who == OURS:
        asked = clf.next_rows(X, n=n, random_state=rng)
        return asked["row"].to_numpy(), (asked["pile"] == RANDOM).to_numpy()
    y = np.where(known, np.searchsorted(clf.classes_, truth).astype(float), np.nan)
    return np.asarray(by_activeml(who, clf, X, y, n, rng)), np.zeros(n, dtype=bool)


def by_activeml(who, clf, X, y, n, rng):
    """Rows chosen by a strategy of scikit-activeml from the probabilities of the same classifier."""
    from skactiveml.base import SkactivemlClassifier
    from skactiveml.pool import Badge, TypiClust, UncertaintySampling

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
    Z = Encoder().fit_transform(table)
    seed = rng.randint(2**31 - 1)
    if who.endswith("typiclust"):
        return TypiClust(random_state=seed).query(X=Z, y=y, batch_size=n)
    # Positions from 0 to 1 in a column of their own: beside columns of variance 1 they hardly count.
    Z = np.column_stack([Z, np.arange(len(y)) / len(y)])
    said = Said(clf.predict_proba(X), list(range(len(clf.classes_)))).fit(Z, y)
    if who.endswith("margin"):
        strategy = UncertaintySampling(method="margin_sampling", random_state=seed)
    else:
        strategy = Badge(random_state=seed)
    return strategy.query(X=Z, y=y, clf=said, fit_clf=False, batch_size=n)


def stored(name, draw, who, folder, n_steps, results):
    """A run from its file, or computed; a file is there only when it is whole."""
    path = results / f"{name}-{draw}-{who.replace(' ', '_')}-{n_steps}.json"
    if not path.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            points = list(curve(name, draw, who, folder, n_steps))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"table": name, "draw": draw, "who": who, "points": points}) + "\n")
        part.rename(path)
    return json.loads(path.read_text())

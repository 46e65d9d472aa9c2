"""Does a change leave every result as it was? Record what comes out, change the code, compare.

    python benchmarks/same.py record before.json
    python benchmarks/same.py compare before.json

Six tables with five recipes each, several labels a row, a cluster and a network: labels, what is said of each
row, probabilities, rounds, and predictions of the model saved and loaded again. Only names that users
import are used, so that the same script runs on both sides of a change. Digests are of bytes: one bit that
differs is told.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from surelabel import csa, flexmatch, load, pl, sla, ups
from surelabel.model_selection import hide_labels

RECIPES = {"csa": csa, "sla": sla, "ups": ups, "flexmatch": flexmatch, "pl": pl}


def tables():
    """X and y of each table; one of them is a frame with numbers, categories, dates and gaps."""
    yield "iris", *load_iris(return_X_y=True)
    yield "wine", *load_wine(return_X_y=True, as_frame=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    X, y = load_digits(return_X_y=True)
    yield "digits", X[:600], y[:600]
    yield "noise", *make_classification(400, 12, n_informative=5, n_classes=3, flip_y=0.1, random_state=1)
    rng = np.random.default_rng(0)
    k = rng.integers(0, 3, 300)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(300) < 0.1, np.nan, k + rng.normal(size=300)),
            "colour": pd.Series(np.array(["red", "green", "blue"])[(k + (rng.random(300) < 0.4)) % 3]).mask(
                rng.random(300) < 0.1
            ),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(k * 20 + rng.integers(0, 30, 300), unit="D"),
        }
    )
    yield "mixed", frame, np.array(["low", "middle", "high"])[k]


def digest(value) -> str:
    """Of the bytes of an array; of the text of anything else."""
    if isinstance(value, pd.DataFrame):
        return digest(value.to_csv())
    if isinstance(value, np.ndarray) and value.dtype != object:
        data = np.ascontiguousarray(value).tobytes()
    else:
        data = (value if isinstance(value, str) else repr(value)).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def seen(clf, X) -> dict[str, str]:
    """What a fitted classifier says, in digests."""
    with tempfile.TemporaryDirectory() as folder:
        clf.save(Path(folder) / "model")
        again = load(Path(folder) / "model")
    rounds = [(str(round), np.asarray(round.rows).tolist()) for round in clf.history_]
    return {
        "labels": digest(clf.transduction_.astype(str)),
        "rows": digest(clf.pseudo_labels_),
        "rounds": digest(rounds),
        "probabilities": digest(clf.predict_proba(X)),
        "probabilities, loaded": digest(again.predict_proba(X)),
        "verdict": str(clf.verdict_),
        "ended": clf.termination_condition_,
    }


def several_labels():
    """A table with three labels a row, some cells unknown."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 6))
    Y = (X[:, :3] + 0.3 * rng.normal(size=(200, 3)) > 0).astype(float)
    Y[rng.random((200, 3)) < 0.7] = np.nan
    return X, pd.DataFrame(Y, columns=["calm", "happy", "sad"])


def on_a_cluster():
    """Labels found on two workers, in three parts."""
    import dask.array as da

    from surelabel.dask import DaskPseudoLabelClassifier
    from surelabel.dask.cluster import connected

    X, y = load_digits(return_X_y=True)
    y = hide_labels(y, 0.9, random_state=0)
    with connected(n_workers=2, memory="2GB"):
        parts = da.from_array(X, chunks=(700, -1)), da.from_array(y, chunks=700)
        many = DaskPseudoLabelClassifier(csa(random_state=0)).fit(*parts)
        lines = many.labels_.compute().reset_index(drop=True)
    return {
        "rows": digest(lines.to_csv()),
        "rounds": digest([str(round) for round in many.history_]),
        "probabilities": digest(many.predict_proba(X)),
        "verdict": str(many.verdict_),
    }


def by_a_network():
    """A committee of passes of a network with dropout."""
    from surelabel.torch import Network

    X, y = load_iris(return_X_y=True)
    clf = csa(committee=Network(passes=10), n_rounds=3, random_state=0)
    return seen(clf.fit(X, hide_labels(y, 0.8, random_state=0)), X)


def everything():
    """Name of a run and what came out of it, one after the other."""
    for name, X, y in tables():
        y_few = hide_labels(y, 0.85, random_state=0)
        for recipe, make in RECIPES.items():
            yield f"{name}, {recipe}", seen(make(random_state=0).fit(X, y_few), X)
    X, Y = several_labels()
    yield "several labels", seen(csa(random_state=0).fit(X, Y), X)
    yield "several labels, ups", seen(ups(random_state=0, n_rounds=2).fit(X, Y), X)
    yield "network", by_a_network()
    yield "cluster", on_a_cluster()


def main():
    task, path = sys.argv[1], Path(sys.argv[2])
    before = json.loads(path.read_text()) if task == "compare" else {}
    found, differ = {}, 0
    for name, now in everything():
        found[name] = now
        line = "recorded"
        if task == "compare":
            changed = [what for what, value in now.items() if before[name].get(what) != value]
            line = f"differs in {', '.join(changed)}" if changed else "the same"
            differ += bool(changed)
        print(f"{name}: {line}", flush=True)
    if task == "record":
        path.write_text(json.dumps(found, indent=1))
    print(f"{len(found) - differ} the same, {differ} not" if task == "compare" else f"{len(found)} recorded")
    sys.exit(bool(differ))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

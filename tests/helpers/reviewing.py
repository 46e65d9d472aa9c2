"""Small fits to look at, and pages of them that are served."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from surelabel import Unlike, csa, unlike_models
from surelabel.review.answers import AnswerFile
from surelabel.review.desk import Desk
from surelabel.review.piles import piles_of
from surelabel.review.subject import subject_of


def small_fit():
    """A classifier of three classes fitted on 240 rows, two of whose 60 given labels are wrong."""
    points, truth = make_blobs(240, centers=3, cluster_std=1.3, random_state=2)
    X = pd.DataFrame({"name": [f"row-{k:05d}" for k in range(240)], "x": points[:, 0], "y": points[:, 1]})
    X["size"] = np.where(truth == 0, "large", "small")
    y = np.where(np.arange(240) < 60, truth, -1)
    for row in (3, 17):
        y[row] = (truth[row] + 1) % 3
    models = unlike_models()
    few = {name: models[name] for name in ("linear", "Gaussian")}
    clf = csa(committee=Unlike(estimators=few), random_state=0).fit(X.drop(columns="name"), y)
    return clf, X, truth


def small_desk(fit, folder, **more):
    clf, X, _ = fit
    subject = subject_of(clf, X, title="birds.csv")
    return Desk(subject, piles_of(clf), AnswerFile(folder / "answers.sqlite"), **more)


@contextmanager
def served(desk, **more):
    """The address of a page; a desk is closed by whoever made it."""
    from surelabel.review.server import Serving

    serving = Serving(desk, name="Ann", **more).start()
    try:
        yield serving
    finally:
        serving.stop()

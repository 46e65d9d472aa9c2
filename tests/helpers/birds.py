"""Small tables and small models for the tests of the tool."""

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from surelabel import Repeated, trees
from surelabel.committees.models.default import unlike_models
from surelabel.files import format_of, write_table
from surelabel.tool.commands import app


def birds(n=60, n_labelled=18, seed=0):
    """Three species, most of them unknown, as text; and the truth."""
    rng = np.random.default_rng(seed)
    k = np.arange(n) % 3
    X = np.array([[0, 0], [4, 0], [0, 4]])[k] + rng.normal(size=(n, 2))
    truth = np.array(["cat", "dog", "owl"])[k]
    frame = pd.DataFrame(
        {
            "ring": [f"{number:03d}" for number in range(n)],
            "width": [f"{x:.3f}" for x in X[:, 0]],
            "height": [f"{x:.3f}" for x in X[:, 1]],
            "colour": rng.choice(["red", "green", ""], size=n),
            "species": np.where(np.arange(n) < n_labelled, truth, ""),
        }
    )
    return frame, truth


def written(frame, path):
    """The path of a frame written in the format that its name tells."""
    write_table(frame, path, format_of(path))
    return path


def surelabel(*args):
    """What a command gives back, in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args])


def with_small_models(monkeypatch):
    """Every method takes a moment."""
    monkeypatch.setattr("surelabel.recipes._one_model", lambda: Repeated(trees(5), n_members=1))
    monkeypatch.setattr("surelabel.committees.unlike.unlike_models", small_models)


def small_models():
    """The quickest of the models that are unlike."""
    models = unlike_models()
    return {name: models[name] for name in ("linear", "bayes")}

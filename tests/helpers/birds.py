"""Small tables and small models for the tests of the tool."""

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from surelabel import Unlike, trees, unlike_models
from surelabel.files import format_of, write_table
from surelabel.tool.commands import app
from surelabel.tool.settings import Settings


def birds(n=84, n_labelled=42, seed=0):
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


def said(result):
    """Errors on one line, however wide the terminal is."""
    return " ".join(result.stderr.split())


def refused(result, words):
    """Whether a command ended in a sentence that holds some words, and not in a fault."""
    assert result.exit_code == 2, result.output
    assert words in said(result)
    assert "Traceback" not in result.output
    assert "should not happen" not in result.output
    return True


def with_small_models(monkeypatch):
    """Every method of the tool takes a moment: where settings become a classifier, its models become few."""
    as_users_get_it = Settings.classifier

    def small(settings, classes, several=False, columns=None):
        clf = as_users_get_it(settings, classes, several, columns)
        if isinstance(clf.committee, Unlike):
            return clf.set_params(committee__estimators=small_models())
        return clf.set_params(committee__estimator=trees(5))

    monkeypatch.setattr(Settings, "classifier", small)


def small_models():
    """The quickest of the models that are unlike."""
    models = unlike_models()
    return {name: models[name] for name in ("linear", "Gaussian")}

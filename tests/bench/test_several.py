"""The benchmark of rows with several labels."""

import io
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from rich.console import Console

from surelabel.bench import datasets, page, tables
from surelabel.bench.cells import Cell
from surelabel.bench.datasets import DATASETS, SEVERAL, DataError, Dataset, Split, folder_of, make_split
from surelabel.bench.grid import Outcome, scores_of
from surelabel.bench.methods import METHODS
from surelabel.bench.store import Store
from surelabel.bench.suites import SUITES

SIZES = {"emotions": (266, 267, 60), "yeast": (507, 1184, 726)}


@pytest.mark.parametrize("name", SEVERAL)
def test_splits_have_the_sizes_of_the_protocol(name):
    n, n_labels = DATASETS[name].rows, DATASETS[name].classes
    split = make_split(DATASETS[name], np.arange(n)[:, None], np.zeros((n, n_labels)), seed=3)
    assert tuple(len(y) for y in (split.y_l, split.y_u, split.y_t)) == SIZES[name]
    assert split.y_t.shape[1] == n_labels


@pytest.mark.skipif(not os.environ.get(datasets.FOLDER_VARIABLE), reason="SURELABEL_DATA names no folder")
@pytest.mark.parametrize("name", SEVERAL)
def test_files_are_what_they_should_be(name):
    X, y = datasets.load(name, folder_of())
    assert X.dtype == float
    assert set(np.unique(y)) == {0, 1}


def test_label_columns_are_the_last_of_a_file(tmp_path, monkeypatch):
    datasets.load.cache_clear()
    monkeypatch.setitem(DATASETS, "tiny", Dataset("tiny", "Tiny", 3, 1, 2, 0.5, several=True))
    frame = pd.DataFrame({"a": [1.5, 2, 3], "b": ["TRUE", "FALSE", "TRUE"], "c": [0, 1, 1]})
    frame.to_csv(tmp_path / "tiny.csv", index=False)
    X, y = datasets.load("tiny", tmp_path)
    assert_array_equal(X, [[1.5], [2], [3]])
    assert_array_equal(y, [[1, 0], [0, 1], [1, 1]])
    datasets.load.cache_clear()
    frame.assign(c=[0, 1, 2]).to_csv(tmp_path / "tiny.csv", index=False)
    with pytest.raises(DataError, match="tiny should have"):
        datasets.load("tiny", tmp_path)
    datasets.load.cache_clear()


def test_precision_is_averaged_over_rows_and_a_row_without_any_counts_as_wrong():
    truth = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0]])
    predicted = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])
    found = scores_of(predicted, truth)
    assert found["accuracy"] == 50.0  # one of two, one of one, none
    assert found["micro_f1"] == 57.1429  # 2 right of 3 said and 4 true
    assert found["macro_f1"] == 44.4444  # two thirds, two thirds, 0
    assert found["cells"] == 66.6667
    assert scores_of(truth[:, 0], truth[:, 0]) == {"accuracy": 100.0}


@pytest.fixture
def split(rng):
    """Two labels of 80 rows, 30 of them labelled."""
    X = rng.normal(size=(80, 3))
    y = (X[:, :2] + 0.3 * rng.normal(size=(80, 2)) > 0).astype(int)
    parts = [part for rows in (slice(30), slice(30, 60), slice(60, 80)) for part in (X[rows], y[rows])]
    return Split(Dataset("two", "Two", 80, 3, 2, 0.5, several=True), 0, *parts)


@pytest.mark.parametrize("method", ["pl", "ups", "csa"])
def test_a_method_asks_of_each_label_what_it_asks_of_one(method, split):
    small = {"members": 3, "rounds": 2}
    settings = {name: value for name, value in small.items() if name in METHODS[method].defaults}
    both = METHODS[method].run(split, **settings)
    one = Dataset("one", "One", 80, 3, 2, 0.5)
    alone = []
    for k in range(2):
        column = Split(
            one, 0, split.X_l, split.y_l[:, k], split.X_u, split.y_u[:, k], split.X_t, split.y_t[:, k]
        )
        alone.append(METHODS[method].run(column, **settings))
    for name in ("pool", "sure", "selected", "right"):
        rows = [outcome.details[name] for outcome in alone]
        length = max(map(len, rows))
        expected = np.sum([row + [0] * (length - len(row)) for row in rows], axis=0)
        assert_array_equal(both.details[name], expected)
    assert both.details["cells"] == pytest.approx(np.mean([outcome.accuracy for outcome in alone]))
    # One before the first round, one after each.
    assert len(both.details["rounds"]) == len(both.details["pool"]) + 1
    assert both.details["rounds"][0] == METHODS["xgboost"].run(split).accuracy
    assert both.details["rounds"][-1] == both.accuracy


@pytest.mark.filterwarnings("ignore:y has no unlabelled cell:UserWarning")
@pytest.mark.parametrize("method", ["csa_default", "committee_alone"])
def test_the_default_is_scored_alike(method, split):
    outcome = METHODS[method].run(split)
    assert {"micro_f1", "macro_f1", "cells"} <= outcome.details.keys()
    assert outcome.details["cells"] > 70


def test_tables_show_every_measure(tmp_path):
    store, suite, theirs = Store(tmp_path / "results"), SUITES["multilabel"], SUITES["stored_several"]
    store.begin({"command": "x", "cores": 1, "processor": "", "python": "", "system": "", "versions": {}})
    for column in suite.columns + theirs.columns:
        for seed in range(3):
            found = Outcome(60.0 + seed, {"micro_f1": 70.0, "macro_f1": 50.0}, {"total": 1.0})
            store.add(Cell.of("emotions", column.method, seed, column.settings), found)
    console = Console(file=io.StringIO(), width=100)
    for table in tables.as_tables(suite, store):
        console.print(table)
    text = " ".join(console.file.getvalue().split())
    assert "precision, averaged over rows" in text
    assert "macro F1" in text
    lines = list(page.lines(store, tmp_path / "results.md", [suite, theirs], pictures=False))
    assert "### Micro F1" in lines
    assert "| XGBoost | 50.00 +- 0.00 |" in lines
    assert any(line.startswith("| Emotions | 61.00 +- 2.48 [3] (64.64) **below** |") for line in lines)
    # UPS is as good as XGBoost in each seed here, where theirs gains 2.30.
    assert any(line.startswith("| Emotions | +0.00 +- 0.00 [3] (+2.30) **below** |") for line in lines)
    assert "UPS, gain: significantly below theirs on Emotions, of 1." in lines

"""The suite of tables: splits by draw number, halves, what is measured, and what is made of it."""

import gzip
import json
import sys
from dataclasses import replace
from datetime import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from remarks import remarks
from sklearn.metrics import log_loss
from typer.testing import CliRunner

from surelabel.bench import comparison, elsewhere, folder_tables, judging, other_python, runner, table_suites
from surelabel.bench.cells import Cell
from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import read_draw, tables_in, with_each_class
from surelabel.bench.grid import Outcome
from surelabel.bench.judging import Said, judged
from surelabel.bench.preparation import ordinal, plain, scaled, softmax
from surelabel.bench.registry import METHODS
from surelabel.bench.sheets import sheets_of
from surelabel.bench.store import Store
from surelabel.bench.table_suites import (
    ALONE,
    CHOOSING,
    CONFIRMING,
    OURS,
    TABLES,
    belongs,
    half_of,
    in_folder,
)
from surelabel.files import InputError
from surelabel.tool.commands import app

PLAIN = ["random_forest", "extra_trees", "hist_boosting", "xgboost_on_table", "support_vectors", "logistic"]
PLAIN += ["self_training_forest", "label_spreading_on_table"]


def table(n=260, seed=0):
    """Two informative columns, one of categories with gaps, days, and three classes, one of them rare."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "rare"], n, p=[0.6, 0.37, 0.03])
    y[:3] = ["a", "b", "rare"]
    shift = np.where(y == "a", 0.0, np.where(y == "b", 2.0, 4.0))
    return pd.DataFrame(
        {
            "x": shift + rng.normal(size=n),
            "gaps": np.where(rng.random(n) < 0.1, np.nan, shift + rng.normal(size=n)),
            "colour": np.where(rng.random(n) < 0.1, "", rng.choice(["red", "green", "blue"], n)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
            "target": y,
        }
    )


@pytest.fixture
def folder(tmp_path):
    """Two tables of one label a row, one of them zipped and further down; and what is no such table."""
    folder_tables.read.cache_clear()
    home = tmp_path / "data"
    (home / "more").mkdir(parents=True)
    table().to_csv(home / "pima.csv", index=False)
    with gzip.open(home / "more" / "heart.csv.gz", "wt") as file:
        table(130, 1).to_csv(file, index=False)
    table().rename(columns={"target": "label_0"}).to_csv(home / "emotions.csv", index=False)
    table().to_csv(home / "wdbc.csv", index=False)
    yield home
    folder_tables.read.cache_clear()


def cell(method, dataset="pima", seed=0, labelled=60, **settings):
    return Cell.of(dataset, method, seed, {"protocol": "draws", "labelled": labelled} | settings)


# Tables and draws


def test_tables_of_a_folder_are_those_with_one_target(folder):
    found = tables_in(folder)
    assert list(found) == ["breast_cancer", "digits", "heart", "pima"]  # wdbc is breast_cancer once more
    assert tables_in(None) == {"breast_cancer": None, "digits": None}
    table().to_csv(folder / "more" / "pima.csv", index=False)
    with pytest.raises(DataError, match="both called pima"):
        tables_in(folder)
    with pytest.raises(DataError, match="is no folder"):
        tables_in(folder / "pima.csv")


def test_a_draw_is_decided_by_its_number(folder):
    one, again, other = (read_draw("pima", seed, folder, labelled=60) for seed in (3, 3, 4))
    assert (len(one.y_l), len(one.y_u), len(one.y_t)) == (60, 148, 52)
    assert one.X_l.equals(again.X_l)
    assert not one.X_t.equals(other.X_t)
    rows = pd.concat([one.X_l, one.X_u, one.X_t])["x"].sort_values()
    assert_allclose(rows, np.sort(table()["x"]))
    assert one.X_l.dtypes.astype(str).to_dict() == {
        "x": "float64", "gaps": "float64", "colour": "object", "day": "datetime64[us]"
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_every_class_has_a_label_and_otherwise_rows_are_the_first_of_a_random_order(folder, seed):
    split = read_draw("pima", seed, folder, labelled=10)
    assert set(split.y_l) == {0, 1, 2}
    y = np.random.default_rng(seed).integers(0, 4, 50)
    order = np.random.default_rng(seed + 100).permutation(50)
    for n in (4, 6, 25):
        taken, others = with_each_class(order, y, n)
        assert len(taken) == n
        assert set(y[taken]) == set(y)
        assert_array_equal(np.sort(np.append(taken, others)), np.arange(50))
        if set(y[order[:n]]) == set(y):
            assert_array_equal(taken, order[:n])


def test_tables_that_are_too_small_are_told(folder):
    cells = [cell("logistic", labelled=n) for n in (2, 60, 150)] + [cell("logistic", "nowhere")]
    kept, left_out = runner.runnable(cells, folder)
    assert kept == [cell("logistic")]
    classes, rows, missing = sorted(left_out, key=lambda left: "nowhere" in left.reason)
    assert classes.reason == "pima with 2 labels: it has 3 classes."
    assert "of 208 rows for training fewer than 100 would be unlabelled" in rows.reason
    assert classes.expected
    assert rows.expected
    assert not missing.expected


def test_a_table_that_cannot_be_read_is_told(folder):
    (folder / "odd.csv").write_text("a,target\n1,x\n2\n")
    (folder / "one.csv").write_text("a,target\n1,x\n2,x\n")
    with pytest.raises(DataError, match=r"odd cannot be read: .*line 3"):
        folder_tables.read("odd", folder)
    with pytest.raises(DataError, match="one has 1 classes"):
        folder_tables.read("one", folder)
    with pytest.raises(DataError, match="no table 'none'"):
        folder_tables.read("none", folder)


# Halves


def test_halves_are_named_beforehand():
    assert list(TABLES) == sorted(set(TABLES))
    assert not set(CHOOSING.datasets) & set(CONFIRMING.datasets)
    assert len(CHOOSING.datasets) == len(CONFIRMING.datasets) == 21
    assert all(half_of(name) == suite.half for suite in (CHOOSING, CONFIRMING) for name in suite.datasets)
    assert (list(CHOOSING.numbers), list(CONFIRMING.numbers)) == ([*range(10)], [*range(10, 20)])
    assert list(CONFIRMING.narrowed(seeds=99).numbers) == [*range(10, 20)]
    # Two forms of the same data: what is learnt of one is known of the other.
    assert half_of("credit_g") == half_of("german_credit")
    assert "wdbc" not in TABLES


def test_a_suite_has_the_tables_of_the_folder(folder, monkeypatch):
    monkeypatch.setenv(elsewhere.PYTHONS_VARIABLE, f"older={sys.executable}")
    suite = in_folder(CHOOSING, folder, sizes=[60], members=True, seconds=5)
    assert [c.settings for c in suite.columns if c.method == "autogluon"] == [{"seconds": 5}]
    assert suite.datasets == ("breast_cancer", "digits", "heart", "pima")
    assert in_folder(CONFIRMING, folder).datasets == ()
    labels = [column.label for column in suite.columns]
    assert {OURS, ALONE, "AutoGluon, 5 s", "csa(), older", "member: linear"} <= set(labels)
    assert len(labels) == len(set(labels))
    with pytest.raises(InputError, match="suite has no table 'hawks' here; there are breast_cancer, digits,"):
        suite.narrowed(datasets=["hawks"])
    assert suite.narrowed(quick=True).datasets == ("breast_cancer",)
    cells = list(suite.narrowed(seeds=2, datasets=["pima"], methods=["random_forest"]).cells())
    assert [(c.dataset, c.seed, c.settings["labelled"]) for c in cells] == [("pima", 0, 60), ("pima", 1, 60)]


# What is measured


def test_losses_and_calibration():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 600)
    codes = np.array([rng.choice(3, p=row) for row in p])
    assert_allclose(judging.log_loss(p, codes), log_loss(codes, p), atol=1e-4)
    assert judging.calibration_error(p, codes) < 12  # labels are drawn by these very probabilities
    sure = np.eye(3)[p.argmax(axis=1)]
    error = 100 * (sure.argmax(axis=1) != codes).mean()
    assert_allclose(judging.calibration_error(sure, codes), error, atol=1e-3)
    counts = np.array(judging.stated(p, codes))
    assert counts[:, 0].sum() == 600
    assert counts[:, 1].sum() == (p.argmax(axis=1) == codes).sum()
    assert judging.stated(np.array([[0.2, 0.8], [0.1, 0.9]]), np.array([1, 1]))[8:] == [[1, 1], [1, 1]]


def test_warnings_are_counted(folder):
    split = read_draw("pima", 0, folder, labelled=60)
    p_u, p_t = (np.full((len(y), 3), 1 / 3) for y in (split.y_u, split.y_t))
    outcome = judged(split, Said(p_u, p_t, warned=["one", "one", "two\nof two lines"]))
    assert outcome.details["warnings"] == 3
    assert outcome.details["warned"] == ["one", "two"]


def test_plain_preparations_read_what_was_not_there_in_fit():
    X = plain(table().drop(columns="target"))
    assert X["day"].dtype == float
    few, more = X[:20], X[20:].assign(colour="violet", gaps=np.nan)
    for prepare in (scaled(), ordinal(filled=True)):
        assert np.isfinite(prepare.fit(few).transform(more)).all()
    assert np.isnan(ordinal(filled=False).fit(few).transform(more)).any()
    assert_allclose(softmax([0.0, 2.0])[:, 1], [0.5, 1 / (1 + np.exp(-2))])
    assert_array_equal(softmax([[1.0, 3.0, 2.0]]).argmax(axis=1), [1])


# Methods


@pytest.mark.parametrize("name", PLAIN)
def test_plain_methods_learn_from_tables_with_gaps_categories_and_days(folder, name):
    few = {"trees": 30} if "trees" in METHODS[name].defaults else {}
    outcome = runner.run_cell(cell(name, **few), folder)
    assert outcome.accuracy > 70
    assert outcome.details["pool_accuracy"] > 70
    assert sum(n for n, _ in outcome.details["stated"]) == 148
    assert outcome.seconds["cpu"] >= 0
    assert json.loads(json.dumps(outcome.details)) == outcome.details
    assert runner.run_cell(cell(name, **few), folder).details == outcome.details


@pytest.mark.slow
def test_csa_its_committee_and_a_member(folder):
    ours = runner.run_cell(cell("csa_on_table"), folder)
    assert {"gain", "error", "word"} <= set(ours.details["verdict"])
    assert "seconds" not in ours.details["verdict"]
    for other in (cell("labels_alone"), cell("member", name="linear")):
        outcome = runner.run_cell(other, folder)
        assert outcome.accuracy > 70
        assert "verdict" not in outcome.details
    with pytest.raises(InputError, match="no member 'none'"):
        runner.run_cell(cell("member", name="none"), folder)


@pytest.mark.slow
def test_another_python_says_the_same(folder, monkeypatch):
    monkeypatch.setenv(elsewhere.PYTHONS_VARIABLE, f"same={sys.executable}")
    there = runner.run_cell(cell("csa_elsewhere", release="same"), folder)
    here = runner.run_cell(cell("csa_on_table"), folder)
    assert there.accuracy == here.accuracy
    assert there.details == here.details
    assert 0 < there.seconds["cpu"] < there.seconds["total"]  # not the start of that Python


def test_another_python_that_fails_is_told(folder, monkeypatch):
    split = read_draw("pima", 0, folder, labelled=60)
    with pytest.raises(RuntimeError, match="KeyError: 'nothing'"):
        elsewhere.asked(split, "nothing", sys.executable, {})
    monkeypatch.delenv(elsewhere.PYTHONS_VARIABLE, raising=False)
    assert "no Python is named 'old'" in METHODS["csa_elsewhere"].lacks({"release": "old"})
    for text, match in [("old", "NAME=PATH"), ("old=/nowhere/python", "is not at")]:
        with pytest.raises(InputError, match=match):
            elsewhere.name_pythons([text])


def test_frames_come_out_of_plain_values_as_they_went_in(folder):
    _, X, _ = folder_tables.read("pima", folder)
    X = X.assign(day=X["day"].where(X.index != 3))
    again = other_python.unpacked(json.loads(json.dumps(other_python.packed(X))))
    pd.testing.assert_frame_equal(again, X)


# What is made of it


def made_up(suite, store, gains, fail=()):
    """Accuracies of made-up runs: a method's gain over 80, and noise that methods share."""
    store.begin(runner.circumstances("surelabel bench run suite"))
    for one in suite.cells():
        rng = np.random.default_rng([one.seed, one.settings["labelled"], len(one.dataset)])
        label = next(column.label for column in suite.columns if column.method == one.method)
        if label in fail:
            store.fail(one, "ValueError: no")
            continue
        accuracy = 80 + rng.normal() + gains[label] + 0.1 * np.sin(one.seed + len(label) * len(one.dataset))
        details = {"pool_accuracy": accuracy, "log_loss": 0.5, "pool_log_loss": 0.5, "calibration": 4.0}
        details |= {"stated": [[0, 0]] * 8 + [[100, 85], [10, 10]], "warnings": 0}
        if label == OURS:
            details |= {"verdict": {"gain": 2.0, "error": 0.5, "word": "helped"}, "warned": ["Beware."]}
        store.add(one, Outcome(accuracy, details, {"total": 1.0, "cpu": 2.0 if label == OURS else 0.5}))
    store.settle()


@pytest.fixture
def small_suite():
    columns = tuple(c for c in CHOOSING.columns if c.label in (OURS, ALONE, "random forest", "SVM"))
    splits = table_suites.of_sizes([60, 150])
    return replace(CHOOSING, datasets=CHOOSING.datasets[:6], columns=columns, seeds=5, splits=splits)


@pytest.fixture
def store(tmp_path, small_suite):
    store = Store(tmp_path / "results")
    made_up(small_suite, store, {OURS: 2.0, ALONE: 0.0, "random forest": -1.0}, fail=["SVM"])
    return Store(store.folder)


def test_the_table_is_the_unit(store, small_suite):
    runs = comparison.runs_of(small_suite, store)
    assert len(runs) == 6 * 2 * 5 * 3
    alone, forest = comparison.against(runs, OURS)
    assert (alone.other, forest.other) == (ALONE, "random forest")
    assert_allclose([alone.mean, forest.mean], [2, 3], atol=0.1)
    assert (alone.runs, len(alone.by_table)) == (60, 6)
    assert alone.p_rank == pytest.approx(2 / 2**6)
    assert alone.p_t < 1e-3
    assert alone.better == small_suite.datasets
    assert alone.worse == ()
    assert list(alone.by_size) == [60, 150]
    assert alone.cpu == 4.0
    assert comparison.mean_ranks(runs, OURS).to_dict() == {OURS: 1.0, ALONE: 2.0, "random forest": 3.0}
    truth = comparison.truth_of(runs, OURS, ALONE)
    assert (truth.runs, truth.covered, truth.said, truth.apart) == (60, 1.0, 2.0, 0)
    assert_allclose(truth.true, alone.mean)


def test_sizes_and_tables_weigh_alike_whatever_number_of_runs_they_have():
    index = pd.MultiIndex.from_tuples(
        [("a", 60, 0), ("a", 60, 1), ("a", 150, 0), ("b", 60, 0)], names=["table", "labels", "draw"]
    )
    assert comparison.by_table(pd.Series([1.0, 3.0, 5.0, 7.0], index)).to_dict() == {"a": 3.5, "b": 7.0}


def test_holm():
    p = {"a": 0.01, "b": 0.02, "c": 0.6}
    assert comparison.holm(p) == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.6})
    assert comparison.holm({}) == {}


@pytest.mark.parametrize(
    "more", [{"interval": [1.0, 3.0]}, {"low": 1.0, "high": 3.0}, {"error": 1 / 1.959964}]
)
def test_an_interval_is_the_stated_one_or_follows_from_the_error(more):
    assert_allclose(comparison.interval_of({"gain": 2.0} | more), (1, 3), atol=1e-5)


def test_what_is_stored_tells_what_is_shown(store, small_suite):
    found = comparison.as_stored(CHOOSING, store)
    assert found.datasets == small_suite.datasets
    assert [column.label for column in found.columns] == [OURS, ALONE, "random forest"]
    assert comparison.as_stored(CONFIRMING, store).datasets == ()
    titles = [sheet.title for sheet in sheets_of(small_suite, store)]
    assert titles[0] == "csa() less each other"
    assert titles[-2:] == ["Warnings", "Runs that failed"]
    assert "The verdict" in titles
    for sheet in sheets_of(small_suite, store):
        assert {len(row) for row in sheet.rows} == {len(sheet.head)}


# The command line


def call(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def test_the_commands_of_the_suite(folder, tmp_path, monkeypatch):
    monkeypatch.delenv(elsewhere.PYTHONS_VARIABLE, raising=False)
    out = ["--out", tmp_path / "results" / "suite"]
    words = ["run", "suite", "--data-dir", folder, "--datasets", "pima,heart", "--sizes", "40,100", *out]
    words += ["--draws", "1", "--methods", "logistic,support_vectors,catboost"]
    first = call(*words)
    assert "left out: heart with 40 labels" in first.output
    assert "left out: pima" not in first.output
    assert "4 runs to do, 0 are stored" in first.output
    assert "logistic on pima, seed 0, 100 labels" in first.output
    assert first.exit_code == 0  # what is left out is as it should be
    assert "0 runs to do, 4 are stored" in call(*words).output
    assert "SVM" in call("table", "suite", *out).output
    assert "pima" in call("table", "suite", "--sizes", "40", *out).output
    page = tmp_path / "results" / "suite.md"
    assert call("page", "suite", *out).exit_code == 0
    text = page.read_text()
    assert text.startswith("# csa() on tables as users bring them")
    assert "### Accuracy by table" in text
    assert str(tmp_path) not in text
    assert call("page", "suite", "--out", tmp_path / "none").exit_code == 2
    assert call("page", "suit", *out).exit_code == 2
    for wrong in (["--sizes", "many"], ["--python", "old"]):
        assert call(*words, *wrong).exit_code == 2
    assert str(tmp_path) not in (tmp_path / "results" / "suite" / "runs.jsonl").read_text()


# Tables with text


@pytest.fixture
def text_folder(tmp_path):
    """A table of remarks under the name of one with text, with times of day beside them."""
    folder_tables.read.cache_clear()
    X, truth = remarks(300)
    frame = X.assign(at=[f"{i // 3 % 24:02d}:30" for i in range(len(X))], target=truth)
    frame.to_csv(tmp_path / "nace.csv", index=False)
    yield tmp_path
    folder_tables.read.cache_clear()


@pytest.mark.parametrize("method", ["words_logistic", "words_and_parts_machine"])
def test_plain_models_of_words_read_the_text(text_folder, method):
    split = read_draw("nace", 0, text_folder, labelled=60)
    outcome = METHODS[method].run(split, **METHODS[method].defaults)
    assert outcome.accuracy > 80


def test_without_text_little_is_left(text_folder):
    split = read_draw("nace", 0, text_folder, labelled=60)
    without = METHODS["csa_without_text"].run(split)
    assert without.accuracy < 70
    columns = replace(split, X_l=split.X_l[["remark"]], X_u=split.X_u[["remark"]], X_t=split.X_t[["remark"]])
    assert METHODS["csa_without_text"].run(columns).accuracy < 70


def test_times_of_day_reach_another_python(text_folder):
    frame = read_draw("nace", 0, text_folder, labelled=60).X_l
    there = other_python.unpacked(json.loads(json.dumps(other_python.packed(frame))))
    assert there["remark"].tolist() == frame["remark"].tolist()
    assert len(there["at"]) == len(frame)
    gaps = pd.DataFrame({"a": pd.Series([time(13, 30), pd.NA], dtype=object)})
    assert json.dumps(other_python.packed(gaps)) == '{"a": ["O", ["13:30:00", null]]}'


def test_the_suite_of_tables_with_text(text_folder, monkeypatch):
    monkeypatch.delenv(elsewhere.PYTHONS_VARIABLE, raising=False)
    out = ["--out", text_folder / "results" / "suite_text"]
    words = ["--data-dir", text_folder, "--draws", "1", "--sizes", "60", "--methods", "words_logistic"]
    assert "1 runs to do" in call("run", "suite_text", *words, *out).output
    assert call("page", "suite_text", *out).exit_code == 0
    assert "on other draws" in (text_folder / "results" / "suite_text.md").read_text()
    assert belongs("nace", "text")
    assert not belongs("pima", "text")


def test_dates_are_days_where_a_package_reads_none():
    frame = pd.DataFrame({"a": pd.to_datetime(["1970-01-03 12:00", None]), "b": ["x", "y"]})
    shown = other_python.dates_as_days(frame)
    assert_allclose(shown["a"], [2.5, np.nan])
    assert shown["b"].tolist() == ["x", "y"]

"""The benchmark: one row of each kind, results that survive a kill, and pages from stored lines."""

import io
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from rich.console import Console
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier
from typer.testing import CliRunner

from surelabel.allocation import Threshold
from surelabel.bench import authors, datasets, figures, page, registry, runner, scores, tables, told_apart
from surelabel.bench.cells import Cell, Column
from surelabel.bench.datasets import DATASETS, PAPERS, DataError, make_split, read_split
from surelabel.bench.grid import Outcome
from surelabel.bench.methods import METHODS
from surelabel.bench.perceptron import HeldOut
from surelabel.bench.store import Store, mended
from surelabel.bench.suite import Suite
from surelabel.bench.suites import SUITES, methods_of, named
from surelabel.budget import Budget
from surelabel.files import InputError
from surelabel.released import Released, released_epsilon
from surelabel.tool.commands import app

SMALL = {"members": 3, "rounds": 2, "iterations": 20, "epochs": 1, "least_steps": 60, "shown": 8, "side": 5}
COUNTED = ["pl", "pl_ensemble", "flexmatch", "ups", "sla", "csa", "csa_released", "best_rows"]


def small(method, dataset="blobs", seed=0, **settings):
    defaults = METHODS[method].defaults
    return Cell.of(dataset, method, seed, {k: v for k, v in SMALL.items() if k in defaults} | settings)


@pytest.fixture
def store(tmp_path):
    """Made-up results of three seeds for every table and figure, quick versions of them."""
    store = Store(tmp_path / "results")
    store.begin(runner.circumstances("surelabel bench run all"))
    rng = np.random.default_rng(0)
    for suite in quick_suites():
        for cell in replace(suite, seeds=3).cells():
            if cell not in store and not cell.method.startswith(("assignment", "trust")):
                store.add(cell, made_up(rng))
    for cell in (small("assignment_matrices", "breast_cancer"), small("trust_regions")):
        store.add(cell, runner.run_cell(cell))
    return store


def quick_suites():
    """Every suite, its pictures as small as can be."""
    for suite in named("all"):
        quick = suite.narrowed(quick=True)
        if suite.name in ("assignments", "regions"):
            column = quick.columns[0]
            settings = {k: v for k, v in SMALL.items() if k in METHODS[column.method].defaults}
            quick = replace(quick, columns=(replace(column, settings=settings),))
        yield quick


def made_up(rng):
    rounds = (90 + rng.normal(size=3)).round(4).tolist()
    counts = {"pool": [30, 20], "sure": [25, 15], "selected": [10, 5], "right": [9, 5], "negatives": [0, 0]}
    seconds = {part: [0.1, 0.2] for part in ("train", "predict", "confidence", "allocate", "classifier")}
    return Outcome(rounds[-1], {"rounds": rounds} | counts, seconds | {"total": 1.5})


# Datasets and splits


@pytest.mark.parametrize(
    "suite", [suite.narrowed(quick=True) for suite in named("all")], ids=lambda s: s.name
)
def test_every_quick_run_has_rows_of_all_three_kinds(suite):
    for how in {tuple(cell.of_split.items()): cell for cell in suite.cells()}.values():
        split = read_split(how.dataset, how.seed, None, **how.of_split)
        assert min(len(split.y_l), len(split.y_u), len(split.y_t)) > 10


SIZES = {
    "segment": (554, 1294, 462),
    "wdbc": (45, 410, 114),
    "analcatdata_authorship": (67, 605, 169),
    "synthetic_control": (48, 432, 120),
    "german_credit": (160, 640, 200),
    "madelon": (124, 1956, 520),
    "dna": (152, 2396, 638),
    "agaricus_lepiota": (2599, 3900, 1625),
    "breast_cancer": (91, 364, 114),
    "digits": (143, 1294, 360),
}


@pytest.mark.parametrize("name", PAPERS)
def test_splits_have_the_papers_sizes(name):
    n = DATASETS[name].rows
    split = make_split(DATASETS[name], np.arange(n)[:, None], np.arange(n), seed=3)
    assert (len(split.y_l), len(split.y_u), len(split.y_t)) == SIZES[name]
    assert_array_equal(np.sort(np.concatenate([split.y_l, split.y_u, split.y_t])), np.arange(n))
    assert_array_equal(split.X_l[:, 0], split.y_l)


@pytest.mark.parametrize("name", ["wdbc", "digits", "emotions"])
def test_the_authors_splits_are_of_the_shuffled_table_where_they_shuffle(name):
    n = DATASETS[name].rows
    ours, theirs = (
        make_split(DATASETS[name], np.arange(n)[:, None], np.arange(n), seed=3, protocol=protocol)
        for protocol in ("today", "authors")
    )
    assert (ours.trees, theirs.trees) == ("hist", "exact")
    order = pd.DataFrame(np.arange(n)).sample(frac=1, random_state=42)[0].to_numpy()
    assert_array_equal(theirs.y_l, order[ours.y_l] if name == "wdbc" else ours.y_l)
    assert_array_equal(np.sort(np.concatenate([theirs.y_l, theirs.y_u, theirs.y_t])), np.arange(n))
    with pytest.raises(InputError, match="it is 'theirs'"):
        make_split(DATASETS[name], np.arange(n)[:, None], np.arange(n), seed=3, protocol="theirs")


def test_the_authors_protocol_reaches_the_classifier():
    accuracies = {
        protocol: runner.run_cell(Cell.of("digits", "xgboost", 0, {"protocol": protocol})).accuracy
        for protocol in ("today", "authors")
    }
    assert accuracies["today"] == runner.run_cell(Cell.of("digits", "xgboost", 0, {})).accuracy
    assert accuracies["today"] != accuracies["authors"]


def test_splits_of_given_sizes_grow_without_changing():
    few = read_split("digits", 1, labelled=100, unlabelled=50)
    many = read_split("digits", 1, labelled=100, unlabelled=300)
    assert (len(few.y_l), len(few.y_u), len(many.y_u)) == (100, 50, 300)
    assert_array_equal(few.X_l, many.X_l)
    assert_array_equal(few.X_u, many.X_u[:50])


@pytest.fixture
def tiny(monkeypatch):
    """A dataset of four rows, one column of categories among them."""
    datasets.load.cache_clear()
    tiny = datasets.Dataset("tiny", "Tiny", 4, 2, 2, 0.5, openml=1, target="t")
    monkeypatch.setitem(DATASETS, "tiny", tiny)
    yield pd.DataFrame({"a": [1.5, 2, 3, 4], "b": ["x", "?", "z", "x"], "t": ["n", "y", "n", "y"]})
    datasets.load.cache_clear()


def test_a_folder_is_read_and_checked(tiny, tmp_path):
    tiny.to_csv(tmp_path / "tiny.csv", index=False)
    X, y = datasets.load("tiny", tmp_path)
    assert_array_equal(y, [0, 1, 0, 1])
    assert X["b"].isna().tolist() == [False, True, False, False]
    assert_array_equal(datasets._coded(X), [[1.5, 0], [2, -1], [3, 1], [4, 0]])
    datasets.load.cache_clear()
    tiny.iloc[:3].to_csv(tmp_path / "tiny.csv", index=False)
    with pytest.raises(DataError, match="should have 4 rows, 2 columns and 2 classes"):
        datasets.load("tiny", tmp_path)


def test_openml_is_asked_where_there_is_no_file(tiny, tmp_path, monkeypatch):
    def fetch(*, data_id, target_column, **_):
        assert (data_id, target_column) == (1, "t")
        return SimpleNamespace(data=tiny[["a", "b"]].astype("category"), target=tiny["t"].astype("category"))

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    X, y = datasets.load("tiny", tmp_path)
    assert_array_equal(X["a"], [1.5, 2, 3, 4])
    assert_array_equal(y, [0, 1, 0, 1])


def test_offline_says_what_to_do(tiny, tmp_path, monkeypatch):
    def fetch(**_):
        raise OSError("no route")

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    with pytest.raises(DataError, match=r"could not be fetched .no route.*--data-dir or SURELABEL_DATA"):
        datasets.load("tiny", tmp_path)
    with pytest.raises(DataError, match="no number at OpenML is known for it"):
        datasets.load("german_credit", tmp_path)
    with pytest.raises(DataError, match="no dataset 'wine'"):
        datasets.load("wine")
    with pytest.raises(DataError, match="needs the folder of its archive"):
        datasets.load("cifar10_1000")
    pytest.importorskip("torch")
    with pytest.raises(DataError, match=r"put cifar-100-python.tar.gz"):
        datasets.load("cifar100_4000", tmp_path)


# Methods


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs(name):
    lacking = METHODS[name].lacks(small(name).of_method)
    if lacking:
        pytest.skip(lacking)
    outcome = runner.run_cell(small(name))
    # The first puts 20 rows into every leaf, and there are 24; the others read text, and there is none.
    blind = name in ("hist_boosting", "words_logistic", "words_and_parts_machine")
    assert (30 if blind else 50) < outcome.accuracy <= 100
    assert json.loads(json.dumps(outcome.details)) == outcome.details
    assert outcome.seconds["total"] > 0
    if name in COUNTED:
        details = outcome.details
        assert details["rounds"][0] == runner.run_cell(small("xgboost")).accuracy
        assert details["rounds"][-1] == outcome.accuracy
        pool, sure, selected, right = (np.array(details[k]) for k in ("pool", "sure", "selected", "right"))
        for few, many in [(right, selected), (selected, sure), (sure, pool)]:
            assert (few <= many).all()
        assert_array_equal(pool[1:], (pool - selected)[:-1])


def test_sla_without_a_lower_bound_takes_more_than_csa_without_a_test():
    with_bound = runner.run_cell(small("csa", confidence="none")).details["selected"][0]
    without = runner.run_cell(small("sla")).details["selected"][0]
    assert with_bound < without


def test_best_rows_is_csa_without_transport():
    # With quotas of the same round, no class gets more than its part.
    found = runner.run_cell(small("best_rows", test="ttest")).details
    assert found["selected"][0] <= np.ceil(found["pool"][0] * 2 / 3) + DATASETS["blobs"].classes


def test_the_released_allocation_takes_no_minority():
    p = np.array([[0.45, 0.35, 0.2], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    found = Released()(p, Budget(1.0, np.full(3, 1 / 3), 4))
    assert found.codes[0] == -1
    assert found.codes[1:].tolist() == [0, 1, 2]
    assert [released_epsilon(n, 1) for n in (10, 50, 100, 200, 300)] == [0.05, 0.1, 0.2, 0.5, 1.0]


def test_the_released_allocation_takes_the_best_rows_as_if_there_were_no_transport():
    p = np.random.default_rng(0).dirichlet(np.full(6, 0.2), 300)
    p = p[p.max(axis=1) > 0.5]
    budget = Budget(1 / 3, np.full(6, 1 / 6), len(p))
    assert_array_equal(Released()(p, budget).codes, Threshold(0.5)(p, budget).codes)


@pytest.mark.parametrize("method", ["supervised", "truth", "pl", "flexmatch", "sla", "ups", "csa"])
def test_networks_are_judged_in_every_round(method):
    pytest.importorskip("torch")
    found, alone = (
        runner.run_cell(Cell.of("blobs", "network", 0, {"method": name, "rounds": 2, "least_steps": 60}))
        for name in (method, "supervised")
    )
    rounds = 0 if method in ("supervised", "truth") else 2
    assert len(found.details["rounds"]) == rounds + 1
    assert found.details["rounds"][-1] == found.accuracy
    assert found.details["pool"] == [216] * rounds
    if method != "truth":
        assert found.details["rounds"][0] == alone.accuracy  # all begin with the same network


def test_networks_may_be_held_back_in_the_first_rounds():
    pytest.importorskip("torch")
    settings = {"method": "csa", "rounds": 2, "least_steps": 60}
    whole, growing = (
        runner.run_cell(Cell.of("blobs", "network", 0, settings | {"share": share})).details["selected"]
        for share in ("whole", "growing")
    )
    assert whole[0] > growing[0]
    with pytest.raises(InputError, match="share must be one of whole, growing; it is 'half'"):
        runner.run_cell(Cell.of("blobs", "network", 0, settings | {"share": "half"}))


def test_networks_keep_their_rounds_where_they_are_told(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from surelabel.bench import networks

    monkeypatch.setenv(datasets.ROUNDS_VARIABLE, str(tmp_path))
    cell = small("network", least_steps=20)
    first = runner.run_cell(cell)
    assert len(list(tmp_path.glob("*/*.pt"))) == 3
    monkeypatch.setattr(networks, "train", None)  # all is read
    networks._BEGINNING.clear()
    assert runner.run_cell(cell).details == first.details


def test_published_test_sets_stay_whole_and_labels_are_balanced():
    dataset = replace(DATASETS["cifar10_1000"], rows=600, published=100)
    y = np.arange(600) % 10
    split = make_split(
        dataset, np.arange(600)[:, None], y, seed=1, labelled=50, unlabelled=300, balanced=True
    )
    assert_array_equal(split.X_t[:, 0], np.arange(500, 600))
    assert_array_equal(np.bincount(split.y_l), [5] * 10)
    assert (len(split.y_u), len(np.unique(np.append(split.X_l, split.X_u)))) == (300, 350)
    one, other = (make_split(dataset, y[:, None], y, seed, balanced=True) for seed in (1, 2))
    assert_array_equal(np.bincount(one.y_l), [1] * 10)  # 2% of 500
    assert (one.y_u != other.y_u).any()


def test_a_network_is_kept_as_it_was_when_held_out_labels_were_predicted_best():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.choice(["no", "yes"], 60)  # nothing to learn, much to remember
    long, short = (
        HeldOut(MLPClassifier((100, 100), learning_rate_init=0.01, random_state=0), 0.2, epochs=n).fit(X, y)
        for n in (100, 1)
    )
    held = np.random.RandomState(0).permutation(60)[48:]
    losses = [log_loss(y[held], model.network_.predict_proba(X[held])) for model in (long, short)]
    assert losses[0] <= losses[1]
    again = long.network_.predict_proba(X)
    assert_array_equal(long.fit(X, y).network_.predict_proba(X), again)
    assert (long.predict(X) == y).mean() < 0.9  # the last network knows all it saw by heart
    last = MLPClassifier((100, 100), learning_rate_init=0.01, random_state=0)
    for _ in range(100):
        last.partial_fit(X, y, classes=long.classes_)
    assert last.score(X, y) > 0.95


def test_vime_is_one_result_for_one_seed():
    torch = pytest.importorskip("torch")
    from surelabel.bench.vime import Vime, corrupt

    X = torch.arange(40.0).reshape(20, 2)
    damaged = corrupt(X, 0.5, torch.Generator().manual_seed(0))
    assert 0 < (damaged != X).float().mean() < 1
    assert set(damaged[:, 0].tolist()) <= set(X[:, 0].tolist())  # a cell comes from its own column
    split = read_split("blobs", 0)
    p = [
        Vime(epochs=1, iterations=5, random_state=7)
        .fit(split.X_l, split.y_l, split.X_u)
        .predict_proba(split.X_t)
        for _ in range(2)
    ]
    assert_array_equal(p[0], p[1])
    assert_allclose(p[0].sum(axis=1), 1, atol=1e-6)


# Suites


def test_every_figure_of_the_paper_has_its_cell():
    for suite in SUITES.values():
        labels = [column.label for column in suite.columns]
        assert len(set(labels)) == len(labels)
        for dataset, row in suite.printed.items():
            assert dataset in suite.datasets
            assert set(row) <= set(labels)
        assert all(cell.method in METHODS for cell in replace(suite, seeds=1).cells())


def test_a_figure_is_below_theirs_by_more_than_its_interval():
    above, within, below = (authors.Beside.of([1.0, 2.0, 3.0], theirs) for theirs in (1.9, 4.0, 9.0))
    assert (above.below, within.below, below.below) == (False, False, True)
    assert above.seeds == 3
    assert not authors.Beside.of([1.0, 2.0], 9.0).below  # two seeds have no interval
    assert not authors.Beside.of([84.499995] * 3, 84.5).below  # stored with four digits, and theirs with two


def _stored(folder, suite, dataset, by_label):
    """A store with these accuracies by label, a seed each."""
    store = Store(folder)
    folder.mkdir()
    columns = {column.label: column for column in suite.columns}
    for label, values in by_label.items():
        for seed, accuracy in enumerate(values):
            cell = Cell.of(dataset, columns[label].method, seed, columns[label].settings)
            store.add(cell, Outcome(accuracy, {}, {"total": 1.0}))
    return store


def test_differences_on_the_same_splits_by_hand(tmp_path):
    """1, 2, 3 has mean 2 and half an interval of 4.303 / sqrt(3); 1 alone or of two seeds has none."""
    suite = SUITES["ensemble"]
    one, two = [80.0, 81.0, 82.0, 70.0], [81.0, 83.0, 85.0]
    store = _stored(tmp_path / "a", suite, "wdbc", {"PL": one, "PL, ensemble": two, "CSA": [83.0, 81.5]})
    assert told_apart.differences(suite, store, "PL, ensemble", "PL") == {"wdbc": [1.0, 2.0, 3.0]}
    text = "\n".join(told_apart.lines(suite, store))
    assert "| PL, ensemble less PL | +2.00 +- 2.48 (3) |" in text
    assert "| CSA less PL | +1.75 (2) |" in text
    assert "0 of 1 can be told from 0" in text
    assert "differences of 2.5 points and more in the median, 2.5 at best and 2.5 at worst" in text
    sure = _stored(tmp_path / "b", suite, "wdbc", {"PL": one[:3], "PL, ensemble": [90.0, 91.0, 92.5]})
    assert "| PL, ensemble less PL | **+10.17 +- 0.72** (3) |" in "\n".join(told_apart.lines(suite, sure))
    assert not list(told_apart.lines(suite, Store(tmp_path / "none")))


def test_what_is_compared_are_columns_of_the_suite():
    for name, pairs in told_apart.PAIRS.items():
        labels = {column.label for column in SUITES[name].columns}
        assert {label for pair in pairs for label in pair} <= labels


def test_intervals_of_lines_stand_side_by_side():
    table = pd.DataFrame({"T": [1, 3, 1, 3, 1], "method": ["a", "a", "b", "b", "c"]})
    assert_allclose(figures._side_by_side(table, "T", ["method"])["at"], [0.5, 2.5, 1.0, 3.0, 1.5])
    alone = pd.DataFrame({"T": [2], "method": ["a"]})
    assert figures._side_by_side(alone, "T", ["method"])["at"].nunique() == 1


def test_columns_of_a_table_are_scored_on_the_seeds_they_share(tmp_path):
    store = Store(tmp_path)
    for method, seeds in {"pl": range(8), "pl_ensemble": range(5), "csa": range(2)}.items():
        for seed in seeds:
            store.add(Cell.of("wdbc", method, seed, {}), Outcome(90.0 + seed, seconds={"total": 1.0}))
    suite = SUITES["ensemble"]
    assert suite.seeds == 5
    for seeds in (5, 30):
        found = scores.scores(replace(suite, seeds=seeds), store)["wdbc"]
        assert (found["PL"].n, found["PL"].mean) == (5, 92.0)
        assert (found["PL, ensemble"].n, found["PL, ensemble"].mean) == (5, 92.0)
        assert (found["CSA"].n, found["CSA"].mean) == (2, 90.5)  # only begun


def test_settings_tell_cells_apart():
    assert Cell.of("digits", "pl", 0, {}) == Cell.of("digits", "pl", 0, {"gamma": 0.8})
    assert Cell.of("digits", "pl", 0, {}).digest != Cell.of("digits", "pl", 0, {"gamma": 0.9}).digest
    one = Cell.of("digits", "csa", 0, {"rounds": 2, "labelled": 100})
    other = Cell.of("digits", "csa", 0, {"labelled": 100, "rounds": 2})
    assert one.key == other.key
    assert one.of_split == {"labelled": 100}
    with pytest.raises(InputError, match="no setting 'gama'"):
        Cell.of("digits", "pl", 0, {"gama": 0.9})
    with pytest.raises(InputError, match="no method 'pll'"):
        methods_of("pll")
    assert [c.label for c in SUITES["images"].narrowed(methods=["PL", "CSA"]).columns] == ["PL", "CSA"]
    with pytest.raises(InputError, match="no 'table3'"):
        named("table3")


# Runs


def bench(*words, **kwargs):
    code = "from surelabel.tool.commands import app; app()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "bench", *words], stdout=subprocess.DEVNULL, **kwargs
    )


def results_in(folder):
    """What must be the same in every run: the results, not the seconds."""
    return {
        p.name: p.read_bytes() for p in folder.glob("*.jsonl") if p.name.count(".") == 1 and p.stem != "runs"
    }


def test_a_killed_run_goes_on_and_leaves_the_same_file(tmp_path):
    words = ["run", "ensemble", "--datasets", "breast_cancer", "--methods", "pl", "--seeds", "8", "--out"]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = bench(*words, str(killed))
    path = killed / "breast_cancer.jsonl"
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = path.read_bytes().count(b"\n")
    assert 2 <= done < 8
    with path.open("ab") as file:
        file.write(b'{"accuracy": 9')  # the kill came while a line was written
    assert bench(*words, str(killed), "--jobs", "2").wait() == 0
    cells = list(SUITES["ensemble"].narrowed(8, ["breast_cancer"], ["pl"]).cells())
    store = Store(whole)
    store.begin({})
    assert len(list(runner.go(cells, store))) == 8
    assert results_in(killed) == results_in(whole)
    assert len(results_in(whole)["breast_cancer.jsonl"].splitlines()) == 8
    assert not runner.to_do(cells, Store(killed))
    assert len(Store(killed).seconds) == 8


def test_nothing_is_run_twice_and_failures_are_kept_until_they_succeed(tmp_path, monkeypatch):
    ran = []

    def run_cell(cell, folder):
        ran.append(cell.key)
        if cell.seed == 1 and ran.count(cell.key) == 1:
            raise ArithmeticError("once")
        return Outcome(50.0, {}, {"total": 2.0})

    monkeypatch.setattr(runner, "run_cell", run_cell)
    cells = [Cell.of("blobs", "pl", seed, {}) for seed in (0, 1, 2, 2)]
    store = Store(tmp_path)
    store.begin({})
    first = list(runner.go(runner.to_do(cells, store), store))
    assert [done.failure for done in first] == ["", "ArithmeticError: once", ""]
    assert [done.left for done in first][-1] == 0
    assert [r["failure"] for r in mended(tmp_path / "blobs.failures.jsonl")] == ["ArithmeticError: once"]
    store = Store(tmp_path)
    assert [key[3] for key in store.failures] == [1]
    second = list(runner.go(runner.to_do(cells, store), store))
    assert [done.cell.seed for done in second] == [1]
    assert [r["seed"] for r in mended(tmp_path / "blobs.jsonl")] == [0, 1, 2]
    assert not runner.to_do(cells, Store(tmp_path))
    assert not (tmp_path / "blobs.failures.jsonl").exists()


def test_a_broken_line_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"seed": 1}\n{"se\n{"seed": 3}\n')
    with pytest.raises(InputError, match="line 2"):
        mended(path)
    path.write_text('{"seed": 1}\n{"se')
    assert mended(path) == [{"seed": 1}]
    assert path.read_text() == '{"seed": 1}\n'


def test_what_cannot_be_run_is_said(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    cells = [small("vime"), small("pl"), small("pl", "german_credit"), small("catboost")]
    kept, left_out = runner.runnable(cells, None)
    assert kept == [small("pl")]
    data, vime, catboost = left_out
    assert data.reason.startswith("german_credit")
    assert ".[torch]" in vime.reason
    assert "catboost=PATH" in catboost.reason
    assert [left.expected for left in left_out] == [False, False, True]  # CatBoost is for who has it


# Scores, tables, figures, the page


def test_scores_are_students():
    mean, half = scores.interval([1, 2, 3, 4])
    assert_allclose([mean, half], [2.5, 3.182446 * np.sqrt(5 / 3) / 2], rtol=1e-6)
    assert np.isnan(scores.interval([1])[1])
    assert scores.compared([90, 91, 92], (91, 1)) == "agrees"
    assert scores.compared([90, 91, 92], (80, 1)) == "higher"
    assert scores.compared([90, 91, 92], (99, 1)) == "lower"
    assert scores.compared([90], (99, 1)) == ""


def test_ranks_and_pairs(tmp_path):
    columns = tuple(Column(m, m) for m in ("pl", "csa", "sla"))
    suite = Suite("x", "X", "table", PAPERS[:6], columns, 3)
    store = Store(tmp_path)
    store.begin({})
    for cell in suite.cells():
        height = {"pl": 70, "csa": 90, "sla": 89.9}[cell.method]
        store.add(cell, Outcome(height + cell.seed / 10, {}, {}))
    ranked = scores.ranks(suite, store)
    assert ranked.mean == {"pl": 3.0, "csa": 1.0, "sla": 2.0}
    # Demsar 2006, table 5: q = 2.343 for three classifiers.
    assert_allclose(ranked.distance, 2.343 * np.sqrt(3 * 4 / 36), rtol=1e-3)
    assert ranked.groups() == [["csa", "sla"], ["sla", "pl"]]
    against = {test.other: test for test in scores.paired(suite, store, "csa")}
    assert_allclose([against["pl"].gain, against["sla"].gain], [20, 0.1])
    assert against["pl"].better == suite.datasets
    assert against["pl"].p < 0.05


def test_tables_from_stored_lines(store):
    out = io.StringIO()
    console = Console(width=60, file=out)
    for part in tables.as_tables(SUITES["table2"].narrowed(3, quick=True), Store(store.folder), 60):
        console.print(part)
    text = out.getvalue()
    assert "CSA, released settings" in text
    assert "(93.55 +- 2)" in text
    assert "3 seeds" in text


def test_figures_from_stored_lines(store, tmp_path):
    for suite in quick_suites():
        if suite.kind == "figure":
            path = figures.draw(replace(suite, seeds=3), store, tmp_path / f"{suite.name}.svg")
            assert path.read_text().startswith("<svg")
    with pytest.raises(InputError, match="Nothing is stored"):
        figures.draw(SUITES["rounds"], Store(tmp_path / "empty"), tmp_path / "x.png")
    with pytest.raises(InputError, match="is a table"):
        figures.draw(SUITES["table2"], store, tmp_path / "x.png")


def test_the_page_is_made_from_stored_lines(store, tmp_path):
    (store.folder / "notes.toml").write_text('table2 = ["MLP: unscaled columns."]\n')
    suites = [replace(suite, seeds=3) for suite in quick_suites()]
    path = page.write(Store(store.folder), tmp_path / "results.md", suites, pictures=False)
    text = path.read_text()
    for suite in suites:
        assert f"## {suite.title}" in text
    assert "- MLP: unscaled columns." in text
    assert "(results/rounds.png)" in text
    assert "surelabel bench run all" in text
    assert "CSA, released settings: significantly below theirs on" in text
    assert "CSA, gain: significantly below theirs on" in text
    assert str(tmp_path) not in text
    assert page.write(Store(store.folder), tmp_path / "again.md", suites, pictures=False).read_text() == text
    (store.folder / "notes.toml").write_text('table9 = ["?"]\n')
    with pytest.raises(InputError, match="table9"):
        page.write(store, path, suites, pictures=False)


# The command line


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.delenv("SURELABEL_DATA", raising=False)

    def call(*words):
        return CliRunner().invoke(app, ["bench", *words])

    out = ["--out", str(tmp_path / "r")]
    assert "csa_released" in call("list").output
    narrow = ["--datasets", "breast_cancer", "--methods", "pl,xgboost", "--seeds", "1"]
    first = call("run", "table2", *narrow, *out)
    assert first.exit_code == 0
    assert "2 runs to do, 0 are stored" in first.output
    assert "0 runs to do, 2 are stored" in call("run", "table2", *narrow, *out).output
    assert "PL" in call("table", "table2", *out).output
    assert call("figure", "table2", *out).exit_code == 2
    assert call("table", "rounds", *out).exit_code == 2
    assert call("run", "table3", *out).exit_code == 2
    assert call("page", "--out", str(tmp_path / "none")).exit_code == 2
    missing = call("run", "table2", "--datasets", "german_credit", "--methods", "pl", *out)
    assert missing.exit_code == 1
    assert "left out" in missing.output
    assert str(tmp_path) not in (tmp_path / "r" / "runs.jsonl").read_text()

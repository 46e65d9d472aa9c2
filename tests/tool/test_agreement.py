"""What a run writes beside labels, and what `predict` says of the same rows, are the same numbers."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from birds import birds, surelabel, written

from surelabel import TTest, load
from surelabel.files import read_table

METHODS = ["csa", "sla", "ups", "pl", "supervised"]


def labelled(data, out, *more):
    """What a run writes, and what its model predicts of the same file."""
    result = surelabel("label", data, "--no-guard", "--no-report", "--out", out, *more)
    assert result.exit_code == 0, result.output
    assert surelabel("predict", out, data, "-o", out / "p.csv").exit_code == 0
    return read_table(out / f"labels{data.suffix}").frame, read_table(out / "p.csv").frame


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_are_those_of_the_final_classifier(method, data, tmp_path):
    after, said = labelled(data, tmp_path / "run", "--target", "species", "--method", method)
    asked = after["surelabel_status"] != "given"
    assert (after.loc[~asked, "surelabel_probability"] == "").all()
    clf = load(tmp_path / "run" / "model.skops")
    P = pd.DataFrame(clf.predict_proba(said[["width", "height", "colour"]].pipe(typed)), columns=clf.classes_)
    for row in np.flatnonzero(asked):
        shown = after["species"][row] or after["surelabel_guess"][row]
        assert float(after["surelabel_probability"][row]) == pytest.approx(P.loc[row, shown], rel=1e-5)
        others = P.loc[row].drop(shown)
        assert after["surelabel_runner_up"][row] == others.idxmax()
        if shown == said["species_predicted"][row]:
            assert after["surelabel_probability"][row] == said["species_probability"][row]
    none = asked & (after["species"] == "")
    assert (after["surelabel_guess"] == said["species_predicted"])[none].all()
    assert (after["surelabel_guess"] == after["species"])[asked & ~none].all()


def typed(frame):
    return frame.astype({"width": float, "height": float}).assign(colour=frame["colour"].replace("", None))


@pytest.fixture
def torn(tmp_path):
    """Rows of which some lie on the way between the species, where any committee is unsure somewhere."""
    frame = birds()[0].drop(columns="species")
    between = np.linspace(0, 5, len(frame[::4])).round(2).astype(str)
    frame.loc[::4, "width"] = frame.loc[::4, "height"] = between
    return written(frame, tmp_path / "torn.csv")


def test_sure_is_the_test_of_the_method_on_the_final_committee(data, torn, tmp_path):
    labelled(data, tmp_path / "run", "--target", "species")
    assert surelabel("predict", tmp_path / "run", torn, "-o", tmp_path / "p.csv").exit_code == 0
    said = read_table(tmp_path / "p.csv").frame
    clf = load(tmp_path / "run" / "model.skops")
    rows = clf.columns_.transform(said[["width", "height", "colour"]].pipe(typed))
    confidence = TTest().for_committee(clf.estimator_)(clf.estimator_.opinion(rows))
    assert (said["species_sure"] == np.where(confidence > 0, "true", "false")).all()
    assert set(said["species_sure"]) == {"true", "false"}


@pytest.mark.parametrize(("method", "words"), [("ups", {"true", "false"}), ("sla", {""}), ("pl", {""})])
def test_without_a_test_or_members_nothing_is_said_of_sure(method, words, data, tmp_path):
    _, said = labelled(data, tmp_path / "run", "--target", "species", "--method", method)
    assert set(said["species_sure"]) <= words


def test_sure_has_the_type_of_truth_values_where_there_is_one(data, torn, tmp_path):
    labelled(data, tmp_path / "run", "--target", "species")
    for ending in ("parquet", "jsonl", "xlsx"):
        assert surelabel("predict", tmp_path / "run", torn, "-o", tmp_path / f"p.{ending}").exit_code == 0
        assert set(read_table(tmp_path / f"p.{ending}").frame["species_sure"]) == {True, False}


def test_the_rows_of_both_files_agree(data, tmp_path):
    more = written(birds(30, 0, seed=1)[0], tmp_path / "more.csv")
    labelled(data, tmp_path / "run", "--target", "species", "--unlabeled", more)
    assert surelabel("predict", tmp_path / "run", more, "-o", tmp_path / "p.csv").exit_code == 0
    after = read_table(tmp_path / "run" / "unlabeled.csv").frame
    said = read_table(tmp_path / "p.csv").frame
    same = after["surelabel_guess"] == said["species_predicted"]
    assert same.mean() > 0.8
    assert (after["surelabel_probability"] == said["species_probability"])[same].all()


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("yes", "no")])
def test_several_labels_agree(yes, no, small, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    cells = np.where(X > 0, yes, no).astype(object)
    cells[30:] = ""
    cells[20:30, 0] = ""
    frame = pd.DataFrame(
        {"a": X[:, 0].round(3), "b": X[:, 1].round(3), "calm": cells[:, 0], "sad": cells[:, 1]}
    )
    data = written(frame.astype(str), tmp_path / "songs.csv")
    after, said = labelled(data, tmp_path / "run", "--target", "calm,sad", "--rounds", 2)
    cells = load(tmp_path / "run" / "model.skops").pseudo_labels_
    for name in ("calm", "sad"):
        asked = after[f"surelabel_{name}_status"] != "given"
        predicted = said[f"{name}_predicted"].map({"1": yes, "0": no})
        same = asked & (after[f"surelabel_{name}_guess"] == predicted)
        assert same.sum() > 20
        probabilities = after[f"surelabel_{name}_probability"]
        assert (probabilities == said[f"{name}_probability"])[same].all()
        known = cells.loc[cells["label"] == name, "probability"]
        np.testing.assert_allclose(known, probabilities[asked].astype(float), rtol=1e-5)
        found = after[f"surelabel_{name}_status"] == "filled in"
        assert (after[name] == after[f"surelabel_{name}_guess"])[found].all()
        assert set(said[f"{name}_sure"]) <= {"true", "false"}


def rows_of_page(path):
    """Probability, guess and runner-up of the rows that a report shows, by their position."""
    (content,) = re.findall(r'<script type="application/json" id="content">(.*?)</script>', path.read_text())
    rows = json.loads(content)["rows"]
    text = {
        name: [rows[name]["levels"][k] for k in rows[name]["codes"]] for name in ("row", "label", "runner_up")
    }
    numbers = {name: rows[name] for name in ("probability", "gap")}
    return pd.DataFrame(text | numbers).set_index(pd.Index(map(int, text["row"])))


@pytest.mark.parametrize("method", ["csa", "pl"])
def test_the_report_shows_what_is_written_beside_the_labels(method, data, tmp_path):
    run = tmp_path / "run"
    words = ("--target", "species", "--method", method, "--no-guard")
    assert surelabel("label", data, *words, "--out", run).exit_code == 0
    after = read_table(run / "labels.csv").frame
    asked = after[after["surelabel_status"] != "given"]
    for page in (run / "report.html", tmp_path / "again.html"):
        if not page.exists():
            assert surelabel("report", run, "-o", page).exit_code == 0
        shown = rows_of_page(page).loc[asked.index]
        written = asked["surelabel_probability"].astype(float)
        np.testing.assert_allclose(shown["probability"], written, atol=1e-4)
        assert (shown["label"] == asked["surelabel_guess"]).all()
        assert (shown["runner_up"] == asked["surelabel_runner_up"]).all()
    assert load(run / "model.skops").pseudo_labels_["probability"].to_list() == pytest.approx(
        written.to_list(), rel=1e-5
    )


# Cells of the user come back as they were; those that are added are guarded.


NAMES = {"cat": "=1+1", "dog": "-2", "owl": " @owl"}


def formulas(tmp_path, ending="csv"):
    """Birds with names and colours that a spreadsheet would run."""
    frame, _ = birds()
    frame = frame.replace({"species": NAMES, "colour": {"red": "=red", "green": "+green"}})
    return frame, written(frame, tmp_path / f"birds.{ending}")


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "parquet", "xlsx"])
def test_given_cells_come_back_as_they_were(ending, small, tmp_path):
    frame, path = formulas(tmp_path, ending)
    words = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")
    assert surelabel("label", path, *words, "--out", tmp_path / "run").exit_code == 0
    before, after = read_table(path).frame, read_table(tmp_path / "run" / f"labels.{ending}").frame
    given = after["surelabel_status"] == "given"
    pd.testing.assert_frame_equal(after.loc[given, frame.columns], before.loc[given])
    others = [name for name in frame if name != "species"]
    pd.testing.assert_frame_equal(after[others], before[others])
    added = set(after.loc[~given, "species"].dropna()) | set(after["surelabel_guess"].dropna())
    guarded = ending.split(".")[0] in ("csv", "tsv")
    assert added - {""} == ({"'=1+1", "-2", "' @owl"} if guarded else set(NAMES.values()))


@pytest.mark.parametrize("command", ["label", "predict"])
def test_all_text_is_guarded_when_asked(command, small, tmp_path):
    frame, path = formulas(tmp_path)
    words = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")
    guard = ["--guard-formulas"] if command == "label" else []
    assert surelabel("label", path, *words, "--out", tmp_path / "run", *guard).exit_code == 0
    out = tmp_path / "run" / "labels.csv"
    if command == "predict":
        out = tmp_path / "p.csv"
        assert surelabel("predict", tmp_path / "run", path, "-o", out, "--guard-formulas").exit_code == 0
    after = read_table(out).frame
    assert set(after["colour"]) == {"'=red", "'+green", ""}
    assert set(after["species"]) == {"'=1+1", "-2", "' @owl", ""}
    assert after["width"].tolist() == frame["width"].tolist()

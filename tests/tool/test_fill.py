"""The labels of a run are handed out under a promise, and decided anew without training."""

import json
import re
import shutil

import numpy as np
import pytest
from birds import birds, refused, surelabel, with_small_models, written

from surelabel.files import read_table
from surelabel.saving.model_file import load
from surelabel.tool.reviewing import opened
from surelabel.tool.run_folder import RunFolder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run on birds of which two kinds are hard to tell apart, its table, and the truth."""
    folder = tmp_path_factory.mktemp("birds")
    frame, truth = birds(300, 120, seed=3)
    frame["width"] = [f"{float(x) / 2:.3f}" for x in frame["width"]]
    data = written(frame, folder / "birds.csv")
    with pytest.MonkeyPatch.context() as patch:
        with_small_models(patch)
        result = surelabel("label", data, "--target", "species", "--right", 0.9, "--out", folder / "run")
    assert result.exit_code == 0, result.output
    return folder / "run", data, truth, result


@pytest.fixture
def run(made, tmp_path):
    """A copy of it."""
    folder, *others = made
    shutil.copytree(folder, tmp_path / "run")
    return tmp_path / "run", *others


def labels_of(folder):
    return read_table(folder / "labels.csv").frame


def test_the_closing_sentence_is_what_the_file_holds(run):
    folder, _, truth, result = run
    frame = labels_of(folder)
    filled = frame["surelabel_status"] == "filled in"
    said = " ".join(result.output.split())
    assert f"{filled.sum()} of 180 missing labels filled in; about 9" in said
    assert "(at least 90% on average)" in said
    assert ((frame["species"] != "") == frame["surelabel_status"].isin(["given", "filled in"])).all()
    assert (frame["species"] == frame["surelabel_guess"])[filled].all()
    assert (frame["species"] == truth)[filled].mean() >= 0.9
    assert json.loads((folder / "run.json").read_text())["labelled"] == filled.sum()


def test_labels_are_decided_anew_without_training(run, monkeypatch):
    folder, _, _, _ = run
    before, model = labels_of(folder), (folder / "model.skops").read_bytes()
    monkeypatch.setattr("surelabel.classifier.PseudoLabelClassifier.fit_rounds", None)
    result = surelabel("fill", folder, "--right", 0.97)
    assert result.exit_code == 0, result.output
    after = labels_of(folder)
    kept = after["species"] != ""
    assert kept.sum() < (before["species"] != "").sum()
    assert (after["species"] == before["species"])[kept].all()
    assert (folder / "model.skops").read_bytes() == model
    assert "at least 97% on average" in (folder / "report.html").read_text()
    # The record knows the decision, and the run can be decided back.
    assert json.loads((folder / "run.json").read_text())["settings"]["right"] == 0.97
    assert surelabel("fill", folder, "--right", 0.9).exit_code == 0
    assert labels_of(folder).equals(before)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--right", 0.9, "--confidence", 0.9), "with 90% confidence"),
        (("--right", 0.9, "--per-class"), "of each class that is filled, on average"),
        (("--right", 0.9, "--no-promise"), "nothing is promised"),
    ],
)
def test_every_form_can_be_asked_for(words, said, run):
    folder, *_ = run
    result = surelabel("fill", folder, *words)
    assert result.exit_code == 0, result.output
    assert said in " ".join(result.output.split())


def test_what_cannot_be_promised_is_not_filled(run):
    folder, *_ = run
    result = surelabel("fill", folder, "--right", 0.999)
    assert result.exit_code == 1
    assert "120 labelled rows are too few for a promise of 99.9%" in " ".join(result.output.split())
    assert set(labels_of(folder)["surelabel_status"]) == {"given", "not sure enough"}


def test_a_share_in_percent_is_refused_with_the_one_that_is_meant(run):
    folder, *_ = run
    assert refused(surelabel("fill", folder, "--right", 95), "it is 95. Did you mean 0.95?")
    words = ("--right", 0.9, "--confidence", 0.9, "--no-promise")
    assert refused(surelabel("fill", folder, *words), "--no-promise makes none")


def test_a_table_that_has_changed_is_refused(run):
    folder, data, *_ = run
    before = data.read_bytes()
    data.write_bytes(before.replace(b"cat", b"dog", 1))
    assert refused(surelabel("fill", folder, "--right", 0.8), "has changed since the run")
    data.write_bytes(before)


def test_without_the_guard_nothing_is_promised(data, tmp_path, small):
    words = ("--target", "species", "--no-guard", "--no-report", "--out", tmp_path / "run")
    result = surelabel("label", data, *words)
    assert result.exit_code == 0, result.output
    assert "(nothing is promised)" in " ".join(result.output.split())


def test_the_model_of_a_run_knows_what_was_handed_out(run):
    folder, *_ = run
    lines, frame = load(folder / "model.skops").pseudo_labels_, labels_of(folder)
    written_down = frame["species"].to_numpy()[lines.index]
    assert (lines["filled"].fillna("").to_numpy() == np.asarray(written_down)).all()


def test_the_report_and_the_page_show_what_was_decided_last(run):
    folder, *_ = run
    assert surelabel("fill", folder, "--right", 0.97).exit_code == 0
    filled = (labels_of(folder)["surelabel_status"] == "filled in").to_numpy()
    assert ((opened(RunFolder(folder)).subject.status == "filled in") == filled).all()
    surelabel("report", folder)
    rows = re.search(
        r'"filled":\{"codes":\[([-0-9,]+)\],"levels":\["([^"]+)"', (folder / "report.html").read_text()
    )
    codes = np.array(rows[1].split(","), dtype=int)
    assert (codes == (0 if rows[2] == "filled in" else 1)).sum() == filled.sum()

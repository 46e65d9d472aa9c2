"""Folders of the first release, which listed no files, in this one.

`data/first_release` was made by commit 100b075 with the models of the fixture `small`, by `surelabel label
birds.csv --target species --rounds 2 --no-report`: one run to its end, one killed after its first round.
"""

import json
import shutil
from pathlib import Path

import pytest
from birds import refused, surelabel

from surelabel.files import read_table

WORDS = ("--target", "species", "--rounds", 2, "--no-report", "--right", 0.9)


@pytest.fixture
def old(tmp_path, small, monkeypatch):
    """The folders, in a place of their own."""
    shutil.copytree(Path(__file__).parent / "data" / "first_release", tmp_path / "old")
    monkeypatch.chdir(tmp_path / "old")
    return tmp_path / "old"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.filterwarnings("ignore")  # releases of other packages may differ
def test_its_model_predicts(old):
    assert surelabel("predict", "complete", "birds.csv", "-o", "p.csv").exit_code == 0
    after, said = read_table("complete/labels.csv").frame, read_table("p.csv").frame
    known = after["species"] != ""
    assert (after["species"] == said["species_predicted"])[known].mean() > 0.95
    assert set(said["species_sure"]) <= {"true", "false"}
    assert said["species_probability"].astype(float).between(0.3, 1).all()
    assert refused(surelabel("predict", "complete", "birds.csv", "-o", "complete/labels.csv"), "of the run")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_its_report_is_written(old):
    assert surelabel("report", "complete").exit_code == 0
    assert set(json.loads(Path("complete/run.json").read_text())["files"]) == {"report.html"}
    assert surelabel("report", "complete", "-o", "elsewhere.html").exit_code == 0


def test_a_page_that_it_did_not_list_is_not_replaced(old):
    Path("complete/report.html").write_text("of the first release, or mine")
    assert refused(
        surelabel("report", "complete"), "report.html is in the way: no record says that a run wrote it"
    )


def test_a_complete_run_is_complete(old):
    before = contents(old / "complete")
    result = surelabel("label", "birds.csv", *WORDS, "--out", "complete", "--resume")
    assert result.exit_code == 0
    assert "This run is complete" in result.output
    assert contents(old / "complete") == before


def test_a_run_that_was_killed_goes_on(old):
    result = surelabel("label", "birds.csv", *WORDS, "--out", "killed", "--resume")
    assert result.exit_code == 0, result.output
    assert "going on after round 1" in result.output
    before, after = (read_table(f"{name}/labels.csv").frame for name in ("complete", "killed"))
    both = (before["species"] != "") & (after["species"] != "")
    assert both.sum() > 40
    assert (before["species"] == after["species"])[both].mean() > 0.9
    assert {path.name for path in (old / "killed").iterdir()} == {
        "labels.csv",
        "model.skops",
        "history.json",
        "run.json",
    }


def test_labels_of_a_run_that_was_stopped_are_not_replaced(old):
    shutil.copy("complete/labels.csv", "killed/labels.csv")
    before = contents(old / "killed")
    words = ("label", "birds.csv", *WORDS, "--out", "killed")
    assert refused(
        surelabel(*words, "--resume"), "labels.csv is in the way: no record says that a run wrote it"
    )
    assert contents(old / "killed") == before
    Path("killed/labels.csv").rename("killed/mine.csv")
    assert surelabel(*words, "--resume").exit_code == 0


@pytest.mark.parametrize("name", ["complete", "killed"])
def test_what_it_wrote_cannot_be_told_from_what_is_the_users(name, old):
    before = contents(old / name)
    result = surelabel("label", "birds.csv", *WORDS, "--out", name, "--overwrite")
    assert refused(result, "holds a run of an earlier release, which did not list its files")
    assert contents(old / name) == before


def test_its_labels_are_given_back(old):
    result = surelabel("label", "complete/labels.csv", *WORDS, "--out", "again")
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "Labels given to that run: 18." in said
    assert "given now: 0. Filled in by surelabel, and unlabelled again: 30." in said

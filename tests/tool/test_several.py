"""The command line with several label columns."""

import json

import numpy as np
import pandas as pd
import pytest
from birds import surelabel, written

from surelabel import load
from surelabel.files import read_table
from surelabel.tool.progress import Progress

NAMES = ["mood_calm", "mood_happy"]
QUICK = ("--method", "pl", "--no-guard", "--no-report")


def songs(yes="1", no="0"):
    """60 songs with two moods: 20 known, 10 known in part, 30 unknown; as text, and the truth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    truth = np.where(X > 0, yes, no)
    cells = truth.copy().astype(object)
    cells[30:] = ""
    cells[20:30, 0] = ""
    frame = pd.DataFrame(
        {
            "tempo": [f"{x:.3f}" for x in X[:, 0]],
            NAMES[0]: cells[:, 0],
            "volume": [f"{x:.3f}" for x in X[:, 1]],
            NAMES[1]: cells[:, 1],
        }
    )
    return frame, truth


def said(result):
    return " ".join(result.output.split())


@pytest.mark.parametrize(
    "target", [("--target", ",".join(NAMES)), ("--target-prefix", "mood_")], ids="-".join
)
@pytest.mark.parametrize("answers", [("1", "0"), ("TRUE", "FALSE"), ("yes", "no")], ids="-".join)
def test_cells_are_filled_in_as_they_are_written(target, answers, small, tmp_path):
    frame, truth = songs(*answers)
    path = written(frame, tmp_path / "songs.csv")
    result = surelabel("label", path, *target, *QUICK, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    after = read_table(tmp_path / "run" / "labels.csv").frame
    others = [name for name in frame if name not in NAMES]
    assert (after[others] == frame[others]).all().all()
    for k, name in enumerate(NAMES):
        given, found = frame[name] != "", after[f"surelabel_{name}_status"] == "filled in"
        assert (after[name][given] == frame[name][given]).all()
        assert ((after[name] != "") == (given | found)).all()
        assert found.sum() > 10
        assert (after[name] == truth[:, k])[found].mean() > 0.8
    reasons = [f"surelabel_{name}_{what}" for name in NAMES for what in ("status", "confidence", "guess")]
    assert set(reasons) < set(after.columns)
    assert "surelabel_mood_calm_runner_up" not in after


@pytest.fixture
def run(small, tmp_path):
    """The folder of a run with the default method, small."""
    frame, _ = songs()
    path = written(frame, tmp_path / "songs.csv")
    result = surelabel("label", path, "--target-prefix", "mood_", "--rounds", 2, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "report.html" in said(result)
    assert "held-out cells" in said(result)
    return tmp_path / "run"


@pytest.mark.slow
def test_a_run_has_a_page_for_each_label_and_a_model_that_predicts(run, tmp_path):
    pages = [run / "report-1.html", run / "report-2.html", run / "report.html"]
    assert all("mood_" in page.read_text() for page in pages)
    assert 'href="report-2.html"' in pages[-1].read_text()
    history = json.loads((run / "history.json").read_text())
    assert list(history["rounds"][0]["labels"]) == NAMES
    frame, truth = songs()
    new = written(frame.drop(columns=NAMES), tmp_path / "new.csv")
    assert surelabel("predict", run, new, "-o", tmp_path / "predicted.csv").exit_code == 0
    predicted = read_table(tmp_path / "predicted.csv").frame
    said = predicted[[f"{name}_predicted" for name in NAMES]].to_numpy()
    assert (said == truth).mean() > 0.9
    clf = load(run / "model.skops")
    assert (said.astype(int) == clf.predict(frame[["tempo", "volume"]].astype(float))).all()
    for page in pages:
        page.unlink()
    assert surelabel("report", run).exit_code == 0
    assert all(page.exists() for page in pages)


def test_more_rows_come_from_a_file_of_their_own_and_a_run_may_be_resumed(small, tmp_path):
    frame, _ = songs()
    whole = written(frame.iloc[:30], tmp_path / "songs.csv")
    more = written(frame.drop(columns=NAMES).iloc[30:], tmp_path / "more.csv")
    both, out = ",".join(NAMES), tmp_path / "run"
    args = ("label", whole, "--target", both, "--unlabeled", more, *QUICK, "--out", out)
    assert surelabel(*args).exit_code == 0
    filled = read_table(out / "unlabeled.csv").frame
    assert set(filled["mood_calm"]) <= {"1", "0", ""}
    assert (filled["mood_calm"] != "").any()
    assert "This run is complete" in said(surelabel(*args, "--resume"))
    assert "target was" in said(surelabel(*args[:3], NAMES[0], *args[4:], "--resume"))


def test_a_run_goes_on_after_its_last_round(small, tmp_path, monkeypatch):
    path = written(songs()[0], tmp_path / "songs.csv")
    args = ("label", path, "--target-prefix", "mood_", *QUICK, "--out")
    assert surelabel(*args, tmp_path / "whole").exit_code == 0

    def interrupt(self, round):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", interrupt)
        assert surelabel(*args, tmp_path / "cut").exit_code == 130
    assert "going on after round 1" in said(surelabel(*args, tmp_path / "cut", "--resume"))
    labels = [(tmp_path / name / "labels.csv").read_bytes() for name in ("whole", "cut")]
    assert labels[0] == labels[1]


def test_a_comma_may_be_part_of_a_name(small, tmp_path):
    frame, _ = songs()
    path = written(frame.rename(columns={NAMES[0]: "calm,or not"}), tmp_path / "songs.csv")
    assert (
        surelabel("label", path, "--target", "calm,or not", *QUICK, "--out", tmp_path / "run").exit_code == 0
    )


def test_inspect_shows_the_labels(small, tmp_path):
    frame, _ = songs()
    result = surelabel("inspect", written(frame, tmp_path / "songs.csv"), "--target-prefix", "mood_")
    assert result.exit_code == 0
    assert "rows that have it" in said(result)
    assert "rows with an unknown label 40" in said(result)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--target", "mood_calm,mood_hapy"), "did you mean 'mood_happy'"),
        (("--target", "mood_calm,mood_calm"), "--target names 'mood_calm' twice"),
        (("--target", "mood_calm,tempo"), "Column 'tempo' holds"),
        (("--target-prefix", "label_"), "no column begins with 'label_'"),
        (("--target", "mood_calm", "--target-prefix", "mood_"), "not by both"),
        (("--target-prefix", "mood_", "--prior", "mood_clam=0.5"), "did you mean 'mood_calm'"),
        ((), "Name the label column: --target"),
    ],
)
def test_what_is_wrong_is_said(args, words, small, tmp_path):
    path = written(songs()[0], tmp_path / "songs.csv")
    result = surelabel("label", path, *args, *QUICK, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert "should not happen" not in result.stderr

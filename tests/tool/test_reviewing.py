"""From a run to answers and back: what people say becomes given labels."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from birds import birds, refused, said, surelabel, with_small_models, written

from surelabel import load
from surelabel.review.answers import Answer, AnswerFile, answers_in
from surelabel.tool import review_commands
from surelabel.tool.reviewing import Update, desk_of
from surelabel.tool.run_folder import RunFolder

QUICK = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a run that came to its end, and of the table beside it."""
    folder = tmp_path_factory.mktemp("made")
    data = written(birds()[0], folder / "birds.csv")
    with pytest.MonkeyPatch.context() as patch:
        with_small_models(patch)
        assert surelabel("label", data, *QUICK, "--out", folder / "run").exit_code == 0
    return folder


@pytest.fixture
def data(made):
    return made / "birds.csv"


@pytest.fixture
def run(made, small, tmp_path):
    """A copy of the run, to do with it as one likes."""
    return Path(shutil.copytree(made / "run", tmp_path / "run"))


@pytest.fixture
def truth(tmp_path):
    frame, labels = birds()
    return written(frame.assign(species=labels), tmp_path / "truth.csv")


def labels_of(folder, name="labels.csv"):
    return pd.read_csv(folder / name, dtype=str, keep_default_na=False)


def answered(folder, *answers):
    file = AnswerFile(folder / "answers.sqlite", RunFolder(folder).record()["digests"])
    file.add([Answer(f"k{k}", *each) for k, each in enumerate(answers)])
    file.close()


def test_a_simulated_person_answers_and_resume_takes_it_in(run, truth):
    result = surelabel("review", run, "--answer-from", truth, "-n", 10)
    assert result.exit_code == 0, result.output
    assert "10 rows of ask answered" in result.output
    assert surelabel("review", run, "--answer-from", truth, "-n", 5, "--pile", "audit").exit_code == 0
    before = labels_of(run)
    result = surelabel("label", "--out", run, "--resume")
    assert result.exit_code == 0, result.output
    assert "answers taken in: 15 labels" in " ".join(result.output.split())
    after, true = labels_of(run), birds()[1]
    given = after["surelabel_status"] == "given"
    assert given.sum() == (before["surelabel_status"] == "given").sum() + 15
    assert (after["species"][given] == true[given]).all()
    record = json.loads((run / "run.json").read_text())
    assert record["answers"] == {"until": 15, "labels": 15, "piles": {"ask": 10, "audit": 5}}
    sampled = load(run / "model.skops").sampled_
    assert sampled[:42].all()
    kept = answers_in(run / "answers.sqlite")
    assert [sampled[each.row] for each in kept if each.pile == "ask"] == [
        each.at_random for each in kept if each.pile == "ask"
    ]
    assert not sampled[[each.row for each in kept if each.pile == "audit"]].any()
    again = surelabel("label", "--out", run, "--resume")
    assert "This run is complete" in again.output


def test_corrections_replace_what_nobody_can_tell_stays_out_new_classes_are_added(run):
    answered(run, (0, "owl", "doubts"), (50, "lynx", "ask"), (51, "lynx", "ask"), (60, None, "ask"))
    result = surelabel("label", "--out", run, "--resume")
    assert result.exit_code == 0, result.output
    after = labels_of(run)
    assert after["species"][[0, 50, 51]].tolist() == ["owl", "lynx", "lynx"]
    assert after["surelabel_status"][[0, 50, 51]].tolist() == ["given"] * 3
    assert after["surelabel_status"][60] != "given"
    assert "1 that nobody can tell" in " ".join(result.output.split())


def test_rows_of_the_second_file_can_be_answered(small, tmp_path):
    frame, truth = birds(60, 18)
    data = written(frame.iloc[:30], tmp_path / "birds.csv")
    more = written(frame.iloc[30:].drop(columns="species"), tmp_path / "more.csv")
    out = tmp_path / "run"
    args = ("label", data, *QUICK, "--unlabeled", more, "--out", out)
    assert surelabel(*args).exit_code == 0
    desk = desk_of(RunFolder(out))
    assert len(desk.subject) == 60
    desk.answer([5, 45], None, key="a", pile="browse")
    desk.answer([45], str(truth[45]), key="b", pile="ask")
    desk.close()
    result = surelabel(*args, "--resume")
    assert result.exit_code == 0, result.output
    second = labels_of(out, "unlabeled.csv")
    assert (second["species"][15], second["surelabel_status"][15]) == (truth[45], "given")
    assert (second["surelabel_status"] == "given").sum() == 1
    assert len(load(out / "model.skops").sampled_) == 60


def test_a_typed_column_keeps_its_type_and_refuses_a_class_that_it_cannot_hold(small, tmp_path):
    frame, truth = birds()
    codes = pd.Series(truth).map({"cat": 1, "dog": 2, "owl": 3}).where(frame["species"] != "")
    data = written(frame.assign(species=codes.astype("Int64")), tmp_path / "birds.parquet")
    out = tmp_path / "run"
    assert surelabel("label", data, *QUICK, "--out", out).exit_code == 0
    answered(out, (30, "3", "ask"))
    assert surelabel("label", "--out", out, "--resume").exit_code == 0
    assert pd.read_parquet(out / "labels.parquet")["species"][30] == 3
    file = AnswerFile(out / "answers.sqlite")
    file.add([Answer("new", 31, "lynx", "ask")])
    file.close()
    assert refused(surelabel("label", "--out", out, "--resume"), "The new class 'lynx' cannot be written")


def test_answers_go_out_and_come_back_in(run, data, truth, tmp_path):
    surelabel("review", run, "--answer-from", truth, "-n", 6, "--pile", "audit")
    out = tmp_path / "answers.csv"
    assert surelabel("answers", run, "-o", out).exit_code == 0
    table = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert list(table) == ["row", "answer", "label", "pile", "at_random", "who", "at", "guess", "probability"]
    assert len(table) == 6
    assert table["at_random"].tolist() == ["true"] * 6
    assert (table["label"] == birds()[1][table["row"].astype(int) - 1]).all()
    other = tmp_path / "other"
    result = surelabel("label", data, *QUICK, "--out", other, "--answers", out)
    assert result.exit_code == 0, result.output
    assert (labels_of(other)["surelabel_status"] == "given").sum() == 48
    assert load(other / "model.skops").sampled_.sum() == 84 - 6
    assert surelabel("answers", other, "--from", out).exit_code == 0
    assert "complete" in surelabel("label", "--out", other, "--resume").output


@pytest.mark.parametrize("every", [True, False])
def test_audited_rows_calibrate_where_every_missing_label_was_filled_in(run, truth, every):
    """Only then are filled rows a random sample of all, and not the easier ones."""
    assert surelabel("fill", run, "--no-promise", "--right", 0.01 if every else 0.999).exit_code in (0, 1)
    filled = labels_of(run)["surelabel_status"] == "filled in"
    given = labels_of(run)["surelabel_status"] == "given"
    assert filled.any()
    assert (filled | given).all() == every
    # What is audited is what was handed out last.
    desk = desk_of(RunFolder(run))
    assert set(desk.piles.audit.rows) == set(np.flatnonzero(filled))
    desk.close()
    assert surelabel("review", run, "--answer-from", truth, "-n", 5, "--pile", "audit").exit_code == 0
    assert surelabel("label", "--out", run, "--resume").exit_code in (0, 1)
    sampled = load(run / "model.skops").sampled_
    assert [bool(sampled[each.row]) for each in answers_in(run / "answers.sqlite")] == [every] * 5


def test_labels_made_elsewhere_come_in_by_row_and_label(run, tmp_path):
    mine = written(pd.DataFrame({"row": ["40", "41"], "label": ["dog", ""]}), tmp_path / "mine.csv")
    result = surelabel("answers", run, "--from", mine)
    assert "1 answers of" in result.output
    assert surelabel("label", "--out", run, "--resume").exit_code == 0
    assert labels_of(run)["species"][39] == "dog"
    assert not load(run / "model.skops").sampled_[39]


def test_a_run_that_was_interrupted_goes_on_with_the_answers_that_it_began_with(run, data):
    answered(run, (30, "owl", "ask"))
    assert surelabel("label", "--out", run, "--resume").exit_code == 0
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(record | {"status": "running"}))
    file = AnswerFile(run / "answers.sqlite")
    file.add([Answer("later", 31, "owl", "ask")])
    file.close()
    assert surelabel("label", data, *QUICK, "--out", run, "--resume").exit_code == 0
    assert labels_of(run)["surelabel_status"][[30, 31]].tolist()[0] == "given"
    assert json.loads((run / "run.json").read_text())["answers"]["until"] == 1
    assert surelabel("label", "--out", run, "--resume").exit_code == 0
    assert json.loads((run / "run.json").read_text())["answers"]["until"] == 2


def test_overwrite_leaves_the_answers_alone(run, data):
    answered(run, (50, "owl", "ask"))
    assert surelabel("label", data, *QUICK, "--out", run, "--overwrite").exit_code == 0
    assert labels_of(run)["surelabel_status"][50] != "given"
    assert len(answers_in(run / "answers.sqlite")) == 1


def test_the_page_can_take_the_answers_in(run, monkeypatch):
    calls = []

    class Labelling:
        """`surelabel label --resume`, in this process: its models are small here only."""

        def __init__(self, command, **more):
            calls.append(command)
            result = surelabel(*command[3:])
            self.stdout, self.code = result.output.splitlines(), result.exit_code

        def wait(self):
            return self.code

    monkeypatch.setattr(subprocess, "Popen", Labelling)
    folder = RunFolder(run)
    desk = desk_of(folder)
    row = int(desk.piles.ask.rows[0])
    desk.answer([row], "owl", key="a", pile="ask")
    update = Update(folder, desk)
    update._work()  # here, not in its thread: signals are for the main one
    assert update.state()["done"], update.state()
    assert "with 1 more answers" in update.state()["words"]
    assert calls[0][:3] == [sys.executable, "-m", "surelabel.tool"]
    assert (desk.subject.status[row], desk.subject.label[row]) == ("given", "owl")
    assert row not in desk.piles.ask.rows
    (run / "labels.csv").write_text("changed by hand")
    desk.answer([row + 1], "owl", key="b", pile="browse")
    update = Update(folder, desk)
    update._work()  # here, not in its thread: signals are for the main one
    assert "not taken in" in update.state()["words"]
    assert not update.state()["done"]
    desk.close()


def test_what_cannot_be_reviewed_is_refused_in_words(run, data, truth, tmp_path):
    assert refused(surelabel("review", tmp_path / "none"), "holds no run")
    assert refused(surelabel("answers", run), "Name the file to write")
    assert refused(surelabel("answers", run, "-o", run / "labels.csv"), "is not a name for a file of answers")
    assert refused(surelabel("review", run, "--image", "9x9", "--no-browser"), "needs 81 columns of pixels")
    assert refused(surelabel("review", run, "--answer-from", data), "must have the label of each")
    bad = written(pd.DataFrame({"row": ["999"], "label": ["owl"]}), tmp_path / "bad.csv")
    assert refused(surelabel("answers", run, "--from", bad), "there is no row '999'")
    assert not (run / "answers.sqlite").exists() or not answers_in(run / "answers.sqlite")
    (run / "answers.sqlite").unlink(missing_ok=True)
    (run / "answers.sqlite").symlink_to(tmp_path / "elsewhere")
    assert refused(surelabel("review", run, "--answer-from", truth), "is a link")
    assert not (tmp_path / "elsewhere").exists()


def test_review_says_what_it_does_and_where_the_answers_are(run, monkeypatch):
    answered(run, (50, "owl", "ask"))
    monkeypatch.setattr(review_commands, "_until_ctrl_c", lambda: None)
    result = surelabel("review", run, "--no-browser")
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"Reading {run} ...\n")
    assert f"1 rows answered: {run / 'answers.sqlite'}\n" in result.output
    assert f"surelabel label --out {run} --resume" in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_review_that_is_terminated_names_a_way_to_go_on_that_it_has(run, monkeypatch):
    monkeypatch.setattr(review_commands, "_until_ctrl_c", lambda: os.kill(os.getpid(), signal.SIGTERM))
    result = surelabel("review", run, "--no-browser")
    assert result.exit_code == 143
    assert said(result) == f"surelabel: Terminated. Every answer is kept; surelabel review {run} goes on."


def test_answers_about_another_table_are_refused(run, tmp_path):
    answered(run, (30, "owl", "ask"))
    other = written(birds(seed=1)[0], tmp_path / "other.csv")
    out = tmp_path / "second"
    assert surelabel("label", other, *QUICK, "--out", out).exit_code == 0
    (out / "answers.sqlite").write_bytes((run / "answers.sqlite").read_bytes())
    result = surelabel("review", out, "--no-browser")
    assert "holds answers about another table" in said(result)


def test_cells_of_several_labels_go_round(tmp_path, small):
    frame, truth = birds()
    tags = pd.DataFrame({name: np.where(truth == name, "yes", "no") for name in ("cat", "owl")})
    known = np.repeat((np.arange(len(frame)) < 42)[:, None], 2, axis=1)
    both = pd.concat([frame.drop(columns="species"), tags.where(known, "")], axis=1)
    data, run = written(both, tmp_path / "tags.csv"), tmp_path / "run"
    result = surelabel("label", data, "--target", "cat,owl", "--no-report", "--no-promise", "--out", run)
    assert result.exit_code == 0, result.output
    whole = written(pd.concat([both.drop(columns=["cat", "owl"]), tags], axis=1), tmp_path / "truth.csv")
    result = surelabel("review", run, "--answer-from", whole, "-n", 7)
    assert "7 cells of ask answered" in result.output, result.output
    out = tmp_path / "answers.csv"
    assert surelabel("answers", run, "-o", out).exit_code == 0
    table = pd.read_csv(out, dtype=str)
    assert set(table["cell"]) <= {"cat", "owl"}
    assert surelabel("answers", run, "--from", out).exit_code == 0
    result = surelabel("label", "--out", run, "--resume")
    assert result.exit_code == 0, result.output
    after = labels_of(run)
    for line in table.to_dict("records"):
        row = int(line["row"]) - 1
        assert after[line["cell"]][row] == tags[line["cell"]][row]
        assert after[f"surelabel_{line['cell']}_status"][row] == "given"
    chosen = table["at_random"] == "false"
    sampled = load(run / "model.skops").sampled_
    assert not sampled[table["row"][chosen].astype(int) - 1].any()
    ask = tmp_path / "ask.csv"
    assert surelabel("next", run, "-n", 6, "-o", ask).exit_code == 0
    lines = pd.read_csv(ask, dtype=str, keep_default_na=False)
    for k, (row, name) in enumerate(zip(lines["surelabel_row"], lines["surelabel_label"], strict=True)):
        lines.loc[k, name] = tags[name][int(row) - 1]
    lines.to_csv(ask, index=False)
    before = len(answers_in(run / "answers.sqlite"))
    result = surelabel("answers", run, "--from", ask)
    assert result.exit_code == 0, result.output
    for k, each in enumerate(answers_in(run / "answers.sqlite")[before:]):
        row, name = int(lines["surelabel_row"][k]) - 1, lines["surelabel_label"][k]
        assert each.row == row * 2 + ["cat", "owl"].index(name)
        assert each.label == tags[name][row]
        assert each.at_random == (lines["surelabel_pile"][k] == "random")
    assert k == 5

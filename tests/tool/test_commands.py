"""The command line: what goes in, what comes out, and what it says."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from birds import birds, refused, said, small_models, surelabel, written

from surelabel import Unlike, csa
from surelabel.files import alone_in, read_table
from surelabel.tool.commands import app
from surelabel.tool.demo import digits
from surelabel.tool.filled_table import reason_columns
from surelabel.tool.run_folder import RunFolder
from surelabel.tool.table_source import TableLabelling

QUICK = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")
ADDED = reason_columns()
FORMATS = ["csv", "tsv", "csv.gz", "parquet", "jsonl", "jsonl.gz", "xlsx"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(data, tmp_path):
    """The folder of a run that came to its end."""
    folder = tmp_path / "run"
    assert surelabel("label", data, *QUICK, "--out", folder).exit_code == 0
    return folder


# What goes in comes out, with labels where sure.


@pytest.mark.parametrize("ending", FORMATS)
def test_rows_and_columns_are_untouched_in_every_format(ending, small, tmp_path):
    frame, truth = birds()
    path = written(nulls(frame) if ending in ("parquet", "jsonl") else frame, tmp_path / f"b.{ending}")
    before = read_table(path)
    assert surelabel("label", path, *QUICK, "--out", tmp_path / "run").exit_code == 0
    after = read_table(tmp_path / "run" / f"labels.{ending}")
    assert list(after.frame.columns) == [*before.frame.columns, *ADDED]
    others = [name for name in before.frame if name != "species"]
    pd.testing.assert_frame_equal(after.frame[others], before.frame[others])
    status = after.frame["surelabel_status"]
    known = after.frame["species"].fillna("") != ""
    assert (known == status.isin(["given", "filled in"])).all()
    assert (status == "given").sum() == 42
    assert (status == "filled in").sum() > 10
    assert (after.frame["species"] == truth)[known].mean() > 0.9
    assert after.format.kind == before.format.kind
    assert not list((tmp_path / "run").glob(".surelabel-*"))


def test_labels_are_the_same_for_csv_parquet_and_frames_and_for_any_number_of_jobs(small, tmp_path):
    frame, _ = birds()
    numbers = frame.assign(species=frame["species"].map({"cat": "2", "dog": "10", "owl": "7"}).fillna(""))
    typed = numbers.assign(
        width=numbers["width"].astype(float),
        height=numbers["height"].astype(float),
        species=pd.to_numeric(numbers["species"]).astype("Int64"),
    )
    csv = written(numbers, tmp_path / "b.csv")
    typed.to_parquet(tmp_path / "b.parquet")
    for jobs, path in {1: csv, 2: tmp_path / "b.parquet", 4: csv}.items():
        args = (
            "--target",
            "species",
            "--no-guard",
            "--no-report",
            "--seed",
            3,
            "--jobs",
            jobs,
            "--out",
            tmp_path / str(jobs),
        )
        assert surelabel("label", path, *args).exit_code == 0
    assert (tmp_path / "1" / "labels.csv").read_bytes() == (tmp_path / "4" / "labels.csv").read_bytes()
    found = read_table(tmp_path / "1" / "labels.csv").frame
    other = read_table(tmp_path / "2" / "labels.parquet").frame
    for name in ("species", *ADDED):
        assert plain(found[name]) == plain(other[name]), name

    X = typed[["width", "height"]].assign(colour=nulls(frame)["colour"])
    clf = csa(committee=Unlike(small_models()), random_state=3, guard=False).fit(X, typed["species"])
    labels = pd.Series(clf.transduction_, dtype=object).replace(-1, None)
    labels[clf.pseudo_labels_.index] = clf.fill(promise=False).labels
    assert plain(found["species"]) == plain(labels)


def plain(column):
    """Cells as numbers where they are some, None where empty."""
    cells = [None if pd.isna(cell) or cell == "" else str(cell) for cell in column]
    return [float(cell) if cell and re.fullmatch(r"-?[0-9.e-]+", cell) else cell for cell in cells]


def nulls(frame):
    """A frame of text in which the empty cell is None."""
    return frame.astype(object).where(frame != "", None)


def test_typed_labels_keep_their_type(small, tmp_path):
    frame, _ = birds()
    codes = frame["species"].map({"cat": 0, "dog": 1, "owl": 2})
    X = frame[["width", "height"]].astype(float)
    kinds = {
        "whole": pa.array(codes.astype("Int64")),
        "double": pa.array(codes.astype(float).tolist(), from_pandas=True),
        "truth": pa.array([None if pd.isna(code) else code > 0 for code in codes]),
        "day": pa.array([None if pd.isna(code) else date(2024, 5, 1 + int(code)) for code in codes]),
        "decimal": pa.array([None if pd.isna(code) else Decimal(int(code)) / 2 for code in codes]),
        "codes": pa.array(nulls(frame)["species"].tolist()).dictionary_encode(),
    }
    for name, labels in kinds.items():
        table = pa.table({"width": X["width"], "height": X["height"], "y": labels})
        pq.write_table(table, tmp_path / f"{name}.parquet")
        result = surelabel(
            "label",
            tmp_path / f"{name}.parquet",
            "--target",
            "y",
            "--method",
            "pl",
            "--no-guard",
            "--no-report",
            "-o",
            tmp_path / name,
        )
        assert result.exit_code == 0, result.output
        after = pq.read_table(tmp_path / name / "labels.parquet")
        assert after.schema.field("y").type == table.schema.field("y").type
        given = [a for a, b in zip(after["y"].to_pylist(), labels.to_pylist(), strict=True) if b is not None]
        assert given == [label for label in labels.to_pylist() if label is not None]
        assert after["y"].null_count < labels.null_count


def test_labels_of_several_types_are_not_merged(small, tmp_path):
    lines = [json.dumps({"x": row / 2, "y": [7, "7", None][row % 3]}) for row in range(30)]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    result = surelabel("label", tmp_path / "b.jsonl", "--target", "y", *QUICK[2:], "--out", tmp_path / "run")
    assert refused(result, "7")


def test_more_unlabelled_rows_from_another_file(data, tmp_path):
    more = birds(40, 0, seed=1)[0].drop(columns="species").rename(columns={"ring": "other"})[::-1]
    path = written(more[["colour", "other", "height", "width"]], tmp_path / "more.jsonl")
    result = surelabel("label", data, *QUICK, "--unlabeled", path, "--out", tmp_path / "run")
    assert result.exit_code == 0
    after = read_table(tmp_path / "run" / "unlabeled.jsonl").frame
    assert list(after.columns) == ["colour", "other", "height", "width", "species", *ADDED]
    assert after["other"].tolist() == more["other"].tolist()
    assert (after["species"].notna() == (after["surelabel_status"] == "filled in")).all()
    assert after["species"].notna().sum() > 5


def test_a_file_of_unlabelled_rows_may_not_hold_labels(data, tmp_path):
    more = written(birds(20, 3, seed=1)[0], tmp_path / "more.csv")
    result = surelabel("label", data, *QUICK, "--unlabeled", more, "--out", tmp_path / "run")
    assert refused(result, "has labels in column 'species', the first in row 1")
    assert not (tmp_path / "run").exists()


def test_another_mark_of_an_unlabelled_row(small, tmp_path):
    frame, _ = birds()
    path = written(frame.replace({"species": {"": "?"}}), tmp_path / "birds.csv")
    args = ("label", path, *QUICK, "--out", tmp_path / "run", "--missing-label", "?")
    assert surelabel(*args).exit_code == 0
    after = read_table(tmp_path / "run" / "labels.csv").frame
    assert ((after["species"] == "?") == ~after["surelabel_status"].isin(["given", "filled in"])).all()
    assert set(after["species"]) <= {"cat", "dog", "owl", "?"}


def test_prior(data, tmp_path):
    found = {}
    for prior in ("cat=0.9,dog=0.05,owl=0.05", "cat=0.1, dog=0.8, owl=0.1"):
        out = tmp_path / prior[4:7]
        args = (
            "--target",
            "species",
            "--no-guard",
            "--no-report",
            "--rounds",
            1,
            "--prior",
            prior,
        )
        assert surelabel("label", data, *args, "--out", out).exit_code == 0
        history = json.loads((out / "history.json").read_text())
        found[prior[4:7]] = history["rounds"][0]["by_class"][1]
    assert found["0.1"] > found["0.9"]


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("cat", "it got 'cat'"),
        ("cat=nan,dog=1", "it got 'cat=nan'"),
        ("cat=0.5,cat=0.5", "'cat' twice"),
        ("cat=0.5,dgo=0.5", "did you mean 'dog'?"),
        ("cat=0.5,dog=0.2,owl=0", "it sums to 0.7"),
        ("cat=1.0", "names some of the classes and not 'dog', 'owl'. Give each class its share"),
        ("cat=0.5,dog=0.5", "not 'owl'"),
    ],
)
def test_bad_priors(prior, words, data, tmp_path):
    assert refused(surelabel("label", data, *QUICK, "--prior", prior, "--out", tmp_path / "run"), words)


def test_columns_are_overruled(data, tmp_path):
    args = ("--drop", "height", "--categorical", "ring", "--id", "colour")
    assert surelabel("label", data, *QUICK, *args, "--out", tmp_path / "run").exit_code == 0
    kinds = RunFolder(tmp_path / "run").kinds()
    assert [kinds[name].kind for name in ("ring", "width", "height", "colour", "species")] == [
        "many levels",
        "number",
        "dropped",
        "identifier",
        "target",
    ]


# How it ends.


def test_a_run_writes_its_files_and_says_so(run):
    assert {path.name for path in run.iterdir()} == {"labels.csv", "history.json", "model.skops", "run.json"}
    record = json.loads((run / "run.json").read_text())
    assert record["status"] == "complete"
    assert record["settings"]["seed"] == 0
    assert record["labelled"] > 10
    history = json.loads((run / "history.json").read_text())
    assert history["classes"] == ["cat", "dog", "owl"]
    assert [line["number"] for line in history["rounds"]] == list(range(1, len(history["rounds"]) + 1))


def test_nothing_that_could_be_labelled_is_exit_code_1(data, tmp_path):
    out = tmp_path / "run"
    args = ("label", data, "--target", "species", "--no-report", "--right", 0.999, "--out", out)
    result = surelabel(*args)
    assert result.exit_code == 1
    assert "42 labelled rows are too few for a promise of 99.9%" in " ".join(result.output.split())
    assert surelabel(*args, "--resume").exit_code == 1


def test_supervised_and_fully_labelled_runs_are_exit_code_0(data, tmp_path):
    args = ("--target", "species", "--method", "supervised")
    assert surelabel("label", data, *args, "--out", tmp_path / "a").exit_code == 0
    all_known = written(birds(60, 60)[0], tmp_path / "all.csv")
    assert surelabel("label", all_known, *QUICK, "--out", tmp_path / "b").exit_code == 0


def test_quiet_says_nothing(data, tmp_path):
    result = surelabel("label", data, *QUICK, "--out", tmp_path / "run", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


BAD = {
    "misspelt target": (("{data}", "--target", "speceis"), "did you mean 'species'?"),
    "no target": (("{data}",), "has the columns ring, width, height, colour, species"),
    "no file named": ((), "Name the file to read"),
    "no such file": (("{folder}/brids.csv", "--target", "species"), "did you mean"),
    "a folder": (("{folder}", "--target", "species"), "is a folder"),
    "no format": (("{folder}/a.doc", "--target", "species"), "a.doc"),
    "method": (("{data}", "--target", "species", "--method", "magic"), "--method must be one of csa, sla"),
    "members": (("{data}", *QUICK, "--members", "5"), "--members is for committees"),
    "few members": (("{data}", "--target", "species", "--members", "1"), "--members must be from 2"),
    "rounds": (("{data}", *QUICK, "--rounds", "-1"), "--rounds must be from 0"),
    "many rounds": (("{data}", *QUICK, "--rounds", "99999999"), "to 10,000"),
    "seed": (("{data}", *QUICK, "--seed", str(2**32)), "--seed must be"),
    "jobs": (("{data}", *QUICK, "--jobs", "0"), "--jobs must be"),
    "drop": (("{data}", *QUICK, "--drop", "heigth"), "did you mean 'height'?"),
    "drop target": (("{data}", *QUICK, "--drop", "species"), "holds the labels"),
    "sheet": (("{data}", *QUICK, "--sheet", "a"), "for Excel files only"),
    "encoding": (("{data}", *QUICK, "--encoding", "utf-99"), "unknown encoding"),
    "both": (("{data}", *QUICK, "--resume", "--overwrite"), "Give one of them"),
    "config": (("{data}", *QUICK, "--config", "{folder}/no.toml"), "no.toml"),
    "unlabeled": (("{data}", *QUICK, "--unlabeled", "{folder}/no.csv"), "no.csv"),
    "out": (("{data}", *QUICK, "--out", "{data}"), "Cannot make the folder"),
    "nul": (("{folder}/\0.csv", *QUICK), "Cannot read"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_sentence_and_exit_code_2(name, data, tmp_path):
    args, words = BAD[name]
    args = [arg.format(data=data, folder=tmp_path) for arg in args]
    out = () if "--out" in args else ("--out", tmp_path / "run")
    assert refused(surelabel("label", *args, *out), words)
    assert not (tmp_path / "run").exists()


BAD_TABLES = {
    "one class": ("x,species\n1,cat\n2,cat\n3,\n4,\n", "one class only"),
    "no label": ("x,species\n1,\n2,\n", "none of the 2 rows has a label in column 'species'"),
    "no feature": ("x,species\n1,cat\n1,dog\n1,\n", "no column can be learnt from (x: constant)"),
    "ragged": ("x,species\n1,cat\n2\n", "line 3: 1 field where the header has 2"),
    "twice": ("x,x,species\n1,2,cat\n", "are both named 'x'"),
    "earlier": ("x,species,surelabel_guess\n1,cat,a\n", "has the column 'surelabel_guess' of an earlier run"),
    "header": ("x,species\n", "has a header and no rows"),
    "empty": ("", "is empty"),
    "binary": ("\x1f\x8b\0\0,species\n", "line 1"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_are_sentences_and_do_not_claim_the_folder(name, data, tmp_path):
    text, words = BAD_TABLES[name]
    bad = tmp_path / "bad.csv"
    bad.write_text(text)
    args = ("--target", "species", "--method", "pl", "--no-guard", "--no-report", "--out", tmp_path / "run")
    assert refused(surelabel("label", bad, *args), words)
    # And once the file is mended, the same command does it.
    bad.write_bytes(data.read_bytes())
    assert surelabel("label", bad, *args).exit_code == 0


def test_an_identifier_is_no_label(tmp_path):
    lines = "\n".join(f"{row},{row}" for row in range(10_001))
    (tmp_path / "a.csv").write_text(f"x,species\n{lines}\n")
    result = surelabel("label", tmp_path / "a.csv", *QUICK, "--out", tmp_path / "run")
    assert refused(result, "10,001 different labels; at most 10,000 classes")


def test_a_fault_of_the_tool_itself_is_no_traceback(data, tmp_path, monkeypatch):
    monkeypatch.setattr("surelabel.tool.run.read_tables", lambda settings: {}["fault"])
    result = surelabel("label", data, *QUICK, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "This should not happen" in said(result)
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", ["[bold]owl[/bold]", "\\[red]", ":smile:", "a\x1b[2Jb", "{x}", "[/]"])
def test_names_of_markup_are_shown_as_they_are(name, small, tmp_path):
    frame, _ = birds()
    frame = frame.replace({"species": {"owl": name}}).rename(
        columns={"species": f"{name}t", "width": f"{name}w"}
    )
    path = written(frame, tmp_path / "birds.csv")
    out = tmp_path / name.replace("/", "")
    result = surelabel("label", path, "--target", f"{name}t", *QUICK[2:], "--out", out)
    assert result.exit_code == 0, result.output
    shown = name.replace("\x1b", "\\x1b")
    assert result.output.count(shown) >= 2
    assert "\x1b" not in result.output
    assert shown in said(surelabel("label", path, "--target", f"{name}q", "--out", tmp_path / "x")).replace(
        "\\\\", "\\"
    )


def test_output_that_is_no_utf8_terminal(data):
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "surelabel.tool", "inspect", str(data), "--target", "species"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no label" in done.stdout


# Nothing is lost.


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not claimed there")
def test_two_runs_do_not_write_into_one_folder(data, tmp_path):
    with alone_in(tmp_path / "run"):
        done = surelabel("label", data, *QUICK, "--out", tmp_path / "run", "--overwrite")
    assert refused(done, "Another run is writing into")
    assert not list((tmp_path / "run").iterdir())
    assert surelabel("label", data, *QUICK, "--out", tmp_path / "run").exit_code == 0
    suite = ["bench", "run", "time", "--quick", "--out"]
    with alone_in(tmp_path / "bench"):
        assert refused(surelabel(*suite, tmp_path / "bench"), "Another run is writing into")


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not claimed there")
def test_a_drive_without_claims_is_written_to(monkeypatch, tmp_path):
    claiming = sys.modules[alone_in.__module__]

    def refuse(number):
        def flock(file, how):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(claiming.fcntl, "flock", flock)

    refuse(errno.ENOLCK)
    with alone_in(tmp_path / "run"):
        assert (tmp_path / "run").is_dir()
    refuse(errno.EIO)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)), alone_in(tmp_path / "run"):
        pass


def test_a_folder_that_holds_a_run_is_not_written_over(run, data):
    before = (run / "labels.csv").read_bytes()
    assert refused(surelabel("label", data, *QUICK, "--out", run), "already holds a run")
    assert (run / "labels.csv").read_bytes() == before
    assert surelabel("label", data, *QUICK, "--out", run, "--overwrite", "--seed", 9).exit_code == 0
    assert json.loads((run / "run.json").read_text())["settings"]["seed"] == 9


def test_overwriting_leaves_no_table_of_the_run_before(run, data, tmp_path):
    (run / "labels.txt").write_text("not of the run")
    other = written(birds()[0], tmp_path / "birds.parquet")
    assert surelabel("label", other, *QUICK, "--out", run, "--overwrite").exit_code == 0
    assert {path.name for path in run.glob("labels.*")} == {"labels.parquet", "labels.txt"}


def test_what_is_read_is_never_written(data, tmp_path):
    content = data.read_bytes()
    out = tmp_path / "run"
    out.mkdir()
    for name in ("labels.csv", "unlabeled.csv"):
        (out / name).write_bytes(content)
    more = written(birds(20, 0, seed=1)[0], tmp_path / "more.csv")
    assert refused(surelabel("label", out / "labels.csv", *QUICK, "--out", out), "which is read")
    args = (*QUICK, "--unlabeled", more, "--out", out)
    assert refused(surelabel("label", out / "unlabeled.csv", *args), "which is read")
    (out / "labels.csv").unlink()
    os.link(data, out / "labels.csv")
    assert refused(surelabel("label", data, *QUICK, "--out", out), "which is read")
    assert data.read_bytes() == (out / "unlabeled.csv").read_bytes() == content


def test_a_full_disk_leaves_what_was_there(run, data, monkeypatch):
    before = {path.name: path.read_bytes() for path in run.iterdir()}

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        result = surelabel("label", data, *QUICK, "--out", run, "--overwrite", "--seed", 1)
        assert refused(result, "No space left on device")
        result = surelabel("predict", run, data, "-o", run / "labels2.csv")
        assert refused(result, "No space left on device")
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_disk_that_fills_in_the_middle_of_a_run(run, data, monkeypatch):
    before = {name: (run / name).read_bytes() for name in ("labels.csv", "model.skops", "history.json")}
    keep = RunFolder.keep

    def full(folder, checkpoint):
        keep(folder, checkpoint)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "keep", full)
        result = surelabel("label", data, *QUICK, "--out", run, "--overwrite", "--seed", 1)
        assert refused(result, "No space left on device")
    assert {name: (run / name).read_bytes() for name in before} == before
    assert surelabel("label", data, *QUICK, "--out", run, "--resume", "--seed", 1).exit_code == 0


# Going on.


class CutOff(BaseException):
    """As sudden as a kill."""


def cut_off(monkeypatch, args, after):
    """Run a command that dies right after some rounds are on disk."""
    keep = RunFolder.keep

    def dying(folder, checkpoint):
        keep(folder, checkpoint)
        if len(checkpoint.history) == after:
            raise CutOff

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "keep", dying)
        with pytest.raises(CutOff):
            surelabel(*args)


@pytest.mark.parametrize(
    "method", ["pl", *(pytest.param(m, marks=pytest.mark.slow) for m in ("csa", "sla", "ups", "flexmatch"))]
)
@pytest.mark.parametrize("after", [2])
def test_a_run_that_was_cut_off_goes_on_to_the_same_bytes(method, after, data, tmp_path, monkeypatch):
    args = ("label", data, "--target", "species", "--method", method, "--right", 0.7, "--out")
    assert surelabel(*args, tmp_path / "whole").exit_code == 0
    cut_off(monkeypatch, [*args, tmp_path / "cut"], after)
    assert not (tmp_path / "cut" / "labels.csv").exists()
    assert refused(surelabel(*args, tmp_path / "cut"), "already holds a run")
    result = surelabel(*args, tmp_path / "cut", "--resume", "--jobs", 2)
    assert f"going on after round {after}" in result.output
    whole, cut = (RunFolder(tmp_path / name) for name in ("whole", "cut"))
    assert (cut.path / "labels.csv").read_bytes() == (whole.path / "labels.csv").read_bytes()
    assert not cut.state.exists()
    histories = [json.loads(folder.history.read_text()) for folder in (whole, cut)]
    for history in histories:
        for record in [*history["rounds"], history["verdict"] or {}]:
            record.pop("seconds", None)
    assert histories[0] == histories[1]
    P = [predictions(folder.path, data, tmp_path) for folder in (whole, cut)]
    assert P[0] == P[1]


def predictions(run, data, tmp_path):
    assert surelabel("predict", run, data, "-o", tmp_path / "p.csv").exit_code == 0
    return (tmp_path / "p.csv").read_bytes()


def test_resume_is_refused_by_name_of_what_differs(data, tmp_path, monkeypatch):
    out = tmp_path / "run"
    args = ("label", data, *QUICK, "--out", out)
    cut_off(monkeypatch, args, 2)
    assert refused(surelabel(*args, "--resume", "--rounds", 7), "rounds was 5 and is 7")
    assert refused(surelabel(*args, "--resume", "--seed", 7), "seed was 0 and is 7")
    assert refused(surelabel(*args, "--resume", "--drop", "ring"), "drop was [] and is ['ring']")
    other = written(birds(20, 0, seed=1)[0], tmp_path / "more.csv")
    assert refused(surelabel(*args, "--resume", "--unlabeled", other), "unlabeled was None and is 'more.csv'")
    content = data.read_bytes()
    data.write_bytes(content.replace(b"green", b"blue"))
    assert refused(surelabel(*args, "--resume"), "birds.csv has changed")
    data.write_bytes(content)
    monkeypatch.chdir(data.parent)
    assert surelabel("label", data.name, *QUICK, "--out", "run", "--resume").exit_code == 0


def test_resuming_a_complete_run_changes_nothing(run, data):
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    (run / ".surelabel-0.tmp").write_bytes(b"half")
    result = surelabel("label", data, *QUICK, "--out", run, "--resume")
    assert result.exit_code == 0
    assert "This run is complete" in result.output
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_resuming_what_never_began_is_a_start(data, tmp_path):
    assert surelabel("label", data, *QUICK, "--out", tmp_path / "run", "--resume").exit_code == 0


def test_resuming_with_other_releases_is_noted(data, tmp_path, monkeypatch):
    args = ("label", data, *QUICK, "--out", tmp_path / "run")
    cut_off(monkeypatch, args, 1)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    record["versions"]["scikit-learn"] = "0.1"
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    result = surelabel(*args, "--resume")
    assert result.exit_code == 0
    assert "the run began with scikit-learn 0.1" in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["state.npz", "run.json"])
def test_damaged_files_of_a_run_are_refused(name, data, tmp_path, monkeypatch):
    args = ("label", data, *QUICK, "--out", tmp_path / "run")
    cut_off(monkeypatch, args, 1)
    path = tmp_path / "run" / name
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"{}", b"[" * 100_000, bytes(100)):
        path.write_bytes(damaged)
        for option in ("--resume", "--overwrite"):
            assert refused(surelabel(*args, option), "name another --out")
    path.write_bytes(whole)
    (tmp_path / "run" / "state.npz").unlink()
    result = surelabel(*args, "--resume")
    assert result.exit_code == 0
    assert "starting at round 1" in result.output


@pytest.mark.parametrize("after", [1, "last"])
def test_ctrl_c_stops_after_the_round_with_all_written(after, data, tmp_path, monkeypatch):
    args = ("label", data, "--target", "species", "--out")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert surelabel(*args, whole).exit_code == 0
    rounds = json.loads((whole / "history.json").read_text())["rounds"]
    after = len(rounds) if after == "last" else after
    before = signal.getsignal(signal.SIGINT)
    keep = RunFolder.keep

    def interrupted(folder, checkpoint):
        if len(checkpoint.history) == after:
            os.kill(os.getpid(), signal.SIGINT)
        keep(folder, checkpoint)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "keep", interrupted)
        result = surelabel(*args, cut)
    assert signal.getsignal(signal.SIGINT) is before
    assert result.exit_code == 130
    names = {"labels.csv", "history.json", "model.skops", "report.html", "run.json", "state.npz"}
    assert {path.name for path in cut.iterdir()} == names
    assert json.loads((cut / "run.json").read_text())["status"] == "interrupted"
    assert len(json.loads((cut / "history.json").read_text())["rounds"]) == after
    assert predictions(cut, data, tmp_path)
    assert surelabel(*args, cut, "--resume").exit_code == 0
    assert (cut / "labels.csv").read_bytes() == (whole / "labels.csv").read_bytes()
    assert not (cut / "state.npz").exists()


def test_ctrl_c_after_the_rounds_lets_the_run_finish(data, tmp_path, monkeypatch):
    write = TableLabelling.write_labels

    def interrupted(labelling):
        os.kill(os.getpid(), signal.SIGINT)
        return write(labelling)

    monkeypatch.setattr(TableLabelling, "write_labels", interrupted)
    assert surelabel("label", data, *QUICK, "--out", tmp_path / "run").exit_code == 0
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "complete"


def test_ctrl_c_twice_stops_at_once_and_resume_goes_on(data, tmp_path, monkeypatch):
    args = ("label", data, *QUICK, "--out", tmp_path / "run")
    keep = RunFolder.keep

    def interrupted(folder, checkpoint):
        keep(folder, checkpoint)
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "keep", interrupted)
        result = surelabel(*args)
    assert result.exit_code == 130
    assert "--resume goes on" in said(result)
    assert not (tmp_path / "run" / "labels.csv").exists()
    assert surelabel(*args, "--resume").exit_code == 0


@pytest.mark.slow
def test_ctrl_c_in_a_process_of_its_own(tmp_path):
    data = written(birds(200)[0], tmp_path / "birds.csv")
    command = [
        sys.executable,
        "-u",
        "-m",
        "surelabel.tool",
        "label",
        str(data),
        *QUICK,
        "--out",
        str(tmp_path / "run"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("round 1"):
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert err == "Stopping after this round. Ctrl-C again to stop now.\n"
    assert "Stopped. To go on" in out
    assert (tmp_path / "run" / "labels.csv").exists()


# Predicting.


def test_predict_by_name_of_columns_in_any_order(run, data, tmp_path):
    new, truth = birds(30, 0, seed=5)
    first = written(new, tmp_path / "new.csv")
    mixed = written(new[["colour", "height", "ring", "width"]], tmp_path / "mixed.tsv")
    result = surelabel("predict", run, first, "-o", tmp_path / "a.csv")
    assert result.exit_code == 0
    assert "30 rows predicted" in result.output
    assert surelabel("predict", run, mixed, "-o", tmp_path / "b.jsonl").exit_code == 0
    a, b = (read_table(tmp_path / name).frame for name in ("a.csv", "b.jsonl"))
    assert list(a.columns) == [*new.columns, "species_predicted", "species_probability", "species_sure"]
    assert a["species_predicted"].tolist() == b["species_predicted"].tolist()
    assert a["species_probability"].astype(float).tolist() == b["species_probability"].tolist()
    assert (a["species_predicted"] == truth).mean() > 0.7


@pytest.mark.parametrize("ending", FORMATS)
def test_predictions_are_in_the_format_their_name_tells(ending, run, data, tmp_path):
    assert surelabel("predict", run, data, "-o", tmp_path / f"p.{ending}").exit_code == 0
    frame = read_table(tmp_path / f"p.{ending}").frame
    assert len(frame) == 84
    assert set(frame["species_predicted"]) <= {"cat", "dog", "owl"}


def test_predict_with_what_was_never_seen(run, tmp_path):
    new = birds(5, 0, seed=5)[0].assign(colour="violet", width="NA", height="")
    result = surelabel("predict", run, written(new, tmp_path / "new.csv"), "-o", tmp_path / "p.csv")
    assert result.exit_code == 0, result.output
    assert "violet" in result.output


def test_predict_refuses_by_name(run, data, tmp_path):
    new, _ = birds(5, 0)
    args = ("-o", tmp_path / "p.csv")
    lacking = written(new.drop(columns="width"), tmp_path / "lacking.csv")
    assert refused(surelabel("predict", run, lacking, *args), "lacks the column 'width'")
    words = written(new.assign(width=["1", "2", "wide", "wide", "tall"]), tmp_path / "words.csv")
    assert refused(
        surelabel("predict", run, words, *args),
        "words.csv: Column 'width' was a number and now holds 'wide', in row 3",
    )
    taken = written(new.assign(species_predicted="x"), tmp_path / "taken.csv")
    assert refused(surelabel("predict", run, taken, *args), "already has the column 'species_predicted'")
    assert refused(surelabel("predict", run, data, "-o", data), "is the file that is read")
    assert refused(surelabel("predict", run, data, "-o", run / "labels.csv"), "is a file of the run")
    assert refused(surelabel("predict", run, data, "-o", tmp_path / "p.doc"), "tells no known format")
    assert refused(surelabel("predict", run, data, "-o", tmp_path / "no" / "p.csv"), "there is no folder")
    assert refused(surelabel("predict", tmp_path / "none", data, *args), "holds no run")
    (run / "model.skops").write_bytes(b"PK")
    assert refused(surelabel("predict", run, data, *args), "model.skops")
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(record | {"kinds": [1]}))
    assert refused(surelabel("predict", run, data, *args), "run.json is damaged")


def test_predict_before_the_run_has_ended(data, tmp_path, monkeypatch):
    args = ("label", data, *QUICK, "--out", tmp_path / "run")
    cut_off(monkeypatch, args, 1)
    assert refused(
        surelabel("predict", tmp_path / "run", data, "-o", tmp_path / "p.csv"), "holds no model yet"
    )


# The rest.


def test_inspect_shows_columns_classes_and_problems(small, tmp_path):
    frame, _ = birds()
    frame.loc[59, "species"] = "wren"
    result = surelabel("inspect", written(frame, tmp_path / "b.csv"), "--target", "species")
    assert result.exit_code == 0
    for words in ("colour", "category", "no label", "41", "Class 'wren' has only 1 labelled row."):
        assert words in result.output
    assert refused(surelabel("inspect", tmp_path / "b.csv", "--target", "y"), "No column 'y'")
    assert refused(surelabel("inspect", tmp_path / "b.csv"), "Name the label column")
    more = written(frame.assign(width="wide", species=""), tmp_path / "more.csv")
    args = ("--target", "species", "--unlabeled", more)
    assert refused(surelabel("inspect", tmp_path / "b.csv", *args), "was a number and now holds 'wide'")


@pytest.mark.slow
def test_demo(small, tmp_path):
    result = surelabel("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    found = re.search(r"([\d,]+) of ([\d,]+) labels are right", " ".join(result.output.split()))
    right, labelled = (int(number.replace(",", "")) for number in found.groups())
    assert right / labelled > 0.9
    assert len(read_table(tmp_path / "demo" / "run" / "labels.csv").frame) == 1437


@pytest.mark.slow
def test_the_demo_replaces_nothing_but_a_demo(data, run, tmp_path, monkeypatch):
    monkeypatch.setattr("surelabel.tool.demo.digits", few_digits)
    assert refused(surelabel("demo", "--out", tmp_path), "holds a run of your own")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "digits.csv").write_text("a,b\n1,2\n")
    assert refused(surelabel("demo", "--out", tmp_path / "other"), "is not of the demo")
    for _ in range(2):
        assert surelabel("demo", "--out", tmp_path / "demo").exit_code == 0


def test_version():
    assert surelabel("--version").output.startswith("surelabel ")


def commands(group=app, above=""):
    """Names of all commands, with those of groups, such as "bench run"."""
    names = [command.name or command.callback.__name__ for command in group.registered_commands]
    below = [commands(part.typer_instance, f"{above}{part.name} ") for part in group.registered_groups]
    return [above + name for name in names] + [name for names in below for name in names]


def options_of(name):
    return set(re.findall(r"--[a-z-]+", surelabel(*name.split(), "--help").output)) - {"--help"}


@pytest.mark.parametrize("name", [name for name in commands() if " " not in name] + ["bench run"])
def test_every_command_has_help_with_an_example(name):
    result = surelabel(*name.split(), "--help")
    assert result.exit_code == 0
    assert f"surelabel {name} " in result.output


def test_help_lists_commands_by_the_way_of_the_work_and_options_by_what_they_are_about():
    wanted = ["inspect", "label", "fill", "review", "next", "doubts", "answers", "report", "predict", "demo"]
    shown = re.findall(r"^\W ([a-z]+)  ", surelabel("--help").output, flags=re.M)
    assert shown == [*wanted, "bench"]
    panels = re.findall(r"\u256d\u2500 ([A-Z][A-Za-z ]+) \u2500", surelabel("label", "--help").output)
    assert panels[2:] == [
        *("What goes in", "How columns are read", "The promise", "The method", "The run", "The machine"),
    ]


@pytest.mark.parametrize("name", commands())
def test_every_command_and_option_is_documented(name):
    text = (ROOT / "docs" / "tool.md").read_text()
    assert f"surelabel {name} " in text
    assert not [option for option in options_of(name) if f"`{option}" not in text]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/start.md", "docs/tool.md"])
def test_the_commands_of_the_documentation_run(page, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(birds(10, 0, seed=5)[0], tmp_path / "new.csv")
    shown = re.findall(r"^\$ surelabel (.*)$", (ROOT / page).read_text(), flags=re.M)
    assert len(shown) > 2
    for command in shown:
        result = surelabel(*command.split())
        assert result.exit_code == 0, result.output


def few_digits():
    X, y, hidden = digits()
    easy = y < 2
    return X[easy], y[easy], hidden[easy.to_numpy()]


def test_a_run_is_shown_on_a_page_that_can_be_written_again(data, small, tmp_path):
    quick = [arg for arg in QUICK if arg != "--no-report"]
    result = surelabel("label", data, *quick, "--out", tmp_path / "run")
    page = tmp_path / "run" / "report.html"
    assert str(page) in result.output.replace("\n", "")
    assert "--method pl --no-guard --out" in page.read_text()
    assert surelabel("report", tmp_path / "run", "-o", tmp_path / "again.html").exit_code == 0
    assert (tmp_path / "again.html").stat().st_size > 500_000
    refused(surelabel("report", tmp_path / "nothing"), "holds no run")

"""The folder of a run: what a run did not write is never deleted, replaced or followed."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from birds import birds, refused, said, surelabel, with_small_models, written

from surelabel.tool.progress import Progress
from surelabel.tool.run_folder import RunFolder
from surelabel.tool.table_source import TableLabelling

QUICK = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")
OPTIONS = ([], ["--overwrite"], ["--resume"])
FILES = [
    "labels.csv",
    "labels.parquet",
    "unlabeled.csv.gz",
    "report.html",
    "report-1.html",
    "model.skops",
    "state.npz",
    "history.json",
    "run.json",
]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run"


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A run on the same data, made once."""
    folder = tmp_path_factory.mktemp("complete")
    data = written(birds()[0], folder / "birds.csv")
    with pytest.MonkeyPatch.context() as patch:
        with_small_models(patch)
        assert surelabel("label", data, *QUICK, "--out", folder / "run").exit_code == 0
    return folder / "run"


@pytest.fixture
def run(complete, data, out):
    """The folder of a run that came to its end."""
    return shutil.copytree(complete, out)


def contents(folder):
    """Each file below a folder and what is in it; links are not followed."""
    paths = [Path(top, name) for top, _, names in os.walk(folder) for name in names]
    return {path: os.readlink(path) if path.is_symlink() else path.read_bytes() for path in paths}


def digests(folder):
    """What is in a folder, by name and digest, but for the record."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "run.json"]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def listed(folder):
    return json.loads((folder / "run.json").read_text())["files"]


# A folder that holds no run.


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_users_is_not_replaced(name, options, data, out):
    out.mkdir()
    (out / name).write_text("mine")
    assert refused(surelabel("label", data, *QUICK, "--out", out, *options), name)
    assert contents(out) == {out / name: b"mine"}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("name", ["parts", "labels"])
def test_a_folder_of_the_users_is_not_emptied(name, options, data, out):
    (out / name / "round-001").mkdir(parents=True)
    for inner in ("part-00000.parquet", "rounds.npz", "parts.json", "round-001/part-000000.npz"):
        (out / name / inner).write_text("mine")
    before = contents(out)
    assert refused(surelabel("label", data, *QUICK, "--out", out, *options), f"holds {name}, and no run")
    assert contents(out) == before


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("name", [*FILES, "parts", "labels"])
def test_links_are_not_followed(name, options, data, out, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "part-00000.parquet").write_text("mine")
    (precious / "file").write_text("mine")
    before = contents(precious)
    out.mkdir()
    (out / name).symlink_to(precious if name in ("parts", "labels") else precious / "file")
    assert refused(surelabel("label", data, *QUICK, "--out", out, *options), name)
    assert contents(precious) == before
    assert [path.name for path in out.iterdir()] == [name]


def test_what_is_in_the_way_is_named(data, out):
    out.mkdir()
    for name in ("labels.csv", "report.html"):
        (out / name).write_text("mine")
    result = surelabel("label", data, *QUICK, "--out", out)
    assert refused(result, "holds labels.csv, report.html, and no run that wrote them")
    assert refused(result, "move them, or name another --out")


def test_other_files_are_nobodys_business(data, out):
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    (out / "labels.txt").write_text("mine")
    (out / "my parts").mkdir()
    for options in ([], ["--overwrite"]):
        assert surelabel("label", data, *QUICK, "--out", out, *options).exit_code == 0
    assert (out / "notes.txt").read_text() == (out / "labels.txt").read_text() == "mine"


def test_the_folder_itself_may_be_a_link(data, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for options in ([], ["--overwrite"]):
        assert surelabel("label", data, *QUICK, "--out", tmp_path / "link", *options).exit_code == 0
    assert (tmp_path / "real" / "labels.csv").exists()


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_out_is_refused(empty, data, run, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    config = tmp_path / "run.toml"
    config.write_text(f'out = "{empty}"\n')
    for command in (
        ["label", data, *QUICK, "--out", empty],
        ["label", data, *QUICK, "--config", config],
        ["predict", run, data, "-o", empty],
        ["report", run, "-o", empty],
        ["demo", "-o", empty],
    ):
        assert refused(surelabel(*command), "--out is empty. Name a f")
    assert not list((tmp_path / "here").iterdir())


# The record of a run.


def test_the_record_lists_every_file_with_its_digest(data, out):
    paged = [word for word in QUICK if word != "--no-report"]
    assert surelabel("label", data, *paged, "--out", out).exit_code == 0
    assert set(listed(out)) == {"labels.csv", "model.skops", "history.json", "report.html"}
    assert listed(out) == digests(out)
    assert surelabel("report", out).exit_code == 0
    assert listed(out) == digests(out)


def test_files_are_listed_before_they_are_there(data, out, monkeypatch):
    replace, renamed = os.replace, []

    def watched(source, target):
        name = Path(target).name
        if Path(target).parent == out and not name.startswith(".") and name != "run.json":
            record = json.loads((out / "run.json").read_text())
            assert record["writing"][name] == hashlib.sha256(Path(source).read_bytes()).hexdigest()
            renamed.append(name)
            now = digests(out)
            known = {name: {record[key].get(name) for key in ("files", "writing")} for name in now}
            assert all(digest in known[name] for name, digest in now.items() if not name.startswith("."))
        replace(source, target)

    monkeypatch.setattr("os.replace", watched)
    assert surelabel("label", data, *QUICK, "--out", out).exit_code == 0
    assert renamed[-3:] == ["labels.csv", "model.skops", "history.json"]
    assert set(renamed[:-3]) == {"state.npz"}


def test_a_run_that_was_killed_is_replaced_and_nothing_else(data, out, monkeypatch):
    kill(monkeypatch, "round_done", data, out)
    assert listed(out) == {} or set(listed(out)) == {"state.npz"}
    (out / "notes.txt").write_text("mine")
    result = surelabel("label", data, *QUICK, "--out", out, "--overwrite", "--seed", 1)
    assert result.exit_code == 0, result.output
    names = {"labels.csv", "model.skops", "history.json", "run.json", "notes.txt"}
    assert {path.name for path in out.iterdir()} == names


def kill(monkeypatch, step, data, out):
    """A run that dies at a step: when a round is done, or right before the tables are written."""

    class CutOff(BaseException):
        """As sudden as a kill."""

    def die(*args):
        raise CutOff

    where = {"round_done": Progress, "write_labels": TableLabelling}[step]
    with monkeypatch.context() as patch:
        patch.setattr(where, step, die)
        with pytest.raises(CutOff):
            surelabel("label", data, *QUICK, "--out", out)


@pytest.mark.parametrize(
    "name", ["../precious", "/etc/passwd", "notes.txt", "labels/../../precious", "run.json"]
)
@pytest.mark.parametrize("key", ["files", "writing"])
def test_a_record_that_lists_what_no_run_writes_is_refused(key, name, data, run, tmp_path):
    (tmp_path / "precious").write_text("mine")
    (run / "notes.txt").write_text("mine")
    record = json.loads((run / "run.json").read_text())
    record.setdefault(key, {})[name] = hashlib.sha256(b"mine").hexdigest()
    (run / "run.json").write_text(json.dumps(record))
    before = contents(tmp_path)
    for options in OPTIONS:
        assert refused(surelabel("label", data, *QUICK, "--out", run, *options), "which no run writes")
    assert contents(tmp_path) == before


# A folder that holds a run.


@pytest.mark.parametrize("name", ["labels.csv", "model.skops", "history.json"])
def test_a_file_that_was_changed_is_not_replaced(name, data, run):
    (run / name).write_text("changed by hand")
    before = contents(run)
    result = surelabel("label", data, *QUICK, "--out", run, "--overwrite")
    assert refused(result, f"{name} has changed since the run wrote it, and is not replaced. Move it")
    assert contents(run) == before
    (run / name).unlink()
    assert surelabel("label", data, *QUICK, "--out", run, "--overwrite").exit_code == 0


@pytest.mark.parametrize("name", ["labels.csv", "model.skops", "history.json", "run.json"])
@pytest.mark.parametrize("options", OPTIONS[1:], ids=" ".join)
def test_a_file_that_became_a_link_is_not_followed(name, options, data, run, tmp_path):
    (run / name).rename(tmp_path / "precious")
    (run / name).symlink_to(tmp_path / "precious")
    record = run / "run.json"
    if "--resume" in options:
        record.write_text(record.read_text().replace('"complete"', '"interrupted"'))
    before = contents(tmp_path)
    assert refused(surelabel("label", data, *QUICK, "--out", run, *options), f"{name} is a link")
    assert contents(tmp_path) == before


def test_labels_written_into_the_table_of_a_complete_run_are_not_passed_over(data, run, tmp_path):
    args = ("label", data, *QUICK, "--out", run)
    assert "This run is complete" in surelabel(*args, "--resume").output
    frame = pd.read_csv(run / "labels.csv", dtype=str, keep_default_na=False)
    frame.loc[frame["surelabel_status"] != "given", "species"] = "cat"
    frame.to_csv(run / "labels.csv", index=False)
    before = contents(run)
    result = surelabel(*args, "--resume")
    assert refused(result, "labels.csv has changed since the run wrote it, and --resume does not read it")
    assert refused(result, f"surelabel label {run / 'labels.csv'}, with the --target of this run")
    # `fill` has no --out.
    result = surelabel("fill", run, "--no-promise")
    assert refused(result, "labels.csv has changed since the run wrote it, and is not replaced. Move it away")
    assert "name another --out" not in said(result)
    assert contents(run) == before
    assert surelabel("label", run / "labels.csv", *QUICK, "--out", tmp_path / "run2").exit_code == 0


def test_what_is_in_the_way_of_another_run_is_not_replaced(data, run, tmp_path):
    (run / "labels.parquet").write_text("mine")
    other = written(birds()[0], tmp_path / "birds.parquet")
    before = contents(run)
    assert refused(
        surelabel("label", other, *QUICK, "--out", run, "--overwrite"), "labels.parquet is in the way"
    )
    assert contents(run) == before
    assert surelabel("label", data, *QUICK, "--out", run, "--overwrite").exit_code == 0
    assert (run / "labels.parquet").read_text() == "mine"


def test_labels_edited_after_ctrl_c_are_not_replaced_by_resume(data, out, monkeypatch):
    args = ("label", data, *QUICK, "--out", out)
    done = Progress.round_done

    def stopped(progress, round):
        done(progress, round)
        progress._stop.asked = True

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", stopped)
        assert surelabel(*args).exit_code == 130
    with open(out / "labels.csv", "a") as file:
        file.write("by hand\n")
    before = contents(out)
    assert refused(surelabel(*args, "--resume"), "labels.csv has changed since the run wrote it")
    assert contents(out) == before
    (out / "labels.csv").rename(out / "mine.csv")
    assert surelabel(*args, "--resume").exit_code == 0
    assert (out / "mine.csv").read_text().endswith("by hand\n")


def test_a_file_that_appears_while_the_run_is_at_work_is_not_replaced(data, out, monkeypatch):
    write = TableLabelling.write_labels

    def meanwhile(labelling):
        (out / "labels.csv").write_text("mine")
        return write(labelling)

    args = ("label", data, *QUICK, "--out", out)
    with monkeypatch.context() as patch:
        patch.setattr(TableLabelling, "write_labels", meanwhile)
        assert refused(surelabel(*args), "labels.csv is in the way")
    assert (out / "labels.csv").read_text() == "mine"
    (out / "labels.csv").unlink()
    assert surelabel(*args, "--resume").exit_code == 0


def test_only_temporary_files_are_swept(data, run, tmp_path):
    (tmp_path / "precious").write_text("mine")
    (run / ".surelabel-0a.tmp").write_text("half")
    (run / ".surelabel-0b.tmp").symlink_to(tmp_path / "precious")
    (run / ".surelabel-0c.tmp").mkdir()
    (run / ".surelabel-notes.tmp").write_text("mine")
    assert surelabel("label", data, *QUICK, "--out", run, "--overwrite").exit_code == 0
    assert {path.name for path in run.glob(".*")} == {
        ".surelabel-0b.tmp",
        ".surelabel-0c.tmp",
        ".surelabel-notes.tmp",
    }
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("step", ["round_done", "write_labels"])
def test_a_full_disk_at_any_moment_loses_nothing_of_the_users(step, data, out, monkeypatch):
    kill(monkeypatch, step, data, out)
    (out / "notes.txt").write_text("mine")
    sync, calls = os.fsync, []

    def fills(after):
        def fsync(handle):
            calls.append(handle)
            if len(calls) > after:
                raise OSError(28, "No space left on device")
            sync(handle)

        return fsync

    for after in range(0, 40, 3):
        calls.clear()
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", fills(after))
            result = surelabel("label", data, *QUICK, "--out", out, "--resume")
        if result.exit_code == 0:
            break
        assert refused(result, "No space left on device")
        assert (out / "notes.txt").read_text() == "mine"
        RunFolder(out).record()
    assert surelabel("label", data, *QUICK, "--out", out, "--resume").exit_code == 0
    assert listed(out).items() <= digests(out).items()


# Pages and predictions.


@pytest.mark.slow
def test_a_page_replaces_the_page_of_the_run_only(data, run, tmp_path):
    (run / "report.html").write_text("mine")
    assert refused(surelabel("report", run), "report.html is in the way")
    (run / "report.html").unlink()
    (tmp_path / "precious").write_text("mine")
    (run / "report.html").symlink_to(tmp_path / "precious")
    assert refused(surelabel("report", run), "report.html is a link")
    assert refused(surelabel("report", run, "-o", data), "ends in .html")
    assert refused(surelabel("report", run, "-o", run / "labels.csv"), "is a file of the run")
    assert (tmp_path / "precious").read_text() == "mine"
    (run / "report.html").unlink()
    for _ in range(2):
        assert surelabel("report", run).exit_code == 0
    assert surelabel("report", run, "-o", run / "report.html").exit_code == 0


def test_predictions_replace_no_file_of_the_run_and_follow_no_link_in_its_folder(data, run, tmp_path):
    before = contents(run)
    for name in ("labels.csv", "labels.parquet", "unlabeled.csv"):
        assert refused(surelabel("predict", run, data, "-o", run / name), "is a file of the run")
    assert contents(run) == before
    (tmp_path / "precious").write_text("mine")
    (run / "p.csv").symlink_to(tmp_path / "precious")
    assert refused(surelabel("predict", run, data, "-o", run / "p.csv"), "is a link")
    assert (tmp_path / "precious").read_text() == "mine"

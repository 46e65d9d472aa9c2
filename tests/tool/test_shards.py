"""`surelabel label --engine dask`: many files, the labels of one."""

import hashlib
import json
import os
import signal

import numpy as np
import pandas as pd
import pytest
from birds import birds, surelabel

pytest.importorskip("distributed")

from surelabel.dask.place import OnCluster
from surelabel.files import InputError
from surelabel.tool import shard_source, shards
from surelabel.tool.progress import Progress
from surelabel.tool.settings import Settings

pytestmark = pytest.mark.slow  # a cluster of its own in most of them
CHEAP = ["--target", "species", "--rounds", "2", "--no-guard", "--no-report"]


@pytest.fixture
def files(tmp_path, small):
    """Birds in three Parquet files, and in one."""
    table = birds()[0]
    table["species"] = table["species"].replace("", None)
    (tmp_path / "many").mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
        table.iloc[rows].to_parquet(tmp_path / "many" / f"{i}.parquet", index=False)
    table.to_parquet(tmp_path / "one.parquet", index=False)
    return tmp_path


def label(*words):
    return surelabel("label", *map(str, words), *CHEAP)


def test_many_files_get_the_labels_of_one_and_a_run_goes_on(files, monkeypatch):
    assert label(files / "one.parquet", "--out", files / "one").exit_code == 0
    dask = [files / "many", "--engine", "dask", "--jobs", "2", "--out", files / "run"]

    def interrupt(self, round):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", interrupt)
        assert label(*dask).exit_code == 130
    assert "already holds a run" in label(*dask).output
    resumed = label(*dask, "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert "dashboard: http" in resumed.output
    assert "going on after round 1" in resumed.output
    assert "round 2 of 2" in resumed.output
    assert "round 1 of 2" not in resumed.output
    pd.testing.assert_frame_equal(
        pd.concat(map(pd.read_parquet, sorted((files / "run" / "labels").iterdir())), ignore_index=True),
        pd.read_parquet(files / "one" / "labels.parquet"),
    )
    record = json.loads((files / "run" / "run.json").read_text())
    assert record["status"] == "complete"
    assert not (files / "run" / "parts").exists()
    assert (
        surelabel(
            "predict", str(files / "run"), str(files / "one.parquet"), "-o", str(files / "p.csv")
        ).exit_code
        == 0
    )
    assert "there is no page of it" in surelabel("report", str(files / "run")).output


@pytest.fixture
def many(files, clusters):
    """All files, on a cluster that is there already."""
    return [files / "many", "--engine", "dask", "--scheduler", clusters().scheduler.address]


def test_ctrl_c_stops_after_the_round_without_labels_yet(files, many, monkeypatch):
    done = Progress.round_done

    def interrupted(progress, round):
        done(progress, round)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", interrupted)
        stopped = label(*many, "--out", files / "run")
    assert stopped.exit_code == 130
    assert "Stopped. To go on, give the same command with --resume." in stopped.output
    assert {path.name for path in (files / "run").iterdir()} == {"run.json", "parts"}


def test_a_run_on_a_cluster_replaces_a_run_in_one_process_and_the_other_way_round(files, many):
    out = files / "run"
    assert label(files / "one.parquet", "--out", out).exit_code == 0
    of_all = {"run.json", "history.json", "model.skops"}
    assert label(*many, "--out", out, "--overwrite").exit_code == 0
    assert {path.name for path in out.iterdir()} == of_all | {"labels"}
    assert label(files / "one.parquet", "--out", out, "--overwrite").exit_code == 0
    assert {path.name for path in out.iterdir()} == of_all | {"labels.parquet"}


def test_nothing_that_could_be_labelled_is_exit_code_1_on_a_cluster_too(files, many):
    words = ("--target", "species", "--rounds", 2, "--right", 0.999)
    result = surelabel("label", *many, *words, "--out", files / "run")
    assert result.exit_code == 1, result.output
    assert "What to do next" in result.output
    assert surelabel("label", *many, *words, "--out", files / "run", "--resume").exit_code == 1
    assert label(*many, "--method", "supervised", "--out", files / "supervised").exit_code == 0


@pytest.mark.slow
def test_only_shards_that_a_run_wrote_are_replaced(files, many):
    out = files / "run"
    assert label(*many, "--out", out).exit_code == 0
    listed = json.loads((out / "run.json").read_text())["files"]
    shards = [path for path in listed if path.startswith("labels/")]
    assert len(shards) == 3
    for name, digest in listed.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    (out / "labels" / "mine.parquet").write_text("mine")
    assert label(*many, "--out", out, "--overwrite").exit_code == 0
    assert label(files / "one.parquet", "--out", out, "--overwrite").exit_code == 0
    assert [path.name for path in (out / "labels").iterdir()] == ["mine.parquet"]
    # The folder is the user's now.
    assert "labels is in the way" in " ".join(label(*many, "--out", out, "--overwrite").output.split())
    assert (out / "labels" / "mine.parquet").read_text() == "mine"


@pytest.mark.slow
def test_the_shards_of_a_run_are_given_back(files, many):
    assert label(*many, "--out", files / "run").exit_code == 0
    again = [files / "run" / "labels", *many[1:]]
    assert label(*again, "--out", files / "run2").exit_code == 0
    shards = [path.name for path in sorted((files / "run" / "labels").iterdir())]
    for name in shards:
        first, second = (pd.read_parquet(files / run / "labels" / name) for run in ("run", "run2"))
        pd.testing.assert_frame_equal(first, second)
    path = files / "run" / "labels" / shards[1]
    changed = pd.read_parquet(path)
    row = changed.index[changed["surelabel_status"] == "filled in"][0]
    changed.loc[row, "species"] = "owl" if changed["species"][row] == "cat" else "cat"
    changed.to_parquet(path, index=False)
    result = label(*again, "--out", files / "run3")
    assert "hand since, and given now: 1." in " ".join(result.output.split())
    assert pd.read_parquet(files / "run3" / "labels" / shards[1])["surelabel_status"][row] == "given"
    changed.drop(columns="surelabel_guess").to_parquet(files / "some.parquet", index=False)
    result = label(files / "some.parquet", *many[1:], "--out", files / "run4")
    assert "lacks 'surelabel_guess'" in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["labels/part-00001.parquet", "labels", "parts/round-001", "parts"])
def test_links_in_a_run_on_a_cluster_are_not_followed(name, files, many, monkeypatch):
    out, precious = files / "run", files / "precious"

    def interrupt(self, round):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "round_done", interrupt)
    assert label(*many, "--out", out).exit_code == 130
    precious.mkdir()
    for inner in ("part-000000.npz", "part-00000.parquet", "rounds.npz"):
        (precious / inner).write_text("mine")
    if (out / name).exists():
        (out / name).rename(files / "away")
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).symlink_to(precious)
    for option in ("--resume", "--overwrite"):
        result = label(*many, "--out", out, option)
        assert result.exit_code == 2
        text = " ".join(result.output.split())
        assert "is a link" in text or "in the way" in text
    assert {path.read_text() for path in precious.iterdir()} == {"mine"}


def test_what_is_read_is_never_written_into(files, many):
    (files / "run").mkdir()
    (files / "many").rename(files / "run" / "labels")
    (files / "many").symlink_to(files / "run" / "labels")
    refused = label(*many, "--out", files / "run")
    assert refused.exit_code == 2
    assert "which is read" in " ".join(refused.output.split())
    assert len(list((files / "run" / "labels").iterdir())) == 3


def test_an_identifier_over_all_shards_is_no_label(files, many):
    for k in range(2):
        rows = np.arange(6_000) + 6_000 * k
        table = pd.DataFrame({"x": rows % 7, "species": rows.astype(str)})
        table.to_parquet(files / "many" / f"{k}.parquet", index=False)
    (files / "many" / "2.parquet").unlink()
    result = label(*many, "--out", files / "run")
    assert result.exit_code == 2
    assert "12,000 different labels" in " ".join(result.output.split())
    assert "Is it an identifier?" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["one.parquet", "many/0.parquet"], "--engine shards reads several"),
        (["one.parquet", "--scheduler", "tcp://localhost:1"], "--scheduler is for --engine dask"),
        (["one.parquet", "--engine", "spark"], "must be one of auto, local, shards, dask; it is 'spark'"),
        (["none.parquet", "--engine", "dask"], "No Parquet file"),
        (["birds.csv", "--engine", "dask"], "are read from Parquet files"),
        (["one.parquet", "--engine", "dask", "--method", "ups"], "needs all rows in one place"),
        (
            ["one.parquet", "--engine", "dask", "--unlabeled", "x.parquet"],
            "--unlabeled is not for --engine dask",
        ),
    ],
)
def test_what_cannot_be_is_said(files, monkeypatch, words, error):
    monkeypatch.chdir(files)
    (files / "birds.csv").write_text("a,species\n1,owl\n")
    found = label(*words)
    assert found.exit_code == 2
    assert error in " ".join(found.output.split())


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
def test_what_is_no_file_is_refused_before_it_is_opened(files):
    os.mkfifo(files / "many" / "3.parquet")
    (files / "zero.parquet").symlink_to("/dev/zero")
    for data, words in {"many": "is a pipe, not a file", "zero.parquet": "is a device, not a file"}.items():
        found = label(files / data, "--engine", "dask", "--out", files / "run")
        assert found.exit_code == 2
        assert words in " ".join(found.output.split())


def test_sorted_shards_fool_nobody(tmp_path, client, monkeypatch):
    monkeypatch.setattr(shards, "_LOOKED_AT", 30)
    monkeypatch.setattr(shards, "FIRST_ROWS", 12)
    monkeypatch.setattr(shard_source, "FIRST_ROWS", 12)
    rows = np.arange(90)
    table = pd.DataFrame(
        {
            "size": [str(row % 7) if row < 40 else f"about {row % 7}" for row in rows],
            "note": ["" if row < 50 else f"row {row} is said to be quite fine" for row in rows],
            "row": 100 + rows,
            "price": 100 + rows * 7919 % 90,
            "species": np.where(rows % 9 == 0, "cat", np.where(rows % 9 == 1, "dog", None)),
        }
    )
    for i, part in enumerate(np.array_split(rows, 3)):
        table.iloc[part].to_parquet(tmp_path / f"{i}.parquet", index=False)
    found, digest = shards.shards_of(shards.files_of([str(tmp_path)]))
    settings = Settings.of({"data": str(tmp_path), "target": "species", "engine": "dask"})
    kinds = shard_source._read(settings, found, digest, OnCluster(client)).facts.kinds
    assert {name: kind.kind for name, kind in kinds.items()} == {
        "size": "category",
        "note": "text",
        "row": "identifier",
        "price": "number",
        "species": "target",
    }
    table.drop(columns="note").to_parquet(tmp_path / "3.parquet", index=False)
    found, digest = shards.shards_of(shards.files_of([str(tmp_path)]))
    with pytest.raises(InputError, match=r"3\.parquet has other columns"):
        shard_source._read(settings, found, digest, OnCluster(client))

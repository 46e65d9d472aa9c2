"""`surelabel label --engine shards`: rows are read and written a shard at a time, in this process."""

import json

import pandas as pd
import pytest
from birds import birds, surelabel

from surelabel.tool import shards
from surelabel.tool.progress import Progress
from surelabel.tool.settings import Settings

CHEAP = ["--target", "species", "--rounds", "2"]


@pytest.fixture
def file(tmp_path, small):
    """Birds in a Parquet file of three row groups, each a shard."""
    table = birds()[0]
    table["species"] = table["species"].replace("", None)
    path = tmp_path / "birds.parquet"
    table.to_parquet(path, index=False, row_group_size=-(-len(table) // 3))
    return path


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(shards, "_SHARD_ROWS", 1)


def label(*words):
    return surelabel("label", *map(str, words), *CHEAP)


def written(run):
    return pd.concat(map(pd.read_parquet, sorted((run / "labels").iterdir())), ignore_index=True)


def doubts_of(run, out):
    result = surelabel("doubts", str(run), "-n", "5", "-o", str(out))
    assert result.exit_code == 0, result.output
    assert "given labels are expected to be wrong" in " ".join(result.output.split())
    return pd.read_csv(out)


def test_shards_get_the_labels_and_the_promise_of_one_table_and_a_run_goes_on(
    file, tmp_path, small_shards, monkeypatch
):
    whole = label(file, "--engine", "local", "--out", tmp_path / "one")
    assert whole.exit_code == 0, whole.output
    in_shards = [file, "--engine", "shards", "--out", tmp_path / "run"]

    def interrupt(self, round):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", interrupt)
        assert label(*in_shards).exit_code == 130
    resumed = label(*in_shards, "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert "going on after round 1" in resumed.output
    assert len(list((tmp_path / "run" / "labels").iterdir())) == 3
    pd.testing.assert_frame_equal(
        written(tmp_path / "run"), pd.read_parquet(tmp_path / "one" / "labels.parquet")
    )
    doubts = [doubts_of(tmp_path / run, tmp_path / f"{run}.csv") for run in ("one", "run")]
    pd.testing.assert_frame_equal(doubts[1], doubts[0].drop(columns="surelabel_against"))
    first = min((tmp_path / "run" / "labels").iterdir())
    kept = first.read_bytes()
    first.unlink()
    refused = surelabel("doubts", str(tmp_path / "run"))
    assert "other rows in its tables than its model knows" in " ".join(refused.output.split())
    first.write_bytes(kept)
    promises = [json.loads((tmp_path / run / "run.json").read_text())["promise"] for run in ("one", "run")]
    assert promises[0] == promises[1]
    assert "missing labels filled in" in promises[0]


def test_shards_promise_nothing_on_labels_of_rows_that_a_person_chose(file, tmp_path):
    assert label(file, "--engine", "local", "--out", tmp_path / "run").exit_code == 0
    frame = pd.read_parquet(tmp_path / "run" / "labels.parquet")
    row = frame.index[frame["surelabel_status"] == "filled in"][0]
    frame.loc[row, "species"] = "lynx"
    frame.to_parquet(tmp_path / "mine.parquet", index=False)
    result = label(tmp_path / "mine.parquet", "--engine", "shards", "--out", tmp_path / "run2")
    assert "so nothing is promised; --engine local can" in " ".join(result.output.split())
    assert "nothing is promised" in json.loads((tmp_path / "run2" / "run.json").read_text())["promise"]
    drawn = written(tmp_path / "run2")["surelabel_at_random"]
    assert drawn.index[drawn == "false"].tolist() == [row]


def test_a_large_parquet_file_is_read_in_shards_unless_memory_is_asked_for(file, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_CELLS_IN_MEMORY", 10)
    large = label(file, "--out", tmp_path / "large")
    assert large.exit_code == 0, large.output
    assert json.loads((tmp_path / "large" / "run.json").read_text())["settings"]["engine"] == "shards"
    assert "read in shards" in " ".join(large.output.split())
    assert label(file, "--out", tmp_path / "large", "--resume").exit_code == 0
    for verb in ("report", "review", "fill", "next"):
        refused = surelabel(verb, str(tmp_path / "large"))
        assert refused.exit_code == 2
        assert "is a run in shards" in " ".join(refused.output.split())
    memory = label(file, "--engine", "local", "--out", tmp_path / "memory")
    assert memory.exit_code == 0
    assert (tmp_path / "memory" / "report.html").exists()


@pytest.mark.parametrize("words", [["--method", "ups"], ["--unlabeled", "more.parquet"]])
def test_what_needs_all_rows_stays_in_memory(file, words, monkeypatch):
    monkeypatch.setattr(shards, "_CELLS_IN_MEMORY", 10)
    given = {"data": str(file), "target": "species"}
    assert shards.engine_for(Settings.of(given)) == "shards"
    assert shards.engine_for(Settings.of(given | {words[0][2:]: words[1]})) == "local"
    assert shards.engine_for(Settings.of(given | {"target": "species,site"})) == "local"

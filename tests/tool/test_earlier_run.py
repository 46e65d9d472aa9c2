"""The table of a run, given back: a person's labels count, surelabel's own do not."""

import json
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from birds import birds, refused, surelabel, written

from surelabel import load
from surelabel.files import read_table, write_table
from surelabel.tool.earlier_run import Tally, earlier_run
from surelabel.tool.filled_table import reason_columns

QUICK = ("--method", "pl", "--no-guard", "--no-report")
ADDED = reason_columns()
FORMATS = ["csv", "tsv", "csv.gz", "jsonl", "parquet", "xlsx"]


def labelled(path, out, *more, target="species"):
    """What a run writes of a file, and what it says."""
    result = surelabel("label", path, "--target", target, *QUICK, "--out", out, *more)
    assert result.exit_code in (0, 1), result.output
    name = path.name.split(".", 1)[1]
    return read_table(out / f"labels.{name}"), " ".join(result.output.split())


def saved(table, frame, path):
    """The frame as a person saves it, in the format that the table came in."""
    write_table(frame, path, table.format)
    return path


def rows_of(frame, status):
    return np.flatnonzero(frame["surelabel_status"] == status)


def by_hand(table, path):
    """A table of which a person has changed one label, filled in another, and emptied a third."""
    frame = table.frame.copy()
    labels = frame["species"].astype(object).to_numpy(copy=True)
    ours, left = rows_of(frame, "filled in"), np.flatnonzero(frame["species"].fillna("") == "")
    changed, filled, emptied = ours[0], left[0], ours[1]
    labels[changed] = "owl" if labels[changed] == "cat" else "cat"
    labels[filled] = "dog"
    labels[emptied] = "" if table.format.kind in ("csv", "tsv") else None
    frame["species"] = pd.Series(labels, index=frame.index, dtype=frame["species"].dtype)
    return saved(table, frame, path), frame, (changed, filled), emptied


@pytest.mark.parametrize("ending", FORMATS)
def test_what_a_person_did_is_given_and_what_surelabel_did_is_not(ending, small, tmp_path):
    data = written(birds()[0], tmp_path / f"birds.{ending}")
    first, _ = labelled(data, tmp_path / "run")
    path, frame, mine, emptied = by_hand(first, tmp_path / f"mine.{ending}")
    n_ours = len(rows_of(frame, "filled in")) - 2
    second, said = labelled(path, tmp_path / "run2")
    assert f"given now: 2. Filled in by surelabel, and unlabelled again: {n_ours}." in said
    assert "Labels given to that run: 42." in said
    after = second.frame
    assert list(after.columns) == list(first.frame.columns)
    assert (after.loc[list(mine), "surelabel_status"] == "given").all()
    assert (after.loc[list(mine), "species"] == frame.loc[list(mine), "species"]).all()
    assert (after["surelabel_status"] == "given").sum() == 42 + 2
    assert after["surelabel_status"][emptied] != "given"
    known = after["species"].fillna("") != ""
    assert (known == after["surelabel_status"].isin(["given", "filled in"])).all()
    others = [name for name in frame if name not in (*ADDED, "species")]
    pd.testing.assert_frame_equal(after[others], first.frame[others])
    assert json.loads((tmp_path / "run2" / "run.json").read_text())["by_hand"] == 2


@pytest.mark.parametrize("ending", FORMATS)
def test_given_back_unchanged_it_is_the_same_run(ending, small, tmp_path):
    data = written(birds()[0], tmp_path / f"birds.{ending}")
    labelled(data, tmp_path / "run")
    out = tmp_path / "run" / f"labels.{ending}"
    labelled(out, tmp_path / "run2")
    assert (tmp_path / "run2" / f"labels.{ending}").read_bytes() == out.read_bytes()


def test_a_label_is_confirmed_by_its_status(data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    frame = first.frame.copy()
    row = rows_of(frame, "filled in")[0]
    frame.loc[row, "surelabel_status"] = "given"
    path = saved(first, frame, tmp_path / "mine.csv")
    after, _ = labelled(path, tmp_path / "run2")
    assert after.frame["surelabel_status"][row] == "given"


def test_labels_of_chosen_rows_teach_and_no_promise_stands_on_them(data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    path, _, mine, _ = by_hand(first, tmp_path / "mine.csv")
    second, said = labelled(path, tmp_path / "run2")
    assert "not known to be drawn at random: 2. They teach, and no promise stands on them" in said
    sampled = load(tmp_path / "run2" / "model.skops").sampled_
    assert np.flatnonzero(~sampled).tolist() == sorted(mine)
    given = second.frame["surelabel_status"] == "given"
    drawn = second.frame["surelabel_at_random"]
    assert (drawn[given & sampled] == "true").all()
    assert drawn[list(mine)].tolist() == ["false"] * 2
    assert (drawn[~given].fillna("") == "").all()
    # A run later it is still known.
    labelled(tmp_path / "run2" / "labels.csv", tmp_path / "run3")
    assert (load(tmp_path / "run3" / "model.skops").sampled_ == sampled).all()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_that_a_person_drew_at_random_count_like_the_first_ones(ending, small, tmp_path):
    first, _ = labelled(written(birds()[0], tmp_path / f"birds.{ending}"), tmp_path / "run")
    path, frame, mine, _ = by_hand(first, tmp_path / f"mine.{ending}")
    frame.loc[list(mine), "surelabel_at_random"] = "TRUE"
    _, said = labelled(saved(first, frame, path), tmp_path / "run2")
    assert "given now: 2." in said
    assert "not known to be drawn at random" not in said
    assert load(tmp_path / "run2" / "model.skops").sampled_ is None


def test_a_table_of_a_release_that_did_not_say_so_counts_what_was_given_to_it(data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    path, frame, mine, _ = by_hand(first, tmp_path / "mine.csv")
    labelled(saved(first, frame.drop(columns="surelabel_at_random"), path), tmp_path / "run2")
    sampled = load(tmp_path / "run2" / "model.skops").sampled_
    assert np.flatnonzero(~sampled).tolist() == sorted(mine)


def test_new_rows_at_the_end_are_the_persons(data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    new = birds(6, 3, seed=8)[0].reindex(columns=first.frame.columns, fill_value="")
    frame = pd.concat([first.frame.astype(object), new], ignore_index=True)
    after, said = labelled(saved(first, frame, tmp_path / "mine.csv"), tmp_path / "run2")
    assert "given now: 3." in said
    assert after.frame["surelabel_status"].tolist()[84:87] == ["given"] * 3


@pytest.mark.parametrize("kind", ["whole", "double", "truth", "day", "codes"])
def test_typed_labels_are_told_apart_too(kind, small, tmp_path):
    frame, _ = birds()
    code = frame["species"].map({"cat": 0, "dog": 1, "owl": 2})
    labels = {
        "whole": pa.array(code.astype("Int64")),
        "double": pa.array(code.tolist(), from_pandas=True),
        "truth": pa.array([None if pd.isna(each) else each > 0 for each in code]),
        "day": pa.array([None if pd.isna(each) else date(2024, 5, 1 + int(each)) for each in code]),
        "codes": pa.array([name or None for name in frame["species"]]).dictionary_encode(),
    }[kind]
    X = frame[["width", "height"]].astype(float)
    path = tmp_path / "birds.parquet"
    pq.write_table(pa.table({"width": X["width"], "height": X["height"], "y": labels}), path)
    first, _ = labelled(path, tmp_path / "run", target="y")
    n_ours = len(rows_of(first.frame, "filled in"))
    assert n_ours > 5
    _, said = labelled(tmp_path / "run" / "labels.parquet", tmp_path / "run2", target="y")
    assert f"given now: 0. Filled in by surelabel, and unlabelled again: {n_ours}." in said
    again = pq.read_table(tmp_path / "run2" / "labels.parquet")
    assert again.equals(pq.read_table(tmp_path / "run" / "labels.parquet"))


def test_numbers_are_the_same_label_however_they_are_written():
    frame = pd.DataFrame(
        {
            "y": [1.0, 2.5, 3.0, 1.0],
            "surelabel_status": ["accepted"] * 3 + ["given"],
            "surelabel_guess": ["1", "2.5", "4", None],
            "surelabel_runner_up": ["2", "2", "2", None],
        }
    )
    frame = frame.assign(**{name: None for name in ADDED if name not in frame})
    out, tally = earlier_run(frame.columns, "t.parquet", ["y"]).read(frame)
    assert tally == Tally(given=1, by_hand=1, taken_back=2, chosen=2)
    assert out["y"].isna().tolist() == [True, True, False, False]


def test_a_class_that_the_plan_chose_in_the_first_release_is_not_a_persons():
    frame = pd.DataFrame(
        [["cat", "accepted", "", "dog", "", "dog", "1"], ["owl", "accepted", "", "dog", "", "cat", "1"]],
        columns=["y", *ADDED[:-1]],
    )
    _, tally = earlier_run(frame.columns, "t.csv", ["y"]).read(frame, as_text=True)
    assert tally == Tally(by_hand=1, taken_back=1, chosen=1)


def test_another_mark_of_unlabelled_rows_comes_back(small, tmp_path):
    frame, _ = birds()
    data = written(frame.replace({"species": {"": "?"}}), tmp_path / "birds.csv")
    labelled(data, tmp_path / "run", "--missing-label", "?")
    out = tmp_path / "run" / "labels.csv"
    labelled(out, tmp_path / "run2", "--missing-label", "?")
    assert (tmp_path / "run2" / "labels.csv").read_bytes() == out.read_bytes()


def test_guarded_labels_are_the_classes_they_were(small, tmp_path):
    frame, _ = birds()
    data = written(frame.replace({"species": {"cat": "=cat"}}), tmp_path / "birds.csv")
    first, _ = labelled(data, tmp_path / "run")
    assert "'=cat" in set(first.frame["species"])
    frame = first.frame.copy()
    left = np.flatnonzero(frame["species"] == "")
    frame.loc[left[0], "species"] = "'=cat"  # as the other cells show it
    after, _ = labelled(saved(first, frame, tmp_path / "mine.csv"), tmp_path / "run2")
    given = after.frame["surelabel_status"] == "given"
    assert set(after.frame.loc[given, "species"]) == {"=cat", "dog", "owl"}


def test_a_second_file_is_given_back_too(data, tmp_path):
    more = written(birds(30, 0, seed=1)[0].drop(columns="species"), tmp_path / "more.csv")
    labelled(data, tmp_path / "run", "--unlabeled", more)
    run = tmp_path / "run"
    labelled(run / "labels.csv", tmp_path / "run2", "--unlabeled", run / "unlabeled.csv")
    for name in ("labels.csv", "unlabeled.csv"):
        assert (tmp_path / "run2" / name).read_bytes() == (run / name).read_bytes()


def test_several_labels_are_given_back(small, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    cells = np.where(X > 0, "yes", "no").astype(object)
    cells[30:] = ""
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "m_calm": cells[:, 0], "m_sad": cells[:, 1]}).round(3)
    data = written(frame.astype(str), tmp_path / "songs.csv")
    words = ("--target-prefix", "m_", *QUICK, "--out")
    assert surelabel("label", data, *words, tmp_path / "run").exit_code == 0
    out = tmp_path / "run" / "labels.csv"
    assert surelabel("label", out, *words, tmp_path / "run2").exit_code == 0
    assert (tmp_path / "run2" / "labels.csv").read_bytes() == out.read_bytes()
    table = read_table(out)
    changed = table.frame.copy()
    row = np.flatnonzero(changed["surelabel_m_sad_status"] == "filled in")[0]
    changed.loc[row, "m_sad"] = "no" if changed["m_sad"][row] == "yes" else "yes"
    path = saved(table, changed, tmp_path / "mine.csv")
    result = surelabel("label", path, *words, tmp_path / "run3")
    assert "given now: 1." in " ".join(result.output.split())
    assert read_table(tmp_path / "run3" / "labels.csv").frame["surelabel_m_sad_status"][row] == "given"
    assert np.flatnonzero(~load(tmp_path / "run3" / "model.skops").sampled_).tolist() == [row]
    # The columns of several labels are none of one label's.
    result = surelabel("label", path, "--target", "m_sad", *QUICK, "--out", tmp_path / "run4")
    assert refused(result, "of an earlier run, and lacks 'surelabel_status'")


def test_what_the_earlier_run_added_can_be_dropped(data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    drops = [word for name in ADDED for word in ("--drop", name)]
    after, said = labelled(tmp_path / "run" / "labels.csv", tmp_path / "run2", *drops)
    assert list(after.frame.columns) == list(first.frame.columns)
    # Without the columns nobody can tell who filled a label in: all are given.
    n_known = int((first.frame["species"] != "").sum())
    assert "is dropped, so all labels count as given" in said
    assert (after.frame["surelabel_status"] == "given").sum() == n_known
    kinds = json.loads((tmp_path / "run2" / "run.json").read_text())["kinds"]
    assert not [kind for kind in kinds if kind["name"] in ADDED]


@pytest.mark.parametrize("gone", [name for name in ADDED if name != "surelabel_at_random"])
def test_a_part_of_the_columns_is_refused_with_the_way_out(gone, data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    path = saved(first, first.frame.drop(columns=gone), tmp_path / "mine.csv")
    result = surelabel("label", path, "--target", "species", *QUICK, "--out", tmp_path / "run2")
    assert refused(result, f"of an earlier run, and lacks '{gone}'")
    assert refused(result, "--drop surelabel_")
    drops = [word for name in ADDED if name != gone for word in ("--drop", name)]
    assert labelled(path, tmp_path / "run3", *drops)


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("surelabel_status", "mine", "'surelabel_status' holds 'mine' in row 1, which no run writes"),
        ("surelabel_at_random", "maybe", "'surelabel_at_random' holds 'maybe' in row 1. Write true where"),
        ("surelabel_guess", "", "is labelled by 'surelabel_status' and has no guess"),
    ],
)
def test_what_no_run_writes_is_refused(column, cell, words, data, tmp_path):
    first, _ = labelled(data, tmp_path / "run")
    frame = first.frame.copy()
    row = 0 if cell else rows_of(frame, "filled in")[0]
    frame.loc[row, column] = cell
    path = saved(first, frame, tmp_path / "mine.csv")
    result = surelabel("label", path, "--target", "species", *QUICK, "--out", tmp_path / "run2")
    assert refused(result, words)


def test_a_run_on_a_table_given_back_goes_on(data, tmp_path, monkeypatch):
    from surelabel.tool.progress import Progress

    labelled(data, tmp_path / "run")
    out = tmp_path / "run" / "labels.csv"
    labelled(out, tmp_path / "whole")
    words = ("label", out, "--target", "species", *QUICK, "--out", tmp_path / "cut")

    def interrupt(self, round):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "round_done", interrupt)
        assert surelabel(*words).exit_code == 130
    assert surelabel(*words, "--resume").exit_code == 0
    assert (tmp_path / "cut" / "labels.csv").read_bytes() == (tmp_path / "whole" / "labels.csv").read_bytes()


def test_nothing_is_written_over_the_table_that_is_given_back(data, tmp_path):
    labelled(data, tmp_path / "run")
    out = tmp_path / "run" / "labels.csv"
    before = out.read_bytes()
    words = ("--target", "species", *QUICK, "--out", tmp_path / "run", "--overwrite")
    assert refused(surelabel("label", out, *words), "which is read. Name another --out")
    assert out.read_bytes() == before


def test_inspect_reads_it_the_same_way(data, tmp_path):
    labelled(data, tmp_path / "run")
    result = surelabel("inspect", tmp_path / "run" / "labels.csv", "--target", "species")
    assert result.exit_code == 0
    assert "was written by an earlier run" in " ".join(result.output.split())
    assert "surelabel_guess" not in result.output

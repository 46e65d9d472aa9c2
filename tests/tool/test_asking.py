"""`surelabel next` and `surelabel doubts`."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from birds import birds, refused, surelabel, with_small_models, written

from surelabel import load
from surelabel.files import read_table
from surelabel.review.answers import answers_in
from surelabel.tool.asking_display import _Column, _table


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run on birds of which one has a wrong label, with a second file of others."""
    there = tmp_path_factory.mktemp("birds")
    frame, truth = birds(n=90, n_labelled=60)
    frame.loc[3, "species"] = "owl"
    assert truth[3] == "cat"
    written(frame[:75], there / "birds.csv")
    written(frame[75:].drop(columns="species"), there / "more.csv")
    with pytest.MonkeyPatch.context() as patched:
        with_small_models(patched)
        made = surelabel(
            *("label", there / "birds.csv", "--target", "species", "--unlabeled", there / "more.csv"),
            *("--out", there / "run", "--no-report", "-q"),
        )
    assert made.exit_code == 0, made.output
    return there / "run", frame


def test_next_shows_rows_with_their_cells_and_writes_them(run, tmp_path):
    folder, frame = run
    result = surelabel("next", folder, "-n", 10, "-o", tmp_path / "ask.csv")
    assert result.exit_code == 0, result.output
    assert "10 rows written" in result.output
    assert "at random" in result.output
    written_rows = read_table(tmp_path / "ask.csv").frame
    assert len(written_rows) == 10
    for line in written_rows.to_dict("records"):
        place = int(line["surelabel_row"]) - 1 + (75 if line["surelabel_file"] == "unlabeled" else 0)
        assert line["ring"] == frame.loc[place, "ring"]
        assert frame.loc[place, "species"] == ""
        # Nothing that the run filled in leads the person who is asked.
        assert line["species"] in (None, "") or line["species"] != line["species"]
    assert set(written_rows["surelabel_pile"]) == {"unsure", "random"}


def filled_in(path, truth, n_first, n=None):
    """The file of `next` as a person gives it back, with the first n labels filled in."""
    table = read_table(path)
    number = table.frame["surelabel_row"].astype(int) - 1
    rows = number.where(table.frame["surelabel_file"] != "unlabeled", number + n_first).to_numpy()
    labels = np.array(truth[rows], dtype=object)
    labels[len(labels) if n is None else n :] = ""
    return written(table.frame.assign(species=pd.Series(labels, dtype="string[pyarrow]")), path), rows


@pytest.mark.parametrize("way", ["answers", "label"])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_what_next_wrote_comes_back_with_labels(way, ending, run, tmp_path, small):
    folder = Path(shutil.copytree(run[0], tmp_path / "run"))
    asked = surelabel("next", folder, "-n", 10, "-o", tmp_path / f"ask.{ending}")
    assert f"surelabel answers {folder} --from {tmp_path / f'ask.{ending}'}" in asked.output
    back, rows = filled_in(tmp_path / f"ask.{ending}", birds(n=90)[1], n_first=75, n=9)
    if way == "answers":
        result = surelabel("answers", folder, "--from", back)
        assert "9 answers of" in result.output  # nobody filled in the last one
    result = surelabel("label", "--out", folder, "--resume", *(["--answers", back] if way == "label" else []))
    assert result.exit_code == 0, result.output
    assert "answers taken in: 9 labels" in " ".join(result.output.split())
    kept = answers_in(folder / "answers.sqlite")
    piles = read_table(back).frame["surelabel_pile"].tolist()[:9]
    assert [each.row for each in kept] == rows[:9].tolist()
    assert [each.at_random for each in kept] == [pile == "random" for pile in piles]
    assert {each.pile for each in kept} == {"ask"}
    sampled = load(folder / "model.skops").sampled_
    assert sampled[rows[:9]].tolist() == [pile == "random" for pile in piles]
    assert surelabel("answers", folder, "-o", tmp_path / "all.csv").exit_code == 0
    lines = read_table(tmp_path / "all.csv").frame
    assert (lines["at_random"] == "true").sum() == piles.count("random")


def test_what_is_wrong_with_a_file_that_comes_back_is_said(run, tmp_path):
    folder = Path(shutil.copytree(run[0], tmp_path / "run"))
    surelabel("next", folder, "-n", 5, "-o", tmp_path / "ask.csv")
    frame = read_table(filled_in(tmp_path / "ask.csv", birds(n=90)[1], 75)[0]).frame
    bad = written(frame.drop(columns="species"), tmp_path / "bad.csv")
    assert refused(surelabel("answers", folder, "--from", bad), "has no column 'species'")
    frame.loc[2, "surelabel_row"] = "76"
    bad = written(frame, tmp_path / "bad.csv")
    assert refused(surelabel("answers", folder, "--from", bad), "line 3: there is no row '76'")


def test_doubts_finds_the_wrong_label_and_says_what_speaks_against_it(run, tmp_path):
    folder, frame = run
    result = surelabel("doubts", folder, "-n", 5, "-o", tmp_path / "doubts.csv")
    assert result.exit_code == 0, result.output
    assert "of 60 given labels are expected to be wrong" in " ".join(result.output.split())
    lines = read_table(tmp_path / "doubts.csv").frame
    first = lines.iloc[0]
    assert (int(first["surelabel_row"]), first["surelabel_label"], first["surelabel_suggestion"]) == (
        4,
        "owl",
        "cat",
    )
    against = [int(number) - 1 for number in first["surelabel_against"].split(", ")]
    assert set(frame.loc[against, "species"]) == {"cat"}


@pytest.mark.parametrize("command", ["next", "doubts"])
def test_tables_name_the_rows_and_fit_a_terminal_of_80_columns(run, command):
    folder, frame = run
    result = surelabel(command, folder, "-n", 3)
    head, first = result.output.splitlines()[:2]
    assert head.split()[:2] == ["row", "ring"]
    number, ring = first.split()[:2]
    assert ring == frame.loc[int(number) - 1, "ring"]
    assert "\N{HORIZONTAL ELLIPSIS}" not in result.output
    table, _, words = result.output.partition("\n\n")
    # A command is one line, to be copied.
    assert (
        max(map(len, (line for line in [*table.splitlines(), *words.splitlines()] if "-o " not in line)))
        <= 80
    )


def test_cells_have_the_room_that_is_left():
    own = [_Column("row", [1, 2], justify="right"), _Column("given", ["shipping 6%", None])]
    cells = [_Column("message", ["it broke when I opened the box " * 3, ""]), _Column("row", ["x" * 20, "y"])]
    wide, narrow, none = (_table(own, cells, width) for width in (80, 44, 12))
    assert [column.header.plain for column in wide.columns] == ["row", "given", "message", "row"]
    assert [column.width for column in wide.columns] == [3, 11, 28, 20]
    assert [column.width for column in narrow.columns] == [3, 11, 26]
    assert [column.width for column in none.columns] == [None] * 3


def test_neither_changes_the_run(run):
    folder, _ = run
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert surelabel("next", folder).exit_code == surelabel("doubts", folder).exit_code == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", ["next", "doubts"])
def test_what_cannot_be_done_is_refused(run, tmp_path, command):
    folder, _ = run
    assert refused(surelabel(command, folder, "-n", 0), "at least 1; it is 0")
    assert refused(surelabel(command, folder, "-o", folder / "labels.csv"), "is a file of the run")
    assert refused(surelabel(command, folder, "-o", " "), "--out is empty")
    assert surelabel(command, tmp_path / "nothing").exit_code == 2


def test_telling_columns_come_first(run):
    from surelabel.tool.asking import finished_rows
    from surelabel.tool.run_folder import RunFolder

    columns = finished_rows(RunFolder(run[0])).telling_columns()
    assert set(columns[:2]) == {"width", "height"}
    assert np.isin(columns, ["width", "height", "colour"]).all()

"""What `inspect` finds: each problem by its place, with what to do; and nothing where there is nothing."""

import gzip

import numpy as np
import pandas as pd
import pytest
from birds import birds, surelabel, written

from surelabel.files import InputError, read_table
from surelabel.tool.problems import Problem, problems
from surelabel.tool.settings import Settings
from surelabel.tool.table_reading import read_tables

QUICK = ("--target", "species", "--method", "pl", "--no-guard", "--no-report")


def sound(n=60):
    """A table in which there is nothing to find."""
    frame, _ = birds(n, 18)
    return frame.drop(columns="ring")


def found(frame, tmp_path, target="species", **settings):
    """Problems of a table, as it is read from CSV."""
    path = written(frame, tmp_path / "t.csv")
    return problems(read_tables(Settings.of({"data": str(path), "target": target, **settings})))


def only(frame, tmp_path, **settings):
    (problem,) = found(frame, tmp_path, **settings)
    return problem


def with_cells(name, **cells):
    """The sound table with some cells of a column changed, by row from 1."""
    frame = sound()
    for row, cell in cells.items():
        frame.loc[int(row.removeprefix("row")) - 1, name] = cell
    return frame


def test_nothing_is_found_where_nothing_is(tmp_path):
    assert found(sound(), tmp_path) == []
    result = surelabel("inspect", tmp_path / "t.csv", "--target", "species")
    assert "No problem found." in result.output


@pytest.mark.parametrize("stray", ["inf", "1e400", "x1.5", "#DIV/0!", "1,234", "12 kg"])
def test_a_stray_cell_is_named(stray, tmp_path):
    assert only(with_cells("width", row1=stray), tmp_path) == Problem(
        "width",
        f"59 of 60 cells are numbers; row 1 holds {stray!r}; it counts as missing.",
        "Correct it, or read the column as categories: --categorical width",
    )


def test_label_says_so_too_and_keeps_the_cell(small, tmp_path):
    path = written(with_cells("width", row1="inf"), tmp_path / "t.csv")
    result = surelabel("label", path, *QUICK, "--out", tmp_path / "run")
    assert result.exit_code == 0
    assert "row 1 holds 'inf'" in " ".join(result.output.split())
    assert read_table(tmp_path / "run" / "labels.csv").frame["width"].iloc[0] == "inf"


def test_label_says_where_to_read_of_the_rest(small, tmp_path):
    frame = sound()
    for k in range(9):
        frame[f"x{k}"] = [f"{x}.{k}" for x in np.random.default_rng(k).integers(0, 9, 59)] + ["oops"]
    result = surelabel("label", written(frame, tmp_path / "t.csv"), *QUICK, "--out", tmp_path / "run")
    said = " ".join(result.output.split())
    assert said.count("row 60 holds 'oops'") == 5
    assert (
        "there is more to know of the columns 'x5', 'x6', 'x7' and 'x8': surelabel inspect tells it." in said
    )


def test_few_rows_give_nothing_away(tmp_path):
    frame = sound().iloc[:4].assign(species=["cat", "dog", "", ""], width=["1", "2", "", ""])
    assert not [one for one in found(frame, tmp_path) if "class of" in one.what]


def test_predict_says_once_what_counts_as_missing(small, tmp_path):
    path = written(sound(), tmp_path / "t.csv")
    assert surelabel("label", path, *QUICK, "--out", tmp_path / "run").exit_code == 0
    new = written(with_cells("width", row4="x1.5"), tmp_path / "new.csv")
    result = surelabel("predict", tmp_path / "run", new, "-o", tmp_path / "p.csv")
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert (
        said.count("column 'width': 59 of 60 cells are numbers; row 4 holds 'x1.5'; it counts as missing.")
        == 1
    )
    assert read_table(tmp_path / "p.csv").frame["width"].iloc[3] == "x1.5"


def test_cells_of_the_second_file_are_named_with_it(tmp_path):
    more = written(with_cells("width", row2="wide").assign(species=""), tmp_path / "more.csv")
    problem = only(sound(), tmp_path, unlabeled=str(more))
    assert problem.what.startswith("In more.csv: 59 of 60 cells are numbers; row 2 holds 'wide'")
    written(sound().assign(width="wide", species=""), more)
    with pytest.raises(
        InputError, match=r"more.csv: Column 'width' was a number and now holds 'wide', in row 1"
    ):
        found(sound(), tmp_path, unlabeled=str(more))


def test_marks_have_one_rule_for_the_table(tmp_path):
    frame = with_cells("width", row1="?", row2="n/a")
    frame.loc[5, "colour"] = "?"
    problem = only(frame, tmp_path)
    assert problem == Problem(
        "marks",
        "'?' and 'n/a' count as missing in columns of numbers and dates: 'width'. "
        "'?' is a category of its own in columns of categories: 'colour'.",
        "Empty the cells of categories that are meant to be missing. "
        "To keep a mark as a category in 'width': --categorical width",
    )
    assert only(with_cells("width", row1="-"), tmp_path).what == (
        "'-' counts as missing in columns of numbers and dates: 'width'."
    )


def test_a_mark_may_be_a_class(tmp_path):
    frame = with_cells("species", row1="?", row2="?", row3="?")
    problem = only(frame, tmp_path)
    assert problem.what == "'?' is taken for a class, and looks like the mark of a missing label."
    assert problem.advice == "If it is one: --missing-label '?'"
    assert found(frame, tmp_path, missing_label="?") == []


@pytest.mark.parametrize(
    ("others", "named"),
    [
        (["CAT"], "'CAT' (row 1) and 'cat' (row 4)"),
        (["ｃａｔ"], "'cat' (row 4) and 'ｃａｔ' (row 1)"),
        (["cat\u200b"], "'cat' (row 4) and 'cat\\u200b' (row 1)"),
        (["caf\u00e9", "cafe\u0301"], "'cafe\\u0301' (row 2) and 'caf\\xe9' (row 1)"),
    ],
)
def test_labels_that_look_alike(others, named, tmp_path):
    frame = sound()
    for row, label in enumerate(others * 3 if len(others) == 1 else others):
        frame.loc[row, "species"] = label
    problem = found(frame, tmp_path)[-1]
    assert problem.what == f"{named} look alike, and are different classes."


def test_categories_and_names_that_look_alike(tmp_path):
    frame = sound().rename(columns={"height": "Width "})
    frame["colour"] = np.where(np.arange(60) % 7 == 0, "Red", frame["colour"])
    said = found(frame, tmp_path)
    assert "'Red' and 'red' look alike" in said[0].what or "'red' and 'Red' look alike" in said[0].what
    assert said[1].what == "The names 'width' and 'Width ' look alike, and are different columns."
    assert "'Width ' has spaces around it" in said[2].what


# Columns.


def labelled_only(frame, cells):
    return np.where(frame["species"] != "", cells, "")


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (lambda f: f["species"], "Holds the label itself in every labelled row ('species')."),
        (
            lambda f: f["species"].map({"cat": "1", "dog": "2", "owl": "3", "": ""}),
            "One value for each class of 'species' in the 18 labelled rows, and none in the others.",
        ),
        (
            lambda f: labelled_only(f, np.arange(60) % 7),
            "No value in the 42 unlabelled rows, where it would be needed.",
        ),
        (
            lambda f: np.where(f["species"] == "", np.arange(60) % 7, ""),
            "No value in the 18 labelled rows, so nothing is learnt from it.",
        ),
        (lambda f: np.where(np.arange(60) % 3 == 1, np.arange(60) % 7, ""), "Empty in 67% of the rows."),
        (lambda f: f["width"], "Holds the same as 'width', so that it counts twice."),
        (lambda f: f["colour"], "Holds the same as 'colour', so that it counts twice."),
        (lambda f: np.arange(60) * 37 % 60 + 10_000, "A different whole number in every row."),
        (lambda f: np.arange(60) * 3, "A different whole number in every row."),
        (
            lambda f: np.where(np.arange(60) < 40, [f"x{k}" for k in range(60)], ""),
            "40 different categories in 40 cells: few rows share one.",
        ),
        (
            lambda f: [f"x{k}" for k in range(60)],
            "Not learnt from, as it looks like a name of the row: codes: 60 of 60 cells differ.",
        ),
        (lambda f: ["31/12/2024", "12/31/2024"] * 30, "Cells such as '31/12/2024' look like dates"),
        (lambda f: ["3/12/2024", "1/2/2024"] * 30, "'3/12/2024' may be 3 December 2024 or 12 March 2024; "),
    ],
)
def test_columns(column, words, tmp_path):
    frame = sound()
    frame["extra"] = column(frame)
    problem = next(problem for problem in found(frame.astype(str), tmp_path) if problem.where == "extra")
    assert problem.what.startswith(words)
    assert problem.advice or words.startswith("Empty")


def test_a_column_that_gives_the_label_away(tmp_path):
    frame, truth = birds(60, 24)
    frame = frame.drop(columns="ring").assign(
        code=np.where(truth == "cat", "1", np.where(truth == "dog", "2", "3"))
    )
    problem = only(frame, tmp_path)
    assert (
        problem.what
        == "One value for each class of 'species' in the 24 labelled rows: it gives the label away."
    )
    assert problem.advice == "If it was made from the label, leave it out: --drop code"
    assert found(frame, tmp_path, drop=["code"]) == []


def test_many_problems_of_one_sort_are_one(tmp_path):
    frame = sound()
    for k in range(30):
        frame[f"copy {k}"] = frame["width"]
        frame[f"odd {k}"] = [f"{x}.{k}" for x in np.random.default_rng(k).integers(0, 9, 59)] + ["oops"]
    said = found(frame, tmp_path)
    assert [problem.where for problem in said] == ["30 columns", "30 columns"]
    assert said[0].what.startswith(
        "'odd 0', 'odd 1', 'odd 2' and 27 more hold cells that are not what the rest"
    )
    assert said[1].what == "'copy 0', 'copy 1', 'copy 2' and 27 more hold the same as another column."


def test_rare_classes_are_named_up_to_a_few(tmp_path):
    frame = sound()
    frame.loc[50:52, "species"] = ["wren", "robin", "robin"]
    assert [problem.what for problem in found(frame, tmp_path)] == [
        "Class 'robin' has only 2 labelled rows.",
        "Class 'wren' has only 1 labelled row.",
    ]
    frame["species"] = [f"class {k}" for k in range(30)] + [""] * 30
    said = found(frame, tmp_path)
    assert said[0].what.startswith("30 classes have fewer than 3 labelled rows: 'class 0', 'class 1'")
    assert said[1].what == "30 classes in 30 labelled rows: it hardly is a column of classes."


def test_nothing_to_learn_or_to_fill_in(tmp_path):
    frame = sound()
    frame["species"] = "cat"
    assert [problem.what for problem in found(frame, tmp_path)] == [
        "The labelled rows hold 1 class; at least two are needed.",
        "Every row has a label; there is nothing to fill in.",
    ]


def test_what_the_reader_decided_is_among_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(sound().to_csv(index=False, sep=";"))
    result = surelabel("inspect", path, "--target", "species")
    assert "t.csv fields are separated by semicolon" in " ".join(result.output.split())


# How it looks, and how long it takes.


def test_a_page_of_problems_fits_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    frame = with_cells("width", row1="inf", row17="12 kg").assign(site="north")
    frame["copy [bold]"] = frame["height"]
    frame.loc[5, "species"] = "OWL"
    result = surelabel("inspect", written(frame, tmp_path / "t.csv"), "--target", "species")
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 100
    page = result.output[result.output.index("problems") :].split("\n")
    assert [line.rstrip() for line in page] == [
        "problems",
        "species      Class 'OWL' has only 1 labelled row.",
        "             → Label some more rows of it.",
        "             'OWL' (row 6) and 'owl' (row 3) look alike, and are different classes.",
        "             → Write them alike if they are one class.",
        "width        58 of 60 cells are numbers; row 1 holds 'inf' and row 17 '12 kg'; they count as",
        "             missing.",
        "             → Correct them, or read the column as categories: --categorical width",
        "copy [bold]  Holds the same as 'height', so that it counts twice.",
        "             → Leave it out: --drop 'copy [bold]'",
        "",
        "Row 1 is the first below the header.",
        "",
    ]
    assert "1 of 5 columns is not learnt from: site" in result.output


@pytest.mark.slow
def test_wide_and_long_tables_are_looked_through(tmp_path):
    rng = np.random.default_rng(0)
    lines = rng.integers(0, 9, (20, 20_000)).astype(str)
    labels = ["cat", "dog", "", ""] * 5
    names = [f"a{k}" for k in range(20_000)]
    text = ",".join([*names, "y"]) + "\n"
    text += "".join(",".join([*line, label]) + "\n" for line, label in zip(lines, labels, strict=True))
    (tmp_path / "wide.csv.gz").write_bytes(gzip.compress(text.encode()))
    result = surelabel("inspect", tmp_path / "wide.csv.gz", "--target", "y")
    assert result.exit_code == 0, result.output
    assert "and 19,961 more" in result.output
    (tmp_path / "long.csv").write_text("a,y\n" + "".join(f"{k % 7},c{k}\n" for k in range(10**6)))
    result = surelabel("inspect", tmp_path / "long.csv", "--target", "y")
    assert "1,000,000 different labels; at most 10,000 classes" in " ".join(result.stderr.split())


def test_several_label_columns(tmp_path):
    frame, truth = birds(60, 60)
    frame = frame.drop(columns=["ring", "species"])
    frame["cat"] = np.where(truth == "cat", "1", "0")
    frame["owl"] = np.where(np.arange(60) < 30, np.where(truth == "owl", "1", "0"), "")
    frame["leak"] = frame["owl"]
    (problem,) = found(frame, tmp_path, target="cat,owl")
    assert problem.where == "leak"
    assert "'owl'" in problem.what


def test_typed_tables_too(tmp_path):
    frame = pd.DataFrame({"x": [1.5, np.inf] * 30, "tags": [["a"], ["b"]] * 30, "y": ["a", "b", None] * 20})
    frame.to_parquet(tmp_path / "t.parquet")
    source = read_tables(Settings.of({"data": str(tmp_path / "t.parquet"), "target": "y"}))
    assert source.facts.kinds["tags"].kind == "dropped"
    assert problems(source)[0].what.startswith("30 of 60 cells are numbers; row 2 holds 'inf'")


def test_an_identifier_that_tells_the_class_is_told_with_the_ways_out(tmp_path):
    frame, truth = birds(90, n_labelled=60)
    frame["row id"] = np.argsort(np.argsort(truth, kind="stable"), kind="stable")  # as in a sorted file
    problem = next(each for each in found(frame, tmp_path, id=["ring"]) if each.where == "row id")
    assert "the name holds 'id'; but by it alone the class of" in problem.what
    assert "--id 'row id'. If not, use it: --number 'row id'" in problem.advice
    assert found(frame, tmp_path, id=["ring", "row id"]) == []
    kinds = read_tables(
        Settings.of({"data": str(tmp_path / "t.csv"), "target": "species", "number": ["row id"]})
    ).facts.kinds
    assert kinds["row id"].kind == "number"


def test_times_of_day_may_be_missing(tmp_path):
    frame = sound()
    frame["at"] = ["" if row % 5 == 4 else f"{row % 12:02d}:{row % 7}0" for row in range(60)]
    frame["at"] = frame["at"].str.replace("60", "50")
    assert found(frame, tmp_path) == []

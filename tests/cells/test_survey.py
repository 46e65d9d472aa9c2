"""A few cells that are no numbers leave a column one of numbers: they count as missing, and are named."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surelabel.cells import features, features_and_notes, kinds_of
from surelabel.cells.notation import Notation, likely
from surelabel.cells.survey import is_mark, numbers_in
from surelabel.files import InputError


def numbers(n=60):
    return [f"{x:.2f}" for x in np.random.default_rng(0).normal(5, 1, n)]


def read(cells, **said):
    """What a column is taken for, and its feature."""
    frame = pd.DataFrame({"x": cells, "y": ["a"] * len(cells)})
    kinds = kinds_of(frame, "y", **said)
    X = features(frame, kinds)
    return kinds["x"], X["x"].tolist() if "x" in X else None


@pytest.mark.parametrize("stray", ["inf", "1e400", "x1.5", "#DIV/0!", "1,234", "12 kg", "-Infinity", "5..2"])
@pytest.mark.parametrize("row", [0, 37])
def test_one_stray_cell_is_missing_and_named(stray, row):
    cells = numbers()
    cells[row] = stray
    kind, values = read(cells)
    assert (kind.kind, kind.n_missing, kind.n_stray) == ("number", 1, 1)
    assert kind.note == f"59 of 60 cells are numbers; row {row + 1} holds {stray!r}; it counts as missing."
    assert kind.advice == "Correct it, or read the column as categories: --categorical x"
    assert repr(stray) in kind.why
    assert np.isnan(values[row])
    assert values[:row] + values[row + 1 :] == [float(cell) for cell in cells if cell != stray]
    assert read(cells, categorical=["x"])[1][row] == (None if stray == "#DIV/0!" else stray)


def test_a_mark_is_missing_however_often_it_comes():
    for mark in ("?", "-", ".", "n/a", "N/A", "NA", "null", "None", "NaN"):
        assert is_mark(mark)
        kind, values = read(["1.5", mark, mark, "2"])
        assert (kind.kind, kind.n_missing, kind.n_stray, kind.note) == ("number", 2, 0, "")
        assert repr(mark) in kind.why
        assert np.isnan(values[1:3]).all()
        assert read(["red", mark, "blue"])[1] == ["red", mark, "blue"]
        assert read(["1", mark, "2"], categorical=["x"])[1] == ["1", mark, "2"]


def test_several_strays_are_named_by_row():
    cells = numbers(100)
    for row, stray in {3: "oops", 5: "oops", 8: "none of these", 13: "x", 21: "y"}.items():
        cells[row] = stray
    kind = read(cells)[0]
    assert kind.note == (
        "95 of 100 cells are numbers; row 4 holds 'oops', row 9 'none of these', row 14 'x' and 2 more cells "
        "are like that; they count as missing."
    )
    assert kind.advice.startswith("Correct them, or")


@pytest.mark.parametrize(
    ("strays", "n", "expected"),
    [
        (["x"], 20, "number"),
        (["x"], 19, "category"),
        (["a", "b", "c", "d", "e"], 100, "number"),
        (["a", "b", "c", "d", "e", "f"], 120, "many levels"),
        (["a", "b", "c", "d", "e", "f"], 1200, "number"),
        (["x"] * 50, 1000, "number"),
        (["x"] * 51, 1000, "many levels"),
        (["#DIV/0!"] * 500, 1000, "number"),
        (["007"], 1000, "many levels"),
        ([f"V{k}" for k in range(30)], 1000, "many levels"),
    ],
)
def test_codes_among_numbers_are_no_strays(strays, n, expected):
    cells = [f"{k}.5" for k in range(n - len(strays))]
    kind = read(strays + cells)[0]
    assert kind.kind == expected
    if expected != "number":
        assert f"{len(cells):,} of {n:,} cells are numbers, but row 1 holds {strays[0]!r}" in kind.note
        assert "correct or empty the other cells" in kind.advice


def test_dates_have_strays_too():
    days = [f"2024-01-{k:02d}" for k in range(1, 31)]
    kind, values = read([*days, "soon", "NA"])
    assert (kind.kind, kind.n_missing) == ("date", 2)
    assert "30 of 31 cells are dates; row 31 holds 'soon'" in kind.note
    assert pd.isna(values[-2:]).all()
    assert values[0] == pd.Timestamp("2024-01-01")
    assert "look like dates" in read(["31/12/2024", "30/11/2024", "01/31/2023", "2/28/2023"])[0].note


def test_infinite_numbers_by_type():
    kind, values = read([1.5, np.inf, np.nan, -np.inf, 2.0])
    assert kind.kind == "number"
    assert kind.note == "2 of 4 cells are numbers; row 2 holds 'inf' and row 4 '-inf'; they count as missing."
    assert np.isnan(values[1:4]).all()


def test_most_cells_may_be_strays_by_type_or_errors():
    for cells in ([1.5, np.inf, np.inf, 2.0, -np.inf], ["1.5", "#DIV/0!", "#DIV/0!", "2", "#N/A"]):
        kind, values = read(cells)
        assert (kind.kind, kind.n_stray) == ("number", 3)
        assert np.isnan(values).tolist() == [False, True, True, False, True]


def test_errors_of_spreadsheets_are_missing_in_categories():
    kind, values = read(["red", "#N/A", "blue", "#REF!"])
    assert (kind.kind, kind.n_missing, values) == ("category", 2, ["red", None, "blue", None])
    assert "Row 2 holds '#N/A' and row 4 '#REF!', errors of a spreadsheet" in kind.note


# How numbers are written.


@pytest.mark.parametrize(
    ("cells", "values", "notation"),
    [
        (["1,234.5", "999", "-12,000.25"], [1234.5, 999, -12000.25], "1,234.5"),
        (["1.234,5", "999", "-12.000,25"], [1234.5, 999, -12000.25], "1.234,5"),
        (["0,5", "12,25", "7"], [0.5, 12.25, 7], "1.234,5"),
        (["1 234,5", "999", "-12\u00a0000,25"], [1234.5, 999, -12000.25], "1 234,5"),
        (["1 234.5", "999"], [1234.5, 999], "1 234.5"),
        (["1'234.5", "12\u2019000"], [1234.5, 12000], "1'234.5"),
        (["12.5%", "3 %", "-4%"], [12.5, 3, -4], "1234.5%"),
        (["$12.50", "$ 3", "-$4", "$-5"], [12.5, 3, -4, -5], "$1234.5"),
        (["1.234,50 €", "3,00 €"], [1234.5, 3], "1.234,5€"),
        (["12 kg", "3.5 kg"], [12, 3.5], "1234.5 kg"),
        (["1e3", "2.5E-1", "+4"], [1000, 0.25, 4], "1234.5"),
    ],
)
def test_a_whole_column_may_be_written_otherwise(cells, values, notation):
    kind, found = read(cells)
    assert (kind.kind, found, kind.notation, kind.note) == ("number", values, notation, "")
    assert notation == "1234.5" or f"written as {notation}" in kind.why
    assert str(Notation.of(notation)) == notation


@settings(max_examples=100)
@given(
    st.sampled_from([".", ","]),
    st.sampled_from(["", ",", ".", " ", "'"]),
    st.sampled_from(["", "$", "€"]),
    st.sampled_from(["", "%", "kg", "€"]),
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=5),
)
def test_what_is_written_in_a_notation_is_read_by_it(decimal, group, before, after, values):
    if group == decimal:
        return
    notation = Notation(decimal, group, before, after)
    marks = str.maketrans({",": group, ".": decimal})
    cells = [f"{before}{value:,}".translate(marks) + f" {after}".rstrip() for value in values]
    found = numbers_in(pa.array(cells, pa.large_string()), notation)
    assert found.values.to_pylist() == [float(value) for value in values]
    assert Notation.of(str(notation)) == notation


def test_where_a_comma_may_be_either_it_is_said():
    kind, values = read(["13,100", "999", "1,793"])
    assert values == [13100, 999, 1793]
    assert kind.note == "'13,100' may be 13100 or 13.1; it is read as 13100."
    assert "write a decimal point" in kind.advice
    assert likely(["1,234"]) == [Notation(".", ","), Notation(",", ".")]


def test_the_decimal_mark_is_that_of_the_other_columns():
    frame = pd.DataFrame({"a": ["13,100", "999"], "b": ["13.100", "999"], "c": ["0,5", "1"], "y": ["a", "b"]})
    kinds = kinds_of(frame, "y")
    X = features(frame, kinds)
    assert X.to_numpy().tolist() == [[13.1, 13100, 0.5], [999, 999, 1]]
    assert "may be" in kinds["a"].note
    # Where columns disagree, each is read by itself.
    mixed = frame.assign(d=["0.5", "1.25"])
    assert features(mixed, kinds_of(mixed, "y")).to_numpy().tolist() == [
        [13100, 13.1, 0.5, 0.5],
        [999, 999, 1, 1.25],
    ]


def test_one_cell_with_a_comma_among_plain_numbers_is_a_stray():
    cells = [*numbers(), "1,234"]
    assert "row 61 holds '1,234'" in read(cells)[0].note
    cells = [f"{x:,.2f}" for x in np.linspace(900, 1100, 60)]
    assert read(cells)[1] == [float(cell.replace(",", "")) for cell in cells]


def test_another_table_is_read_in_the_same_notation():
    kinds = kinds_of(pd.DataFrame({"x": ["0,5", "12,25", "1.000"], "y": ["a"] * 3}), "y")
    X, notes = features_and_notes(pd.DataFrame({"x": ["1.234", "2,5", "7.5"]}), kinds)
    assert X["x"].tolist()[:2] == [1234, 2.5]
    assert notes == {
        "x": ("2 of 3 cells are numbers; row 3 holds '7.5'; it counts as missing.", "Correct it.")
    }
    with pytest.raises(InputError, match=r"was a number and now holds .7\.5., in row 2"):
        features_and_notes(pd.DataFrame({"x": ["1", "7.5", "8.5"]}), kinds)
    with pytest.raises(InputError, match="'klingon' tells no notation"):
        Notation.of("klingon")


def test_categories_that_are_numbers_have_one_name_in_every_table():
    frame = pd.DataFrame({"x": ["0.5", "1.0", "oops"], "y": ["a"] * 3})
    for first in (frame, frame.iloc[:2], frame.assign(x=[0.5, 1.0, 2.0])):
        kinds = kinds_of(first, "y", categorical=["x"])
        if first is not frame:
            assert kinds["x"].notation == "number"
            for cells in (["1", "1.0"], [1, 1], [1.0, 1.0]):
                assert features(pd.DataFrame({"x": cells}), kinds)["x"].tolist() == ["1", "1"]
    as_written = kinds_of(frame, "y", categorical=["x"])
    assert features(pd.DataFrame({"x": ["1", "1.0"]}), as_written)["x"].tolist() == ["1", "1.0"]


@settings(max_examples=60)
@given(st.lists(st.text("0123456789.,-% $A", max_size=5), min_size=1, max_size=30))
def test_every_cell_is_counted_once(cells):
    text = pa.array([cell or None for cell in cells], pa.large_string())
    survey = numbers_in(text, Notation())
    assert survey.n_fitting == len(text) - survey.values.null_count
    assert all(text[row].as_py().strip() == cell for row, cell in survey.strays)
    assert bool(survey.strays) == (survey.n_stray > 0)

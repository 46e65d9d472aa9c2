from hypothesis import given
from hypothesis import strategies as st

from surelabel.common.errors import did_you_mean, no_such

NAMES = ["width", "height", "species"]


def test_case_and_spaces_do_not_hide_a_name():
    for name in NAMES:
        assert did_you_mean(f" {name.upper()} ", NAMES) == name


@given(st.text(), st.lists(st.text()))
def test_what_is_meant_is_always_one_of_the_names(name, names):
    assert did_you_mean(name, names) in [None, *names]


def test_an_error_names_what_was_given_what_is_near_and_what_there_is():
    assert str(no_such("column", "hight", NAMES)) == (
        "No column 'hight'; did you mean 'height'? Columns: width, height, species."
    )
    assert str(no_such("column", "colour", NAMES)) == "No column 'colour'. Columns: width, height, species."


def test_a_long_list_of_names_is_cut():
    said = str(no_such("sheet", "x", [f"sheet {i}" for i in range(100)]))
    assert said.endswith("sheet 19, ....")

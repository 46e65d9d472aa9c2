import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelabel.reporting.names import class_colors, count, distinct, lines, percent, text

ANYTHING = st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.booleans())


@given(ANYTHING, st.integers(2, 80))
def test_a_text_is_one_seen_line_no_longer_than_asked(value, most):
    line = text(value, most)
    assert 0 < len(line) <= max(most, len("(empty)"))
    assert len(line.splitlines()) == 1
    assert line == line.strip()
    line.encode("utf-8")


@given(st.lists(st.one_of(st.text("ab \n()2", max_size=6), st.integers(0, 3)), max_size=12))
def test_names_differ_and_those_that_were_told_apart_are_kept(values):
    names = distinct(values)
    assert len(set(names)) == len(names) == len(values)
    assert not values or names[0] == text(values[0], 40)


@pytest.mark.parametrize(("value", "shown"), [(3.0, "3"), (3.5, "3.5"), (1e16, "1e+16"), (math.inf, "inf")])
def test_whole_numbers_have_no_point(value, shown):
    assert text(value) == shown


@given(st.text())
def test_lines_keep_their_ends_and_lose_what_is_not_seen(value):
    clean = lines(value)
    assert lines(clean) == clean
    assert not set(clean) & set("\r\x00\u200b\u202e\ufeff")


def test_colours_are_told_apart_or_there_are_none():
    assert len(set(class_colors(12))) == 12
    assert class_colors(13) is None


@given(st.floats(0, 1))
def test_a_percentage_is_right_to_its_last_digit_and_never_all_or_nothing_of_a_part(share):
    said = percent(share)
    assert abs(float(said.strip("<>% ")) / 100 - share) <= 0.001
    assert (said == "100.0%") == (share == 1)
    assert (said == "0.0%") == (share == 0)


def test_what_is_unknown_has_no_percentage():
    assert percent(None) == percent(math.nan) == "–"


def test_one_thing_is_singular_and_every_other_number_plural():
    assert [count(n, "class") for n in (0, 1, 1000)] == ["0 classes", "1 class", "1,000 classes"]

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelabel.cells.values import decoded, is_text, python_values, to_arrow, typed

CELLS = {
    "text": st.text(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "huge": st.integers(),
    "number": st.floats(allow_nan=False),
    "truth": st.booleans(),
    "day": st.dates(),
    "moment": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "several": st.one_of(st.text(), st.integers(), st.booleans()),
}


@pytest.mark.parametrize("kind", CELLS)
def test_values_come_back_as_they_were(kind):
    @given(st.lists(st.one_of(st.none(), CELLS[kind]), max_size=8))
    def check(cells):
        found = typed(cells)
        back = found.to_pylist() if hasattr(found, "to_pylist") else found.tolist()
        assert back == cells
        assert [type(cell) for cell in back] == [type(cell) for cell in cells]

    check()


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "category", "float64", "string", object])
def test_cells_of_every_kind_of_column_are_pythons_own(dtype):
    cells = ["a", None, "b"] if dtype == "string" else [1, None, 2]
    found = python_values(pd.Series(cells, dtype=dtype))
    assert found == cells
    assert {type(cell).__module__ for cell in found} == {"builtins"}


def test_a_column_of_several_types_is_no_column_of_arrow():
    assert to_arrow(pd.Series([1, "a"], dtype=object)) is None
    assert to_arrow(pd.Series([1, 2**70], dtype=object)) is None
    assert to_arrow(pd.Series(["a", None], dtype=object)).to_pylist() == ["a", None]


def test_codes_are_decoded_and_all_else_is_left():
    plain = pa.chunked_array([["b", None, "a"]])
    assert decoded(plain) is plain
    assert decoded(plain.dictionary_encode()).equals(plain)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_text_is_text_in_every_layout(kind):
    assert is_text(kind)
    assert not is_text(pa.int64())
    assert not is_text(pa.dictionary(pa.int32(), kind))


def test_missing_values_are_none():
    assert python_values(pd.Series([np.nan, None, pd.NaT, pd.NA, 1], dtype=object)) == [None] * 4 + [1]

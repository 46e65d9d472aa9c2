"""The library tells columns by their cells, and reads new rows as fit did."""

import re

import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from surelabel.cells import kinds_of
from surelabel.reading.columns import Columns
from surelabel.reading.features import text_mask
from surelabel.saving.model_file import load, save

SENTENCES = {
    "Latin": ["the café has no more coffee {}", "my naïve résumé was lost again {}"],
    "Chinese": ["这家餐厅的菜非常好吃第{}次", "我再也不会来这里了第{}次"],
    "Arabic": ["الخدمة في هذا المكان ممتازة جدا {}", "لن أعود إلى هنا مرة أخرى {}"],
    "Thai": ["อาหารอร่อยมากและบริการดี{}", "ฉันจะไม่กลับมาที่นี่อีก{}"],
    "Korean": ["이 식당은 음식이 정말 맛있어요 {}", "다시는 여기에 오지 않을 겁니다 {}"],
}
ROWS = pd.DataFrame(
    {
        "price": ["$1.50", "$20", "n/a", "$3"] * 20,
        "when": ["31/12/2024", "1/2/2023", "", "5/6/2024"] * 20,
        "at": ["13:30", "9:15", "1:30 PM", " "] * 20,
        "note": [f"the {k}th row is said to be fine" for k in range(80)],
        "city": [f"{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in [*range(60), *range(20)]],
        "code": [f"A-{k:04d}" for k in range(80)],
        "same": ["x"] * 80,
        "vector": [[float(k), 2.0 * k] for k in range(80)],
        "id": np.random.default_rng(0).permutation(80),
    }
)
KINDS = {
    "price": "number",
    "when": "date",
    "at": "time",
    "note": "text",
    "city": "text",
    "code": "identifier",
    "same": "constant",
    "vector": "vector",
    "id": "identifier",
}


@pytest.mark.parametrize("library", [pd, polars])
def test_columns_are_told_by_their_cells(library):
    columns = Columns(categorical=["city"])
    table = columns.fit_transform(library.DataFrame(ROWS.to_dict("list")))
    assert columns.kinds_ == KINDS | {"city": "many levels"}
    assert all(columns.why_.values())
    assert table["price"].dropna().unique().tolist() == [1.5, 20, 3]
    assert table["at"].dropna().unique().tolist() == [48600, 33300]
    assert table["when"].dropna().min() == 0
    assert table["when: year"].dropna().unique().tolist() == [2024, 2023]
    assert set(table["when: month (category)"].dropna()) == {12, 2, 6}
    assert "when: hour" not in table
    assert_allclose(np.expm1(table["city: rows"]), ROWS["city"].map(ROWS["city"].value_counts()))
    assert_array_equal(table[["vector: 0", "vector: 1"]], np.array(ROWS["vector"].tolist()))
    assert table.columns[text_mask(table)].tolist() == ["note"]
    assert list(columns.origin_of_) == list(table.columns)
    assert set(columns.origin_of_.values()) == {"price", "when", "at", "note", "city", "vector"}


def test_the_library_and_the_tool_agree():
    frame = ROWS.drop(columns="vector")
    kinds = {name: kind.kind for name, kind in kinds_of(frame, ()).items()}
    columns = Columns()
    columns.fit_transform(frame)
    assert columns.kinds_ == kinds


def test_new_rows_are_read_as_in_fit_and_after_loading(tmp_path):
    columns = Columns(categorical=["city"])
    table = columns.fit_transform(ROWS)
    save(columns, tmp_path / "columns")
    loaded = load(tmp_path / "columns")
    for one in (columns, loaded):
        assert_frame_equal(one.transform(ROWS.iloc[::-1]).iloc[::-1].reset_index(drop=True), table)
    new = ROWS.iloc[:4].assign(price=["$9", "free", "$2.5", ""], note="言葉", city="zz")
    with pytest.warns(UserWarning, match="such as 'free'|not seen in fit") as said:
        read = loaded.transform(new)
    assert len(said) == 2
    assert "'price': 1 of 3 cells are no numbers, such as 'free'" in str(said[0].message)
    assert_array_equal(read["price"], [9, np.nan, 2.5, np.nan])
    assert read["note"].tolist() == ["言葉"] * 4
    assert read["city: rows"].tolist() == [0.0] * 4
    with pytest.raises(ValueError, match=r"'price' held numbers in fit and now holds 'free', in row 0"):
        loaded.transform(new.assign(price="free"))
    with pytest.raises(ValueError, match=r"'vector' held vectors of 2 numbers in fit and now of 3"):
        loaded.transform(ROWS.iloc[:1].assign(vector=[[1, 2, 3]]))


def test_shards_say_together_what_columns_are():
    whole, parts = Columns(categorical=["city"]), Columns(categorical=["city"])
    table = whole.fit_transform(ROWS)
    shards = [ROWS.iloc[:50], ROWS.iloc[50:]]
    parts.fit_surveys([parts.survey(shard) for shard in shards], ["one", "two"])
    assert parts.kinds_ == whole.kinds_
    assert_frame_equal(
        pd.concat([parts.transform(shard) for shard in shards], ignore_index=True), table, check_exact=True
    )


@pytest.mark.parametrize("script", SENTENCES)
@pytest.mark.parametrize("n", [6, 300])
def test_sentences_of_every_script_are_text(script, n):
    cells = [sentence.format(k) for k in range(n // 2) for sentence in SENTENCES[script]]
    for some in (cells, sorted(cells), cells + [""] * n):
        columns = Columns()
        table = columns.fit_transform(pd.DataFrame({"x": some, "y": range(0, 2 * len(some), 2)}))
        assert columns.kinds_["x"] == "text"
        assert ["" if pd.isna(cell) else cell for cell in table["x"]] == some


def test_what_is_named_is_not_told_again():
    frame = pd.DataFrame({"a": ["1", "2", "x"], "b": ["31/12/2024", "x", "y"], "c": [0, 86400, 172800]})
    with pytest.warns(UserWarning, match="1 of 3 cells are no numbers"):
        table = Columns(number=["a"]).fit_transform(frame[["a"]])
    assert_array_equal(table["a"], [1, 2, np.nan])
    columns = Columns(text=["a"], drop=["b"], date=["c"])
    table = columns.fit_transform(frame)
    assert columns.kinds_ == {"a": "text", "b": "dropped", "c": "date"}
    assert table["c"].tolist() == [0, 86400, 172800]
    assert_frame_equal(columns.transform(frame), table)
    with pytest.raises(ValueError, match="cannot be both text and identifier"):
        Columns(text=["a"], identifiers=["a"]).fit_transform(frame)
    with pytest.raises(ValueError, match="named in identifiers or drop"):
        Columns(drop=["a", "b", "c"]).fit_transform(frame)


def test_where_nothing_else_is_left_identifiers_are_used():
    columns = Columns()
    table = columns.fit_transform(pd.DataFrame({"id": range(20)}))
    assert columns.kinds_ == {"id": "number"}
    assert table["id"].tolist() == list(range(20))


def test_a_table_of_numbers_is_what_it_was():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=["a", "b", "c"])
    assert_frame_equal(Columns().fit_transform(frame), frame)
    counting = np.arange(20.0)[:, None]
    assert Columns().fit_transform(counting) is counting


def test_day_and_month_are_told_apart_by_a_cell_a_column_or_a_person():
    unsure = ["1/2/2024", "3/4/2024"] * 5
    with pytest.warns(UserWarning, match=r"1 February 2024 or 2 January 2024; .*write dates as 2024-12-31"):
        table = Columns().fit_transform(pd.DataFrame({"x": unsure}))
    assert set(table["x: month"]) == {2, 4}
    with pytest.warns(UserWarning, match="it is read as 2 January 2024"):
        table = Columns().fit_transform(pd.DataFrame({"x": unsure, "y": ["12/31/2024", "1/1/2024"] * 5}))
    assert set(table["x: month"]) == {1, 3}


def test_a_name_that_is_taken_is_not_taken_twice():
    frame = pd.DataFrame({"when": ["2024-01-01", "2023-01-01"], "when: year": [5.0, 6.5]})
    table = Columns().fit_transform(frame)
    assert table["when: year"].tolist() == [5.0, 6.5]
    assert table["when: year'"].tolist() == [2024, 2023]


def lengths(cells):
    return [[len(cell), 1.0] for cell in cells]


def test_a_function_makes_vectors_and_is_not_saved(tmp_path):
    columns = Columns(embedding={"title": lengths})
    frame = pd.DataFrame({"title": ["cat", None, "horse"]})
    table = columns.fit_transform(frame)
    assert table["title: 0"].tolist() == [3, 0, 5]
    save(columns, tmp_path / "columns")
    assert columns.embedding == {"title": lengths}
    loaded = load(tmp_path / "columns")
    with pytest.raises(ValueError, match=re.escape("clf.columns_.embedding = {'title': function}")):
        loaded.transform(frame)
    loaded.embedding = {"title": lengths}
    assert_frame_equal(loaded.transform(frame), table)
    with pytest.raises(ValueError, match=r"must return an array of shape \(1, d\)"):
        Columns(embedding={"title": lambda cells: [1.0]}).fit_transform(frame)


@pytest.mark.parametrize(
    "cells", [["", "", ""], [" ", "  ", ""], ["...", "!", "?!"], ["-", "-", "?"], [None] * 3]
)
def test_columns_of_nothing_do_no_harm(cells):
    frame = pd.DataFrame({"x": cells, "y": [1.5, 2.5, 4.0]})
    columns = Columns()
    assert columns.fit_transform(frame)["y"].tolist() == [1.5, 2.5, 4.0]
    columns.transform(frame.iloc[:1])


TORN = [f"the {k}th row \ud83d was cut within a pictogram" for k in range(60)]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"note": pd.Series(TORN, dtype=object)}),
        {"note": TORN},
        [{"note": cell, "n": [1, 2]} for cell in TORN],
        np.array(TORN, dtype=object)[:, None],
        np.array(TORN)[:, None],
    ],
    ids=["frame", "dict", "rows that are dicts", "objects", "strings"],
)
def test_half_of_a_surrogate_pair_is_a_question_mark(X):
    read = Columns().fit_transform(X)
    assert read.iloc[:, 0].tolist() == [cell.replace("\ud83d", "?") for cell in TORN]
    assert text_mask(read)[0]


def test_categories_with_half_of_a_surrogate_pair_are_known_again():
    columns = Columns()
    columns.fit_transform(pd.DataFrame({"mood": pd.Series(["\ud83d", "sad"] * 20, dtype=object)}))
    assert columns.transform({"mood": ["sad", "\ud83d"]})["mood"].tolist() == ["sad", "?"]

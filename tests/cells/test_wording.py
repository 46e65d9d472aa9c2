"""What columns of words, codes, addresses, dates and times are."""

import numpy as np
import pandas as pd
import pytest

from surelabel.cells import kinds_of

RNG = np.random.default_rng(0)
N = 200


def kind_of(cells, name="x"):
    return kinds_of(pd.DataFrame({name: cells}), ())[name]


KINDS = {
    "yes and no": (["yes", "no"] * 100, "category"),
    "long answers": (["strongly agree with this statement", "do not agree at all"] * 100, "category"),
    "names": ([f"{a}{b}son" for a in "ABCDEFGHIJKLMNOPQRST" for b in "aeioubcdfg"], "text"),
    "products": ([f"Widget {a}{b} Pro" for a in "ABCDEFGHIJKLMNOPQRST" for b in "aeioubcdfg"], "text"),
    "codes": ([f"{k:05d}-{k * 7919 % 1000:03d}" for k in range(N)], "identifier"),
    "hashes": ([f"{k * 2654435761 % 2**32:08x}9z" for k in range(1, N)], "identifier"),
    "cities": ([f"{a}{b}ville" for a in "ABCDEFGH" for b in "aeioubcdfg"] * 5, "many levels"),
    "urls": ([f"https://example.org/item/{k}?q=1" for k in range(N)], "url"),
    "paths": ([f"images/cats/{k:04d}.png" for k in range(N)], "url"),
    "windows": ([f"C:\\Users\\me\\file {k}.txt" for k in range(N)], "url"),
    "few urls": (["https://a.org", "https://b.org"] * 100, "category"),
    "units": (["km/h", "m/s"] * 100, "category"),
    "emoji": (["😀 😀", "😡"] * 100, "category"),
    "key points": ([f"the key point of row {k} is this" for k in range(N)], "text"),
}


@pytest.mark.parametrize("name", KINDS)
def test_words(name):
    cells, expected = KINDS[name]
    for some in (cells, sorted(cells), RNG.permutation(cells).tolist(), [*cells, "", ""]):
        kind = kind_of(some, "key points" if name == "key points" else "x")
        assert kind.kind == expected, kind
        assert kind.why


DATES = {
    "31.12.2024": ("date", "31/12/2024"),
    "31/12/2024": ("date", "31/12/2024"),
    "31-12-2024": ("date", "31/12/2024"),
    "12/31/2024": ("date", "12/31/2024"),
    "2024/12/31": ("date", "2024/12/31"),
    "2024-12-31": ("date", ""),
    "31-Dec-2024": ("date", "31 Dec 2024"),
    "31 December 2024": ("date", "31 Dec 2024"),
    "Dec 31, 2024": ("date", "Dec 31, 2024"),
    "12/31/2024 0:00:00": ("date", "12/31/2024"),
    "12/31/2024 1:30 PM": ("date and time", "12/31/2024"),
    "31.12.2024, 13:30": ("date and time", "31/12/2024"),
    "2024-12-31T13:30:05Z": ("date and time", ""),
    "31/12/24": ("date", "31/12/2024"),
}


@pytest.mark.parametrize("last", DATES)
def test_dates(last):
    kind = kind_of([last, last.replace("31", "30"), last.replace("31", "28"), ""])
    assert (kind.kind, kind.notation) == DATES[last]
    assert ("two digits" in kind.note) == (last == "31/12/24")


@pytest.mark.parametrize(
    "cells", [["13:30", "9:05", " "], ["1:30 PM", "12:00 am", ""], ["23:59:59.5", "0:00:01"]]
)
def test_times(cells):
    assert kind_of(cells).kind == "time"


@pytest.mark.parametrize(
    "cells",
    [["25:00", "26:00"], ["1/2/24", "3/4/24"], ["13/13/2024", "14/14/2024"], ["31/12/2024", "12/31/2024"]],
)
def test_what_only_looks_like_dates_is_a_category(cells):
    assert kind_of(cells).kind == "category"


def test_one_cell_far_down_decides_the_order():
    cells = [f"{k % 12 + 1}/{k % 11 + 1}/2024" for k in range(5000)]
    cells[4321] = "1/31/2024"
    kind = kind_of(cells)
    assert (kind.kind, kind.notation, kind.note) == ("date", "12/31/2024", "")

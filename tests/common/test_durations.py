import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelabel.common.durations import duration, timed

UNITS = {"h": 3600, "min": 60, "s": 1}


@given(st.floats(0, 1e6))
def test_what_is_said_is_within_half_of_its_last_unit(seconds):
    said = [(float(n), UNITS[unit]) for n, unit in re.findall(r"([\d.]+) (h|min|s)", duration(seconds))]
    smallest = 0.1 if seconds < 0.95 else said[-1][1]
    # Minutes after an hour are counted whole, so that 59.9 of them are never said to be 60.
    off = smallest if seconds >= 3600 else smallest / 2
    assert abs(sum(n * unit for n, unit in said) - seconds) <= off + 1e-6


@given(st.integers(1, 10**7))
def test_no_part_is_as_large_as_the_next_unit(seconds):
    parts = re.findall(r"(\d+) (min|s)", duration(seconds))
    assert all(int(n) < 60 for n, _ in parts)


def test_times_of_a_part_add_up(monkeypatch):
    clock = iter([0.0, 2.0, 10.0, 13.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    seconds = {}
    for _ in range(2):
        with timed(seconds, "train"):
            pass
    assert seconds == {"train": pytest.approx(5)}

"""Calls of members, one after the other or several at once."""

from threading import get_ident

import pytest
from joblib import delayed, parallel_config

from surelabel.committees.base import run_each


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_order(n_jobs):
    calls = [delayed(divmod)(n, 3) for n in range(7)]
    assert run_each(calls, n_jobs, "divided") == [divmod(n, 3) for n in range(7)]


def test_options_are_passed():
    assert run_each([delayed(sorted)([1, 2], reverse=True)], None, "sorted") == [[2, 1]]


def test_the_jobs_of_a_surrounding_block_count():
    calls = [delayed(get_ident)() for _ in range(4)]
    assert run_each(calls, None, "asked") == [get_ident()] * 4
    with parallel_config("threading", n_jobs=2):
        assert get_ident() not in run_each(calls, None, "asked")

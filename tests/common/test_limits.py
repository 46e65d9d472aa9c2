import numpy as np
import pandas as pd
import pytest

from surelabel.common.limits import LARGEST_EXACT, LARGEST_SEED, is_missing


@pytest.mark.parametrize("value", [None, float("nan"), np.float64("nan"), pd.NaT, pd.NA])
def test_every_mark_of_a_missing_value_is_one(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, "", "nan", False, [], [None], np.array([np.nan]), float("inf")])
def test_nothing_else_is_missing(value):
    assert is_missing(value) is False


def test_whole_numbers_are_exact_as_floats_up_to_the_limit_only():
    assert int(float(LARGEST_EXACT)) == LARGEST_EXACT
    assert int(float(LARGEST_EXACT + 1)) != LARGEST_EXACT + 1


def test_both_generators_of_numpy_take_the_largest_seed():
    np.random.RandomState(LARGEST_SEED)
    np.random.default_rng(LARGEST_SEED)

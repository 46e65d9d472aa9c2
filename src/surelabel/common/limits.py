"""Numbers that hold for every room."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

# Seeds are drawn below this: every library takes them.
LARGEST_SEED = int(np.iinfo(np.int32).max)
# Whole numbers beyond this change when they become floats.
LARGEST_EXACT = 2**53
# Members of a committee: each has a model and a probability of every row.
MOST_MEMBERS = 10_000


def is_missing(value: object) -> bool:
    """Whether one value is None, NaN, NaT or pd.NA.

    Examples
    --------
    >>> is_missing(float("nan")), is_missing(0)
    (True, False)
    """
    return (
        value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))
    )

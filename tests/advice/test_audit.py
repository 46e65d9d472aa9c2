import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from surelabel.advice.audit import Audit, audited, checks_needed, most_wrong


@pytest.mark.parametrize("share", [0.005, 0.03, 0.1])
def test_the_bound_holds_at_all_times_together(share, rng):
    m, n_runs, broken = 300, 200, 0
    n_wrong = round(share * m)
    for _ in range(n_runs):
        order = rng.permutation(m) < n_wrong
        seen = np.cumsum(order)
        # Bounds are at their best just before a wrong row and at the end.
        when = np.r_[np.flatnonzero(order), 200]
        broken += any(most_wrong(n, seen[n - 1] if n else 0, m, 0.05) < n_wrong for n in when if n <= 200)
    # Ville: at most 5%; as many as a binomial of 5% hardly ever exceeds.
    assert broken <= 0.05 * n_runs + 3 * np.sqrt(n_runs * 0.05 * 0.95)


@settings(max_examples=40)
@given(st.lists(st.booleans(), max_size=60), st.integers(0, 500))
def test_bounds_only_rise_and_end_in_the_truth(wrong, more):
    wrong = np.array(wrong, dtype=bool)
    m = len(wrong) + more
    lows = [audited(wrong[:n], m).low for n in range(len(wrong) + 1)] if m else [0.0]
    assert (np.diff(lows) >= 0).all()
    if m:
        assert lows[-1] <= 1 - wrong.sum() / m
        if not more:
            assert lows[-1] == 1 - wrong.sum() / m


def test_it_costs_little_beside_a_sample_whose_size_was_fixed_before():
    m, goal = 2000, 0.95
    fixed = next(n for n in range(1, m) if hypergeom.cdf(0, m, 101, n) <= 0.05)
    needed = checks_needed(Audit(0, 0, m, 0.0), goal)
    assert fixed <= needed <= 1.2 * fixed
    assert audited(np.zeros(needed, bool), m).low >= goal > audited(np.zeros(needed - 1, bool), m).low


def test_further_checks_count_from_where_one_stands():
    wrong = np.arange(80) % 40 == 39
    so_far = audited(wrong, 1000)
    more = checks_needed(so_far, 0.95)
    assert audited(np.r_[wrong, np.zeros(more, bool)], 1000).low >= 0.95
    assert checks_needed(so_far, so_far.low) == 0


def test_more_checked_than_filled_is_refused():
    with pytest.raises(ValueError, match="3 rows were checked, but only 2"):
        audited(np.zeros(3, bool), 2)

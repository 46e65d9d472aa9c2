from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, betabinom, hypergeom

from surelabel.filling.bounds import chance_if_worse, most_wrong, rows_needed, share_right


@pytest.mark.parametrize(
    ("confidence", "counts"), [(0.9, [45, 77, 105, 132, 158]), (0.95, [59, 93, 124, 153, 181])]
)
def test_rows_needed_for_95_percent(confidence, counts):
    assert rows_needed(np.arange(5), 0.95, confidence).tolist() == counts
    for k, n in enumerate(counts):
        assert most_wrong(n, k, confidence) <= 0.05 < most_wrong(n - 1, k, confidence)


def test_on_average_19_rows_fill_everything_at_95_percent():
    assert rows_needed(np.arange(3), 0.95, None).tolist() == [19, 39, 59]
    assert rows_needed(np.array(0), 0.99, None) == 99


def test_most_wrong_is_the_quantile_of_a_beta_distribution():
    n, k = np.array([50.0, 80.5, 10.0]), np.array([3.0, 0.7, 10.0])
    assert_allclose(most_wrong(n, k, 0.9)[:2], beta.ppf(0.9, k[:2] + 1, (n - k)[:2]))
    assert most_wrong(n, k, 0.9)[2] == 1


@pytest.mark.parametrize("right", [0.5, 0.8, 0.9])
def test_no_table_breaks_the_promise_more_often_than_allowed(right):
    """By brute force: whatever the number wrong in all, the chance to pass falsely is within the risk."""
    for (n, m), risk in product([(3, 4), (10, 5), (12, 30), (40, 11)], [0.05, 0.1, 0.3]):
        passes = chance_if_worse(np.full(n + 1, n), np.arange(n + 1), np.full(n + 1, m), right) <= risk
        for wrong in range(n + m + 1):
            k = np.arange(max(0, wrong - m), min(n, wrong) + 1)
            broken = m - (wrong - k) < right * m - 1e-9
            falsely = hypergeom.pmf(k, n + m, wrong, n)[passes[k] & broken].sum()
            assert falsely <= risk + 1e-12


def test_the_hypergeometric_bound_is_not_looser_than_needed():
    """One wrong row fewer would not be a broken promise: the worst case is reached."""
    n, m, right = 40, 11, 0.8
    chance = chance_if_worse(np.array([n]), np.array([2]), np.array([m]), right)[0]
    fewest = 3  # of 11 rows 20% are 2.2
    assert_allclose(chance, hypergeom.cdf(2, n + m, 2 + fewest, n))


def test_large_pools_tend_to_the_binomial_bound():
    for k, n in enumerate([45, 77, 105, 132, 158]):
        enough, too_few = chance_if_worse([n, n - 1], [k, k], [10**7, 10**7], 0.95)
        assert enough <= 0.1 < too_few


def test_numbers_that_are_not_whole_are_rounded_to_the_safe_side():
    m = np.array([500])
    assert chance_if_worse([59.9], [1.1], m, 0.95) == chance_if_worse([59], [2], m, 0.95)
    assert chance_if_worse([60 - 1e-12], [1 + 1e-12], m, 0.95) == chance_if_worse([60], [1], m, 0.95)


def test_the_interval_covers_what_happens(rng):
    """Of filled rows as good as those held out, the share right is inside in at least 95% of tables."""
    n, m, p = 60, 200, 0.95
    wrong, right = rng.binomial(n, 1 - p, 2000), rng.binomial(m, p, 2000) / m
    shares = [share_right(n, k, m, p) for k in wrong]
    inside = [share.low <= r <= share.high for share, r in zip(shares, right, strict=True)]
    assert np.mean(inside) >= 0.95
    # And it is not twice as wide as one that knew how the numbers came about.
    known = np.diff(betabinom.ppf([0.025, 0.975], m, n * p, n * (1 - p)) / m)[0]
    assert np.mean([share.high - share.low for share in shares]) < 2 * known


def test_without_held_out_rows_there_is_only_what_is_stated():
    share = share_right(0, 0, 5, 0.9)
    assert (share.estimate, share.low, share.high) == (0.9, 0, 1)
    assert share_right(5, 0, 0, 0.9) is None

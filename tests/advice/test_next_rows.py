import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surelabel.advice.next_rows import RANDOM, TYPICAL, UNSURE, Pool, n_random, next_rows


def made(rng, N=200, K=3, counts=9, places=True):
    guess = rng.integers(0, K, N)
    Z = rng.normal(size=(N, 2))
    where = Z.__getitem__ if places else None
    return Pool(rng.random(N), guess, (guess + 1) % K, np.full(K, counts), where, Z[:5] + 9)


def seeded():
    return np.random.RandomState(0)


@settings(max_examples=25)
@given(st.integers(0, 40), st.integers(0, 30), st.booleans(), st.sampled_from([0, 4, 9]))
def test_asked_rows_are_different_and_as_many_as_asked_for(N, n, places, counts):
    pool = made(np.random.default_rng(N), N, counts=counts, places=places)
    asks = next_rows(pool, n, seeded())
    rows = [ask.row for ask in asks]
    assert len(rows) == len(set(rows)) == min(n, N)
    assert sum(ask.pile == RANDOM for ask in asks) == n_random(min(n, N))
    assert all(1 <= ask.like <= N for ask in asks)


def test_one_seed_one_choice(rng):
    pool = made(rng)
    assert next_rows(pool, 20, seeded()) == next_rows(pool, 20, seeded())


def test_random_rows_depend_on_nothing_but_the_seed(rng):
    one, other = made(rng), made(rng, counts=0, places=False)
    drawn = [
        {ask.row for ask in next_rows(pool, 20, seeded()) if ask.pile == RANDOM} for pool in (one, other)
    ]
    assert drawn[0] == drawn[1]


def test_whoever_stops_on_the_way_has_answered_random_rows_too(rng):
    at_random = np.cumsum([ask.pile == RANDOM for ask in next_rows(made(rng), 100, seeded())])
    assert at_random[4::5].tolist() == list(range(1, 21))


def test_typical_rows_come_from_clusters_without_a_label(rng):
    centres = np.array([[0, 0], [20, 0], [0, 20], [20, 20]])
    Z = np.concatenate([c + rng.normal(size=(30, 2)) for c in centres])
    pool = Pool(
        np.ones(120),
        np.zeros(120, int),
        np.ones(120, int),
        np.array([1, 4]),
        Z.__getitem__,
        centres[:1] + 0.1,
    )
    asks = [ask for ask in next_rows(pool, 5, seeded()) if ask.pile == TYPICAL]
    cluster = np.arange(120) // 30
    assert {1, 2, 3} <= {cluster[ask.row] for ask in asks}
    # Typical: nearer to the middle of its cluster than most.
    for ask in asks[:3]:
        own = cluster == cluster[ask.row]
        distance = np.linalg.norm(Z - Z[own].mean(axis=0), axis=1)
        assert distance[ask.row] < np.median(distance[own])


def test_with_enough_labels_the_smallest_gaps_are_asked_spread_over_clusters(rng):
    # Small gaps in four places; the smallest are all in the first.
    centres = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])
    Z = np.concatenate([c + 0.1 * rng.normal(size=(40, 2)) for c in centres])
    gap = 0.5 + 0.5 * rng.random(160)
    gap[:6], gap[40:44], gap[80:84], gap[120:124] = 0.01, 0.02, 0.03, 0.04
    pool = Pool(gap, np.zeros(160, int), np.ones(160, int), np.array([9, 9]), Z.__getitem__)
    asks = [ask for ask in next_rows(pool, 5, seeded()) if ask.pile == UNSURE]
    assert len({ask.row // 40 for ask in asks}) == 4
    assert max(gap[ask.row] for ask in asks) < 0.1


def test_without_places_rows_are_spread_over_pairs_of_classes():
    guess = np.repeat([0, 1, 2], 30)
    pool = Pool(np.r_[np.zeros(30), np.full(60, 0.01)], guess, (guess + 1) % 3, np.full(3, 9))
    asks = [ask for ask in next_rows(pool, 25, seeded()) if ask.pile == UNSURE]
    assert {guess[ask.row] for ask in asks} == {0, 1, 2}


@pytest.mark.parametrize("places", [True, False])
def test_what_asked_rows_stand_for_never_exceeds_the_pool(rng, places):
    pool = made(rng, places=places)
    asks = next_rows(pool, 20, seeded())
    assert sum(ask.like for ask in asks if ask.pile != RANDOM) <= len(pool)


def test_every_reason_is_said_in_words(rng):
    for ask in next_rows(made(rng, counts=3), 20, seeded()):
        assert ask.why("cat", "dog", 0.5)
        assert ask.expected().split()[0] in {"settles", "stands", "tells"}

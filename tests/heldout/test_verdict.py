import numpy as np
import pytest

from surelabel.heldout import HeldOut, Verdict
from surelabel.heldout.verdict import compared


def held(both=0, alone=0, pooled=0, neither=0, weight=None):
    """Two candidates, and rows on which both are right, one alone is, or neither is though they differ."""
    kinds = np.repeat([[0, 0, 1, 1], [0, 1, 0, 2]], [both, alone, pooled, neither], axis=1)
    n = kinds.shape[1]
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    return HeldOut(("alone", "with"), np.eye(3)[kinds], np.zeros(n, dtype=int), weight, np.arange(n) % 5)


@pytest.mark.parametrize(
    ("rows", "differing", "word"),
    [
        (held(90, 0, 10), (100, 1000), "helped"),
        (held(90, 10, 0), (100, 1000), "hurt"),
        (held(90, 0, 10), None, "helped"),
        (held(100), None, "no evidence"),
        (held(100), (0, 1000), "no evidence"),
        (held(90, 5, 5), (100, 1000), "no evidence"),
        (held(98, 0, 2), (100, 1000), "no evidence"),
    ],
)
def test_words(rows, differing, word):
    said = compared(rows, differing)
    assert said.word == word
    assert str(said).startswith(word)
    assert said.low < said.high  # never of zero width
    assert said.low <= said.gain <= said.high


def test_the_two_sides_are_alike():
    helped, hurt = compared(held(60, 1, 7), (50, 500)), compared(held(60, 7, 1), (50, 500))
    assert helped.gain == -hurt.gain
    assert helped.low == pytest.approx(-hurt.high, abs=0.5)
    assert compared(held(60, 4, 4), (50, 500)).gain == 0


def test_no_difference_is_larger_than_the_rows_on_which_the_two_differ():
    said = compared(held(50, 0, 12), (10, 1000))
    assert said.high <= 1.1
    assert compared(held(50, 0, 12)).high > 10


def test_more_labels_show_smaller_differences():
    visible = [compared(held(9 * n, n // 2, n // 2), (100, 1000)).visible for n in (6, 24, 96)]
    assert visible[0] > visible[1] > visible[2]
    assert "with 60 held-out rows a difference under" in str(compared(held(54, 3, 3), (100, 1000)))


def test_rows_of_unequal_weight_tell_less():
    weight = np.r_[np.full(50, 0.1), np.full(10, 5.0)]
    even, uneven = compared(held(50, 0, 10)), compared(held(50, 0, 10, weight=weight))
    assert uneven.gain > even.gain
    assert uneven.visible > even.visible


def test_intervals_hold_as_often_as_they_say(rng):
    """The truth is drawn, then labelled rows and unlabelled ones; nine hundred times."""
    inside = []
    for _ in range(900):
        differ = rng.uniform(0.02, 0.3)
        shares = rng.dirichlet([2, 2, 1])
        probabilities = [1 - differ, *(differ * shares)]
        both, pooled, alone, neither = rng.multinomial(100, probabilities)
        pool = rng.multinomial(1000, probabilities)
        said = compared(held(both, alone, pooled, neither), (int(pool[1:].sum()), 1000))
        inside.append(said.low <= (pool[1] - pool[2]) / 10 <= said.high)
    assert 0.92 < np.mean(inside) < 0.985


def test_a_verdict_of_an_older_release_has_its_interval_from_the_error():
    said = Verdict(0.9, 0.85, gain=-5.0, error=2.0, n_rows=100, seconds=1.0)
    assert said.interval == pytest.approx((-8.92, -1.08))
    assert said.word == "hurt"
    assert str(said) == (
        "hurt: by 5.0 points (-8.9 to -1.1 with 95% confidence; 85.0% against 90.0% of 100 held-out rows)"
    )

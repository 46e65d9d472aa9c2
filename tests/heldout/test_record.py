import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from surelabel.heldout.record import HeldOut
from surelabel.heldout.weights import blend


@pytest.fixture
def held(rng):
    P = rng.dirichlet(np.ones(3), (4, 60))
    return HeldOut(tuple("abcd"), P, rng.integers(0, 3, 60), np.ones(60), np.arange(60) % 5)


def test_candidates_and_rows_are_chosen_by_name_and_place(held):
    some = held.of(["c", "a"]).rows(held.fold == 2)
    assert some.names == ("c", "a")
    assert_array_equal(some.P, held.P[[2, 0]][:, held.fold == 2])
    assert len(some) == 12
    assert_allclose(some.share_right, some.right.mean(axis=1))


def test_what_is_said_of_a_fold_is_learnt_on_the_others(held):
    merged = held.merged("one", blend)
    assert merged.P.shape == (1, 60, 3)
    for fold in range(5):
        here = held.fold == fold
        assert_allclose(merged.P[0, here], blend(held.rows(~here))(held.P[:, here]))


def test_a_blend_without_rows_is_the_mean(held):
    none = held.rows(np.zeros(60, dtype=bool))
    assert_allclose(blend(none)(held.P), held.P.mean(axis=0), rtol=1e-5)
    assert np.isnan(none.share_right).all()


def test_weights_of_rows_count(held):
    doubled = held.rows(np.r_[np.arange(60), np.arange(10)])
    weighted = HeldOut(held.names, held.P, held.codes, 1.0 + (np.arange(60) < 10), held.fold)
    assert_allclose(weighted.share_right, doubled.share_right)
    assert_allclose(blend(weighted).weights, blend(doubled).weights, rtol=1e-6)

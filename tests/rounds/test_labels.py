import numpy as np
import pytest
from numpy.testing import assert_array_equal

from surelabel.allocation import Allocation, Status
from surelabel.rounds import Labels
from surelabel.rounds import labels as module


@pytest.mark.parametrize("block", [1, 3, 7, 100])
def test_a_round_is_written_down_the_same_in_blocks_of_any_size(block, rng, monkeypatch):
    p, confidence = rng.dirichlet(np.ones(3), 50), rng.normal(size=50)
    sure = confidence > 0
    codes = np.where(rng.random(sure.sum()) < 0.5, rng.integers(3, size=sure.sum()), -1)
    status = np.where(codes >= 0, Status.ACCEPTED, Status.UNSURE).astype(object)
    given = np.where(np.arange(60) % 6 == 0, 1, -1)

    def recorded():
        labels = Labels.start(given, n_classes=3)
        labels.record(labels.pool, 4, p, confidence, Allocation(codes, status), sure)
        return labels

    whole = recorded()
    monkeypatch.setattr(module, "_BLOCK_ROWS", block)
    for name, values in vars(recorded()).items():
        if isinstance(values, np.ndarray):
            assert_array_equal(values, getattr(whole, name), err_msg=name)
    assert_array_equal(whole.codes[whole.round == 4], codes[codes >= 0])

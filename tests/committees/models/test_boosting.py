import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from surelabel.committees.models import boosting as module
from surelabel.committees.models.boosting import boosting


@pytest.fixture
def table(rng):
    X = rng.normal(size=(6000, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("n_classes", [2, 3])
def test_masks_say_what_walking_the_trees_says(table, n_classes, rng):
    codes = rng.integers(n_classes, size=300)
    y = np.where(np.isnan(table[:300, 0]), codes, table[:300, 0] > 0)
    model = boosting(20).fit(table[:300], np.where(rng.random(300) < 0.3, codes, y))
    walked = HistGradientBoostingClassifier.predict_proba(model[-1], model[:-1].transform(table))
    assert model[-1]._leaf_masks() is not None
    assert_allclose(model.predict_proba(table), walked, atol=1e-12)


def test_masks_are_those_of_the_last_fit(table, rng):
    model = boosting(5).fit(table[:300], rng.integers(2, size=300))
    model.predict_proba(table)
    model.fit(table[:300], rng.integers(3, size=300))
    assert model.predict_proba(table).shape == (6000, 3)


def test_masks_are_not_kept_in_files(table, rng):
    model = boosting(5).fit(table[:300], rng.integers(2, size=300))
    model.predict_proba(table)
    assert "_masks" not in model[-1].__getstate__()


def test_many_columns_are_walked(table, rng, monkeypatch):
    monkeypatch.setattr(module, "_MOST_COLUMNS", 3)
    model = boosting(5).fit(table[:300], rng.integers(2, size=300))
    assert model[-1]._leaf_masks() is None
    assert_allclose(model.predict_proba(table).sum(axis=1), 1)


def test_settings_survive_a_clone():
    assert clone(boosting(7))[-1].max_iter == 7

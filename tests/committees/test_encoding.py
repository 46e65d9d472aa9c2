import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from surelabel.committees.encoded import Encoded, key_of, matrices, seen_by, view_of
from surelabel.committees.encoding import Encoder, in_order
from surelabel.committees.models.gaussian import Gaussian


@pytest.fixture
def numbers(rng):
    return np.exp(rng.normal(size=(300, 4)))


def test_quantiles_do_not_depend_on_the_unit_of_a_column(numbers):
    one = Encoder(scale="quantile").fit_transform(numbers)
    other = Encoder(scale="quantile").fit_transform(np.log(numbers) * 7 - 3)
    assert_allclose(one, other, atol=0.05)
    assert np.abs(one).max() <= 2.5
    assert_allclose(one.std(axis=0), 1, atol=0.1)


def test_gaps_and_columns_that_do_not_vary_are_harmless_among_quantiles(numbers):
    numbers[::3, 0], numbers[:, 1] = np.nan, 5.0
    encoded = Encoder(scale="quantile").fit_transform(numbers)
    assert np.isfinite(encoded).all()
    assert_array_equal(encoded[:, 1], 0)


def test_a_view_that_shows_nothing_new_is_idle(numbers):
    words = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 20)})
    for scale in ("table", "quantile"):
        assert Encoder(scale=scale).fit(words).idle_
        assert not Encoder(scale=scale).fit(numbers).idle_
    assert not Encoder().fit(words).idle_
    assert Encoder(window=5).fit(numbers).idle_


def test_columns_of_a_signal_are_in_order_and_smoothed(rng):
    signals = rng.normal(size=(200, 40)).cumsum(axis=1)
    assert in_order(signals)
    assert not in_order(signals[:, rng.permutation(40)])
    assert not in_order(rng.normal(size=(200, 40)))
    smooth = Encoder(scale="table", window=5).fit(signals)
    plain = Encoder(scale="table").fit_transform(signals)
    assert not smooth.idle_
    assert_allclose(smooth.transform(signals)[:, 10], plain[:, 8:13].mean(axis=1))


def test_the_main_components_are_those_of_many_columns_only(rng):
    few, many = rng.normal(size=(100, 20)), rng.normal(size=(100, 90))
    assert_array_equal(Encoder(components="main").fit_transform(few), Encoder().fit_transform(few))
    assert Encoder(components="main").fit_transform(many).shape == (100, 70)


def test_one_view_serves_all_models_with_the_same_encoder(numbers):
    models = [
        Encoded(Gaussian()),
        Encoded(Gaussian(own_shape=True), Encoder()),
        Encoded(Gaussian(), Encoder("table")),
    ]
    assert key_of(models[0]) == key_of(models[1]) != key_of(models[2])
    y = np.arange(300) % 2
    view = view_of(models[0], numbers[:50], numbers[50:])
    fitted = [view.fit(model, y[:50], None) for model in models[:2]]
    shown = matrices(fitted, numbers)
    assert len(shown) == 1
    for model in fitted:
        classifier, X = seen_by(model, numbers, shown)
        assert_array_equal(classifier.predict_proba(X), model.predict_proba(numbers))
    alone = models[0].fit(numbers[:50], y[:50], X_unlabeled=numbers[50:])
    assert_array_equal(alone.predict_proba(numbers), fitted[0].predict_proba(numbers))


def test_what_an_encoder_cannot_be_is_refused():
    with pytest.raises(ValueError, match="scale must be one of column, table, quantile and components"):
        Encoder(scale="row").fit(np.eye(3))

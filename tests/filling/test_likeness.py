import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from surelabel.filling.likeness import likeness, weights_like

NAMES = list("abcdefgh")
FOREST = ExtraTreesClassifier(20, min_samples_leaf=2, random_state=0)


@pytest.fixture
def draw():
    return np.random.RandomState(0)


def drawn(X, chance, draw, n=100):
    given = np.zeros(len(X), bool)
    given[draw.choice(len(X), n, replace=False, p=chance / chance.sum())] = True
    return X[given], X[~given]


def test_at_most_five_percent_false_alarms(draw):
    alarms = []
    for _ in range(100):
        X = draw.lognormal(size=(400, 8))
        alarms.append(not likeness(*drawn(X, np.ones(400), draw), NAMES).alike)
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize("kind", ["level", "spread", "together"])
def test_planted_differences_are_found_and_named(kind, draw):
    caught, named = [], []
    for _ in range(20):
        X = draw.normal(size=(600, 8))
        chance = {
            "level": np.where(X[:, 3] > 0.3, 4.0, 1.0),
            "spread": np.where(np.abs(X[:, 3]) < 0.7, 8.0, 1.0),
            "together": np.where(X.sum(axis=1) > 0, 4.0, 1.0),
        }[kind]
        found = likeness(*drawn(X, chance, draw), NAMES)
        caught.append(not found.alike)
        named.append(bool(found.columns) and found.columns[0][0] in ("d", "spread of (d)"))
    assert np.mean(caught) >= 0.9
    assert kind == "together" or np.mean(named) >= 0.9


def classes_of(X, draw):
    """Two classes by the first two columns together, with some noise; and how easy each row is."""
    margin = X[:, 0] * X[:, 1]
    return (margin + 0.1 * draw.normal(size=len(X)) > 0).astype(int), np.abs(margin)


def drawn_with_codes(X, y, chance, draw, n=150):
    given = draw.choice(len(X), n, replace=False, p=chance / chance.sum())
    others = np.setdiff1d(np.arange(len(X)), given)
    return likeness(X[given], X[others], NAMES[:4], codes=y[given], classifier=FOREST)


@pytest.mark.parametrize("kind", ["class", "ease"])
def test_labels_tell_of_shifts_that_hardly_show_in_a_column(kind, draw):
    caught = []
    for _ in range(6):
        X = draw.normal(size=(800, 4))
        y, ease = classes_of(X, draw)
        favoured = y == 1 if kind == "class" else ease > np.median(ease)
        caught.append(not drawn_with_codes(X, y, np.where(favoured, 9.0, 1.0), draw).alike)
    assert np.mean(caught) >= 0.8


def test_few_false_alarms_with_labels(draw):
    alarms = []
    for _ in range(25):
        X = draw.normal(size=(400, 4))
        y, _ = classes_of(X, draw)
        alarms.append(not drawn_with_codes(X, y, np.ones(400), draw, n=60).alike)
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 25)


def test_labels_that_teach_nothing_are_no_alarm(draw):
    X = draw.normal(size=(200, 4))
    one_class = drawn_with_codes(X, np.zeros(200, int), np.ones(200), draw, n=60)
    assert one_class.p_value > 0.05
    # A class with a single row is missing in the forest of one fold.
    rare = np.arange(200) == 0
    assert 0 <= drawn_with_codes(X, rare.astype(int), np.where(rare, 1e6, 1.0), draw, n=60).p_value <= 1


def test_weights_make_labelled_rows_like_the_others(draw):
    X = draw.normal(size=(3000, 3))
    labelled, others = drawn(X, np.exp(X[:, 1]), draw, n=300)
    weight = weights_like(labelled, others)
    assert weight.mean() == pytest.approx(1)
    before, after = (
        abs(np.average(labelled[:, 1], weights=w) - others[:, 1].mean()) for w in (np.ones(300), weight)
    )
    assert before > 0.7
    assert after < 0.3


def test_nothing_to_compare_is_no_alarm():
    X = np.ones((50, 2))
    assert likeness(X[:10], X[10:], ["a", "b"]).alike
    assert likeness(X[:10], X[:0], ["a", "b"]).p_value == 1

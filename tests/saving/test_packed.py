import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier

from surelabel import load
from surelabel.saving import codec
from surelabel.saving.model_file import save
from surelabel.saving.packed import Forest, Steps


@pytest.fixture
def table(rng):
    return rng.normal(size=(80, 3)), rng.integers(3, size=80)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_the_trees_of_a_forest_come_back_from_one_piece(kind, table, tmp_path):
    forest = kind(5, random_state=0).fit(*table)
    assert Forest.takes(forest.estimators_)
    save(forest, tmp_path / "forest")
    back = load(tmp_path / "forest")
    assert_array_equal(back.predict_proba(table[0]), forest.predict_proba(table[0]))
    for tree, other in zip(forest.estimators_, back.estimators_, strict=True):
        assert tree.get_params() == other.get_params()
        assert_array_equal(tree.predict_proba(table[0]), other.predict_proba(table[0]))


def test_steps_of_boosting_come_back_from_one_piece(table):
    X, y = table
    X[:, 0] = np.round(X[:, 0]) + 5
    model = HistGradientBoostingClassifier(max_iter=4, categorical_features=[0]).fit(X, y)
    assert Steps.takes(model._predictors)
    model._predictors, expected = Steps.made(*Steps.parts(model._predictors)), model.predict_proba(X)
    assert_array_equal(model.predict_proba(X), expected)


def test_trees_that_differ_are_written_one_by_one(table, tmp_path):
    trees = [RandomForestClassifier(1, max_depth=d, random_state=0).fit(*table)[0] for d in (2, 3)]
    assert not Forest.takes(trees)
    assert not Forest.takes([trees[0], object()])
    assert not Steps.takes([[], []])


def test_files_with_trees_one_by_one_are_read(table, tmp_path, monkeypatch):
    forest = RandomForestClassifier(3, random_state=0).fit(*table)
    monkeypatch.setattr(codec, "LIST_STANDS", [])
    save(forest, tmp_path / "forest")
    assert_array_equal(load(tmp_path / "forest").predict_proba(table[0]), forest.predict_proba(table[0]))


@pytest.mark.parametrize("counts", [[-1, 10**6], [3, 4]])
def test_pieces_that_do_not_fit_are_refused(counts, table):
    parts = list(Forest.parts(RandomForestClassifier(2, random_state=0).fit(*table).estimators_))
    parts[6] = np.array(counts)
    with pytest.raises(ValueError, match="pieces of"):
        Forest.made(*parts)


def test_positions_in_trees_are_checked(table):
    parts = list(Forest.parts(RandomForestClassifier(2, random_state=0).fit(*table).estimators_))
    parts[7]["left_child"][0] = 10**6
    with pytest.raises(ValueError, match="beyond"):
        Forest.made(*parts)

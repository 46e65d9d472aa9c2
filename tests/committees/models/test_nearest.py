import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.neighbors import NearestNeighbors

from surelabel.committees.models.nearest import nearest


@pytest.mark.parametrize("spacing", [0.0, 1.0], ids=["numbers", "numbers with many ties"])
@pytest.mark.parametrize("d", [2, 30])
def test_the_rows_are_those_of_the_index(d, spacing, rng):
    X = rng.normal(3.0, size=(1500, d))
    X = np.round(X / spacing) * spacing if spacing else X
    index = NearestNeighbors(n_neighbors=5).fit(X[:1003])
    expected = index.kneighbors(X[1003:], return_distance=False)
    assert_array_equal(np.sort(nearest(index, X[1003:])), np.sort(expected))


def test_nodes_closer_than_single_precision_are_told_apart():
    nodes = np.concatenate([1e4 + np.arange(300) * 1e-6, -np.arange(300.0)])[:, None]
    index = NearestNeighbors(n_neighbors=3).fit(nodes)
    expected = index.kneighbors([[1e4 + 1e-4]], return_distance=False)
    assert_array_equal(np.sort(nearest(index, np.array([[1e4 + 1e-4]]))), np.sort(expected))


def test_few_nodes():
    index = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [5.0]])
    assert_array_equal(np.sort(nearest(index, np.array([[4.0]]))), [[1, 2]])

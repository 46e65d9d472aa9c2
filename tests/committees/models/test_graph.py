import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelSpreading

from surelabel.committees.models.graph import Spreading, heaviest, neighbor_graph, spread


@pytest.fixture
def neighbours(rng):
    X = rng.normal(size=(60, 2))
    return NearestNeighbors(n_neighbors=5).fit(X).kneighbors(X, return_distance=False)


def test_the_graph_is_symmetric_without_loops_and_cannot_amplify(neighbours):
    graph = neighbor_graph(neighbours, 60).toarray()
    assert_allclose(graph, graph.T)
    assert not graph.diagonal().any()
    assert np.abs(np.linalg.eigvalsh(graph)).max() <= 1 + 1e-12


def test_what_is_spread_are_probabilities_and_all_classes_alike_where_no_label_reaches(neighbours):
    Y = np.zeros((60, 3))
    Y[[0, 1], [0, 1]] = 1
    graph = neighbor_graph(neighbours, 60)
    p = spread(graph, Y, 0.5)
    assert_allclose(p.sum(axis=1), 1)
    assert (p >= 0).all()
    assert_allclose(spread(graph, np.zeros((60, 3)), 0.5), 1 / 3)


def test_no_share_from_neighbours_is_the_labels_themselves(neighbours):
    Y = np.eye(3)[np.arange(60) % 3]
    assert_array_equal(spread(neighbor_graph(neighbours, 60), Y, 0.0), Y)


def test_spreading_moves_with_classes_and_rows(neighbours, rng):
    Y = np.zeros((60, 3))
    Y[np.arange(9), np.arange(9) % 3] = 1
    graph = neighbor_graph(neighbours, 60)
    rows, classes = rng.permutation(60), rng.permutation(3)
    p = spread(graph, Y, 0.3)
    assert_allclose(spread(graph, Y[:, classes], 0.3), p[:, classes])
    assert_allclose(spread(graph[rows][:, rows], Y[rows], 0.3), p[rows])


def test_spreading_to_the_end_solves_the_linear_equations(neighbours):
    """Zhou et al. (2004): F = (1 - alpha) (I - alpha S)^-1 Y."""
    Y = np.zeros((60, 2))
    Y[[0, 1], [0, 1]] = 1
    graph = neighbor_graph(neighbours, 60)
    F = np.linalg.solve(np.eye(60) - 0.2 * graph.toarray(), 0.8 * Y)
    reached = F.sum(axis=1) > 1e-9
    expected = F[reached] / F[reached].sum(axis=1, keepdims=True)
    assert_allclose(spread(graph, Y, 0.2)[reached], expected, atol=1e-6)


def test_predictions_are_those_of_scikit_learn(blobs):
    X, y, truth = blobs
    given = y >= 0
    ours = Spreading().fit(X[given], y[given], X_unlabeled=X[~given])
    theirs = LabelSpreading(kernel="knn", n_neighbors=7, alpha=0.2, max_iter=100).fit(X, y)
    assert (ours.predict(X) == theirs.transduction_).mean() > 0.97
    assert (ours.predict(X) == truth).mean() > 0.97


@pytest.mark.parametrize("most", [1, 4, 20, 100])
def test_rows_that_are_kept_hold_every_class_and_no_lighter_row_of_it(most, rng):
    codes, weight = rng.integers(0, 4, 50), rng.integers(1, 5, 50)
    kept = heaviest(codes, weight, most, np.random.RandomState(0))
    assert_array_equal(kept, np.unique(kept))
    assert len(kept) <= max(most, 4)
    for k in range(4):
        mine = np.flatnonzero(codes == k)
        left = np.setdiff1d(mine, kept)
        assert np.isin(mine, kept).any()
        assert not len(left) or weight[left].max() <= weight[np.intersect1d(mine, kept)].min()

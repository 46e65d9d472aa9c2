import numpy as np
import pytest
from birds import birds, with_small_models, written
from hypothesis import settings
from sklearn.datasets import make_blobs

from surelabel import Repeated, trees

# The same examples on every machine, however slow it is.
settings.register_profile("surelabel", deadline=None, derandomize=True)
settings.load_profile("surelabel")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def committee():
    """Small and quick, and still a committee."""
    return Repeated(trees(5), n_members=3)


@pytest.fixture
def blobs():
    """Three well-separated classes, 12 labelled rows, 108 unlabelled, and the truth."""
    X, truth = make_blobs(120, centers=3, cluster_std=0.6, random_state=3)
    in_turn = np.argsort(truth, kind="stable").reshape(3, 40).T.ravel()
    X, truth = X[in_turn], truth[in_turn]
    y = np.where(np.arange(120) < 12, truth, -1)
    return X, y, truth


@pytest.fixture
def small(monkeypatch):
    """Models of the recipes that take a moment."""
    with_small_models(monkeypatch)


@pytest.fixture
def data(tmp_path, small):
    """A CSV file of birds, most of them without their species."""
    return written(birds()[0], tmp_path / "birds.csv")


@pytest.fixture(scope="session")
def cluster():
    """Two workers, each a process of its own."""
    from surelabel.dask.cluster import connected

    with connected(n_workers=2, memory="2GB") as client:
        yield client


@pytest.fixture
def client(cluster):
    """A client of the cluster with both of its workers, whatever was done to them."""
    cluster.wait_for_workers(2, timeout=90)
    with cluster.as_current():
        yield cluster

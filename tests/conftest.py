from contextlib import ExitStack

import numpy as np
import pytest
from birds import birds, with_small_models, written
from hypothesis import settings
from sklearn.datasets import make_blobs

from surelabel import Repeated, trees

# The same examples on every machine, however slow it is.
settings.register_profile("surelabel", deadline=None, derandomize=True)
settings.load_profile("surelabel")

collect_ignore = ["helpers"]
# Fixtures that start processes: what uses one is slow, and stays in one worker of xdist, so it starts once.
STARTING = {"client", "browser"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        for name in STARTING.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(name))
            item.add_marker(pytest.mark.slow)


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
def clusters():
    """Gives a client of two workers, each a process of its own; anew, one of two others."""
    with ExitStack() as stack:
        opened = []

        def latest(anew=False):
            from surelabel.dask.cluster import connected

            if anew or not opened:
                opened.append(stack.enter_context(connected(n_workers=2, memory="2GB")))
            return opened[-1]

        yield latest


@pytest.fixture
def client(clusters):
    """A client of a cluster with both of its workers, whatever was done to them."""
    client = clusters()
    try:
        client.wait_for_workers(2, timeout=30)
    except TimeoutError:  # on a busy machine a worker that was killed may not come back
        client = clusters(anew=True)
        client.wait_for_workers(2, timeout=90)
    with client.as_current():
        yield client

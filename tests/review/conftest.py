import pytest
from reviewing import small_fit


@pytest.fixture(scope="session")
def fit():
    """A classifier, its rows and their truth."""
    return small_fit()

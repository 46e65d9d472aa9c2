"""Columns that name rows are not learnt from, and are told of where they tell the class."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from surelabel import Columns, PseudoLabelClassifier, Threshold
from surelabel.reading.identifiers import signal

ROWS = np.arange(120)
CLASSES = np.array(["cat", "dog"])[(ROWS * 7919 % 120) % 2]
# A register whose codes begin with what a row is.
BANDS = [f"{label[0].upper()}-{7919 * row % 100_000:05d}" for row, label in zip(ROWS, CLASSES, strict=True)]


def fitted(columns=None, **more):
    """A quick classifier of a table with few labels."""
    X = pd.DataFrame({"width": (CLASSES == "dog") + (ROWS * 31 % 17) / 34, **more})
    clf = PseudoLabelClassifier(
        GaussianNB(), confidence=None, allocator=Threshold(), columns=columns, n_rounds=1, random_state=0
    )
    return clf.fit(X, pd.Series(CLASSES).where(ROWS < 60))


@pytest.mark.parametrize("n", [20, 60, 400])
def test_numbers_of_rows_in_no_order_tell_nothing(n):
    """Strict: chance passes in one column of ten thousand."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert signal(np.arange(n).tolist(), rng.choice(3, size=n, p=[0.7, 0.2, 0.1])) is None


def test_few_rows_and_one_class_tell_nothing():
    assert (
        signal([f"A{k}" for k in range(10)] + [f"B{k}" for k in range(9)], np.repeat([0, 1], [10, 9])) is None
    )
    assert signal(list(range(100)), np.zeros(100, dtype=int)) is None


def test_rows_sorted_by_class_are_told_by_their_numbers():
    found = signal(list(range(100)), np.repeat([0, 1], 50))
    assert found.right > 0.9 > 0.6 > found.commonest


def test_an_identifier_that_tells_the_class_is_not_used_and_the_ways_out_are_named():
    told = r"'band' is not used.*Columns\(identifiers=\['band'\]\).*Columns\(text=\['band'\]\)"
    with pytest.warns(UserWarning, match=told):
        clf = fitted(band=BANDS)
    assert clf.columns_.kinds_["band"] == "identifier"


def test_numbers_that_tell_the_class_can_be_used_as_numbers():
    rank = np.argsort(np.argsort(CLASSES, kind="stable"), kind="stable")
    with pytest.warns(UserWarning, match=r"'row id' is not used.*Columns\(number=\['row id'\]\)"):
        fitted(**{"row id": rank})


@pytest.mark.parametrize("said", ["identifiers", "drop"])
def test_nothing_is_said_of_what_a_person_has_decided(said):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(Columns(**{said: ["band"]}), band=BANDS)

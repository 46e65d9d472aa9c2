from dataclasses import replace

import numpy as np
from fillings import table
from numpy.testing import assert_array_equal

from surelabel.filling import fill, fill_curve, labels_needed
from surelabel.filling.more import rows_missing
from surelabel.filling.steps import steps_of


def test_each_point_of_the_curve_is_the_decision(rng):
    evidence, _ = table(rng, n=200)
    curve = fill_curve(evidence, confidence=0.9)
    assert curve.m == 400
    for place in (0, 10, 20):
        right = curve.right[place]
        assert curve.average[place] == fill(evidence, right).n_filled
        assert curve.confident[place] == fill(evidence, right, 0.9).n_filled


def test_what_is_certain_is_less_than_what_is_estimated(rng):
    curves = [fill_curve(table(rng, n=200)[0]) for _ in range(20)]
    names = ("estimated", "average", "confident")
    means = [np.mean([getattr(curve, name) for curve in curves], axis=0) for name in names]
    estimated, average, confident = means
    assert (np.diff(estimated) <= 0).all()
    assert (np.diff(average) <= 0).all()
    assert (confident <= average + 8).all()
    assert (confident <= estimated + 8).all()


def test_more_of_the_table_takes_more_labels(rng):
    evidence, _ = table(rng, n=100, m=4000, sure=8.0)
    for confidence in (None, 0.9):
        needed = [each.labels for each in labels_needed(evidence, 0.9, confidence)]
        known = [np.inf if n is None else n for n in needed]
        assert_array_equal(known, np.sort(known))
        assert len(needed) == 4
    assert labels_needed(replace(evidence, right=np.ones(100, bool)), 0.5)[0].labels == 0


def test_further_labels_come_with_an_interval(rng):
    evidence, _ = table(rng, n=100, m=4000, sure=8.0)
    for each in labels_needed(evidence, 0.95):
        assert (each.between is None) == (each.labels is None)
        assert each.labels is None or each.between[0] <= each.labels <= each.between[1]


def test_without_rows_nothing_is_foreseen(rng):
    evidence, _ = table(rng, n=10, m=20)
    none = evidence.rows(np.ones(10, bool), np.zeros(20, bool))
    assert [each.labels for each in labels_needed(none)] == [None] * 4
    assert rows_missing(steps_of(none), 0.95, None) == 19
    assert rows_missing(steps_of(none), 0.95, 0.9) == 45
    assert len(fill_curve(none).average) == len(fill_curve(none).right)

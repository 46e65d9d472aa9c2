"""The recipes of the paper: what README names is what the benchmark runs."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from surelabel import paper_csa, paper_flexmatch, paper_pl, paper_sla, paper_ups
from surelabel.bench import grid
from surelabel.bench.datasets import read_split
from surelabel.bench.methods import METHODS
from surelabel.released import Released

FEW = {"members": 3, "schedule": "short"}


@pytest.fixture(scope="module")
def split():
    return read_split("breast_cancer", 3)


@pytest.mark.parametrize(
    ("name", "recipe", "settings"),
    [
        ("csa", paper_csa, FEW),
        ("csa_released", lambda **given: paper_csa(released=True, **given), FEW | {"drawn": "once"}),
        ("sla", paper_sla, FEW),
        ("ups", paper_ups, FEW),
        ("flexmatch", paper_flexmatch, {}),
        ("pl", paper_pl, {}),
    ],
)
def test_a_recipe_and_the_benchmark_give_identical_labels(name, recipe, settings, split, monkeypatch):
    seen = []
    judge = grid._judge

    def noting(X, strands, *rest):
        seen.append(strands[0].labels.codes.copy())
        return judge(X, strands, *rest)

    monkeypatch.setattr(grid, "_judge", noting)
    METHODS[name].run(split, **settings, rounds=2)
    given = {key: value for key, value in settings.items() if key != "drawn"}
    clf = recipe(**given, n_rounds=2, random_state=split.seed)
    clf.fit(split.X_l, split.y_l, X_unlabeled=split.X_u)
    codes = np.where(clf.labeled_iter_ < 0, -1, np.searchsorted(clf.classes_, clf.transduction_))
    assert (codes >= 0).sum() > len(split.y_l)
    assert_array_equal(codes, seen[-1])


def test_the_paper_recipe_is_algorithm_1():
    clf = paper_csa()
    assert (clf.committee.n_members, clf.committee.schedule, clf.committee.drawn_by) == (20, "paper", None)
    assert (clf.confidence.alpha, clf.confidence.floor) == (0.05, 0.0)
    assert (clf.allocator.bounds, clf.allocator.epsilon, clf.allocator.cost) == ("paper", 0.01, "log")
    assert (clf.allocator.low, clf.allocator.high, clf.n_rounds) == (0.9, 1.1, 5)
    assert clf.found_weight == "full"
    assert not clf.guard
    assert type(clf.estimator).__name__ == "XGBClassifier"


def test_released_members_are_drawn_once_and_others_anew(split):
    released = paper_csa(2, "short", released=True, random_state=7)
    assert isinstance(released.allocator, Released)
    assert released.committee.drawn_by == 7
    for recipe, same in ((released, True), (paper_csa(2, "short"), False)):
        drawn = []
        for seed in (0, 1):
            committee = recipe.committee.set_params(random_state=seed)
            committee.plan(np.array([0, 1]))
            drawn.append(committee.parameters_)
        assert (drawn[0] == drawn[1]) is same

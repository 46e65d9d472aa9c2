import logging

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    estimator_checks_generator,
)

from surelabel import (
    AdaptiveThreshold,
    Columns,
    Entropy,
    Everything,
    Negatives,
    Panel,
    PseudoLabelClassifier,
    RandomXGBoost,
    Repeated,
    Spread,
    Threshold,
    TotalVariance,
    Transport,
    TTest,
    Unlike,
    csa,
    flexmatch,
    pl,
    sla,
    trees,
    ups,
)
from surelabel.committees.base import Committee
from surelabel.confidence import Confidence
from surelabel.model_selection import LabeledKFold

RECIPES = [csa, sla, ups, flexmatch, pl]
CONFIDENCES = [TTest(), TTest(floor=0), TotalVariance(), Entropy(), Spread(), Everything()]
ALLOCATORS = [
    Threshold(0.5),
    AdaptiveThreshold(0.5),
    Transport("per_class", 0.001),
    Transport("released", 0.001),
    Transport("paper", 0.001),
]


def small():
    return Repeated(trees(5), n_members=3)


def small_recipe(recipe, **settings):
    """One recipe keeps its guard, which fits everything several times over."""
    return recipe(committee=small(), guard=recipe is csa, **settings)


def named(recipe):
    return recipe.__name__


# scikit-learn's checks fit tiny, fully labelled tables: no unlabelled row, classes of one row.
@pytest.mark.filterwarnings("ignore:y has no unlabelled (row|cell):UserWarning")
@pytest.mark.filterwarnings("ignore:.* one labelled row only:UserWarning")
@pytest.mark.filterwarnings("ignore:y holds -1 and 1 and nothing else:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        # Names of our own: scikit-learn's hold memory addresses, which differ between workers.
        pytest.param(
            *pair,
            id=f"{recipe.__name__}-{getattr(pair[1], 'func', pair[1]).__name__}-{number}",
            marks=() if recipe is csa else pytest.mark.slow,
        )
        for recipe in RECIPES
        for number, pair in enumerate(estimator_checks_generator(small_recipe(recipe)))
    ],
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:y has no unlabelled row:UserWarning")
@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_scikit_learns_column_name_checks(recipe):
    """With order="same", since those checks want reordered columns refused."""
    estimator = small_recipe(recipe, columns=Columns(order="same"))
    check_dataframe_column_names_consistency(named(recipe), estimator)


@pytest.mark.parametrize("recipe", RECIPES, ids=named)
def test_recipe_labels_rightly_and_describes_it(recipe, blobs):
    X, y, truth = blobs
    clf = recipe(committee=Repeated(trees(20), 3), random_state=0).fit(X, y)
    assert clf.score(X, truth) > 0.95
    found = clf.labeled_iter_ > 0
    assert found.sum() > 20
    assert (clf.transduction_[found] == truth[found]).all()
    assert (clf.transduction_[clf.labeled_iter_ < 0] == -1).all()
    assert_array_equal(clf.labeled_iter_ == 0, y >= 0)
    assert clf.n_iter_ == len(clf.history_) <= 5
    assert clf.termination_condition_ in {"max_iter", "no_change", "all_labeled"}
    audit = clf.pseudo_labels_
    assert_array_equal(audit.index, np.flatnonzero(y == -1))
    accepted = audit["status"] == "accepted"
    assert_array_equal(audit["label"].notna(), accepted)
    assert_array_equal(audit["round"] > 0, accepted)
    assert (audit.loc[accepted, "confidence"] > 0).all()
    assert (audit["label"][accepted] != audit["runner_up"][accepted]).all()


@pytest.mark.parametrize("recipe", [sla, csa], ids=named)
def test_transport_labels_its_share_of_the_pool_in_a_round(recipe, blobs):
    """The released SLA labels at most one row a round."""
    X, y, _ = blobs
    clf = recipe(committee=small(), random_state=0, n_rounds=1).fit(X, y)
    candidates = clf.history_[0].candidates
    assert len(clf.history_[0].rows) >= 0.8 * candidates


@pytest.mark.parametrize("confidence", CONFIDENCES, ids=str)
@pytest.mark.parametrize("allocator", ALLOCATORS, ids=str)
@pytest.mark.parametrize("negatives", [None, Negatives()], ids=["positive", "negative"])
def test_every_cell_of_the_grid_works(confidence, allocator, negatives, blobs):
    X, y, truth = blobs
    guard = negatives is None
    clf = PseudoLabelClassifier(
        small(), confidence, allocator, negatives=negatives, n_rounds=2, guard=guard, random_state=0
    )
    assert clf.fit(X, y).score(X, truth) > 0.9
    assert (clf.labeled_iter_ > 0).any()


@pytest.mark.parametrize(
    "committee",
    [LogisticRegression(), [LogisticRegression(C=c) for c in (0.1, 1, 10)], RandomXGBoost(2)],
    ids=["one model", "a list", "xgboost"],
)
def test_any_committee_will_do(committee, blobs):
    X, y, truth = blobs
    y = np.where(np.arange(len(y)) < 60, truth, -1)  # XGBoost does not split a handful of rows
    confidence = Everything() if isinstance(committee, LogisticRegression) else TTest(alpha=0.5)
    clf = PseudoLabelClassifier(committee, confidence, Threshold(0.5), n_rounds=2, random_state=0)
    assert clf.fit(X, y).score(X, truth) > 0.9


def test_final_classifier_is_the_committee_or_the_estimator_given(blobs, committee):
    X, y, truth = blobs
    assert isinstance(csa(committee=committee, random_state=0).fit(X, y).estimator_, Repeated)
    clf = csa(committee=committee, estimator=LogisticRegression(), random_state=0).fit(X, y)
    assert isinstance(clf.estimator_, LogisticRegression)
    assert clf.score(X, truth) > 0.95


def test_final_classifier_is_trained_on_all_labels(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, estimator=LogisticRegression(), found_weight="full", random_state=0).fit(
        X, y
    )
    labeled = clf.transduction_ >= 0
    alone = LogisticRegression().fit(X[labeled], clf.transduction_[labeled])
    assert_allclose(clf.predict_proba(X), alone.predict_proba(X))


def test_one_seed_one_result(blobs, committee):
    X, y, _ = blobs
    first, second = (csa(committee=committee, random_state=7).fit(X, y) for _ in range(2))
    pd.testing.assert_frame_equal(first.pseudo_labels_, second.pseudo_labels_)
    assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_rounds_may_be_iterated_and_left(blobs, committee):
    X, y, truth = blobs
    whole = csa(committee=committee, random_state=0)
    seen = list(whole.fit_rounds(X, y))
    assert seen == whole.history_
    assert_array_equal(whole.transduction_, csa(committee=committee, random_state=0).fit(X, y).transduction_)
    left = csa(committee=committee, random_state=0)
    for _ in left.fit_rounds(X, y):
        break
    with pytest.raises(NotFittedError):
        left.predict(X)
    left.finish()
    assert left.termination_condition_ == "stopped"
    assert left.n_iter_ == 1
    assert left.score(X, truth) > 0.9


def test_a_fit_that_fails_leaves_no_mixture_with_the_one_before(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="bounds must be one of"):
        clf.set_params(allocator__bounds="oops").fit(X, np.where(y < 0, None, y.astype(str)))
    with pytest.raises(NotFittedError):
        clf.predict(X)


def test_finishing_what_has_not_begun_is_an_error(blobs, committee):
    X, y, _ = blobs
    with pytest.raises(ValueError, match="nothing to finish"):
        csa(committee=committee).finish()
    with pytest.raises(ValueError, match="nothing to finish"):
        csa(committee=committee, random_state=0).fit(X, y).finish()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"confidence": "ttest"},
            TypeError,
            "confidence must be a part such as .*; it is 'ttest'",
        ),
        ({"allocator": Threshold}, TypeError, "allocator must be a part such as allocator="),
        ({"n_rounds": 2.5}, ValueError, "n_rounds must be a whole number from 0 to 10,000; it is 2.5"),
        ({"n_rounds": -1}, ValueError, "n_rounds must be a whole number from 0 to 10,000; it is -1"),
        ({"confidence": TTest(alpha=5)}, ValueError, "alpha must be a number above 0 and below 1; it is 5"),
        (
            {"allocator": Transport(low=1.2, high=1.0)},
            ValueError,
            "low must be a number from 0 to 1; it is 1.2",
        ),
        ({"committee": []}, ValueError, "has no member"),
        ({"committee": Panel([])}, ValueError, r"Panel\(\[\]\) has no member"),
        ({"committee": Panel(None)}, TypeError, "Panel takes a list of classifiers; it is None"),
        ({"committee": Unlike({})}, ValueError, r"Unlike\({}\) has no member"),
        ({"committee": Repeated(GaussianNB(), 3)}, ValueError, "GaussianNB has no random_state"),
    ],
)
def test_a_wrong_setting_is_an_error_that_names_it(settings, error, message, blobs, committee):
    X, y, _ = blobs
    with pytest.raises(error, match=message):
        csa(**{"committee": committee, "random_state": 0} | settings).fit(X, y)


class Untrained(Repeated):
    """A committee that must not be trained."""

    def fit(self, *args, **options):
        raise AssertionError("it was trained")


@pytest.mark.parametrize(
    "part",
    [
        *(TTest(alpha=bad) for bad in ("x", 0, 1, -1, float("nan"), None, [0.05], True)),
        *(TTest(floor=bad) for bad in ("x", -1, float("inf"))),
        *(kind(share=bad) for kind in (TotalVariance, Entropy) for bad in ("x", -0.1, 2, None)),
        *(Spread(kappa=bad) for bad in ("x", -1, None)),
        *(kind(gamma=bad) for kind in (Threshold, AdaptiveThreshold) for bad in ("x", -0.1, 2, None)),
        *(Transport(**{name: bad}) for name in ("bounds", "cost", "rows") for bad in ("x", None, [], 1)),
        *(Transport(epsilon=bad) for bad in ("x", -1, float("nan"), None)),
        *(Transport(low=bad) for bad in ("x", -1, 2)),
        *(Transport(high=bad) for bad in ("x", 0.5, float("inf"))),
        *(Negatives(**{name: bad}) for name in ("gamma", "kappa") for bad in ("x", -1)),
        *(Unlike(n_seats=bad) for bad in (0, -1, 2.5, "x", None, 10**9)),
        *(Unlike(n_folds=bad) for bad in (0, 1, 2.5, "x", 10**9)),
        *(Unlike(member_seconds=bad) for bad in (0, -1, "x")),
        *(Repeated(n_members=bad) for bad in (0, -1, 2.5, "x", 10**9)),
        *(kind(n_jobs=bad) for kind in (Unlike, Repeated, RandomXGBoost) for bad in (0, 2.5, "x", 10**9)),
        *(RandomXGBoost(n_members=bad) for bad in (0, "x")),
        *(Repeated(over=bad) for bad in ("luck", None, [])),
    ],
    ids=repr,
)
def test_a_bad_setting_of_a_part_is_one_sentence_before_anything_is_trained(part, blobs):
    X, y, _ = blobs
    places = {Confidence: "confidence", Committee: "committee", Negatives: "negatives"}
    place = next((name for kind, name in places.items() if isinstance(part, kind)), "allocator")
    with pytest.raises(ValueError, match=rf"^{type(part).__name__}: \w+ must be .*; it is .*\.$"):
        csa(**{"committee": Untrained()} | {place: part}).fit(X, y)


@pytest.mark.parametrize("confidence", [TTest(), TotalVariance(), Spread(), None])
def test_too_few_members_to_compare_are_told_before_anything_is_trained(confidence, blobs):
    X, y, _ = blobs
    for committee in (Untrained(n_members=1), Unlike(n_seats=1), Panel([GaussianNB()])):
        with pytest.raises(ValueError, match=r"compares the members of a committee, and this one has 1\."):
            csa(committee=committee, confidence=confidence).fit(X, y)
    supervised = csa(committee=Panel([GaussianNB()]), confidence=confidence, n_rounds=0)
    with pytest.warns(UserWarning, match="this is the supervised model"):
        assert supervised.fit(X, y).n_iter_ == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"committee": csa()},
        {"committee": [GaussianNB(), pl()]},
        {"committee": Repeated(csa(), 3)},
        {"committee": Unlike({"bayes": GaussianNB(), "more": csa()})},
        {"committee": make_pipeline(StandardScaler(), csa())},
        {"estimator": csa()},
    ],
    ids=["alone", "in a list", "repeated", "weighed", "behind a step", "final"],
)
def test_an_estimator_with_rounds_of_its_own_is_no_member(settings, blobs):
    X, y, _ = blobs
    with pytest.raises(TypeError, match="PseudoLabelClassifier has rounds and a committee of its own"):
        csa(**settings).fit(X, y)


def test_the_plan_never_overrules_the_committee(committee):
    """All unlabelled rows are of one class; the bounds ask for three."""
    rng = np.random.default_rng(0)
    truth = np.r_[np.repeat([0, 1, 2], 10), np.zeros(40, dtype=int)]
    X = rng.normal(8 * truth[:, None], 1, (70, 3))
    y = np.where(np.arange(70) < 30, truth, -1)
    for recipe in (csa, sla):
        audit = recipe(committee=committee, random_state=0).fit(X, y).pseudo_labels_
        accepted = audit[audit["status"] == "accepted"]
        assert (accepted["label"] == accepted["guess"]).all()
        assert len(accepted) > 5


def test_warnings_point_at_the_callers_line(blobs, committee):
    X, _, truth = blobs
    with pytest.warns(UserWarning, match="no unlabelled row") as caught:
        csa(committee=committee).fit(X, truth)
    assert caught[0].filename == __file__


def test_the_committee_of_a_recipe_can_be_searched():
    assert csa().set_params(committee__n_seats=3).committee.n_seats == 3


def test_verbose_shows_a_line_per_round(blobs, committee, capsys):
    X, y, _ = blobs
    csa(committee=committee, random_state=0, n_rounds=2, verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["round 1", "round 2", "unlabelled rows"]
    assert not logging.getLogger("surelabel").handlers
    csa(committee=committee, random_state=0, n_rounds=2).fit(X, y)
    assert capsys.readouterr().err == ""


def test_nothing_labelled_warns_with_the_reasons(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, allocator=Threshold(1.0), confidence=Everything(), random_state=0)
    with pytest.warns(UserWarning, match=r"None of the 108 unlabelled rows was labelled \(108 below"):
        clf.fit(X, y)
    assert clf.termination_condition_ == "no_change"


def test_class_prior_sets_the_quotas(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, class_prior={0: 0.8, 1: 0.1, 2: 0.1}, n_rounds=1, random_state=0)
    assert_allclose(clf.fit(X, y).class_prior_, [0.8, 0.1, 0.1])
    assert_array_equal(clf.history_[0].budget.quota, [87, 11, 11])


def test_parts_can_be_searched(blobs, committee):
    X, y, _ = blobs
    search = GridSearchCV(
        csa(committee=committee, random_state=0, n_rounds=2),
        {"allocator__bounds": ["per_class", "released"], "confidence__alpha": [0.05, 0.2]},
        cv=LabeledKFold(2, random_state=0),
        error_score="raise",
    )
    search.fit(X, y)
    assert search.best_score_ > 0.8


def test_recipes_do_not_share_their_parts():
    first, second = csa(), csa()
    first.set_params(allocator__epsilon=5.0)
    assert second.allocator.epsilon != 5.0


def test_clone_and_repr_keep_what_was_set():
    clf = csa(n_rounds=3, committee=Panel([LogisticRegression()]))
    assert clone(clf).get_params()["n_rounds"] == 3
    assert "n_rounds=3" in repr(clf)

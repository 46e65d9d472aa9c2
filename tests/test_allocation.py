import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from surelabel import AdaptiveThreshold, Budget, Repeated, Status, Threshold, Transport, trees
from surelabel.allocation import choose, class_thresholds, sure_of
from surelabel.budget import BOUNDS, whole_mass

ALLOCATORS = [
    Threshold(),
    Threshold(0),
    AdaptiveThreshold(),
    *(Transport(bounds=form, epsilon=e) for form in BOUNDS for e in (0.01, 0.001)),
    Transport(cost="linear"),
    Transport(rows="quota"),
    Transport(rows="slack"),
]


def ample(k, n, share=1.0):
    return Budget(share, np.full(k, 1 / k), n)


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(2, 8),
    st.floats(0.01, 1),
    st.sampled_from(ALLOCATORS),
)
def test_every_allocator_gives_whole_labels_within_the_quotas_and_says_why(seed, n, k, share, allocator):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.5), n)
    budget = Budget(share, rng.dirichlet(np.ones(k)), n)
    allocation = allocator(p, budget)
    assert_array_equal(allocation.codes >= 0, allocation.status == Status.ACCEPTED)
    most = budget.quota
    if isinstance(allocator, Transport):
        if allocator.bounds == "paper":  # the paper has bounds on mass alone
            return
        most = BOUNDS[allocator.bounds](n, budget, 0.9, 1.1).upper
    counts = np.bincount(allocation.codes[allocation.codes >= 0], minlength=k)
    assert (counts <= most).all()


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_a_class_with_no_prior_gets_no_row(allocator, rng):
    p = rng.dirichlet([5, 1, 1], 50)
    codes = allocator(p, Budget(0.5, np.array([0, 0.5, 0.5]), 50)).codes
    assert 0 not in codes


def test_threshold_takes_the_best_rows_first():
    p = np.array([[0.9, 0.1], [0.95, 0.05], [0.7, 0.3], [0.85, 0.15]])
    allocation = Threshold(0.8)(p, Budget(1, np.array([0.5, 0.5]), 4))
    assert_array_equal(allocation.codes, [0, 0, -1, -1])
    assert allocation.status.tolist() == [
        Status.ACCEPTED,
        Status.ACCEPTED,
        Status.BELOW,
        Status.FULL,
    ]


def test_adaptive_thresholds_follow_how_often_a_class_is_sure():
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.4, 0.6]])
    assert_allclose(class_thresholds(sure_of(p, 0.8), 0.8), [0.8, 0.4])
    assert_array_equal(AdaptiveThreshold(0.8)(p, ample(2, 4)).codes, [0, 0, 1, 1])


def test_adaptive_threshold_stays_where_no_class_is_sure_yet():
    p = np.full((3, 2), 0.5)
    assert_allclose(class_thresholds(sure_of(p, 0.8), 0.8), [0.8, 0.8])
    assert (AdaptiveThreshold(0.8)(p, ample(2, 3)).codes == -1).all()


def test_transport_gives_a_hard_class_its_share_where_a_threshold_gives_none():
    rng = np.random.default_rng(0)
    easy = np.column_stack([rng.uniform(0.9, 1, 60), np.zeros(60)])
    hard = np.column_stack([rng.uniform(0.3, 0.5, 40), np.zeros(40)])
    p = np.concatenate([easy, hard])
    p[:, 1] = 1 - p[:, 0]
    budget = Budget(0.3, np.array([0.6, 0.4]), 100)
    assert 1 not in Threshold(0.8)(p, budget).codes
    assert (Transport("per_class", 0.001)(p, budget).codes == 1).sum() == 10  # 0.9 of 12, made whole


def test_the_released_caps_scale_with_the_share_and_the_papers_do_not():
    prior = np.array([0.5, 0.5])
    assert_array_equal(BOUNDS["released"](100, Budget(0.2, prior, 100), 0.9, 1.1).upper, [11, 11])
    assert_array_equal(BOUNDS["unscaled"](100, Budget(0.2, prior, 100), 0.9, 1.1).upper, [55, 55])
    assert_allclose(BOUNDS["paper"](100, Budget(0.2, prior, 100), 0.9, 1.1).upper, [55, 55])


def test_the_papers_marginals_are_those_of_its_equations():
    """r = [1, ..., 1; N (w+ 1 - rho w- 1)] and c = [w+ N; N (1 - rho w- 1)], by hand, not rounded."""
    limits = BOUNDS["paper"](7, Budget(0.25, np.array([0.7, 0.3]), 100), 0.9, 1.1)
    assert_allclose(limits.upper, [1.1 * 0.7 * 7, 1.1 * 0.3 * 7])
    assert_array_equal(limits.lower, limits.upper)
    assert_allclose(limits.left_out, [7 * (1 - 0.25 * 0.9)] * 2)
    assert_allclose(limits.spare, 7 * (1.1 - 0.25 * 0.9))
    assert_allclose(limits.upper.sum() + limits.left_out[0], 7 + limits.spare)


def test_rows_of_equal_cost_are_labelled_up_to_the_mass_and_not_at_all_by_the_slack_rule():
    """Confident models make rows alike, and the entropy shares the mass among them."""
    p = np.repeat(np.eye(2), 50, axis=0)
    budget = ample(2, 100, share=0.3)
    assert np.bincount(Transport()(p, budget).codes + 1).tolist() == [66, 17, 17]
    assert (Transport(rows="slack")(p, budget).codes == -1).all()


@pytest.mark.parametrize("rows", ["quota", "slack"])
def test_rows_by_quota_never_exceed_what_the_round_asks_of_a_class(rows):
    p = np.random.default_rng(0).dirichlet([3, 1, 0.3], 200)
    budget = Budget(0.3, np.array([0.2, 0.3, 0.5]), 200)
    got = np.bincount(Transport("unscaled", rows=rows)(p, budget).codes + 1, minlength=4)[1:]
    assert (got <= budget.quota).all()
    # Caps that are not scaled by the share: the plan has more mass for the first class.
    assert np.bincount(Transport("unscaled")(p, budget).codes + 1)[1] > budget.quota[0]


def test_the_papers_plan_has_no_quota_and_may_overrule_the_committee():
    """Class 1 has 0.9 of the prior and 0.4 of every row: the caps of class 0 send rows there all the same."""
    rng = np.random.default_rng(0)
    p = np.column_stack([rng.uniform(0.55, 0.65, 100), np.zeros(100)])
    p[:, 1] = 1 - p[:, 0]
    budget = Budget(1.0, np.array([0.1, 0.9]), 100)
    codes = Transport("paper", 0.001)(p, budget).codes
    assert (codes == 1).sum() >= 70
    assert set(Transport("paper", 0.001, rows="slack")(p, budget).codes.tolist()) <= {-1, 0}
    # One class alone is asked for ten rows; the paper takes all that have more mass there than slack.
    sure = np.tile([1.0, 0.0], (40, 1))
    few = Budget(0.1, np.array([0.99, 0.01]), 40)
    assert (Transport("paper", 10.0)(sure, few).codes >= 0).sum() != few.quota.sum()


def test_no_row_is_forced_into_a_class_that_expects_less_than_one():
    p = np.eye(10)[[8, 9]]
    assert set(Transport()(p, ample(10, 2, share=1 / 3)).codes.tolist()) <= {-1, 8, 9}


@pytest.mark.parametrize("form", list(BOUNDS))
def test_two_rows_and_ten_classes_are_enough(form):
    p = np.eye(10)[[3, 7]] * 0.9 + 0.01
    codes = Transport(form, 0.001)(p, ample(10, 2, share=1 / 3)).codes
    assert set(codes.tolist()) <= {-1, 3, 7}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            Transport(bounds="tight"),
            "bounds must be one of paper, unscaled, released, per_class; it is 'tight'",
        ),
        (Transport(rows="all"), "rows must be one of auto, mass, quota, slack, plan; it is 'all'"),
        (Transport(cost="square"), "cost must be one of log, linear; it is 'square'"),
    ],
)
def test_a_name_that_does_not_exist_is_an_error(part, message):
    with pytest.raises(ValueError, match=message):
        part(np.full((3, 2), 0.5), ample(2, 3))


def slow_plan(cost, lower, upper, epsilon):
    """Sinkhorn in the log domain, columns clipped to their range, until nothing moves."""
    g = np.zeros(cost.shape[1])
    with np.errstate(divide="ignore"):
        least, most = np.log(lower), np.log(upper)
    for _ in range(100_000):
        f = -logsumexp((g - cost) / epsilon, axis=1)
        free = logsumexp(f[:, None] - cost / epsilon, axis=0)
        before, g = g, epsilon * (np.clip(free, least, most) - free)
        if np.abs(g - before).max() < 1e-9 * epsilon:
            break
    return np.exp((g - cost) / epsilon - logsumexp((g - cost) / epsilon, axis=1)[:, None])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["unscaled", "released", "per_class"])
def test_selections_on_digits_are_those_of_the_slow_reference(form):
    X, y = load_digits(return_X_y=True)
    p = Repeated(trees(10), n_members=10, random_state=0).fit(X[:143], y[:143]).predict_proba(X[143:])
    prior = np.bincount(y[:143]) / 143
    lower, upper, (_, most_slack), _ = BOUNDS[form](len(p), Budget(1 / 3, prior, len(p)), 0.9, 1.1)
    cost = np.column_stack([-np.log(p.clip(1e-12)), np.zeros(len(p))])
    plan = slow_plan(cost, np.append(lower, 0), np.append(upper, most_slack), 0.01)[:, :-1]
    agreed = plan.argmax(axis=1) == p.argmax(axis=1)
    expected = choose(plan.argmax(axis=1), plan.max(axis=1), agreed, whole_mass(plan.sum(axis=0)))
    assert_array_equal(Transport(form)(p, Budget(1 / 3, prior, len(p))).codes, expected.codes)


def test_a_plan_that_did_not_converge_warns(monkeypatch, rng):
    from surelabel import allocation, transport

    def hasty(*arguments, **options):
        return transport.solve(*arguments, **options, max_iter=1)

    monkeypatch.setattr(allocation, "solve", hasty)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        Transport(epsilon=1e-4)(rng.dirichlet(np.ones(3), 50), ample(3, 50, 0.3))

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from surelabel.budget import BOUNDS, Budget
from surelabel.transport import Rows, solve
from surelabel.transport.screening import survivors
from surelabel.transport.semidual import block_terms

# Bounds that are ranges; those of the paper are one more row (`test_augmented`).
FORMS = ["unscaled", "released", "per_class"]


def allocation_problem(seed, n=40, k=4, form="per_class", share=0.4, signal=1.0):
    """Costs with a free slack column, and the bounds of one of the three forms."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(k, 5))
    p = rng.dirichlet(np.full(k, 1 / signal), n)
    cost = np.column_stack([-np.log(p.clip(1e-12)), np.zeros(n)])
    lower, upper, (_, most_slack), _ = BOUNDS[form](n, Budget(share, prior, n), 0.9, 1.1)
    return cost, np.ones(n), (np.append(lower, 0.0), np.append(upper, most_slack))


def balanced_problem(seed, n=30, k=4):
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(n, k)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(k))


def lp(cost, row_mass, bounds):
    """The exact plan, by HiGHS."""
    n, k = cost.shape
    rows = np.kron(np.eye(n), np.ones(k))
    columns = np.kron(np.ones(n), np.eye(k))
    lower, upper = bounds if isinstance(bounds, tuple) else (bounds, bounds)
    result = linprog(
        cost.ravel(),
        A_eq=rows,
        b_eq=row_mass,
        A_ub=np.vstack([columns, -columns]),
        b_ub=np.concatenate([upper, -lower]),
    )
    assert result.success
    return result.x.reshape(n, k)


problems = st.builds(
    allocation_problem,
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    k=st.integers(2, 12),
    form=st.sampled_from(FORMS),
    share=st.floats(0, 1),
    signal=st.sampled_from([0.2, 1.0, 20.0]),
)
epsilons = st.sampled_from([10, 1, 0.1, 0.01, 1e-3, 1e-4])


@given(problems, epsilons)
def test_plan_keeps_rows_and_bounds_and_certifies_it(problem, epsilon):
    cost, row_mass, (lower, upper) = problem
    solution = solve(cost, row_mass, (lower, upper), epsilon)
    assert solution.certificate.converged
    assert solution.certificate.marginal_error <= 1e-9
    assert (solution.plan >= 0).all()
    assert_allclose(solution.plan.sum(axis=1), row_mass)
    mass = solution.plan.sum(axis=0)
    slack = 1e-8 * row_mass.sum()
    assert (mass >= lower - slack).all()
    assert (mass <= upper + slack).all()


@pytest.mark.parametrize("epsilon", [0.5, 0.05, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_plan_equals_pots_in_the_log_domain(seed, epsilon):
    cost, row_mass, column_mass = balanced_problem(seed)
    theirs = ot.bregman.sinkhorn_log(row_mass, column_mass, cost, epsilon, numItermax=10**6, stopThr=1e-12)
    assert_allclose(solve(cost, row_mass, column_mass, epsilon).plan, theirs, atol=1e-6)


@pytest.mark.parametrize("epsilon", [0.3, 0.03])
def test_a_fixed_share_of_slack_equals_pots_plan_with_the_slack_column(epsilon, rng):
    """With the masses fixed, leaving rows out is plain transport to one more column."""
    n, prior = 60, np.array([0.5, 0.3, 0.2])
    cost = np.column_stack([-np.log(rng.dirichlet(np.ones(3), n)), np.zeros(n)])
    column_mass = np.append(0.4 * n * prior, 0.6 * n)
    theirs = ot.bregman.sinkhorn_log(np.ones(n), column_mass, cost, epsilon, numItermax=10**6, stopThr=1e-12)
    assert_allclose(solve(cost, np.ones(n), column_mass, epsilon).plan, theirs, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_small_epsilon_tends_to_the_linear_programme(form, seed):
    problem = allocation_problem(seed, form=form)
    exact = lp(*problem)
    plan = solve(*problem, epsilon=1e-5).plan
    assert_allclose((plan * problem[0]).sum(), (exact * problem[0]).sum(), atol=1e-3)
    assert_allclose(plan, exact, atol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_plan_follows_its_rows_and_columns(seed):
    cost, row_mass, (lower, upper) = allocation_problem(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(cost.shape[0]), rng.permutation(cost.shape[1])
    plan = solve(cost, row_mass, (lower, upper)).plan
    moved = solve(cost[rows][:, columns], row_mass[rows], (lower[columns], upper[columns])).plan
    assert_allclose(moved, plan[rows][:, columns], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_scaling_cost_and_epsilon_together_changes_nothing(seed):
    cost, row_mass, bounds = allocation_problem(seed)
    assert_allclose(
        solve(7 * cost, row_mass, bounds, 0.07).plan, solve(cost, row_mass, bounds, 0.01).plan, atol=1e-6
    )


@pytest.mark.parametrize("seed", range(5))
def test_shifting_the_cost_of_a_row_or_of_a_fixed_column_changes_nothing(seed, rng):
    cost, row_mass, column_mass = balanced_problem(seed)
    shifted = cost + rng.normal(size=(len(cost), 1)) + rng.normal(size=cost.shape[1])
    assert_allclose(
        solve(shifted, row_mass, column_mass).plan, solve(cost, row_mass, column_mass).plan, atol=1e-8
    )


def test_identical_rows_get_identical_plans():
    cost, row_mass, bounds = allocation_problem(0, n=20)
    plan = solve(np.repeat(cost, 2, axis=0), np.repeat(row_mass, 2), (2 * bounds[0], 2 * bounds[1])).plan
    assert_allclose(plan[::2], plan[1::2])


@pytest.mark.parametrize("seed", range(5))
def test_cost_does_not_fall_as_epsilon_grows(seed):
    problem = allocation_problem(seed)
    costs = [(solve(*problem, epsilon=e).plan * problem[0]).sum() for e in (1e-3, 1e-2, 1e-1, 1, 10)]
    assert (np.diff(costs) >= -1e-6).all()


@pytest.mark.parametrize("form", FORMS)
def test_assigned_mass_does_not_fall_as_the_share_grows(form):
    mass = [solve(*allocation_problem(1, form=form, share=s)).plan[:, :-1].sum() for s in (0.1, 0.3, 0.6, 1)]
    assert (np.diff(mass) >= -1e-6).all()


def test_lowering_one_cells_cost_raises_its_plan():
    cost, row_mass, bounds = allocation_problem(2)
    cheaper = cost.copy()
    cheaper[5, 1] -= 0.5
    assert solve(cheaper, row_mass, bounds, 0.1).plan[5, 1] > solve(cost, row_mass, bounds, 0.1).plan[5, 1]


def test_per_class_bounds_hold_for_each_class_and_the_papers_only_in_total():
    """The paper's text promises each class its minimum; its constraints do not give it."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([8, 1, 1], 200)  # two hard classes
    prior = np.full(3, 1 / 3)
    cost = np.column_stack([-np.log(p), np.zeros(200)])
    mass = {}
    for form in FORMS:
        lower, upper, (_, most_slack), _ = BOUNDS[form](200, Budget(1 / 3, prior, 200), 0.9, 1.1)
        limits = np.append(lower, 0), np.append(upper, most_slack)
        mass[form] = solve(cost, np.ones(200), limits, 1e-4).plan[:, :-1].sum(axis=0)
    least = np.floor(0.9 * 200 / 9)
    assert (mass["per_class"] >= least - 1e-6).all()
    assert mass["unscaled"].min() < least
    assert_allclose(mass["unscaled"].sum(), 60, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("signal", [0.2, 1.0, 20.0])
@pytest.mark.parametrize("seed", range(4))
def test_epsilon_zero_is_the_linear_programme_in_whole_rows(form, signal, seed):
    problem = allocation_problem(seed, n=150, k=6, form=form, signal=signal)
    solution = solve(*problem, epsilon=0)
    assert_allclose((solution.plan * problem[0]).sum(), (lp(*problem) * problem[0]).sum(), rtol=1e-9)
    assert solution.certificate.converged
    assert solution.certificate.gap <= 1e-9 * solution.certificate.cost
    assert set(np.unique(solution.plan)) <= {0.0, 1.0}


@pytest.mark.parametrize("seed", range(3))
def test_epsilon_zero_equals_pots_emd(seed):
    cost, row_mass, column_mass = balanced_problem(seed, n=200, k=5)
    theirs = ot.emd(row_mass, column_mass, cost)
    plan = solve(cost, row_mass, column_mass, epsilon=0).plan
    assert_allclose((plan * cost).sum(), (theirs * cost).sum(), rtol=1e-9)
    assert_allclose(plan.sum(axis=0), column_mass)
    assert_allclose(plan.sum(axis=1), row_mass)


def test_epsilon_zero_deals_whole_rows_out_of_equal_ones():
    plan = solve(np.tile([0.1, 0.2], (50, 1)), 1.0, [20, 10], epsilon=0, slack=20).plan
    assert_allclose(plan.sum(axis=0), [20, 10])
    assert set(np.unique(plan)) <= {0.0, 1.0}


def large_problem(form="per_class", n=30_000, k=7):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(k, 0.5), n)
    lower, upper, (_, most_slack), _ = BOUNDS[form](n, Budget(1 / 3, np.full(k, 1 / k), n), 0.9, 1.1)
    return -np.log(p), (lower, upper), (0, most_slack)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("epsilon", [0, 1e-3, 0.01, 1])
def test_many_rows_are_solved_through_samples_to_the_same_precision(form, epsilon):
    cost, column_mass, slack = large_problem(form)
    solution = solve(cost, 1.0, column_mass, epsilon, slack=slack)
    assert solution.certificate.converged
    plan = solution.plan
    assert (plan.sum(axis=0) >= column_mass[0] - 1e-4).all()
    assert (plan.sum(axis=0) <= column_mass[1] + 1e-4).all()
    assert plan.sum(axis=1).max() <= 1 + 1e-9
    assert_allclose((plan * cost).sum(), solution.certificate.cost, rtol=1e-8)
    assert_allclose(solution.column_sum, plan.sum(axis=0), atol=1e-4)


def test_slack_is_one_more_column_of_cost_zero():
    cost, (lower, upper), (_, most) = large_problem(n=3000)
    bounds = np.append(lower, 0), np.append(upper, most)
    with_column = solve(np.column_stack([cost, np.zeros(3000)]), 1.0, bounds)
    assert_allclose(
        solve(cost, 1.0, (lower, upper), slack=(0, most)).plan, with_column.plan[:, :-1], atol=1e-6
    )


def test_potentials_give_the_plan():
    cost, column_mass, slack = large_problem(n=500)
    solution = solve(cost, 1.0, column_mass, 0.05, slack=slack)
    f, g = solution.row_potential, solution.column_potential
    assert_allclose(np.exp((f[:, None] + g - cost) / 0.05), solution.plan, atol=1e-9)


def test_assignment_is_the_plans_largest_cell():
    cost, column_mass, slack = large_problem(n=500)
    solution = solve(cost, 1.0, column_mass, slack=slack)
    best, plan = solution.assignment(), solution.plan
    assert_array_equal(best.column, plan.argmax(axis=1))
    assert_allclose(best.mass, plan.max(axis=1))
    assert_allclose(best.slack, 1 - plan.sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0, 0.01])
def test_rows_may_come_as_blocks_or_from_a_file(epsilon, tmp_path):
    cost, column_mass, slack = large_problem()
    p = np.exp(-cost).astype(np.float32)
    path = tmp_path / "p.npy"
    np.save(path, p)
    expected = solve(-np.log(p.astype(float)), 1.0, column_mass, epsilon, slack=slack)
    mapped = Rows(np.load(path, mmap_mode="r"), lambda block: -np.log(block))
    blocks = [-np.log(part.astype(float)) for part in np.array_split(p, 5)]
    for rows in (mapped, lambda: iter(blocks)):
        found = solve(rows, 1.0, column_mass, epsilon, slack=slack)
        assert_allclose(found.assignment().mass, expected.assignment().mass, atol=1e-6)


@pytest.mark.parametrize("slack", [-1, (2, 1)])
def test_slack_must_be_a_mass_or_a_range(slack):
    with pytest.raises(ValueError, match="slack must be a mass or a range of masses; it is"):
        solve([[0.0, 1.0]], 1.0, [1, 0], slack=slack)


def test_an_iterator_that_can_be_read_once_is_refused():
    with pytest.raises(TypeError, match="a function that returns a new one"):
        solve(iter([np.zeros((2, 2))]), 1.0, [1, 1])


def test_terms_add_up_over_blocks_and_survive_the_screening():
    cost, (lower, _), _ = large_problem(n=2000)
    mass = np.random.default_rng(0).uniform(0, 2, 2000)
    g = np.append(np.full(len(lower), 0.3), 0.0)
    whole = block_terms(cost, mass, g, 0.01)
    parts = block_terms(cost[:700], mass[:700], g, 0.01) + block_terms(cost[700:], mass[700:], g, 0.01)
    halves = [(cost[:700], mass[:700]), (cost[700:], mass[700:])]
    screened = survivors(halves, g, 0.3).terms(g, 0.01)
    wide = survivors(halves, g, 3.0).terms(g, 0.01)
    for other in (parts, screened, wide):
        assert_allclose(other.column_sum, whole.column_sum, rtol=1e-9, atol=1e-9)
        assert_allclose(other.gram, whole.gram, rtol=1e-9, atol=1e-9)
        assert_allclose(other.cost, whole.cost)


def random_problem(seed):
    """Anything point by point: zeros, ties, closed classes, few rows, many columns."""
    rng = np.random.default_rng(seed)
    k = int(rng.choice([2, 3, 10, 30, 100, 1000], p=[0.2, 0.2, 0.3, 0.17, 0.12, 0.01]))
    n = int(rng.choice([1, 3, 10, 100, 1000, 5000])) if k < 100 else int(rng.choice([1, 10, 300]))
    kinds = {
        "weak": lambda: rng.dirichlet(np.full(k, 2.0), n),
        "strong": lambda: rng.dirichlet(np.full(k, 0.05), n),
        "one-hot": lambda: np.eye(k)[rng.integers(k, size=n)],
        "ties": lambda: np.repeat(rng.dirichlet(np.ones(k), 1), n, axis=0),
        "zeros": lambda: np.where(rng.uniform(size=(n, k)) < 0.3, 0, rng.dirichlet(np.ones(k), n)),
        "single": lambda: rng.dirichlet(np.full(k, 0.5), n).astype(np.float32),
    }
    p = kinds[str(rng.choice(list(kinds)))]()
    prior = rng.dirichlet(np.full(k, rng.choice([0.3, 1, 10])))
    if rng.uniform() < 0.2:
        prior[rng.integers(k)] = 0
        prior /= prior.sum()
    share, form = rng.choice([1 / 15, 1 / 3, 0.9, 1.0]), rng.choice(["fixed", "full", *BOUNDS])
    if form == "fixed":
        column_mass, slack = share * prior * n, (1 - share) * n
    elif form == "full":
        column_mass, slack = prior * n, None
    else:
        low = np.where(form == "per_class", 0.9 * share, 0) * prior * n
        high = (1.1 if form == "paper" else 1.1 * share) * prior * n
        column_mass, slack = (low, high), (0, n - 0.9 * share * n)
    cost = -np.log(np.maximum(p, np.float32(1e-12)))
    return (cost, 1.0, column_mass, float(10 ** rng.uniform(-4, 1))), {"slack": slack}


@pytest.mark.parametrize("batch", range(26))
def test_no_problem_defeats_the_solver(batch):
    for seed in range(20 * batch, 20 * batch + 20):
        arguments, options = random_problem(seed)
        solution = solve(*arguments, **options)
        certificate = solution.certificate
        assert certificate.converged, (seed, certificate)
        assert certificate.marginal_error < 1e-9, (seed, certificate)
        scale = abs(certificate.cost) + certificate.epsilon * len(arguments[0])
        assert abs(certificate.gap) < 1e-8 * scale, (seed, certificate)
        assert np.isfinite(solution.plan).all(), seed


def test_a_column_without_mass_gets_nothing():
    solution = solve([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]], [1, 1], [0, 1, 1])
    assert_allclose(solution.plan[:, 0], 0)
    assert solution.certificate.converged


@pytest.mark.parametrize("max_iter", range(1, 12))
@pytest.mark.parametrize("n", [200, 4000])
def test_running_out_of_evaluations_is_reported(max_iter, n):
    problem = allocation_problem(0, n=n, k=10)
    solution = solve(*problem, epsilon=1e-4, max_iter=max_iter)
    mass, (lower, upper) = solution.plan.sum(axis=0), problem[2]
    assert solution.certificate.converged == (np.maximum(lower - mass, mass - upper).max() < 1e-9 * n)
    assert max_iter > 3 or not solution.certificate.converged


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0, np.inf]], [1], ([0, 0], [1, 1])), "cost must be finite; rows 0 to 0"),
        (([[0.0, 1.0]], [1], [1, 1]), "lower bounds sum to 2, 1 more than the rows' mass 1"),
        (([[0.0, 1.0]], [3], ([0, 0], [1, 1])), "upper bounds sum to 2, 1 less than the rows' mass 3"),
        (([[0.0, 1.0]], [1], ([1, 0], [0, 1])), "Column 0 must get at least 1 and at most 0"),
        (([[0.0, 1.0]], [-1], [1, 0]), "Masses must not be negative"),
        (([[0.0, 1.0]], [0], [0, 0]), "The rows have no mass"),
        (([[0.0, 1.0]], [1], [1, 0], -1), "epsilon must not be negative; it is -1"),
        (([[0.0, 1.0]], [1, 1], [1, 0]), "cost has 1 rows and row_mass 2 entries"),
        (([[0.0, 1.0]], [1], [1, 0, 0]), "cost has 2 columns and column_mass 3"),
        (([0.0, 1.0], [1], [1, 0]), "cost must have rows and columns"),
        ((np.empty((0, 2)), 1.0, [0, 0]), "cost has no rows"),
        ((lambda: iter([]), 1.0, [0, 0]), "cost has no block of rows"),
    ],
)
def test_impossible_problems_are_errors_that_say_why(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve(*arguments)


def test_some_rows_of_the_plan_are_those_of_the_whole(rng):
    cost = rng.random((50, 4))
    for epsilon in (0.05, 0):
        solution = solve(cost, 1.0, (np.zeros(4), np.full(4, 12.0)), epsilon, slack=(0, 20))
        some = rng.permutation(50)[:13]
        assert_allclose(solution.rows(some), solution.plan[some])


def test_one_column_takes_all():
    """No choice is left, also where the others are closed: there is nothing to solve."""
    solution = solve(np.array([[0.5, 1.0], [2.0, 1.0]]), 1.0, [2, 0], epsilon=0)
    assert_allclose(solution.plan, [[1, 0], [1, 0]])
    assert solution.certificate.cost == 2.5

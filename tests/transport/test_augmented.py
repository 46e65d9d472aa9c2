"""The paper's plan of (N + 1) x (K + 1) cells, against Sinkhorn's iterations as the paper writes them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier

from surelabel import Budget, Transport
from surelabel.transport import Rows, solve

LOW, HIGH = 0.9, 1.1


def naive(p, w, rho, epsilon):
    """Sinkhorn on the whole matrix, in the log domain, until nothing moves: plans (B, N + 1, K + 1).

    p is (B, N, K), w (B, K), rho and epsilon (B,): several problems at once.
    """
    many, n, k = p.shape
    kernel = np.zeros((many, n + 1, k + 1))
    kernel[:, :n, :k] = np.log(np.maximum(p, 1e-12)) / epsilon[:, None, None]
    r, c = np.ones((many, n + 1)), np.empty((many, k + 1))
    r[:, n] = n * (HIGH * w.sum(axis=1) - rho * LOW * w.sum(axis=1))
    c[:, :k] = HIGH * n * w
    c[:, k] = n * (1 - rho * LOW * w.sum(axis=1))
    r, c = np.log(r), np.log(c)
    f, g, left = np.zeros_like(r), np.zeros_like(c), np.arange(many)
    while len(left):
        cells, rows, columns, new = kernel[left], r[left], c[left], g[left]
        for _ in range(100):
            before = new
            own = rows - log_sum(cells + new[:, None, :], 2)
            new = columns - log_sum(cells + own[:, :, None], 1)
        f[left], g[left] = own, new
        left = left[np.ptp(new - before, axis=1) > 1e-10]
    return np.exp(kernel + f[:, :, None] + g[:, None, :])


def log_sum(x, axis):
    top = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + top.squeeze(axis)


def plan_of(p, w, rho, epsilon):
    n = len(p)
    solution = solve(
        -np.log(p.clip(1e-12)),
        1.0,
        HIGH * w * n,
        epsilon,
        slack=n * (1 - rho * LOW),
        spare=n * (HIGH - rho * LOW),
    )
    assert solution.certificate.converged
    return solution


@pytest.mark.parametrize(("n", "k"), [(4, 6), (12, 2), (20, 3), (25, 4)])
def test_plans_equal_those_of_naive_sinkhorn_on_fifty_problems(n, k):
    rng = np.random.default_rng(n)
    signal = rng.choice([0.1, 0.5, 1.0, 5.0], 50)
    p = np.stack([rng.dirichlet(np.full(k, each), n) for each in signal])
    w, rho = rng.dirichlet(np.full(k, 5), 50), rng.uniform(0.05, 1, 50)
    epsilon = rng.choice([0.01, 0.03, 0.1, 1.0], 50)
    theirs = naive(p, w, rho, epsilon)
    for problem, expected in zip(zip(p, w, rho, epsilon, strict=True), theirs, strict=True):
        solution = plan_of(*problem)
        assert_allclose(solution.plan, expected[:n, :k], atol=1e-6)
        assert_allclose(solution.column_sum, expected[:n, :k].sum(axis=0), atol=1e-6)


@pytest.fixture(scope="module")
def real():
    """Of two tables: what a forest says of 250 rows after seeing 100, and the prior."""
    found = []
    for load in (load_breast_cancer, load_digits):
        X, y = load(return_X_y=True)
        forest = RandomForestClassifier(20, max_depth=6, random_state=0).fit(X[:100], y[:100])
        found.append((forest.predict_proba(X[100:350]), np.bincount(y[:100]) / 100))
    return found


@pytest.mark.parametrize("number", [0, 1])
def test_plans_and_labels_on_real_probabilities_are_those_of_naive_sinkhorn(real, number):
    p, w = real[number]
    expected = naive(p[None], w[None], np.array([1 / 3]), np.array([0.01]))[0]
    plan, slack = expected[:-1, :-1], expected[:-1, -1]
    assert_allclose(plan_of(p, w, 1 / 3, 0.01).plan, plan, atol=1e-6)
    codes = np.where(plan.max(axis=1) > slack, plan.argmax(axis=1), -1)
    found = Transport("paper")(p, Budget(1 / 3, w, 400))
    assert_array_equal(found.codes, codes)
    assert_allclose(found.plan(np.arange(5)), plan[:5], atol=1e-6)


def test_the_exact_limit_is_that_of_the_inequalities(rng):
    p, w = rng.dirichlet(np.ones(3), 60), np.array([0.5, 0.3, 0.2])
    exact = plan_of(p, w, 0.5, 0)
    assert_allclose(exact.plan.sum(), 0.45 * 60, rtol=1e-6)  # the least that is asked for, and no more
    assert (exact.plan.sum(axis=0) <= HIGH * w * 60 + 1e-6).all()
    assert_allclose(plan_of(p, w, 0.5, 1e-5).certificate.cost, exact.certificate.cost, atol=1e-3)


def test_samples_and_screened_cells_lead_to_the_same_plan(rng):
    """Enough rows for samples; the plan of all cells is known by its potentials."""
    p, w = rng.dirichlet(np.full(4, 0.3), 20_000), np.array([0.4, 0.3, 0.2, 0.1])
    solution = plan_of(p, w, 1 / 3, 0.01)
    assert solution.certificate.n_passes < 10
    plan = solution.plan
    unused = HIGH * w * len(p) - plan.sum(axis=0)
    left = len(p) * (1 - LOW / 3) - (len(p) - plan.sum())
    assert_allclose(unused.sum() + left, len(p) * (HIGH - LOW / 3))
    # Entropy on the row added: what it gives is in proportion to exp(g / epsilon), like every row of cost 0.
    g = solution.column_potential / 0.01
    assert_allclose(np.diff(np.log(unused)), np.diff(g), atol=1e-5)


@pytest.mark.parametrize(
    ("mass", "spare", "message"),
    [
        (([0, 0], [30, 30]), 10.0, "must be masses, not ranges"),
        ([30, 30], -1.0, "spare must be a mass, 0 or more; it is -1"),
        ([30, 30], np.inf, "spare must be a mass, 0 or more; it is inf"),
    ],
)
def test_spare_mass_that_makes_no_sense_is_refused(rng, mass, spare, message):
    with pytest.raises(ValueError, match=message):
        solve(Rows(rng.uniform(size=(50, 2))), 1.0, mass, slack=10, spare=spare)

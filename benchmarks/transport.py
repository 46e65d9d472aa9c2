"""The transport solver against POT, OTT-JAX if installed, and plain NumPy Sinkhorn.

Run with `make bench-transport` (a few minutes), or `make bench-transport ARGS=--full`.
Prints a table, writes results/transport.json and a picture of time against N; with `ARGS=--augmented`
only the paper's own plan beside the plain form is timed, into docs/reproduction/augmented.json.

All run on one thread on the same costs -log p with the same fixed masses; times are the
median of repeats. "pass" is one log and one exp over the N x K array.
"""

import argparse
import importlib.util
import json
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import altair as alt
import numpy as np
import ot
import pandas as pd

from surelabel.transport import Rows, solve

EPSILON = 0.01
RESULTS = Path("results")
AUGMENTED = Path("docs/reproduction/augmented.json")
QUICK = [
    (1_000, 10, "weak", 1 / 3),
    (1_000, 10, "strong", 1 / 3),
    (10_000, 2, "weak", 1 / 3),
    (10_000, 10, "weak", 1 / 3),
    (10_000, 10, "strong", 1 / 3),
    (10_000, 10, "strong", 1),
    (10_000, 100, "weak", 1 / 3),
    (1_000, 1_000, "strong", 1 / 3),
    (100_000, 10, "weak", 1 / 3),
    (100_000, 10, "strong", 1 / 3),
    (100_000, 10, "strong", 1),
    (1_000_000, 10, "weak", 1 / 3),
]
FULL = [
    (10_000, 10, "weak", 1),
    (10_000, 100, "strong", 1 / 3),
    (100_000, 2, "weak", 1 / 3),
    (100_000, 10, "weak", 1),
    (100_000, 100, "weak", 1 / 3),
    (100_000, 100, "strong", 1 / 3),
    (1_000_000, 10, "strong", 1 / 3),
    (1_000_000, 100, "strong", 1 / 3),
]


def probabilities(n, k, signal, seed=0):
    """Softmax of noise with the true class lifted, shape (n, k)."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(n, k))
    score[np.arange(n), rng.integers(k, size=n)] += {"weak": 2.0, "strong": 6.0}[signal]
    score -= score.max(axis=1, keepdims=True)
    np.exp(score, out=score)
    return score / score.sum(axis=1, keepdims=True)


def seconds(function, repeats):
    """Median wall time and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), result


def one_pass(p, repeats):
    out = np.empty_like(p)
    return seconds(lambda: np.exp(np.log(p, out=out), out=out), repeats)[0]


def with_slack(cost, mass, rho):
    """Costs and marginals as other solvers want them: the slack as a column, mass 1."""
    n = len(cost)
    if rho < 1:
        cost, mass = np.column_stack([cost, np.zeros(n)]), np.append(mass, (1 - rho) * n)
    return np.full(n, 1 / n), mass / n, cost


def marginal_error(plan, rows, columns):
    return float(np.abs(plan.sum(axis=0) - columns).sum() + np.abs(plan.sum(axis=1) - rows).sum())


def pot(rows, columns, cost):
    """POT's fastest method that converges, to an error of about 1e-9: seconds, iterations."""
    # The plain one is the fastest where it converges; the others are slow on large problems.
    methods = ["sinkhorn"] + (["sinkhorn_stabilized", "sinkhorn_log"] if cost.size <= 20_000 else [])
    for method in methods:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            plan, log = ot.sinkhorn(
                rows, columns, cost, EPSILON, method=method, numItermax=10_000, stopThr=1e-10, log=True
            )
            took = time.perf_counter() - start
        error = marginal_error(plan, rows, columns)
        if np.isfinite(error) and error < 1e-6:
            return {"pot_s": took, "pot_iterations": log["niter"], "pot_method": method, "pot_error": error}
    return {"pot_s": None, "pot_method": f"none of {len(methods)} converged"}


def plain_sinkhorn(rows, columns, cost, iterations=1000):
    """What everyone writes first: seconds per 1000 iterations, and the error left."""
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        kernel = np.exp(-cost / EPSILON)
        u = np.ones(len(rows))
        for _ in range(iterations):
            v = columns / (kernel.T @ u)
            u = rows / (kernel @ v)
        plan = u[:, None] * kernel * v
        error = marginal_error(plan, rows, columns)
    return {"plain_s": time.perf_counter() - start, "plain_error": error}


def ott(rows, columns, cost):
    import jax

    jax.config.update("jax_enable_x64", True)
    from ott.geometry.geometry import Geometry
    from ott.problems.linear.linear_problem import LinearProblem
    from ott.solvers.linear.sinkhorn import Sinkhorn

    problem = LinearProblem(Geometry(cost_matrix=cost, epsilon=EPSILON), a=rows, b=columns)
    solver = jax.jit(Sinkhorn(threshold=1e-9, max_iterations=20_000))
    solver(problem).matrix.block_until_ready()
    took, out = seconds(lambda: jax.block_until_ready(solver(problem)), 1)
    return {"ott_s": took, "ott_converged": bool(out.converged)}


def entropic(n, k, signal, rho, repeats):
    p = probabilities(n, k, signal)
    cost = -np.log(np.maximum(p, 1e-12))
    mass = np.full(k, rho * n / k)
    slack = (1 - rho) * n if rho < 1 else None
    tracemalloc.start()
    solve(cost, 1.0, mass, EPSILON, slack=slack)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    ours, solution = seconds(lambda: solve(cost, 1.0, mass, EPSILON, slack=slack), repeats)
    certificate = solution.certificate
    row = {
        "kind": "entropic",
        "n": n,
        "k": k,
        "signal": signal,
        "rho": round(rho, 2),
        "ours_s": ours,
        "iterations": certificate.n_iter,
        "passes": certificate.n_passes,
        "error": certificate.marginal_error,
        "converged": certificate.converged,
        "pass_s": one_pass(p, repeats),
        "extra_mb": peak,
    }
    arguments = with_slack(cost, mass, rho)
    row |= pot(*arguments)
    if n * k <= 1_000_000:
        row |= plain_sinkhorn(*arguments)
        if importlib.util.find_spec("ott"):
            row |= ott(*arguments)
    row["pot_over_ours"] = row["pot_s"] / ours if row["pot_s"] else None
    row["ours_over_pass"] = ours / row["pass_s"]
    return row


def augmented(n, k, signal, repeats, draws=5):
    """The paper's plan of (N + 1) x (K + 1) cells beside its inequalities and beside given masses.

    Seconds of the processor, which depend little on what else the machine does: the least of the repeats,
    averaged over problems drawn anew.
    """
    rho, least = 1 / 3, 0.3
    caps = np.full(k, 1.1 * n / k)
    problems = {
        "paper": {"column_mass": caps, "slack": n * (1 - least), "spare": n * (1.1 - least)},
        "ranges": {"column_mass": (np.zeros(k), caps), "slack": (0, n * (1 - least))},
        "given": {"column_mass": np.full(k, rho * n / k), "slack": (1 - rho) * n},
    }
    taken, converged = dict.fromkeys(problems, 0.0), True
    for draw in range(draws):
        cost = -np.log(np.maximum(probabilities(n, k, signal, draw), 1e-12))
        times = {name: [] for name in problems}
        for _ in range(repeats):  # in turns, so that a busy moment is nobody's own
            for name, problem in problems.items():
                start = time.process_time()
                found = solve(cost, 1.0, epsilon=EPSILON, **problem)
                times[name].append(time.process_time() - start)
                converged &= found.certificate.converged
        for name, values in times.items():
            taken[name] += min(values) / draws
    return {
        "kind": "augmented",
        "n": n,
        "k": k,
        "signal": signal,
        **{f"{name}_s": seconds for name, seconds in taken.items()},
        "paper_over_ranges": taken["paper"] / taken["ranges"],
        "paper_over_given": taken["paper"] / taken["given"],
        "converged": converged,
    }


def exact(n, k, signal, repeats):
    """Epsilon 0 against POT's network simplex."""
    cost = -np.log(np.maximum(probabilities(n, k, signal), 1e-12))
    mass = np.full(k, n // (3 * k), dtype=float)
    slack = n - mass.sum()
    ours, solution = seconds(lambda: solve(cost, 1.0, mass, 0, slack=slack), repeats)
    full = np.column_stack([cost, np.zeros(n)])
    columns = np.append(mass, slack)
    took, plan = seconds(lambda: ot.emd(np.ones(n), columns, full, numItermax=10**9), 1)
    theirs = float((plan * full).sum())
    return {
        "kind": "exact",
        "n": n,
        "k": k,
        "signal": signal,
        "ours_s": ours,
        "emd_s": took,
        "emd_over_ours": took / ours,
        "cost_difference": abs(solution.certificate.cost - theirs) / theirs,
        "converged": solution.certificate.converged,
    }


def streamed(n, k=10):
    """Single precision probabilities in a file, never held as costs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.npy"
        p = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, k))
        for begin in range(0, n, 500_000):
            block = p[begin : begin + 500_000]
            block[:] = probabilities(len(block), k, "weak", seed=begin)
        p.flush()
        del p
        rows = Rows(np.load(path, mmap_mode="r"), lambda block: -np.log(np.maximum(block, 1e-12)))
        mass = np.full(k, n / (3 * k))

        def run():
            return solve(rows, 1.0, mass, EPSILON, slack=n - mass.sum())

        took, solution = seconds(run, 3)
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
    return {
        "kind": "streamed",
        "n": n,
        "k": k,
        "ours_s": took,
        "us_per_row": took / n * 1e6,
        "extra_mb": peak,
        "passes": solution.certificate.n_passes,
        "converged": solution.certificate.converged,
    }


def picture(table):
    """Time against N, ours and POT's, K = 10."""
    shown = table[(table["kind"] == "entropic") & (table["k"] == 10) & (table["rho"] < 1)]
    long = shown.melt(["n", "signal"], ["ours_s", "pot_s", "pass_s"], "solver", "seconds").dropna()
    long["solver"] = long["solver"].map({"ours_s": "surelabel", "pot_s": "POT", "pass_s": "one log + exp"})
    chart = (
        alt.Chart(long, title="Entropic transport to 10 columns, epsilon 0.01, one thread")
        .mark_line(point=True)
        .encode(
            alt.X("n:Q", title="rows").scale(type="log").axis(format="~s", values=[1e3, 1e4, 1e5, 1e6]),
            alt.Y("seconds:Q", title="seconds").scale(type="log").axis(tickCount=6),
            alt.Color("solver:N", title=None, sort=["POT", "surelabel"]),
            alt.Column("signal:N", sort="descending", title="signal"),
        )
        .properties(width=260, height=280)
    )
    chart.save(RESULTS / "transport.png", scale_factor=1.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="the large problems too")
    parser.add_argument("--augmented", action="store_true", help="only the paper's own plan, stored")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    rows = []

    def add(row):
        rows.append(row)
        print({key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()})

    def add_augmented():
        for n, k in ((1_000, 10), (10_000, 2), (10_000, 10), (100_000, 10), (10_000, 100)):
            for signal in ("weak", "strong"):
                add(augmented(n, k, signal, options.repeats))

    if options.augmented:
        add_augmented()
        AUGMENTED.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
        return
    for problem in QUICK + (FULL if options.full else []):
        add(entropic(*problem, options.repeats))
    for n in (10_000, 100_000) if options.full else (10_000,):
        for signal in ("weak", "strong"):
            add(exact(n, 10, signal, options.repeats))
    add_augmented()
    for n in (10_000, 100_000, 1_000_000, 10_000_000):
        add(streamed(n))
    table = pd.DataFrame(rows)
    (RESULTS / "transport.json").write_text(json.dumps(rows, indent=1))
    picture(table)
    columns = ["n", "k", "signal", "rho", "ours_s", "pot_s", "pot_over_ours", "pot_iterations", "iterations"]
    columns += ["ours_over_pass", "error", "extra_mb"]
    with pd.option_context("display.width", 200, "display.float_format", "{:.4g}".format):
        for kind, part in table.groupby("kind", sort=False):
            print(f"\n{kind}")
            print(
                part[columns if kind == "entropic" else part.columns]
                .dropna(axis=1, how="all")
                .to_string(index=False)
            )
    print(f"\n{RESULTS / 'transport.json'}, {RESULTS / 'transport.png'}")


if __name__ == "__main__":
    main()

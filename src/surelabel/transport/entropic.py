"""The strategy: solve for a sample of the rows, then a larger one, then all.

Each time the last potentials are the start, and only cells that can matter are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..common.types import Floats
from .interface import Cells, Transportable
from .semidual import REACH, Bounds, Evaluate, Point, advantage, newton, point_at, sampling_error, span

# A sample may grow to this many cells; after that all rows are taken.
_SAMPLE_CELLS = 3_000_000
_GROWTH = 8
# Most evaluations on a sample: its result is only a start for the next.
_SAMPLE_ITER = 15
# More cells per row than this, on average, are too expensive to keep: g then gets less room to move.
_CELLS_PER_ROW = 4
# Where g leaves the room in which the screening is exact, it may go this many times as far before cells are
# screened again: not exact there, but a good start.
_STRIDE = 4
# The first temperature is the uncertainty of the potentials divided by this.
_SMOOTHED = 8
# A temperature is this many times the next; g has room to move this many times the higher of the two.
_COOLING = 4
# At temperatures above epsilon, cells with less than exp(-this) of their row's mass are left out.
_ROUGH_REACH = 4.0
# Cells are screened again once the width needed is below this share of the present one.
_NARROWER = 0.8
# Most evaluations at a temperature above epsilon: the result is only a start for the next.
_ROUGH_ITER = 6
# Where the result is only a start, a step shorter than this many temperatures is taken without an evaluation.
_SURE_STEP = 4
# Most evaluations on all rows with screened cells; after that every cell is looked at.
_WARM_ITER = 100


def entropic(problem: Transportable, epsilon: float, tol: float, max_iter: int) -> tuple[Point, int, int]:
    """Solve on growing samples, then on all rows: the point, evaluations and passes."""
    levels = [*_samples(problem), problem]
    first = levels[0]
    costs = first.costs()
    best, longest = costs.T.copy().min(axis=0), float(span(costs)) + epsilon
    spread = float(best.std())
    g = _start(best, first.bounds, costs.shape[1])
    n_iter = n_passes = 0
    radius = np.inf
    for level in levels:
        last = level is problem
        # A sample says little about differences far below its own noise.
        noise = np.sqrt(costs.shape[1] / level.n)
        eps = epsilon if last else max(epsilon, spread * noise)
        # Cells that were left out may add to the error, by as much as the certificate says.
        strict = max(tol - np.exp(-REACH), tol / 2)
        goal, budget = (strict, max_iter - n_iter) if last else (noise / 4, _SAMPLE_ITER)
        if level is first:
            point, used = _cold(level, g, eps, goal, budget, longest, spread / 8, last)
            passes = used
        else:
            radius = _worthwhile(radius, costs, g, eps)
            point, used, passes = _warm(level, g, eps, goal, budget, longest, radius, last)
        n_iter += used
        n_passes += passes if last else 0
        g = point.g
        if not last:
            radius = np.clip(sampling_error(point, eps, level.bounds), 2 * eps, 50 * eps)
    return point, n_iter, n_passes


def _samples(problem: Transportable) -> Iterator[Transportable]:
    k = problem.k
    rng = np.random.default_rng(0)
    size = max(1024, 20 * k)
    while size < problem.n / 2 and size * k <= _SAMPLE_CELLS:
        if sample := problem.sample(size, rng):
            yield sample
        size *= _GROWTH


def _start(best: Floats, bounds: Bounds, k: int) -> Floats:
    """Potentials at which about the right number of rows prefers a column to the slack."""
    g = np.zeros(len(bounds.lower))
    if len(g) > k:
        least = max(bounds.total - bounds.upper[k], bounds.lower[:k].sum()) / bounds.total
        rank = min(int(0.9 * least * len(best)), len(best) - 1)
        price = np.partition(best, rank)[rank]
        # The side that is bounded gets the potential; the other stays at its kink.
        if bounds.lower[:k].any():
            g[:k] = price
        else:
            g[k] = -price
    return g


def _cold(
    problem: Transportable,
    g: Floats,
    epsilon: float,
    goal: float,
    budget: int,
    longest: float,
    hottest: float,
    final: bool,
) -> tuple[Point, int]:
    """Newton on every cell, from a higher temperature down; the point and evaluations."""
    used = 0
    steps = int(np.log(max(hottest, epsilon) / epsilon) / np.log(4))
    for eps in epsilon * 4.0 ** np.arange(steps, -1, -1):
        stage, most = goal if eps == epsilon else 1e-2, min(40, budget - used)
        # On few rows a step that seems sure may not be, and the way back is long.
        short = 0.0 if final else _SURE_STEP * eps
        point, n = newton(problem.terms, g, eps, problem.bounds, stage, most, longest, short=short)
        g, used = point.g, used + n
        if point.error > stage or used >= budget:
            break
    if point.error > goal and used < budget:
        point, eps, n = _anneal(problem.terms, problem.bounds, epsilon, goal, budget - used, longest)
        used += n
    if eps != epsilon:  # out of budget on the way: certify what was asked for
        point, used = point_at(problem.terms, point.g, epsilon, problem.bounds), used + 1
    return point, used


def _anneal(
    evaluate: Evaluate, bounds: Bounds, epsilon: float, goal: float, budget: int, longest: float
) -> tuple[Point, float, int]:
    """The slow and sure way: follow the path of solutions from high to low temperature.

    As the temperature falls, the potentials become linear in it, so the next are predicted
    from the last two. Returns the point, its temperature and the evaluations.
    """
    eps, ratio, used = longest, 0.3, 0
    point, n = newton(evaluate, np.zeros(len(bounds.lower)), eps, bounds, 1e-6, budget, longest)
    used += n
    before = None
    while eps > epsilon and used < budget:
        new_eps = max(eps * ratio, epsilon)
        guess = point.g
        if before is not None:
            guess = point.g + (point.g - before[1]) * (new_eps - eps) / (eps - before[0])
            guess[~bounds.fixed & (guess * point.g <= 0)] = 0.0
        stage = goal if new_eps == epsilon else 1e-6
        new, n = newton(evaluate, guess, new_eps, bounds, stage, min(40, budget - used), longest)
        used += n
        if new.error > stage and new_eps < 0.98 * eps and used < budget:
            ratio = ratio**0.5  # too far at once
            continue
        before, eps, point = (eps, point.g), new_eps, new
        ratio = max(ratio * 0.7, 0.1)
    return point, eps, used


def _warm(
    problem: Transportable,
    g: Floats,
    epsilon: float,
    goal: float,
    budget: int,
    longest: float,
    radius: float,
    final: bool,
) -> tuple[Point, int, int]:
    """Newton on the cells that can matter; the point, evaluations and passes."""
    used = n_passes = 0
    # Where g is uncertain by many epsilon, a higher temperature comes first.
    heat, room, error = max(epsilon, radius / _SMOOTHED), 2 * radius, np.inf
    while used < min(budget, _WARM_ITER) and n_passes < 30:
        cells = problem.screened(g, _needed(heat, epsilon, len(g)) + room)
        n_passes += 1
        most = min(budget, _WARM_ITER) - used
        point, heat, n, held = _cool(cells, heat, epsilon, problem.bounds, goal, most, longest, final)
        used += n
        if held and heat == epsilon and (point.error <= goal or used >= budget):
            return point, used, n_passes
        # Further off, cells that were left out may matter: look again from there.
        g = g + (point.g - g) * min(_STRIDE * room / max(span(point.g - g), room), 1.0)
        heat = heat if point.error < error / 2 else 2 * heat
        room, error = max(room, 10 * heat), point.error
    point, n = _cold(problem, g, epsilon, goal, max(budget - used, 1), longest, epsilon, final)
    return point, used + n, n_passes + n


def _cool(
    cells: Cells,
    heat: float,
    epsilon: float,
    bounds: Bounds,
    goal: float,
    budget: int,
    longest: float,
    final: bool,
) -> tuple[Point, float, int, bool]:
    """From a temperature down to epsilon: the point, its temperature, evaluations, and if it holds.

    It holds as long as no cell that was left out can matter there.
    """
    g, k, used = cells.g, len(cells.g), 0
    steps = round(np.log(heat / epsilon) / np.log(_COOLING))
    heats = [*(epsilon * (heat / epsilon) ** (np.arange(steps, 0, -1) / max(steps, 1))), epsilon]
    for heat, cooler in zip(heats, [*heats[1:], epsilon], strict=True):
        last = heat == epsilon
        room = cells.width - (reach(epsilon, k) if last else _rough(heat, k))

        def held(g: Floats, begin: Floats = cells.g, room: float = room) -> bool:
            return span(g - begin) <= room

        most = min(50 if last else _ROUGH_ITER, budget - used)
        short = 0.0 if final and last else _SURE_STEP * heat
        point, n = newton(cells.terms, g, heat, bounds, goal, most, longest, held, short)
        g, used = point.g, used + n
        if last or not held(g) or used >= budget:
            break
        width = _needed(cooler, epsilon, k) + _COOLING * heat
        if width < _NARROWER * cells.width:
            cells = cells.narrowed(g, width)
    return point, heat, used, held(g)


def _needed(heat: float, epsilon: float, k: int) -> float:
    """How wide a screening must be for this temperature, and for epsilon afterwards."""
    return max(reach(epsilon, k), _rough(heat, k))


def _rough(heat: float, k: int) -> float:
    return (_ROUGH_REACH + np.log(k)) * heat


def reach(epsilon: float, k: int) -> float:
    """How far behind the best of its row a cell may be and still count."""
    return (REACH + np.log(k)) * epsilon


def _worthwhile(radius: float, costs: Floats, g: Floats, epsilon: float) -> float:
    """The radius, or less where it would keep too many cells."""
    behind = advantage(costs, g)
    behind -= behind.max(axis=0)
    while radius > 4 * epsilon:
        kept = np.count_nonzero(behind >= -reach(epsilon, len(g)) - 2 * radius)
        if kept <= _CELLS_PER_ROW * len(costs):
            break
        radius /= 2
    return radius

"""What runs of a simulated person say: answers to an accuracy, differences, whether promises held."""

from collections import defaultdict

import numpy as np
from loop_run import AT_RANDOM, BATCH, RIGHT
from sklearn.isotonic import isotonic_regression

from surelabel.advice.audit import audited
from surelabel.bench.table_suites import half_of

CONFIDENCE = 0.95
AUDITS, MOST_CHECKS = 20, 200
# Where random order gains fewer points by all its answers, the number of answers says nothing.
CLEARLY = 1.0


def by_who(runs):
    """(table, draw) -> points, of each who; only draws that random order has too."""
    out = defaultdict(dict)
    for run in runs:
        out[run["who"]][run["table"], run["draw"]] = run["points"]
    drawn = out[AT_RANDOM]
    return {who: {at: points for at, points in own.items() if at in drawn} for who, own in out.items()}


def answers_to_reach(accuracy, goal):
    """Answers until a mean curve first reaches a goal, in a line between batches; None if it never does."""
    accuracy = np.asarray(accuracy)
    at = np.flatnonzero(accuracy >= goal)
    if not len(at):
        return None
    k = int(at[0])
    if not k:
        return 0.0
    below, above = accuracy[k - 1], accuracy[k]
    return float(BATCH * (k - 1 + (goal - below) / (above - below)))


def lines(runs):
    """A line for each table and who: answers until what random order reaches at its end, and differences."""
    each = by_who(runs)
    return [
        _line(name, who, draws, own, each[AT_RANDOM])
        for who, own in each.items()
        for name, draws in sorted(_draws(own).items())
    ]


def _draws(own):
    out = defaultdict(list)
    for name, draw in sorted(own):
        out[name].append(draw)
    return out


def _line(name, who, draws, own, drawn):
    ours, random = (_column(of, name, draws, "accuracy") for of in (own, drawn))
    promised, promised_random = (_promised(of, name, draws) for of in (own, drawn))
    # A mean curve without its dips: by chance alone random order would reach its end before its end.
    level = isotonic_regression(random.mean(axis=0))
    gains = 100 * (ours - random)[:, 1:].mean(axis=1)
    return {
        "table": name,
        "half": half_of(name),
        "who": who,
        "draws": draws,
        "accuracy": ours.mean(axis=0).round(4).tolist(),
        "promised": promised.mean(axis=0).round(4).tolist(),
        "helps": bool(100 * (level[-1] - level[0]) >= CLEARLY),
        "goal": float(level[-1]),
        "answers": answers_to_reach(isotonic_regression(ours.mean(axis=0)), level[-1] - 1e-9),
        "gains": gains.round(3).tolist(),
        "last_gains": (100 * (ours - random)[:, -1]).round(3).tolist(),
        "promised_gains": (100 * (promised - promised_random)[:, 1:].mean(axis=1)).round(3).tolist(),
    }


def _column(own, name, draws, key):
    return np.array([[point[key] for point in own[name, draw]] for draw in draws])


def _promised(own, name, draws):
    """The share of unlabelled rows that is filled in under the promise, shape (draws, steps + 1)."""
    return np.array(
        [
            [point["alike"] * point["mean"]["filled"] / point["pool"] for point in own[name, draw]]
            for draw in draws
        ]
    )


def overall(found, half=None):
    """Of each who, with the table as the unit: median of answers, mean differences and their errors."""
    out = {}
    for who in dict.fromkeys(line["who"] for line in found):
        own = [line for line in found if line["who"] == who and half in (None, line["half"])]
        if not own:
            continue
        helped = [line for line in own if line["helps"]]
        within = _error_of_a_draw([line["gains"] for line in own])
        means = {line["table"]: float(np.mean(line["gains"])) for line in own}
        bars = {line["table"]: within / np.sqrt(len(line["gains"])) for line in own}
        out[who] = {
            "tables": len(own),
            "draws": float(np.mean([len(line["draws"]) for line in own])),
            "median_answers": _median(line["answers"] for line in own),
            "tables_helped": len(helped),
            "median_answers_helped": _median(line["answers"] for line in helped),
            "never": sorted(line["table"] for line in own if line["answers"] is None),
            **{
                key: _mean_and_error([np.mean(line[key]) for line in own])
                for key in ("gains", "last_gains", "promised_gains")
            },
            "error_of_a_draw": within,
            "below": sorted(name for name in means if means[name] < 0),
            "below_beyond_noise": sorted(name for name in means if means[name] < -2 * bars[name]),
            "above_beyond_noise": sorted(name for name in means if means[name] > 2 * bars[name]),
        }
    return out


def _error_of_a_draw(gains):
    """The deviation of a draw's difference from its table's mean, over all tables; NaN with one draw each."""
    spare = sum(len(of) - 1 for of in gains)
    squares = sum(float(((np.array(of) - np.mean(of)) ** 2).sum()) for of in gains)
    return float(np.sqrt(squares / spare)) if spare else float("nan")


def _median(answers):
    found = float(np.median([np.inf if each is None else each for each in answers] or [np.nan]))
    return found if np.isfinite(found) else None


def _mean_and_error(values):
    n = len(values)
    error = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return [float(np.mean(values)), error]


def promises(runs, seed=0):
    """Whether promises held in runs of each who: on average, with confidence, and by audits."""
    return {who: _promises(own, np.random.default_rng(seed)) for who, own in by_who(runs).items()}


def _promises(own, rng):
    """Points where nothing is filled in count as right, as in benchmarks/promise.py."""
    after = [(at, point) for at, points in own.items() for point in points[1:]]
    sure = [point["sure"] for _, point in after if point["alike"]]
    # Points of one run are alike: the run is the unit, and above it the table.
    by_run, where_filled = defaultdict(list), defaultdict(list)
    for at, point in after:
        of = point["mean"]
        if point["alike"]:
            by_run[at].append(of["right"] / of["filled"] if of["filled"] else 1.0)
            if of["filled"]:
                where_filled[at].append(of["right"] / of["filled"])
    tables = _of_tables(by_run)
    means = {name: _mean_and_error(shares) for name, shares in sorted(tables.items())}
    return {
        "points": len(after),
        "withheld": sum(not point["alike"] for _, point in after),
        "filled": sum(len(shares) for shares in where_filled.values()),
        "right": _mean_and_error([mean for mean, _ in means.values()]),
        "right_where_filled": _mean_and_error([np.mean(own) for own in _of_tables(where_filled).values()]),
        "below": {name: of for name, of in means.items() if of[0] < RIGHT},
        "below_beyond_noise": [name for name, (mean, error) in means.items() if mean + 2 * error < RIGHT],
        "sure": len(sure),
        "sure_filled": sum(bool(of["filled"]) for of in sure),
        "sure_failed": sum(of["right"] < RIGHT * of["filled"] for of in sure),
        **_audits(own, rng),
    }


def _of_tables(by_run):
    """Table -> the mean of each of its runs."""
    out = defaultdict(list)
    for (name, _), shares in by_run.items():
        out[name].append(float(np.mean(shares)))
    return out


def _audits(own, rng):
    """Audits of filled labels, stopped when they look best: how often a bound was above the truth.

    Rows are checked in random order, 200 at most. The bound after the last is the best of all moments, since
    what was ruled out stays so. A person may also audit after each training and believe the best of these.
    """
    out = {"audits": 0, "audits_failed": 0, "picked": 0, "picked_failed": 0}
    for points in own.values():
        told = [point["mean"] for point in points[1:] if point["alike"] and point["mean"]["filled"]]
        for _ in range(AUDITS if told else 0):
            bounds = [_bound(of, rng) for of in told]
            failed = [
                bound > of["right"] / of["filled"] + 1e-12 for bound, of in zip(bounds, told, strict=True)
            ]
            out["audits"] += len(failed)
            out["audits_failed"] += sum(failed)
            out["picked"] += 1
            out["picked_failed"] += failed[int(np.argmax(bounds))]
    return out


def _bound(of, rng):
    wrong = rng.permutation(of["filled"])[:MOST_CHECKS] < of["filled"] - of["right"]
    return audited(wrong, of["filled"], CONFIDENCE).low

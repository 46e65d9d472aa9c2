"""From a fitted classifier to plain frames. Counts are exact; rows are a sample where said.

Nothing here draws, and nothing is asked of the classifier but its fitted attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from ..allocation import Status
from ..committees.base import Committee
from ..committees.unlike import Unlike
from ..common.types import AnyLabels, Fitted, Floats, Ints, Values
from ..confidence import TTest
from ..filling import FILLED, LEFT
from ..rounds.records import Sketch
from .names import distinct, text

ACCEPTED, _PASSED, _UNSURE, _UNASKED = OUTCOMES = ["accepted", "not selected", "not sure", "not asked"]
_OUTCOME = {
    Status.ACCEPTED: ACCEPTED,
    Status.UNSURE: _UNSURE,
    Status.WEIGHTLESS: _UNASKED,
    Status.UNASKED: _UNASKED,
}
# Rows and cells that a browser draws without being slow.
MOST_ROWS = 5000
_MOST_CELLS, _MOST_LINES = 4000, 150
# A lead over the runner-up below this is worth a look, label or not.
NARROW = 0.5
_SMALLEST_CELL = 0.01


def check_shown(clf: Fitted) -> None:
    """Refuse what is not fitted, and rows with several labels: charts are of one."""
    check_is_fitted(clf, ["estimator_", "estimators_"], all_or_any=any)
    if np.ndim(clf.transduction_) > 1:
        way = "fit on classes rather than cells"
        if clf.several_labels:
            way = f"take one of the {len(clf.estimators_)} estimators_, such as clf.estimators_[0]"
        raise ValueError(f"Charts and pages show one label at a time: {way}.")


def class_names(clf: Fitted) -> list[str]:
    """The classes as texts, a list of K."""
    return distinct(np.asarray(clf.classes_).tolist())


def outcomes(clf: Fitted) -> Values:
    """What the rounds made of each row that came unlabelled, in OUTCOMES' words, shape (n,)."""
    codes, reasons = pd.factorize(clf.pseudo_labels_["status"])
    return np.array([_OUTCOME.get(why, _PASSED) for why in reasons], dtype=object)[codes]


def handed_out(clf: Fitted) -> pd.Series:
    """The label that is handed out for each row that came unlabelled; missing where none is."""
    table = clf.pseudo_labels_
    # Models of the first release hand out what the rounds found.
    return table["filled"] if "filled" in table else table["value" if "value" in table else "label"]


def label_or_guess(clf: Fitted) -> pd.Series:
    """What is said of each row that came unlabelled: the label that is handed out, else the guess."""
    filled = handed_out(clf)
    return filled.where(filled.notna(), clf.pseudo_labels_["guess"])


def measure(clf: Fitted) -> str:
    """What the confidence is, in words."""
    if clf.confidence is None or isinstance(clf.confidence, TTest):
        return "Welch's t beyond what chance gives, above 0 is trusted"
    return f"confidence by {text(type(clf.confidence).__name__)}, above 0 is trusted"


def codes_of(clf: Fitted, values: Any) -> Ints:
    """Positions of values in classes_; -1 is missing, -2 a class that is not there, shape (n,)."""
    position = {name: code for code, name in enumerate(np.asarray(clf.classes_).tolist())}
    codes, levels = pd.factorize(np.asarray(values, dtype=object))
    # The last is for those that are missing, which factorize counts as -1.
    return np.array([*(position.get(level, -2) for level in levels), -1])[codes]


def aligned_rows(clf: Fitted, values: Any, name: str) -> Ints:
    """Positions in `values` of the rows that came unlabelled, shape (n,).

    `values` has all rows of the fit, those of X_unlabeled below those of X, or only these.
    """
    unlabeled = np.flatnonzero(np.asarray(clf.labeled_iter_) != 0)
    n, n_all = values.shape[0], len(clf.labeled_iter_)
    if n == n_all:
        return unlabeled
    if n == len(unlabeled):
        return np.arange(n)
    raise ValueError(
        f"{name} has {n} rows; the fit had {n_all}, {len(unlabeled)} of them unlabelled. Give {name} for all "
        "rows, those of X_unlabeled below those of X, or for the unlabelled ones alone."
    )


def rightness(clf: Fitted, y_true: AnyLabels | None, said: pd.Series) -> Floats:
    """Whether what is said of each row that came unlabelled is right: 1, 0 or NaN, shape (n,)."""
    if y_true is None:
        return np.full(len(clf.pseudo_labels_), np.nan)
    y_true = pd.Series(np.asarray(y_true, dtype=object))
    truth = codes_of(clf, y_true.iloc[aligned_rows(clf, y_true, "y_true")])
    codes = codes_of(clf, said)
    return np.where((truth == -1) | (codes == -1), np.nan, (truth == codes).astype(float))


def rounds(clf: Fitted) -> pd.DataFrame:
    """Rows by round and outcome: round, outcome, rows."""
    lines = []
    for round in clf.history_:
        n = len(round.rows)
        for outcome, rows in [
            (ACCEPTED, n),
            (_PASSED, round.candidates - n),
            (_UNSURE, round.pool - round.candidates),
        ]:
            lines.append({"round": round.number, "outcome": outcome, "rows": int(rows)})
    return pd.DataFrame(lines, columns=["round", "outcome", "rows"])


def round_classes(clf: Fitted) -> pd.DataFrame:
    """Rows accepted by round and class: round, class, rows."""
    names = class_names(clf)
    lines = [
        {"round": round.number, "class": name, "rows": int(n)}
        for round in clf.history_
        for name, n in zip(names, round.selected, strict=True)
    ]
    return pd.DataFrame(lines, columns=["round", "class", "rows"])


def accuracy(clf: Fitted, y_true: AnyLabels | None) -> pd.DataFrame:
    """Share of each round's labels that are right: round, accuracy, low, high, rows (95% intervals)."""
    table = clf.pseudo_labels_
    right, when = rightness(clf, y_true, table["label"]), table["round"].to_numpy()
    lines = []
    for round in clf.history_:
        known = right[(when == round.number) & np.isfinite(right)]
        if len(known):
            low, high = _wilson(known.mean(), len(known))
            lines.append((round.number, float(known.mean()), low, high, len(known)))
    return pd.DataFrame(lines, columns=["round", "accuracy", "low", "high", "rows"])


def _wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Interval of a share of n, also near 0 and 1."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float(max(middle - half, 0)), float(min(middle + half, 1))


def classes(clf: Fitted, y_true: AnyLabels | None = None) -> pd.DataFrame:
    """A line for each class.

    Columns: class, given, found and left (rows with the label given, with it found, and with it
    as a guess only), prior, probability (mean of those found), confused_with (most often the
    runner-up of doubtful rows), right (share of those found, where truth is known).
    """
    table, names = clf.pseudo_labels_, class_names(clf)
    k = len(names)
    given = codes_of(clf, np.asarray(clf.transduction_, dtype=object)[np.asarray(clf.labeled_iter_) == 0])
    label, guess = codes_of(clf, table["label"]), codes_of(clf, table["guess"])
    found, right = label >= 0, rightness(clf, y_true, table["label"])
    known = found & np.isfinite(right)
    commonest = confusions(clf).sort_values("rows", ascending=False, kind="stable").drop_duplicates("guess")
    confused = commonest.set_index("guess")["runner_up"]
    return pd.DataFrame(
        {
            "class": names,
            "given": np.bincount(given[given >= 0], minlength=k),
            "found": np.bincount(label[found], minlength=k),
            "left": np.bincount(guess[~found & (guess >= 0)], minlength=k),
            "prior": np.asarray(clf.class_prior_, dtype=float),
            "probability": _means(label[found], table["probability"].to_numpy()[found], k),
            "confused_with": [confused.get(name) for name in names],
            "right": _means(label[known], right[known], k),
        }
    )


def _means(codes: Ints, values: Floats, k: int) -> Floats:
    n = np.bincount(codes, minlength=k)
    return np.where(n, np.bincount(codes, weights=values, minlength=k) / np.maximum(n, 1), np.nan)


def class_mix(clf: Fitted) -> pd.DataFrame:
    """Class shares side by side: class, source ("given", "found", "prior"), share, rows."""
    table = classes(clf)
    parts = []
    for source in ("given", "found"):
        rows = table[source]
        if rows.sum():
            share = rows / rows.sum()
            parts.append(
                pd.DataFrame({"class": table["class"], "source": source, "share": share, "rows": rows})
            )
    prior = {"class": table["class"], "source": "prior", "share": table["prior"], "rows": np.nan}
    return pd.concat([*parts, pd.DataFrame(prior)], ignore_index=True)


def drifted(classes: pd.DataFrame, least: float = 0.05) -> pd.DataFrame:
    """Classes whose share among the labels found is off the prior by more than `least` and chance."""
    found, given = classes["found"].sum(), classes["given"].sum()
    if not found or not given:
        return classes.assign(share=np.nan).iloc[:0]
    share, prior = classes["found"] / found, classes["prior"]
    error = np.sqrt(prior * (1 - prior) * (1 / found + 1 / given))
    off = (share - prior).abs()
    return classes.assign(share=share)[(off > least) & (off > 2 * error)]


def confusions(clf: Fitted) -> pd.DataFrame:
    """The two best classes of doubtful rows: guess, runner_up, rows.

    Doubtful is a row without label, or with a lead over the runner-up below NARROW.
    """
    table, names = clf.pseudo_labels_, np.array(class_names(clf), dtype=object)
    guess, other = codes_of(clf, table["guess"]), codes_of(clf, table["runner_up"])
    doubtful = (outcomes(clf) != ACCEPTED) | (gap_of(table) < NARROW)
    pairs = pd.DataFrame({"guess": guess, "runner_up": other})[doubtful & (guess >= 0) & (other >= 0)]
    pairs = pairs.groupby(["guess", "runner_up"]).size().reset_index(name="rows")
    return pairs.assign(guess=names[pairs["guess"]], runner_up=names[pairs["runner_up"]])


def gap_of(table: pd.DataFrame) -> Floats:
    """By how much the best class of each row leads, shape (n,); NaN in models saved before that was kept."""
    return table["gap"].to_numpy() if "gap" in table else np.full(len(table), np.nan)


def worth_a_look(clf: Fitted, most: int = MOST_ROWS) -> Ints:
    """Positions in pseudo_labels_ of at most `most` rows, in order, shape (n,).

    A quarter are those without label that lead least, a quarter the labels that lead least, the
    rest is drawn at random.
    """
    table = clf.pseudo_labels_
    if len(table) <= most:
        return np.arange(len(table))
    order = np.argsort(gap_of(table), kind="stable")
    labelled = outcomes(clf)[order] == ACCEPTED
    first = np.concatenate([order[~labelled][: most // 4], order[labelled][: most // 4]])
    rest = np.setdiff1d(np.arange(len(table)), first)
    drawn = np.random.default_rng(0).choice(rest, most - len(first), replace=False)
    return np.sort(np.concatenate([first, drawn]))


def rows(clf: Fitted, y_true: AnyLabels | None = None, most: int = MOST_ROWS) -> pd.DataFrame:
    """Rows that came unlabelled, those worth a look where there are many.

    Columns: row (the caller's index), label (or guess), filled (whether it is handed out, in words),
    probability, gap, runner_up, confidence, round, outcome, status, and right where truth is known.
    """
    some = worth_a_look(clf, most)
    table, names = clf.pseudo_labels_, np.array([*class_names(clf), "–"], dtype=object)
    said = label_or_guess(clf)
    right = rightness(clf, y_true, said)[some]
    outcome, gap = outcomes(clf)[some], gap_of(table)[some]
    label = codes_of(clf, said.iloc[some])
    filled = handed_out(clf).notna().to_numpy()[some]
    table = table.iloc[some]
    frame = pd.DataFrame(
        {
            "row": [text(name) for name in table.index],
            "label": names[np.maximum(label, -1)],
            "filled": np.where(filled, FILLED, LEFT).astype(object),
            "probability": table["probability"].to_numpy(),
            "gap": gap,
            "runner_up": names[np.maximum(codes_of(clf, table["runner_up"]), -1)],
            "confidence": _finite(table["confidence"].to_numpy(dtype=float)),
            "round": table["round"].to_numpy(),
            "outcome": outcome,
            "status": table["status"].to_numpy(dtype=object),
        }
    )
    return frame if y_true is None else frame.assign(right=right)


def _finite(confidence: Floats) -> Floats:
    """Infinite ones a little beyond the largest that is not, where a chart can show them."""
    known = confidence[np.isfinite(confidence)]
    top = 1.1 * known.max() if len(known) and known.max() > 0 else 1.0
    return np.where(np.isposinf(confidence), top, confidence)


def plans(clf: Fitted, thresholds: Sequence[float] = (0.8,)) -> pd.DataFrame:
    """Cells of each round's plan: round, panel, position, class, value, row.

    Panels: what the committee says, what the plan gives, what was accepted, and what
    each threshold would have taken. Rows stand by class, the most probable first.
    """
    drawn = [(round.number, round.sketch) for round in clf.history_ if round.sketch is not None]
    parts = [_plan(number, sketch, class_names(clf), thresholds) for number, sketch in drawn]
    empty = pd.DataFrame(columns=["round", "panel", "position", "class", "value", "row"])
    return pd.concat(parts, ignore_index=True) if parts else empty


def _plan(number: int, sketch: Sketch, names: list[str], thresholds: Sequence[float]) -> pd.DataFrame:
    k = len(names)
    n = min(len(sketch.rows), _MOST_LINES, max(_MOST_CELLS // k, 20))
    some = np.arange(n) * len(sketch.rows) // n
    p, best = sketch.p[some], sketch.p[some].argmax(axis=1)
    order = np.lexsort([-p.max(axis=1), best])
    some, p, best = some[order], p[order], best[order]
    of_class = best[:, None] == np.arange(k)
    panels = {
        "committee": p,
        "plan": sketch.plan[some],
        "accepted": (sketch.codes[some, None] == np.arange(k)).astype(float),
    } | {f"threshold {gamma:g}": (of_class & (p > gamma)).astype(float) for gamma in thresholds}
    parts = []
    for panel, values in panels.items():
        position, code = np.nonzero(values >= _SMALLEST_CELL)
        parts.append(
            pd.DataFrame(
                {
                    "round": number,
                    "panel": panel,
                    "position": position + 1,
                    "class": np.array(names, dtype=object)[code],
                    "value": values[position, code].round(3),
                    "row": sketch.rows[some][position],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def members(clf: Fitted) -> pd.DataFrame:
    """Models of the final committee: model, score (held out), weight, seats; empty where it keeps none."""
    committee = clf.estimator_
    lines = []
    if isinstance(committee, Unlike):
        lines = [
            {
                "model": text(name),
                "score": score,
                "weight": committee.weights_.get(name, np.nan),
                "seats": int(committee.seats_.get(name, 0)),
            }
            for name, score in committee.scores_.items()
        ]
    frame = pd.DataFrame(lines, columns=["model", "score", "weight", "seats"])
    return frame.sort_values(["weight", "score"], ascending=False, kind="stable", ignore_index=True)


def failed(clf: Fitted) -> list[tuple[str, str]]:
    """Members of the final committee that could not be trained or asked, and why."""
    committee = clf.estimator_
    if not isinstance(committee, Committee):
        return []
    return [(text(name), text(reason, 300)) for name, reason in committee.failures.items()]


def times(clf: Fitted) -> pd.DataFrame:
    """Seconds by part and round: part, round (missing for what comes after them), seconds."""
    lines = [
        {"part": part, "round": round.number, "seconds": float(seconds)}
        for round in clf.history_
        for part, seconds in round.seconds.items()
    ]
    if clf.verdict_ is not None:
        lines.append({"part": "verdict", "round": None, "seconds": float(clf.verdict_.seconds)})
    return pd.DataFrame(lines, columns=["part", "round", "seconds"])

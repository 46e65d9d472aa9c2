"""What two of the paper's figures show of a single round: who is assigned, who is trusted."""

from __future__ import annotations

import numpy as np

from ..allocation import Threshold, Transport
from ..budget import Budget, class_frequencies, ramp
from ..committees.base import Committee
from ..committees.member_fitting import aligned, seeded
from ..common.types import Floats, Table
from ..confidence import welch_t
from .datasets import Split
from .grid import Outcome, percent_right


def assignments(split: Split, n_rows: int, committee: Committee, bounds: str) -> Outcome:
    """Assignment of a few rows by CSA with these bounds, and by thresholds 0.5, 0.7 and 0.9."""
    members, P = _ask(split, committee, split.X_u[:n_rows])
    p = P.mean(axis=0)
    prior = class_frequencies(split.y_l, np.ones(len(split.y_l)), split.n_classes)
    budget = Budget(float(ramp(5)[0]), prior, n_rows)
    t, _ = welch_t(P)
    trusted = t > 2
    transport = np.full(n_rows, -1)
    if trusted.any():
        transport[trusted] = Transport(bounds)(p[trusted], budget).codes
    details = {
        "p": np.round(p, 4).tolist(),
        "trusted": trusted.astype(int).tolist(),
        "csa": transport.tolist(),
        **{
            f"pl {gamma}": Threshold(gamma)(p, Budget(1.0, np.ones(p.shape[1]), n_rows)).codes.tolist()
            for gamma in (0.5, 0.7, 0.9)
        },
        "truth": split.y_u[:n_rows].tolist(),
    }
    return Outcome(_accuracy(members, split), details)


def regions(split: Split, side: int, committee: Committee) -> Outcome:
    """Welch's t on a square grid over two columns, and the labelled rows."""
    every = np.concatenate([split.X_l, split.X_u])
    low, high = every.min(axis=0) - 0.5, every.max(axis=0) + 0.5
    xs, ys = (np.linspace(a, b, side) for a, b in zip(low, high, strict=True))
    plane = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
    members, P = _ask(split, committee, plane)
    t, _ = welch_t(P)
    details = {
        # The scale of the picture ends at 20; t itself has no upper limit.
        "t": np.round(np.minimum(t, 20), 2).tolist(),
        "class": P.mean(axis=0).argmax(axis=1).tolist(),
        "x": np.round(xs, 4).tolist(),
        "y": np.round(ys, 4).tolist(),
        "labelled": [
            [round(float(a), 3), round(float(b), 3), int(k)]
            for (a, b), k in zip(split.X_l, split.y_l, strict=True)
        ],
    }
    return Outcome(_accuracy(members, split), details)


def _ask(split: Split, committee: Committee, X: Table) -> tuple[Committee, Floats]:
    """The committee trained on the labelled rows, and its P (M, N, K) of X."""
    members = seeded(committee, np.random.RandomState(split.seed)).fit(split.X_l, split.y_l)
    return members, aligned(members.predict_members(X), members.classes_, split.n_classes)


def _accuracy(members: Committee, split: Split) -> float:
    return percent_right(members.predict(split.X_t), split.y_t)

"""What became of each row, as a table on the caller's own index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..allocation import Status
from ..common.notice import notice
from ..common.types import Bools, Ints, Table, Values
from ..reading.features import as_table, row_index
from ..reading.targets import Targets
from .labels import Labels
from .records import Round

# One word for all rows of a status: str() would make a new one for each row.
_WORDS = {status: str(status) for status in Status}


def audit(
    labels: Labels, classes: Values, index: pd.Index[Any], rows: Bools | Ints | slice = slice(None)
) -> pd.DataFrame:
    """A line for each row, or for some rows: its label and why, as a DataFrame on the given index."""
    names = pd.Series([*classes.tolist(), None], dtype=object)  # code -1 is the last: None
    return pd.DataFrame(
        {
            "label": names.to_numpy()[labels.codes[rows]],
            "guess": names.to_numpy()[labels.guess[rows]],
            "probability": labels.probability[rows],
            "gap": labels.gap[rows],
            "confidence": labels.confidence[rows],
            "runner_up": names.to_numpy()[labels.runner_up[rows]],
            "round": labels.round[rows].astype(int),
            "status": [_WORDS[status] for status in labels.status[rows]],
        },
        index=index[rows],
        copy=False,
    )


def guess_lines(lines: pd.DataFrame, rows: Ints) -> pd.DataFrame:
    """Of lines of unlabelled rows at these positions, what says how sure the committee was."""
    out = lines[["guess", "probability", "runner_up"]].assign(gap=lines["gap"].abs())
    out.insert(0, "row", rows)
    return out


def given_labels(labels: Labels, classes: Values, index: pd.Index[Any], begin: int = 0) -> pd.DataFrame:
    """Labels that were given and taught, each with its row's position, where the first row has `begin`."""
    # Those that taught: not what was kept aside.
    given = (labels.round == 0) & (labels.weight > 0)
    return audit(labels, classes, index, given)[["label"]].assign(row=begin + np.flatnonzero(given))


def described(targets: Targets, labels: Labels, index: pd.Index[Any]) -> dict[str, Any]:
    """What became of each row, by the names of fitted attributes."""
    return {
        "transduction_": targets.filled(labels.codes),
        # Given, also where a label was kept from training.
        "labeled_iter_": np.where(targets.codes >= 0, 0, labels.round).astype(int),
        "pseudo_labels_": audit(labels, targets.classes, index, targets.codes < 0),
        "_given": given_labels(labels, targets.classes, index),
    }


def why_ended(n_left: int, history: Sequence[Round], n_rounds: int) -> str:
    """Why the rounds ended with so many rows left, as a `termination_condition_`."""
    if not n_left:
        return "all_labeled"
    if n_rounds and not (history and history[-1].labelled):
        return "no_change"
    return "max_iter" if len(history) == n_rounds else "stopped"


def speak_of(labeled_iter: Ints, lines: pd.DataFrame, learnt: bool = False) -> None:
    """Warn where there was nothing to label, or nothing was labelled; `learnt`: from the rows' shape only."""
    what = "row" if labeled_iter.ndim == 1 else "cell"
    if not len(lines):
        notice(f"y has no unlabelled {what}; this is the supervised model.", advice=True)
    elif not (labeled_iter > 0).any():
        reasons = ", ".join(f"{n} {why}" for why, n in lines["status"].value_counts().items())
        notice(
            f"None of the {len(lines)} unlabelled {what}s was labelled ({reasons}); {what_learnt(learnt)}."
        )


def what_learnt(learnt: bool) -> str:
    """What the classifier is where no label was found."""
    return "their shape alone took part in training" if learnt else "this is the supervised model"


def caller_index(X: Table, X_unlabeled: Table | None = None) -> pd.Index[Any]:
    """Row labels of X and below them of X_unlabeled, the caller's own where there are any."""
    index = row_index(as_table(X))
    if X_unlabeled is None:
        return index
    return index.append(row_index(as_table(X_unlabeled), len(index)))

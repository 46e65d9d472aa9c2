"""What became of each row, as a table on the caller's own index."""

from __future__ import annotations

import pandas as pd

from .features import as_table, row_index


def audit(labels, classes, index):
    """A line for each row: its label and why, as a DataFrame on the given index."""
    names = pd.Series([*classes.tolist(), None], dtype=object)  # code -1 is the last: None
    return pd.DataFrame(
        {
            "label": names.to_numpy()[labels.codes],
            "guess": names.to_numpy()[labels.guess],
            "probability": labels.probability,
            "gap": labels.gap,
            "confidence": labels.confidence,
            "runner_up": names.to_numpy()[labels.runner_up],
            "round": labels.round,
            "status": [str(status) for status in labels.status],
        },
        index=index,
    )


def caller_index(X, X_unlabeled=None):
    """Row labels of X and below them of X_unlabeled, the caller's own where there are any."""
    index = row_index(as_table(X))
    if X_unlabeled is None:
        return index
    return index.append(row_index(as_table(X_unlabeled), len(index)))

"""What went in, and how to get the same out again: columns, settings, versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..common.types import Fitted, Ints, Table
from ..common.versions import versions as installed_versions
from ..reading.column_values import is_frame, is_sparse
from .data import aligned_rows
from .names import count, lines, percent, text

# What only the caller knows; see `surelabel.report`.
Details = dict[str, Any] | None
# Columns that are listed, and whose values go with each row.
MOST_COLUMNS, _MOST_VALUES = 200, 12


def _as_frame(X: Table | None) -> pd.DataFrame | None:
    """X as a pandas frame to look at; None where it is sparse or there is none."""
    if X is None or is_sparse(X):
        return None
    if isinstance(X, pd.DataFrame):
        return X
    if is_frame(X):
        return nw.from_native(X, eager_only=True).to_pandas()
    X = np.asarray(X)
    return pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


def columns(clf: Fitted, X: Table | None = None, details: Details = None) -> list[dict[str, Any]]:
    """What each column was taken for: dicts of name, kind, why, n_missing, n_distinct, examples."""
    given = (details or {}).get("columns")
    if given:
        return [_column(**column) for column in given]
    names, kinds = clf.columns_.names_, clf.columns_.kinds_
    reasons = vars(clf.columns_).get("why_", {})  # models of the first release have none
    frame = _as_frame(X)
    if names is None:
        n = clf.n_features_in_
        names = [f"column {j}" for j in range(n)] if frame is None else list(frame.columns)
    out = []
    for j, name in enumerate(names):
        seen = {} if frame is None or j >= MOST_COLUMNS else _seen(frame.iloc[:, j])
        out.append(_column(name=name, kind=kinds.get(name, "number"), why=reasons.get(name, ""), **seen))
    return out


def _seen(column: pd.Series) -> dict[str, Any]:
    known = column.dropna()
    values = known.drop_duplicates()
    return {
        "n_missing": int(column.isna().sum()),
        "n_distinct": len(values),
        "examples": values.iloc[:3].tolist(),
    }


def _column(
    name: object,
    kind: str,
    why: str = "",
    n_missing: int | None = None,
    n_distinct: int | None = None,
    examples: Iterable[object] = (),
) -> dict[str, Any]:
    return {
        "name": text(name, 60),
        "title": text(name, 500),
        "kind": text(kind),
        "why": text(why, 200) if why else "",
        "n_missing": n_missing,
        "n_distinct": n_distinct,
        "examples": ", ".join(text(example, 24) for example in examples),
    }


def kinds_in_words(columns: list[dict[str, Any]]) -> str:
    """How many columns of each kind."""
    kinds = Counter(column["kind"] for column in columns)
    return ", ".join(f"{n:,} × {kind}" if len(kinds) > 1 else f"all {kind}s" for kind, n in kinds.items())


def values(clf: Fitted, X: Table | None, some: Ints) -> tuple[list[str], list[list[str]]]:
    """Names of the first columns and their texts in some of the unlabelled rows: (d,), (n, d)."""
    frame = _as_frame(X)
    if frame is None:
        return [], []
    picked = frame.iloc[aligned_rows(clf, frame, "X")[some], :_MOST_VALUES]
    return [text(name, 30) for name in picked.columns], [
        [_cell(value) for value in line] for line in picked.itertuples(index=False, name=None)
    ]


def _cell(value: Any) -> str:
    if value is None or value is pd.NA or value != value:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else text(value, 40)


def settings(clf: Fitted, details: Details = None) -> list[tuple[str, str]]:
    """Name and value of each setting, as texts; those of the command line where there are any."""
    given = (details or {}).get("settings")
    given = clf.get_params(deep=False) if given is None else given
    return [
        (text(name), text(value if isinstance(value, str) else repr(value), 300))
        for name, value in given.items()
    ]


def versions(details: Details = None) -> list[tuple[str, str]]:
    """Name and version of what was used."""
    given = (details or {}).get("versions")
    given = installed_versions() if given is None else given
    return [(text(name), text(number)) for name, number in given.items()]


def reproduction(clf: Fitted, details: Details = None) -> tuple[str, str]:
    """The command or code that does it again, and a word on the seed."""
    details = details or {}
    seed = details.get("seed", clf.get_params(deep=False).get("random_state"))
    words = (
        f"Seed {text(seed)}: the same rows in the same order give the same labels."
        if isinstance(seed, int | np.integer) and not isinstance(seed, bool)
        else "No seed was set, so another run may give other labels; random_state=0 fixes it."
    )
    code = details.get("command")
    if code is None:
        code = f"from surelabel import *\n\nclf = {clf!r}\nclf.fit(X, y)"
    return lines(code), words


def rows_in_words(clf: Fitted) -> str:
    """Counts of rows that came in: all, labelled, unlabelled."""
    n, unlabeled = len(clf.labeled_iter_), len(clf.pseudo_labels_)
    share = percent((n - unlabeled) / n)
    return f"{count(n, 'row')}: {n - unlabeled:,} came with a label ({share}), {unlabeled:,} without."

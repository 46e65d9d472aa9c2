"""What a run came to, as charts and as one page: data -> charts -> page."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from ..common.types import AnyLabels, Fitted, Floats, Table
from ..reading.indicators import read_indicators


def report(
    clf: Fitted,
    path: Path | str,
    *,
    X: Table | None = None,
    y_true: AnyLabels | None = None,
    details: dict[str, Any] | None = None,
) -> Path:
    """Write what happened in a fit, and which labels to trust, into one HTML file.

    The file needs no network, runs nothing that is not its own, and opens in any browser. Where rows
    have several labels, it links to a page for each, which lies beside it under its name and a number.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    path : str or path
        The file to write; one that is there is replaced.
    X : array or frame, optional
        All rows of the fit, those of X_unlabeled below those of X, or the unlabelled ones
        alone: shown beside their labels. Where it has the columns of the fit, the page tells what each
        contributes, and of free text the words that speak for each class.
    y_true : array-like, optional
        The true labels of the same rows, where they are known: how many labels are right.
    details : dict, optional
        What only the caller knows: "input" (the file's name), "columns" (dicts of name, kind,
        why, n_missing, n_distinct, examples), "settings", "versions" (dicts), "seed", "command", "run" (the
        folder of a run of the command line, as it is typed).

    Returns
    -------
    Path
        Of the file.

    See Also
    --------
    surelabel.PseudoLabelClassifier.plot : The charts one by one.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import pl, report
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = pl(committee=GaussianNB(), guard=False).fit(X, hide_labels(y, 0.8, random_state=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(clf, f"{folder}/report.html", X=X, y_true=y).name
    'report.html'
    """
    # Drawing takes a second to import: too long for those who draw nothing.
    from ..files import write_bytes
    from .page import overview_page, page

    path = Path(path)
    if clf.several_labels:
        truths = _of_each(clf, y_true)
        beside = [path.with_stem(f"{path.stem}-{k + 1}") for k in range(len(truths))]
        for name, one, truth, page_of in zip(clf.classes_, clf.estimators_, truths, beside, strict=True):
            # What columns contribute is asked of a classifier again and again; of many it takes too long.
            html = page(one, X=X, y_true=truth, details=_of_label(details, name), contributing=False)
            write_bytes(page_of, html.encode())
        html = overview_page(clf, [quote(each.name) for each in beside], truths, details=details)
    else:
        html = page(clf, X=X, y_true=y_true, details=details)
    write_bytes(path, html.encode())
    return path


def _of_each(clf: Fitted, y_true: AnyLabels | None) -> list[Floats] | list[None]:
    """The truth of each label, NaN where it is not known: a list of L arrays (n,), or of None."""
    if y_true is None:
        return [None] * len(clf.classes_)
    cells = read_indicators(y_true, clf.missing_label, clf.classes_).codes
    return list(np.where(cells < 0, np.nan, cells).T)


def _of_label(details: dict[str, Any] | None, name: Any) -> dict[str, Any]:
    """What a page of one label says of where it comes from."""
    details = details or {}
    source = details.get("input")
    return details | {"input": f"{source}, {name}" if source else f"label {name}"}

"""What the theorems ask for, read from a fitted `PseudoLabelClassifier`."""

from __future__ import annotations

import numpy as np

from ..committees.base import Committee
from ..common.types import AnyLabels, Fitted, Floats, Table, Values
from .means import with_shift
from .setting import MeanSetting


def estimated_setting(clf: Fitted, X: Table, truth: AnyLabels | None = None, norm: float = 2) -> MeanSetting:
    """The quantities of Theorem 1 as they look in a fitted classifier.

    Columns are measured in standard deviations within a class, and delta is in these units. Under
    norm 2 they are then turned to their principal axes, along which they are uncorrelated, as the
    theorem wants them; under norm inf correlation does no harm, and under norm 1 it is passed
    over. Means and variances come from the rows whose labels were given.
    Without the truth, labels found are taken to be right as often as their probabilities say:
    an estimate, on which no bound can be better than the probabilities are. The shift that
    choosing rows by their looks may cause is included. Classes for which no row was found
    are left out.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    X : array of shape (n, d)
        The numbers it was fitted on, below them those of X_unlabeled if there were any.
    truth : array of shape (n,), optional
        The true labels, where known for all rows.
    norm : {1, 2, inf}, default=2
        As in `MeanSetting`.

    Returns
    -------
    MeanSetting

    See Also
    --------
    mean_bound, error_for, rows_needed : What follows from it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Repeated, csa, trees
    >>> from surelabel.bounds import mean_bound
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> y_few = hide_labels(y, 0.8, random_state=0)
    >>> clf = csa(committee=Repeated(trees(10), 5), guard=False, random_state=0).fit(X, y_few)
    >>> setting = estimated_setting(clf, X)
    >>> print(mean_bound(setting, 1.0))
    nothing can be said of an error of 1: ... may remain, however many rows ...
    """
    _check_one_label(clf)
    X = _numbers(X, len(clf.labeled_iter_))
    given, found = clf.labeled_iter_ == 0, clf.labeled_iter_ > 0
    labels = np.asarray(clf.transduction_)
    known = [c for c in clf.classes_ if (labels[found] == c).any() and (labels[given] == c).any()]
    if len(known) < 2:
        raise ValueError(f"Labels were found for {len(known)} of the classes; Theorem 1 compares at least 2.")
    probability = np.full(len(X), np.nan)
    probability[~given] = clf.pseudo_labels_["probability"].to_numpy()
    right = probability if truth is None else (labels == np.asarray(truth)).astype(float)
    centres = np.stack([X[given & (labels == c)].mean(axis=0) for c in known])
    residuals = np.concatenate([X[given & (labels == c)] - m for c, m in zip(known, centres, strict=True)])
    variances, means = _measured(residuals, centres, norm)
    counts = np.array([(found & (labels == c)).sum() for c in known])
    setting = MeanSetting(
        counts=counts,
        variances=variances,
        correct=np.array([right[found & (labels == c)].mean() for c in known]),
        means=means,
        norm=norm,
    )
    prior = clf.class_prior_[[list(clf.classes_).index(c) for c in known]]
    return with_shift(setting, counts / (~given).sum(), prior)


def committee_votes(clf: Fitted, X: Table) -> Values:
    """The class that each member of the final committee names for each row, shape (M, N).

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    X : array or frame of shape (N, d)
        Rows that it was not trained on.

    Returns
    -------
    ndarray of shape (M, N)

    See Also
    --------
    vote_bounds : How often the vote errs on such rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Repeated, pl, trees
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = pl(committee=Repeated(trees(5), 3), guard=False, random_state=0)
    >>> committee_votes(clf.fit(X, hide_labels(y, 0.8, random_state=0)), X).shape
    (3, 150)
    """
    _check_one_label(clf)
    if not isinstance(clf.estimator_, Committee):
        raise TypeError(
            f"The final classifier is one {type(clf.estimator_).__name__}, not a committee. Leave out "
            "estimator=, or use binomial_bound, which needs no members."
        )
    P = clf.estimator_.predict_members(clf.columns_.transform(clf.columns_.arrange(X)))
    return clf.classes_[np.asarray(clf.estimator_.classes_)[P.argmax(axis=2)]]


def _check_one_label(clf: Fitted) -> None:
    if np.ndim(clf.transduction_) > 1:
        raise ValueError("Rows have several labels; give the classifier of one, such as clf.estimators_[0].")


def _measured(residuals: Floats, centres: Floats, norm: float) -> tuple[Floats, Floats]:
    """Variances (d,) and class means (K, d) in standard deviations, on axes that suit the norm."""
    free = len(residuals) - len(centres)
    if free < 1:
        raise ValueError(
            f"{len(residuals)} given labels for {len(centres)} classes leave nothing to take variances from."
        )
    sd = np.sqrt((residuals**2).sum(axis=0) / free)
    unit = np.where(sd > 0, sd, 1.0)
    if norm != 2:
        return (sd > 0).astype(float), centres / unit
    # Lengths do not change when axes are turned.
    scaled = residuals / unit
    variances, axes = np.linalg.eigh(scaled.T @ scaled / free)
    return variances.clip(0), centres / unit @ axes


def _numbers(X: Table, n_rows: int) -> Floats:
    try:
        X = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("X must be numbers only; encode other columns, or drop them.") from None
    if X.ndim != 2 or len(X) != n_rows:
        raise ValueError(
            f"X must have the {n_rows} rows of the fit, those of X_unlabeled below; its shape is {X.shape}."
        )
    if not np.isfinite(X).all():
        raise ValueError("X has missing or infinite values; fill them in or drop their columns.")
    return X

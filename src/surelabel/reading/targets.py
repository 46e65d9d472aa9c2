"""y in every form a user brings <-> the loop's labels.

The loop knows classes 0..K-1 and -1 for unlabelled.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets

from ..cells.values import well_formed
from ..common.limits import is_missing
from ..common.settings import shown
from ..common.types import AnyLabels, Floats, Ints, Values
from .containers import opened_labels
from .unlabeled import (
    AUTO,
    append_missing,
    equals,
    in_64_bits,
    is_auto,
    is_unlabeled,
    settled_mark,
    values_of,
)


@dataclass(frozen=True)
class Targets:
    """Labels as the loop wants them, and what it takes to go back.

    Parameters
    ----------
    values : ndarray of shape (N,)
        The caller's labels.
    classes : ndarray of shape (K,)
        The classes, sorted.
    codes : ndarray of shape (N,)
        Index into classes; -1 is unlabelled.
    """

    values: Values
    classes: Values
    codes: Ints

    def filled(self, codes: Ints) -> Values:
        """The caller's labels with those now known filled in, shape (N,)."""
        values = self.values.copy()
        new = (self.codes < 0) & (codes >= 0)
        values[new] = self.classes[codes[new]]
        return values

    def counts(self, weight: Floats | None = None) -> Ints:
        """Labelled rows of each class that have a weight, shape (K,)."""
        given = self.codes >= 0 if weight is None else (self.codes >= 0) & (weight > 0)
        return np.bincount(self.codes[given], minlength=len(self.classes))

    def extended(self, n: int, missing_label: Any) -> Targets:
        """The same with n unlabelled rows behind, marked the way the caller marks them."""
        if not n:
            return self
        values = append_missing(self.values, n, missing_label, self.classes)
        return Targets(values, self.classes, np.append(self.codes, np.full(n, -1)))


def read_targets(y: AnyLabels, missing_label: Any = AUTO, classes: AnyLabels | None = None) -> Targets:
    """Read labels in any form.

    Parameters
    ----------
    y : array-like of shape (N,)
        Labels, some of them missing.
    missing_label : scalar, default="auto"
        See `is_unlabeled`.
    classes : array-like, optional
        All classes, also those with no labelled row yet.

    Returns
    -------
    Targets

    Examples
    --------
    >>> targets = read_targets(["cat", "dog", None, "cat"])
    >>> targets.classes, targets.codes
    (array(['cat', 'dog'], dtype=object), array([ 0,  1, -1,  0]))
    """
    values = values_of(y)
    if classes is not None:
        classes = _checked_classes(classes, missing_label)
        missing_label = settled_mark(missing_label, classes)
    unlabeled = is_unlabeled(values, missing_label)
    known = values[~unlabeled]
    if len(known) == 0:
        column = getattr(y, "name", None)
        raise ValueError(
            f"y{f' ({column!r})' if column else ''} has no labelled row: all {len(values)} are unlabelled. "
            "At least one row of each of two classes is needed."
        )
    found, codes_known = _classes_of(known)
    if classes is not None:
        found, codes_known = _declared(found, codes_known, classes)
    codes = np.full(len(values), -1)
    codes[~unlabeled] = codes_known
    return Targets(values, found, codes)


def _checked_classes(classes: AnyLabels, missing_label: Any) -> Values:
    """The classes that a user declares, sorted; refused where they are no list of different labels."""
    classes = opened_labels(classes, "classes")
    if any(np.ndim(name) for name in classes):
        raise ValueError(f"classes must be a list of labels, not of lists; it is {shown(classes)}.")
    values = values_of(classes)
    if not len(values):
        raise ValueError("classes is empty. Name all classes, or leave it out: then they are those of y.")
    if pd.isna(values).any():
        raise ValueError(f"classes={values.tolist()} holds a missing value, which marks unlabelled rows.")
    found, codes = _classes_of(values)
    if len(found) < len(values):
        twice = found[np.bincount(codes) > 1].tolist()[0]
        raise ValueError(f"classes names {twice!r} twice. Name each class once.")
    if not is_auto(missing_label) and not is_missing(missing_label) and equals(found, missing_label).any():
        raise ValueError(
            f"missing_label={missing_label!r} is among classes={found.tolist()}, and it cannot be both. "
            "Take it out of one of them."
        )
    return found


def _classes_of(known: Values) -> tuple[Values, Ints]:
    """Sorted classes and the code of each label."""
    if known.dtype == object:
        known = _of_one_kind(known)
    if known.dtype.kind == "f" and not np.isfinite(known).all():
        raise ValueError("Input y contains infinity. Labels must be finite.")
    with warnings.catch_warnings():
        if known.dtype.kind not in "iuf":
            # Where only numbers could be meant for a regression, few rows a class are no sign of one.
            warnings.filterwarnings("ignore", "The number of unique classes is greater", UserWarning)
        check_classification_targets(known)
    return np.unique(known, return_inverse=True)


def _of_one_kind(known: Values) -> Values:
    """Objects as an array of text, bools or numbers; refused where they are none of these, or a mixture."""
    kinds = {_kind(kind) for kind in set(map(type, known))}
    if None in kinds:
        raise _unknown_type(next(v for v in known if _kind(type(v)) is None))
    if len(kinds) > 1:
        names = ", ".join(sorted({type(v).__name__ for v in known}))
        raise ValueError(f"Unknown label type: y mixes labels of types {names}. Use one type.")
    if kinds == {str}:
        torn = next(
            (label for label, text in zip(known, well_formed(known), strict=True) if label != text), None
        )
        if torn is not None:
            raise ValueError(f"y holds {shown(torn)}: half of a surrogate pair is no text. Rename the class.")
        return known
    whole = all(isinstance(v, Integral) for v in known)
    if whole and not in_64_bits(known):
        raise _unknown_type(max(known, key=abs))
    return np.array(known.tolist())


def _kind(kind: type) -> type | None:
    """What labels of a type are: text, bools or numbers; None for anything else."""
    of_each: dict[type, tuple[type, ...]] = {
        str: (str,),
        bool: (bool, np.bool_),
        float: (int, float, np.integer, np.floating),
    }
    return next((name for name, kinds in of_each.items() if issubclass(kind, kinds)), None)


def _unknown_type(value: Any) -> ValueError:
    kind = "a number beyond 64 bits" if isinstance(value, int) else f"of type {type(value).__name__}"
    return ValueError(
        f"Unknown label type: y holds {shown(value)}, {kind}. Labels are text, numbers, bools or dates; make "
        f"text of it, such as {shown(str(value))}."
    )


def distinct(y: AnyLabels) -> Values:
    """The labels that there are in y, missing ones included: these alone are enough for `read_targets`."""
    return pd.unique(values_of(y.unique() if isinstance(y, pd.Series) else y))


def codes_like(y: AnyLabels, known: Targets) -> Ints:
    """Codes of labels that are all among those of another Targets, shape (N,).

    Examples
    --------
    >>> codes_like(["dog", None], read_targets(["cat", "dog"]))
    array([ 1, -1])
    """
    code = {v: k for v, k in zip(known.values.tolist(), known.codes.tolist(), strict=True) if k >= 0}
    which, labels = pd.factorize(y if isinstance(y, pd.Series) else values_of(y))
    return np.array([*(code.get(label, -1) for label in values_of(labels).tolist()), -1])[which]


def labeled_part(y: AnyLabels, classes: Values, missing_label: Any = AUTO) -> tuple[Ints, Values]:
    """Positions of the rows that have a label, and their labels, for scoring."""
    values = values_of(y)
    rows = np.flatnonzero(~is_unlabeled(values, settled_mark(missing_label, classes)))
    if not len(rows):
        raise ValueError(f"None of the {len(values)} rows to score has a label.")
    truth = values[rows]
    return rows, np.array(truth.tolist()) if truth.dtype == object else truth


def _declared(found: Values, codes: Ints, declared: Values) -> tuple[Values, Ints]:
    unknown = [v for v in found.tolist() if v not in declared.tolist()]
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r}, which is not among classes={declared.tolist()}.")
    position = {v: k for k, v in enumerate(declared.tolist())}
    return declared, np.array([position[v] for v in found.tolist()])[codes]

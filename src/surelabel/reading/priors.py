"""A user's classes: how many labels each has, and the frequencies they are said to have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..budget import smoothed
from ..common.notice import notice
from ..common.types import Floats, Ints, Values

# Class frequencies as a user gives them: by name (a dict or a series), in the order of the classes, or the
# name of a way to find them.
Prior = Any


def resolved_prior(prior: Prior, found: Floats, classes: Values) -> Floats:
    """Class frequencies to use, given what the user said and the labels show, shape (K,).

    A class with no labelled row cannot be found, so it gets 0.
    """
    if isinstance(prior, str):
        return smoothed(found) if prior == "smoothed" else found
    known = np.where(found > 0, named_prior(prior, classes), 0.0)
    return known / known.sum() if known.any() else found


def check_prior(prior: Prior, classes: Values, counts: Ints) -> None:
    """Refuse a user's prior that is none, or leaves nothing to the classes with labelled rows."""
    if isinstance(prior, str):
        if prior not in ("labeled", "smoothed"):
            raise ValueError(
                f'class_prior must be "labeled", "smoothed", a dict or an array; it is {prior!r}.'
            )
    elif not named_prior(prior, classes) @ (counts > 0):
        raise ValueError(f"class_prior gives nothing to the classes with labels: {prior}.")


def named_prior(prior: Prior, classes: Values) -> Floats:
    """A user's class prior in the order of classes, checked, shape (K,)."""
    prior = named_shares(prior, classes)
    if not np.isclose(prior.sum(), 1, atol=1e-3):
        raise ValueError(f"class_prior must be shares that sum to 1; it is {prior.tolist()}.")
    return prior


def named_shares(prior: Prior, classes: Values) -> Floats:
    """Shares that a user gives by name, or in the order of classes, shape (K,)."""
    if isinstance(prior, pd.Series):
        prior = prior.to_dict()  # value_counts() orders by frequency, not by class
    if isinstance(prior, dict):
        unknown = [name for name in prior if name not in classes.tolist()]
        if unknown:
            raise ValueError(f"class_prior names {unknown[0]!r}, which is not among {classes.tolist()}.")
        prior = [prior.get(name, 0.0) for name in classes.tolist()]
    prior = np.asarray(prior, dtype=float)
    if prior.shape != classes.shape:
        raise ValueError(
            f"class_prior has {prior.size} entries for {len(classes)} classes {classes.tolist()}."
        )
    if not ((prior >= 0) & (prior <= 1)).all():
        raise ValueError(f"class_prior must be shares from 0 to 1; it is {prior.tolist()}.")
    return prior


def check_classes(classes: Values, counts: Ints, auto_missing: bool) -> None:
    """Refuse fewer than two labelled classes, and speak of those with one labelled row or none."""
    names = classes.tolist()
    found = [name for name, count in zip(names, counts, strict=True) if count]
    if len(found) < 2:
        hint = ""
        if auto_missing and classes.dtype.kind in "if":
            hint = " If -1 is a class rather than the mark of an unlabelled row, pass missing_label=None."
        raise ValueError(
            f"The labelled rows hold one class only, {found[0]!r}; at least two are needed.{hint}"
            if found
            else "No labelled row of any class has a weight above zero."
        )
    for name, count in zip(names, counts, strict=True):
        if count == 0:
            notice(f"Class {name!r} has no labelled row, so no row can get it.")
        elif count == 1:
            notice(f"Class {name!r} has one labelled row only.")


def learnable(counts: Ints, name: Any) -> bool:
    """Whether rows with a label, and rows known to lack it, are there to learn from; says so if not.

    Parameters
    ----------
    counts : ndarray of shape (2,)
        Rows known to lack the label, and to have it.
    name : str
        The label's.
    """
    no, yes = counts
    if not no and not yes:
        raise ValueError(f"Label {name!r} is unknown in every row. Leave it out of y.")
    if not no or not yes:
        notice(f"{'No known row has it' if no else 'Every known row has it'}, so it is filled in nowhere.")
    elif min(no, yes) == 1:
        notice(f"One known row only {'has' if yes == 1 else 'lacks'} it.")
    return bool(no and yes)

"""A user's classes: how many labels each has, and the frequencies they are said to have."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .budget import smoothed
from .notice import notice


def resolved_prior(prior, found, classes):
    """Class frequencies to use, given what the user said and the labels show, shape (K,).

    A class with no labelled row cannot be found, so it gets 0.
    """
    if isinstance(prior, str):
        return smoothed(found) if prior == "smoothed" else found
    known = np.where(found > 0, named_prior(prior, classes), 0.0)
    return known / known.sum() if known.any() else found


def named_prior(prior, classes):
    """A user's class prior in the order of classes, checked, shape (K,)."""
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
    if not (prior >= 0).all() or not np.isclose(prior.sum(), 1, atol=1e-3):
        raise ValueError(f"class_prior must be shares that sum to 1; it is {prior.tolist()}.")
    return prior


def check_classes(classes, counts, auto_missing):
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

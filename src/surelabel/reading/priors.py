"""A user's classes: how many labels each has, and the frequencies they are said to have."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..budget import smoothed
from ..common.notice import notice
from ..common.settings import shown
from ..common.types import Floats, Ints, Values

# Class frequencies as a user gives them: by name (a dict or a series), in the order of the classes, or the
# name of a way to find them; None for "labeled".
Prior = Any
# Classes that a notice names.
_MOST_NAMED = 5


def resolved_prior(prior: Prior, found: Floats, classes: Values) -> Floats:
    """Class frequencies to use, given what the user said and the labels show, shape (K,).

    A class with no labelled row cannot be found, so it gets 0.
    """
    if prior is None or isinstance(prior, str):
        return smoothed(found) if prior == "smoothed" else found
    known = np.where(found > 0, named_prior(prior, classes), 0.0)
    return known / known.sum() if known.any() else found


def check_prior(prior: Prior, classes: Values, counts: Ints) -> None:
    """Refuse a user's prior that is none, or leaves out or gives nothing to classes with labelled rows."""
    if prior is None:
        return
    if isinstance(prior, str):
        if prior not in ("labeled", "smoothed"):
            raise ValueError(
                f'class_prior must be "labeled", "smoothed", a dict or an array; it is {shown(prior)}.'
            )
        return
    shares = named_shares(prior, classes)
    if isinstance(prior, (dict, pd.Series)):
        each = zip(classes.tolist(), counts, strict=True)
        left_out = [name for name, count in each if count and name not in prior]
        if left_out:
            raise ValueError(
                f"class_prior leaves out {', '.join(map(repr, left_out))}, of which there are labelled rows. "
                f"Name every class: {_form(classes)}; 0 says that no unlabelled row is of a class."
            )
    if not named_prior(shares, classes) @ (counts > 0):
        raise ValueError(f"class_prior gives nothing to the classes with labels: {prior}.")


def named_prior(prior: Prior, classes: Values) -> Floats:
    """A user's class prior in the order of classes, checked, shape (K,)."""
    shares = named_shares(prior, classes)
    if not np.isclose(shares.sum(), 1, atol=1e-3):
        raise ValueError(
            f"class_prior must be shares that sum to 1; it is {shares.tolist()}, with a sum of "
            f"{shares.sum():.6g}."
        )
    return shares


def named_shares(prior: Prior, classes: Values) -> Floats:
    """Shares that a user gives by name, or in the order of classes, shape (K,); 0 for names left out."""
    names = classes.tolist()
    if isinstance(prior, pd.Series):
        prior = prior.to_dict()  # value_counts() orders by frequency, not by class
    shares = prior
    if isinstance(prior, dict):
        unknown = [name for name in prior if name not in names]
        if unknown:
            raise ValueError(f"class_prior names {unknown[0]!r}, which is not among {names}.")
        shares = [prior.get(name, 0.0) for name in names]
    try:
        shares = np.asarray(shares, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"class_prior must be numbers, a share for each class: {_form(classes)}; it is {shown(prior)}."
        ) from None
    if shares.shape != classes.shape:
        raise ValueError(f"class_prior has {shares.size} entries for {len(classes)} classes {names}.")
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"class_prior must be shares from 0 to 1; it is {shares.tolist()}.")
    return shares


def _form(classes: Values) -> str:
    """What a dict of all classes looks like."""
    shares = [f"{name!r}: ..." for name in classes.tolist()[:_MOST_NAMED]]
    return f"{{{', '.join(shares)}{', ...' if len(classes) > _MOST_NAMED else ''}}}"


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
    single = [name for name, count in zip(names, counts, strict=True) if count == 1]
    if len(single) == 1:
        notice(f"Class {single[0]!r} has one labelled row only.", advice=True)
    elif single:
        notice(f"{len(single)} classes have one labelled row only: {_few(single)}.", advice=True)
    for name, count in zip(names, counts, strict=True):
        if count == 0:
            notice(f"Class {name!r} has no labelled row, so no row can get it.")
    speak_of_look_alikes(names)


def speak_of_look_alikes(names: Sequence[Hashable]) -> None:
    """Say which classes differ only in capitals, spaces or signs that cannot be seen."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if isinstance(name, str):
            groups.setdefault(_look(name), []).append(str(name))
    alike = [" and ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
    if alike:
        notice(
            f"Classes that look alike are kept apart: {'; '.join(alike[:_MOST_NAMED])}"
            f"{'; ...' if len(alike) > _MOST_NAMED else ''}. If they are one class, give its rows one label."
        )


def _look(name: str) -> str:
    """A text without what cannot be seen: capitals, spaces, marks of no width."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join("".join(c for c in folded if unicodedata.category(c) != "Cf").split())


def _few(names: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, names[:_MOST_NAMED])) + (", ..." if len(names) > _MOST_NAMED else "")


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
        notice(f"One known row only {'has' if yes == 1 else 'lacks'} it.", advice=True)
    return bool(no and yes)

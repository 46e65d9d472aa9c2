"""What a filling is: the labels handed out, what is promised of them, and on what grounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Bools, Floats, Ints

AVERAGE, CONFIDENT, AUDITED, NOTHING = "average", "confident", "audited", "nothing"
# What became of a label, in files, on pages and in words: it came with the table, it is handed out, or a
# person is to decide it.
GIVEN, FILLED, LEFT = STATUSES = ("given", "filled in", "not sure enough")


@dataclass(frozen=True)
class ShareRight:
    """The share of some filled labels that is right, as far as is known.

    Parameters
    ----------
    estimate : float
        Half of it is what held-out rows above the threshold say, half the mean of the probabilities stated of
        the filled rows: nearer to the truth than either.
    low, high : float
        Where the share lies with 95% confidence.
    n, wrong : float
        Held-out labelled rows above the threshold, and how many of them were guessed wrong. With weights, the
        number of equally weighted rows that they are worth.
    """

    estimate: float
    low: float
    high: float
    n: float
    wrong: float


@dataclass(frozen=True)
class ClassFilled:
    """What a filling does with the rows guessed to be of one class.

    Parameters
    ----------
    code : int
        The class.
    guessed, filled : int
        Unlabelled rows guessed to be of it, and those of them that are filled.
    threshold : float
        The least probability of a filled row; infinite where none is filled.
    share : ShareRight or None
        Of those filled; None where no held-out row tells.
    promised : bool
        Whether the promise is about this class by itself.
    missing : int
        Further labelled rows guessed to be of this class, all right, that a promise about it would take.
    """

    code: int
    guessed: int
    filled: int
    threshold: float
    share: ShareRight | None
    promised: bool
    missing: int


@dataclass(frozen=True, eq=False)
class Filling:
    """Which missing labels are handed out, and what is promised of them.

    Parameters
    ----------
    filled : ndarray of shape (m,)
        Whether each unlabelled row gets a label.
    codes : ndarray of shape (m,)
        The labels; -1 where none is filled.
    form : {"average", "confident", "audited", "nothing"}
        What is promised: the share right is at least `right` in the mean over tables like this one; or in
        this very table, with `confidence`; or by a person's check; or nothing, where labels are too few.
    right : float
        The share right that was asked.
    confidence : float or None
        Of the confident form.
    per_class : bool
        Whether the promise is about each class that is filled, not only about all filled labels together.
    share : ShareRight or None
        The share of the filled labels that is right; None where none is filled.
    by_class : tuple of K ClassFilled
        The same for each class.
    n_labelled : int
        Held-out labelled rows that it stands on.
    missing : int
        Further random labels, all guessed right, that a first promise would take; 0 where there is one.

    Examples
    --------
    >>> from surelabel.filling import Evidence, fill
    >>> evidence = Evidence(np.full(40, 0.97), np.zeros(40, int), np.ones(40, bool), np.ones(40),
    ...                     np.array([0.98, 0.97, 0.95]), np.zeros(3, int), 2)
    >>> print(fill(evidence, right=0.95))
    3 of 3 missing labels filled in; about 98% of them are right (at least 95% on average)
    >>> print(fill(evidence, right=0.99))
    no label filled in: 40 labelled rows are too few for a promise of 99%; it takes at least 59 more
    """

    filled: Bools
    codes: Ints
    form: str
    right: float
    confidence: float | None
    per_class: bool
    share: ShareRight | None
    by_class: tuple[ClassFilled, ...]
    n_labelled: int
    missing: int

    @property
    def thresholds(self) -> Floats:
        """The least probability of a filled row by its guessed class, shape (K,); infinite where none is."""
        return np.array([each.threshold for each in self.by_class])

    @property
    def n_filled(self) -> int:
        """How many labels are handed out."""
        return int(self.filled.sum())

    @property
    def share_promised(self) -> float:
        """Of the missing labels, the share that is filled in under a promise; 0 where nothing is promised."""
        return self.n_filled / max(len(self.filled), 1) if self.form != NOTHING else 0.0

    @property
    def promise(self) -> str:
        """What is promised, in words."""
        what = f"at least {_percent(self.right)}"
        each = " of each class that is filled," if self.per_class else ""
        return {
            AVERAGE: f"{what}{each} on average",
            CONFIDENT: f"{what}{each} with {_percent(self.confidence or 0)} confidence",
            AUDITED: f"{what} with {_percent(self.confidence or 0)} confidence, by a person's check",
            NOTHING: "nothing is promised",
        }[self.form]

    def __str__(self) -> str:
        if self.share is None and not self.n_labelled:
            return (
                "no label filled in: no labelled row was held out that was drawn at random, and without "
                "nothing can be promised"
            )
        if self.share is None:
            short = f"{self.n_labelled:,} labelled rows are too few for a promise of {_percent(self.right)}"
            if self.missing:
                return f"no label filled in: {short}; it takes at least {self.missing:,} more"
            return f"no label filled in: no group of rows is right in {_percent(self.right)}, as far as known"
        share = round(self.share.estimate, 2)
        about = "more than 99%" if share == 1 else f"about {_percent(share)}"
        return (
            f"{self.n_filled:,} of {len(self.filled):,} missing labels filled in; {about} of them are right "
            f"({self.promise})"
        )


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"

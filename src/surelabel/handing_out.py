"""Which labels a fitted classifier hands out, and what it promises of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from .advice.audit import audited
from .allocation import Status
from .common.settings import GOAL, INSIDE_SHARE, RIGHT, SOME_SHARE, check_setting
from .common.types import Bools, Fitted, Ints, Values
from .filling import Curve, Evidence, Filling, More, cells, fill, fill_curve, labels_needed
from .filling.evidence import unseen
from .filling.record import AUDITED, NOTHING, ShareRight


@dataclass(frozen=True, eq=False)
class FilledLabels(Filling):
    """A `Filling` of a fitted classifier: its labels by name, on the caller's rows.

    Parameters
    ----------
    labels : Series
        The label of each row that came unlabelled, on the caller's index; missing where none is filled in.
        Where rows have several labels: 1 or 0 for each line of `pseudo_labels_`.
    classes : tuple
        The class of each place in `by_class`; pairs of label and answer where rows have several.
    more : tuple of More
        How many more labels at random it would take to fill shares of the table under the promise.
    differing : tuple of str, or None
        Where labelled rows are not like the others, the columns that tell them apart; then nothing is
        promised, and rows are weighted so that they are alike as far as they overlap.

    See Also
    --------
    surelabel.PseudoLabelClassifier : Its `fill` makes it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Repeated, csa, trees
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> y_few = hide_labels(y, 0.6, random_state=0)
    >>> filling = csa(committee=Repeated(trees(10), 3), random_state=0).fit(X, y_few).fill(right=0.9)
    >>> int(filling.labels.notna().sum()) == filling.n_filled
    True
    >>> list(filling.table.columns[:3])
    ['guessed', 'filled', 'right']
    """

    labels: pd.Series
    classes: tuple[Any, ...]
    more: tuple[More, ...] = ()
    differing: tuple[str, ...] | None = None

    @property
    def promise(self) -> str:
        """What is promised, in words."""
        if self.differing is None:
            return super().promise
        by = f", by {', '.join(self.differing[:3])}" if self.differing else ""
        return f"nothing is promised: the labelled rows are not like the others{by}"

    @property
    def table(self) -> pd.DataFrame:
        """By class: rows guessed and filled, the estimated share right and its interval, and the promise."""
        shares = [each.share for each in self.by_class]

        def of_share(name: str) -> list[float]:
            return [np.nan if share is None else getattr(share, name) for share in shares]

        columns = {
            "guessed": [each.guessed for each in self.by_class],
            "filled": [each.filled for each in self.by_class],
            "right": of_share("estimate"),
            "low": of_share("low"),
            "high": of_share("high"),
            "promised": [each.promised for each in self.by_class],
            "threshold": [each.threshold for each in self.by_class],
            "labels_missing": [each.missing for each in self.by_class],
        }
        return pd.DataFrame(columns, index=pd.Index(self.classes, name="class", tupleize_cols=False))

    def audited(self, answers: pd.Series, confidence: float = 0.95) -> FilledLabels:
        """The same labels, with what a person's check of some of them allows to promise.

        This promise assumes nothing of the labelled rows, and holds whenever the person stops, however often
        they looked at it on the way.

        Parameters
        ----------
        answers : Series
            What the person says of filled rows, on the index of `labels`, in the order in which the rows
            were drawn. They must be drawn at random from all that are filled, such as by
            `filling.labels.dropna().sample(60).index`, and be judged without a look at what was filled in.
            An answer that is missing, because nobody can tell, counts as wrong.
        confidence : float, default=0.95
            Of the promise.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelabel import csa
        >>> from surelabel.model_selection import hide_labels
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> filling = csa(random_state=0).fit(X, hide_labels(y, 0.6, random_state=0)).fill(right=0.9)
        >>> rows = filling.labels.dropna().sample(40, random_state=0).index
        >>> print(filling.audited(y[rows]).promise)
        at least 88.8% with 95% confidence, by a person's check
        """
        check_setting("confidence", confidence, INSIDE_SHARE)
        if not self.labels.index.is_unique:
            raise ValueError(
                "audited() finds rows by their index, and this one has an entry twice, as where rows "
                "have several labels; surelabel.advice.audit.audited takes right and wrong instead."
            )
        filled = self.labels.dropna()
        strange = answers.index.difference(filled.index)
        if len(strange) or not answers.index.is_unique:
            what = f"row {strange[0]!r} is not filled in" if len(strange) else "a row is there twice"
            raise ValueError(f"answers are of different rows that are filled in; {what}.")
        wrong = (answers.isna() | (answers != filled[answers.index])).to_numpy(dtype=bool)
        found = audited(wrong, len(filled), confidence)
        share = ShareRight(
            found.share_right, found.low, 1 - found.wrong / len(filled), len(wrong), found.wrong
        )
        # Rounded down: what is said must hold.
        right = float(np.floor(1000 * found.low + 1e-9) / 1000)
        return replace(
            self,
            form=AUDITED if len(wrong) else NOTHING,
            right=right,
            confidence=confidence,
            per_class=False,
            share=share,
            differing=None,
        )


class HandsOut:
    """What a fitted classifier says of the labels it hands out."""

    def fill(
        self,
        right: float = RIGHT,
        confidence: float | None = None,
        *,
        per_class: bool = False,
        exact: bool = False,
        promise: bool = True,
    ) -> FilledLabels:
        """Fill in as many missing labels as can be answered for.

        The promise: at least `right` of the labels that are filled in are right, if the labelled rows are a
        random sample of the table. It stands on labelled rows that were held out at fit, so it can be asked
        for again and again, at no cost.

        Parameters
        ----------
        right : float, default=0.95
            The share of the filled labels that is to be right.
        confidence : float, optional
            How sure this is to be in this very table; without, it holds on average over tables like it.
        per_class : bool, default=False
            Whether it is to hold in each class that is filled.
        exact : bool, default=False
            Whether to stand on labelled rows that took no part in training (`aside`). Then the promise is a
            theorem; else a close approximation, which fills more.
        promise : bool, default=True
            False: fill in by the estimated share right, and promise nothing.

        Returns
        -------
        FilledLabels
            `labels` on the caller's index, `table` by class; printed, it is a sentence.

        See Also
        --------
        fill_curve : How many rows can be filled for every share right.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelabel import csa
        >>> from surelabel.model_selection import hide_labels
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = csa(random_state=0).fit(X, hide_labels(y, 0.6, random_state=0))
        >>> print(clf.fill(right=0.9))
        90 of 90 missing labels filled in; about 94% of them are right (at least 90% on average)
        >>> clf.fill(right=0.9).labels.head(3).tolist()
        [0, 0, 0]
        """
        return filled(self, right, confidence, per_class, exact, promise)

    def labels_needed(
        self, share: float = GOAL, right: float = RIGHT, confidence: float | None = None
    ) -> More:
        """How many more labels at random it takes until a share of the table can be filled.

        Parameters
        ----------
        share : float, default=0.9
            Of the missing labels.
        right, confidence : float
            The promise, as in `fill`.

        Returns
        -------
        More
            `labels`, a rough figure, and where it lies in about three of four cases (`between`).

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelabel import csa
        >>> from surelabel.model_selection import hide_labels
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = csa(random_state=0).fit(X, hide_labels(y, 0.6, random_state=0))
        >>> clf.labels_needed(0.9, right=0.9).labels
        0
        """
        check_setting("share", share, SOME_SHARE)
        return labels_needed(evidence(self), right, confidence, (share,))[0]

    def fill_curve(self, confidence: float = 0.9) -> Curve:
        """How many rows can be filled for every share right: estimated, on average, and with confidence."""
        check_setting("confidence", confidence, INSIDE_SHARE)
        return fill_curve(evidence(self), confidence)


def filled(
    clf: Fitted, right: float, confidence: float | None, per_class: bool, exact: bool, promise: bool
) -> FilledLabels:
    """What a fitted classifier fills in; the arguments are those of `fill`."""
    check_is_fitted(clf, ["estimator_", "estimators_"], all_or_any=any)
    if not clf.several_labels and "pseudo_labels_" not in vars(clf):
        raise ValueError(
            "This classifier was fitted on shards and knows no single row. On Dask, fill() of the "
            "DaskPseudoLabelClassifier tells what is filled in; surelabel label writes it."
        )
    found = decided(clf, right, confidence, per_class, exact, promise)
    each = clf.estimators_ if clf.several_labels else [clf]
    names = [one.classes_.tolist() for one in each]
    classes = names[0]
    if clf.several_labels:
        classes = [(label, answer) for label, own in zip(clf.classes_, names, strict=True) for answer in own]
    return FilledLabels(
        **{field.name: getattr(found, field.name) for field in fields(Filling)},
        labels=_labels(clf, each, found.codes),
        classes=tuple(classes),
        more=() if per_class else labels_needed(evidence(clf, exact), right, confidence),
        differing=_differing(clf),
    )


def decided(
    clf: Fitted, right: float, confidence: float | None, per_class: bool, exact: bool, promise: bool
) -> Filling:
    """What it fills in, by position and not on the caller's rows; the arguments are those of `fill`.

    Nothing is promised where the labelled rows are not like the others.
    """
    check_setting("right", right, INSIDE_SHARE)
    if confidence is not None:
        check_setting("confidence", confidence, INSIDE_SHARE)
    found = fill(evidence(clf, exact), right, confidence, per_class, exact=exact, promise=promise)
    if _differing(clf) is None:
        return found
    by_class = tuple(replace(each, promised=False) for each in found.by_class)
    return replace(found, form=NOTHING, by_class=by_class)


def _differing(clf: Fitted) -> tuple[str, ...] | None:
    """The columns by which labelled rows are told from the others; None where they are alike."""
    each = clf.estimators_ if clf.several_labels else [clf]
    unlike = [one.likeness_ for one in each if one.likeness_ is not None and not one.likeness_.alike]
    if not unlike:
        return None
    return tuple(dict.fromkeys(name for found in unlike for name, _ in found.columns))


def with_filled(clf: Fitted) -> None:
    """Put the label that `fill()` hands out, and how probable it is, beside what became of each row."""
    each = [clf]
    if clf.several_labels:
        each = clf.estimators_
        for one in each:
            with_filled(one)
    lines, known = clf.pseudo_labels_, evidence(clf)
    labels = _labels(clf, each, fill(known, RIGHT).codes)
    scores = _spread(clf, each, known.pool_score, np.nan).astype(float)
    clf.pseudo_labels_ = lines.assign(filled=labels, score=scores)


def hand_out(clf: Fitted, filling: FilledLabels) -> None:
    """Put the labels of another decision beside what became of each row."""
    clf.pseudo_labels_ = clf.pseudo_labels_.assign(filled=filling.labels)
    if clf.several_labels:
        for label, one in zip(clf.classes_, clf.estimators_, strict=True):
            own = filling.labels[(clf.pseudo_labels_["label"] == label).to_numpy()]
            one.pseudo_labels_ = one.pseudo_labels_.assign(filled=own)


def judged_by_held_out(clf: Fitted) -> bool:
    """Whether labelled rows were held out, by which labels can be judged."""
    each = clf.estimators_ if clf.several_labels else [clf]
    return any(one.evidence_ is not None and len(one.evidence_.score) for one in each)


def evidence(clf: Fitted, exact: bool = False) -> Evidence:
    """What the labels of a fitted classifier stand on; of cells, where rows have several labels."""
    check_is_fitted(clf, ["estimator_", "estimators_"], all_or_any=any)
    if exact and not clf.aside:
        raise ValueError(
            "exact=True stands on labelled rows that took no part in training, and aside=0 keeps none. Fit "
            "with aside=0.3, say, or leave exact out."
        )
    if clf.several_labels:
        return cells([_known(one, exact) for one in clf.estimators_])
    return _known(clf, exact)


def _known(clf: Fitted, exact: bool) -> Evidence:
    found = clf.aside_evidence_ if exact else clf.evidence_
    if found is not None:
        return found
    # No labelled row was held out. There is what was stated of the others when they were last asked about.
    lines = clf.pseudo_labels_[asked_about(clf)]
    position = {label: code for code, label in enumerate(clf.classes_.tolist())}
    guess = [position.get(label, -1) for label in lines["guess"].tolist()]
    codes, score = np.array(guess, dtype=int), lines["probability"].to_numpy(dtype=float)
    return unseen(np.where(codes < 0, 0.0, score), np.maximum(codes, 0), len(clf.classes_))


def asked_about(clf: Fitted) -> Bools:
    """Which rows that came unlabelled take part: not those of weight 0, shape (n,)."""
    return (clf.pseudo_labels_["status"] != str(Status.WEIGHTLESS)).to_numpy()


def _labels(clf: Fitted, each: list[Any], codes: Ints) -> pd.Series:
    """Labels by name on the index of pseudo_labels_; missing where the code is -1."""
    most = max(len(one.classes_) for one in each)
    names = [name for one in each for name in [*one.classes_.tolist(), *[None] * (most - len(one.classes_))]]
    labels = np.array([*names, None], dtype=object)[codes]
    return pd.Series(_spread(clf, each, labels, None), index=clf.pseudo_labels_.index, name="filled")


def _spread(clf: Fitted, each: list[Any], values: Values, default: Any) -> Values:
    """Values of the rows that were asked about, label by label, in the order of pseudo_labels_."""
    lines, begin = clf.pseudo_labels_, 0
    out = np.full(len(lines), default, dtype=object)
    for place, one in enumerate(each):
        asked = asked_about(one)
        column = np.full(len(asked), default, dtype=object)
        column[asked] = values[begin : begin + asked.sum()]
        begin += int(asked.sum())
        # Lines of several labels go row by row, those of each label in its own order.
        own = (lines["label"] == clf.classes_[place]).to_numpy() if clf.several_labels else slice(None)
        out[own] = column
    return out

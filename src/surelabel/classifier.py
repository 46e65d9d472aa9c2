"""The estimator: read the table, run the loop, train on all labels, predict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from .advice.cleaning import Cleaning
from .advising import Advising
from .allocation import Allocation
from .budget import Budget
from .committees.member_fitting import Classifier, aligned
from .common.notice import each_once, logger, shown
from .common.types import AnyLabels, Floats, Ints, RandomState, Table, Values
from .filling import Evidence
from .filling.likeness import Likeness
from .handing_out import HandsOut, with_filled
from .heldout import HeldOut, Verdict
from .lasting import Lasting
from .reading.columns import Columns
from .reading.containers import opened_labels
from .reading.features import as_table, header
from .reading.identifiers import speak_of_identifiers
from .reading.indicators import known_part, read_labels
from .reading.priors import Prior
from .reading.targets import labeled_part
from .reading.unlabeled import AUTO
from .reporting.notebook import ShownInNotebooks
from .rounds.audit import caller_index, speak_of
from .rounds.checkpoint import Checkpoint
from .rounds.method import check_settings, row_weights
from .rounds.records import Round
from .rounds.run import Run
from .rounds.several import LabelRounds, Runs, begun, drawn_at_random

# Where rows have several labels, no probability is closer to 0 or 1 than this.
_DOUBT = 1e-12


class PseudoLabelClassifier(HandsOut, Advising, Lasting, ShownInNotebooks, BaseEstimator):
    """Fill in missing labels round by round, then train on all of them.

    Parameters
    ----------
    committee : committee, classifier or list of classifiers, optional
        Who votes. By default models of different kinds, weighted by what each predicts correctly
        (`Unlike`). A classifier alone is trained on 20 bootstrap samples where the confidence compares
        members. One that cannot read the table is given numbers, as `Encoder` makes them.
    confidence : part, optional
        Which rows to trust: TTest, TotalVariance, Entropy, Spread, Everything. By default
        TTest().
    allocator : part, default=Transport()
        Who gets which label: Threshold, AdaptiveThreshold, Transport.
    negatives : part, optional
        Negatives() also learns which classes a row is not.
    estimator : classifier, optional
        The final classifier. By default the committee, its members averaged.
    n_rounds : int, default=5
        Most rounds of labelling, from 0 to 10,000.
    found_weight : {"auto", "none", "balanced", "full"}, default="auto"
        Weight of the labels that were found in training. "none": they are handed out, and nothing is
        trained on them. "balanced": in each class together at most that of the given ones, and the shares
        of the classes stay those of the given labels. "full": each as much as a given label, as in the
        paper. "auto": "none" for the default committee, which learns from the unlabelled rows as they
        are; "balanced" for other committees, and with `estimator` or `negatives`.
    class_prior : dict, Series, array of shape (K,), "labeled" or "smoothed", default="labeled"
        Class frequencies of the unlabelled rows; a dict names every class that has labelled rows, an
        array is in the order of classes_. "labeled", or None: those of the labelled rows.
        "smoothed": averaged with uniform where the largest is over 5 times the smallest. Where
        rows have several labels: the share of rows that has each; a dict need not name all of them.
    classes : array-like, optional
        All classes, also those with no labelled row yet. Names of the labels, where y is a matrix.
    missing_label : scalar, default="auto"
        Mark of an unlabelled row, besides NaN, None, pd.NA and what is masked, which always are. "auto":
        -1 among whole numbers, "" among text. None: no other mark.
    columns : Columns, optional
        How X is read.
    random_state : int or RandomState, optional
        One seed, one result, for every n_jobs.
    n_jobs : int, optional
        Members of the committee to run at once.
    verbose : int, default=0
        Above 0: a line per round.
    guard : bool, default=True
        Whether to find out by cross-validation on the labelled rows if the unlabelled ones
        helped (`verdict_`), and to return the supervised classifier where it is expected to be better.
        With the default committee this costs about a fifth of the rest; with others, between half and
        all of it.
    labels_per_row : {None, 1}, default=None
        How many labels a row has, where y has a cell for each label. None: any number. 1: the labels are
        classes; y and predictions still have a cell for each.
    aside : float, default=0
        Share of the labelled rows that takes no part in training, for `fill(exact=True)`.
    clean : {None, "drop", "down-weight"}, default=None
        What to do with given labels that look wrong to those that had not seen them: leave them out of
        training, or let them count less. Done only where held-out rows say that the classifier is better
        for it, and told; `cleaned_` has which. It takes three to five times as long.

    Attributes
    ----------
    classes_ : ndarray of shape (K,) or (L,)
        The classes; the labels, where rows have several.
    estimator_ : classifier
        The final classifier, trained on positions in classes_.
    estimators_ : list of L PseudoLabelClassifier
        Where rows have several labels, instead of estimator_: a classifier for each label.
    transduction_ : ndarray of shape (n,) or (n, L)
        The labels, given and found, of the rows of X and below them X_unlabeled; rows
        still unlabelled keep their mark.
    labeled_iter_ : ndarray of shape (n,) or (n, L)
        Round in which a row was labelled; 0 is given, -1 never.
    pseudo_labels_ : DataFrame
        A line for each row that came unlabelled, on the caller's index: label (missing if
        none was given), guess, probability, gap (to the runner-up), confidence, runner_up,
        round, status, filled (the label that `fill()` hands out, if any) and score (how probable
        the final classifier holds its guess). Where rows have several labels, a line for each unknown
        cell: label is the label's name, value is 1, 0 or missing, and there is no runner_up.
    history_ : list of Round, or of LabelRounds
        What happened in each round.
    class_prior_ : ndarray of shape (K,) or (L,)
        The frequencies used.
    n_iter_ : int
        Rounds run.
    termination_condition_ : {"max_iter", "no_change", "all_labeled", "stopped", "hurt"}
        Why the rounds ended; "hurt": the classifier is the supervised one, expected to be better.
    verdict_ : Verdict or None
        Whether the unlabelled rows helped; None without the guard, where these taught nothing, or with
        too few labels to tell. Where rows have several labels, the mean over labels; each of estimators_
        has its own, and is the supervised classifier where its gain is below 0.
    held_out_ : HeldOut or None
        What the final classifier says of labelled rows without having seen their labels; None where there
        are too few labels to tell, and where rows have several labels: each of estimators_ has its own.
    evidence_ : Evidence or None
        The same beside what it says of the rows that came unlabelled: what `fill` stands on.
    likeness_ : Likeness or None
        Whether the labelled rows are like the others; if not, nothing is promised of these.
    cleaned_ : Cleaning or None
        What became of given labels that look wrong; None without `clean`, with too few labels to tell, and
        where rows have several labels: each of estimators_ has its own.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    csa, sla, ups, flexmatch, pl : Methods with a name, as combinations of parts.
    surelabel.report : A page about a fitted classifier.
    surelabel.load : Reads a classifier that `save` wrote.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import PseudoLabelClassifier, Threshold
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> y_few = hide_labels(y, 0.9, random_state=0)
    >>> clf = PseudoLabelClassifier(allocator=Threshold(0.9), random_state=0).fit(X, y_few)
    >>> clf.history_[0].pool
    135
    >>> round(clf.score(X, y), 2)
    0.95
    """

    classes_: Values
    class_prior_: Floats
    columns_: Columns
    estimator_: Classifier
    estimators_: list[PseudoLabelClassifier]
    # Files of older releases have none of these.
    held_out_: HeldOut | None = None
    evidence_: Evidence | None = None
    aside_evidence_: Evidence | None = None
    likeness_: Likeness | None = None
    aside: float = 0.0
    clean: str | None = None
    cleaned_: Cleaning | None = None
    history_: list[Any]  # of Round, or of LabelRounds where rows have several labels
    labeled_iter_: Ints
    n_iter_: int
    pseudo_labels_: pd.DataFrame
    termination_condition_: str
    transduction_: Values
    verdict_: Verdict | None
    _run: Run | Runs  # from the start of `fit_rounds` to the end of `finish`
    _present: Ints  # positions in classes_ of the classes that estimator_ was trained on
    _learnt: bool = False  # whether unlabelled rows took part in training
    _asked: bool = False  # whether pseudo_labels_ has what estimator_ says of the rows
    _cells: str | None = None  # type of the cells of y, where it has a cell for each label

    def __init__(
        self,
        committee: Any = None,
        confidence: Any = None,
        allocator: Callable[[Floats, Budget], Allocation] | None = None,
        *,
        negatives: Callable[[Floats, Floats, Budget], Floats] | None = None,
        estimator: Classifier | None = None,
        n_rounds: int = 5,
        found_weight: str = "auto",
        class_prior: Prior = "labeled",
        classes: AnyLabels | None = None,
        missing_label: Any = AUTO,
        columns: Columns | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        guard: bool = True,
        labels_per_row: int | None = None,
        aside: float = 0.0,
        clean: str | None = None,
    ) -> None:
        self.committee = committee
        self.confidence = confidence
        self.allocator = allocator
        self.negatives = negatives
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.found_weight = found_weight
        self.class_prior = class_prior
        self.classes = classes
        self.missing_label = missing_label
        self.columns = columns
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.guard = guard
        self.labels_per_row = labels_per_row
        self.aside = aside
        self.clean = clean

    def fit(
        self, X: Table, y: AnyLabels, sample_weight: Any = None, X_unlabeled: Table | None = None
    ) -> Self:
        """Label the unlabelled rows and train the final classifier.

        Parameters
        ----------
        X : array, sparse matrix, frame or dict of columns, of shape (n, d)
            Numbers, categories, text, dates; missing values allowed, except in a sparse matrix.
        y : array-like of shape (n,), or matrix or frame of shape (n, L), or n lists of tags
            Labels; rows marked as missing are unlabelled. Of several labels (`read_indicators`) each
            cell may be missing; those that are known never change.
        sample_weight : array of shape (n,), optional
            Weights of the rows of X; those of X_unlabeled are 1. A weight of 2 counts as two rows. Where the
            mean is beyond a million or a millionth, weights are divided by it first.
        X_unlabeled : like X, optional
            More unlabelled rows.

        Returns
        -------
        self
        """
        with each_once():
            for _ in self.fit_rounds(X, y, sample_weight, X_unlabeled):
                pass
        return self

    def fit_rounds(
        self,
        X: Table,
        y: AnyLabels,
        sample_weight: Any = None,
        X_unlabeled: Table | None = None,
        *,
        after: Checkpoint | None = None,
        keep_plans: bool = False,
    ) -> Iterator[Round | LabelRounds]:
        """Fit in a loop of the caller: yields each Round, or LabelRounds, as it ends.

        The classifier is ready when the loop is over. To stop sooner, break out of it and
        call `finish`.

        Parameters
        ----------
        X, y, sample_weight, X_unlabeled
            As in `fit`.
        after : Checkpoint, optional
            What `checkpoint` gave in an earlier loop over the same input with the same seed:
            the rounds after it follow as they would have then.
        keep_plans : bool, default=False
            Whether each Round keeps P and the plan of all rows (`Round.kept`).
        """
        self._forget()
        check_settings(self)
        X, X_unlabeled = as_table(X), None if X_unlabeled is None else as_table(X_unlabeled)
        y = None if y is None else opened_labels(y)
        self.columns_ = clone(self.columns) if self.columns is not None else Columns()
        table = self.columns_.fit_transform(X, X_unlabeled)
        validate_data(self, header(X), skip_check_array=True)
        index = caller_index(X, X_unlabeled)
        targets, self._cells = read_labels(self, X, y, table.shape[0])
        targets = self._with_answers(targets, index)
        speak_of_identifiers(X, self.columns_, targets.codes)
        weight = row_weights(sample_weight, X, table.shape[0])
        run = begun(self, table, targets, weight, index, after, keep_plans=keep_plans)
        drawn_at_random(run, self._drawn(index))
        self._run, self.classes_, self.class_prior_ = run, targets.classes, run.class_prior
        self.history_ = run.history
        for round in run.rounds():
            self.history_ = run.history
            with shown(bool(self.verbose)):
                logger.info("%s", round)
            yield round
        self.finish()

    def _forget(self) -> None:
        """Drop what an earlier fit knew: it no longer holds."""
        for name in ("estimator_", "estimators_", "_run"):
            self.__dict__.pop(name, None)

    def checkpoint(self) -> Checkpoint:
        """What is known now, between two rounds of `fit_rounds`: a Checkpoint."""
        return self._under_way("keep").checkpoint()

    def finish(self, guard: bool | None = None) -> Self:
        """Train the final classifier on what has been labelled in `fit_rounds` so far.

        Parameters
        ----------
        guard : bool, optional
            Whether to find out if the unlabelled rows helped; by default the `guard` of the estimator.

        Returns
        -------
        self
        """
        run = self._under_way("finish")
        self.__dict__.update(run.fitted(self.guard if guard is None else guard))
        del self._run
        with_filled(self)
        speak_of(self.labeled_iter_, self.pseudo_labels_, self._learnt)
        return self

    def _under_way(self, what: str) -> Run | Runs:
        run = vars(self).get("_run")
        if run is None:
            raise ValueError(f"There is nothing to {what}: fit_rounds has not begun, or it ran to its end.")
        return run

    @property
    def several_labels(self) -> bool:
        """Whether the classifier was fitted on rows with several labels."""
        return "estimators_" in vars(self)

    def predict_proba(self, X: Table) -> Floats:
        """Probability of each class, shape (n, K); of each label, shape (n, L), where rows have several."""
        check_is_fitted(self, ["estimator_", "estimators_"], all_or_any=any)
        X = self.columns_.arrange(X)
        validate_data(self, header(X), reset=False, skip_check_array=True)
        table = self.columns_.read(X)
        if self.several_labels:
            # No committee is certain, and scikit-learn's checks refuse probabilities of 0 and 1 here.
            p = np.column_stack([clf._proba(table)[:, 1] for clf in self.estimators_])
            return p.clip(_DOUBT, 1 - _DOUBT)
        return self._proba(table)

    def _proba(self, table: Table) -> Floats:
        return aligned(self.estimator_.predict_proba(table), self._present, len(self.classes_))

    def predict(self, X: Table) -> Values:
        """The most probable class, shape (n,); where rows have several labels, 1 or 0 for each, (n, L)."""
        p = self.predict_proba(X)
        if self.several_labels:
            return (p > 0.5).astype(self._cells)
        best = p.argmax(axis=1)
        return self.classes_[best] if self._cells is None else np.eye(p.shape[1], dtype=self._cells)[best]

    def score(self, X: Table, y: AnyLabels, sample_weight: Any = None) -> float:
        """Accuracy on the labelled rows; unlabelled rows of y do not count.

        Where rows have several labels, only rows in which all of them are known count, and a row is
        correct when all its labels are.
        """
        X, y = as_table(X), opened_labels(y)
        check_consistent_length(X, y, sample_weight)
        predicted = self.predict(X)
        if self._cells is None:
            rows, truth = labeled_part(y, self.classes_, self.missing_label)
        else:
            rows, truth = known_part(y, self.classes_, self.missing_label)
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight)[rows]
        return accuracy_score(truth, predicted[rows], sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

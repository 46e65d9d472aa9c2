"""The estimator on Dask arrays and dataframes."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, get_client
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..classifier import PseudoLabelClassifier
from ..common.notice import notice
from ..common.types import Floats, RandomState, Values
from ..filling import Filling
from ..handing_out import decided
from ..heldout import Verdict
from ..recipes import csa
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from ..shards.asking import Asking
from ..shards.fitting import Fit
from ..shards.several import Fits
from .reading import Collection, Opened, as_frame, opened, predicted
from .spread import Spread, can_spread


class DaskPseudoLabelClassifier(ClassifierMixin, BaseEstimator):
    """Fill in missing labels of a table that is spread over a Dask cluster.

    The same seed gives the same labels as the classifier gives on one machine, however the
    table is cut into shards (chunks of an array, partitions of a dataframe). The client holds the labelled
    rows and samples of bounded size. More labelled rows than `gather_rows` stay where they are, and then the
    last digits depend on the shards.

    Parameters
    ----------
    classifier : PseudoLabelClassifier, default=csa()
        What to do: any method whose parts look at rows one by one.
    folder : str or path, optional
        Where to keep what is known after each round, one file for each shard, on a disk that
        all workers share. A run that ended early goes on from there.
    gather_rows : int, default=1000000
        Most labelled rows that should come to the client. With more, each member of a committee
        `RandomXGBoost` is trained by all workers together (XGBoost's own Dask training), and there
        is no verdict. Other committees need the rows in one place, and get them, with a warning.

    Attributes
    ----------
    classifier_ : PseudoLabelClassifier
        The classifier, fitted: it predicts tables in memory, and can be saved. It has no attributes that
        say something of every row, such as `transduction_`.
    labels_ : dask DataFrame
        A line for each row: label (missing if none was given), guess, probability, gap, confidence,
        runner_up, round (0: given, -1: none), status. Where rows have several labels, such columns for each,
        with its name before theirs: of "calm", calm_value (1, 0 or missing), calm_guess and so on, without
        runner_up. `labels_.to_parquet(path)` writes a file for each shard. It can be read as long as the
        client is connected.
    classes_, history_, n_iter_, verdict_, termination_condition_
        As those of the classifier; the rounds of `history_` do not say which rows were labelled.

    See Also
    --------
    surelabel.PseudoLabelClassifier : For a table in memory.
    LostSchedulerError : Raised where the scheduler is gone.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Repeated, csa
    >>> from surelabel.dask import DaskPseudoLabelClassifier
    >>> from surelabel.model_selection import hide_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> X = da.from_array(X, chunks=(50, 4))
    >>> y_few = da.from_array(hide_labels(y, 0.8, random_state=0), chunks=50)
    >>> committee = Repeated(GaussianNB(), 20, over="bootstrap")
    >>> recipe = csa(committee=committee, n_rounds=2, guard=False, random_state=0)
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     clf = DaskPseudoLabelClassifier(recipe).fit(X, y_few)
    ...     labels = clf.labels_.compute()
    ...     ask = clf.next_rows(n=5)
    >>> print(clf.history_[0])
    round 1: 120 unlabelled, 114 sure, 69 accepted
    >>> labels["label"].head(3).tolist()
    [0, 0, 0]
    >>> ask["pile"].tolist()
    ['unsure', 'unsure', 'unsure', 'unsure', 'random']
    """

    classifier_: PseudoLabelClassifier
    classes_: Values
    history_: list[Any]  # of Round, or of LabelRounds where rows have several labels
    labels_: dd.DataFrame
    n_iter_: int
    termination_condition_: str
    verdict_: Verdict | None
    _asking: Asking
    _stayed: bool  # whether labelled rows stayed on the workers

    def __init__(
        self,
        classifier: PseudoLabelClassifier | None = None,
        *,
        folder: str | Path | None = None,
        gather_rows: int = 1_000_000,
    ) -> None:
        self.classifier = classifier
        self.folder = folder
        self.gather_rows = gather_rows

    def __getstate__(self) -> dict[str, Any]:
        """What a copy knows: all but what is tied to the client."""
        return {name: value for name, value in super().__getstate__().items() if name != "_asking"}

    def fit(self, X: Collection, y: Collection | str | list[Any]) -> Self:
        """Label the unlabelled rows and train the final classifier.

        Parameters
        ----------
        X : dask array or dataframe of shape (n, d), or list of Delayed
            Rows in shards of some ten thousand or more, each small compared with a worker's memory.
        y : dask array or series of shape (n,), list of Delayed, or str
            Labels, in the same shards; or the name of their column in X. Of several labels a row: a dask
            array or dataframe of shape (n, L), or a list of L columns of X; each cell is 1, 0 or missing.

        Returns
        -------
        self
        """
        for _ in self.fit_rounds(X, y):
            pass
        return self

    def fit_rounds(self, X: Collection, y: Collection | str | list[Any]) -> Iterator[Round | LabelRounds]:
        """Fit in a loop of the caller: yields each Round, or LabelRounds, as it ends."""
        if not isinstance(self.gather_rows, Integral) or self.gather_rows < 0:
            raise ValueError(f"gather_rows must be a number of rows, 0 or more; it is {self.gather_rows!r}.")
        client = get_client()
        self.__dict__.pop("verdict_", None)  # what an earlier fit knew no longer holds
        clf = csa() if self.classifier is None else clone(self.classifier)
        given = opened(X, y, client)
        fit: Fit | Fits
        rounds: Iterator[Round | LabelRounds]
        if given.several:
            fit, spread = self._fits(clf, given), False
            rounds = fit.rounds()
        else:
            fit = Fit.begun(clf, given.x, given.y, given.heading)
            spread = self._spread(fit, client)
            rounds = fit.rounds(self.folder)
        self.classifier_, self.classes_ = clf, clf.classes_
        self.history_ = clf.history_
        for round in rounds:
            self.history_ = clf.history_
            yield round
        if spread and clf.guard and any(round.labelled for round in clf.history_):
            notice(
                f"There is no verdict: the guard holds out labelled rows in one place, and gather_rows="
                f"{self.gather_rows} of them come there. guard=False says that none is wanted."
            )
        self.history_, self.n_iter_, self.verdict_ = clf.history_, clf.n_iter_, clf.verdict_
        self.termination_condition_ = clf.termination_condition_
        self.labels_ = as_frame(fit.lines(), fit.line_types)
        self._asking = fit.asking() if isinstance(fit, Fit) else None
        self._stayed = spread

    def _fits(self, clf: PseudoLabelClassifier, given: Opened) -> Fits:
        """A fit for each label; refuses what is for one label."""
        if self.folder is not None:
            raise ValueError(
                "folder= keeps the rounds of one label. Leave it out for several labels a row, or fit each "
                "label by itself."
            )
        fits = Fits.begun(clf, given.x, given.y, given.heading)
        for name, fit in zip(fits.runs.names, fits.each, strict=True):
            if (n_labelled := int(fit.counts.sum())) > self.gather_rows:
                raise ValueError(
                    f"Label {name!r} is known of {n_labelled:,} rows, more than gather_rows="
                    f"{self.gather_rows:,}, and with several labels a row these come to the client. Raise "
                    "gather_rows, or fit each label by itself."
                )
        return fits

    def _spread(self, fit: Fit, client: Client) -> bool:
        """Leave more labelled rows than may come to the client where they are, if these can be trained on."""
        n_labelled = int(fit.counts.sum())
        if n_labelled <= self.gather_rows:
            return False
        if not can_spread(fit.clf, fit.run.method.committee):
            notice(
                f"{n_labelled:,} labelled rows come to the client, more than gather_rows="
                f"{self.gather_rows:,}. committee=RandomXGBoost(), without estimator=, is trained where "
                "they are."
            )
            return False
        fit.run.engine = Spread(fit.table, client)
        fit.facts = {"training": "where the rows are"}
        return True

    def fill(
        self,
        right: float = 0.95,
        confidence: float | None = None,
        *,
        per_class: bool = False,
        promise: bool = True,
    ) -> Filling:
        """Fill in as many missing labels as can be answered for, as `PseudoLabelClassifier.fill`.

        A row is filled in where the probability of its best class reaches `thresholds` of that class; `codes`
        are those of the unlabelled rows, in the order of the table.
        """
        check_is_fitted(self, "verdict_")
        return decided(self.classifier_, right, confidence, per_class, exact=False, promise=promise)

    def next_rows(self, n: int = 20, random_state: RandomState = 0) -> pd.DataFrame:
        """Rows that a person should label next, those that are worth most first.

        They are those that `PseudoLabelClassifier.next_rows` names without X: probabilities are those of the
        rounds, and rows are alike where their two best classes are the same.

        Parameters
        ----------
        n : int, default=20
            How many rows.
        random_state : int or RandomState, default=0
            Draws the random ones, a fifth of all.

        Returns
        -------
        DataFrame
            On the index of `labels_`: row (its position in the table), guess, probability, runner_up, gap,
            pile ("unsure" or "random"), why, expected. Only random rows may be used to tell how good labels
            are.

        Notes
        -----
        Of every unlabelled row some bytes come to the client. It works as long as the client is connected.
        """
        check_is_fitted(self, "verdict_")
        if "_asking" not in vars(self):
            raise ValueError("This classifier is a copy, and the shards of its table are not known. Fit it.")
        if self._asking is None:
            raise ValueError(
                "Where rows have several labels, next_rows() is for a table in memory: it is a method of "
                "PseudoLabelClassifier."
            )
        return self._asking.next_rows(n, random_state)

    def doubtful_labels(self) -> pd.DataFrame:
        """Given labels, those that look most wrong first, as `PseudoLabelClassifier.doubtful_labels`.

        Returns
        -------
        DataFrame
            A line for each given label, on the index of `labels_`: row (its position in the table), label,
            probability (of the label), suggestion (the best other class), suggestion_probability, score (0 is
            surely wrong), doubtful. How many are expected to be wrong is in `attrs["expected"]`.
        """
        check_is_fitted(self, "verdict_")
        if self._stayed:
            raise ValueError(
                "Nothing is known of held-out labels: more labelled rows than "
                f"gather_rows={self.gather_rows:,} stayed on the workers. Fit with a larger gather_rows."
            )
        return self.classifier_.doubtful_labels()

    def predict_proba(self, X: Collection) -> da.Array | Floats:
        """Probability of each class, (n, K), or of each label, (n, L): a dask array for a dask collection."""
        check_is_fitted(self, "verdict_")
        return predicted(self.classifier_, "predict_proba", X, (np.nan, len(self.classes_)), np.dtype(float))

    def predict(self, X: Collection) -> da.Array | Values:
        """The most probable class, shape (n,): a dask array for a dask collection.

        Where rows have several labels, 1 or 0 for each, shape (n, L).
        """
        check_is_fitted(self, "verdict_")
        clf, shape = self.classifier_, (np.nan,)
        if not clf.several_labels:
            return predicted(clf, "predict", X, shape, clf.classes_.dtype)
        return predicted(clf, "predict", X, (*shape, len(clf.classes_)), np.dtype(clf._cells))

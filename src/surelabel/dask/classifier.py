"""The estimator on Dask arrays and dataframes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import dask.array as da
import dask.dataframe as dd
import numpy as np
from distributed import Client, get_client
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..classifier import PseudoLabelClassifier
from ..common.notice import logger, notice, shown
from ..common.types import Floats, Ints, Values
from ..filling import Filling, fill
from ..filling.evidence import unseen
from ..heldout import Verdict
from ..reading.priors import check_classes, check_prior, resolved_prior
from ..reading.unlabeled import is_auto
from ..recipes import csa
from ..rounds.audit import what_learnt
from ..rounds.engine import Strand
from ..rounds.method import (
    brings_models,
    found_weight_of,
    method_of,
    rounds_worth_running,
    with_readable_models,
)
from ..rounds.records import Round
from ..rounds.run import Run, frequencies_of, shares_of
from ..rounds.training import Seeds, Trainer
from . import shard
from .engine import Cluster, check
from .excerpt import Table
from .keeping import SIZES, Keeper
from .pieces import trains_on
from .reading import Collection, described, predicted, read
from .spread import can_spread


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
        runner_up, round (0: given, -1: none), status. `labels_.to_parquet(path)` writes a file for each
        shard. It can be read as long as the client is connected.
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
    >>> print(clf.history_[0])
    round 1: 120 unlabelled, 114 sure, 69 accepted
    >>> labels["label"].head(3).tolist()
    [0, 0, 0]
    """

    classifier_: PseudoLabelClassifier
    classes_: Values
    history_: list[Round]
    labels_: dd.DataFrame
    n_iter_: int
    termination_condition_: str
    verdict_: Verdict | None

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

    def fit(self, X: Collection, y: Collection | str) -> Self:
        """Label the unlabelled rows and train the final classifier.

        Parameters
        ----------
        X : dask array or dataframe of shape (n, d), or list of Delayed
            Rows in shards of some ten thousand or more, each small compared with a worker's memory.
        y : dask array or series of shape (n,), list of Delayed, or str
            Labels, in the same shards; or the name of their column in X.

        Returns
        -------
        self
        """
        for _ in self.fit_rounds(X, y):
            pass
        return self

    def fit_rounds(self, X: Collection, y: Collection | str) -> Iterator[Round]:
        """Fit in a loop of the caller: yields each Round as it ends."""
        if not isinstance(self.gather_rows, Integral) or self.gather_rows < 0:
            raise ValueError(f"gather_rows must be a number of rows, 0 or more; it is {self.gather_rows!r}.")
        client = get_client()
        self.__dict__.pop("verdict_", None)  # what an earlier fit knew no longer holds
        clf = csa() if self.classifier is None else clone(self.classifier)
        run, table, counts = self._begun(clf, X, y, client)
        strand = run.strand
        keeper = None
        if self.folder is not None:
            keeper = Keeper(self.folder, _facts(clf, table, counts), len(table.sizes))
            strand.history, seed = keeper.begin(strand.trainer.seeds.seed)
            strand.trainer = replace(strand.trainer, seeds=Seeds(seed))
            if strand.history:
                strand.labels = keeper.labels(len(strand.history), table.n_classes, table.found, client)
        self.classifier_, self.classes_ = clf, clf.classes_
        self.history_ = clf.history_ = run.history
        for round in run.rounds():
            self.history_ = clf.history_ = run.history
            with shown(bool(clf.verbose)):
                logger.info("%s", round)
            if keeper is not None:
                keeper.keep(strand)
                strand.labels = keeper.labels(round.number, table.n_classes, table.found, client)
            yield round
        self._finish(clf, run, table)
        self.labels_ = described(table, strand.labels, clf.classes_)

    def _begun(
        self, clf: PseudoLabelClassifier, X: Collection, y: Collection | str, client: Client
    ) -> tuple[Run, Table, Ints]:
        """The run, its table, and how many labelled rows each class has."""
        if clf.found_weight == "full":
            raise ValueError('found_weight="full" trains on every row found; on a cluster it is "balanced".')
        check(method_of(clf))
        table, labels, targets = read(clf, X, y, client)
        counts = np.sum([each.given for each in labels.ask(shard.counts, None)], axis=0)
        check_classes(clf.classes_, counts, is_auto(clf.missing_label))
        check_prior(clf.class_prior, clf.classes_, counts)
        clf.class_prior_ = resolved_prior(clf.class_prior, counts / counts.sum(), clf.classes_)
        able = with_readable_models(clf, *table.sample(labels)) if brings_models(clf) else clf
        method = method_of(able)
        extremes = labels.ask(shard.extremes, table.x, table.columns)
        n_worth_running = rounds_worth_running(
            clf.n_rounds, np.concatenate([each for each in extremes if len(each)])
        )
        if counts.sum() > self.gather_rows:
            table = replace(table, spread=can_spread(clf, method.committee))
            if not table.spread:
                notice(
                    f"{counts.sum():,} labelled rows come to the client, more than gather_rows="
                    f"{self.gather_rows:,}. committee=RandomXGBoost(), without estimator=, is trained where "
                    "they are."
                )
        trainer = Trainer(method.committee, Seeds.of(clf.random_state), trains_on(client))
        run = Run(
            engine=Cluster(table),
            strand=Strand(
                labels,
                clf.class_prior_,
                trainer,
                learns_found=found_weight_of(able, method) != "none",
                shares=shares_of(clf.class_prior, counts),
            ),
            method=method,
            targets=targets,
            n_rounds=clf.n_rounds,
            n_worth_running=n_worth_running,
            frequencies=partial(frequencies_of, clf.class_prior, clf.classes_),
            estimator=able.estimator,
            verbose=clf.verbose,
        )
        return run, table, counts

    def _finish(self, clf: PseudoLabelClassifier, run: Run, table: Table) -> None:
        """Train the final classifier on what was found; warn where nothing was, or there is no verdict."""
        done, left = run.finish(clf.guard), run.engine.pool(run.strand)
        if clf.guard and run.found and table.spread:
            notice(
                f"There is no verdict: the guard holds out labelled rows in one place, and gather_rows="
                f"{self.gather_rows} of them come there. guard=False says that none is wanted."
            )
        elif not left and not run.found:
            notice("y has no unlabelled row; this is the supervised model.")
        elif not run.found:
            notice(f"None of the {left} unlabelled rows was labelled; {what_learnt(run.learnt)}.")
        clf.__dict__.update(run.outcome(done))
        if clf.evidence_ is None:
            guesses = run.engine.guesses(run.strand, done.final.predict_proba)
            clf.evidence_ = unseen(*guesses, len(clf.classes_))
        self.n_iter_, self.verdict_ = clf.n_iter_, clf.verdict_
        self.termination_condition_ = clf.termination_condition_

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
        known = self.classifier_.evidence_
        if known is None:
            raise ValueError("This classifier knows nothing of its rows; fit it again.")
        return fill(known, right, confidence, per_class, promise=promise)

    def predict_proba(self, X: Collection) -> da.Array | Floats:
        """Probability of each class, shape (n, K): a dask array for a dask collection."""
        check_is_fitted(self, "verdict_")
        return predicted(self.classifier_, "predict_proba", X, (np.nan, len(self.classes_)), np.dtype(float))

    def predict(self, X: Collection) -> da.Array | Values:
        """The most probable class, shape (n,): a dask array for a dask collection."""
        check_is_fitted(self, "verdict_")
        return predicted(self.classifier_, "predict", X, (np.nan,), self.classes_.dtype)


def _facts(clf: PseudoLabelClassifier, table: Table, counts: Ints) -> dict[str, Any]:
    """What a run depends on: a run with other facts cannot go on from its folder."""
    return {
        "classifier": BaseEstimator.__repr__(clf, N_CHAR_MAX=10**6),
        SIZES: table.sizes.tolist(),
        "classes": [str(label) for label in clf.classes_],
        "given labels": counts.tolist(),
        "columns": {str(name): kind for name, kind in table.columns.kinds_.items()},
    } | ({"training": "where the rows are"} if table.spread else {})

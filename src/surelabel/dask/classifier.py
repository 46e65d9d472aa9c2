"""The estimator on Dask arrays and dataframes."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

import numpy as np
from distributed import get_client
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..committees.base import trained_by
from ..common.notice import logger, notice, shown
from ..reading.priors import check_classes, check_prior, resolved_prior
from ..reading.targets import is_auto
from ..recipes import csa
from ..rounds.arguments import parts_of, rounds_worth_running
from ..rounds.audit import why_ended
from ..rounds.training import Trainer
from ..rounds.verdict import pool_shown
from . import shard
from .excerpt import Table
from .keeping import Keeper
from .pieces import trains_on
from .reading import described, predicted, read
from .rounds import State, check, excerpt_for, recall, rounds
from .spread import can_spread, fit_spread


class DaskPseudoLabelClassifier(ClassifierMixin, BaseEstimator):
    """Fill in missing labels of a table that is spread over a Dask cluster.

    The same seed gives the same labels as the classifier gives on one machine, however the
    table is cut into parts. The client holds the labelled rows and samples of bounded size; beyond
    `gather_rows` labelled rows stay where they are, and there the last digits depend on the parts.

    Parameters
    ----------
    classifier : PseudoLabelClassifier, default=csa()
        What to do: any recipe or cell of the grid whose parts look at rows one by one.
    folder : str, optional
        Where to keep what is known after each round, one file for each part, on a disk that
        all workers share. A run that ended early goes on from there.
    gather_rows : int, default=1000000
        Most labelled rows that should come to the client. With more, each member of a committee
        `RandomXGBoost` is trained by all workers together (XGBoost's own Dask training), and there
        is no verdict. Other committees need the rows in one place, and get them, with a warning.

    Attributes
    ----------
    classifier_ : PseudoLabelClassifier
        The classifier, fitted: it predicts plain tables, and can be saved. What one machine would
        keep of every row it does not have.
    labels_ : dask DataFrame
        A line for each row: label (missing if none was given), guess, probability, gap, confidence,
        runner_up, round (0: given, -1: none), status. `labels_.to_parquet(path)` writes it part
        by part. It is there as long as the client is.
    classes_, history_, n_iter_, verdict_, termination_condition_
        As those of the classifier; `history_` has no rows.

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
    round 1: 120 unlabelled, 114 sure, 69 labelled
    >>> labels["label"].head(3).tolist()
    [0, 0, 0]
    """

    def __init__(self, classifier=None, *, folder=None, gather_rows=1_000_000):
        self.classifier = classifier
        self.folder = folder
        self.gather_rows = gather_rows

    def fit(self, X, y):
        """Label the unlabelled rows and train the final classifier.

        Parameters
        ----------
        X : dask array or dataframe of shape (n, d), or list of Delayed
            Rows in parts of at least some ten thousand, each small against a worker's memory.
        y : dask array or series of shape (n,), list of Delayed, or str
            Labels, in the same parts; or the name of their column in X.

        Returns
        -------
        self
        """
        for _ in self.fit_rounds(X, y):
            pass
        return self

    def fit_rounds(self, X, y):
        """Fit as a loop of one's own: yields each Round as it ends."""
        if not isinstance(self.gather_rows, Integral) or self.gather_rows < 0:
            raise ValueError(f"gather_rows must be a number of rows, 0 or more; it is {self.gather_rows!r}.")
        client = get_client()
        self.__dict__.pop("verdict_", None)  # what an earlier fit knew no longer holds
        clf = csa() if self.classifier is None else clone(self.classifier)
        if clf.found_weight == "full":
            raise ValueError('found_weight="full" trains on every row found; on a cluster it is "balanced".')
        method = parts_of(clf)
        check(method)
        table, labels = read(clf, X, y, client)
        counts = np.sum([each.given for each in labels.ask(shard.counts, None)], axis=0)
        check_classes(clf.classes_, counts, is_auto(clf.missing_label))
        check_prior(clf.class_prior, clf.classes_, counts)
        clf.class_prior_ = resolved_prior(clf.class_prior, counts / counts.sum(), clf.classes_)
        n_rounds = rounds_worth_running(
            clf.n_rounds, np.concatenate(labels.ask(shard.extremes, table.x, table.columns))
        )
        if counts.sum() > self.gather_rows:
            table = replace(table, spread=can_spread(clf, method.committee))
            if not table.spread:
                notice(
                    f"{counts.sum():,} labelled rows come to the client, more than gather_rows="
                    f"{self.gather_rows:,}. committee=RandomXGBoost(), without estimator=, is trained where "
                    "they are."
                )
        trainer = Trainer(method.committee, clf.random_state)
        state, keeper = State(labels, []), None
        if self.folder is not None:
            keeper = Keeper(self.folder, facts(clf, table, counts), len(table.sizes))
            state.history, trainer.seed = keeper.begin(trainer.seed)
            if state.history:
                state.labels = keeper.labels(len(state.history), table.n_classes, table.found, client)
                recall(table, state.labels, trainer)
        self.classifier_, self.history_, self.classes_ = clf, state.history, clf.classes_
        clf.history_ = state.history
        for round in rounds(table, state, method, trainer, prior=clf.class_prior_, n_rounds=n_rounds):
            with shown(clf.verbose):
                logger.info("%s", round)
            if keeper is not None:
                keeper.keep(state)
                state.labels = keeper.labels(round.number, table.n_classes, table.found, client)
            yield round
        with trained_by(trains_on(client)):
            self._finish(clf, table, state, method, trainer)
        self.labels_ = described(table, state.labels, clf.classes_)

    def _finish(self, clf, table: Table, state: State, method, trainer):
        """Train the final classifier on what was found, and find out whether it helped."""
        found = sum(round.labelled for round in state.history) > 0
        alone = trainer.blind()
        last = alone if trainer.shows_pool and not found else trainer
        if table.spread:
            clf.estimator_ = fit_spread(table, state.labels, last)
            clf._present = clf.estimator_.classes_
        else:
            rows, labels = excerpt_for(table, state.labels, last)
            clf.estimator_, clf._present = clf._final(rows, last, labels)
        clf.verdict_, clf.n_iter_ = None, len(state.history)
        left = sum(counts.pool for counts in state.labels.ask(shard.counts, None))
        clf.termination_condition_ = why_ended(left, clf.history_, clf.n_rounds)
        if clf.guard and found and table.spread:
            notice(
                f"There is no verdict: the guard holds out labelled rows in one place, and gather_rows="
                f"{self.gather_rows} of them come there. guard=False says that none is wanted."
            )
        elif clf.guard and found:
            rows, labels = table.excerpt(state.labels, lambda n, _: pool_shown(trainer, n), before=1)
            clf._guard(rows, labels.afresh(labels.weight), method, trainer, alone)
        elif not left and not found:
            notice("y has no unlabelled row; this is the supervised model.")
        elif not found:
            notice(f"None of the {left} unlabelled rows was labelled; this is the supervised model.")
        self.n_iter_, self.verdict_ = clf.n_iter_, clf.verdict_
        self.termination_condition_ = clf.termination_condition_

    def predict_proba(self, X):
        """Probability of each class, shape (n, K): a dask array for a dask collection."""
        check_is_fitted(self, "verdict_")
        return predicted(self.classifier_, "predict_proba", X, (np.nan, len(self.classes_)), np.dtype(float))

    def predict(self, X):
        """The most probable class, shape (n,): a dask array for a dask collection."""
        check_is_fitted(self, "verdict_")
        return predicted(self.classifier_, "predict", X, (np.nan,), self.classes_.dtype)


def facts(clf, table: Table, counts):
    """What a run depends on, for those who go on with it."""
    return {
        "classifier": clf.__repr__(N_CHAR_MAX=10**6),
        "rows in each part": table.sizes.tolist(),
        "classes": [str(label) for label in clf.classes_],
        "given labels": counts.tolist(),
        "columns": {str(name): kind for name, kind in table.columns.kinds_.items()},
    } | ({"training": "where the rows are"} if table.spread else {})

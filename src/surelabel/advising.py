"""What a fitted classifier would ask a person: rows to label next, and given labels to look at again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .advice.doubts import Doubts, doubtful
from .advice.next_rows import NOTHING_TO_ASK, Pool, check_n, explained, next_rows
from .committees.encoding import Encoder
from .committees.text_encoding import TextBesideTable
from .common.types import Bools, Fitted, Floats, Ints, RandomState, Table, Values
from .confidence import two_best
from .reading.answers import Answer, answered
from .reading.features import as_table, has_text, take
from .rounds.audit import guess_lines

# Rows from which it is learnt how rows are alike.
_LEARNT_FROM = 20_000
# Rows that speak against a label, at most.
_AGAINST = 3


class Advising:
    """What a fitted classifier can tell a person to do next."""

    several_labels: Any
    classes_: Values
    _answers: pd.DataFrame | None = None
    sampled_: Bools | None = None  # which given labels are a random sample, (n,); None: all

    def learn(self, rows: Any, labels: Any, label: Any = None) -> Self:
        """Remember answers of a person: they replace the labels of these rows in every later fit.

        Parameters
        ----------
        rows : sequence of n
            Rows by the index of X, as that of `next_rows`; positions, where X has no index.
        labels : sequence of n
            Their classes; those that are new are added. Of several labels, 1 or 0.
        label : sequence of n, or one, optional
            Which of several labels is answered.

        Returns
        -------
        self

        Examples
        --------
        >>> from surelabel import Repeated, csa, trees
        >>> X, y = np.arange(40.0)[:, None], np.where(np.arange(40) % 4, -1, np.arange(40) // 20)
        >>> clf = csa(committee=Repeated(trees(3), n_members=2), guard=False, random_state=0).fit(X, y)
        >>> clf = clf.learn([39, 38, 37], [2, 2, 2]).fit(X, y)
        >>> clf.classes_.tolist(), clf.transduction_[[37, 38, 39]].tolist()
        ([0, 1, 2], [2, 2, 2])
        """
        rows, labels = list(rows), list(labels)
        if len(rows) != len(labels):
            raise ValueError(f"learn() got {len(rows)} rows and {len(labels)} labels; there is one for each.")
        which = [label] * len(rows) if label is None or isinstance(label, (str, int)) else list(label)
        new = pd.DataFrame({"row": rows, "value": labels, "label": which}, dtype=object)
        known = new if self._answers is None else pd.concat([self._answers, new], ignore_index=True)
        # Of two answers about one thing the later one holds.
        self._answers = known[~known.duplicated(["row", "label"], keep="last")].reset_index(drop=True)
        return self

    def _with_answers(self, targets: Any, index: pd.Index[Any]) -> Any:
        """Labels with what was learnt of rows in their place."""
        if self._answers is None:
            return targets
        lines = self._answers.to_dict("records")
        return answered(targets, [Answer(each["row"], each["value"], each["label"]) for each in lines], index)

    def _drawn(self, index: pd.Index[Any]) -> Bools | None:
        """Which rows, if they have a label, were drawn at random, shape (n,); None for all.

        Those that were answered were not.
        """
        told = self.sampled_
        drawn = told if told is not None and len(told) == len(index) else None
        if self._answers is None:
            return drawn
        others = ~index.isin(list(self._answers["row"]))
        return others if drawn is None else others & drawn

    def next_rows(self, X: Table | None = None, n: int = 20, random_state: RandomState = 0) -> pd.DataFrame:
        """Rows that a person should label next, those that are worth most first.

        Parameters
        ----------
        X : like X of fit, optional
            All rows of fit, those of X_unlabeled below. With it rows are spread over clusters of rows that
            are alike, and probabilities are those of the final classifier. Without it they are those of the
            rounds, and rows are alike where their two best classes are the same.
        n : int, default=20
            How many rows; of several labels, how many cells.
        random_state : int or RandomState, default=0
            Draws the random ones, a fifth of all.

        Returns
        -------
        DataFrame
            On the caller's index: row (its position in fit), guess, probability, runner_up, gap, pile
            ("typical", "unsure" or "random"), why, expected. Of several labels also label, and no runner_up.
            Only random rows may be used to tell how good labels are.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelabel import csa
        >>> from surelabel.model_selection import hide_labels
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = csa(random_state=0).fit(X, hide_labels(y, 0.8, random_state=0))
        >>> asked = clf.next_rows(X, n=5)
        >>> asked["pile"].tolist()
        ['unsure', 'unsure', 'unsure', 'unsure', 'random']
        >>> bool(asked["gap"].iloc[:4].max() < clf.pseudo_labels_["gap"].median())
        True
        """
        _check_known(self)
        _check_rows_known(self, "next_rows")
        check_n(n)
        each, table = _each(self), _table(self, X)
        lines = pd.concat([_lines(one, table, k) for k, one in enumerate(each)])
        lines = lines[lines["gap"].notna()]
        if not len(lines):
            raise ValueError(f"{NOTHING_TO_ASK} Give X, and the final classifier is asked.")
        pool = _pool(lines, each, table)
        asks = next_rows(pool, int(n), check_random_state(random_state))
        chosen = explained(lines.iloc[[ask.row for ask in asks]], asks)
        if not self.several_labels:
            return chosen.drop(columns="label")
        names: Values = np.array(list(self.classes_), dtype=object)
        return chosen.assign(label=names[chosen["label"].to_numpy()]).drop(columns="runner_up")

    def doubtful_labels(self, X: Table | None = None) -> pd.DataFrame:
        """Given labels, those that look most wrong first.

        What is said of each comes from classifiers that were trained without it.

        Parameters
        ----------
        X : like X of fit, optional
            All rows of fit, those of X_unlabeled below. With it rows that speak against a label are
            told: the nearest that have the suggested one.

        Returns
        -------
        DataFrame
            A line for each given label, on the caller's index: row (its position in fit), label, probability
            (of the label), suggestion (the best other class), suggestion_probability, score (0 is surely
            wrong, 1 surely right), doubtful (whether it is among as many as are expected to be wrong). Where
            X is given, against: the index of rows that speak against it. Of several labels, a line for each
            given cell; label is the label's name, and value what was given. `attrs["expected"]` tells how
            many are expected to be wrong, in words.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelabel import csa
        >>> from surelabel.model_selection import hide_labels
        >>> X, y = load_iris(return_X_y=True)
        >>> y_few = hide_labels(y, 0.5, random_state=0)
        >>> wrong = np.flatnonzero(y_few == 0)[0]
        >>> y_few[wrong] = 2
        >>> doubts = csa(random_state=0).fit(X, y_few).doubtful_labels()
        >>> bool(doubts.index[0] == wrong), int(doubts["suggestion"].iloc[0])
        (True, 0)
        """
        _check_known(self)
        each, table = _each(self), _table(self, X)
        found = [_doubts(one) for one in each]
        frames = [_doubt_lines(one, doubts, table) for one, doubts in zip(each, found, strict=True)]
        together = Doubts.together(found)
        if self.several_labels:
            frames = [
                frame.rename(columns={"label": "value"}).assign(label=name)
                for name, frame in zip(self.classes_, frames, strict=True)
            ]
        out = pd.concat(frames).sort_values("score", kind="stable")
        out["doubtful"] = np.arange(len(out)) < together.expected
        out.attrs["expected"] = str(together)
        return out


def _check_known(clf: Fitted) -> None:
    """Refuse a classifier that is not fitted, or was saved by a release that knew less."""
    check_is_fitted(clf, ["estimator_", "estimators_"], all_or_any=any)
    if any("_given" not in vars(one) for one in _each(clf)):
        raise ValueError(
            "The classifier does not know its given labels: it was saved by an older release, or fitted on "
            "shards with guard=False or with labelled rows that stayed on the workers. Fit it again."
        )


def _check_rows_known(clf: Fitted, method: str) -> None:
    """Refuse a classifier of a table in shards, which are not here."""
    if "labeled_iter_" not in vars(clf):
        raise ValueError(
            f"This classifier was fitted on shards and knows no single row. On Dask, {method}() of the "
            "DaskPseudoLabelClassifier tells."
        )


def _each(clf: Fitted) -> list[Fitted]:
    """The classifier of each label; the only one, where rows have one."""
    return clf.estimators_ if clf.several_labels else [clf]


def _table(clf: Fitted, X: Table | None) -> Table | None:
    """X as fit read it; refused where its rows are not those of fit."""
    if X is None:
        return None
    if "labeled_iter_" not in vars(clf):
        raise ValueError("This classifier was fitted on shards and knows no single row: leave X out.")
    X, n = as_table(X), len(clf.labeled_iter_)
    if X.shape[0] != n:
        raise ValueError(
            f"X has {X.shape[0]:,} rows, and fit had {n:,}: give all of them, those of X_unlabeled below the "
            "others."
        )
    return clf.columns_.transform(clf.columns_.arrange(X))


def _lines(clf: Fitted, table: Table | None, label: int) -> pd.DataFrame:
    """What is said of each row that came unlabelled, by name."""
    rows = np.flatnonzero(clf.labeled_iter_ != 0)
    lines = clf.pseudo_labels_
    if table is None:
        said = guess_lines(lines, rows)
    else:
        p = clf._proba(take(table, rows)) if len(rows) else np.empty((0, len(clf.classes_)))
        best, second = two_best(p)
        names, at = np.array(list(clf.classes_), dtype=object), np.arange(len(rows))
        said = pd.DataFrame(
            {
                "guess": names[best],
                "probability": p[at, best],
                "runner_up": names[second],
                "gap": p[at, best] - p[at, second],
            },
            index=lines.index,
        )
        said.insert(0, "row", rows)
    return said.assign(label=label)


def _pool(lines: pd.DataFrame, each: Sequence[Fitted], table: Table | None) -> Pool:
    """What is known of the rows, or cells, to choose from."""
    width = max(len(one.classes_) for one in each)
    codes = {(k, name): k * width + j for k, one in enumerate(each) for j, name in enumerate(one.classes_)}

    def coded(column: str) -> Ints:
        return np.array([codes[key] for key in zip(lines["label"], lines[column], strict=True)], dtype=int)

    # A class that is not in the table has no row to be found; one without labels may have.
    counts = [(one._given["label"] == name).sum() for one in each for name in one.classes_]
    places = labelled = None
    if table is not None:
        place = _places(table)
        rows, label = lines["row"].to_numpy(), lines["label"].to_numpy()
        places = partial(_beside_labels, place, rows, label, len(each))
        given = [(one._given["row"].to_numpy(), k) for k, one in enumerate(each)]
        labelled = np.concatenate(
            [_beside_labels(place, at, np.full(len(at), k), len(each), np.arange(len(at))) for at, k in given]
        )
    return Pool(
        lines["gap"].to_numpy(dtype=float),
        coded("guess"),
        coded("runner_up"),
        np.array(counts),
        places,
        labelled,
    )


def _beside_labels(
    place: Callable[[Ints], Floats], rows: Ints, label: Ints, n_labels: int, chosen: Ints
) -> Floats:
    """Where chosen cells lie: where their rows do, and cells of different labels apart."""
    Z = place(rows[chosen])
    if n_labels == 1:
        return Z
    far = np.sqrt(max(Z.shape[1], 1))
    return np.hstack([Z, far * np.eye(n_labels)[label[chosen]]])


def _places(table: Table) -> Callable[[Ints], Floats]:
    """Where rows lie, by their positions; what is alike is learnt from some of them."""
    n = table.shape[0]
    some = np.arange(n) if n <= _LEARNT_FROM else np.arange(_LEARNT_FROM) * n // _LEARNT_FROM
    encoder: Any = TextBesideTable() if has_text(table) else Encoder(components="main")
    encoder.fit(take(table, some))
    return lambda rows: encoder.transform(take(table, rows))


def _doubts(clf: Fitted) -> Doubts:
    held = clf.held_out_
    if held is None:
        raise ValueError(
            "Nothing is known of held-out labels: fit with guard=True, on a table with unlabelled rows and a "
            "few labels of each class."
        )
    return doubtful(held)


def _doubt_lines(clf: Fitted, doubts: Doubts, table: Table | None) -> pd.DataFrame:
    """A line for each given label."""
    names, given = np.array(list(clf.classes_), dtype=object), clf._given
    out = pd.DataFrame(
        {
            "row": given["row"],
            "label": given["label"],
            "probability": doubts.p_given,
            "suggestion": names[doubts.suggestion],
            "suggestion_probability": doubts.p_suggestion,
            "score": doubts.score,
        },
        index=given.index,
    )
    if table is None:
        return out
    Z = _places(table)(given["row"].to_numpy())
    against = _against(Z, out["label"].to_numpy(), out["suggestion"].to_numpy(), given.index)
    return out.assign(against=pd.Series(against, index=out.index, dtype=object))


def _against(Z: Floats, labels: Any, suggestion: Any, index: pd.Index[Any]) -> list[list[Any]]:
    """Of each row, the index of the nearest that have the label suggested for it."""
    out: list[list[Any]] = [[] for _ in range(len(Z))]
    for name in pd.unique(suggestion):
        have, asked = np.flatnonzero(labels == name), np.flatnonzero(suggestion == name)
        if not len(have):
            continue
        near = NearestNeighbors(n_neighbors=min(_AGAINST, len(have))).fit(Z[have])
        for row, found in zip(asked, near.kneighbors(Z[asked], return_distance=False), strict=True):
            out[row] = index[have[found]].tolist()
    return out

"""Are the labelled rows like the others? Only then do they stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from ..common.types import Bools, Floats, Ints
from .surrogate import Classifier, seen_alike

_LEVEL = 0.05
_PERMUTATIONS = 199
# Rows of each kind that are looked at, at most; enough to see any difference that matters.
_MOST_ROWS = 2000
# The pull of the coefficients to 0, in rows.
_RIDGE, _RIDGE_WEIGHTS = 30.0, 10.0
_NEWTON_STEPS = 25
# No labelled row stands for more than so many times what it would without weights.
_MOST_WEIGHT = 10.0
_NEARLY = 1e-12
# A p-value of 1 would outweigh all others.
_LARGEST_P = 0.99


@dataclass(frozen=True)
class Likeness:
    """Whether labelled rows are like the unlabelled ones.

    Parameters
    ----------
    p_value : float
        How often rows labelled at random would differ as much; below 5% they were not labelled at random.
    auc : float
        How well the two can be told apart by all columns together: 0.5 is not at all, 1 is always. Each
        row is judged by what the other rows teach.
    columns : tuple of (str, float)
        The columns that tell them apart, the clearest first, each with by how many standard errors labelled
        rows are above the others (below, if negative). A difference in spread, not in level, has the name in
        brackets: "spread of (age)".
    """

    p_value: float
    auc: float
    columns: tuple[tuple[str, float], ...]

    @property
    def alike(self) -> bool:
        """Whether nothing speaks against a random sample, at 5%."""
        return self.p_value > _LEVEL


def likeness(
    labelled: Floats,
    unlabelled: Floats,
    names: Sequence[str],
    rng: np.random.RandomState | None = None,
    codes: Ints | None = None,
    classifier: Classifier | None = None,
) -> Likeness:
    """Test whether labelled rows could be a random sample of all rows.

    Two figures are compared with those of random relabellings: the largest difference of any column, in level
    or in spread, and how well a linear rule tells the rows apart when each is judged by the others. So there
    are at most 5% false alarms, whatever the columns are.

    With labels and a classifier two more are asked: whether labelled rows are easier than the others, or of
    other classes, as the classifier sees those it has not learnt from (`surrogate`). Differences that hardly
    show in any column show there. The answers are combined as Cauchy variables, which holds for answers that
    depend on each other.

    Parameters
    ----------
    labelled, unlabelled : ndarrays of shape (n, d) and (m, d)
        Both encoded alike, without gaps.
    names : sequence of d str
        Of the columns; those of one category may have the same name.
    rng : RandomState, optional
        For the relabellings and the folds; by default seeded with 0.
    codes : ndarray of shape (n,), optional
        The given classes. Where rows have several labels, a code for each combination.
    classifier : classifier of scikit-learn, optional
        A small one, such as ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0); it is fitted five
        times.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(600, 3))
    >>> likeness(X[:100], X[100:], ["a", "b", "c"]).alike
    True
    >>> found = likeness(X[:100] + [0, 0.6, 0], X[100:], ["a", "b", "c"])
    >>> found.alike, found.columns[0][0]
    (False, 'b')
    """
    rng = rng or np.random.RandomState(0)
    chosen, others = _some(len(labelled), rng), _some(len(unlabelled), rng)
    X = np.concatenate([labelled[chosen], unlabelled[others]])
    given = np.arange(len(X)) < len(chosen)
    Z, all_names = _columns(X, names)
    if not Z.shape[1] or given.all() or not given.any():
        return Likeness(1.0, 0.5, ())
    draws = np.array([given, *(rng.permutation(given) for _ in range(_PERMUTATIONS))])
    # Two questions, one answer: each by its place among relabellings, then the better place of the two.
    differences = _differences(Z, draws)
    auc = _told_apart(Z, draws)
    places = np.minimum(_places(np.abs(differences).max(axis=1)), _places(auc))
    p_values = [float((places <= places[0] + _NEARLY).mean())]
    if codes is not None and classifier is not None:
        seen = seen_alike(labelled[chosen], codes[chosen], unlabelled[others], classifier, rng)
        p_values += seen.tolist()
    order = np.argsort(-np.abs(differences[0]), kind="stable")
    limit = np.quantile(np.abs(differences[1:]).max(axis=1), 1 - _LEVEL)
    telling: dict[str, float] = {}
    for k in order.tolist():
        if abs(differences[0, k]) > limit:
            telling.setdefault(all_names[k], float(differences[0, k]))
    return Likeness(together(p_values), float(auc[0]), tuple(telling.items()))


def together(p_values: Sequence[float]) -> float:
    """One p-value of several that may depend on each other (Liu and Xie 2020).

    Examples
    --------
    >>> round(together([0.3]), 4), round(together([0.01, 0.9, 0.6]), 3)
    (0.3, 0.033)
    """
    if len(p_values) == 1:
        return p_values[0]
    heights = np.tan((0.5 - np.clip(p_values, _NEARLY, _LARGEST_P)) * np.pi)
    return float(0.5 - np.arctan(heights.mean()) / np.pi)


def weights_like(labelled: Floats, unlabelled: Floats) -> Floats:
    """Weights under which labelled rows are like the unlabelled ones, as far as they overlap, shape (n,).

    How many times more likely each row is among the unlabelled rows than among the labelled ones, by a
    logistic regression; of mean 1. To be given to `evidence_of`: the promise then counts rows by what they
    are worth, which is little where few labelled rows stand for many others.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(4000, 1))
    >>> given = rng.rand(4000) < 0.2 / (1 + np.exp(-2 * X[:, 0]))
    >>> weight = weights_like(X[given], X[~given])
    >>> round(float(X[given].mean()), 2), round(float(np.average(X[given][:, 0], weights=weight)), 2)
    (0.57, 0.15)
    """
    X = np.concatenate([labelled, unlabelled])
    other = np.arange(len(X)) >= len(labelled)
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0))[:, spread > _NEARLY] / spread[spread > _NEARLY]
    odds = np.exp(_logistic(Z, other)[: len(labelled)])
    odds = np.minimum(odds, _MOST_WEIGHT * np.median(odds))
    return odds / odds.mean()


def _some(n: int, rng: np.random.RandomState) -> Ints:
    """Places of at most so many of n rows."""
    return np.arange(n) if n <= _MOST_ROWS else rng.permutation(n)[:_MOST_ROWS]


def _columns(X: Floats, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """Columns and their squares, both of mean 0 and variance 1, without those that do not vary."""
    level = X - X.mean(axis=0)
    square = level**2 - (level**2).mean(axis=0)
    Z = np.concatenate([level, square], axis=1)
    spread = Z.std(axis=0)
    kept = spread > _NEARLY
    both = [*names, *(f"spread of ({name})" for name in names)]
    return Z[:, kept] / spread[kept], [name for name, keep in zip(both, kept, strict=True) if keep]


def _differences(Z: Floats, draws: Bools) -> Floats:
    """By how many standard errors the mean of the chosen rows is above that of the others, shape (D, d)."""
    n = draws[0].sum()
    error = np.sqrt(1 / n + 1 / (draws.shape[1] - n))
    above = draws.astype(float) @ Z
    return above * (1 / n + 1 / (draws.shape[1] - n)) / error


def _told_apart(Z: Floats, draws: Bools) -> Floats:
    """The area under the curve of a ridge regression that is fitted without the row it judges, shape (D,)."""
    taught = np.linalg.solve(Z.T @ Z + _RIDGE * np.eye(Z.shape[1]), Z.T)
    own = np.minimum((Z * taught.T).sum(axis=1), 1 - 1e-6)
    y = draws - draws.mean(axis=1, keepdims=True)
    fitted = (y @ Z) @ taught
    left_out = (fitted - own * y) / (1 - own)
    ranks = rankdata(left_out, axis=1)
    n = draws[0].sum()
    return (np.where(draws, ranks, 0).sum(axis=1) - n * (n + 1) / 2) / (n * (draws.shape[1] - n))


def _places(figure: Floats) -> Floats:
    """The share of figures that are at least as large as each, shape (D,)."""
    return rankdata(-figure, method="max") / len(figure)


def _logistic(Z: Floats, y: Bools) -> Floats:
    """The logarithm of the odds that a row is one of y, by ridge logistic regression, shape (N,)."""
    design = np.column_stack([np.ones(len(Z)), Z])
    pull = np.r_[0.0, np.full(Z.shape[1], _RIDGE_WEIGHTS)]
    beta = np.zeros(design.shape[1])
    beta[0] = np.log(y.mean() / (1 - y.mean()))
    for _ in range(_NEWTON_STEPS):
        p = expit(design @ beta)
        slope = design.T @ (y - p) - pull * beta
        bend = (design * (p * (1 - p))[:, None]).T @ design + np.diag(pull + _NEARLY)
        step = np.linalg.solve(bend, slope)
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    return design @ beta

"""Theorem 2: how often the weighted vote of a committee errs, in forms that hold and forms that help.

`wrong` (M, N) says which member errs on which row. All but the printed bound hold for rows that
none of the members was trained on: on training rows nothing of this is true. PAC-Bayes bounds
hold for all weights at once, also for weights chosen on these very rows, as long as the prior
was not; `binomial_bound` holds for one vote that was fixed before. docs/theory.md derives them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, rel_entr, xlogy

from ..common.types import Floats, Values
from .distances import of_pairs, total_variation
from .records import VoteBound


def kl_inverse(loss: float, budget: float) -> float:
    """The largest p with kl(loss, p) <= budget, from above, where kl is that of two coins.

    Parameters
    ----------
    loss : float
        The first coin's probability, within [0, 1].
    budget : float
        How far the second may be from it.

    See Also
    --------
    tandem_bound, first_order_bound : Rest on it.

    Examples
    --------
    >>> round(kl_inverse(0.1, 0.05), 3)
    0.22
    """
    low, high = float(loss), 1.0
    entropy = xlogy(loss, loss) + xlogy(1 - loss, 1 - loss)
    for _ in range(60):
        middle = (low + high) / 2
        gap = entropy - xlogy(loss, middle) - xlogy(1 - loss, 1 - middle)
        low, high = (middle, high) if gap <= budget else (low, middle)
    return high


def tandem_loss(wrong: ArrayLike, weights: ArrayLike | None = None) -> float:
    """How often two members drawn by weight both err, within [0, 1].

    Parameters
    ----------
    wrong : array of bool of shape (M, N)
        Which member errs on which row.
    weights : array of shape (M,), optional
        Weights of the members. Equal by default.

    See Also
    --------
    tandem_bound : Four times as much, and what chance may add.

    Examples
    --------
    >>> tandem_loss([[True, False, False, False], [False, True, False, False]])
    0.125
    """
    wrong, weights, _ = _read(wrong, weights, None)
    return float(((weights @ wrong) ** 2).mean())


def printed_ipm_bound(
    wrong: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
) -> VoteBound:
    """Theorem 2 as printed, errors put where it writes accuracies, with total variation as its distance.

    It does not hold for weights other than the prior: its assumption asks for a distance
    2 (N - 1) times as large. Parameters as in `ipm_bound`.

    See Also
    --------
    ipm_bound : The form that holds.

    Examples
    --------
    >>> wrong = np.random.default_rng(0).random((10, 5000)) < 0.05
    >>> print(printed_ipm_bound(wrong))
    IPM, as printed: errs on at most 33.6% of new rows (95% sure, from 5000 rows)
    """
    wrong, weights, prior = _read(wrong, weights, prior)
    n = _n_rows(wrong)
    distance = total_variation(weights, prior)
    gap = np.sqrt((8 * distance + 8 * np.log(n / _delta(confidence))) / (n - 1))
    loss = float((weights @ wrong).mean())
    return _bound("IPM, as printed", 4 * loss + gap, loss, confidence, n)


def ipm_bound(
    wrong: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
    *,
    apart: ArrayLike | None = None,
) -> VoteBound:
    """Theorem 2 in its sensible form: tandem loss, and a distance of weightings at its right scale.

    The distance is total variation; where `apart` is given, Wasserstein-1 if that is less.

    Parameters
    ----------
    wrong : array of bool of shape (M, N)
        Which member errs on which row; rows that no member was trained on.
    weights, prior : array of shape (M,), optional
        Weights of the members, and weights fixed before the rows were seen. Equal by default.
    confidence : float, default=0.95
        How surely the bound is to hold.
    apart : array of shape (M, M), optional
        At least the share of rows on which two members differ, of all new rows as well as of these. It
        must be known, not estimated: such as that of members that differ on certain rows only.

    Returns
    -------
    VoteBound

    See Also
    --------
    tandem_bound : The same idea, most often tighter.
    vote_bounds : Every bound at once.

    Examples
    --------
    >>> wrong = np.random.default_rng(0).random((10, 5000)) < 0.05
    >>> print(ipm_bound(wrong))
    IPM: errs on at most 16.5% of new rows (95% sure, from 5000 rows)
    """
    wrong, weights, prior = _read(wrong, weights, prior)
    n = _n_rows(wrong)
    # Of pairs of members, because the tandem loss is a loss of pairs.
    distance = of_pairs(weights, prior, apart)
    loss = tandem_loss(wrong, weights)
    gap = np.sqrt(distance + np.log(n / _delta(confidence)) / (2 * (n - 1)))
    return _bound("IPM", 4 * (loss + gap), loss, confidence, n)


def first_order_bound(
    wrong: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
) -> VoteBound:
    """Twice the members' mean error, by PAC-Bayes with the kl of coins. Parameters as in `ipm_bound`.

    See Also
    --------
    tandem_bound : Tighter with thousands of rows.

    Examples
    --------
    >>> wrong = np.random.default_rng(0).random((10, 5000)) < 0.05
    >>> print(first_order_bound(wrong))
    first order: errs on at most 12.7% of new rows (95% sure, from 5000 rows)
    """
    wrong, weights, prior = _read(wrong, weights, prior)
    n = _n_rows(wrong)
    loss = float((weights @ wrong).mean())
    budget = (rel_entr(weights, prior).sum() + _log_moment(n, confidence)) / n
    return _bound("first order", 2 * kl_inverse(loss, budget), loss, confidence, n)


def masegosa_bound(
    wrong: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
) -> VoteBound:
    """The second order bound of Masegosa et al. (2020) as they state it. Parameters as in `ipm_bound`.

    See Also
    --------
    tandem_bound : Never looser.

    Examples
    --------
    >>> wrong = np.random.default_rng(0).random((10, 5000)) < 0.05
    >>> print(masegosa_bound(wrong))
    tandem, Masegosa et al.: errs on at most 5.6% of new rows (95% sure, from 5000 rows)
    """
    wrong, weights, prior = _read(wrong, weights, prior)
    n = _n_rows(wrong)
    loss = tandem_loss(wrong, weights)
    cost = 2 * rel_entr(weights, prior).sum() + _log_moment(n, confidence)
    # Theirs holds for every lambda in (0, 2); this one is the best.
    lam = 2 / (np.sqrt(2 * n * loss / cost + 1) + 1)
    value = loss / (1 - lam / 2) + cost / (lam * (1 - lam / 2) * n)
    return _bound("tandem, Masegosa et al.", 4 * value, loss, confidence, n)


def tandem_bound(
    wrong: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
) -> VoteBound:
    """Four times the tandem loss, by the kl of coins: never looser than Masegosa et al. state.

    Parameters as in `ipm_bound`.

    See Also
    --------
    binomial_bound : For a vote whose weights were fixed before, tighter.

    Examples
    --------
    >>> wrong = np.random.default_rng(0).random((10, 5000)) < 0.05
    >>> print(tandem_bound(wrong))
    tandem: errs on at most 5.3% of new rows (95% sure, from 5000 rows)
    """
    wrong, weights, prior = _read(wrong, weights, prior)
    n = _n_rows(wrong)
    loss = tandem_loss(wrong, weights)
    budget = (2 * rel_entr(weights, prior).sum() + _log_moment(n, confidence)) / n
    return _bound("tandem", 4 * kl_inverse(loss, budget), loss, confidence, n)


def binomial_bound(n_wrong: int, n_rows: int, confidence: float = 0.95, *, n_choices: int = 1) -> VoteBound:
    """One classifier, of whatever kind, that erred on n_wrong of n_rows held-out rows.

    The upper end of Clopper and Pearson's interval: nothing that uses the count alone and always
    holds is tighter.

    Parameters
    ----------
    n_wrong, n_rows : int
        Rows it erred on, and all rows.
    confidence : float, default=0.95
        How surely the bound is to hold.
    n_choices : int, default=1
        How many classifiers were compared on these rows before this one was picked.

    Returns
    -------
    VoteBound

    See Also
    --------
    tandem_bound : For weights chosen on the same rows.

    Examples
    --------
    >>> print(binomial_bound(3, 100))
    held out: errs on at most 7.6% of new rows (95% sure, from 100 rows)
    >>> print(binomial_bound(3, 100, n_choices=10))
    held out: errs on at most 10.5% of new rows (95% sure, from 100 rows)
    """
    if not 0 <= n_wrong <= n_rows or n_rows < 1:
        raise ValueError(f"n_wrong must be within 0 and n_rows; they are {n_wrong} and {n_rows}.")
    if n_choices < 1:
        raise ValueError(f"n_choices must be at least 1, the one that was picked; it is {n_choices}.")
    delta = _delta(confidence) / n_choices
    upper = 1.0 if n_wrong == n_rows else betaincinv(n_wrong + 1, n_rows - n_wrong, 1 - delta)
    return _bound("held out", float(upper), n_wrong / n_rows, confidence, int(n_rows))


def vote_bounds(
    votes: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
) -> dict[str, VoteBound]:
    """Every bound for the weighted vote on held-out rows, by name.

    Each holds by itself at the given confidence; the least of several holds less surely. Where
    weights were fixed before these rows were seen, rely on "held out". Where they were chosen
    on them, rely on "first order" with few rows, on "tandem" with thousands.

    Parameters
    ----------
    votes : array of shape (M, N)
        The class each member names for each row.
    y : array of shape (N,)
        The truth.
    weights, prior, confidence
        As in `ipm_bound`.

    Returns
    -------
    dict of VoteBound

    See Also
    --------
    committee_votes : The votes of a fitted classifier.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> votes = np.where(rng.random((10, 1000)) < 0.1, 1 - y, y)
    >>> for bound in vote_bounds(votes, y).values():
    ...     print(bound)
    held out: errs on at most 0.3% of new rows (95% sure, from 1000 rows)
    tandem: errs on at most 16.5% of new rows (95% sure, from 1000 rows)
    tandem, Masegosa et al.: errs on at most 18.1% of new rows (95% sure, from 1000 rows)
    first order: errs on at most 28.6% of new rows (95% sure, from 1000 rows)
    IPM: errs on at most 36.1% of new rows (95% sure, from 1000 rows)
    """
    votes, y = np.asarray(votes), np.asarray(y)
    if votes.ndim != 2 or votes.shape[1:] != y.shape:
        raise ValueError(f"votes must be of shape (members, rows of y); they are {votes.shape}, y {y.shape}.")
    wrong, weights, prior = _read(votes != y, weights, prior)
    _, counts = np.unique(y, return_counts=True)
    found = [
        binomial_bound(int((majority_vote(votes, weights) != y).sum()), len(y), confidence),
        *(
            bound(wrong, weights, prior, confidence)
            for bound in (tandem_bound, masegosa_bound, first_order_bound, ipm_bound)
        ),
    ]
    baseline = float(1 - counts.max() / len(y))
    return {b.name: VoteBound(b.name, b.bound, b.loss, confidence, b.n_rows, baseline) for b in found}


def majority_vote(votes: ArrayLike, weights: ArrayLike | None = None) -> Values:
    """The class with the most weight behind it, shape (N,); ties go to the lower class.

    Examples
    --------
    >>> majority_vote([["a", "b"], ["a", "c"], ["b", "c"]])
    array(['a', 'c'], dtype='<U1')
    """
    classes, codes = np.unique(np.asarray(votes), return_inverse=True)
    codes = codes.reshape(np.shape(votes))
    _, weights, _ = _read(codes, weights, None)
    behind = np.stack([weights @ (codes == k) for k in range(len(classes))], axis=1)
    return classes[behind.round(12).argmax(axis=1)]  # rounded, so that ties are ties


def _read(
    wrong: ArrayLike, weights: ArrayLike | None, prior: ArrayLike | None
) -> tuple[Values, Floats, Floats]:
    """`wrong` as an array, weights and prior as distributions over its members."""
    wrong = np.atleast_2d(np.asarray(wrong))
    M = len(wrong)
    read = []
    for name, value in (("weights", weights), ("prior", prior)):
        value = np.full(M, 1 / M) if value is None else np.asarray(value, dtype=float)
        if value.shape != (M,) or value.min() < 0 or not np.isfinite(value).all() or not value.sum() > 0:
            raise ValueError(f"{name} must be {M} numbers, none below 0 and not all 0; they are {value}.")
        read.append(value / value.sum())
    return wrong, *read


def _n_rows(wrong: Values) -> int:
    n = wrong.shape[1]
    if n < 2:
        raise ValueError(f"A bound needs at least 2 held-out rows; there are {n}.")
    return n


def _delta(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1; it is {confidence}.")
    return 1 - confidence


def _log_moment(n: int, confidence: float) -> float:
    """Maurer: the expected exp(n kl) of n coins is at most 2 sqrt(n)."""
    return np.log(2 * np.sqrt(n) / _delta(confidence))


def _bound(name: str, value: float, loss: float, confidence: float, n: int) -> VoteBound:
    return VoteBound(name, float(min(value, 1.0)), loss, confidence, n)

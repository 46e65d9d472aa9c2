"""The set-up of Theorem 1, drawn: what the summed error of the class means really is."""

from __future__ import annotations

import numpy as np

from ..common.types import Floats, Ints
from .setting import MeanSetting


def simulated_errors(
    setting: MeanSetting, n_draws: int = 1000, seed: int | np.random.Generator = 0, wrong: str = "farthest"
) -> Floats:
    """Summed error of the class means in each of n_draws draws, shape (n_draws,).

    A right row is Gaussian around the mean of its class; a wrong one around another mean. Means
    of Gaussian rows are drawn as such, not row by row.

    Parameters
    ----------
    setting : MeanSetting
        The theorem's quantities; counts must be whole numbers.
    n_draws : int, default=1000
        Number of draws.
    seed : int or Generator, default=0
        Draws the rows.
    wrong : {"farthest", "any"}, default="farthest"
        Where wrong rows come from: the farthest class, or each of the others equally often.

    Returns
    -------
    ndarray of shape (n_draws,)

    See Also
    --------
    mean_probability : The bound that these must respect.

    Examples
    --------
    >>> setting = MeanSetting([200, 200], [1.0, 1.0], 0.95, [[0, 0], [2, 2]])
    >>> bool((simulated_errors(setting) <= 0.8).mean() >= 0.68)  # as `mean_probability` promises
    True
    """
    if wrong not in ("farthest", "any"):
        raise ValueError(f'wrong must be "farthest" or "any"; it is {wrong!r}.')
    rng = np.random.default_rng(seed)
    K, d = setting.means.shape
    n = setting.counts.astype(int)
    n_wrong = n - _right(setting, n, n_draws, rng)
    noise = rng.normal(size=(n_draws, K, d)) * np.sqrt(setting.variances) / np.sqrt(n)[:, None]
    errors = np.zeros(n_draws)
    for k in range(K):
        apart = setting.means - setting.means[k]
        if wrong == "farthest":
            moved = n_wrong[:, k, None] * apart[np.linalg.norm(apart, ord=setting.norm, axis=1).argmax()]
        else:
            moved = rng.multinomial(n_wrong[:, k], (np.arange(K) != k) / (K - 1)) @ apart
        errors += np.linalg.norm(moved / n[k] + noise[:, k], ord=setting.norm, axis=1)
    return errors


def _right(setting: MeanSetting, n: Ints, n_draws: int, rng: np.random.Generator) -> Ints:
    """Right labels of each class, shape (n_draws, K).

    With probability `correlation` the rows of a draw are right or wrong all together, else each by
    itself: so any two labels of a class have that correlation, and none of two classes more.
    """
    K = len(n)
    alone = rng.binomial(n, setting.correct, size=(n_draws, K))
    together = n * (rng.random((n_draws, 1)) < setting.correct)
    return np.where(rng.random((n_draws, 1)) < setting.correlation, together, alone)

"""Tables for fillings: scores and whether guesses are right, drawn so that the promise's condition holds."""

import numpy as np

from surelabel.filling import Evidence


def table(rng, n=100, m=400, n_classes=3, sure=3.0, honest=1.0):
    """The evidence of n labelled rows drawn at random, and whether guesses of the m others are right.

    Scores state the chance to be right, to the power of `honest`.
    """
    score = 1 - 0.5 * rng.random(n + m) ** sure
    right = rng.random(n + m) < score**honest
    guess = rng.integers(0, n_classes, n + m)
    evidence = Evidence(score[:n], guess[:n], right[:n], np.ones(n), score[n:], guess[n:], n_classes)
    return evidence, right[n:]

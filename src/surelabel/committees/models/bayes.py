"""Naive Bayes: each column by itself."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.naive_bayes import GaussianNB

from ...common.types import AnyLabels, Floats


class Bayes(GaussianNB):
    """Naive Bayes on columns of variance about 1.

    No variance is below 0.01: a column may be constant in a few labelled rows and vary in the others.
    """

    def __init__(self) -> None:
        super().__init__(var_smoothing=1e-2)

    def fit(self, X: Floats, y: AnyLabels, sample_weight: Floats | None = None) -> Self:
        """Fit on numbers without gaps."""
        super().fit(X, y, sample_weight)
        self.var_ = np.maximum(self.var_, self.var_smoothing)  # type: ignore[has-type]
        return self

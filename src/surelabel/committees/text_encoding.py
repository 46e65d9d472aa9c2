"""What models see of a table with free text: its words, or directions beside the other columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

from ..common.types import Floats, Table
from ..reading.features import numbers, without_text
from .encoding import Encoder
from .text import TextSpace, unit_rows


class ReadsText(TransformerMixin, BaseEstimator):
    """An encoder that reads free text.

    Attributes
    ----------
    space_ : TextSpace
        Terms and directions of the text; several encoders may share one.
    idle_ : bool
        Whether there is no text to read.
    """

    def fit(self, X: Table, y: Any = None, space: TextSpace | None = None) -> Self:
        """Learn from X; a space that was learnt before is taken as it is."""
        self.space_ = TextSpace().fit(X) if space is None else space
        self.idle_ = not self.space_.directions_.shape[1]
        return self


class Words(ReadsText):
    """The terms of the text, shape (n, n_terms)."""

    def transform(self, X: Table) -> sp.csr_matrix:
        """Weights of terms."""
        return self.space_.terms_.transform(X)


class WholeRow(ReadsText):
    """The terms of the text, their main directions and the other columns; each block has one length.

    By directions, rows without a common word may be alike.
    """

    def fit(self, X: Table, y: Any = None, space: TextSpace | None = None) -> Self:
        """Learn how other columns are scaled, and the text unless it is learnt already."""
        super().fit(X, space=space)
        self.encoder_ = _of_others(X)
        return self

    def transform(self, X: Table) -> sp.csr_matrix:
        """Numbers without gaps, shape (n, n_terms + n_directions + d)."""
        blocks = [self.space_.terms_.transform(X), unit_rows(self.space_.transform(X))]
        if self.encoder_ is not None:
            others = self.encoder_.transform(X)
            blocks.append(others / np.sqrt(max(others.shape[1], 1)))
        return sp.hstack(list(map(sp.csr_matrix, blocks)), format="csr")


@dataclass
class TextBesideTable(ReadsText):
    """The main directions of the text, each row brought to one length, beside the other columns.

    Parameters
    ----------
    directions : int, default=300
        How many.
    scale : float, default=6.0
        The length of the text of a row, where other columns have variance 1.
    table : bool, default=True
        Whether other columns are there at all.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"remark": ["a red ball", "a blue ball", "two red cars"], "size": [1.0, 2.0, 3.0]})
    >>> TextBesideTable(2, scale=1.0).fit_transform(X).shape
    (3, 3)
    """

    directions: int = 300
    scale: float = 6.0
    table: bool = True

    def fit(self, X: Table, y: Any = None, space: TextSpace | None = None) -> Self:
        """Learn how other columns are scaled, and the text unless it is learnt already."""
        super().fit(X, space=space)
        self.encoder_ = _of_others(X) if self.table else None
        return self

    def transform(self, X: Table) -> Floats:
        """Numbers without gaps, shape (n, d)."""
        text = self.scale * unit_rows(self.space_.transform(X)[:, : self.directions])
        return text if self.encoder_ is None else np.hstack([self.encoder_.transform(X), text])


@dataclass
class TextBesideNumbers(ReadsText):
    """The main directions of the text beside the other columns as they are, for trees.

    Parameters
    ----------
    directions : int, default=30
        How many.
    """

    directions: int = 30

    def transform(self, X: Table) -> Floats:
        """Numbers, NaN where missing, shape (n, d)."""
        return np.hstack([numbers(without_text(X)), self.space_.transform(X)[:, : self.directions]])


def _of_others(X: Table) -> Encoder | None:
    """An encoder of the columns that are no text; None where there are none."""
    return Encoder().fit(X) if without_text(X).shape[1] else None

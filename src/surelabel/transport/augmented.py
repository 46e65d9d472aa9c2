"""One more row: what columns may leave unused, with entropy on it as on every other cell.

The paper states its bounds as one transport problem of (N + 1) x (K + 1) cells: its last column is what
rows leave unassigned, its last row what columns leave unused, and all of it has entropy. That row pays
nothing, so its terms are known without looking at any cost, wherever the other rows are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.types import Floats
from .interface import Cells, Transportable
from .semidual import FAR, Bounds, Terms


@dataclass(frozen=True)
class Augmented:
    """Rows, and one more of another mass that pays nothing for any column.

    Parameters
    ----------
    rows : Transportable
        The rows; of its bounds only the total counts, which is the mass of these rows.
    spare : float
        Mass of the row added.
    bounds : Bounds
        Of the columns, for all rows together.
    """

    rows: Transportable
    spare: float
    bounds: Bounds

    @property
    def n(self) -> int:
        """Rows, without the one added."""
        return self.rows.n

    @property
    def k(self) -> int:
        """Columns that may get mass, the slack not counted."""
        return self.rows.k

    def costs(self) -> Floats:
        """Costs of all rows, the one added last, shape (N + 1, K)."""
        return np.vstack([self.rows.costs(), np.zeros(self.k)])

    def sample(self, size: int, rng: np.random.Generator) -> Augmented | None:
        """A problem on some of the rows, its bounds in proportion."""
        some = self.rows.sample(size, rng)
        if some is None:
            return None
        share = some.bounds.total / self.rows.bounds.total
        return Augmented(some, self.spare * share, self.bounds.scaled(share))

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over every cell."""
        return self.rows.terms(g, epsilon) + _of_spare(self.spare, g, epsilon)

    def screened(self, g: Floats, reach: float) -> _Augmented:
        """The cells within `reach` of the best of their row at g, and all of the row added."""
        return _Augmented(self.rows.screened(g, reach), self.spare)

    def unused(self, g: Floats, epsilon: float) -> Floats:
        """What the row added gives each column at g, and the slack last where there is any."""
        return self.spare * _shares(g, epsilon)


@dataclass(frozen=True)
class _Augmented:
    """Cells of the rows, and the row added."""

    cells: Cells
    spare: float

    @property
    def g(self) -> Floats:
        """The potentials of the screening."""
        return self.cells.g

    @property
    def width(self) -> float:
        """How far behind the best of its row a cell may be there and still be kept."""
        return self.cells.width

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over the cells kept."""
        return self.cells.terms(g, epsilon) + _of_spare(self.spare, g, epsilon)

    def narrowed(self, g: Floats, width: float) -> _Augmented:
        """Screened again, from these cells alone, with a smaller width."""
        return _Augmented(self.cells.narrowed(g, width), self.spare)


def _of_spare(spare: float, g: Floats, epsilon: float) -> Terms:
    """Terms of the row added, as `block_terms` has them: its costs are 0."""
    share = _shares(g, epsilon)
    mass = spare * share
    return Terms(mass, np.multiply.outer(mass, share), 0.0)


def _shares(g: Floats, epsilon: float) -> Floats:
    share = np.exp(np.maximum((g - g.max()) / epsilon, -FAR))
    return share / share.sum()

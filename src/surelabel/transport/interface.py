"""What a solver asks of a problem, wherever its rows are."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np

from ..common.types import Floats
from .semidual import Bounds, Terms


class Cells(Protocol):
    """The cells that can matter while the potentials stay near g."""

    @property
    def g(self) -> Floats:
        """The potentials of the screening, shape (K,)."""

    @property
    def width(self) -> float:
        """How far behind the best of its row a cell may be there and still be kept."""

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over the cells kept."""

    def narrowed(self, g: Floats, width: float) -> Self:
        """Screened again, from these cells alone, with a smaller width."""


class Transportable(Protocol):
    """Rows and the bounds of their columns, as `Problem` has them."""

    @property
    def n(self) -> int:
        """Rows."""

    @property
    def k(self) -> int:
        """Columns that may get mass, the slack not counted."""

    @property
    def bounds(self) -> Bounds:
        """Of the columns, the slack among them."""

    def costs(self) -> Floats:
        """Costs of all rows, shape (N, K); for few of them."""

    def sample(self, size: int, rng: np.random.Generator) -> Transportable | None:
        """A problem on some of the rows, its bounds in proportion; None if these have no mass."""

    def terms(self, g: Floats, epsilon: float) -> Terms:
        """Terms at g over every cell."""

    def screened(self, g: Floats, reach: float) -> Cells:
        """The cells within `reach` of the best of their row at g."""

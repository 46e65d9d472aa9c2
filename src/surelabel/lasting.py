"""What lasts of a fit: pictures of it, and a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reporting.plots import Plots


class Lasting:
    """A fitted classifier as pictures, and as a file."""

    @property
    def plot(self) -> Plots:
        """Charts of the run, by name: `clf.plot.rounds()`; see `surelabel.reporting.plots.Plots`."""
        # Imported here because it takes a second, which only those who draw should wait for.
        from .reporting.plots import Plots

        return Plots(self)

    def save(self, path: Path | str) -> None:
        """Write the classifier into a file, from which `surelabel.load` reads it again.

        All that is known after fit is in it. Of X it has only what models keep, such as the rows of a
        graph of neighbours. A warning lists the types that `surelabel.load` takes only if they are named,
        such as a classifier of your own.

        Parameters
        ----------
        path : str or path
            Where to; a file there is replaced, once the new one is complete.
        """
        if "_run" in vars(self):
            raise ValueError("fit_rounds has begun and not ended: call finish() before save().")
        # Files bring pyarrow: too long for those who save nothing.
        from .saving.model_file import save

        save(self, path)

"""Work with one thread, so that results do not depend on how many there are."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

# Number of modules that were loaded when the libraries with threads were last looked up, and these.
_known: tuple[int, ThreadpoolController] | None = None


def _libraries() -> ThreadpoolController:
    """The libraries with threads; looking them up takes long, so only where there may be new ones."""
    global _known
    if _known is None or _known[0] != len(sys.modules):
        _known = len(sys.modules), ThreadpoolController()
    return _known[1]


class OneThread:
    """Calls work with one thread: in this process, or in another one."""

    def __init__(self) -> None:
        self.libraries = _libraries()
        self.home: int | None = None  # the thread in which all is set

    @contextmanager
    def here(self) -> Iterator[None]:
        """What is set once for all work in this process."""
        self.home = get_ident()
        with warnings.catch_warnings(), self.libraries.limit(limits=1):
            # A model that did not converge is weighed by what it predicts, as any other; and that many
            # classes have few rows each was told before.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes is greater than", UserWarning)
            yield

    def __call__(self, work: Callable[..., Any], *args: Any) -> Any:
        """The result of work(*args)."""
        if self.home is None:
            with self.here():
                return work(*args)
        if self.home == get_ident():
            return work(*args)
        # The limit on OpenMP holds for one thread, so each sets its own.
        with self.libraries.limit(limits=1, user_api="openmp"):
            return work(*args)

    def __reduce__(self) -> tuple[Any, ...]:
        return OneThread, ()  # another process has its own libraries

"""Times as a person says them, and how long the parts of some work took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    Examples
    --------
    >>> duration(0.44), duration(7.4), duration(75), duration(4000)
    ('0.4 s', '7 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 0.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


@contextmanager
def timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    """Add the wall time within to a part's."""
    start = time.perf_counter()
    yield
    seconds[part] = seconds.get(part, 0.0) + time.perf_counter() - start

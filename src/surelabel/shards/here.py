"""Work on shards in this process: one after the other, each when its result is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .pieces import Place


class _Task:
    """Work that is done once, when its result is first needed; then what it was made of is let go."""

    def __init__(self, work: Callable[..., Any], args: Sequence[Any]) -> None:
        self._work: Callable[..., Any] | None = work
        self._args = args
        self._result: Any = None

    def result(self) -> Any:
        """What came of the work."""
        if self._work is not None:
            self._result = self._work(*map(_made, self._args))
            self._work, self._args = None, ()
        return self._result


class _Recipe(_Task):
    """Work that is done each time its result is needed."""

    def result(self) -> Any:
        """What comes of the work."""
        assert self._work is not None
        return self._work(*map(_made, self._args))


class Here(Place):
    """Work in this process.

    Results of tasks stay in memory, recipes are made anew each time: rows that are read from files by recipes
    are in memory one shard at a time.

    Examples
    --------
    >>> from surelabel.shards.pieces import Pieces
    >>> shards = Pieces([[1, 2], [3]], Here())
    >>> shards.make(sum).fetched()
    [3, 3]
    """

    def task(self, work: Callable[..., Any], *args: Any) -> _Task:
        """A result that is made when it is first needed, and kept."""
        return _Task(work, args)

    def recipe(self, work: Callable[..., Any], *args: Any) -> _Recipe:
        """A result that is made each time it is needed."""
        return _Recipe(work, args)

    def fetched(self, tasks: Sequence[Any]) -> list[Any]:
        """The results."""
        return [_made(task) for task in tasks]

    def done(self, tasks: Sequence[Any]) -> Iterator[Any]:
        """The tasks, each when it is done."""
        for task in tasks:
            _made(task)
            yield task


def _made(value: Any) -> Any:
    return value.result() if isinstance(value, _Task) else value

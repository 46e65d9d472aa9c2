"""Which answers stand: the last word on each row, and where people differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from .answers import Answer

# A person who answers nothing for this many seconds was away.
_AWAY = 60.0


@dataclass(frozen=True)
class Standing:
    """What is said of a row now.

    Parameters
    ----------
    answers : tuple of Answer
        Those that stand; more than one where people did not know of each other's.
    """

    answers: tuple[Answer, ...]

    @property
    def disputed(self) -> bool:
        """Whether people differ."""
        return len({answer.label for answer in self.answers}) > 1

    @property
    def label(self) -> str | None:
        """The class; None where nobody can tell, or people differ."""
        return None if self.disputed else self.answers[-1].label

    @property
    def at_random(self) -> bool:
        """Whether the row was drawn at random in all that is said of it."""
        return all(answer.at_random for answer in self.answers)


def standing(records: Sequence[Answer]) -> tuple[Answer, ...]:
    """Of the records about one row, those that stand.

    An answer replaces those that its giver knew of, and the giver's own. Taking it back brings these back.

    Examples
    --------
    >>> ann = Answer("a", 0, "owl", who="Ann", number=1)
    >>> unaware = Answer("b", 0, "cat", who="Bo", number=2)
    >>> [answer.label for answer in standing([ann, unaware])]
    ['owl', 'cat']
    >>> aware = Answer("c", 0, "cat", who="Bo", number=3, seen=2)
    >>> [answer.label for answer in standing([ann, unaware, aware])]
    ['cat']
    """
    undone = {record.undoes for record in records}
    live = [record for record in records if record.undoes is None and record.number not in undone]
    return tuple(
        one
        for one in live
        if not any(
            other.number > one.number and (other.seen >= one.number or other.who == one.who) for other in live
        )
    )


class Ledger:
    """All answers, by row."""

    def __init__(self, records: Iterable[Answer] = ()) -> None:
        self.last = 0
        self._of_row: dict[int, list[Answer]] = defaultdict(list)
        self._standing: dict[int, Standing] = {}
        self._given: dict[int, Answer] = {}
        self.add(records)

    def add(self, records: Iterable[Answer]) -> set[int]:
        """Take in records in the order of their numbers; the rows they are about."""
        rows = set()
        for record in records:
            if record.number > self.last:
                self.last = record.number
                self._of_row[record.row].append(record)
                rows.add(record.row)
                if record.undoes is None:
                    self._given[record.number] = record
                else:
                    self._given.pop(record.undoes, None)
        for row in rows:
            found = standing(self._of_row[row])
            if found:
                self._standing[row] = Standing(found)
            else:
                self._standing.pop(row, None)
        return rows

    def of(self, row: int) -> Standing | None:
        """What stands of a row; None where nothing does."""
        return self._standing.get(row)

    def items(self) -> Iterator[tuple[int, Standing]]:
        """Rows of which something stands, in their order."""
        yield from sorted(self._standing.items())

    def __len__(self) -> int:
        return len(self._standing)

    def last_about(self, row: int) -> int:
        """Number of the last record about a row; 0 for none."""
        records = self._of_row.get(row)
        return records[-1].number if records else 0

    def recent(self, who: str | None = None, n: int = 10) -> list[Answer]:
        """The last answers that were not taken back, of one person or all, the newest first."""
        found = []
        for answer in reversed(self._given.values()):
            if who is None or answer.who == who:
                found.append(answer)
            if len(found) == n:
                break
        return found


def rows_a_minute(times: Sequence[str], most: int = 50) -> float | None:
    """How many answers a person gives in a minute of work, from the times of the last; None if too few.

    Examples
    --------
    >>> rows_a_minute(["2026-01-01T10:00:00+00:00", "2026-01-01T10:00:02+00:00", "2026-01-01T12:00:00+00:00",
    ...                "2026-01-01T12:00:04+00:00"])
    20.0
    """
    moments = [datetime.fromisoformat(time).timestamp() for time in sorted(times)[-most:]]
    gaps = [after - before for before, after in pairwise(moments)]
    at_work = [gap for gap in gaps if gap <= _AWAY]
    return 60 * len(at_work) / sum(at_work) if len(at_work) > 1 and sum(at_work) > 0 else None

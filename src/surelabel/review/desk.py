"""Where people work: which row comes next for whom, what was answered, and how far it is.

All of the page's questions are answered here, without HTTP, so that a program can be the person too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..advice.stopping import Outlook
from ..common.errors import InputError
from ..common.types import Ints
from ..filling import LEFT
from .answers import Answer, AnswerFile
from .cards import Card, card, current, line
from .listing import PAGE, Wanted, matching, status_of
from .piles import Pile, Piles
from .progress import audited, class_counts, goal_of
from .standing import Ledger, Standing, rows_a_minute
from .subject import Subject

NAMES = ("ask", "doubts", "audit", "browse")
# Seconds for which a row that one tab shows is not given to another.
_LEASE = 300.0
_MOST_AT_ONCE = 1_000
_MOST_NAME = 200
_RECENT = 10


class Desk:
    """What the page asks and is told; safe for threads.

    Parameters
    ----------
    subject : Subject
        The rows.
    piles : Piles
        What to look at.
    file : AnswerFile
        Where answers go.
    since : int, default=0
        Number of the last answer that the fit knew of; an audit of its labels begins after it.
    outlook : Outlook, optional
        Whether to go on, by where the work stood when the classifier was last trained.
    clock : callable
        () -> seconds.
    """

    def __init__(
        self,
        subject: Subject,
        piles: Piles,
        file: AnswerFile,
        since: int = 0,
        outlook: Outlook | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.subject, self.piles, self.file, self._since = subject, piles, file, since
        self._outlook = outlook
        self._clock, self._lock = clock, threading.RLock()
        self.ledger, self._open = Ledger(), True
        self._answered = np.zeros(len(subject), dtype=bool)
        self._leases: dict[int, tuple[str, float]] = {}
        self._skipped: dict[str, dict[int, None]] = {}
        self._places = _places(piles)
        self.refresh()

    def pile(self, name: str) -> Pile:
        """A pile by its name."""
        if name not in NAMES:
            raise InputError(f"There is no pile {name!r}; there are {', '.join(NAMES)}.")
        return getattr(self.piles, name)

    def refresh(self) -> None:
        """Take in what others answered, in this process or another."""
        with self._lock:
            for row in self.ledger.add(self.file.after(self.ledger.last)):
                if row < len(self.subject):
                    self._answered[row] = self.ledger.of(row) is not None

    def refresh_if_open(self) -> None:
        """The same, unless the file is closed: then what was known last."""
        with self._lock:
            if self._open:
                self.refresh()

    def change(self, subject: Subject, piles: Piles, since: int, outlook: Outlook | None = None) -> None:
        """Show another run on the same rows: the answers stay, and count for what they are."""
        with self._lock:
            self.subject, self.piles, self._since, self._outlook = subject, piles, since, outlook
            self._answered = np.zeros(len(subject), dtype=bool)
            for row, _ in self.ledger.items():
                self._answered[row] = True
            self._leases, self._skipped = {}, {}
            self._places = _places(piles)

    def close(self) -> None:
        """Close the file, with all of it known."""
        with self._lock:
            self.refresh_if_open()
            self._open = False
            self.file.close()

    # What comes next.

    def next_row(self, pile: str, tab: str) -> int | None:
        """The next row of a pile for a tab; it stays this tab's for a while. None where all are answered."""
        with self._lock:
            self.refresh()
            rows = self.pile(pile).rows
            left = rows[~self._answered[rows]]
            now = self._clock()
            self._leases = {row: lease for row, lease in self._leases.items() if lease[1] > now}
            elsewhere = [row for row, (holder, _) in self._leases.items() if holder != tab]
            skipped = self._skipped.get(tab, {})
            row = _first(left, {*elsewhere, *skipped})
            if row is None:  # what was skipped comes again, the longest ago first
                here = set(left.tolist()) - set(elsewhere)
                row = next((each for each in skipped if each in here), None)
            if row is not None:
                self._leases = {each: lease for each, lease in self._leases.items() if lease[0] != tab}
                self._leases[row] = tab, now + _LEASE
            return row

    def skip(self, row: int, tab: str) -> None:
        """Put a row to the end of what a tab is shown."""
        with self._lock:
            skipped = self._skipped.setdefault(tab, {})
            skipped.pop(row, None)
            skipped[row] = None

    def card(self, row: int, pile: str) -> Card:
        """A row as the page shows it; in an audit without anything that tells the guess."""
        self._check_row(row)
        hidden = pile == "audit" and not self._answered[row]
        suggestion = self.suggestion(row, pile)
        with self._lock:
            standing, seen = self.ledger.of(row), self.ledger.last_about(row)
        return card(self.subject, row, suggestion, hidden) | {
            "pile": pile,
            "suggestion": None if hidden else suggestion,
            "hidden": hidden,
            "label": None if hidden else current(self.subject, row),
            "status": "" if hidden else str(self.subject.status[row]),
            "seen": seen,
            "answers": [] if standing is None else [self._told(answer) for answer in standing.answers],
        }

    def suggestion(self, row: int, pile: str) -> str | None:
        """The class that a pile suggests for a row."""
        suggested = self.pile(pile).suggested
        if suggested is not None and row in self._places.get(pile, {}):
            return str(suggested[self._places[pile][row]])
        known = self.subject.label[row] if self.subject.guess[row] is None else self.subject.guess[row]
        return None if known is None else str(known)

    # Answers.

    def answer(
        self,
        rows: Sequence[int],
        label: str | None,
        *,
        key: str,
        pile: str,
        who: str = "",
        seen: int | None = None,
        accept: bool = False,
    ) -> list[Answer]:
        """Write what a person says of rows; it is on disk when this returns.

        Parameters
        ----------
        rows : sequence of int
            One, or many at once.
        label : str or None
            The class; None for "I cannot tell".
        key : str
            Made by the sender: sent twice, it is written once.
        pile, who : str
            Where the rows were shown, and to whom.
        seen : int, optional
            The last answer about a row that the sender knew of; by default all that are known here.
        accept : bool, default=False
            Whether each row gets its own suggestion, instead of `label`.
        """
        self.pile(pile)
        if not 0 < len(rows) <= _MOST_AT_ONCE:
            raise InputError(
                f"Between 1 and {_MOST_AT_ONCE:,} rows can be answered at once, not {len(rows)}."
            )
        if not key or len(key) > _MOST_NAME or len(who) > _MOST_NAME:
            raise InputError(f"A key and a name have at most {_MOST_NAME} characters.")
        with self._lock:
            self.refresh()
            new = [
                self._answer(
                    row, self.suggestion(row, pile) if accept else label, pile, who, seen, f"{key}.{k}"
                )
                for k, row in enumerate(rows)
            ]
            written = self.file.add(new)
            self.refresh()
        return written

    def _answer(self, row: int, label: str | None, pile: str, who: str, seen: int | None, key: str) -> Answer:
        self._check_row(row)
        if label is not None:
            label = label.strip()
            if not label or len(label) > _MOST_NAME:
                raise InputError(f"A class has a name of 1 to {_MOST_NAME} characters; it is {label!r}.")
            if self.subject.asked and label not in self.subject.classes:
                raise InputError(f"A row has a label or not: the answer is yes or no; it is {label!r}.")
        place = self._places.get(pile, {}).get(row)
        subject = self.subject
        return Answer(
            key=key,
            row=row,
            label=label,
            pile=pile,
            at_random=place is not None and bool(self.pile(pile).at_random[place]),
            who=who,
            seen=self.ledger.last_about(row) if seen is None else seen,
            shown={
                "guess": subject.guess[row],
                "probability": None if np.isnan(p := subject.probability[row]) else round(float(p), 6),
                "label": subject.label[row],
                "hidden": pile == "audit" and not self._answered[row],
                # Where every missing label is filled in, those are all rows, and not the easier ones.
                "of_all": pile == "audit" and not (subject.status == LEFT).any(),
            },
        )

    def undo(self, key: str, who: str = "", number: int | None = None) -> Answer | None:
        """Take back an answer, by default the last of a person; the record of that, None if there is none."""
        with self._lock:
            self.refresh()
            recent = self.ledger.recent(who if number is None else None, n=1 if number is None else 10**9)
            found = next((each for each in recent if number in (None, each.number)), None)
            if found is None:
                return None
            taken = replace(found, key=key, who=who, at="", seen=found.number, undoes=found.number, shown={})
            (written,) = self.file.add([replace(taken, number=0)])
            self.refresh()
            for tab in self._skipped.values():
                tab.pop(written.row, None)
            return written

    def _check_row(self, row: int) -> None:
        if not 0 <= row < len(self.subject):
            raise InputError(f"There is no row {row + 1:,}; the table has {len(self.subject):,}.")

    def _told(self, answer: Answer) -> dict[str, Any]:
        names = ("number", "row", "label", "pile", "who", "at")
        return {name: getattr(answer, name) for name in names} | {"name": self.subject.name_of(answer.row)}

    # How far it is.

    def state(self, who: str = "") -> dict[str, Any]:
        """What the page shows beside the rows."""
        with self._lock:
            self.refresh()
            recent = self.ledger.recent(n=_RECENT)
            mine = [answer.at for answer in self.ledger.recent(who, n=50)]
            standing = dict(self.ledger.items())
            return {
                "title": self.subject.title,
                "n": len(self.subject),
                "several": bool(self.subject.asked),
                "classes": class_counts(self.subject, self.ledger),
                "piles": {name: self._progress(name) for name in NAMES},
                "answered": len(standing),
                "unknown": sum(not each.disputed and each.label is None for each in standing.values()),
                "disputed": sum(each.disputed for each in standing.values()),
                "changed": sum(self._changes(row, each) for row, each in standing.items()),
                "audit": audited(self.subject, self.piles.audit, self.ledger, self._since),
                "goal": None if self._outlook is None else goal_of(self._outlook),
                "rate": rows_a_minute(mine),
                "recent": [self._told(answer) | self._agreement(answer) for answer in recent],
            }

    def _progress(self, name: str) -> dict[str, int]:
        rows = self.pile(name).rows
        return {"all": len(rows), "answered": int(self._answered[rows].sum())}

    def _changes(self, row: int, standing: Standing) -> bool:
        """Whether what stands is another label than the run has."""
        return standing.label is not None and standing.label != self.subject.label[row]

    def _agreement(self, answer: Answer) -> dict[str, Any]:
        """What the page had kept back, once the answer is given."""
        return {"filled": answer.shown.get("label"), "guess": answer.shown.get("guess")}

    # Any row.

    def listed(self, wanted: Wanted) -> dict[str, Any]:
        """A page of rows, and how many there are."""
        with self._lock:
            self.refresh()
            rows = matching(self.subject, self.ledger, wanted)
            start = max(0, wanted.page) * PAGE
            shown = [self._line(int(row)) for row in rows[start : start + PAGE]]
        return {"rows": shown, "n": len(rows), "page": wanted.page, "pages": -(-len(rows) // PAGE)}

    def _line(self, row: int) -> Card:
        standing = self.ledger.of(row)
        found = line(self.subject, row) | {"seen": self.ledger.last_about(row), "answer": None}
        if standing is not None:
            found |= {"status": status_of(standing), "answer": standing.label}
        return found


def _places(piles: Piles) -> dict[str, dict[int, int]]:
    """Where each row is in each pile that has an order."""
    return {name: {int(row): k for k, row in enumerate(getattr(piles, name).rows)} for name in NAMES[:3]}


def _first(rows: Ints, without: set[int]) -> int | None:
    """The first row that is not among others."""
    for row in rows[: len(without) + 1].tolist():
        if row not in without:
            return int(row)
    return None

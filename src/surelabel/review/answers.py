"""What people answered, in one SQLite file: on disk before anybody says so, and never changed afterwards.

Each answer is a record, and so is taking one back. A record has a key that its sender made, so that one sent
twice, because the reply was lost, is there once. Which answers stand is for `standing` to say.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..common.errors import InputError, OutputError

# The piles that a row may come from; "file" is an answer that came back from elsewhere.
PILES = ("ask", "doubts", "audit", "browse", "file")
_FORMAT = 1
# Seconds to wait for another process that writes.
_PATIENCE = 30.0
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    row INTEGER NOT NULL,
    label TEXT,
    pile TEXT NOT NULL,
    at_random INTEGER NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    seen INTEGER NOT NULL,
    shown TEXT NOT NULL,
    undoes INTEGER REFERENCES answers (number)
) STRICT;
"""
_FIELDS = ("key", "row", "label", "pile", "at_random", "who", "at", "seen", "shown", "undoes")


@dataclass(frozen=True)
class Answer:
    """What a person said of a row, or that an answer is taken back.

    Parameters
    ----------
    key : str
        Made by the sender; the same key twice is the same answer.
    row : int
        Position of the row, from 0, through all tables of the fit.
    label : str or None
        The class; None for "I cannot tell".
    pile : str
        One of PILES: why the row was shown.
    at_random : bool
        Whether the row was drawn at random, and so may count for what is promised of others.
    who, at : str
        The person; when, in UTC.
    seen : int
        Number of the last answer about the row that the person knew of; 0 for none.
    shown : dict
        What the page said of the row: guess, probability, label, and whether these were hidden.
    undoes : int, optional
        Number of the answer that is taken back.
    number : int
        Place in the file, from 1; 0 before it is there.
    """

    key: str
    row: int
    label: str | None
    pile: str = "browse"
    at_random: bool = False
    who: str = ""
    at: str = ""
    seen: int = 0
    shown: Mapping[str, Any] = field(default_factory=dict)
    undoes: int | None = None
    number: int = 0


class AnswerFile:
    """The file of answers; may be open in several processes and threads at once.

    Parameters
    ----------
    path : str or Path
        The file; made if need be.
    about : dict of str to str, optional
        What the answers are about, such as digests of the table; a file about something else is refused.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = AnswerFile(f"{folder.name}/answers.sqlite")
    >>> [file.add([Answer("k1", row=7, label="owl")])[0].number for _ in range(2)]
    [1, 1]
    >>> [(answer.row, answer.label) for answer in file.after(0)]
    [(7, 'owl')]
    >>> file.close()
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path, about: Mapping[str, str] | None = None) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode=WAL")
            # In WAL the file is synced at each commit only if this says so.
            self._database.execute("PRAGMA synchronous=FULL")
            self._begin(about or {})
        except sqlite3.Error as error:
            raise InputError(
                f"{self.path} cannot be opened as a file of answers ({error}). Move it, or restore a copy."
            ) from error

    def _begin(self, about: Mapping[str, str]) -> None:
        with self._writing() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0 and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version={_FORMAT}")
            elif version != _FORMAT:
                raise InputError(
                    f"{self.path} is not a file of answers that this release knows. Move it away."
                )
            known = dict(database.execute("SELECT name, value FROM about").fetchall())
            for name, value in about.items():
                if known.get(name, value) != value:
                    raise InputError(
                        f"{self.path} holds answers about another table: {name} differs. Move it away, or "
                        "review the run that it belongs to."
                    )
            new = [(name, value) for name, value in about.items() if name not in known]
            database.executemany("INSERT INTO about VALUES (?, ?)", new)

    def add(self, answers: Sequence[Answer]) -> list[Answer]:
        """Write answers, all or none; they are on disk when this returns, with number and time."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        names, marks = ", ".join(_FIELDS), ", ".join("?" * len(_FIELDS))
        insert = f"INSERT INTO answers ({names}) VALUES ({marks}) ON CONFLICT (key) DO NOTHING"
        try:
            with self._lock, self._writing() as database:
                database.executemany(insert, [_line(replace(each, at=each.at or now)) for each in answers])
                return [self._by_key(each.key) for each in answers]
        except sqlite3.Error as error:
            raise OutputError(f"{self.path}: the answer was not saved ({error}).") from error

    def after(self, number: int, until: int | None = None) -> list[Answer]:
        """Answers with larger numbers, at most up to another, in their order."""
        query = f"SELECT number, {', '.join(_FIELDS)} FROM answers WHERE number > ? AND number <= ?"
        with self._lock:
            lines = self._database.execute(
                f"{query} ORDER BY number", (number, 2**62 if until is None else until)
            )
            return list(map(_answer, lines))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _by_key(self, key: str) -> Answer:
        query = f"SELECT number, {', '.join(_FIELDS)} FROM answers WHERE key = ?"
        return _answer(self._database.execute(query, (key,)).fetchone())

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: synced to disk at the end of the block, or undone."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def answers_in(path: str | Path, until: int | None = None) -> list[Answer]:
    """All answers of a file, or those up to a number; none where there is no file."""
    if not Path(path).exists():
        return []
    file = AnswerFile(path)
    try:
        return file.after(0, until)
    finally:
        file.close()


def _line(answer: Answer) -> tuple[Any, ...]:
    shown = json.dumps(answer.shown, ensure_ascii=True)
    values = {name: getattr(answer, name) for name in _FIELDS}
    return tuple((values | {"shown": shown, "at_random": int(answer.at_random)}).values())


def _answer(line: Iterable[Any]) -> Answer:
    number, *values = line
    found = dict(zip(_FIELDS, values, strict=True))
    found |= {"shown": json.loads(found["shown"]), "at_random": bool(found["at_random"])}
    return Answer(number=number, **found)

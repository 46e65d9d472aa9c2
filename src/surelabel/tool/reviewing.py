"""A run that has ended, made ready for people to look at; and made anew with what they answered."""

from __future__ import annotations

import getpass
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..advice.stopping import Outlook, gained
from ..classifier import PseudoLabelClassifier
from ..common.settings import GOAL
from ..files import InputError, read_table, target_values
from ..filling import FILLED
from ..review.answers import AnswerFile
from ..review.desk import Desk
from ..review.piles import Piles, class_name, piles_of
from ..review.subject import Subject, subject_of
from .answered import file_of
from .filled_table import reason_columns, stem_of
from .label_columns import uniform, yes_or_no
from .run_folder import RunFolder
from .settings import Settings
from .standings import outlook_of, standings_of
from .table_source import features_of


@dataclass(frozen=True, eq=False)
class Open:
    """A run to look at.

    Parameters
    ----------
    subject, piles : Subject, Piles
        Its rows, and what to look at.
    since : int
        Number of the last answer that the run knew of.
    digests : dict of str to str
        Of the files that the run read.
    outlook : Outlook or None
        Whether to go on; None where the run does not tell.
    """

    subject: Subject
    piles: Piles
    since: int
    digests: dict[str, str]
    outlook: Outlook | None


def opened(folder: RunFolder, image: str | None = None, goal: float = GOAL) -> Open:
    """Read a run: its tables and its model."""
    record, kinds = folder.finished_record(), folder.kinds()
    settings = Settings.of(record["settings"])
    if settings.engine != "local":
        raise InputError(f"{folder.path} is a run in shards; the page shows runs in memory (--engine local).")
    if record.get("outputs") is None:
        raise InputError(
            f"{folder.path} is a run of an earlier release, and cannot be reviewed. Make it anew."
        )
    for name in record["outputs"]:
        folder.files.check_plain(name)
    clf = folder.loaded()
    used = {name: kinds[name] for name in clf.columns_.names_}
    tables = [read_table(folder.path / name) for name in record["outputs"]]
    targets = targets_of(clf, settings)
    added = {
        *targets,
        *(name for each in targets for name in reason_columns(stem_of(each, clf.several_labels))),
    }
    shown = [table.frame.drop(columns=[name for name in table.frame if name in added]) for table in tables]
    since = int(record.get("answers", {}).get("until", 0))
    X = pd.concat([features_of(table, used) for table in tables], ignore_index=True)
    subject = subject_of(
        clf,
        X,
        frame=pd.concat(shown, ignore_index=True),
        kinds=kinds,
        image=image,
        title=settings.data,
    )
    piles, digests = piles_of(clf, X, seed=since), record["digests"]
    return Open(subject, piles, since, digests, outlook_of(folder, clf, goal))


def desk_of(folder: RunFolder, image: str | None = None, goal: float = GOAL) -> Desk:
    """Where people work on a run."""
    run = opened(folder, image, goal)
    folder.files.check_plain(file_of(folder).name)
    file = AnswerFile(file_of(folder), run.digests)
    return Desk(run.subject, run.piles, file, run.since, run.outlook)


def targets_of(clf: PseudoLabelClassifier, settings: Settings) -> tuple[str, ...]:
    """The label columns of a run."""
    return tuple(map(str, clf.classes_)) if clf.several_labels else (str(settings.target),)


def truth_in(path: str, folder: RunFolder, subject: Subject) -> list[str]:
    """The labels of a table by row, for a simulated person; of several labels, by cell."""
    frame, settings = read_table(path).frame, Settings.of(folder.record()["settings"])
    targets = subject.asked or (str(settings.target),)
    columns = [uniform(target_values(frame, target)) for target in targets]
    labels = yes_or_no(columns, targets)[0].ravel() if subject.asked else columns[0]
    n_known = sum(label is not None for label in labels)
    if len(labels) != len(subject) or n_known < len(labels):
        n_rows = len(subject) // subject.per_row
        raise InputError(
            f"{path} must have the label of each of the {n_rows:,} rows of the run, in their order; it has "
            f"{n_known:,} labels in {len(frame):,} rows."
        )
    return [class_name(label, bool(subject.asked)) for label in labels]


def user() -> str:
    """The name of the person at this machine, where it is known."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name for the number of the user
        return ""


class Update:
    """Takes the answers in by `surelabel label --resume`, in a process of its own; the page shows what came.

    Parameters
    ----------
    folder : RunFolder
        The run.
    desk : Desk
        Where people work, also meanwhile.
    image : str, optional
        As `--image` says it.
    goal : float
        As `--goal` says it.
    """

    def __init__(self, folder: RunFolder, desk: Desk, image: str | None = None, goal: float = GOAL) -> None:
        self._folder, self._desk, self._image, self._goal = folder, desk, image, goal
        self._lock, self._thread = threading.Lock(), threading.Thread()
        self._lines: deque[str] = deque(maxlen=200)
        self._begun, self._words, self._done = 0.0, "", False

    def start(self) -> None:
        """Begin, unless it is under way."""
        with self._lock:
            if self._thread.is_alive():
                return
            self._lines.clear()
            self._begun, self._words, self._done = time.monotonic(), "", False
            self._thread = threading.Thread(target=self._work, name="surelabel update", daemon=True)
            self._thread.start()

    def state(self) -> dict[str, Any]:
        """Whether it is under way, and what is to be said."""
        if self._thread.is_alive():
            seconds = time.monotonic() - self._begun
            rounds = [line for line in self._lines if line.startswith("round")]
            words = f"Working, {seconds:.0f} s{', ' + rounds[-1][:60] if rounds else ''}"
            return {"running": True, "done": False, "words": words}
        return {"running": False, "done": self._done, "words": self._words}

    def join(self) -> None:
        """Wait for the end."""
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        command = [
            sys.executable,
            "-m",
            "surelabel.tool",
            "label",
            "--out",
            str(self._folder.path),
            "--resume",
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        for line in process.stdout or ():
            self._lines.append(line.strip())
        if process.wait():
            self._words = f"The answers were not taken in: {' '.join(self._lines)[-600:]}"
            return
        try:
            folder = RunFolder(self._folder.path)
            run, change = opened(folder, self._image, self._goal), gained(standings_of(folder))
        except InputError as error:
            self._words = f"The answers are taken in, but the new run cannot be shown: {error}"
            return
        self._desk.change(run.subject, run.piles, run.since, run.outlook)
        self._words = f"The answers are taken in: {change or f'{self._filled():,} labels are filled in'}."
        self._done = True

    def _filled(self) -> int:
        return int((self._desk.subject.status == FILLED).sum())

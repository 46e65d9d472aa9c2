"""A run from files to files, as a generator of what happened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import InputError, features, read_table, write_table
from ..loop import Round
from ..persistence import load
from .folder import RunFolder
from .settings import Settings
from .source import Source


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    labels : list of Path
        The files with labels filled in.
    interrupted : bool
        Whether a person stopped it.
    seconds : float
        What it took this time.
    """

    clf: Any
    labels: list[Path]
    interrupted: bool
    seconds: float


class Stop:
    """Whether a person wants the run to end after the current round."""

    def __init__(self):
        self.asked = False


def work(
    settings: Settings, source: Source, folder: RunFolder, after=None, stop=None
) -> Iterator[Round | Outcome]:
    """Label the rows of a source, and write what was found.

    Each round is on disk before it is yielded; the Outcome comes last.

    Parameters
    ----------
    settings : Settings
        What was asked.
    source : Source
        The table.
    folder : RunFolder
        Where to write; begun or resumed.
    after : Checkpoint, optional
        What an earlier run of the same kind knew.
    stop : Stop, optional
        Looked at after each round.
    """
    begin = time.perf_counter()
    stop = Stop() if stop is None else stop
    clf = settings.classifier(source.classes)
    X, more = source.features()
    labels = source.labels.copy()
    for round in clf.fit_rounds(X, labels, X_unlabeled=more, after=after):
        folder.keep(clf.checkpoint())
        yield round
        if stop.asked:
            clf.guard = False  # it takes as long as the rounds; a resumed run will do it
            clf.finish()
            clf.guard = settings.guard
            break
    yield _written(settings, source, folder, clf, stop.asked, time.perf_counter() - begin)


def _written(settings, source, folder, clf, interrupted, seconds):
    paths = folder.write_labels(source, settings, clf)
    clf.save(folder.model)
    folder.write_history(clf)
    status = "interrupted" if interrupted else "complete"
    folder.write_record(settings, source, status, seconds=round(seconds, 1))
    if not interrupted:
        folder.state.unlink(missing_ok=True)
    return Outcome(clf, paths, interrupted, seconds)


def predicted(folder: RunFolder, data, out, sheet=None, encoding=None) -> int:
    """Predict the rows of a file with the model of a run, into another file.

    Parameters
    ----------
    folder : RunFolder
        Of a run that came to its end.
    data, out : str or Path
        The file to read and the one to write.
    sheet, encoding : str, optional
        Of Excel files; of text files.

    Returns
    -------
    int
        Rows predicted.
    """
    kinds = folder.kinds()
    target = folder.record()["settings"]["target"]
    if not folder.model.exists():
        raise InputError(f"{folder.path} holds no model yet; its run has not come to its end.")
    table = read_table(data, sheet, encoding)
    out = Path(out)
    if out.resolve() == table.path.resolve():
        raise InputError(f"{out} is the file that is read. Name another --out.")
    lacking = [name for name, kind in kinds.items() if kind.used and name not in table.frame.columns]
    if lacking:
        raise InputError(f"{data} lacks the column {lacking[0]!r}, on which the model was trained.")
    clf = load(folder.model)
    P = clf.predict_proba(features(table.frame, kinds))
    frame = table.frame.copy(deep=False)
    best = P.argmax(axis=1)
    frame[f"{target}_predicted"] = np.array([str(label) for label in clf.classes_], dtype=object)[best]
    frame[f"{target}_probability"] = [float(f"{p:.6g}") for p in P[np.arange(len(P)), best]]
    write_table(frame, out, table.format, guarded=[f"{target}_predicted"])
    return len(frame)

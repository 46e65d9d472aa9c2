"""A run from files to files, as a generator of what happened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..files import InputError, format_of, read_table, write_table
from ..rounds.loop import Round
from ..saving.model_file import load
from .run_folder import OUTPUTS, RunFolder
from .settings import Settings
from .source import Source, features_of


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Fitted.
    labels : list of Path
        The files with labels filled in.
    page : Path or None
        The report.
    interrupted : bool
        Whether a person stopped it.
    seconds : float
        What it took this time.
    """

    clf: Any
    labels: list[Path]
    page: Path | None
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
    clf = settings.classifier(source.classes, source.several)
    X, more = source.features()
    interrupted = False
    for round in clf.fit_rounds(X, source.y, X_unlabeled=more, after=after):
        folder.keep(clf.checkpoint())
        yield round
        if stop.asked:
            interrupted = True
            clf.guard = False  # it takes as long as the rounds; a resumed run will do it
            clf.finish()
            clf.guard = settings.guard
            break
    seconds = time.perf_counter() - begin
    X = X if more is None else pd.concat([X, more])
    yield _written(settings, source, folder, clf, X, interrupted, seconds)


def _written(settings, source, folder, clf, X, interrupted, seconds):
    paths = folder.write_labels(source, clf)
    clf.save(folder.model)
    folder.write_history(clf)
    page = folder.write_page(clf, settings, X=X) if settings.report else None
    status = "interrupted" if interrupted else "complete"
    found = int((clf.labeled_iter_ > 0).sum())
    folder.write_record(settings, source, status, labelled=found, seconds=round(seconds, 1))
    if not interrupted:
        folder.state.unlink(missing_ok=True)
    return Outcome(clf, paths, page, interrupted, seconds)


def reported(folder: RunFolder, out=None) -> Path:
    """Write the report of a run that came to its end once more."""
    record = folder.record()
    if record["status"] == "running" or not folder.model.exists():
        raise InputError(f"{folder.path} holds no model yet; its run has not come to its end.")
    settings = Settings.of(record["settings"])
    if settings.engine == "dask":
        raise InputError(
            f"{folder.path} is a run on Dask, which keeps no rows to show; there is no page of it."
        )
    return folder.write_page(load(folder.model), settings, out)


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
    record, kinds = folder.record(), folder.kinds()
    out = Path(out)
    if record["status"] == "running" or not folder.model.exists():
        raise InputError(f"{folder.path} holds no model yet; its run has not come to its end.")
    form = format_of(out)
    table = read_table(data, sheet, encoding)
    _check_out(out, folder, table)
    X = features_of(table, kinds)
    clf = load(folder.model)
    frame = table.frame.copy(deep=False)
    guarded = []
    for name, said, probability in _predictions(clf, X, record["settings"]["target"]):
        added = f"{name}_predicted", f"{name}_probability"
        for column in added:
            if column in frame:
                raise InputError(f"{data} already has the column {column!r}. Rename it.")
        frame[added[0]], frame[added[1]] = said, [float(f"{p:.6g}") for p in probability]
        guarded.append(added[0])
    if form.kind == table.format.kind:
        form = replace(table.format, gz=form.gz)
    write_table(frame, out, form, guarded=guarded)
    return len(frame)


def _predictions(clf, X, target):
    """For each label column its name, what is said of the rows, and how probable it is (n,)."""
    P = clf.predict_proba(X)
    if hasattr(clf, "estimators_"):
        for name, p in zip(clf.classes_, P.T, strict=True):
            yield name, np.where(p > 0.5, "1", "0").astype(object), np.maximum(p, 1 - p)
        return
    best = P.argmax(axis=1)
    names = np.array([str(label) for label in clf.classes_], dtype=object)
    yield target, names[best], P[np.arange(len(P)), best]


def _check_out(out, folder, table):
    if out.exists() and out.samefile(table.path):
        raise InputError(f"{out} is the file that is read. Name another --out.")
    if out.resolve().parent == folder.path.resolve() and out.name.split(".")[0] in OUTPUTS:
        raise InputError(f"{out} is a file of the run. Name another --out.")

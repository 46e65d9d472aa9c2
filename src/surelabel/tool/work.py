"""A run from files to files, as a generator of what happened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .run_folder import COMPLETE, STOPPED, RunFolder
from .settings import Settings
from .source import Labelling, Source
from .summary import Summary


class Stop:
    """Whether a person wants the run to end after the current round."""

    def __init__(self) -> None:
        self.asked = False


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    interrupted : bool
        Whether a person stopped it.
    n_found : int
        Labels found, of rows or of cells.
    summary : Summary or None
        What became of the rows; None where a run was stopped before it could write labels.
    labels : list of Path
        The files, or the folder, with labels filled in.
    page : Path or None
        The report.
    verdict : str or None
        Whether the unlabelled rows helped, in words.
    hurt : bool
        Whether they made the classifier worse.
    alone : bool
        Whether the classifier is the one trained without them.
    """

    interrupted: bool
    n_found: int = 0
    summary: Summary | None = None
    labels: tuple[Path, ...] = ()
    page: Path | None = None
    verdict: str | None = None
    hurt: bool = False
    alone: bool = False


def work(
    settings: Settings, source: Source, folder: RunFolder, stop: Stop | None = None
) -> Iterator[Round | LabelRounds | Outcome]:
    """Label the rows of a source, and write what was found.

    Each round is on disk before it is yielded; the Outcome comes last.

    Parameters
    ----------
    settings : Settings
        What was asked.
    source : Source
        The rows.
    folder : RunFolder
        Where to write; begun or resumed. Rounds that it keeps are not made again.
    stop : Stop, optional
        Looked at after each round.
    """
    begin = time.perf_counter()
    labelling = source.labelling(settings, folder)
    interrupted = False
    for round in labelling.rounds():
        yield round
        if stop is not None and stop.asked:
            interrupted = True
            if not labelling.finish_early():
                yield Outcome(interrupted)
                return
            break
    yield _written(settings, source, folder, labelling, interrupted, time.perf_counter() - begin)


def _written(
    settings: Settings,
    source: Source,
    folder: RunFolder,
    labelling: Labelling,
    interrupted: bool,
    seconds: float,
) -> Outcome:
    clf = labelling.fitted()
    labels = labelling.write_labels()
    folder.write_model(clf)
    folder.write_history(clf)
    page = None
    if settings.report and (X := labelling.features()) is not None:
        page = folder.write_page(clf, settings, X=X)
    n_found = sum(round.labelled for round in clf.history_)
    status = STOPPED if interrupted else COMPLETE
    folder.write_record(settings, source.facts, status, labelled=n_found, seconds=round(seconds, 1))
    if not interrupted:
        folder.forget()
    return Outcome(
        interrupted=interrupted,
        n_found=n_found,
        summary=labelling.summary(),
        labels=tuple(labels),
        page=page,
        verdict=None if clf.verdict_ is None else str(clf.verdict_),
        hurt=clf.verdict_ is not None and clf.verdict_.word == "hurt",
        alone=clf.termination_condition_ == "hurt",
    )

"""A run from files to files, as a generator of what happened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..advice.stopping import gained
from ..classifier import PseudoLabelClassifier
from ..common.notice import begun
from ..filling import Filling
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .facts import Facts
from .run_folder import COMPLETE, STOPPED, RunFolder
from .settings import Settings
from .source import Labelling, Source
from .standings import after_training, as_record, standings_of, under_another_promise
from .summary import Summary

# A promise of so much less is offered where it fills in at least this share of the missing labels more.
_LESS, _LEAST = 0.05, 0.5
_WORTH_IT = 0.01


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
    n_filled : int
        Labels filled in, of rows or of cells.
    filling : Filling or None
        What is promised of them; None where a run was stopped before it could write labels.
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
    gained : str or None
        What people's answers changed in the promise, in words.
    reviewable : bool
        Whether the page can show it.
    looser : Filling or None
        What a promise of less would fill in; None where that is hardly more.
    """

    interrupted: bool
    n_filled: int = 0
    filling: Filling | None = None
    summary: Summary | None = None
    labels: tuple[Path, ...] = ()
    page: Path | None = None
    verdict: str | None = None
    hurt: bool = False
    alone: bool = False
    gained: str | None = None
    reviewable: bool = False
    looser: Filling | None = None

    @property
    def n_left(self) -> int:
        """Missing labels that were not filled in; a person is to decide them."""
        return 0 if self.filling is None else len(self.filling.filled) - self.filling.n_filled


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
    outcome = handed_out(settings, source.facts, folder, labelling, clf, interrupted, seconds, new=True)
    if not interrupted:
        folder.forget()
    return outcome


def handed_out(
    settings: Settings,
    facts: Facts,
    folder: RunFolder,
    labelling: Labelling,
    clf: PseudoLabelClassifier,
    interrupted: bool = False,
    seconds: float = 0.0,
    new: bool = False,
) -> Outcome:
    """Write the labels that are handed out, the history and the report, and say what came of it.

    The arguments are those of `work`, what it came to, and whether the classifier is a new one.
    """
    begun("writing the labels")
    labels, filling = labelling.write_labels(), labelling.filling()
    if interrupted:
        stands = standings_of(folder)
    elif new:
        stands = after_training(folder, facts, clf, filling)
    else:
        stands = under_another_promise(folder, filling)
    if new:
        begun("writing the model")
        folder.write_model(clf)
    folder.write_history(clf)
    page = None
    if settings.report and (X := labelling.features()) is not None:
        begun("writing the report")
        page = folder.write_page(clf, settings, X=X)
    status = STOPPED if interrupted else COMPLETE
    found = {"labelled": filling.n_filled, "promise": str(filling), "seconds": round(seconds, 1)}
    folder.write_record(settings, facts, status, **found, **as_record(stands))
    return Outcome(
        interrupted=interrupted,
        n_filled=filling.n_filled,
        filling=filling,
        summary=labelling.summary(),
        labels=tuple(labels),
        page=page,
        verdict=None if clf.verdict_ is None else str(clf.verdict_),
        hurt=clf.verdict_ is not None and clf.verdict_.word == "hurt",
        alone=clf.termination_condition_ == "hurt",
        reviewable=settings.engine == "local",
        gained=gained(stands) if new and not interrupted else None,
        looser=_looser(settings, labelling, filling),
    )


def _looser(settings: Settings, labelling: Labelling, filling: Filling) -> Filling | None:
    """What a promise of less would fill in; None where that is hardly more."""
    right = round(max(settings.right - _LESS, _LEAST), 6)
    if right >= settings.right or filling.n_filled == len(filling.filled):
        return None
    looser = labelling.filling(right)
    more = looser.n_filled - filling.n_filled
    return looser if more >= max(_WORTH_IT * len(filling.filled), 1) else None

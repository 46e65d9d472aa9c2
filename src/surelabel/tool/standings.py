"""Where a run stood at each training with people's answers, and whether to go on asking them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from ..advice.stopping import Outlook, Standing, outlook
from ..classifier import PseudoLabelClassifier
from ..common.settings import RIGHT
from ..filling import Filling
from ..saving.model_file import load
from .facts import Facts
from .run_folder import RunFolder

NAME = "standings"


def standings_of(folder: RunFolder) -> list[Standing]:
    """Where the work on a run stood, in order, as run.json has it; empty for a run of an earlier release."""
    return [Standing(**each) for each in folder.record().get(NAME, [])]


def after_training(
    folder: RunFolder, facts: Facts, clf: PseudoLabelClassifier, filling: Filling
) -> list[Standing]:
    """Where the work stood before, and where it stands with a new classifier.

    Called before the classifier takes the place of the one before it.
    """
    earlier = standings_of(folder)
    answers = int(facts.record.get("answers", {}).get("labels", 0))
    changed = _share_changed(folder, clf) if earlier else 1.0
    return [*earlier, Standing(answers, filling.share_promised, changed)]


def under_another_promise(folder: RunFolder, filling: Filling) -> list[Standing]:
    """Where the work stood, the last time by what is promised of the same classifier's labels now."""
    known = standings_of(folder)
    return [*known[:-1], *(replace(last, promised=filling.share_promised) for last in known[-1:])]


def _share_changed(folder: RunFolder, now: PseudoLabelClassifier) -> float:
    """Of the rows that are without a label in both, the share that is guessed to be of another class."""
    if not folder.model.exists():
        return 1.0  # nothing is known to have stayed
    before = load(folder.model)
    guesses = [
        pd.Series(clf.pseudo_labels_["guess"].astype(str).to_numpy(), np.flatnonzero(clf.labeled_iter_ != 0))
        for clf in (before, now)
    ]
    both = guesses[0].index.intersection(guesses[1].index)
    return float((guesses[0][both] != guesses[1][both]).mean()) if len(both) else 0.0


def as_record(standings: list[Standing]) -> dict[str, Any]:
    """Standings for run.json."""
    return {NAME: [asdict(each) for each in standings]}


def outlook_of(folder: RunFolder, clf: PseudoLabelClassifier, goal: float) -> Outlook | None:
    """Whether to go on asking about a finished run; None for one that an earlier release made."""
    so_far = standings_of(folder)
    if not so_far:
        return None
    # From the second training on, the speed so far tells more than an estimate from one.
    ahead = outlook(so_far, goal)
    if ahead.stop or ahead.answers_left is not None:
        return ahead
    settings = folder.record()["settings"]
    right, confidence = settings.get("right", RIGHT), settings.get("confidence")
    return outlook(so_far, goal, clf.labels_needed(goal, right, confidence).labels)

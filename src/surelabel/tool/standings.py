"""Where a run stood at each training with people's answers, and whether to go on asking them."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from ..advice.stopping import Outlook, Standing, outlook
from ..classifier import PseudoLabelClassifier
from ..common.settings import RIGHT
from ..filling import Filling
from ..handing_out import labels_left
from ..saving.model_file import load
from .facts import Facts
from .run_folder import RunFolder

NAME = "standings"


def standings_of(folder: RunFolder) -> list[Standing]:
    """Where the work on a run stood, in order, as run.json has it; empty for a run of an earlier release."""
    return [Standing(**each) for each in folder.record().get(NAME, [])]


def with_this(
    folder: RunFolder, facts: Facts, clf: PseudoLabelClassifier, filling: Filling, new: bool
) -> dict[str, list[dict[str, float]]]:
    """For run.json: where the work stood before, and where it stands now.

    Called before a new classifier takes the place of the one before it. A classifier that is not new stands
    where it stood, under another promise.
    """
    earlier = standings_of(folder)
    if new:
        changed = _share_changed(load(folder.model), clf) if earlier and folder.model.exists() else 1.0
        answers = int(facts.record.get("answers", {}).get("labels", 0))
        now = [*earlier, Standing(answers, filling.share_promised, changed)]
    else:
        now = [*earlier[:-1], *(replace(each, promised=filling.share_promised) for each in earlier[-1:])]
    return {NAME: [asdict(each) for each in now]}


def _share_changed(before: PseudoLabelClassifier, now: PseudoLabelClassifier) -> float:
    """Of the rows that are without a label in both, the share that is guessed to be of another class."""
    guesses = [
        pd.Series(clf.pseudo_labels_["guess"].astype(str).to_numpy(), np.flatnonzero(clf.labeled_iter_ != 0))
        for clf in (before, now)
    ]
    both = guesses[0].index.intersection(guesses[1].index)
    return float((guesses[0][both] != guesses[1][both]).mean()) if len(both) else 0.0


def outlook_of(folder: RunFolder, clf: PseudoLabelClassifier, goal: float) -> Outlook | None:
    """Whether to go on asking about a finished run; None for one that an earlier release made."""
    so_far = standings_of(folder)
    if not so_far:
        return None
    settings = folder.record()["settings"]
    right, confidence = settings.get("right", RIGHT), settings.get("confidence")
    # From the second training on, the speed so far tells more than an estimate from one.
    needed = labels_left(clf, goal, right, confidence) if len(so_far) == 1 else None
    return outlook(so_far, goal, needed)

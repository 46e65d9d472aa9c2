"""How far the work is: rows of each class by now, and what the audit allows to say."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..advice.audit import audited as bound_of
from ..advice.stopping import Outlook
from .piles import Pile
from .standing import Ledger
from .subject import Subject


def audited(subject: Subject, pile: Pile, ledger: Ledger, since: int = 0) -> dict[str, Any]:
    """What the audit allows to say of all filled labels.

    All rows up to the last that was answered count as drawn. What was skipped, disputed or nobody could tell
    counts as wrong, so that nobody can make the bound better by choosing.

    Parameters
    ----------
    subject, pile, ledger
        The rows, those to audit in their random order, and the answers.
    since : int, default=0
        Answers up to this number were known to the fit, and began no audit of it.
    """
    begun = {
        row
        for row, each in ledger.items()
        if any(answer.pile == "audit" and answer.number > since for answer in each.answers)
    }
    places = np.flatnonzero(np.isin(pile.rows, list(begun)))
    n_checked = int(places[-1]) + 1 if len(places) else 0
    wrong = [
        (standing := ledger.of(row)) is None or standing.label != subject.label[row]
        for row in pile.rows[:n_checked].tolist()
    ]
    found = bound_of(np.array(wrong, dtype=bool), len(pile))
    return {"checked": n_checked, "right": n_checked - found.wrong, "filled": len(pile), "bound": found.low}


def goal_of(outlook: Outlook) -> dict[str, Any]:
    """Whether to go on, in words, and how far it is to the goal."""
    words = str(outlook)
    return {
        "words": f"{words[0].upper()}{words[1:]}.",
        "stop": outlook.stop,
        "share": outlook.goal,
        "promised": outlook.promised,
    }


def class_counts(subject: Subject, ledger: Ledger) -> list[dict[str, Any]]:
    """The classes of the fit, and below them those that people named, with the rows that have each."""
    counts = subject.counts.copy()
    for row, each in ledger.items():
        if each.label is not None:
            if subject.label[row] is not None:
                counts[subject.label[row]] -= 1
            counts[each.label] += 1
    new = sorted(name for name in set(counts) - set(subject.classes) if counts[name] > 0)
    return [
        {"label": name, "rows": counts[name], "new": name not in subject.classes}
        for name in (*subject.classes, *new)
    ]

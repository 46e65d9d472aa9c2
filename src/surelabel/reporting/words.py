"""What a run came to, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..allocation import Status
from ..bounds import binomial_bound
from ..common.types import Fitted
from .data import ACCEPTED, NARROW, drifted, gap_of, handed_out, outcomes
from .names import count, percent

_MEANING = {
    Status.ACCEPTED: "The committee is sure, and the class had room: the label may be trained on.",
    Status.UNSURE: "The members differ too much on the two best classes.",
    Status.BELOW: "Sure, but the probability is below the threshold.",
    Status.SLACK: "Sure, but other rows came first for the share of rows its class may get.",
    Status.DISPUTED: "The shares of the classes ask for another class than the committee does.",
    Status.FULL: "Sure, but its class had all the rows it may get.",
    Status.WEIGHTLESS: "Its sample weight is 0, so it takes no part.",
    Status.UNASKED: "No round was run for it.",
}


@dataclass(frozen=True)
class Headline:
    """The verdict.

    Parameters
    ----------
    tone : {"good", "bad", "neutral"}
        How it is coloured.
    lead, sentence : str
        A few words, and the sentence that goes on from them.
    note : str
        What it rests on.
    """

    tone: str
    lead: str
    sentence: str
    note: str


def promise(clf: Fitted) -> str | None:
    """How often the classifier errs at most, where held-out rows say more than a constant guess."""
    verdict = clf.verdict_
    if verdict is None:
        return None
    # Of the two, the one that is expected to be better is the classifier.
    right = verdict.supervised if verdict.gain < 0 else verdict.semi_supervised
    bound = binomial_bound(round((1 - right) * verdict.n_rows), verdict.n_rows).bound
    if bound >= 1 - clf.class_prior_.max():
        return None
    return (
        f"On rows like the labelled ones the classifier errs on at most {percent(bound)}, with 95% "
        "confidence. This is an estimate: each held-out row was judged by a classifier trained without it."
    )


def headline(clf: Fitted) -> Headline:
    """The verdict in one sentence."""
    n, found = len(clf.pseudo_labels_), int((outcomes(clf) == ACCEPTED).sum())
    verdict, several = clf.verdict_, clf.several_labels
    if not n:
        return Headline(
            "neutral",
            "Nothing to fill in:",
            f"every {'cell was known' if several else 'row came with a label'}.",
            "The classifier is the supervised one, trained on the given labels.",
        )
    if verdict is None and not found:
        return Headline(
            "bad",
            "The rounds found no label to train on:",
            f"of {count(n, 'unknown cell' if several else 'unlabelled row')}, {' and '.join(_why(clf))}.",
            "The classifier is the supervised one, trained on the given labels.",
        )
    if verdict is None:
        why = "there are too few given labels to tell" if clf.guard else "it was not measured"
        return Headline("neutral", "Not known:", f"{why}.", "")
    low, high = verdict.interval
    span = f"95% interval {points(low)} to {points(high)}"
    note = (
        f"{percent(verdict.semi_supervised)} of {verdict.n_rows:,} held-out labelled {verdict.unit} are "
        f"predicted correctly with the unlabelled rows, {percent(verdict.supervised)} without them."
    )
    them = "the unlabelled rows"
    if verdict.word == "helped":
        return Headline(
            "good",
            "It helped:",
            f"{verdict.gain:.1f} points more accurate than without {them} ({span}).",
            note,
        )
    if verdict.word == "hurt":
        note += " So the classifier returned is the one trained on the given labels alone."
        return Headline(
            "bad",
            "It hurt:",
            f"{-verdict.gain:.1f} points less accurate than without {them} ({span}).",
            note,
        )
    unseen = f"With {verdict.n_rows:,} labels a difference under {verdict.visible:.1f} points cannot be seen."
    return Headline(
        "neutral",
        "No evidence either way:",
        f"accuracy changes by {points(verdict.gain)} points ({span}).",
        f"{unseen} {note}",
    )


def _why(clf: Fitted) -> list[str]:
    left = Counter(outcomes(clf))
    return [f"{'all' if n == left.total() else f'{n:,}'} were {outcome}" for outcome, n in left.most_common()]


def points(x: float) -> str:
    """Points gained or lost, with their sign."""
    return f"{x:+.1f}".replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")


def reasons(clf: Fitted) -> list[dict[str, Any]]:
    """Rows by status, exact, with what the status means: dicts of status, outcome, rows, meaning."""
    counts = clf.pseudo_labels_["status"].value_counts()
    outcome = dict(zip(clf.pseudo_labels_["status"], outcomes(clf), strict=True))
    return [
        {"status": why, "outcome": outcome[why], "rows": int(n), "meaning": _MEANING.get(why, "")}
        for why, n in counts.items()
    ]


def advice(
    clf: Fitted,
    classes: pd.DataFrame,
    confusions: pd.DataFrame,
    more: Sequence[str] = (),
    run: str | None = None,
) -> list[tuple[str, str]]:
    """What to do next, in the order of its weight: words, and the command or code that does it, or "".

    `more` tells in sentences what it takes to fill in more, and `run` is the folder of a run of the tool.
    """
    if not len(clf.pseudo_labels_):
        return []
    out = [_first(clf, run), *((sentence.removesuffix("."), "") for sentence in more)]
    few = classes[classes["given"] < 5]
    if not handed_out(clf).notna().any() and len(few):
        verb = "has" if len(few) == 1 else "have"
        out.append((f"{_listed(few['class'])} {verb} fewer than 5 given labels", ""))
    if narrow := _narrow(clf):
        words = (
            f"Check {count(narrow, 'label')} first: there the best class leads the runner-up by less than "
            f"{NARROW:g}. In the table below they come first"
        )
        out.append((words, ""))
    if len(confusions):
        top = confusions.sort_values("rows", ascending=False, kind="stable").iloc[0]
        words = (
            "Label rows of which the committee is least sure; it finds "
            f"{_quoted(top['guess'])} and {_quoted(top['runner_up'])} hardest to tell apart "
            f"({count(int(top['rows']), 'doubtful row')})"
        )
        out.append((words, "clf.next_rows(X)" if run is None else f"surelabel next {run} -o ask.csv"))
    empty = classes[(classes["given"] == 0)]
    if len(empty):
        out.append((f"{_listed(empty['class'])} has no given label, so no row can get it", ""))
    return out


def _first(clf: Fitted, run: str | None) -> tuple[str, str]:
    """What a person can do at once."""
    page = "review(clf, X)" if run is None else f"surelabel review {run}"
    filled = handed_out(clf).notna()
    n, left = len(filled), int((~filled).sum())
    if left == n:
        words = (
            "Label more rows by hand, a few of each class; those that the committee finds hardest are at the "
            "top of the table below"
        )
    elif left:
        words = f"Label the {count(left, 'row')} that {'is' if left == 1 else 'are'} left, one key a row"
    else:
        words = "Check some of the labels filled in, one key a row"
    return words, page


def _narrow(clf: Fitted) -> int:
    """Labels filled in whose best class leads by little."""
    filled = handed_out(clf).notna().to_numpy()
    return int((filled & (gap_of(clf.pseudo_labels_) < NARROW)).sum())


def prior_setting(details: dict[str, Any] | None) -> str:
    """What sets the shares of classes, as the reader knows it: an option where a command made the page.

    Examples
    --------
    >>> prior_setting({"command": "surelabel label birds.csv"}), prior_setting(None)
    ('--prior', 'class_prior=')
    """
    return "--prior" if details and details.get("command") else "class_prior="


def drift_in_words(classes: pd.DataFrame) -> list[str]:
    """A warning for each class whose share among the labels found is far from the prior."""
    return [
        f"{_quoted(line['class'])} is {percent(line['share'])} of the labels found and "
        f"{percent(line['prior'])} by the prior."
        for _, line in drifted(classes).iterrows()
    ]


def _quoted(name: object) -> str:
    return f"“{name}”"


def _listed(names: Iterable[object], most: int = 5) -> str:
    quoted = [_quoted(name) for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more

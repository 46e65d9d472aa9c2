"""When to stop asking: the goal is reached, or answers no longer change anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.settings import GOAL, RANDOM_SHARE

# Answers change nothing any more where over the last so many trainings, and at least so many answers, the
# share promised rose by less than this, and in each less than this share of the guesses changed.
_TRAININGS, _ANSWERS = 3, 30
_RISE, _CHANGED = 0.005, 0.005
_NEARLY = 1e-9


@dataclass(frozen=True)
class Standing:
    """Where the work stood when the classifier was last trained.

    Parameters
    ----------
    answers : int
        Given by then, in all.
    promised : float
        The share of the unlabelled rows whose labels could be handed out under the promise.
    changed : float, default=1.0
        The share of them whose guess was another than at the training before.
    """

    answers: int
    promised: float
    changed: float = 1.0


@dataclass(frozen=True)
class Outlook:
    """Whether to go on, and how long.

    Parameters
    ----------
    goal : float
        The share of the unlabelled rows that is to be labelled under the promise.
    promised : float
        What it is now.
    reached, idle : bool
        Whether the goal is reached; whether answers no longer change anything.
    answers_left : int or None
        Further answers until the goal by the speed of those so far; None where that cannot be told.
    random_left : int, optional
        Further labels of rows drawn at random until the goal, where that is known instead.

    Examples
    --------
    >>> print(Outlook(0.9, 0.62, False, False, 140))
    62.0% of ... can be promised, the goal is 90.0%; roughly 140 more answers at the speed so far
    >>> print(Outlook(0.9, 0.62, False, False, None, random_left=73))
    62.0% of ...; roughly 73 more labels of rows drawn at random (one in 5 of those that are asked about)
    """

    goal: float
    promised: float
    reached: bool
    idle: bool
    answers_left: int | None
    random_left: int | None = None

    @property
    def stop(self) -> bool:
        """Whether to stop."""
        return self.reached or self.idle

    def __str__(self) -> str:
        now = f"{self.promised:.1%} of the missing labels can be promised"
        if self.reached:
            return f"stop: the goal is reached, {now} ({self.goal:.1%} was asked)"
        so_far = f"{now}, the goal is {self.goal:.1%}"
        if self.idle:
            return f"stop: the last answers changed nothing; {so_far}"
        if self.random_left is not None:
            return f"{so_far}; {at_random(self.random_left)}"
        if self.answers_left is None:
            return f"{so_far}; how many more answers cannot be told yet"
        return f"{so_far}; roughly {self.answers_left:,} more answers at the speed so far"


def outlook(standings: Sequence[Standing], goal: float = GOAL, needed: int | None = None) -> Outlook:
    """Whether to go on, from where the work stood at each training.

    Parameters
    ----------
    standings : sequence of Standing
        In order; at least one.
    goal : float, default=0.9
        The share of the unlabelled rows that is to be labelled under the promise.
    needed : int, optional
        Further labels of rows drawn at random until the goal, as `filling.labels_needed` says; without, the
        speed so far tells.

    Examples
    --------
    >>> so_far = [Standing(0, 0.2), Standing(50, 0.4, 0.05), Standing(100, 0.6, 0.03)]
    >>> outlook(so_far).answers_left
    75
    >>> outlook([*so_far, Standing(150, 0.91, 0.02)]).stop
    True
    """
    now = standings[-1]
    reached = now.promised >= goal - _NEARLY
    idle = not reached and _idle(standings)
    # That none are needed for a goal that is not reached is an estimate gone wrong.
    if needed and not reached:
        return Outlook(goal, now.promised, reached, idle, None, random_left=needed)
    return Outlook(goal, now.promised, reached, idle, 0 if reached else _by_speed(standings, goal))


def at_random(n: int) -> str:
    """So many labels that count for a promise, in words, and how many are among those that are asked about.

    Examples
    --------
    >>> at_random(73)
    'roughly 73 more labels of rows drawn at random (one in 5 of those that are asked about)'
    """
    one_in = round(1 / RANDOM_SHARE)
    return (
        f"roughly {n:,} more labels of rows drawn at random (one in {one_in} of those that are asked about)"
    )


def gained(standings: Sequence[Standing]) -> str | None:
    """What the last answers changed in what can be promised, in words; None before any were taken in.

    Examples
    --------
    >>> gained([Standing(0, 0.612), Standing(40, 0.72, 0.05)])
    'with 40 more answers 72.0% of the missing labels can be promised; it was 61.2% before'
    """
    if len(standings) < 2:
        return None
    before, now = standings[-2:]
    return (
        f"with {now.answers - before.answers:,} more answers {now.promised:.1%} of the missing labels can be "
        f"promised; it was {before.promised:.1%} before"
    )


def _idle(standings: Sequence[Standing]) -> bool:
    """Whether the last answers changed neither guesses nor what can be promised."""
    if len(standings) <= _TRAININGS:
        return False
    before, *last = standings[-_TRAININGS - 1 :]
    few = all(each.changed < _CHANGED for each in last)
    rise = max(each.promised for each in last) - before.promised
    return few and rise < _RISE and last[-1].answers - before.answers >= _ANSWERS


def _by_speed(standings: Sequence[Standing], goal: float) -> int | None:
    """Answers left if the share promised goes on to rise as it did since the last few trainings."""
    before, now = standings[-_TRAININGS - 1 :][0], standings[-1]
    rise, answers = now.promised - before.promised, now.answers - before.answers
    if rise < _RISE or answers <= 0:
        return None
    return int(np.ceil((goal - now.promised) * answers / rise - _NEARLY))

"""The words that speak for each class: those that its texts have, and other texts have not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import hypergeom
from sklearn.feature_extraction.text import CountVectorizer

from ..committees.text import SPACELESS, weighed
from ..common.types import Floats, Ints

# Probability that any word is told of a class that has it by chance.
_BY_CHANCE = 0.01
_FEWEST_ROWS = 2
_MOST_TERMS = 20_000
# In scripts without spaces a word is a run of so many letters.
_SHORTEST, _LONGEST = 2, 4
# Terms that are looked at for each that is told: most runs of letters are pieces of others.
_LOOKED_AT = 20
# A run of letters is part of a longer one that nearly as many rows have.
_NEARLY = 0.8
_RUN = re.compile(rf"[{SPACELESS}]")
_TOKEN = re.compile(rf"[{SPACELESS}]+|[^\W{SPACELESS}]+")


def class_words(texts: Sequence[str], guess: Ints, n_classes: int, most: int = 8) -> list[list[str]]:
    """Words by class, those that speak most for it first: a list for each class.

    Of words that more rows of the class have than chance would give, those come first whose mean weight in
    these rows, by how rare they are, is farthest above that in the others. No language is assumed; where a
    script has no spaces, runs of two to four letters are words.

    Parameters
    ----------
    texts : sequence of n str
        The text of each row.
    guess : array of shape (n,)
        Positions of the classes; below 0 is none.
    n_classes : int
        How many classes there are.
    most : int, default=8
        Words a class.

    Examples
    --------
    >>> texts = ["a red ball", "the red car", "one blue ball", "a blue sky"] * 5
    >>> class_words(texts, np.array([0, 0, 1, 1] * 5), 2, most=1)
    [['red'], ['blue']]
    """
    guess = np.asarray(guess)
    if not any(map(_TOKEN.search, texts)):
        return [[] for _ in range(n_classes)]
    vectorizer = CountVectorizer(analyzer=_terms, max_features=_MOST_TERMS)
    counts = vectorizer.fit_transform(texts)
    present = (counts > 0).astype(float)
    in_texts = _sums(present)
    rarity = np.log((1 + len(texts)) / (1 + in_texts)) + 1
    weights = weighed(counts, rarity.astype(np.float32)).astype(float)
    names = vectorizer.get_feature_names_out()
    total, n_tried = _sums(weights), max(int((in_texts >= _FEWEST_ROWS).sum()), 1)
    found: list[list[str]] = []
    for code in range(n_classes):
        own = guess == code
        n, others = int(own.sum()), int((~own).sum())
        if not n or not others:
            found.append([])
            continue
        within, rows = _sums(weights[own]), _sums(present[own])
        contrast = within / n - (total - within) / others
        several = np.flatnonzero((rows >= _FEWEST_ROWS) & (contrast > 0))
        order = several[np.argsort(-contrast[several], kind="stable")][: most * _LOOKED_AT]
        # Weights alone do not tell: a word that all rows have weighs more in those that are short.
        chance = hypergeom.sf(rows[order] - 1, n + others, in_texts[order], n)
        order = order[chance * n_tried < _BY_CHANCE]
        found.append(_apart([(str(names[j]), rows[j]) for j in order])[:most])
    return found


def _sums(X: Any) -> Floats:
    return np.asarray(X.sum(axis=0)).ravel()


def _terms(text: str) -> Iterator[str]:
    """Words of a text; of scripts without spaces, runs of letters."""
    for token in _TOKEN.findall(text):
        if not _RUN.match(token):
            yield token
            continue
        for size in range(_SHORTEST, _LONGEST + 1):
            yield from (token[at : at + size] for at in range(len(token) - size + 1))


def _apart(ranked: Sequence[tuple[str, float]]) -> list[str]:
    """Terms without the runs of letters that are pieces of others.

    Examples
    --------
    >>> _apart([("电影", 9), ("个电影", 4), ("影很", 3), ("bad", 3), ("喜欢", 2)])
    ['电影', 'bad', '喜欢']
    """
    runs = [(term, rows) for term, rows in ranked if _RUN.match(term)]
    kept: dict[str, float] = {}
    for term, rows in ranked:
        if _RUN.match(term):
            whole = any(len(term) < len(run) and term in run and n >= _NEARLY * rows for run, n in runs)
            if whole or any(_overlap(term, other) and rows <= n for other, n in kept.items()):
                continue
        kept[term] = rows
    return list(kept)


def _overlap(one: str, two: str) -> bool:
    """Whether two runs of letters may be of the same place in a text."""
    if one in two or two in one:
        return True
    shorter = min(len(one), len(two))
    return any(one[-n:] == two[:n] or two[-n:] == one[:n] for n in range(1, shorter))

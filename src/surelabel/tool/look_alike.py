"""Words that a person would take for the same."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence


def look_alikes(words: Iterable[str]) -> list[list[str]]:
    """Words that differ only in case, spaces, width or how accents are stored; two or more in each group.

    Examples
    --------
    >>> look_alikes(["cat", "dog", "CAT "])
    [['cat', 'CAT ']]
    """
    groups = defaultdict[str, list[str]](list)
    for word in words:
        drawn = "".join(c for c in unicodedata.normalize("NFKC", word) if unicodedata.category(c) != "Cf")
        groups[" ".join(drawn.casefold().split())].append(word)
    return [group for group in groups.values() if len(group) > 1]


def apart(words: Sequence[str]) -> list[str]:
    r"""Words in quotes; those that look just the same by the codes of their characters.

    Examples
    --------
    >>> print(*apart(["caf\u00e9", "cafe\u0301", "CAFE"]))
    'caf\xe9' 'cafe\u0301' 'CAFE'
    """
    drawn = [unicodedata.normalize("NFC", word) for word in words]
    twice = [drawn.count(one) > 1 for one in drawn]
    return [ascii(word) if same else repr(word) for word, same in zip(words, twice, strict=True)]

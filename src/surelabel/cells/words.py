"""Words in cells of any script, and whether cells are sentences, names, codes or addresses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

# Characters to a word in scripts that put no spaces between words, by how Unicode names their characters.
_UNSPACED = {"CJK": 2, "HIRAGANA": 2, "KATAKANA": 2, "THAI": 4, "LAO": 4, "KHMER": 4, "MYANMAR": 4}
# So much of a cell tells what it is.
_LOOKED_AT = 1000
_ADDRESS = re.compile(
    r"(?i:(?:https?|ftps?|s3|gs|file|mailto):\S+|www\.\S+\.\S+)"  # a URL
    r"|(?:~|\.{1,2})?/(?=\S*[^\W\d])[^\s/]+(?:/[^\s/]*)*"  # a path from a root
    r"|[A-Za-z]:\\\S.*|\\\\\S.*"  # a path of Windows
    r"|(?=\S*[^\W\d])[^\s/\\]+(?:[/\\][^\s/\\]+)*[/\\][^\s/\\]+\.[A-Za-z][A-Za-z0-9]{0,4}"  # a file
    r"|(?=\S*[^\W\d])[^\s/\\]+(?:/[^\s/\\]+){2,}/?"  # folders in folders
    r"|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io)(?:/\S*)?"  # a host
)


@dataclass(frozen=True)
class Wording:
    """How cells are worded.

    Parameters
    ----------
    words : float
        Words in a cell, on average.
    lettered : float
        Share of words that are made of letters, without digits.
    addresses : float
        Share of cells that are URLs or paths.
    """

    words: float
    lettered: float
    addresses: float

    @classmethod
    def of(cls, cells: Sequence[str]) -> Self:
        """Of some cells.

        Examples
        --------
        >>> Wording.of(["the cat sat down", "B-727"])
        Wording(words=2.5, lettered=0.8, addresses=0.0)
        """
        if not cells:
            return cls(0.0, 0.0, 0.0)
        each = [_counted(cell[:_LOOKED_AT]) for cell in cells]
        words, letters = (sum(counts) for counts in zip(*each, strict=True))
        addresses = sum(_ADDRESS.fullmatch(cell) is not None for cell in cells)
        return cls(words / len(cells), letters / words if words else 0.0, addresses / len(cells))


def n_words(cell: str) -> int:
    """Words in a cell, of any script.

    Examples
    --------
    >>> n_words("UNKNOWN BIRD - MEDIUM"), n_words("我喜欢这个电影"), n_words("...")
    (3, 4, 0)
    """
    return _counted(cell)[0]


def _counted(cell: str) -> tuple[int, int]:
    """Words, and those of them that are made of letters."""
    words = letters = 0
    for token in cell.split():
        if token.isascii():
            n = int(any(map(str.isalnum, token)))
            plain = any(map(str.isalpha, token)) and not any(map(str.isdigit, token))
        else:
            sizes = [_size(char) for char in token]
            joined = sum(size for size in sizes if size < 1)
            n = max(int(any(sizes)), -int(-joined // 1))
            plain = not any(map(str.isdigit, token))
        words += n
        letters += n * plain
    return words, letters


@lru_cache(maxsize=4096)
def _size(char: str) -> float:
    """How much of a word a character is: 1 where words are spaced, and of a pictogram; 0 of punctuation."""
    category = unicodedata.category(char)
    if category[0] not in "LN" and category != "So":
        return 0.0
    script = unicodedata.name(char, "").partition(" ")[0]
    return 1 / _UNSPACED[script] if script in _UNSPACED else 1.0

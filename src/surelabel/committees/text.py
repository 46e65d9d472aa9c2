"""Free text as numbers: its words and parts of words, and the directions in which texts differ most."""

from __future__ import annotations

import unicodedata
import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from ..common.types import Floats, Ints, Table
from ..reading.features import text_mask

# What of a cell is read, in letters: some pages.
_LONGEST = 5_000
# Scripts that put no spaces between words: each letter counts as a word, and parts of words do the rest.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = rf"[{SPACELESS}]|[^\W{SPACELESS}]+"
_MOST_WORDS, _MOST_PARTS = 10_000, 10_000
# Rows from which terms and directions are learnt.
_LEARNT_ROWS = 20_000
# Directions; rows that each of them takes where they are more than a few.
_MOST_DIRECTIONS, _FEW_DIRECTIONS, _ROWS_EACH = 300, 50, 4
# Tables whose directions are kept, while they are in use: the labelled rows, the others, those asked.
_KEPT_TABLES = 3

_Value = TypeVar("_Value")


class Remembered(Generic[_Value]):
    """What was made of the last few tables, as long as these are in use."""

    def __init__(self) -> None:
        self._made: list[tuple[weakref.ref[Any], _Value]] = []

    def get(self, X: Table) -> _Value | None:
        """What was made of this very table, or None."""
        return next((value for table, value in self._made if table() is X), None)

    def put(self, X: Table, value: _Value) -> _Value:
        """Remember it."""
        living = [(table, made) for table, made in self._made if table() is not None]
        self._made = [*living[1 - _KEPT_TABLES :], (weakref.ref(X), value)]
        return value

    def __deepcopy__(self, memo: Any) -> Remembered[_Value]:
        return Remembered()

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, ()


class Terms(TransformerMixin, BaseEstimator):
    """Words, and parts of words of three or four letters, each weighed by how rare it is.

    All columns of free text are joined. No language is assumed.

    Attributes
    ----------
    words_, parts_ : str
        The terms in their order, a line each.
    rarity_ : ndarray of shape (n_terms,)
        Weights, of words and then of parts of words.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"remark": ["a red ball", "a blue ball", None]})
    >>> terms = Terms().fit(X)
    >>> terms.words_.split()
    ['a', 'ball', 'blue', 'red']
    >>> terms.transform(X).shape == (3, len(terms))
    True
    """

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn the terms of the text of X."""
        self.learn([X])
        return self

    def learn(self, tables: Sequence[Table]) -> Self:
        """Learn the terms of several tables."""
        texts = [text for X in tables for text in joined(X)]
        learnt = texts if len(texts) <= _LEARNT_ROWS else [texts[row] for row in _spread(len(texts))]
        found = [_learnt(vectorizer, learnt) for vectorizer in (_words(), _parts())]
        self.words_, self.parts_ = ("\n".join(names) for names, _, _ in found)
        self.rarity_ = np.concatenate([rarity for _, rarity, _ in found])
        self._make_live()
        self._remember(learnt, self._weighed([counts for _, _, counts in found]))
        return self

    def __len__(self) -> int:
        return len(self.rarity_)

    def transform(self, X: Table) -> sp.csr_matrix:
        """Weights of the terms of each row, of length 1, shape (n, n_terms)."""
        if "_seen" not in vars(self):
            self._make_live()
        known = self._seen.get(X)
        return self._seen.put(X, self._read(joined(X))) if known is None else known

    def _read(self, texts: Sequence[str]) -> sp.csr_matrix:
        """The same of texts, of which some may be known."""
        places = np.array([self._place.get(text, -1) for text in texts], dtype=int)
        if (places >= 0).all():
            return self._known[places]
        new = self._counted([text for text, place in zip(texts, places, strict=True) if place < 0])
        order = np.where(places >= 0, places, self._known.shape[0] + np.cumsum(places < 0) - 1)
        return sp.vstack([self._known, new], format="csr")[order]

    def _remember(self, texts: Sequence[str], counted: sp.csr_matrix) -> None:
        """Rows are asked about again and again: those that were learnt from need not be read again."""
        self._place = {text: row for row, text in enumerate(texts)}
        self._known = counted

    def _counted(self, texts: Sequence[str]) -> sp.csr_matrix:
        return self._weighed(
            [
                vectorizer.transform(texts) if vectorizer.vocabulary else _no_terms(texts)
                for vectorizer in self._vectorizers
            ]
        )

    def _weighed(self, blocks: Sequence[sp.csr_matrix]) -> sp.csr_matrix:
        """Rows of length 1 from counts of words, and of parts of words."""
        ends = np.cumsum([block.shape[1] for block in blocks])
        each = np.split(self.rarity_, ends[:-1])
        return unit_rows(sp.hstack(list(map(weighed, blocks, each)), format="csr"))

    def _make_live(self) -> None:
        """Make what is not saved; `_seen` tells other threads that all is there, so it comes last."""
        each = (_words, self.words_), (_parts, self.parts_)
        vectorizers = [make(names.split("\n") if names else []) for make, names in each]
        for vectorizer in vectorizers:
            _check_once(vectorizer.vocabulary)
        n_terms = sum(len(vectorizer.vocabulary) for vectorizer in vectorizers)
        if n_terms != len(self.rarity_):
            raise ValueError(f"There are {n_terms} terms, and {len(self.rarity_)} weights of terms.")
        self._vectorizers = vectorizers
        self._remember((), sp.csr_matrix(np.empty((0, n_terms), dtype=np.float32)))
        self._seen: Remembered[sp.csr_matrix] = Remembered()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


class TextSpace(TransformerMixin, BaseEstimator):
    """The directions in which texts differ most (latent semantic analysis).

    Parameters
    ----------
    terms : Terms, optional
        Fitted; by default those of the table that this is fitted on.

    Attributes
    ----------
    terms_ : Terms
        The terms.
    directions_ : ndarray of shape (n_terms, n_directions)
        What each term adds to each direction, in half precision: there may be millions.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"remark": ["a red ball", "a blue ball", "two red cars", None]})
    >>> TextSpace().fit_transform(X).shape
    (4, 3)
    """

    def __init__(self, terms: Terms | None = None) -> None:
        self.terms = terms

    def fit(self, X: Table, y: Any = None) -> Self:
        """Learn the directions of the text of X."""
        return self.learn([X])

    def learn(self, tables: Sequence[Table]) -> Self:
        """Learn the directions of the text of several tables."""
        self.terms_ = Terms().learn(tables) if self.terms is None else self.terms
        counted = sp.vstack([self.terms_.transform(X) for X in tables], format="csr")
        if counted.shape[0] > _LEARNT_ROWS:
            counted = counted[_spread(counted.shape[0])]
        n_rows, n_terms = counted.shape
        n = min(_MOST_DIRECTIONS, max(n_rows // _ROWS_EACH, _FEW_DIRECTIONS), n_rows - 1, n_terms - 1)
        found = np.empty((0, counted.shape[1]))
        if n > 0 and counted.nnz:
            # Where all texts are the same, shares of their variance are 0 / 0; nobody reads those.
            with np.errstate(divide="ignore", invalid="ignore"):
                found = TruncatedSVD(n, n_iter=2, random_state=0).fit(counted).components_
        self.directions_ = np.ascontiguousarray(found.T, dtype=np.float16)
        self._make_live()
        return self

    def transform(self, X: Table) -> Floats:
        """How far each row goes in each direction, the main ones first, shape (n, n_directions)."""
        if "_seen" not in vars(self):
            self._make_live()
        known = self._seen.get(X)
        if known is not None:
            return known
        return self._seen.put(X, np.asarray(self.terms_.transform(X) @ self._precise, dtype=float))

    def _make_live(self) -> None:
        """Make what is not saved; `_seen` tells other threads that all is there, so it comes last."""
        self._precise = self.directions_.astype(np.float32)
        self._seen: Remembered[Floats] = Remembered()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


def joined(X: Table) -> list[str]:
    """The free text of each row, of all columns, in small letters and one form of each letter."""
    X = X.loc[:, text_mask(X)]
    columns: Iterable[Sequence[Any]] = (X.iloc[:, j].tolist() for j in range(X.shape[1]))
    return [" ".join(map(_plain, row)) for row in zip(*columns, strict=True)] or [""] * len(X)


def _plain(cell: Any) -> str:
    return unicodedata.normalize("NFKC", cell[:_LONGEST]).casefold() if isinstance(cell, str) else ""


def weighed(counts: sp.csr_matrix, rarity: Floats) -> sp.csr_matrix:
    """Counts of terms weighed by how rare each is; rows have length 1, in single precision.

    Examples
    --------
    >>> weighed(sp.csr_matrix([[1, 1], [0, 2]]), np.array([3.0, 4.0], dtype=np.float32)).toarray()
    array([[0.6, 0.8],
           [0. , 1. ]], dtype=float32)
    """
    weights = counts.astype(np.float32)
    weights.data = (1 + np.log(weights.data)) * rarity[weights.indices]
    return unit_rows(weights)


def unit_rows(X: Any) -> Any:
    """Rows brought to length 1, those of zeros apart, shape of X; it may have no rows or columns."""
    return normalize(X) if all(X.shape) else X


def _words(vocabulary: list[str] | None = None) -> CountVectorizer:
    return _vectorizer(vocabulary, _MOST_WORDS, token_pattern=_WORD)


def _parts(vocabulary: list[str] | None = None) -> CountVectorizer:
    # What only one row has tells nothing of others.
    return _vectorizer(vocabulary, _MOST_PARTS, analyzer="char_wb", ngram_range=(3, 4), min_df=2)


def _vectorizer(vocabulary: list[str] | None, most: int, **settings: Any) -> CountVectorizer:
    if vocabulary is not None:
        settings |= {"min_df": 1}
    return CountVectorizer(lowercase=False, vocabulary=vocabulary, max_features=most, **settings)


def _learnt(vectorizer: CountVectorizer, texts: Sequence[str]) -> tuple[list[str], Floats, sp.csr_matrix]:
    """Terms, how rare they are, and how often each text has each of them; none where the texts have none."""
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:
        # There is no other sign that there is no term, or none that two texts have.
        if not any(sign in str(error) for sign in ("vocabulary", "no terms remain", "max_df corresponds")):
            raise
        return [], np.empty(0, dtype=np.float32), _no_terms(texts)
    # In the order in which texts are read later: sums must agree to the last digit.
    counts.sort_indices()
    in_texts = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((1 + len(texts)) / (1 + in_texts)) + 1
    return vectorizer.get_feature_names_out().tolist(), rarity.astype(np.float32), counts


def _check_once(terms: Sequence[str]) -> None:
    """Refuse terms of which one comes twice: their numbering would not be one to one."""
    if len(set(terms)) < len(terms):
        twice = next(term for term, n in Counter(terms).items() if n > 1)
        raise ValueError(f"The term {twice!r} is there twice; each term must have one number.")


def _no_terms(texts: Sequence[str]) -> sp.csr_matrix:
    return sp.csr_matrix(np.empty((len(texts), 0)))


def _spread(n: int) -> Ints:
    """Rows to learn from, spread evenly over n."""
    return np.linspace(0, n - 1, _LEARNT_ROWS).astype(int)

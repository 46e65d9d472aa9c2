"""Values that skops does not write, written as calls of a few named makers with plain parts.

skops takes estimators, arrays and what is in them. It does not take pandas, dictionaries whose
keys are not text, or the state of XGBoost's boosters in a form that is safe to read. Before a
model is written, `plain` puts a `Stand` in the place of each such value; when skops reads the
stand and calls its class, the value itself comes out. No model has to know about it.

Names and parts of stands are in the files: to change them is to change the format's version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import is_dataclass
from types import FunctionType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from ..common.types import Ints, Values
from ..reading.columns import Columns

# What was replaced, by its id: itself, and what stands for it.
_Memo = dict[int, tuple[Any, Any]]

STANDS: dict[str, type[Stand]] = {}
LIST_STANDS: list[type[ListStand]] = []


def name_of(kind: Any) -> str:
    """Where a type is defined, and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


class Stand:
    """Stands for a value in a file; called with the value's parts, its class makes the value."""

    args: tuple[Any, ...]
    # The value's parts -> the value.
    made: ClassVar[Callable[..., Any]]

    def __new__(cls, *args: Any) -> Any:
        """The value that these parts make."""
        return cls.made(*args)

    def __init_subclass__(cls, of: Iterable[Any] = ()) -> None:
        for kind in of:
            STANDS[kind if isinstance(kind, str) else name_of(kind)] = cls

    @classmethod
    def instead_of(cls, value: Any) -> Self:
        """A stand for the value."""
        stand = object.__new__(cls)
        stand.args = cls.parts(value)
        return stand

    @staticmethod
    def parts(value: Any) -> tuple[Any, ...]:
        """What `made` needs to make the value again."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self.args


class ListStand(Stand):
    """Stands for a list of what is alike."""

    def __init_subclass__(cls) -> None:
        LIST_STANDS.append(cls)

    @staticmethod
    def takes(value: list[Any]) -> bool:
        """Whether it can stand for this list."""
        raise NotImplementedError


def plain(value: Any) -> Any:
    """The value with a stand for everything in it that skops does not take; itself if nothing is."""
    return _plain(value, {})


def _plain(value: Any, memo: _Memo) -> Any:
    # What occurs twice must stay one thing; the value is kept so that its id stays its own.
    if id(value) not in memo:
        memo[id(value)] = value, _replaced(value, memo)
    return memo[id(value)][1]


def _replaced(value: Any, memo: _Memo) -> Any:
    kind = type(value)
    if isinstance(value, Columns):
        value = value.without_functions()
    stand = next((STANDS[name] for name in map(name_of, kind.__mro__) if name in STANDS), None)
    if kind is np.ndarray and value.dtype == object:
        stand = Objects
    if kind is dict and not all(type(key) is str for key in value):
        stand = Pairs
    if kind is list and value:
        stand = next((each for each in LIST_STANDS if each.takes(value)), None)
    if stand is not None:
        value = stand.instead_of(value)
    if isinstance(value, Stand):
        value.args = tuple(_plain(part, memo) for part in value.args)
        return value
    if kind in (list, tuple):
        items = [_plain(item, memo) for item in value]
        return value if all(map(_same, items, value)) else kind(items)
    if kind is dict:
        return _changed(value, value, memo)
    if isinstance(value, (FunctionType, BaseEstimator)):
        _check_importable(value if isinstance(value, FunctionType) else kind)
    record = is_dataclass(value) and not isinstance(value, type) and hasattr(value, "__dict__")
    if record or isinstance(value, BaseEstimator):
        return _changed(value, vars(value), memo)
    return value


def _changed(value: Any, attributes: Mapping[str, Any], memo: _Memo) -> Any:
    new = {name: _plain(item, memo) for name, item in attributes.items()}
    if all(map(_same, new.values(), attributes.values())):
        return value
    if value is attributes:
        return new
    other = copy(value)
    other.__dict__.update(new)
    return other


def _same(a: Any, b: Any) -> bool:
    return a is b


def _check_importable(thing: Any) -> None:
    if "<" in thing.__name__ or thing.__qualname__ != thing.__name__:
        raise TypeError(
            f"{thing.__qualname__} of {thing.__module__} cannot be saved: a file holds the names of "
            "functions and classes, and by its name this one cannot be imported. Define it at the top of a "
            "module."
        )


class Pairs(Stand):
    """A dict whose keys are not all text."""

    @staticmethod
    def parts(value: dict[Any, Any]) -> tuple[list[Any], list[Any]]:
        """Keys and values."""
        return list(value), list(value.values())

    @staticmethod
    def made(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
        """The dict."""
        return dict(zip(keys, values, strict=True))


class Text(Stand):
    """A list of strings, in one piece."""

    @staticmethod
    def parts(value: list[str]) -> tuple[bytes, Ints]:
        """All of them one after another, and the length of each in bytes."""
        coded = [text.encode("utf-8", "surrogatepass") for text in value]
        return b"".join(coded), np.array([len(text) for text in coded], dtype=np.int64)

    @staticmethod
    def made(data: bytes, lengths: Ints) -> list[str]:
        """The list."""
        ends = np.cumsum(lengths)
        return [
            data[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip((ends - lengths).tolist(), ends.tolist(), strict=True)
        ]


class Objects(Stand):
    """An array of objects: the different ones, and which is where."""

    @staticmethod
    def parts(value: Values) -> tuple[Any, Ints]:
        """The objects and the codes, in the shape of the array."""
        codes, objects = _coded(value.ravel())
        text = all(type(item) is str for item in objects)
        return Text.instead_of(objects) if text else objects, codes.reshape(value.shape)

    @staticmethod
    def made(objects: list[Any], codes: Ints) -> Values:
        """The array."""
        table = np.empty(len(objects), dtype=object)
        for i, item in enumerate(objects):  # all at once, NumPy would look into lists
            table[i] = item
        return table[codes]


def _coded(values: Values) -> tuple[Ints, list[Any]]:
    """Which of the different objects each of values (n,) is, shape (n,), and these, in order."""
    items = values.tolist()
    if set(map(type, items)) <= {str, type(None)}:
        codes, names = pd.factorize(values)
        objects = names.tolist()
        if (codes < 0).any():
            codes, objects = np.where(codes < 0, len(objects), codes), [*objects, None]
        return codes.astype(np.int64), objects
    seen: dict[Any, int] = {}
    objects, codes = [], np.empty(len(items), dtype=np.int64)
    for i, item in enumerate(items):
        codes[i] = seen.setdefault(_identity(item), len(objects))
        if codes[i] == len(objects):
            objects.append(item)
    return codes, objects


def _identity(item: Any) -> Any:
    """Equal for what may be stored once: 1, 1.0 and True are three things, NaN is one."""
    if type(item) is float:
        return float, item.hex()
    return (type(item), item) if type(item) in (str, int, bool, type(None)) else id(item)


_SPARSE: dict[str, Any] = {
    kind.__name__: kind for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix)
}


class Sparse(Stand, of=_SPARSE.values()):
    """A sparse matrix by rows or by columns."""

    @staticmethod
    def parts(value: Any) -> tuple[Any, ...]:
        """Name of the kind, shape and arrays."""
        return type(value).__name__, value.shape, value.data, value.indices, value.indptr

    @staticmethod
    def made(kind: str, shape: tuple[int, int], data: Values, indices: Ints, indptr: Ints) -> Any:
        """The matrix."""
        matrix = _SPARSE[kind]((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)  # native code would read wherever the indices point
        return matrix

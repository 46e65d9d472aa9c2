"""Values that skops does not write, written as calls of a few named makers with plain parts.

skops takes estimators, arrays and what is in them. It does not take pandas, dictionaries whose
keys are not text, or the state of XGBoost's boosters in a form that is safe to read. Before a
model is written, `plain` puts a `Stand` in the place of each such value; when skops reads the
stand and calls its class, the value itself comes out. No model has to know about it.

Names and parts of stands are in the files: to change them is to change the format's version.
"""

from __future__ import annotations

from copy import copy
from dataclasses import is_dataclass
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator

STANDS: dict[str, type[Stand]] = {}


def name_of(kind):
    """Where a type is defined, and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


class Stand:
    """Stands for a value in a file; called with the value's parts, its class makes the value."""

    args: tuple

    def __new__(cls, *args):
        """The value that these parts make."""
        return cls.made(*args)

    def __init_subclass__(cls, of=()):
        for kind in of:
            STANDS[kind if isinstance(kind, str) else name_of(kind)] = cls

    @classmethod
    def instead_of(cls, value):
        """A stand for the value."""
        stand = object.__new__(cls)
        stand.args = cls.parts(value)
        return stand

    @staticmethod
    def parts(value) -> tuple:
        """What `made` needs to make the value again."""
        raise NotImplementedError

    @staticmethod
    def made(*parts) -> Any:
        """The value."""
        raise NotImplementedError

    def __reduce__(self):
        return type(self), self.args


def plain(value):
    """The value with a stand for everything in it that skops does not take; itself if nothing is."""
    return _plain(value, {})


def _plain(value, memo):
    # What occurs twice must stay one thing; the value is kept so that its id stays its own.
    if id(value) not in memo:
        memo[id(value)] = value, _replaced(value, memo)
    return memo[id(value)][1]


def _replaced(value, memo):
    kind = type(value)
    stand = next((STANDS[name] for name in map(name_of, kind.__mro__) if name in STANDS), None)
    if kind is np.ndarray and value.dtype == object:
        stand = Objects
    if kind is dict and not all(type(key) is str for key in value):
        stand = Pairs
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


def _changed(value, attributes, memo):
    new = {name: _plain(item, memo) for name, item in attributes.items()}
    if all(map(_same, new.values(), attributes.values())):
        return value
    if value is attributes:
        return new
    other = copy(value)
    other.__dict__.update(new)
    return other


def _same(a, b):
    return a is b


def _check_importable(thing):
    if "<" in thing.__name__ or thing.__qualname__ != thing.__name__:
        raise TypeError(
            f"{thing.__qualname__} of {thing.__module__} cannot be saved: a file holds the names of "
            "functions and classes, and this one can be imported by none. Define it at the top of a module."
        )


class Pairs(Stand):
    """A dict whose keys are not all text."""

    @staticmethod
    def parts(value):
        """Keys and values."""
        return list(value), list(value.values())

    @staticmethod
    def made(keys, values):
        """The dict."""
        return dict(zip(keys, values, strict=True))


class Text(Stand):
    """A list of strings, in one piece."""

    @staticmethod
    def parts(value):
        """All of them one after another, and the length of each in bytes."""
        coded = [text.encode("utf-8", "surrogatepass") for text in value]
        return b"".join(coded), np.array([len(text) for text in coded], dtype=np.int64)

    @staticmethod
    def made(data, lengths):
        """The list."""
        ends = np.cumsum(lengths)
        return [
            data[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip((ends - lengths).tolist(), ends.tolist(), strict=True)
        ]


class Objects(Stand):
    """An array of objects: the different ones, and which is where."""

    @staticmethod
    def parts(value):
        """The objects and the codes, in the shape of the array."""
        seen: dict[Any, int] = {}
        objects: list[Any] = []
        codes = np.empty(value.size, dtype=np.int64)
        for i, item in enumerate(value.ravel().tolist()):
            codes[i] = seen.setdefault(_identity(item), len(objects))
            if codes[i] == len(objects):
                objects.append(item)
        text = all(type(item) is str for item in objects)
        return Text.instead_of(objects) if text else objects, codes.reshape(value.shape)

    @staticmethod
    def made(objects, codes):
        """The array."""
        table = np.empty(len(objects), dtype=object)
        for i, item in enumerate(objects):  # all at once, NumPy would look into lists
            table[i] = item
        return table[codes]


def _identity(item):
    """Equal for what may be stored once: 1, 1.0 and True are three things, NaN is one."""
    if type(item) is float:
        return float, item.hex()
    return (type(item), item) if type(item) in (str, int, bool, type(None)) else id(item)


_SPARSE = {kind.__name__: kind for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix)}


class Sparse(Stand, of=_SPARSE.values()):
    """A sparse matrix by rows or by columns."""

    @staticmethod
    def parts(value):
        """Name of the kind, shape and arrays."""
        return type(value).__name__, value.shape, value.data, value.indices, value.indptr

    @staticmethod
    def made(kind, shape, data, indices, indptr):
        """The matrix."""
        matrix = _SPARSE[kind]((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)  # native code would read wherever the indices point
        return matrix


class Extended(Stand):
    """An array of one of pandas's own types: objects and the name of the type."""

    @staticmethod
    def parts(value):
        """Values as objects; the type by name."""
        return np.asarray(value.astype(object), dtype=object), str(value.dtype)

    @staticmethod
    def made(values, dtype):
        """The array."""
        return pd.array(values, dtype=dtype)


class Categories(Stand, of=[pd.Categorical]):
    """A categorical array."""

    @staticmethod
    def parts(value):
        """Codes, categories and whether these are in order."""
        return np.asarray(value.codes), value.categories, bool(value.ordered)

    @staticmethod
    def made(codes, categories, ordered):
        """The array."""
        return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


class Zoned(Stand):
    """Dates with a time zone."""

    @staticmethod
    def parts(value):
        """Dates in UTC, and the zone."""
        return pd.DatetimeIndex(value).tz_convert(None).to_numpy(), str(value.dtype.tz)

    @staticmethod
    def made(values, zone):
        """The array."""
        return pd.DatetimeIndex(values).tz_localize("UTC").tz_convert(zone).array


def _column(values):
    """The values of a Series or an Index: an array that NumPy knows, or a stand."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values.to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        return values.array
    return (Zoned if isinstance(dtype, pd.DatetimeTZDtype) else Extended).instead_of(values.array)


class RowNames(Stand, of=[pd.Index]):
    """A pandas Index."""

    @staticmethod
    def parts(value):
        """Values and name."""
        return _column(value), value.name

    @staticmethod
    def made(values, name):
        """The Index."""
        return pd.Index(values, dtype=values.dtype, name=name)


class Range(Stand, of=[pd.RangeIndex]):
    """Row numbers."""

    @staticmethod
    def parts(value):
        """Start, stop, step and name."""
        return value.start, value.stop, value.step, value.name

    @staticmethod
    def made(start, stop, step, name):
        """The Index."""
        return pd.RangeIndex(start, stop, step, name=name)


class Levels(Stand, of=[pd.MultiIndex]):
    """An index of several levels."""

    @staticmethod
    def parts(value):
        """Levels, codes and names."""
        return list(value.levels), [np.asarray(codes) for codes in value.codes], list(value.names)

    @staticmethod
    def made(levels, codes, names):
        """The Index."""
        return pd.MultiIndex(levels, codes, names=names)


class Column(Stand, of=[pd.Series]):
    """A pandas Series."""

    @staticmethod
    def parts(value):
        """Values, index and name."""
        return _column(value), value.index, value.name

    @staticmethod
    def made(values, index, name):
        """The Series."""
        _check_lengths([values], index)
        return pd.Series(values, index=index, name=name, dtype=values.dtype)


class Frame(Stand, of=[pd.DataFrame]):
    """A pandas DataFrame."""

    @staticmethod
    def parts(value):
        """Column names, columns and index."""
        return value.columns, [_column(value.iloc[:, j]) for j in range(value.shape[1])], value.index

    @staticmethod
    def made(names, columns, index):
        """The DataFrame."""
        _check_lengths(columns, index)
        series = {j: pd.Series(values, index=index, dtype=values.dtype) for j, values in enumerate(columns)}
        frame = pd.DataFrame(series, index=index)
        frame.columns = names
        return frame


def _check_lengths(columns, index):
    # pandas would repeat a single value over an index of any length.
    if any(np.shape(values) != (len(index),) for values in columns):
        raise ValueError(f"columns do not have the {len(index)} rows of their index")


class Moment(Stand, of=[pd.Timestamp]):
    """A date."""

    @staticmethod
    def parts(value):
        """The date in UTC, and the zone."""
        return value.asm8, None if value.tz is None else str(value.tz)

    @staticmethod
    def made(value, zone):
        """The date."""
        moment = pd.Timestamp(value)
        return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


class Duration(Stand, of=[pd.Timedelta]):
    """A length of time."""

    @staticmethod
    def parts(value):
        """As NumPy has it."""
        return (value.asm8,)

    @staticmethod
    def made(value):
        """As pandas has it."""
        return pd.Timedelta(value)


class Span(Stand, of=[pd.Interval]):
    """An interval, such as pd.cut gives."""

    @staticmethod
    def parts(value):
        """Both ends, and which belong to it."""
        return value.left, value.right, value.closed

    @staticmethod
    def made(left, right, closed):
        """The interval."""
        return pd.Interval(left, right, closed)


class Term(Stand, of=[pd.Period]):
    """A period, such as a month."""

    @staticmethod
    def parts(value):
        """Its number and what is counted."""
        return value.ordinal, value.freqstr

    @staticmethod
    def made(ordinal, freq):
        """The period."""
        return pd.Period(ordinal=ordinal, freq=freq)


class Missing(Stand, of=[type(pd.NA), type(pd.NaT)]):
    """pandas's own marks of a missing value."""

    @staticmethod
    def parts(value):
        """Whether it is the mark of a missing date."""
        return (value is pd.NaT,)

    @staticmethod
    def made(date):
        """The mark."""
        return pd.NaT if date else pd.NA

"""Hostile cases: X and y in other forms."""

from __future__ import annotations

import enum
import warnings
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from hostile_base import Case, fitted, small, table


def tables():
    """X in other forms, each with what is expected of it."""

    def forms():
        X, _, _ = table()
        A = X.to_numpy()
        yield "list of lists", A.tolist(), True
        yield "tuple of tuples", tuple(map(tuple, A)), True
        yield "float32", A.astype(np.float32), True
        yield "float16", A.astype(np.float16), True
        yield "integers", (A * 100).astype(int), True
        yield "Fortran order", np.asfortranarray(A), True
        yield "a view with steps", np.repeat(A, 2, axis=0)[::2], True
        yield "read only", _frozen(A), True
        yield "objects", A.astype(object), True
        yield "text of numbers", A.astype(str), False
        yield "complex", A.astype(complex), False
        yield "CSR", sp.csr_array(A), True
        yield "CSC", sp.csc_array(A), True
        yield "COO", sp.coo_array(A), True
        gaps = A.copy()
        gaps[0, 0] = np.nan
        yield "sparse with NaN", sp.csr_array(gaps), False
        yield "dense with NaN", gaps, True
        yield "masked", np.ma.masked_array(np.where(np.isnan(gaps), 9e9, gaps), np.isnan(gaps)), True
        yield "polars", pl.DataFrame(X.to_dict("list")), True
        yield "polars lazy", pl.DataFrame(X.to_dict("list")).lazy(), False
        yield "dict of columns", X.to_dict("list"), False
        yield "generator", (row for row in A), False
        yield "records", X.to_records(index=False), False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy itself warns of its matrices
            yield "matrix", np.asmatrix(A), False
        yield "one dimension", A[:, 0], False
        yield "three dimensions", A[:, :, None], False
        yield "no columns", X[[]], False
        yield "no rows", X.iloc[:0], False
        yield "None", None, False
        yield "a text", "width", False
        yield "duplicate names", pd.concat([X, X], axis=1), False
        yield "names that are numbers", X.set_axis([1, 2], axis=1), True
        yield (
            "names of several levels",
            X.set_axis(pd.MultiIndex.from_product([["a"], ["w", "h"]]), axis=1),
            False,
        )
        yield "names mixed", X.set_axis([1, "b"], axis=1), False
        yield "another index", X.set_axis(range(100, 160)), True
        yield "index of text, twice each", X.set_axis(np.repeat(np.arange(30), 2).astype(str)), True
        yield "nullable floats", X.astype("Float64"), True
        yield "arrow floats", X.astype("float64[pyarrow]"), True
        yield "category of numbers", X.round(0).astype("category"), True
        for name, values in {
            "interval": pd.interval_range(0, 60),
            "period": pd.period_range("2024-01", periods=60, freq="M"),
            "moment with zone": pd.date_range("2024-01-01", periods=60, tz="UTC"),
            "nested lists": [[1]] * 60,
            "all missing": [None] * 60,
            "constant": [1] * 60,
            "nullable bool with gaps": pd.array([True, None] * 30, dtype="boolean"),
            "category with levels unused": pd.Categorical(["a", "b"] * 30, categories=["a", "b", "c"]),
            "mixed numbers and text": [1, "a"] * 30,
            "sets": [{1}] * 60,
            "functions": [len] * 60,
            "big integers": [2**63 + i for i in range(60)],
            "Decimal": [Decimal(i) for i in range(60)],
        }.items():
            yield (
                f"a column of {name}",
                X.assign(odd=pd.Series(list(values) if isinstance(values, list) else values)),
                False,
            )

    def run(number):
        _, y, truth = table()
        return fitted(list(forms())[number][1], y, truth)

    names = [(name, must) for name, _, must in forms()]
    return [Case(f"X: {name}", lambda i=i: run(i), must_work=must) for i, (name, must) in enumerate(names)]


def _frozen(A):
    A = A.copy()
    A.setflags(write=False)
    return A


class Species(enum.Enum):
    """Labels that are members of an Enum."""

    CAT = "cat"
    DOG = "dog"
    OWL = "owl"


def labels():
    """Y in other forms."""

    def forms():
        _, y, truth = table()
        codes = np.arange(60) % 3
        known = np.arange(60) < 24
        yield "text and None", y, truth, True
        yield "text and NaN", np.where(known, truth, np.nan), truth, True
        yield "text and empty", np.where(known, truth, ""), truth, True
        yield "a list", y.tolist(), truth, True
        yield "a series", pd.Series(y), truth, True
        yield "a series of another order of index", pd.Series(y, index=range(60, 0, -1)), truth, True
        yield "polars series", pl.Series(y.tolist()), truth, True
        yield "category", pd.Series(y).astype("category"), truth, True
        yield (
            "category, levels unused",
            pd.Categorical(y, categories=["cat", "dog", "owl", "yak"]),
            truth,
            False,
        )
        yield "arrow text", pd.Series(y, dtype="string[pyarrow]"), truth, True
        yield "frame of one column", pd.DataFrame({"species": y}), truth, False
        yield "a column", y[:, None], truth, False
        yield "whole numbers, -1", np.where(known, codes, -1), codes, True
        yield "whole numbers, 255 unsigned", np.where(known, codes, 255).astype(np.uint8), codes, False
        yield "floats, NaN", np.where(known, codes, np.nan), codes.astype(float), True
        yield "floats, -1", np.where(known, codes, -1.0), codes, False
        yield (
            "nullable integers",
            pd.array([int(c) if k else None for c, k in zip(codes, known, strict=True)], dtype="Int64"),
            codes,
            True,
        )
        yield (
            "bools and None",
            [bool(c % 2) if k else None for c, k in zip(codes, known, strict=True)],
            None,
            False,
        )
        yield "masked", np.ma.masked_array(codes, ~known), codes, True
        yield (
            "dates",
            [date(2024, 1, c + 1) if k else None for c, k in zip(codes, known, strict=True)],
            [date(2024, 1, c + 1) for c in codes],
            False,
        )
        yield (
            "moments",
            pd.Series([datetime(2024, 1, c + 1) if k else None for c, k in zip(codes, known, strict=True)]),
            None,
            False,
        )
        yield "tuples", [(c, "a") if k else None for c, k in zip(codes, known, strict=True)], None, False
        yield (
            "Decimal",
            [Decimal(int(c)) if k else None for c, k in zip(codes, known, strict=True)],
            codes,
            False,
        )
        yield (
            "Enum",
            [list(Species)[c] if k else None for c, k in zip(codes, known, strict=True)],
            None,
            False,
        )
        yield "2**70", [2**70 + int(c) if k else None for c, k in zip(codes, known, strict=True)], None, False
        yield "complex", np.where(known, codes, np.nan) + 0j, None, False
        yield "bytes", [b"cat" if k else None for k in known], None, False
        yield "mixed types", [1 if i % 2 else "a" for i in range(60)], None, False
        yield "infinity", np.where(known, codes, np.inf), None, False
        yield "halves", np.where(known, codes + 0.5, np.nan), None, False
        yield "all unlabelled", [None] * 60, None, False
        yield "one class", ["cat"] * 30 + [None] * 30, None, False
        yield "the text nan", np.where(known, truth, "nan"), truth, False
        yield "too short", y[:50], None, False
        yield "None", None, None, False
        yield "a text", "species", None, False
        yield "a dict", {"a": 1}, None, False
        yield "generator", (v for v in y), truth, False
        yield "every row labelled", truth, truth, True
        yield "60 classes", [f"c{i}" for i in range(60)], None, False
        alike = np.where(known & (np.arange(60) % 6 == 0), "CAT", y)
        yield "look-alikes", alike, None, False

    def run(number):
        X, _, _ = table()
        _, y, truth, _ = list(forms())[number]
        if truth is not None:
            return fitted(X, y, truth)
        clf = small().fit(X, y)
        return None if len(clf.predict(X)) == 60 else "not every row is predicted"

    def told_of_look_alikes(found, told):
        return found or (None if "alike" in told else "nothing is said of labels that look alike")

    cases = []
    for i, (name, _, _, must) in enumerate(forms()):
        wrong = told_of_look_alikes if name == "look-alikes" else lambda found, told: found
        cases.append(Case(f"y: {name}", lambda i=i: run(i), wrong, must))
    return cases

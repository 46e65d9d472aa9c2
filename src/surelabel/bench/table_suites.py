"""The suite that judges defaults: tables of a folder, in two halves that are named here, beforehand.

What is changed is chosen on the first half of the tables and of the draws. The other half confirms it, once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..committees.models.default import unlike_models
from . import elsewhere
from .cells import Column
from .folder_tables import PROTOCOL, tables_in
from .suite import Suite

HALVES = ("choosing", "confirming")
TEXT = "text"
SIZES = (60, 150, 400)
TEXT_SIZES = (100, 300, 1000)
DRAWS = 10  # of each half: 0 to 9, and 10 to 19
# Of a run of AutoGluon at most: far more than it takes on one core that is shared with others.
AUTOGLUON_SECONDS = 600
OURS, ALONE = "csa()", "csa() on labels alone"

# In the order of their names, by turns for choosing and for confirming. The list is never to be
# changed: a table that moved to the other half would have been seen there.
TABLES = (
    "abalone_rare", "agaricus_lepiota", "analcatdata_authorship", "attrition", "banana", "bird_strikes",
    "breast_cancer", "chess", "chile", "contraceptive", "credit_g", "diamonds", "digits", "dna",
    "german_credit", "hawks", "heart", "leaf", "led7digit", "lending_club", "madelon", "magic",
    "mammographic", "marketing", "mlc_churn", "movement_libras", "nace", "nass_crashes", "orange_juice",
    "penbased", "pima", "ring", "segment", "spambase", "storms", "surveys", "synthetic_control", "texture",
    "tic_tac_toe", "tweets", "vehicle", "wordnet",
)  # fmt: skip

# Other Pythons that bring a package; all others bring a release.
_PACKAGES = ("autogluon", "catboost", "skrub")
# Tables with text, dates, times, names or identifiers among their columns.
TEXT_TABLES = ("bird_strikes", "hawks", "nace", "storms", "tweets", "wordnet")

_COLUMNS = (
    Column(OURS, "csa_on_table"),
    Column(ALONE, "labels_alone"),
    Column("csa(), found labels train", "csa_trained_on_found"),
    Column("random forest", "random_forest"),
    Column("extra trees", "extra_trees"),
    Column("HistGradientBoosting", "hist_boosting"),
    Column("XGBoost", "xgboost_on_table"),
    Column("SVM", "support_vectors"),
    Column("logistic regression", "logistic"),
    Column("self-training, forest", "self_training_forest"),
    Column("label spreading", "label_spreading_on_table"),
    Column("CatBoost", "catboost"),
)
_TEXT_COLUMNS = (
    *_COLUMNS[:2],
    Column("csa() without text", "csa_without_text"),
    Column("words, logistic regression", "words_logistic"),
    Column("words and parts, linear SVM", "words_and_parts_machine"),
    Column("skrub, logistic regression", "skrub_logistic"),
    Column("skrub, extra trees", "skrub_trees"),
)


def half_of(name: str) -> str:
    """The half that a table belongs to; of a table that is not listed its name decides.

    Examples
    --------
    >>> half_of("abalone_rare"), half_of("wordnet"), half_of("your_own")
    ('choosing', 'confirming', 'choosing')
    """
    number = TABLES.index(name) if name in TABLES else zlib.crc32(name.encode())
    return HALVES[number % 2]


def belongs(name: str, half: str) -> bool:
    """Whether a table is one of a half, or of those with text."""
    return name in TEXT_TABLES if half == TEXT else half_of(name) == half


def autogluon_column(seconds: int = AUTOGLUON_SECONDS) -> Column:
    """AutoGluon with at most so many seconds for a run."""
    return Column(f"AutoGluon, {seconds} s", "autogluon", {"seconds": seconds})


def release_column(name: str) -> Column:
    """csa() of another release."""
    return Column(f"csa(), {name}", "csa_elsewhere", {"release": name})


def member_column(name: str) -> Column:
    """A single model of the default committee."""
    return Column(f"member: {name}", "member", {"name": name})


def column_of(method: str, settings: dict[str, Any]) -> Column | None:
    """The column of a stored line, by its method and the method's settings."""
    known = {
        "autogluon": lambda: autogluon_column(settings["seconds"]),
        "csa_elsewhere": lambda: release_column(settings["release"]),
        "member": lambda: member_column(settings["name"]),
    }
    if method in known:
        return known[method]()
    return next((column for column in (*_COLUMNS, *_TEXT_COLUMNS) if column.method == method), None)


def of_sizes(sizes: Iterable[int]) -> tuple[dict[str, Any], ...]:
    """A way to split for each number of labels."""
    return tuple({"protocol": PROTOCOL, "labelled": n} for n in sizes)


_ABOUT = (
    "Every table is read as the tool reads a file. By the number of a draw, a fifth of its rows, "
    "2,000 at most, is for the test; of the others as many as said at random have their labels, at least "
    "one of each class. Every method has the same rows. The table is the unit: means over draws and "
    "sizes of a table come first, and then means over tables."
)


def _half(number: int, name: str, title: str) -> Suite:
    return Suite(
        name,
        title,
        "table",
        TABLES[number::2],
        (*_COLUMNS, autogluon_column()),
        DRAWS,
        about=_ABOUT,
        splits=of_sizes(SIZES),
        first=number * DRAWS,
        half=HALVES[number],
    )


CHOOSING = _half(0, "suite", "csa() beside others, on tables for choosing")
CONFIRMING = _half(1, "suite_confirm", "csa() beside others, on tables for confirming")
WITH_TEXT = Suite(
    "suite_text",
    "csa() beside others, on tables with text, dates and names",
    "table",
    TEXT_TABLES,
    _TEXT_COLUMNS,
    DRAWS,
    about=_ABOUT,
    splits=of_sizes(TEXT_SIZES),
    half=TEXT,
)


def in_folder(
    suite: Suite,
    folder: Path | None,
    *,
    sizes: Sequence[int] | None = None,
    members: bool = False,
    seconds: int = AUTOGLUON_SECONDS,
) -> Suite:
    """The suite for the tables of a folder, with other Pythons and single members if they are asked for."""
    if not suite.half:
        return suite
    listed = [column for column in suite.columns if column.method != "autogluon"]
    asked = [autogluon_column(seconds)]
    asked += [release_column(name) for name in elsewhere.pythons() if name not in _PACKAGES]
    asked += [member_column(name) for name in unlike_models()] if members else []
    return replace(
        suite,
        datasets=tuple(name for name in tables_in(folder) if belongs(name, suite.half)),
        columns=tuple({column.label: column for column in (*listed, *asked)}.values()),
        splits=of_sizes(sizes) if sizes else suite.splits,
    )

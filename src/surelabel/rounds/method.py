"""From what a user names to the parts of a method, checked."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight

from ..allocation import Transport
from ..committees.base import Committee
from ..committees.failing import names_of
from ..committees.panel import Panel, Repeated, as_committee
from ..committees.readable import check_classifier, made_readable, models_of, reads_everything, with_models
from ..committees.unlike import Unlike
from ..common.notice import notice
from ..common.settings import BELOW_ONE, CLEAN_WAYS, JOBS, Checked, check_setting, one_of, optional, shown
from ..common.types import Floats, Ints, Table
from ..confidence import Confidence, TTest, as_confidence
from ..reading.columns import Columns
from ..reading.containers import unmasked
from ..reading.features import is_constant
from ..reading.unlabeled import check_mark
from .records import Parts

_MOST_ROUNDS = 10_000
# The mean of weights that are numbers of rows is below this, and above its inverse.
_MOST_WEIGHT = 1e6
# Of the largest weight: a smaller one added to it changes nothing.
_LEAST_WEIGHT = 2.0**-52
_WEIGHT_BITS = 40
_FOUND_WEIGHTS = ("auto", "none", "balanced", "full")


def check_settings(clf: Any) -> None:
    """Refuse arguments of an estimator that make no sense, before anything is read or trained."""
    whole = isinstance(clf.n_rounds, Real) and not isinstance(clf.n_rounds, bool)
    if not whole or clf.n_rounds not in range(_MOST_ROUNDS + 1):
        raise ValueError(
            f"n_rounds must be a whole number from 0 to {_MOST_ROUNDS:,}; it is {shown(clf.n_rounds)}."
        )
    _check_seed(clf.random_state)
    check_setting("n_jobs", clf.n_jobs, JOBS)
    check_setting("aside", clf.aside, BELOW_ONE)
    check_setting("clean", clf.clean, optional(one_of(CLEAN_WAYS)))
    if clf.clean is not None and clf.estimator is not None:
        raise ValueError(
            f"clean={clf.clean!r} is about what the committee is taught, and estimator= names another "
            "classifier. Leave one of them out."
        )
    if not isinstance(clf.verbose, (Integral, np.bool_)) or clf.verbose < 0:
        raise ValueError(f"verbose must be 0, or 1 for a line per round; it is {shown(clf.verbose)}.")
    if not isinstance(clf.guard, (bool, np.bool_)):
        raise ValueError(f"guard must be True or False; it is {shown(clf.guard)}.")
    if not isinstance(clf.found_weight, str) or clf.found_weight not in _FOUND_WEIGHTS:
        known = ", ".join(map(repr, _FOUND_WEIGHTS))
        raise ValueError(f"found_weight must be one of {known}; it is {shown(clf.found_weight)}.")
    if clf.labels_per_row is not None and not (
        isinstance(clf.labels_per_row, Integral) and clf.labels_per_row == 1
    ):
        raise ValueError(f"labels_per_row must be None or 1; it is {shown(clf.labels_per_row)}.")
    if clf.columns is not None and not isinstance(clf.columns, Columns):
        raise TypeError(
            "columns must be how X is read, such as Columns(categorical=['zip']); it is "
            f"{shown(clf.columns)}."
        )
    check_mark(clf.missing_label)
    if clf.estimator is not None:
        check_classifier(clf.estimator, "estimator")
    if clf.committee is not None:
        as_committee(clf.committee)
    for part in (clf.confidence, clf.allocator, clf.negatives):
        if isinstance(part, Checked):
            part.check()


def _check_seed(random_state: Any) -> None:
    known = random_state is None or random_state is np.random
    if known or isinstance(random_state, np.random.RandomState):
        return
    if not isinstance(random_state, Integral) or not 0 <= int(random_state) < 2**32:
        raise ValueError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1, or a RandomState; it is "
            f"{shown(random_state)}."
        )


def method_of(clf: Any) -> Parts:
    """The parts that an estimator's arguments name, the default ones where they name none."""
    check_settings(clf)
    confidence = TTest() if clf.confidence is None else clf.confidence
    test = as_confidence(confidence)
    committee = as_committee(Unlike() if clf.committee is None else clf.committee)
    alone = not isinstance(clf.committee, Committee) and isinstance(committee, Panel)
    if alone and clf.n_rounds and len(committee.estimators) == 1 and test.compares:
        committee = Repeated(committee.estimators[0], over="bootstrap")
    if clf.n_rounds and committee.expected_members is not None:
        test.check_members(committee.expected_members)
    if clf.n_jobs is not None and "n_jobs" in committee.get_params(deep=False):
        committee = clone(committee).set_params(n_jobs=clf.n_jobs)
    allocator = Transport() if clf.allocator is None else clf.allocator
    return ready(Parts(committee, confidence, allocator, clf.negatives))


def found_weight_of(clf: Any, method: Parts) -> str:
    """What found labels weigh in training: what the user says, or else what the committee asks for.

    Where nothing but found labels reaches what is trained, a committee's wish does not count.
    """
    if clf.found_weight != "auto":
        return clf.found_weight
    needed = clf.estimator is not None or method.negatives is not None
    return "balanced" if needed else method.committee.found_weight


def brings_models(clf: Any) -> bool:
    """Whether an estimator's arguments name models that are not this package's own."""
    models = [] if clf.estimator is None else [clf.estimator]
    committee = None if clf.committee is None else as_committee(clf.committee)
    if isinstance(committee, (Panel, Repeated, Unlike)):
        models += models_of(committee).values()
    return not all(map(reads_everything, models))


def with_readable_models(clf: Any, table: Table, codes: Ints) -> Any:
    """The estimator; where models of the user cannot read the table, a copy with these behind an `Encoder`.

    Parameters
    ----------
    clf : PseudoLabelClassifier
        Its arguments name the models.
    table : matrix or frame
        All rows, as `Columns` gives them.
    codes : ndarray of shape (n,) or (n, L)
        What is known of each row; -1 is unknown.
    """
    columns = codes.reshape(len(codes), -1).T
    known = next((each for each in columns if len(np.unique(each[each >= 0])) > 1), columns[0])
    new: dict[str, Any] = {}
    committee = None if clf.committee is None else as_committee(clf.committee)
    if isinstance(committee, (Panel, Repeated, Unlike)):
        models = models_of(committee)
        read = made_readable(models, table, known)
        if any(read[name] is not model for name, model in models.items()):
            of_own = isinstance(clf.committee, Committee)
            named = with_models(committee, read, by_name=isinstance(committee, Unlike))
            new["committee"] = named if of_own else list(read.values())
    if clf.estimator is not None:
        (name,) = names_of([clf.estimator])
        read = made_readable({name: clf.estimator}, table, known)
        if read[name] is not clf.estimator:
            new["estimator"] = read[name]
    return copy(clf).set_params(**new) if new else clf


def ready(parts: Parts) -> Parts:
    """The same parts as the loop needs them.

    Classifiers become a committee, a function a confidence; settings that were not given are chosen.
    """
    committee = as_committee(parts.committee)
    confidence = as_confidence(parts.confidence).for_committee(committee)
    if not isinstance(parts.confidence, Confidence):
        _check_part("confidence", parts.confidence, "TTest()", "P")
    _check_part("allocator", parts.allocator, "Transport()", "p, budget")
    if parts.negatives is not None:
        _check_part("negatives", parts.negatives, "Negatives()", "p, spread, budget")
    return replace(parts, committee=committee, confidence=confidence)


def _check_part(name: str, part: Any, example: str, arguments: str) -> None:
    """Refuse what cannot be called as a part is."""
    if isinstance(part, type) or not callable(part):
        raise TypeError(f"{name} must be a part such as {name}={example}; it is {shown(part)}.")
    try:
        signature(part).bind(*arguments.split(", "))
    except TypeError:
        raise TypeError(f"{name} is called with ({arguments}), which {shown(part)} does not take.") from None
    except ValueError:
        pass  # some functions written in C do not tell what they take


def rounds_worth_running(n_rounds: int, labeled: Table) -> int:
    """The number of rounds; 0 where no column of the labelled rows varies."""
    if not is_constant(labeled):
        return int(n_rounds)
    notice(
        "No column of X varies over the labelled rows, so nothing tells the classes apart "
        "and no row is labelled."
    )
    return 0


def row_weights(sample_weight: Any, X: Table, n_rows: int) -> Floats | None:
    """Weights of the rows of X and, at 1, of those below, shape (n_rows,); None for none.

    A weight is a number of rows. Weights with a mean that no number of rows has are in some other unit, and
    models may fail to add them up: these are divided by their mean.
    """
    if sample_weight is None:
        return None
    weight = _check_sample_weight(_numbers(sample_weight), X, ensure_non_negative=True)
    if not weight.any():
        raise ValueError("All sample weights are zero; at least one must be above it.")
    scaled = weight / weight.max()
    above = np.flatnonzero(weight)
    least, most = above[weight[above].argmin()], weight.argmax()
    if scaled[least] < _LEAST_WEIGHT:
        raise ValueError(
            f"sample_weight goes from {weight[least]:g} (row {least}) to {weight[most]:g} (row {most}): "
            "beside the larger the smaller is lost in rounding. Give rows that do not count a weight of 0."
        )
    mean = scaled[above].mean()
    if not 1 / _MOST_WEIGHT <= weight.max() * mean <= _MOST_WEIGHT:
        weight = _rounded(scaled / mean)
    return np.append(weight, np.ones(n_rows - len(weight)))


def _numbers(sample_weight: Any) -> Any:
    """Weights as numbers, NaN where they are masked; one number for all rows may be given."""
    if isinstance(sample_weight, np.ma.MaskedArray):
        sample_weight = unmasked(sample_weight)
    try:
        if np.asarray(sample_weight).dtype.kind != "c":
            return np.asarray(sample_weight, dtype=float)[()]
    except (TypeError, ValueError):
        pass
    raise ValueError(f"sample_weight must be a number for each row of X; it is {shown(sample_weight)}.")


def _rounded(weight: Floats) -> Floats:
    """Weights without their last digits, which depend on the unit they came in, same shape."""
    digits, exponent = np.frexp(weight)
    return np.ldexp(np.rint(digits * 2.0**_WEIGHT_BITS) / 2.0**_WEIGHT_BITS, exponent)

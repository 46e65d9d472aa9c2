"""The paper's tables and figures as lists of cells: dataset, method, seed, settings; and the suite's."""

from __future__ import annotations

from ..files import InputError
from . import paper
from .cells import Column
from .datasets import PAPERS, SEVERAL
from .network_suites import NETWORK_SUITES
from .registry import METHODS
from .suite import Suite
from .table_suites import CHOOSING, CONFIRMING, WITH_TEXT

_CSA = Column("CSA", "csa")
_SLA = Column("SLA", "sla")
_PL = Column("PL", "pl")
_XGBOOST = Column("XGBoost", "xgboost")
# As it was run before the paper's plan was solved as the paper states it: its inequalities, in whole rows,
# within the quotas of a round.
_INEQUALITIES = {"bounds": "unscaled", "rows": "slack"}
_OLD_CSA = Column("CSA, inequalities", "csa", _INEQUALITIES)
_OLD_SLA = Column("SLA, inequalities", "sla", _INEQUALITIES)
_PER_CLASS = {"bounds": "per_class", "rows": "slack"}
_IN_THE_PAPER = tuple(name for name in PAPERS if name != "synthetic_control")
_TEN = {"members": 10}
_FOUR = ("analcatdata_authorship", "synthetic_control", "madelon", "digits")

_TABLE2 = (
    _XGBOOST,
    Column("MLP", "mlp"),
    Column("Vime", "vime"),
    _PL,
    Column("FlexMatch", "flexmatch"),
    Column("UPS", "ups"),
    _SLA,
    _CSA,
    _OLD_CSA,
    _OLD_SLA,
    Column("CSA, released settings", "csa_released"),
    Column("best rows", "best_rows"),
    Column("best rows, t-test", "best_rows", {"test": "ttest"}),
    Column("self-training, SVM", "self_training"),
    Column("self-training, XGBoost", "self_training_xgboost"),
    Column("label spreading", "label_spreading"),
    Column("csa() on labels alone", "committee_alone"),
    Column("csa()", "csa_default"),
)
# The authors' stored runs have 10 members.
_THEIRS = {"protocol": "authors"}
_IN_FULL = {"schedule": "paper"}
_THEIR_TABLE = (
    Column("XGBoost", "xgboost", _THEIRS),
    Column("PL", "pl", _THEIRS),
    Column("FlexMatch", "flexmatch", _THEIRS),
    Column("UPS", "ups", _THEIRS | _TEN),
    Column("CSA", "csa", _THEIRS | _TEN),
    Column("CSA, inequalities", "csa", _THEIRS | _TEN | _INEQUALITIES),
    Column("CSA, released settings", "csa_released", _THEIRS | _TEN),
    Column("CSA, released settings, trees in full", "csa_released", _THEIRS | _TEN | _IN_FULL),
    Column("CSA, released settings, drawn once", "csa_released", _THEIRS | _TEN | {"drawn": "once"}),
    Column("SLA", "sla", _THEIRS | _TEN),
)
# Six lines are as many as can be told apart.
_BY_ROUND = ("PL", "FlexMatch", "UPS", "SLA", "CSA", "best rows")
_WITH_ROUNDS = tuple(column for column in _TABLE2 if column.label in _BY_ROUND)
_SEVERAL = (
    Column("UPS", "ups", _TEN),
    Column("SLA", "sla", _TEN),
    Column("CSA", "csa", _TEN | {"confidence": "variance"}),
)

_LIST = [
    Suite(
        "table2",
        "Table 2: all methods",
        "table",
        PAPERS,
        _TABLE2,
        10,
        paper.TABLE2,
        "Test accuracy after five rounds. Methods down to *CSA* are the paper's; below are controls it "
        "lacks and what else a user could pick.",
    ),
    Suite(
        "stored",
        "Beside the authors' own stored runs",
        "table",
        tuple(name for name in paper.STORED if name not in SEVERAL),
        _THEIR_TABLE,
        20,
        about="As their runs were made: their splits (the released code shuffles the first six tables "
        "before it splits them, so that its splits are not those of the table above), 10 members, and "
        "XGBoost with the trees that were its default in their year (`exact`; today's is `hist`).",
    ),
    Suite(
        "confidence",
        "The confidence",
        "table",
        _IN_THE_PAPER,
        (
            _SLA,
            Column("Entropy", "csa", {"confidence": "entropy"}),
            Column("Total variance", "csa", {"confidence": "variance"}),
            Column("T-test", "csa"),
            Column("T-test, floor 0.1", "csa", {"floor": 0.1}),
            _OLD_SLA,
            Column("Entropy, inequalities", "csa", _INEQUALITIES | {"confidence": "entropy"}),
            Column("Total variance, inequalities", "csa", _INEQUALITIES | {"confidence": "variance"}),
            Column("T-test, inequalities", "csa", _INEQUALITIES),
        ),
        5,
        paper.CONFIDENCE,
        "CSA with other measures of which rows to trust. *floor 0.1* adds the released code's 0.1 to the "
        "variances; *inequalities* are the runs made before the paper's plan was solved as it states it.",
    ),
    Suite(
        "lower_bound",
        "The lower bound",
        "table",
        _IN_THE_PAPER,
        (
            _SLA,
            Column("no confidence", "csa", {"confidence": "none"}),
            _CSA,
            Column("no confidence, per class", "csa", _PER_CLASS | {"confidence": "none"}),
            Column("CSA, per class", "csa", _PER_CLASS),
            _OLD_SLA,
            Column("no confidence, inequalities", "csa", _INEQUALITIES | {"confidence": "none"}),
            _OLD_CSA,
        ),
        5,
        paper.LOWER_BOUND,
        "In the paper's form the lower bound holds in total only: with it a round asks for 0.9 of the rows, "
        "without it for all of them. *per class* holds every class to its own lower bound; *inequalities* "
        "are the runs made before the paper's plan was solved as it states it.",
    ),
    Suite(
        "ensemble",
        "The ensemble",
        "table",
        ("wdbc", "analcatdata_authorship", "german_credit", "breast_cancer", "digits"),
        (_PL, Column("PL, ensemble", "pl_ensemble"), _CSA, _OLD_CSA),
        5,
        paper.ENSEMBLE,
        "Whether the gain is that of averaging models.",
    ),
    Suite(
        "variants",
        "What the details of CSA are worth",
        "table",
        ("wdbc", "analcatdata_authorship", "synthetic_control", "breast_cancer", "digits"),
        (
            _CSA,
            Column("paper's schedule", "csa", _IN_FULL),
            Column("10 members", "csa", {"members": 10}),
            Column("floor 0.1", "csa", {"floor": 0.1}),
            Column("exact transport", "csa", {"epsilon": 0.0}),
            Column("inequalities, rows by mass", "csa", {"bounds": "unscaled", "rows": "mass"}),
            Column("inequalities, quotas", "csa", _INEQUALITIES),
            Column("released bounds", "csa", {"bounds": "released", "rows": "slack"}),
            Column("per class", "csa", _PER_CLASS),
            Column("per class, floor 0.1", "csa", _PER_CLASS | {"floor": 0.1}),
            Column("released settings", "csa_released"),
            Column("MLP", "mlp"),
            Column("MLP, no label held out", "mlp", {"held_out": 0.0}),
            Column("MLP, none held out, scaled", "mlp", {"held_out": 0.0, "scale": "all"}),
            Column("Vime", "vime"),
            Column("Vime, columns within 0 and 1", "vime", {"scale": "unit"}),
            Column("UPS, spread 0.05", "ups", {"kappa": 0.05}),
        ),
        5,
        {},
        "One detail changed at a time, to explain where other tables differ from the paper.",
    ),
    Suite(
        "multilabel",
        "Several labels a row",
        "table",
        SEVERAL[::-1],
        (
            _XGBOOST,
            _PL,
            Column("FlexMatch", "flexmatch"),
            *_SEVERAL,
            Column("CSA, inequalities", "csa", _TEN | _INEQUALITIES | {"confidence": "variance"}),
            Column("SLA, inequalities", "sla", _TEN | _INEQUALITIES),
            Column("CSA, per class", "csa", _TEN | _PER_CLASS | {"confidence": "variance"}),
            Column("CSA, t-test, per class", "csa", _TEN | _PER_CLASS),
            Column("best rows", "best_rows", _TEN),
            Column("csa() on labels alone", "committee_alone"),
            Column("csa()", "csa_default"),
        ),
        10,
        {},
        "Each label is a question of yes or no; *no* is found as *yes* is, within quotas of its own. "
        "Committees have 10 members, as in the authors' stored runs. *CSA* trusts whole rows by their total "
        "variance, as in the paper; *t-test* trusts each cell by Welch's test, p against 0.5; *per class* "
        "holds yes and no of every label to a lower bound of its own. "
        "With two answers to a question, ruling one out is giving the other: UPS has its negative labels "
        "as *no*.",
        {"accuracy": "precision, averaged over rows", "micro_f1": "micro F1", "macro_f1": "macro F1"},
    ),
    Suite(
        "stored_several",
        "Several labels a row, beside the authors' own stored runs",
        "table",
        tuple(name for name in paper.STORED if name in SEVERAL),
        (
            *_THEIR_TABLE[:4],
            Column("CSA", "csa", _THEIRS | _TEN | {"confidence": "variance"}),
            Column("CSA, inequalities", "csa", _THEIRS | _TEN | _INEQUALITIES | {"confidence": "variance"}),
            Column("CSA, trees in full", "csa", _THEIRS | _TEN | _IN_FULL | {"confidence": "variance"}),
            Column("CSA, per class", "csa", _THEIRS | _TEN | _PER_CLASS | {"confidence": "variance"}),
            Column("CSA, t-test, per class", "csa", _THEIRS | _TEN | _PER_CLASS),
        ),
        20,
        about="With 10 members and the trees of their year; the splits are the same. *CSA* trusts whole rows "
        "by their total variance, as their code does where a row may have several labels.",
    ),
    Suite(
        "rounds_several",
        "Several labels a row, precision by round",
        "figure",
        ("emotions",),
        (_PL, *_SEVERAL),
        3,
        about="Of methods of *Several labels a row*. Round 0 is XGBoost on the labelled rows alone. Bars are "
        "95% intervals, side by side.",
        measures={"accuracy": "precision, averaged over rows"},
    ),
    Suite(
        "rounds",
        "Accuracy by round",
        "figure",
        PAPERS,
        _WITH_ROUNDS,
        10,
        about="Round 0 is XGBoost on the labelled rows alone. Bars are 95% intervals, side by side.",
    ),
    Suite(
        "thresholds",
        "Thresholds of PL against CSA",
        "figure",
        ("wdbc", *_FOUR),
        (*(Column(f"PL {gamma}", "pl", {"gamma": gamma}) for gamma in (0.7, 0.8, 0.9, 0.95)), _CSA, _OLD_CSA),
        5,
    ),
    Suite(
        "assignments",
        "Assignment matrices",
        "figure",
        ("synthetic_control", "breast_cancer"),
        (Column("assignments", "assignment_matrices"),),
        1,
        about="The same 20 rows in the first round: probabilities, and who gets which label.",
    ),
    Suite(
        "labels",
        "Labelled and unlabelled rows of digits",
        "figure",
        ("digits",),
        tuple(
            Column(
                f"{labelled} labels, {n} others",
                "csa",
                _INEQUALITIES | {"labelled": labelled, "unlabelled": n},
            )
            for labelled in (100, 200, 500)
            for n in (100, 300, 500, 700, 900)
        ),
        5,
        about="Dashed is XGBoost on the labels alone, round 0 of the same runs. CSA is in the form of the "
        "inequalities, within quotas; it was not run again in the paper's own.",
    ),
    Suite(
        "iterations",
        "Rounds, T = 1 to 15",
        "figure",
        _FOUR,
        tuple(Column(f"T = {n}", "csa", _INEQUALITIES | {"rounds": n}) for n in range(1, 16)),
        5,
    ),
    Suite(
        "members",
        "Members, M = 1 to 30",
        "figure",
        ("synthetic_control", "digits"),
        tuple(
            Column(f"{label}, M = {n}", name, _INEQUALITIES | {"members": n})
            for n in (1, 2, 3, 5, 10, 15, 20, 25, 30)
            for label, name in (("CSA", "csa"), ("SLA", "sla"))
            if n > 1 or name == "sla"  # one model has no spread to test
        ),
        5,
    ),
    *NETWORK_SUITES,
    Suite(
        "time",
        "Seconds by component",
        "figure",
        ("madelon", "breast_cancer"),
        (_CSA,),
        5,
    ),
    Suite(
        "selected",
        "Rows rejected and selected",
        "figure",
        ("madelon", "digits"),
        (_CSA,),
        5,
    ),
    Suite(
        "regions",
        "Where the t-test trusts",
        "figure",
        ("blobs",),
        (Column("regions", "trust_regions"),),
        1,
        about="Welch's t of 20 members over the plane, 24 labelled rows; below about 2 a row is not trusted.",
    ),
]
SUITES = {suite.name: suite for suite in [*_LIST, CHOOSING, CONFIRMING, WITH_TEXT]}


def named(name: str) -> list[Suite]:
    """The suite of that name; all that the paper has by "all"."""
    if name == "all":
        return list(_LIST)
    if name not in SUITES:
        raise InputError(f"There is no {name!r}; there are {', '.join(SUITES)}, and all.")
    return [SUITES[name]]


def methods_of(text: str) -> list[str]:
    """What a text with commas names: methods, titles of columns, or one title that has a comma itself.

    Examples
    --------
    >>> methods_of("pl, csa"), methods_of("CSA, released settings")
    (['pl', 'csa'], ['CSA, released settings'])
    """
    titles = {column.label for suite in SUITES.values() for column in suite.columns}
    if text in titles:
        return [text]
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in METHODS and name not in titles:
            raise InputError(
                f"There is no method {name!r}; there are {', '.join(METHODS)}, and the titles of columns."
            )
    return names

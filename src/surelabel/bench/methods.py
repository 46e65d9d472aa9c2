"""The paper's methods, controls it lacks, and what else a user could pick; the defaults are the paper's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from ..allocation import Threshold, Transport
from ..classifier import PseudoLabelClassifier
from ..committees.encoding import Encoder
from ..committees.panel import Panel
from ..committees.random_xgboost import RandomXGBoost
from ..common.types import Ints
from ..confidence import Entropy, Everything, Spread, TotalVariance, TTest
from ..files import InputError
from ..negatives import Negatives
from ..paper_recipes import paper_csa, paper_flexmatch, paper_pl, paper_sla, paper_ups
from ..reading.columns import Columns
from ..reading.features import stacked
from ..recipes import csa as default_csa
from ..rounds.records import Parts
from .datasets import Split
from .grid import Outcome, classifier, percent_right, play, scores_of
from .perceptron import perceptron
from .pictures import assignments, regions
from .registry import METHODS as METHODS
from .registry import method as _method
from .registry import method_that_needs, package

_TORCH = package("torch", 'pip install ".[torch]" in a clone of surelabel')


def _committee(members: int, schedule: str) -> RandomXGBoost:
    return RandomXGBoost(members, schedule=schedule)


@_method
def xgboost(split: Split) -> Outcome:
    """XGBoost with its default settings, on the labelled rows alone."""
    return play(split, Parts(Panel([classifier(split)]), Everything(), Threshold()), n_rounds=0)


@_method
def mlp(split: Split, scale: str = "released", held_out: float = 0.1) -> Outcome:
    """A network with two layers of 100 on the labelled rows alone.

    As, to our knowledge, in the code of Vime it ends when labels held out of these are predicted best.
    """
    split = split.coded()
    network = perceptron(len(split.y_l), held_out, split.seed)
    model = make_pipeline(_scaler(split, scale), network)
    return Outcome(percent_right(model.fit(split.X_l, split.y_l).predict(split.X_t), split.y_t))


@method_that_needs(_TORCH)
def vime(split: Split, iterations: int = 1000, epochs: int = 10, scale: str = "released") -> Outcome:
    """Vime (Yoon et al. 2020): mask and feature estimation, then consistency."""
    from .vime import Vime

    split = split.coded()
    model = Vime(_scaler(split, scale), epochs=epochs, iterations=iterations, random_state=split.seed)
    model.fit(split.X_l, split.y_l, X_unlabeled=split.X_u)
    return Outcome(percent_right(model.predict(split.X_t), split.y_t))


def _scaler(split: Split, scale: str) -> Any:
    """How columns are scaled: "released", as the released code loads the data; "all"; or "unit".

    The released code leaves agaricus, breast cancer and digits as they are, and scales columns of the
    others to variance 1; "all" does so for these too, and "unit" puts every column within 0 and 1.
    """
    loaded = StandardScaler() if split.dataset.standardised else FunctionTransformer()
    scalers = {"released": loaded, "all": StandardScaler(), "unit": MinMaxScaler(clip=True)}
    if scale not in scalers:
        raise InputError(f"scale must be one of {', '.join(scalers)}; it is {scale!r}.")
    return scalers[scale]


def _as_told(split: Split, recipe: PseudoLabelClassifier) -> Outcome:
    """Run the rounds of a recipe of the paper's, with the trees of the split's year."""
    allocator: Any = recipe.allocator
    parts = Parts(recipe.committee, recipe.confidence, allocator, recipe.negatives)
    return play(split, parts, n_rounds=recipe.n_rounds, prior=str(recipe.class_prior))


@_method
def pl(split: Split, gamma: float = 0.8, rounds: int = 5) -> Outcome:
    """Pseudo-labelling: one XGBoost, one threshold."""
    return _as_told(split, paper_pl(gamma, committee=Panel([classifier(split)]), n_rounds=rounds))


@_method
def pl_ensemble(
    split: Split, gamma: float = 0.8, members: int = 20, schedule: str = "short", rounds: int = 5
) -> Outcome:
    """Pseudo-labelling by the mean of a committee."""
    return _as_told(split, paper_pl(gamma, committee=_committee(members, schedule), n_rounds=rounds))


@_method
def flexmatch(split: Split, gamma: float = 0.8, rounds: int = 5) -> Outcome:
    """FlexMatch: one XGBoost, a threshold for each class."""
    return _as_told(split, paper_flexmatch(gamma, committee=Panel([classifier(split)]), n_rounds=rounds))


@_method
def ups(
    split: Split,
    gamma: float = 0.8,
    gamma_n: float = 0.2,
    kappa: float = 0.2,
    kappa_n: float = 0.05,
    members: int = 20,
    schedule: str = "short",
    rounds: int = 5,
) -> Outcome:
    """UPS: a threshold, a bound on the spread, and negative labels.

    The bound on the spread is that of the released code; the paper names none.
    """
    parts = {"confidence": Spread(kappa), "negatives": Negatives(gamma_n, kappa_n)}
    return _as_told(split, paper_ups(gamma, members, schedule, n_rounds=rounds, **parts))


@_method
def sla(
    split: Split,
    bounds: str = "paper",
    epsilon: float = 0.01,
    rows: str = "auto",
    members: int = 20,
    schedule: str = "short",
    rounds: int = 5,
) -> Outcome:
    """SLA: transport over every row, as much in total as the round asks for."""
    recipe = paper_sla(members, schedule, n_rounds=rounds)
    changed = {"allocator__bounds": bounds, "allocator__epsilon": epsilon, "allocator__rows": rows}
    return _as_told(split, recipe.set_params(**changed))


_CONFIDENCES: dict[str, Callable[[float], Any]] = {
    "ttest": lambda floor: TTest(floor=floor),
    "variance": lambda floor: TotalVariance(),
    "entropy": lambda floor: Entropy(),
    "none": lambda floor: Everything(),
}


@_method
def csa(
    split: Split,
    confidence: str = "ttest",
    floor: float = 0.0,
    bounds: str = "paper",
    epsilon: float = 0.01,
    cost: str = "log",
    low: float = 0.9,
    rows: str = "auto",
    prior: str = "labeled",
    members: int = 20,
    schedule: str = "short",
    rounds: int = 5,
) -> Outcome:
    """CSA as the paper writes it: transport over the rows that pass a t-test."""
    parts = {
        "confidence": _CONFIDENCES[confidence](floor),
        "allocator": Transport(bounds, epsilon=epsilon, cost=cost, low=low, rows=rows),
        "class_prior": prior,
    }
    return _as_told(split, paper_csa(members, schedule, n_rounds=rounds, **parts))


@_method
def csa_released(
    split: Split, members: int = 20, schedule: str = "short", rounds: int = 5, drawn: str = "anew"
) -> Outcome:
    """CSA with the settings of the released code, without its errors; members drawn "anew" or "once"."""
    recipe = paper_csa(members, schedule, released=True, n_rounds=rounds, random_state=split.seed)
    if drawn == "anew":
        recipe.set_params(committee__drawn_by=None)
    return _as_told(split, recipe)


@_method
def best_rows(
    split: Split,
    test: str = "none",
    floor: float = 0.0,
    members: int = 20,
    schedule: str = "short",
    rounds: int = 5,
) -> Outcome:
    """The control: the best rows of each class within the same quotas, no transport."""
    parts = Parts(_committee(members, schedule), _CONFIDENCES[test](floor), Threshold(0.0))
    return play(split, parts, n_rounds=rounds)


@_method
def csa_default(split: Split) -> Outcome:
    """csa() as users get it: unlike models, per-class bounds, a guard."""
    clf = default_csa(random_state=split.seed).fit(split.X_l, split.y_l, X_unlabeled=split.X_u)
    right = clf.transduction_ == np.concatenate([split.y_l, split.y_u])
    details = {
        "pool": [r.pool for r in clf.history_],
        "sure": [r.candidates for r in clf.history_],
        "selected": [len(r.rows) for r in clf.history_],
        "right": [int(right[clf.labeled_iter_ == r.number].sum()) for r in clf.history_],
        "verdict": clf.verdict_.word if clf.verdict_ else None,
    }
    seconds: dict[str, Any] = {
        part: [r.seconds[part] for r in clf.history_] for part in ("train", "predict", "allocate")
    }
    seconds["guard"] = clf.verdict_.seconds if clf.verdict_ else 0.0
    return _outcome(clf, split, details, seconds)


@_method
def committee_alone(split: Split) -> Outcome:
    """The committee of csa() on the labelled rows alone."""
    clf = default_csa(n_rounds=0, guard=False, random_state=split.seed).fit(split.X_l, split.y_l)
    return _outcome(clf, split, {}, {})


def _outcome(
    clf: PseudoLabelClassifier, split: Split, details: dict[str, Any], seconds: dict[str, Any]
) -> Outcome:
    reached = scores_of(clf.predict(split.X_t), split.y_t)
    return Outcome(reached.pop("accuracy"), details | reached, seconds)


def _encoded(split: Split) -> tuple[Any, Ints, Any]:
    """Labelled above unlabelled rows with -1 for no label, and the test rows, scaled."""
    columns = Columns()
    table = columns.fit_transform(split.X_l, split.X_u)
    encoder = Encoder().fit(table)
    y = np.append(split.y_l, np.full(len(split.y_u), -1))
    return encoder.transform(table), y, encoder.transform(columns.transform(split.X_t))


@_method
def label_spreading(split: Split, neighbours: int = 7) -> Outcome:
    """scikit-learn's LabelSpreading over nearest neighbours, columns scaled."""
    X, y, X_t = _encoded(split)
    model = LabelSpreading(kernel="knn", n_neighbors=neighbours, max_iter=200).fit(X, y)
    return Outcome(percent_right(model.predict(X_t), split.y_t))


@_method
def self_training(split: Split, threshold: float = 0.75) -> Outcome:
    """scikit-learn's SelfTrainingClassifier with a support vector machine, columns scaled."""
    X, y, X_t = _encoded(split)
    machine = CalibratedClassifierCV(SVC(random_state=split.seed), ensemble=False, cv=2)
    model = SelfTrainingClassifier(machine, threshold=threshold).fit(X, y)
    return Outcome(percent_right(model.predict(X_t), split.y_t))


@_method
def self_training_xgboost(split: Split, threshold: float = 0.75) -> Outcome:
    """scikit-learn's SelfTrainingClassifier with XGBoost."""
    split = split.coded()
    y = np.append(split.y_l, np.full(len(split.y_u), -1))
    model = SelfTrainingClassifier(classifier(split), threshold=threshold)
    model.fit(stacked(split.X_l, split.X_u), y)
    return Outcome(percent_right(model.predict(split.X_t), split.y_t))


@method_that_needs(_TORCH)
def network(
    split: Split,
    method: str = "csa",
    net: str = "cnn-16",
    side: int = 0,
    augment: str = "none",
    rounds: int = 5,
    passes: int = 10,
    floor: float = 0.1,
    bounds: str = "per_class",
    epochs: int = 1,
    least_steps: int = 400,
    batch: int = 64,
    rate: float = 0.03,
    share: str = "whole",
) -> Outcome:
    """A network with dropout by one of the methods, or on the labelled rows or the truth alone."""
    from .networks import Setting, play_network

    how = Setting(
        method, net, side, augment, rounds, passes, floor, bounds, epochs, least_steps, batch, rate, share
    )
    return play_network(split, how)


@_method
def assignment_matrices(
    split: Split, shown: int = 20, members: int = 20, schedule: str = "short", bounds: str = "paper"
) -> Outcome:
    """What CSA and thresholds make of the same few rows in the first round."""
    return assignments(split.coded(), shown, _committee(members, schedule), bounds)


@_method
def trust_regions(split: Split, side: int = 40, members: int = 20, schedule: str = "short") -> Outcome:
    """Where in the plane the t-test trusts a committee."""
    return regions(split, side, _committee(members, schedule))

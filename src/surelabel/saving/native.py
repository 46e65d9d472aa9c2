"""What scikit-learn's compiled code reads without checking its bounds, checked when it is loaded.

Trees, neighbour trees and support vector machines keep positions in other arrays. In a file they
may be anything, and a position outside its array crashes the process or reads foreign memory.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.neighbors import BallTree, KDTree
from sklearn.svm._base import BaseSVC
from sklearn.tree._tree import Tree

from ..common.types import Bools, Ints, Values
from .codec import Stand


class Branches(Stand, of=[Tree]):
    """A tree of a decision tree or a forest."""

    @staticmethod
    def parts(value: Any) -> tuple[Any, ...]:
        """What makes an empty tree, and its nodes."""
        _, shape, state = value.__reduce__()
        return *shape, state

    @staticmethod
    def made(n_features: int, n_classes: Ints, n_outputs: int, state: dict[str, Any]) -> Any:
        """The tree."""
        nodes = state["nodes"]
        if not state["node_count"] == len(nodes) == len(state["values"]):
            raise ValueError(f"a tree of {state['node_count']} nodes has {len(nodes)}")
        inner = nodes["left_child"] != -1
        _check_branches(nodes, inner, "left_child", "right_child")
        _check_within(nodes["feature"][inner], n_features, "feature")
        tree = Tree(n_features, n_classes, n_outputs)
        tree.__setstate__(state)
        return tree


class Boosted(Stand, of=[TreePredictor]):
    """A tree of histogram gradient boosting; which features there are, `check` knows."""

    @staticmethod
    def parts(value: Any) -> tuple[Values, Values, Values]:
        """Nodes, and the categories that go left."""
        return value.nodes, value.binned_left_cat_bitsets, value.raw_left_cat_bitsets

    @staticmethod
    def made(nodes: Values, binned: Values, raw: Values) -> Any:
        """The tree."""
        inner = nodes["is_leaf"] == 0
        _check_branches(nodes, inner, "left", "right")
        split = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
        _check_within(split, min(len(binned), len(raw)), "split by category")
        if len(split) and not binned.shape[1:] == raw.shape[1:] == (8,):
            raise ValueError(f"categories of a tree have shape {raw.shape}")
        tree = TreePredictor.__new__(TreePredictor)
        names = ["nodes", "binned_left_cat_bitsets", "raw_left_cat_bitsets"]
        tree.__setstate__(dict(zip(names, (nodes, binned, raw), strict=True)))
        return tree


class Neighbors(Stand, of=[KDTree, BallTree]):
    """A tree of neighbours: its rows, from which it is built anew."""

    @staticmethod
    def parts(value: Any) -> tuple[Any, ...]:
        """Kind, rows, size of a leaf, distance and weights."""
        state = value.__getstate__()
        return isinstance(value, KDTree), state[0], state[4], state[-2], state[-1]

    @staticmethod
    def made(by_axes: bool, rows: Values, leaf_size: int, metric: Any, weight: Values | None) -> Any:
        """The tree."""
        return (KDTree if by_axes else BallTree)(
            rows, leaf_size=leaf_size, metric=metric, sample_weight=weight
        )


def check(model: Any) -> None:
    """Raise ValueError where an estimator in the model and what it has learnt do not fit together.

    Estimators of ours get the defaults of parameters that their file does not know.
    """
    seen, left = {}, [model]
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, BaseEstimator):
            _complete(value)
            _check_estimator(value)
            left += vars(value).values()
        elif isinstance(value, dict):
            left += value.values()
        elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
            left += np.ravel(value).tolist() if isinstance(value, np.ndarray) else value


def _complete(estimator: BaseEstimator) -> None:
    """Give an estimator of ours the defaults of parameters that a later release than its file's added."""
    if not type(estimator).__module__.startswith("surelabel."):
        return
    for name, parameter in signature(type(estimator)).parameters.items():
        if name not in vars(estimator) and parameter.default is not parameter.empty:
            setattr(estimator, name, parameter.default)


def _check_estimator(estimator: Any) -> None:
    width: Any = getattr(estimator, "n_features_in_", None)
    tree = vars(estimator).get("tree_")
    if isinstance(tree, Tree) and tree.n_features != width:
        raise ValueError(f"a tree on {tree.n_features} features is in an estimator on {width}")
    # A forest checks X once and hands it to its trees unchecked.
    for member in np.ravel(np.asarray(vars(estimator).get("estimators_", ()), dtype=object)):
        if hasattr(member, "tree_") and member.n_features_in_ > width:
            raise ValueError(f"a tree on {member.n_features_in_} features is in an estimator on {width}")
    if isinstance(estimator, (HistGradientBoostingClassifier, HistGradientBoostingRegressor)):
        for tree in np.ravel(np.asarray(vars(estimator).get("_predictors", ()), dtype=object)):
            _check_within(tree.nodes["feature_idx"], width, "feature")
    if isinstance(estimator, BaseSVC) and "support_" in vars(estimator):
        _check_machine(estimator)


def _check_machine(machine: Any) -> None:
    n, width = machine.support_vectors_.shape
    k = len(machine._n_support)
    pairs = k * (k - 1) // 2
    fits = (
        machine._n_support.sum() == n == len(machine.support_)
        and (machine._n_support >= 0).all()
        and len(machine.classes_) == k
        and machine._dual_coef_.shape == (k - 1, n)
        and machine._intercept_.shape == (pairs,)
        and all(len(p) in (0, pairs) for p in (machine._probA, machine._probB))
        and width == machine.n_features_in_
    )
    if not fits:
        raise ValueError(f"a support vector machine of {n} rows and {k} classes does not fit together")


def _check_branches(nodes: Values, inner: Bools, *sides: str) -> None:
    """Each node's children come after it, so that every walk ends."""
    for side in sides:
        child = nodes[side].astype(np.int64)[inner]
        if (child <= np.flatnonzero(inner)).any():
            raise ValueError("a tree has a node that leads back")
        _check_within(child, len(nodes), "node")
    if not len(nodes):
        raise ValueError("a tree has no node")


def _check_within(positions: Ints, n: int, what: str) -> None:
    if len(positions) and not 0 <= positions.min() <= positions.max() < n:
        raise ValueError(f"a tree names a {what} beyond the {n} there are")

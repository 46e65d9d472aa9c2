"""Lists of many small trees, written as a few large arrays: each by itself would take many times as long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ..common.types import Ints, Values
from .codec import ListStand
from .native import Boosted, Branches

# What may differ from one tree of a forest to the next.
_OWN = ("random_state", "tree_")


class Forest(ListStand):
    """The trees of a forest, which differ in their nodes and seeds only."""

    @staticmethod
    def takes(value: list[Any]) -> bool:
        """Whether these are fitted trees that are alike in all else."""
        kinds = {type(tree) for tree in value}
        if len(value) < 2 or kinds not in ({DecisionTreeClassifier}, {ExtraTreeClassifier}):
            return False
        fitted = all("tree_" in vars(tree) and isinstance(tree.random_state, Integral) for tree in value)
        return fitted and all(_alike(_shared(tree), _shared(value[0])) for tree in value[1:])

    @staticmethod
    def parts(value: list[Any]) -> tuple[Any, ...]:
        """A tree without nodes, what makes an empty one, then seeds, depths and nodes of all."""
        like = copy(value[0])
        for name in _OWN:
            del like.__dict__[name]
        like.random_state = None
        _, shape, _ = value[0].tree_.__reduce__()
        states = [tree.tree_.__getstate__() for tree in value]
        return (
            like,
            *shape,
            np.array([int(tree.random_state) for tree in value], dtype=np.int64),
            np.array([state["max_depth"] for state in states], dtype=np.int64),
            np.array([state["node_count"] for state in states], dtype=np.int64),
            np.concatenate([state["nodes"] for state in states]),
            np.concatenate([state["values"] for state in states]),
        )

    @staticmethod
    def made(
        like: Any,
        n_features: int,
        n_classes: Ints,
        n_outputs: int,
        seeds: Ints,
        depths: Ints,
        counts: Ints,
        nodes: Values,
        values: Values,
    ) -> list[Any]:
        """The trees."""
        names = ("max_depth", "node_count", "nodes", "values")
        each = zip(
            depths.tolist(), counts.tolist(), _split(nodes, counts), _split(values, counts), strict=True
        )
        trees = []
        for seed, parts in zip(seeds.tolist(), each, strict=True):
            tree = copy(like)
            tree.random_state = seed
            state = dict(zip(names, parts, strict=True))
            tree.tree_ = Branches.made(n_features, n_classes, n_outputs, state)
            trees.append(tree)
        return trees


class Steps(ListStand):
    """The trees of gradient boosting: of each step, one for each class."""

    @staticmethod
    def takes(value: list[Any]) -> bool:
        """Whether these are steps of as many trees each."""
        lists = len(value) > 1 and all(type(step) is list and step for step in value)
        same = lists and len({len(step) for step in value}) == 1
        return same and all(type(tree) is TreePredictor for step in value for tree in step)

    @staticmethod
    def parts(value: list[Any]) -> tuple[Any, ...]:
        """Trees in each step; of each part of the trees, how long it is, and all one after another."""
        trees = [Boosted.parts(tree) for step in value for tree in step]
        each = [
            part
            for parts in zip(*trees, strict=True)
            for part in (np.array([len(one) for one in parts], dtype=np.int64), np.concatenate(parts))
        ]
        return len(value[0]), *each

    @staticmethod
    def made(
        width: int, n_nodes: Ints, nodes: Values, n_binned: Ints, binned: Values, n_raw: Ints, raw: Values
    ) -> list[list[Any]]:
        """The steps."""
        each = zip(_split(nodes, n_nodes), _split(binned, n_binned), _split(raw, n_raw), strict=True)
        trees = [Boosted.made(*parts) for parts in each]
        if width < 1 or len(trees) % width:
            raise ValueError(f"{len(trees)} trees are no steps of {width}")
        return [trees[i : i + width] for i in range(0, len(trees), width)]


def _shared(tree: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(tree).items() if name not in _OWN}


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two sets of attributes are the same, arrays included."""
    if list(one) != list(other):
        return False
    return all(a is b or (type(a) is type(b) and np.array_equal(a, b)) for a, b in _pairs(one, other))


def _pairs(one: dict[str, Any], other: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    return zip(one.values(), other.values(), strict=True)


def _split(whole: Values, counts: Ints) -> Sequence[Values]:
    """An array cut into pieces of these lengths."""
    if len(counts) and (counts.min() < 0 or counts.sum() != len(whole)):
        raise ValueError(f"pieces of {counts.sum()} rows are cut from {len(whole)}")
    ends = np.cumsum(counts)
    # Compiled code takes pieces that own what they hold.
    return [whole[a:b].copy() for a, b in zip((ends - counts).tolist(), ends.tolist(), strict=True)]

"""Training where the rows are, by XGBoost's own Dask training: for more labelled rows than the client takes.

All workers train each member together, so the last digits of a member depend on which worker has which rows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import DTypeLike

from ..classifier import PseudoLabelClassifier
from ..committees.base import Committee
from ..committees.member_fitting import seeded
from ..committees.random_xgboost import Plan, RandomXGBoost, feature_types, learned, load_xgboost
from ..common.notice import logger
from ..common.types import Ints
from ..rounds.engine import Strand
from ..rounds.labels import Labels, class_scales, in_few_digits, spaced
from ..rounds.training import Trainer
from ..shards import shard
from ..shards.engine import Sharded
from ..shards.excerpt import Table, ranks
from ..shards.pieces import Each, Pieces
from .place import lost_scheduler

_TRIES = 5  # of a member
_NOTICED = 2.0  # seconds until the scheduler knows that a worker is gone


def can_spread(clf: PseudoLabelClassifier, committee: Committee) -> bool:
    """Whether all that is trained can be trained where the rows are."""
    return isinstance(committee, RandomXGBoost) and clf.estimator is None


@dataclass(frozen=True)
class _Lessons:
    """The rows to train on, where they are.

    Parameters
    ----------
    shards : Pieces
        A `shard.Lesson` for each shard that has any.
    sizes : list of int
        Rows of each.
    classes : ndarray
        Codes of the classes among them.
    client : Client
        Of the cluster.
    """

    shards: Pieces
    sizes: list[int]
    classes: Ints
    client: Client

    @classmethod
    def of(cls, table: Table, labels: Pieces, client: Client) -> _Lessons:
        """All given labels, and as many found ones, as are worth training on."""
        counts = labels.ask(shard.counts, None)
        given = np.sum([each.given for each in counts], axis=0)
        n_found = [each.found for each in counts]
        found = ranks(spaced(sum(n_found), int(given.sum()), table.found), n_found)
        of_found = np.sum(labels.ask(shard.found_by_class, Each(found)), axis=0)
        classes = np.flatnonzero(given)
        scales = np.ones((2, len(classes)))
        if of_found.any():
            scales = in_few_digits(class_scales(given[classes], of_found[classes]))
        sizes = [int(each.given.sum()) + len(chosen) for each, chosen in zip(counts, found, strict=True)]
        used = [i for i, n in enumerate(sizes) if n]
        shards = labels.some(used).make(
            shard.lesson, table.x.some(used), table.columns, Each([found[i] for i in used]), scales, classes
        )
        return cls(shards, [sizes[i] for i in used], classes, client)

    def matrix(self, n_bins: int) -> Any:
        """The rows as XGBoost reads them."""
        category, n_columns = self.shards.some([0]).ask(shard.lesson_shape)[0]
        return _load_distributed().DaskQuantileDMatrix(
            self.client,
            self._array("X", np.float32, n_columns),
            self._array("codes", int),
            weight=self._array("weight", float),
            feature_types=feature_types(category),
            enable_categorical=True,
            max_bin=n_bins,
        )

    def _array(self, name: str, dtype: DTypeLike, *shape: int) -> da.Array:
        arrays = self.shards.make(attrgetter(name)).shards
        return da.concatenate(
            [
                da.from_delayed(dask.delayed(array), (n, *shape), dtype=dtype)
                for array, n in zip(arrays, self.sizes, strict=True)
            ]
        )


@dataclass(frozen=True)
class Spread(Sharded):
    """Rows in shards on a cluster, where all workers train each member together.

    Parameters
    ----------
    table : Table
        All shards.
    client : Client
        Of the cluster.
    """

    client: Client

    def train(self, strand: Strand, trainer: Trainer, before: int | None = None) -> Committee:
        """The committee, trained where the labelled rows are."""
        return fit_spread(self.client, self.table, strand.labels, trainer)

    def at_first(self, strand: Strand) -> tuple[Any, Labels] | None:
        """None: the labelled rows are not in one place."""
        return None


def fit_spread(client: Client, table: Table, labels: Pieces, trainer: Trainer) -> RandomXGBoost:
    """A committee of `RandomXGBoost`, fitted on the labels so far."""
    last = max(each.last for each in labels.ask(shard.counts, None))
    committee = seeded(trainer.committee, trainer.seeds.rng(last))
    lessons = _Lessons.of(table, labels, client)
    plans = committee.plan(lessons.classes)
    committee.members_ = []
    for plan in plans:
        committee.members_.append(_grown(plan, lessons))
        logger.debug("training member %d of %d", len(committee.members_), len(plans))
    return committee


def _grown(plan: Plan, lessons: _Lessons) -> Any:
    """A member that all workers train together; where one of them is lost meanwhile, it begins again."""
    client = lessons.client
    with lost_scheduler(client):
        for _ in range(_TRIES - 1):
            workers = _workers(client)
            try:
                return _grow(client, plan, lessons)
            except Exception as error:
                # XGBoost has several errors for this one case.
                time.sleep(_NOTICED)
                if _workers(client) == workers:
                    raise
                logger.info("a worker was lost while a member was trained, which begins again: %r", error)
        return _grow(client, plan, lessons)


def _grow(client: Client, plan: Plan, lessons: _Lessons) -> Any:
    xgboost: Any = load_xgboost()

    class Patience(xgboost.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: dict[str, Any]) -> bool:
            return learned(next(iter(evals_log["train"].values())))

    matrix = lessons.matrix(plan.n_bins)
    settings = {name: value for name, value in plan.settings.items() if name != "nthread"}  # a worker's own
    with xgboost.config_context(verbosity=0):
        booster = _load_distributed().train(
            client,
            settings,
            matrix,
            plan.n_trees,
            evals=[(matrix, "train")] if plan.may_end else [],
            callbacks=[Patience()] if plan.may_end else None,
            verbose_eval=False,
        )["booster"]
    booster.set_param({"nthread": plan.settings["nthread"]})  # it would keep the worker's
    return booster


def _workers(client: Client) -> set[tuple[str, str]]:
    """Address and folder of each: a worker that is started again at its address has another folder."""
    known = client.scheduler_info(-1)["workers"]
    return {(address, about["local_directory"]) for address, about in known.items()}


def _load_distributed() -> Any:
    """XGBoost's Dask training."""
    load_xgboost()
    import xgboost.dask

    return xgboost.dask

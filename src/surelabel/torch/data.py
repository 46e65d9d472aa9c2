"""Datasets of any kind as rows by their number: labelled ones first, then unlabelled ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
    default_collate,
)

from ..common.types import Bools, Floats, Ints
from ..rounds.labels import Labels

# Of inputs, or of tuples of which they are the first.
Source = Dataset[Any] | DataLoader[Any]


class Rows(Dataset[Any]):
    """Inputs by number, of one or more datasets one below the other.

    Parameters
    ----------
    *sources : Dataset or DataLoader
        Of inputs, or of tuples of which they are the first. Of a loader only the dataset and the
        number of workers are used.
    """

    def __init__(self, *sources: Source) -> None:
        datasets = [_dataset(source) for source in sources]
        self.workers = max(
            (source.num_workers for source in sources if isinstance(source, DataLoader)), default=0
        )
        self.tensor: Tensor | None = None
        if all(isinstance(dataset, TensorDataset) for dataset in datasets):
            # Rows of tensors are taken at once, which is much quicker than one by one.
            self.tensor = torch.cat([dataset.tensors[0] for dataset in datasets])
        self.dataset: ConcatDataset[Any] = ConcatDataset(datasets)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitems__(self, rows: Any) -> Any:
        """Inputs of some rows as a batch."""
        if self.tensor is not None:
            return self.tensor[rows]
        items = (self.dataset[int(row)] for row in rows)
        return default_collate([item[0] if isinstance(item, (tuple, list)) else item for item in items])

    def batches(self, rows: ArrayLike, size: int = 256) -> DataLoader[Any]:
        """A loader of the inputs of some rows, in their order."""
        return loader(self, torch.as_tensor(rows).split(size), self.workers)


@dataclass
class TrainingSet(Dataset[Any]):
    """What a network is trained on: batches of (inputs, codes, ruled out, weight).

    Parameters
    ----------
    inputs : Rows
        All rows.
    rows : ndarray of shape (n,)
        Those to train on; a row may come several times.
    codes : ndarray of shape (n,)
        Their classes; -1 where only classes that a row is not are known.
    ruled_out : ndarray of shape (n, K)
        Classes that a row is not.
    weight : ndarray of shape (n,)
        What each counts for.
    """

    inputs: Rows
    rows: Ints
    codes: Ints
    ruled_out: Bools
    weight: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> tuple[Any, ...]:
        return tuple(part[0] for part in self.__getitems__([i]))

    def __getitems__(self, places: ArrayLike) -> tuple[Any, ...]:
        """Some rows as a batch."""
        places = np.asarray(places)
        targets = (self.codes[places], self.ruled_out[places], self.weight[places].astype(np.float32))
        return self.inputs.__getitems__(self.rows[places]), *map(torch.as_tensor, targets)

    @property
    def workers(self) -> int:
        """Processes that read."""
        return self.inputs.workers


def training_set(inputs: Rows, labels: Labels) -> TrainingSet:
    """All that is known by `labels`: rows with a class, and rows with a class ruled out.

    As UPS does it, labelled rows come as often as it takes for them to be as many as the others.
    """
    known = np.flatnonzero(labels.codes >= 0)
    soft = np.zeros((len(labels.codes), labels.n_classes)) if labels.soft is None else labels.soft
    touched = np.flatnonzero(soft.any(axis=1) & (labels.codes < 0))
    rows = np.append(np.resize(known, max(len(known), len(touched))), touched)
    ruled_out = (soft[rows] == 0) & np.isin(rows, touched)[:, None]
    codes = labels.codes[rows].astype(np.int64)  # as torch wants classes
    return TrainingSet(inputs, rows, codes, ruled_out, np.ones(len(rows)))


def loader(dataset: Dataset[Any], places: Iterable[Any], workers: int = 0) -> DataLoader[Any]:
    """A loader of batches of a dataset whose `__getitems__` gives a whole batch."""
    return DataLoader(dataset, batch_sampler=places, collate_fn=_as_it_is, num_workers=workers)


def targets_of(labelled: Source) -> Ints:
    """The classes in a dataset of (inputs, class), shape (n,)."""
    dataset = _dataset(labelled)
    found = dataset.tensors[1] if isinstance(dataset, TensorDataset) else [item[1] for item in dataset]
    codes = np.asarray(found)
    if codes.ndim != 1 or codes.dtype.kind not in "iu" or (codes < 0).any():
        raise ValueError(
            f"Classes must be whole numbers from 0; those of the labelled rows are {codes.dtype} of shape "
            f"{codes.shape}{f', the least {codes.min()}' if codes.size and codes.dtype.kind in 'iu' else ''}."
        )
    return codes.astype(int)


def _as_it_is(batch: Any) -> Any:
    return batch


def _dataset(source: Source) -> Any:
    dataset = source.dataset if isinstance(source, DataLoader) else source
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__"):
        raise TypeError(
            f"Rows are taken by their number, and {type(dataset).__name__} has none. Use a dataset with "
            "__len__ and __getitem__, such as TensorDataset."
        )
    return dataset

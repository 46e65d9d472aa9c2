"""What a fit knows between two rounds, as bytes: arrays and JSON, nothing that runs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
import pandas as pd

from ..allocation import Status
from ..budget import Budget
from ..common.types import Floats, Values
from ..transport import Certificate
from .labels import Labels
from .records import Round, Sketch

_COLUMNS = ["codes", "round", "guess", "runner_up", "probability", "gap", "confidence"]
_STATUS = list(Status)


@dataclass(frozen=True)
class Checkpoint:
    """A fit after some of its rounds; `fit_rounds(..., after=checkpoint)` goes on from it.

    Parameters
    ----------
    columns : dict of ndarrays of shape (n,)
        What is known of each row, by the names of `Labels`.
    history : sequence of Round
        The rounds so far.
    soft : ndarray of shape (n, K) or None
        Soft targets.
    labels : tuple of Checkpoint
        Where rows have several labels, one for each of them, and nothing else.

    See Also
    --------
    surelabel.PseudoLabelClassifier.checkpoint : Makes one.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn.datasets import load_iris
    >>> from surelabel import Repeated, pl, trees
    >>> from surelabel.model_selection import hide_labels
    >>> from surelabel.rounds import Checkpoint
    >>> X, y = load_iris(return_X_y=True)
    >>> y = hide_labels(y, 0.8, random_state=0)
    >>> method = pl(committee=Repeated(trees(20), n_members=1), guard=False, random_state=0)
    >>> cut_off = clone(method)
    >>> for round in cut_off.fit_rounds(X, y):
    ...     if round.number == 2:
    ...         data = cut_off.checkpoint().to_bytes()
    ...         break
    >>> resumed = clone(method)
    >>> [round.number for round in resumed.fit_rounds(X, y, after=Checkpoint.from_bytes(data))]
    [3, 4, 5]
    >>> bool((resumed.transduction_ == method.fit(X, y).transduction_).all())
    True
    """

    columns: dict[str, Values]
    history: Sequence[Round]
    soft: Floats | None = None
    labels: tuple[Checkpoint, ...] = ()

    @classmethod
    def of(cls, labels: Labels, history: Iterable[Round]) -> Self:
        """What labels and rounds hold now."""
        columns = {name: getattr(labels, name).copy() for name in _COLUMNS}
        columns["status"] = (
            pd.Index(_STATUS, dtype=object).get_indexer(pd.Index(labels.status)).astype(np.int8)
        )
        return cls(columns, tuple(history), None if labels.soft is None else labels.soft.copy())

    def restore(self, labels: Labels) -> None:
        """Write into labels before the first round what was known after the last one."""
        if self.labels:
            raise ValueError("The checkpoint is of other data: its rows have several labels.")
        given = labels.codes >= 0
        same = len(given) == len(self.columns["codes"])
        if not same or not np.array_equal(given, self.columns["round"] == 0):
            raise ValueError("The checkpoint is of other data: rows or given labels differ.")
        if not np.array_equal(labels.codes[given], self.columns["codes"][given]):
            raise ValueError("The checkpoint is of other data: the given labels differ.")
        for name in _COLUMNS:
            setattr(labels, name, self.columns[name].copy())
        labels.status = np.array(_STATUS, dtype=object)[self.columns["status"]]
        labels.soft = None if self.soft is None else self.soft.copy()

    def of_label(self, k: int, n_labels: int) -> Checkpoint:
        """The checkpoint of label k, where rows have several."""
        if len(self.labels) != n_labels:
            raise ValueError(f"The checkpoint is of other data: it has {len(self.labels)} labels a row.")
        return self.labels[k]

    def to_bytes(self) -> bytes:
        """An uncompressed npz archive."""
        if self.labels:
            each = {
                f"label_{k}": np.frombuffer(one.to_bytes(), np.uint8) for k, one in enumerate(self.labels)
            }
            return _archive(each)
        arrays = dict(self.columns)
        if self.soft is not None:
            arrays["soft"] = self.soft
        plain = []
        for round in self.history:
            arrays |= {f"{name}_{round.number}": getattr(round, name) for name in ("rows", "codes")}
            if round.sketch is not None:
                arrays |= {
                    f"sketch_{name}_{round.number}": value for name, value in vars(round.sketch).items()
                }
            plain.append(described(round))
        arrays["history"] = np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8)
        return _archive(arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` wrote; a ValueError for anything else."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                if "label_0" in archive:
                    # Older NumPys take the argument of savez for one more array.
                    n_labels = sum(name.startswith("label_") for name in archive.files)
                    each = [archive[f"label_{k}"].tobytes() for k in range(n_labels)]
                    return cls({}, (), labels=tuple(map(cls.from_bytes, each)))
                history = [_round(plain, archive) for plain in json.loads(archive["history"].tobytes())]
                columns = {name: archive[name] for name in [*_COLUMNS, "status"]}
                soft = archive.get("soft")
        except Exception as error:
            # Which error zipfile, NumPy or json raises depends on where the damage is.
            raise ValueError(f"Not a checkpoint: {type(error).__name__}, {error}.") from error
        if {values.shape for values in columns.values()} != {(len(columns["codes"]),)}:
            raise ValueError("Not a checkpoint: its columns differ in length.")
        return cls(columns, history, soft)


def described(round: Round) -> dict[str, Any]:
    """A round without its rows, in words and numbers that JSON knows."""
    certificate = round.certificate
    return {
        "number": round.number,
        "share": float(round.budget.share),
        "prior": [float(share) for share in round.budget.prior],
        "pool": round.pool,
        "sure": round.candidates,
        "labelled": round.labelled,
        "by_class": [int(n) for n in round.selected],
        "ruled_out": round.negatives,
        "changed": None if np.isnan(round.changed) else round.changed,
        "seconds": round.seconds,
        "certificate": None
        if certificate is None
        else {name: _plain(value) for name, value in asdict(certificate).items()},
    }


def _round(plain: dict[str, Any], archive: Any) -> Round:
    number, certificate = plain["number"], plain["certificate"]
    sketch = {field.name: archive.get(f"sketch_{field.name}_{number}") for field in fields(Sketch)}
    return Round(
        number=number,
        budget=Budget(plain["share"], np.array(plain["prior"]), plain["pool"]),
        candidates=plain["sure"],
        selected=np.array(plain["by_class"]),
        negatives=plain["ruled_out"],
        rows=archive[f"rows_{number}"],
        codes=archive[f"codes_{number}"],
        seconds=plain["seconds"],
        certificate=None if certificate is None else Certificate(**certificate),
        changed=np.nan if plain["changed"] is None else plain["changed"],
        sketch=None if sketch["rows"] is None else Sketch(**sketch),
    )


def _archive(arrays: dict[str, Values]) -> bytes:
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

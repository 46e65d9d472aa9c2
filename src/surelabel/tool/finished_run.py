"""What can be done with a run that has ended: predict other rows, write its report again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..classifier import PseudoLabelClassifier
from ..common.types import Floats, Values
from ..files import InputError, Table, format_of, read_table, write_table
from ..saving.model_file import load
from .facts import OUTPUTS
from .run_folder import RunFolder
from .settings import Settings
from .table_source import features_of


def reported(folder: RunFolder, out: Path | None = None) -> Path:
    """Write the report of a run once more, into the folder unless another file is named."""
    settings = Settings.of(folder.finished_record()["settings"])
    if settings.engine == "dask":
        raise InputError(
            f"{folder.path} is a run on Dask, which keeps no rows to show; there is no page of it."
        )
    return folder.write_page(load(folder.model), settings, out)


def predicted(
    folder: RunFolder, data: str, out: Path, sheet: str | None = None, encoding: str | None = None
) -> int:
    """Predict the rows of a file with the model of a run, into another file.

    Parameters
    ----------
    folder : RunFolder
        Of a run that came to its end.
    data, out : str, Path
        The file to read and the one to write.
    sheet, encoding : str, optional
        Of Excel files; of text files.

    Returns
    -------
    int
        Rows predicted.
    """
    record, kinds = folder.finished_record(), folder.kinds()
    form = format_of(out)
    table = read_table(data, sheet, encoding)
    _check_out(out, folder, table)
    X = features_of(table, kinds)
    clf = load(folder.model)
    frame = table.frame.copy(deep=False)
    guarded = []
    for name, said, probability in _predictions(clf, X, record["settings"]["target"]):
        added = f"{name}_predicted", f"{name}_probability"
        for column in added:
            if column in frame:
                raise InputError(f"{data} already has the column {column!r}. Rename it.")
        frame[added[0]], frame[added[1]] = said, [float(f"{p:.6g}") for p in probability]
        guarded.append(added[0])
    if form.kind == table.format.kind:
        form = replace(table.format, gz=form.gz)
    write_table(frame, out, form, guarded=guarded)
    return len(frame)


def _predictions(
    clf: PseudoLabelClassifier, X: pd.DataFrame, target: str
) -> Iterator[tuple[str, Values, Floats]]:
    """For each label column its name, what is said of the rows, and how probable it is (n,)."""
    P = clf.predict_proba(X)
    if clf.several_labels:
        for name, p in zip(clf.classes_, P.T, strict=True):
            yield name, np.where(p > 0.5, "1", "0").astype(object), np.maximum(p, 1 - p)
        return
    best = P.argmax(axis=1)
    names = np.array([str(label) for label in clf.classes_], dtype=object)
    yield target, names[best], P[np.arange(len(P)), best]


def _check_out(out: Path, folder: RunFolder, table: Table) -> None:
    """Refuse to write over what is read, or over a table of the run."""
    if out.exists() and out.samefile(table.path):
        raise InputError(f"{out} is the file that is read. Name another --out.")
    if out.resolve().parent == folder.path.resolve() and out.name.split(".")[0] in OUTPUTS:
        raise InputError(f"{out} is a file of the run. Name another --out.")

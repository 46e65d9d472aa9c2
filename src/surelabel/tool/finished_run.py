"""What can be done with a run that has ended: predict other rows, write its report again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..files import InputError, alone_in, format_of, read_table, write_table
from ..saving.model_file import load
from .answered import known_answers
from .final_opinion import Opinion, opinions
from .run_folder import COMPLETE, RunFolder
from .settings import DECIDED, Settings
from .table_reading import read_tables
from .table_source import TableLabelling, features_of
from .work import Outcome, handed_out


def reported(folder: RunFolder, out: Path | None = None) -> Path:
    """Write the report of a run once more, into the folder unless another file is named."""
    settings = Settings.of(folder.finished_record()["settings"])
    if settings.engine != "local":
        raise InputError(
            f"{folder.path} is a run in shards, which keeps no rows to show; there is no page of it."
        )
    if out is not None and out.absolute() != folder.page.absolute():
        return _reported_elsewhere(folder, settings, out)
    with alone_in(folder.path):
        folder.files.load()
        path = folder.write_page(folder.loaded(), settings)
        folder.files.write()
        return path


def refilled(folder: RunFolder, asked: dict[str, Any]) -> Outcome:
    """Decide anew which labels of a run to hand out; labels and report are written again.

    Parameters
    ----------
    folder : RunFolder
        Of a run that came to its end.
    asked : dict
        What is asked of the labels: right, confidence, per_class, promise. What is not named is the default.
    """
    record = folder.finished_record()
    before = {name: value for name, value in record["settings"].items() if name not in DECIDED}
    settings = Settings.of(before | asked)
    if settings.engine != "local":
        raise InputError(f"{folder.path} is a run in shards. Its labels are decided anew by another run.")
    source = read_tables(settings, known_answers(folder))
    if source.facts.digests != record["digests"]:
        raise InputError(
            f"The content of {settings.data} has changed since the run in {folder.path}. Label it "
            "again, with surelabel label."
        )
    with alone_in(folder.path):
        folder.files.load()
        clf = load(folder.model)
        X, more = source.features()
        labelling = TableLabelling(source, settings, folder, clf, X, more, is_over=True)
        if record["status"] != COMPLETE:
            labelling.is_cut_short = True
        outcome = handed_out(
            settings, source.facts, folder, labelling, labelling.fitted(), seconds=record.get("seconds", 0.0)
        )
        folder.files.write()
        return outcome


def _reported_elsewhere(folder: RunFolder, settings: Settings, out: Path) -> Path:
    """Write the report into a file that the user names; pages beside it, where rows have several labels."""
    check_out(out, folder)
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out}: the report is an HTML page. Name a file that ends in .html.")
    clf = folder.loaded()
    if clf.several_labels:
        for k in range(len(clf.classes_)):
            beside = out.with_stem(f"{out.stem}-{k + 1}")
            if os.path.lexists(beside) and not _is_page(beside):
                raise InputError(f"{beside} is in the way: a page of the report. Name another --out.")
    return folder.write_page_to(out, clf, settings)


def _is_page(path: Path) -> bool:
    """Whether a file is a page of a report."""
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return b"<title>surelabel" in file.read(1000)


def predicted(
    folder: RunFolder,
    data: str,
    out: Path,
    sheet: str | None = None,
    encoding: str | None = None,
    guard_formulas: bool = False,
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
    guard_formulas : bool, default=False
        Whether to guard all text against spreadsheets, not only what is added.

    Returns
    -------
    int
        Rows predicted.
    """
    record, kinds = folder.finished_record(), folder.kinds()
    form = format_of(out)
    table = read_table(data, sheet, encoding)
    if out.exists() and out.samefile(table.path):
        raise InputError(f"{out} is the file that is read. Name another --out.")
    check_out(out, folder)
    clf = load(folder.model)
    # The first release did not learn from free text.
    X = features_of(table, {name: kinds[name] for name in clf.columns_.names_})
    targets = list(clf.classes_) if clf.several_labels else [record["settings"]["target"]]
    added: dict[str, pd.Series] = {}
    for name, opinion in zip(targets, opinions(clf, X), strict=True):
        added |= _predictions(str(name), opinion, as_text=form.kind in ("csv", "tsv"))
    for name in added:
        if name in table.frame:
            raise InputError(f"{data} already has the column {name!r}. Rename it.")
    frame = pd.concat([table.frame, pd.DataFrame(added, index=table.frame.index)], axis=1)
    if form.kind == table.format.kind:
        form = replace(table.format, gz=form.gz)
    write_table(frame, out, form, guarded=list(added), guard_all=guard_formulas)
    return len(frame)


def _predictions(name: str, opinion: Opinion, as_text: bool) -> dict[str, pd.Series]:
    """Of each row: the most probable class, its probability, and whether that is sure."""
    best, sure = opinion.best, opinion.sure
    classes = np.array([str(label) for label in opinion.classes], dtype=object)
    probability = [float(f"{p:.6g}") for p in opinion.p[np.arange(len(best)), best]]
    answers = [None] * len(best) if sure is None else sure.tolist()
    if as_text:
        answers = [None if answer is None else str(answer).lower() for answer in answers]
    return {
        f"{name}_predicted": pd.Series(classes[best], dtype="string[pyarrow]"),
        f"{name}_probability": pd.Series(probability, dtype="double[pyarrow]"),
        f"{name}_sure": pd.Series(answers, dtype="string[pyarrow]" if as_text else "bool[pyarrow]"),
    }


def check_out(out: Path, folder: RunFolder) -> None:
    """Refuse to write over a file of the run, or through a link in its folder."""
    if out.parent.resolve() == folder.path.resolve():
        if folder.files.is_used(out.name):
            raise InputError(f"{out} is a file of the run. Name another --out.")
        folder.files.check_plain(out.name)

"""Files -> a table in memory whose columns and labels are understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Kind, target_column
from ..common.types import Bools, Values
from ..files import TEXT_KINDS, InputError, Table, format_of, listed, read_table, target_values
from .answered import Answers
from .earlier_run import earlier_run
from .facts import OUTPUTS, Facts, check_labelled, check_used
from .label_columns import by_name, target_names, uniform, yes_or_no
from .settings import Settings
from .table_source import TableSource

# Of so many columns that there is something to know of, it is told at once.
_FEW = 5


def read_tables(settings: Settings, answers: Answers | None = None) -> TableSource:
    """Read the files that settings name, and what people answered since."""
    tables = _tables(settings)
    targets, several = target_names(tables[0].frame, settings)
    tables, drop, by_hand, drawn = _given_back(tables, targets, several, settings)
    table, more = tables[0], tables[1:]
    kinds = settings.kinds(table.frame, targets, drop)
    for each in more:
        for name in targets:
            _check_unlabeled(each, name, settings.missing_label)
    # Only answers give labels to rows of the second file.
    labelled = tables[:1]
    sampled = None if drawn.all() else drawn
    if answers is not None and len(answers):
        tables, asked_at_random = answers.taken_in(tables, targets, several)
        table, more, labelled, sampled = tables[0], tables[1:], tables, drawn & asked_at_random
    columns = [uniform(_labels(labelled, name, settings.missing_label)) for name in targets]
    labels, written = yes_or_no(columns, targets) if several else (columns[0], ())
    check_used(kinds, settings.data)
    check_labelled(int((labels != np.array(None)).sum()), len(labels), settings.data, targets)
    facts = Facts(
        kinds=kinds,
        counts=_cell_counts(labels, targets)
        if several
        else by_name(Counter(label for label in labels if label is not None)),
        n_unlabeled=_n_unlabeled(labels) + sum(len(each.frame) for each in tables) - len(labels),
        several=several,
        notes=(
            *(note for each in tables for note in each.notes),
            *_column_notes([kind for kind in kinds.values() if kind.note]),
            *(() if answers is None or not len(answers) else (answers.told(),)),
        ),
        digests={name: each.digest for name, each in zip(("data", "unlabeled"), tables, strict=False)},
        reads=tuple(each.path for each in tables),
        outputs=tuple(name + _ending(each.path) for name, each in zip(OUTPUTS, tables, strict=False)),
        record={"rows": len(table.frame), "by_hand": by_hand}
        | ({"asked": list(targets)} if several else {})
        | ({} if answers is None else {"answers": answers.record()}),
    )
    return TableSource(facts, tables, labels, targets, written, sampled)


def _labels(tables: list[Table], name: str, missing_label: str | None) -> Values:
    """Labels of the rows of these files, those that have the column, (n,)."""
    return np.concatenate(
        [target_values(each.frame, name, missing_label) for each in tables if name in each.frame]
    )


def _column_notes(kinds: list[Kind]) -> Iterator[str]:
    """What to know of columns, and where to read of the rest if they are many."""
    for kind in kinds[:_FEW]:
        yield f"column {kind.name!r}: {kind.note}"
    if len(kinds) > _FEW:
        more = listed([repr(kind.name) for kind in kinds[_FEW:]])
        yield f"there is more to know of the columns {more}: surelabel inspect tells it."


def _tables(settings: Settings) -> list[Table]:
    """One file or two; an encoding is meant for those that are text, a sheet for those of Excel."""
    paths = [path for path in (settings.data, settings.unlabeled) if path is not None]
    formats = [_format_kind(path) for path in paths]
    sheets = [settings.sheet if kind == "xlsx" else None for kind in formats]
    encodings = [settings.encoding if kind in TEXT_KINDS else None for kind in formats]
    # Where neither file can use the setting, the reader of the first refuses it, and says why.
    if not any(sheets):
        sheets[0] = settings.sheet
    if not any(encodings):
        encodings[0] = settings.encoding
    return [read_table(*each) for each in zip(paths, sheets, encodings, strict=True)]


def _given_back(
    tables: list[Table], targets: tuple[str, ...], several: bool, settings: Settings
) -> tuple[list[Table], tuple[str, ...], int, Bools]:
    """Tables as if no run had written them, columns to drop, how many labels are by hand, and sampled rows.

    Sampled are those that, as far as they are labelled, are a random sample, shape (n,).
    """
    for name in targets:
        target_column(tables[0].frame, name)
    read, added, n_by_hand, sampled = [], set(), 0, []
    for table in tables:
        earlier = earlier_run(table.frame.columns, table.path, targets, several, settings.drop)
        drawn = np.ones(len(table.frame), dtype=bool)
        if earlier is not None:
            drawn = earlier.sampled(table.frame, settings.missing_label)
            as_text = table.format.kind in ("csv", "tsv")
            frame, tally = earlier.read(table.frame, settings.missing_label, as_text)
            table = replace(table, frame=frame, notes=(*table.notes, earlier.told(tally)))
            added |= set(earlier.added)
            n_by_hand += tally.by_hand
        read.append(table)
        sampled.append(drawn)
    drop = tuple(name for name in settings.drop if name not in added)
    return read, drop, n_by_hand, np.concatenate(sampled)


def _format_kind(path: str) -> str:
    try:
        return format_of(path).kind
    except InputError:
        return ""  # reading it will say why


def _cell_counts(labels: Values, targets: tuple[str, ...]) -> dict[Any, int]:
    """Rows that have each label."""
    return dict(zip(targets, (labels == 1).sum(axis=0).tolist(), strict=True))


def _n_unlabeled(labels: Values) -> int:
    """Rows of which not all labels are known."""
    missing = labels == np.array(None)
    return int((missing.any(axis=1) if labels.ndim == 2 else missing).sum())


def _ending(path: Path) -> str:
    suffixes = path.suffixes
    return "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])


def _check_unlabeled(more: Table, target: str, missing_label: str | None) -> None:
    """Refuse labels in the file of unlabelled rows."""
    if target not in more.frame.columns:
        return
    labels = target_values(more.frame, target, missing_label)
    known = np.flatnonzero(labels != np.array(None))
    if len(known):
        raise InputError(
            f"{more.path} has labels in column {target!r}, the first in row {known[0] + 1:,}: it is "
            "meant for rows without. Move them to the labelled file."
        )

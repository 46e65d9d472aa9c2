"""The folder of a run: every file whole or not there, and enough to go on after a crash."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..common.versions import versions
from ..files import InputError, Kind, write_bytes, write_table
from ..reporting import report
from ..rounds.checkpoint import Checkpoint, described
from ..rounds.several import LabelRounds
from .settings import Settings
from .source import Source, added

_FORMAT = 1
_ANEW = "Start anew with --overwrite, or name another --out."
_SHAPE = {"status": str, "settings": dict, "digests": dict, "kinds": list, "versions": dict}


# The tables that a run writes, by the names of the files without their endings.
OUTPUTS = ("labels", "unlabeled")


class RunFolder:
    """Where a run keeps what it finds.

    Parameters
    ----------
    path : str or Path
        The folder; it is there, and ours alone, while a run writes into it.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.run = self.path / "run.json"
        self.state = self.path / "state.npz"
        self.model = self.path / "model.skops"
        self.history = self.path / "history.json"
        self.page = self.path / "report.html"
        self.parts = self.path / "parts"

    def record(self) -> dict[str, Any]:
        """What run.json says."""
        try:
            record = json.loads(self.run.read_bytes())
        except FileNotFoundError as error:
            raise InputError(f"{self.path} holds no run: there is no {self.run.name} in it.") from error
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{self.run} cannot be read ({error}). {_ANEW}") from error
        if not isinstance(record, dict) or record.get("format") != _FORMAT:
            raise InputError(f"{self.run} is not of a format that this release knows. {_ANEW}")
        for name, kind in _SHAPE.items():
            if not isinstance(record.get(name), kind):
                raise InputError(f"{self.run} is damaged: it holds no {name}. {_ANEW}")
        return record

    def holds_work(self) -> bool:
        """Whether there is a run in the folder that came as far as the end of a round."""
        kept = self.state.exists() or (self.parts / "rounds.npz").exists()
        return self.run.exists() and (kept or self.record()["status"] != "running")

    def begin(self, settings: Settings, source: Source):
        """Make the folder ready for a new run."""
        self.check_outputs(source)
        self.sweep()
        self._clear([table.path for _, table in _tables(source)])
        for path in self._outputs_before() - set(self.outputs(source)):
            if not any(path.samefile(table.path) for _, table in _tables(source)):
                path.unlink()
        self.write_record(settings, source, "running")

    def begin_parts(self, settings: Settings, source):
        """Make the folder ready for a new run over many files."""
        out = (self.path / "labels").resolve()
        if any(Path(part.path).parent == out for part in source.parts):
            raise InputError(f"The labels would be written into {out}, which is read. Name another --out.")
        self._clear([Path(part.path) for part in source.parts])
        self.write_run(settings, source, "running", outputs=["labels"])

    def _clear(self, read):
        """Remove what an earlier run left that this one may not write anew, but for what it reads."""
        for stale in (self.state, self.page, *self.path.glob("report-[0-9]*.html")):
            stale.unlink(missing_ok=True)
        read = {path.resolve() for path in read}
        for stale in self.path.glob("labels/part-[0-9]*.parquet"):
            if stale.resolve() not in read:
                stale.unlink()
        shutil.rmtree(self.parts, ignore_errors=True)

    def sweep(self):
        """Remove what a run that was killed while it wrote left unfinished."""
        for left in self.path.glob(".surelabel-*.tmp"):
            left.unlink(missing_ok=True)

    def resume(self, settings: Settings, source: Source) -> tuple[dict[str, Any], Checkpoint | None]:
        """The record of an earlier run and what it knew at its last round; refused if it was another."""
        record = self.same_run(settings, source.digests)
        self.check_outputs(source)
        self.sweep()
        if record["status"] == "complete":
            self.state.unlink(missing_ok=True)
        if not self.state.exists():
            return record, None
        try:
            return record, Checkpoint.from_bytes(self.state.read_bytes())
        except (OSError, ValueError) as error:
            raise InputError(f"{self.state} is damaged ({error}). {_ANEW}") from error

    def same_run(self, settings: Settings, digests) -> dict[str, Any]:
        """The record of an earlier run; refused if settings or the digests of its files differ."""
        record = self.record()
        differences = settings.differences(record["settings"])
        differences += [
            f"the content of {getattr(settings, name)} has changed"
            for name, digest in digests.items()
            if record["digests"].get(name, digest) != digest
        ]
        if differences:
            raise InputError(
                f"{self.path} cannot be resumed, it is another run: {'; '.join(differences)}. {_ANEW}"
            )
        return record

    def check_outputs(self, source: Source):
        """Refuse to write over what is read."""
        read = [table.path for _, table in _tables(source)]
        for path in self.outputs(source):
            if path.exists() and any(path.samefile(other) for other in read):
                raise InputError(
                    f"The labels would be written over {path}, which is read. Name another --out."
                )

    def keep(self, checkpoint: Checkpoint):
        """Remember what is known after a round."""
        write_bytes(self.state, checkpoint.to_bytes())

    def write_labels(self, source: Source, clf) -> list[Path]:
        """The input's rows with labels filled in where sure, and why."""
        given = len(source.table.frame)
        paths = self.outputs(source)
        for (name, table), path in zip(_tables(source), paths, strict=True):
            rows = slice(0, given) if name == "labels" else slice(given, None)
            frame = table.frame
            for target, stem, one, labels in _columns(source, clf):
                lines = one.pseudo_labels_
                frame = filled(frame, target, labels[rows], one.labeled_iter_[rows], lines, rows.start, stem)
            if source.several:  # of two answers, the other
                frame = frame.drop(columns=[f"surelabel_{target}_runner_up" for target in source.targets])
            write_table(frame, path, table.format, guarded=[*source.targets, *source.added])
        return paths

    def write_history(self, clf):
        """A record for each round, and the verdict."""
        verdict = clf.verdict_
        history = {
            "classes": [str(label) for label in clf.classes_],
            "rounds": [_described(round) for round in clf.history_],
            "ended": clf.termination_condition_,
            "verdict": None if verdict is None else asdict(verdict) | {"words": str(verdict)},
        }
        write_bytes(self.history, _json(history))

    def write_record(self, settings: Settings, source: Source, status, **more):
        """What was asked, of what, with which releases, and how it ended."""
        outputs = [path.name for path in self.outputs(source)]
        self.write_run(settings, source, status, outputs=outputs, rows=len(source.table.frame), **more)

    def write_run(self, settings: Settings, source, status, **more):
        """As `write_record`, of any source that has digests and kinds."""
        record = {
            "format": _FORMAT,
            "status": status,
            "settings": settings.plain(),
            "digests": source.digests,
            "kinds": [asdict(kind) for kind in source.kinds.values()],
            "versions": versions(),
        }
        write_bytes(self.run, _json(record | more))

    def write_page(self, clf, settings: Settings, out=None, X=None) -> Path:
        """The report of the run, in the folder unless another file is named."""
        record = self.record()
        details = {
            "input": Path(settings.data).name,
            "columns": record["kinds"],
            "settings": settings.plain(),
            "versions": record["versions"],
            "seed": settings.seed,
            "command": settings.command(self.path),
        }
        return report(clf, self.page if out is None else Path(out), X=X, details=details)

    def kinds(self) -> dict[str, Kind]:
        """What each column was taken for."""
        try:
            kinds = [Kind(**kind | {"examples": tuple(kind["examples"])}) for kind in self.record()["kinds"]]
            return {kind.name: kind for kind in kinds}
        except (TypeError, KeyError) as error:
            raise InputError(f"{self.run} is damaged: the kinds of its columns cannot be read.") from error

    def outputs(self, source: Source) -> list[Path]:
        """The tables that a run on this source writes: a name each, with the ending of the input."""
        return [self.path / (name + "".join(_endings(table.path))) for name, table in _tables(source)]

    def _outputs_before(self):
        """The tables of the run that was in the folder, as far as they are there."""
        try:
            names = json.loads(self.run.read_bytes())["outputs"]
            paths = {self.path / name for name in names if Path(name).name.split(".")[0] in OUTPUTS}
        except (OSError, ValueError, RecursionError, TypeError, KeyError):
            return set()
        return {path for path in paths if path.parent == self.path and path.is_file()}


def _columns(source, clf):
    """For each label column its name, how the added ones begin, its classifier, and its labels (n,)."""
    if not source.several:
        yield source.targets[0], "surelabel", clf, np.asarray(clf.transduction_, dtype=object)
        return
    for name, one, written in zip(source.targets, clf.estimators_, source.answers, strict=True):
        labels = [written.get(cell) for cell in one.transduction_.tolist()]
        yield name, f"surelabel_{name}", one, np.array(labels, dtype=object)


def _described(round):
    if isinstance(round, LabelRounds):
        labels = {str(name): described(one) for name, one in round.by_label.items()}
        return {"number": round.number, "labels": labels}
    return described(round)


def filled(frame, target, labels, rounds, audit, start, stem="surelabel"):
    """The table with its labels filled in and the columns that say why, as a DataFrame.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        As it was read.
    target : str
        The label column; added if there is none.
    labels : ndarray of shape (n,)
        Given or found.
    rounds : ndarray of shape (n,)
        Round in which a label was found; 0 given, -1 none.
    audit : DataFrame
        A line for each row that came unlabelled, by its position in the fit.
    start : int
        Position of the first row in the fit.
    stem : str, default="surelabel"
        How the names of the columns that say why begin.
    """
    found = rounds > 0
    out = frame.copy(deep=False)
    if target in frame:
        column = frame[target]
        values = column.astype(object).to_numpy(copy=True)
        as_given = {str(value): value for value in pd.unique(column.dropna().astype(object))}
        values[found] = [as_given.get(str(label), label) for label in labels[found]]
        out[target] = pd.Series(values, index=frame.index, dtype=column.dtype)
    else:
        out[target] = pd.Series(_text(labels, found), index=frame.index, dtype="string[pyarrow]")
    lines = audit.loc[(audit.index >= start) & (audit.index < start + len(frame))]
    at = lines.index.to_numpy() - start
    asked = lines["guess"].notna().to_numpy()

    def spread(values, kind="string", default=None):
        column = np.full(len(frame), default, dtype=object)
        column[at] = values
        return pd.Series(column, index=frame.index, dtype=f"{kind}[pyarrow]")

    reasons = [
        spread(lines["status"].to_numpy(), default="given"),
        spread([_number(value) for value in lines["confidence"]], "double"),
        spread(_text(lines["guess"].to_numpy(), asked)),
        spread([_number(value) for value in lines["probability"]], "double"),
        spread(_text(lines["runner_up"].to_numpy(), asked)),
        spread([n if n > 0 else None for n in lines["round"].tolist()], "int64"),
    ]
    for name, column in zip(added(stem), reasons, strict=True):
        out[name] = column
    return out


def _text(values, shown):
    return [str(value) if show else None for value, show in zip(values, shown, strict=True)]


def _number(value):
    # Six digits: what comes after them is rounding, and differs between machines.
    return None if np.isnan(value) else float(f"{value:.6g}")


def _tables(source: Source):
    return [(name, table) for name, table in zip(OUTPUTS, (source.table, source.more), strict=True) if table]


def _endings(path):
    suffixes = path.suffixes
    return suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:]


def _json(record):
    # Bytes of a file name that are no text become \\udc.., which JSON reads back.
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode(errors="backslashreplace")

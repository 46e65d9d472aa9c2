"""The folder of a run: every file whole or not there, and enough to go on after a crash.

What --overwrite removes is in `RunFolder.begin`, what --resume asks for in `RunFolder.resume`.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from ..classifier import PseudoLabelClassifier
from ..common.versions import versions
from ..files import InputError, Kind, write_bytes
from ..reporting import report
from ..rounds.checkpoint import Checkpoint, described
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from .facts import OUTPUTS, Facts
from .settings import Settings

_FORMAT = 1
_ANEW = "Start anew with --overwrite, or name another --out."
_SHAPE = {"status": str, "settings": dict, "digests": dict, "kinds": list, "versions": dict}


class RunFolder:
    """Where a run keeps what it finds.

    Parameters
    ----------
    path : str or Path
        The folder; it is there, and ours alone, while a run writes into it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.run = self.path / "run.json"
        self.state = self.path / "state.npz"
        self.model = self.path / "model.skops"
        self.history = self.path / "history.json"
        self.page = self.path / "report.html"
        # What the Dask classifier keeps between two rounds, a file for each shard.
        self.kept_shards = self.path / "parts"

    # Before a run.

    def check_options(self, *, resume: bool, overwrite: bool) -> None:
        """Refuse to write into a folder that holds a run, unless the options say what to do with it."""
        if resume and overwrite:
            raise InputError("--resume goes on with a run and --overwrite replaces it. Give one of them.")
        if not (resume or overwrite) and self.holds_work():
            raise InputError(
                f"{self.path} already holds a run. --resume goes on with it, --overwrite replaces it, "
                "--out names another folder."
            )

    def holds_work(self) -> bool:
        """Whether there is a run in the folder that came as far as the end of a round."""
        kept = any(path.exists() for path in self._kept_rounds)
        return self.run.exists() and (kept or self.record()["status"] != "running")

    def begin(self, settings: Settings, facts: Facts) -> None:
        """Make the folder ready for a new run: remove what an earlier one left, but not what is read."""
        self._check_outputs(facts)
        self._sweep()
        for stale in (self.page, *self.path.glob("report-[0-9]*.html")):
            stale.unlink(missing_ok=True)
        outputs = {self.path / name for name in facts.outputs}
        for stale in {*self._outputs_before(), *self.path.glob("labels/part-[0-9]*.parquet")} - outputs:
            if not any(stale.samefile(read) for read in facts.reads):
                stale.unlink()
        self.forget()
        self.write_record(settings, facts, "running")

    def resume(self, settings: Settings, facts: Facts) -> tuple[dict[str, Any], int]:
        """The record of an earlier run and how many rounds it kept; refused if it was another run."""
        record = self._same_run(settings, facts.digests)
        self._check_outputs(facts)
        self._sweep()
        if record["status"] == "complete":
            self.forget()
        return record, self._n_rounds_kept()

    def _same_run(self, settings: Settings, digests: dict[str, str]) -> dict[str, Any]:
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

    def _check_outputs(self, facts: Facts) -> None:
        """Refuse to write over what is read, or beside it in a folder of ours."""
        for path in (self.path / name for name in facts.outputs):
            if path.exists() and any(path.samefile(read) for read in facts.reads):
                raise InputError(
                    f"The labels would be written over {path}, which is read. Name another --out."
                )
            if any(read.resolve().parent == path.resolve() for read in facts.reads):
                raise InputError(
                    f"The labels would be written into {path.resolve()}, which is read. Name another --out."
                )

    def _sweep(self) -> None:
        """Remove what a run that was killed while it wrote left unfinished."""
        for left in self.path.glob(".surelabel-*.tmp"):
            left.unlink(missing_ok=True)

    def _outputs_before(self) -> set[Path]:
        """The tables of the run that was in the folder, as far as they are there."""
        try:
            names = json.loads(self.run.read_bytes())["outputs"]
            paths = {self.path / name for name in names if Path(name).name.split(".")[0] in OUTPUTS}
        except (OSError, ValueError, RecursionError, TypeError, KeyError):
            return set()
        return {path for path in paths if path.parent == self.path and path.is_file()}

    # Between two rounds.

    @property
    def _kept_rounds(self) -> tuple[Path, Path]:
        """Where the rounds so far may be: of a table in memory, of one in shards."""
        return self.state, self.kept_shards / "rounds.npz"

    def keep(self, checkpoint: Checkpoint) -> None:
        """Remember what is known after a round."""
        write_bytes(self.state, checkpoint.to_bytes())

    def kept(self) -> Checkpoint | None:
        """What is known after the last round of a run in memory."""
        return _checkpoint(self.state)

    def forget(self) -> None:
        """Remove what is known after the last round: the run is complete, or another begins."""
        self.state.unlink(missing_ok=True)
        shutil.rmtree(self.kept_shards, ignore_errors=True)

    def _n_rounds_kept(self) -> int:
        found = [checkpoint for path in self._kept_rounds if (checkpoint := _checkpoint(path)) is not None]
        # Of several labels, each has rounds of its own.
        return max((len(one.history) for each in found for one in (each, *each.labels)), default=0)

    # What a run writes, besides its tables.

    def write_history(self, clf: PseudoLabelClassifier) -> None:
        """A record for each round, and the verdict."""
        verdict = clf.verdict_
        history = {
            "classes": [str(label) for label in clf.classes_],
            "rounds": [_described(round) for round in clf.history_],
            "ended": clf.termination_condition_,
            "verdict": None if verdict is None else asdict(verdict) | {"words": str(verdict)},
        }
        write_bytes(self.history, _json(history))

    def write_record(self, settings: Settings, facts: Facts, status: str, **found: Any) -> None:
        """What was asked, of what, with which releases, and how it ended."""
        record = {
            "format": _FORMAT,
            "status": status,
            "settings": settings.plain(),
            "digests": facts.digests,
            "kinds": [asdict(kind) for kind in facts.kinds.values()],
            "versions": versions(),
            "outputs": list(facts.outputs),
        }
        write_bytes(self.run, _json(record | facts.record | found))

    def write_page(
        self,
        clf: PseudoLabelClassifier,
        settings: Settings,
        out: Path | None = None,
        X: pd.DataFrame | None = None,
    ) -> Path:
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
        return report(clf, self.page if out is None else out, X=X, details=details)

    # After a run.

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

    def finished_record(self) -> dict[str, Any]:
        """What run.json says of a run that has left a model; refused where there is none."""
        record = self.record()
        if record["status"] == "running" or not self.model.exists():
            raise InputError(f"{self.path} holds no model yet; its run has not come to its end.")
        return record

    def kinds(self) -> dict[str, Kind]:
        """What each column was taken for."""
        try:
            kinds = [Kind(**kind | {"examples": tuple(kind["examples"])}) for kind in self.record()["kinds"]]
            return {kind.name: kind for kind in kinds}
        except (TypeError, KeyError) as error:
            raise InputError(f"{self.run} is damaged: the kinds of its columns cannot be read.") from error


def _checkpoint(path: Path) -> Checkpoint | None:
    if not path.exists():
        return None
    try:
        found: Checkpoint = Checkpoint.from_bytes(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error}). {_ANEW}") from error
    return found


def _described(round: Round | LabelRounds) -> dict[str, Any]:
    if isinstance(round, LabelRounds):
        labels = {str(name): described(one) for name, one in round.by_label.items()}
        return {"number": round.number, "labels": labels}
    return described(round)


def _json(record: dict[str, Any]) -> bytes:
    # Bytes of a file name that are no text become \\udc.., which JSON reads back.
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode(errors="backslashreplace")

"""The folder of a run: every file whole or not there, and enough to go on after a crash.

What --overwrite removes is in `RunFolder.begin`, what --resume asks for in `RunFolder.resume`; which files
are the run's own, and how each gets its name, in `run_files`.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from ..cells import Kind
from ..classifier import PseudoLabelClassifier
from ..common.versions import versions
from ..files import InputError, write_bytes
from ..handing_out import hand_out, judged_by_held_out
from ..reporting import report
from ..rounds.checkpoint import Checkpoint, described
from ..rounds.records import Round
from ..rounds.several import LabelRounds
from ..saving.model_file import load
from .facts import Facts
from .run_files import RunFiles, as_json
from .settings import Settings

# Before what an earlier run left is removed; then; and how a run may end.
_BEGINNING, _RUNNING = "beginning", "running"
COMPLETE, STOPPED = "complete", "interrupted"
# What the report shows of each column.
_SHOWN = ("name", "kind", "why", "n_missing", "n_distinct", "examples")


class RunFolder:
    """Where a run keeps what it finds.

    Parameters
    ----------
    path : str or Path
        The folder; it is there, and ours alone, while a run writes into it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.files = RunFiles(self.path)
        self.run = self.files.path
        self.state = self.path / "state.npz"
        self.model = self.path / "model.skops"
        self.history = self.path / "history.json"
        self.page = self.path / "report.html"
        # What the Dask classifier keeps between two rounds, a file for each shard.
        self.kept_shards = self.path / "parts"

    # Before a run.

    def check_options(self, settings: Settings, *, resume: bool, overwrite: bool) -> None:
        """Refuse what `begin` would refuse after all files were read, as far as it can be told before."""
        if resume and overwrite:
            raise InputError("--resume goes on with a run and --overwrite replaces it. Give one of them.")
        if not self._holds_run():
            read = [path for path in (settings.data, settings.unlabeled) if path is not None]
            # Where a file in the folder is to be read, `begin` says so.
            if not any(_same(self.path / name, read) for name in self.files.strangers()):
                self._check_strangers()
        elif not (resume or overwrite) and self.holds_work():
            raise InputError(
                f"{self.path} already holds a run. --resume goes on with it, --overwrite replaces it, "
                "--out names another folder."
            )

    def holds_work(self) -> bool:
        """Whether there is a run in the folder that came as far as the end of a round."""
        if not self._holds_run():
            return False
        status = self.record()["status"]
        kept = any(path.exists() for path in self._kept_rounds)
        return status != _BEGINNING and (kept or status != _RUNNING)

    def can_resume(self) -> bool:
        """Whether there is a run in the folder to go on with."""
        return self._holds_run() and self.record()["status"] != _BEGINNING

    def begin(self, settings: Settings, facts: Facts, known: dict[str, Any] | None = None) -> None:
        """Make the folder ready for a new run: remove what an earlier one wrote, but not what is read.

        What is known from before goes into run.json.
        """
        known = known or {}
        self._check_outputs(facts)
        if not self._holds_run():
            self._check_strangers()
        elif not self.files.are_listed and self.files.strangers():
            raise InputError(
                f"{self.path} holds a run of an earlier release, which did not list its files: what it wrote "
                "and what is yours cannot be told apart. Name another --out, or delete the folder yourself."
            )
        self.files.check(self._names(settings, facts))
        self.files.sweep()
        if self.files.names:
            # The disk may be full: nothing is removed before something could be written.
            self.write_record(settings, facts, _BEGINNING, **known)
        # Labels, model and history stay until those of this run are there.
        stay = {*facts.outputs, self.model.name, self.history.name}
        stay |= {name for name in self.files.names if _same(self.path / name, facts.reads)}
        self.files.remove(self.files.names - stay)
        self.write_record(settings, facts, _RUNNING, **known)

    def resume(self, settings: Settings, facts: Facts) -> tuple[dict[str, Any], int]:
        """The record of an earlier run and how many rounds it kept; refused if it was another run."""
        record = self._same_run(settings, facts.digests)
        self._check_outputs(facts)
        self.files.load()
        if record["status"] == COMPLETE:
            self.files.check_not_answered(facts.outputs)
            self.files.sweep()
            self.forget()
            return record, self._n_rounds_kept()
        if not self.files.are_listed:
            for path in (self.state, self.kept_shards):
                self.files.adopt(path.name)
        self.files.check(self._names(settings, facts))
        self.files.sweep()
        return record, self._n_rounds_kept()

    def _holds_run(self) -> bool:
        """Whether there is a run in the folder; what run.json lists is known then."""
        self.files.load()
        return os.path.lexists(self.run)

    def _names(self, settings: Settings, facts: Facts) -> set[str]:
        """What a run may write beside run.json, by name."""
        kept = self.state if settings.engine == "local" else self.kept_shards
        names = {*facts.outputs, self.model.name, self.history.name, kept.name}
        if settings.report and settings.engine == "local":
            names.add(self.page.name)
            if facts.several:
                names |= {f"{self.page.stem}-{k + 1}.html" for k in range(len(facts.counts))}
        return names

    def _check_strangers(self) -> None:
        """Refuse a folder that holds what looks like files of a run, and no run."""
        names = self.files.strangers()
        if names:
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            them = "them" if len(names) > 1 else "it"
            raise InputError(
                f"{self.path} holds {shown}, and no run that wrote {them}. Nothing is replaced that a run "
                f"did not write: move {them}, or name another --out."
            )

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
                f"{self.path} cannot be resumed, it is another run: {'; '.join(differences)}. Start anew "
                "with --overwrite, or name another --out."
            )
        return record

    def _check_outputs(self, facts: Facts) -> None:
        """Refuse to write over what is read, or beside it in a folder of ours."""
        for path in (self.path / name for name in facts.outputs):
            if _same(path, facts.reads):
                raise InputError(
                    f"The labels would be written over {path}, which is read. Name another --out."
                )
            if any(read.resolve().parent == path.resolve() for read in facts.reads):
                raise InputError(
                    f"The labels would be written into {path.resolve()}, which is read. Name another --out."
                )

    # Between two rounds.

    @property
    def _kept_rounds(self) -> tuple[Path, Path]:
        """Where the rounds so far may be: of a table in memory, of one in shards."""
        return self.state, self.kept_shards / "rounds.npz"

    def keep(self, checkpoint: Checkpoint) -> None:
        """Remember what is known after a round."""
        with self.files.placing(self.state.name) as path:
            write_bytes(path, checkpoint.to_bytes())

    def kept(self) -> Checkpoint | None:
        """What is known after the last round of a run in memory."""
        return _checkpoint(self.state)

    def forget(self) -> None:
        """Remove what is known after the last round: the run is complete."""
        if self.files.remove([self.state.name, self.kept_shards.name]):
            self.files.write()

    def _n_rounds_kept(self) -> int:
        found = [checkpoint for path in self._kept_rounds if (checkpoint := _checkpoint(path)) is not None]
        # Of several labels, each has rounds of its own.
        return max((len(one.history) for each in found for one in (each, *each.labels)), default=0)

    # What a run writes, besides its tables.

    def write_model(self, clf: PseudoLabelClassifier) -> None:
        """The classifier."""
        with self.files.placing(self.model.name) as path:
            clf.save(path)

    def write_history(self, clf: PseudoLabelClassifier) -> None:
        """A record for each round, and the verdict."""
        verdict = clf.verdict_
        history = {
            "classes": [str(label) for label in clf.classes_],
            "rounds": [_described(round) for round in clf.history_],
            "ended": clf.termination_condition_,
            "verdict": None if verdict is None else asdict(verdict) | {"words": str(verdict)},
            "cleaned": None if clf.cleaned_ is None else str(clf.cleaned_),
        }
        with self.files.placing(self.history.name) as path:
            write_bytes(path, as_json(history))

    def write_record(self, settings: Settings, facts: Facts, status: str, **found: Any) -> None:
        """What was asked, of what, with which releases, and how it ended."""
        record = {
            "status": status,
            "settings": settings.plain(),
            "digests": facts.digests,
            "kinds": [asdict(kind) for kind in facts.kinds.values()],
            "versions": versions(),
            "outputs": list(facts.outputs),
        }
        self.files.write(record | facts.record | found)

    def write_page(
        self, clf: PseudoLabelClassifier, settings: Settings, X: pd.DataFrame | None = None
    ) -> Path:
        """The report of the run, in its folder."""
        # A page may come with others, and their names are in its links.
        with tempfile.TemporaryDirectory() as folder:
            first = self.write_page_to(Path(folder) / self.page.name, clf, settings, X)
            for page in sorted(first.parent.iterdir()):
                with self.files.placing(page.name) as path:
                    write_bytes(path, page.read_bytes())
        return self.page

    def write_page_to(
        self, path: Path, clf: PseudoLabelClassifier, settings: Settings, X: pd.DataFrame | None = None
    ) -> Path:
        """The report of the run, in a file that the caller names."""
        record = self.record()
        details = {
            "input": Path(settings.data).name,
            "columns": [{key: kind[key] for key in _SHOWN if key in kind} for kind in record["kinds"]],
            "settings": settings.options(),
            "versions": record["versions"],
            "seed": settings.seed,
            "command": settings.command(self.path),
            "run": shlex.quote(str(self.path)),
            "fill": _asked_of_labels(clf, settings),
        }
        return report(clf, path, X=X, details=details)

    # After a run.

    def record(self) -> dict[str, Any]:
        """What run.json says."""
        return self.files.read()

    def finished_record(self) -> dict[str, Any]:
        """What run.json says of a run that has left a model; refused where there is none."""
        record = self.record()
        if record["status"] in (_BEGINNING, _RUNNING) or not self.model.exists():
            raise InputError(f"{self.path} holds no model yet; its run has not come to its end.")
        self.files.check_plain(self.model.name)
        return record

    def loaded(self) -> PseudoLabelClassifier:
        """The model, with the labels handed out last: `surelabel fill` decides anew, and leaves it alone."""
        clf, settings = load(self.model), Settings.of(self.record()["settings"])
        if "filled" in clf.pseudo_labels_:
            hand_out(clf, clf.fill(**_asked_of_labels(clf, settings)))
        return clf

    def kinds(self) -> dict[str, Kind]:
        """What each column was taken for."""
        try:
            kinds = [Kind(**kind | {"examples": tuple(kind["examples"])}) for kind in self.record()["kinds"]]
            return {kind.name: kind for kind in kinds}
        except (TypeError, KeyError) as error:
            raise InputError(f"{self.run} is damaged: the kinds of its columns cannot be read.") from error


def _asked_of_labels(clf: PseudoLabelClassifier, settings: Settings) -> dict[str, Any]:
    """What settings ask of the labels of a finished run, as arguments of `fill`."""
    return {
        "right": settings.right,
        "confidence": settings.confidence,
        "per_class": settings.per_class,
        # Of what was filled in without held-out rows, nothing is promised.
        "promise": settings.promise and (judged_by_held_out(clf) or not _any_filled(clf)),
    }


def _any_filled(clf: PseudoLabelClassifier) -> bool:
    return "filled" in clf.pseudo_labels_ and bool(clf.pseudo_labels_["filled"].notna().any())


def _same(path: Path, others: Iterable[str | Path]) -> bool:
    """Whether a path leads to one of other files."""
    try:
        return path.exists() and any(os.path.exists(other) and path.samefile(other) for other in others)
    except (OSError, ValueError):
        return False  # reading it will say why


def _checkpoint(path: Path) -> Checkpoint | None:
    if not path.exists():
        return None
    try:
        found: Checkpoint = Checkpoint.from_bytes(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} is damaged ({error}). Delete it, and --resume begins with round 1; or name another "
            "--out."
        ) from error
    return found


def _described(round: Round | LabelRounds) -> dict[str, Any]:
    if isinstance(round, LabelRounds):
        labels = {str(name): described(one) for name, one in round.by_label.items()}
        return {"number": round.number, "labels": labels}
    return described(round)

"""What a run wrote into its folder, as run.json lists it: this it may replace and remove, and nothing else.

Each file is listed by its name and the SHA-256 digest of its content, and before it is there: it is written
under a temporary name, its digest goes into run.json, and then it gets its name. So at whatever moment a run
is killed, every file of it is listed or temporary. Links are not followed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import InputError, OutputError, write_bytes

_FORMAT = 1
_SHAPE = {"status": str, "settings": dict, "digests": dict, "kinds": list, "versions": dict}
# A record of a million columns is smaller.
_MOST_BYTES = 1_000_000_000
_TABLE = r"(labels|unlabeled)\.((csv|tsv|jsonl|ndjson)(\.gz)?|parquet|pq|xlsx)"
_NAME = re.compile(
    rf"{_TABLE}|labels/part-\d{{5,}}\.parquet|report(-\d+)?\.html|model\.skops|history\.json|state\.npz",
    re.IGNORECASE,
)
_FOLDERS = ("labels", "parts")
_TEMPORARY = re.compile(r"\.surelabel-[0-9a-f]+\.tmp")
# What the Dask classifier keeps in `parts`, and in its folder of a round.
_KEPT = re.compile(r"parts\.json|rounds\.npz|" + _TEMPORARY.pattern)
_KEPT_OF_ROUND = re.compile(r"part-\d+\.npz|" + _TEMPORARY.pattern)
_ROUND = re.compile(r"round-\d+")
_AWAY = "Move it, or name another --out."


@dataclass(frozen=True)
class Staged:
    """A file of a run that is written and does not have its name yet.

    Parameters
    ----------
    path : Path
        Where it is.
    digest : str
        SHA-256 of its content.
    """

    path: Path
    digest: str


class RunFiles:
    """run.json, and the files that it lists.

    Parameters
    ----------
    folder : Path
        Of the run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "run.json"
        # Digests by name: of files that are there, and of those that are about to get their names.
        self._files: dict[str, str] = {}
        self._writing: dict[str, str] = {}
        self._folders: list[str] = []
        self._said: dict[str, Any] = {}

    # The record.

    @property
    def names(self) -> set[str]:
        """Of the files and folders that are listed."""
        return {*self._files, *self._writing, *self._folders}

    @property
    def are_listed(self) -> bool:
        """Whether run.json lists files; that of the first release does not."""
        return "files" in self._said

    def read(self) -> dict[str, Any]:
        """What run.json says; refused where it is not the record of a run."""
        _check_plain(self.path)
        try:
            if self.path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            record = json.loads(self.path.read_bytes())
        except FileNotFoundError as error:
            raise InputError(f"{self.folder} holds no run: there is no {self.path.name} in it.") from error
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"{self.path} cannot be read as the record of a run ({error}). {_AWAY}"
            ) from error
        if not isinstance(record, dict) or record.get("format") != _FORMAT:
            raise InputError(f"{self.path} is not the record of a run that this release knows. {_AWAY}")
        for name, kind in _SHAPE.items():
            if not isinstance(record.get(name), kind):
                raise InputError(f"{self.path} is damaged: it holds no {name}. {_AWAY}")
        for listed in (record.get("files", {}), record.get("writing", {})):
            self._check_listed(listed)
        return record

    def load(self) -> None:
        """Know the files that run.json lists; none, where there is no run.json."""
        if not os.path.lexists(self.path):
            return
        self._said = self.read()
        self._files, self._writing = dict(self._said.get("files", {})), dict(self._said.get("writing", {}))
        folders = self._said.get("folders")
        self._folders = [name for name in _FOLDERS if isinstance(folders, list) and name in folders]

    def write(self, record: dict[str, Any] | None = None) -> None:
        """Write run.json: a new record, or the same with the files that are listed by now."""
        said = {key: value for key, value in (record or self._said).items() if key != "writing"}
        listed = {"files": dict(sorted(self._files.items())), "folders": self._folders}
        listed |= {"writing": self._writing} if self._writing else {}
        self._said = {"format": _FORMAT} | said | listed
        write_bytes(self.path, as_json(self._said))

    def _check_listed(self, listed: object) -> None:
        """Refuse a list with files that no run writes."""
        if not isinstance(listed, dict):
            raise InputError(f"{self.path} is damaged: its list of files cannot be read. {_AWAY}")
        for name, digest in listed.items():
            if not _NAME.fullmatch(name) or not isinstance(digest, str):
                raise InputError(f"{self.path} is damaged: it lists {name!r}, which no run writes. {_AWAY}")

    # What is in the way.

    def check_plain(self, name: str) -> None:
        """Refuse a file of the run that is a link."""
        _check_plain(self.folder / name)

    def strangers(self) -> list[str]:
        """What is in the folder, has a name that runs use, and is not listed."""
        if not self.folder.is_dir():
            return []
        known = self.names | ({self.path.name} if self._said else set())
        return [name for name in sorted(os.listdir(self.folder)) if name not in known and self.is_used(name)]

    def is_used(self, name: str) -> bool:
        """Whether runs use a name, in their folders."""
        return bool(_NAME.fullmatch(name)) or name in (*_FOLDERS, self.path.name)

    def check(self, names: Iterable[str] = ()) -> None:
        """Refuse a file that is not as the run wrote it, and what is in the way of others.

        Parameters
        ----------
        names : iterable of str
            Of files and folders that are to be written.
        """
        for name in sorted({*self._files, *self._writing}):
            self._check_own(name)
        self._writing = {}
        for name in self._folders:
            self._check_folder(name)
        for name in sorted(set(names) - self.names):
            self._check_free(name)

    def _check_free(self, name: str) -> None:
        """Refuse what is there under a name that the run would use."""
        path = self.folder / name
        if os.path.lexists(path):
            _check_plain(path, folder=path.is_dir())
            raise InputError(f"{path} is in the way: no record says that a run wrote it. {_AWAY}")

    def _check_own(self, name: str) -> None:
        """Refuse a file that has changed; one that is gone is no longer listed."""
        path = self.folder / name
        if path.parent != self.folder:  # the folder itself is named by the user, and may be a link
            _check_plain(path.parent, folder=True)
        _check_plain(path)
        listed = self._files.pop(name, None), self._writing.pop(name, None)
        if path.exists():
            self._files[name] = digest_of(path)
            if self._files[name] not in listed:
                raise InputError(
                    f"{path} has changed since the run wrote it, and is not replaced. {_way_out(path)}"
                )

    def check_not_answered(self, names: Iterable[str]) -> None:
        """Refuse tables that were changed since the run wrote them: nobody would read what is in them."""
        for name in sorted(set(names) & self._files.keys()):
            path = self.folder / name
            if path.exists() and digest_of(path) != self._files[name]:
                raise InputError(
                    f"{path} has changed since the run wrote it, and --resume does not read it. "
                    f"{_way_out(path)}"
                )

    def _check_folder(self, name: str) -> None:
        """Refuse a folder of the run that is a link or holds one."""
        path = self.folder / name
        _check_plain(path, folder=True)
        for entry in _entries(path):
            is_folder = entry.is_dir(follow_symlinks=False)
            _check_plain(Path(entry.path), folder=is_folder)
            for inner in _entries(Path(entry.path)) if is_folder and _ROUND.fullmatch(entry.name) else ():
                _check_plain(Path(inner.path))

    # Writing and removing.

    def adopt(self, name: str) -> None:
        """List a file or a folder that is there: a run of the first release wrote it, and listed nothing."""
        path = self.folder / name
        if os.path.lexists(path):
            _check_plain(path, folder=name in _FOLDERS)
            if name in _FOLDERS:
                self._folders.append(name)
            else:
                self._files[name] = digest_of(path)

    def make_folder(self, name: str) -> Path:
        """Make a folder for files of the run; it is listed first."""
        if name not in self._folders:
            self._check_free(name)
            self._folders.append(name)
            self.write()
        self._check_folder(name)
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    def staging(self, name: str) -> Path:
        """A temporary path for a file of the run, in the folder that the file will be in."""
        return (self.folder / name).parent / f".surelabel-{secrets.token_hex(8)}.tmp"

    @contextmanager
    def placing(self, name: str) -> Iterator[Path]:
        """A path to write a file of the run to; it gets its name when the block ends."""
        temporary = self.staging(name)
        try:
            yield temporary
            self.place({name: Staged(temporary, digest_of(temporary))})
        except (InputError, OutputError) as error:
            raise type(error)(str(error).replace(str(temporary), str(self.folder / name))) from error
        finally:
            temporary.unlink(missing_ok=True)

    def place(self, staged: Mapping[str, Staged]) -> None:
        """Give files of the run their names, after run.json has their digests."""
        for name in {*staged, *self._writing}:
            if name in self.names:
                self._check_own(name)
            else:
                self._check_free(name)
        self._writing = {name: each.digest for name, each in staged.items()}
        self.write()
        for name, each in staged.items():
            path = self.folder / name
            if path.exists():
                os.chmod(each.path, path.stat().st_mode & 0o7777)
            os.replace(each.path, path)
        for folder in {(self.folder / name).parent for name in staged}:
            _sync(folder)
        self._files |= self._writing
        self._writing = {}

    def remove(self, names: Iterable[str]) -> bool:
        """Remove files and folders of the run, folders if nothing else is in them; whether there were any."""
        unwanted = self.names.intersection(names)
        for name in unwanted - set(_FOLDERS):
            self._check_own(name)
            (self.folder / name).unlink(missing_ok=True)
            self._files.pop(name, None)
        for name in unwanted.intersection(_FOLDERS):
            self._check_folder(name)
            if name == "parts":
                _empty(self.folder / name)
            _remove_empty(self.folder / name)
            self._folders.remove(name)
        return bool(unwanted)

    def sweep(self) -> None:
        """Remove temporary files that a run left when it was killed while it wrote."""
        for folder in (self.folder, *(self.folder / name for name in self._folders)):
            _remove_files(folder, _TEMPORARY)


def _way_out(path: Path) -> str:
    """What to do with a file that was changed: in a table there may be labels of a person."""
    if not re.fullmatch(_TABLE, path.name, re.IGNORECASE):
        return "Move it away; surelabel label can also name another --out."
    return (
        "Move it away, or take in the labels that you wrote into it: surelabel label "
        f"{path}, with the --target of this run and another --out."
    )


def digest_of(path: Path) -> str:
    """SHA-256 of the content of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_plain(path: Path, folder: bool = False) -> None:
    """Refuse what is there and is no regular file, or no folder: a link above all."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(mode):
        raise InputError(
            f"{path} is a link, and links in the folder of a run are not followed. Remove it, or name "
            "another --out."
        )
    if not (stat.S_ISDIR if folder else stat.S_ISREG)(mode):
        raise InputError(f"{path} is not a {'folder' if folder else 'regular file'}. {_AWAY}")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder, if there is one; a link is none."""
    return [] if folder.is_symlink() or not folder.is_dir() else list(os.scandir(folder))


def _empty(parts: Path) -> None:
    """Remove what the Dask classifier keeps between rounds; other files stay."""
    _remove_files(parts, _KEPT)
    for entry in _entries(parts):
        if entry.is_dir(follow_symlinks=False) and _ROUND.fullmatch(entry.name):
            _remove_files(Path(entry.path), _KEPT_OF_ROUND)
            _remove_empty(Path(entry.path))


def _remove_files(folder: Path, names: re.Pattern[str]) -> None:
    """Remove regular files by their names."""
    for entry in _entries(folder):
        if names.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            os.unlink(entry.path)


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not _entries(folder):
        folder.rmdir()


def _sync(folder: Path) -> None:
    """Make sure that new names in a folder outlast a power failure."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def as_json(record: dict[str, Any]) -> bytes:
    """A record as JSON text."""
    # Bytes of a file name that are no text become \\udc.., which JSON reads back.
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode(errors="backslashreplace")

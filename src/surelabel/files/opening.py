"""The bytes of a file: all of them, of a bounded number, and only of what is a file."""

from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path

from ..common.errors import InputError, did_you_mean
from .sizes import MOST_BYTES, check_bytes

_NO_FILES = (
    (stat.S_ISDIR, "a folder. Name a file in it."),
    (stat.S_ISFIFO, "a pipe, not a file. Write what comes out of it to a file, and name that."),
    (stat.S_ISCHR, "a device, not a file. Name a file."),
    (stat.S_ISBLK, "a device, not a file. Name a file."),
    (stat.S_ISSOCK, "a socket, not a file. Name a file."),
)


def check_file(path: Path) -> None:
    """Refuse what is no file before it is opened: to open a pipe may wait forever, a device has no end."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError as error:
        raise InputError(f"No file {str(path)!r}{_near(path)}") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    for is_kind, what in _NO_FILES:
        if is_kind(mode):
            raise InputError(f"{path} is {what}")


def bytes_of(path: Path, kind: str) -> bytes:
    """All bytes of a file of this kind, as they were at one moment."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            check_bytes(size, kind, path)
            data = file.read(size)
            now = os.fstat(file.fileno()).st_size
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if not len(data) == size == now:
        raise InputError(
            f"{path} changed while it was read: it had {size:,} bytes, then {now:,}. "
            "Wait until it is written."
        )
    return data


def unpacked(data: bytes, kind: str, path: Path) -> bytes:
    """What a gzip file holds, which may be several packed files after each other."""
    most = MOST_BYTES[kind] + 1
    parts: list[bytes] = []
    while data:
        unzip = zlib.decompressobj(wbits=31)
        try:
            parts.append(unzip.decompress(data, most))
        except zlib.error as error:
            raise InputError(
                f"{path}: not a sound gzip file ({error}). Compress or download it again."
            ) from error
        check_bytes(sum(map(len, parts)), kind, path, "unpacks to")
        if not unzip.eof:
            raise InputError(f"{path}: the compressed file is cut short. Copy or download it again.")
        data = unzip.unused_data.lstrip(b"\0")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    return InputError(f"Cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}.")


def _near(path: Path) -> str:
    """What else the file may be called, for the end of a sentence."""
    if not path.parent.is_dir():
        return f"; there is no folder {str(path.parent)!r}."
    try:
        near = did_you_mean(path.name, [other.name for other in path.parent.iterdir() if other.is_file()])
    except OSError:
        near = None
    return "." if near is None else f"; did you mean {str(path.parent / near)!r}?"

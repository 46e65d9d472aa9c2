"""A folder is written by one process at a time."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..common.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

# Errors of drives, some on a network, that cannot lock folders.
_NO_CLAIMS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextmanager
def alone_in(folder: Path | str) -> Iterator[None]:
    """Claim a folder for as long as the block lasts, also against other processes; it is made if need be.

    The claim ends with the process, however that ends, and leaves nothing behind.

    Parameters
    ----------
    folder : str or Path
        Whose files are to be written.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {folder}: {error.strerror}.") from error
    if fcntl is None:
        yield
        return
    claim = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(claim)
        raise InputError(
            f"Another run is writing into {folder}. Wait for it, or name another --out."
        ) from None
    except OSError as error:
        if error.errno not in _NO_CLAIMS:
            os.close(claim)
            raise
    try:
        yield
    finally:
        os.close(claim)

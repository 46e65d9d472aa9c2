"""Models in files: nothing in a file is run, and nothing damaged reaches a model.

A file is a zip archive of two members: a header in JSON (versions, size and digest of the rest)
and the model as skops writes it: names of types, their attributes, and arrays. What `load` does,
in this order: bound every size, compare the digest, compare the types with a list of those that
a model of this package is made of, build the model. Pickle is used nowhere.

The digest shows damage, not bad intent. A file made to do harm cannot run code. What scikit-learn's
compiled code takes on trust is checked (`native`); what XGBoost's takes is not, so a stranger's file with
boosters may crash the process.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

from ..common.notice import notice
from ..common.versions import installed, versions
from ..files import replacing
from . import packed, pandas_values  # noqa: F401, their stands are known once they are imported
from .codec import name_of, plain
from .native import check
from .skops_import import skops_io
from .trusted_types import TRUSTED, at_home

# Version 2: types are named by where they live since the second release. Version 3: trees are packed.
_FORMAT, FORMAT_VERSION = "surelabel model", 3
# Of 9: more takes several times as long for a few percent.
_COMPRESSION = 1
_HEADER, _PAYLOAD, _SCHEMA = "header.json", "model.skops", "schema.json"
_MOST_HEADER = 64 * 1024
_PACKAGES = ["surelabel", "scikit-learn", "numpy", "scipy", "pandas", "skops", "xgboost", "xgboost-cpu"]


class ModelFileError(ValueError):
    """A file from which no model can be loaded; the message says why.

    See Also
    --------
    load : Raises it.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.NamedTemporaryFile(delete=False) as file:
    ...     _ = file.write(b"not a model")
    >>> try:
    ...     load(file.name)
    ... except ModelFileError as error:
    ...     print(str(error).removeprefix(file.name))
     is not a model of surelabel, or its end is missing.
    >>> os.remove(file.name)
    """


def save(model: BaseEstimator, path: Path | str) -> None:
    """Write a model into a file, all of it or nothing.

    Types that `load` takes only if they are named (`trusted`) are told in a warning.

    Parameters
    ----------
    model : estimator
        Fitted or not.
    path : str or path
        Where to; a file there is replaced.
    """
    payload = skops_io().dumps(plain(model), compression=zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION)
    header = {
        "format": _FORMAT,
        "version": FORMAT_VERSION,
        "packages": versions(_PACKAGES),
        "bytes": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER), json.dumps(header, indent=1))
        archive.writestr(zipfile.ZipInfo(_PAYLOAD), payload)
    if strange := _strange(payload, TRUSTED):
        notice(
            f"{path} holds types that surelabel does not know: {', '.join(strange)}. It is written in full; "
            f"to read it, name them: load(path, trusted={strange})."
        )


def load(path: Path | str, *, trusted: Iterable[type | str] = (), max_bytes: int = 2 * 1024**3) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : list of types or of their full names, default=()
        Types of your own in the model, such as a classifier in its committee. Code of these
        types runs when they are loaded; name only what you know.
    max_bytes : int, default=2 GiB
        Most bytes that the model may take, in the file and unpacked.

    Returns
    -------
    model : estimator

    Raises
    ------
    ModelFileError
        When the file is damaged, too large, of a newer format, not a model, or holds types
        that are not trusted.
    OSError
        When it cannot be read at all.

    See Also
    --------
    surelabel.PseudoLabelClassifier.save : Writes such a file.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from surelabel import Repeated
    >>> X, y = load_iris(return_X_y=True)
    >>> committee = Repeated(GaussianNB(), 3, over="bootstrap", random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.surelabel")
    ...     save(committee, path)
    ...     load(path).predict(X[:2])
    array([0, 0])
    """
    data = _read(path, max_bytes)
    with _blaming(path):
        header, payload = _unpacked(data, max_bytes)
        del data
        _check_sizes(payload, max_bytes)
        if header["version"] < FORMAT_VERSION:
            payload = _renamed(payload)
        model = _built(payload, [kind if isinstance(kind, str) else name_of(kind) for kind in trusted])
        written = header["packages"].get("scikit-learn")
    if written != installed("scikit-learn"):
        notice(
            f"{path} was written with scikit-learn {written} and is read with {installed('scikit-learn')}: "
            "compare some predictions with those it gave before, or fit again."
        )
    return model


@contextmanager
def _blaming(path: Path | str) -> Iterator[None]:
    """Errors in the content of a file name the file."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from error.__cause__
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise ModelFileError(f"{path} cannot be read as a model ({what}).") from error


def _read(path: Path | str, max_bytes: int) -> bytes:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # to open a pipe may wait forever
        raise ModelFileError(f"{path} is not a regular file.")
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_size > max_bytes + _MOST_HEADER:
            raise ModelFileError(f"{path} {_too_large(status.st_size, max_bytes)}")
        return file.read()


def _too_large(size: int, max_bytes: int) -> str:
    return f"takes {size:,} bytes and max_bytes is {max_bytes:,}. If you trust the file, raise max_bytes."


def _unpacked(data: bytes, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """Header and payload, the payload as it was written."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise ModelFileError("is not a model of surelabel, or its end is missing.") from error
    members = archive.infolist()
    if [member.filename for member in members] != [_HEADER, _PAYLOAD]:
        raise ModelFileError(f"is not a model of surelabel: that is an archive of {_HEADER} and {_PAYLOAD}.")
    # Both are stored as they are, so no more can come out than the file has.
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ModelFileError("is damaged: its members are compressed.")
    for member, most in zip(members, (_MOST_HEADER, max_bytes), strict=True):
        _bound(member.file_size, most)
    header = json.loads(archive.read(_HEADER))
    _check_header(header)
    payload = archive.read(_PAYLOAD)
    if len(payload) != header["bytes"] or hashlib.sha256(payload).hexdigest() != header["sha256"]:
        raise ModelFileError("is damaged: its content is not what was written. Save the model again.")
    return header, payload


def _check_header(header: dict[str, Any]) -> None:
    if header["format"] != _FORMAT:
        raise ModelFileError(f"is a {header['format']!r} and no {_FORMAT!r}.")
    if header["version"] > FORMAT_VERSION:
        raise ModelFileError(
            f"has format version {header['version']}, written by surelabel "
            f"{header['packages']['surelabel']}; this is surelabel {installed('surelabel')}, "
            f"which reads versions up to {FORMAT_VERSION}. "
            "Install a newer surelabel."
        )
    if header["version"] not in range(1, FORMAT_VERSION + 1):
        raise ModelFileError(f"has format version {header['version']!r}, which there never was.")


def _check_sizes(payload: bytes, max_bytes: int) -> None:
    """Bound what unpacking can take, before anything is unpacked."""
    archive = zipfile.ZipFile(io.BytesIO(payload))
    _bound(_declared(archive), max_bytes)
    sizes = {}
    for member in archive.infolist():
        if member.filename in sizes:
            raise ModelFileError(f"is damaged: it holds {member.filename} twice.")
        sizes[member.filename] = member.file_size
        with archive.open(member) as content:
            # NumPy takes an archive for arrays, and unpacks these in turn.
            if content.read(2) == b"PK":
                sizes[member.filename] += _declared(zipfile.ZipFile(io.BytesIO(archive.read(member))))
    # Each object that names a member reads it anew.
    reads: dict[Any, int] = {}
    states = [json.loads(archive.read(_SCHEMA))]
    while states:
        state = states.pop()
        if isinstance(state, dict):
            if isinstance(state.get("file"), str):
                reader = state.get("__id__") or (len(reads),)
                reads[reader] = max(sizes[state["file"]], reads.get(reader, 0))
            states += state.values()
        elif isinstance(state, list):
            states += state
    _bound(sum(reads.values()), max_bytes)


def _declared(archive: zipfile.ZipFile) -> int:
    """What the members say they unpack to, in total; zipfile gives no more than that."""
    return sum(member.file_size for member in archive.infolist())


def _bound(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise ModelFileError(_too_large(size, max_bytes))


def _renamed(payload: bytes) -> bytes:
    """A payload in which the package's own types are named by where they live now."""
    archive = zipfile.ZipFile(io.BytesIO(payload))
    schema = json.loads(archive.read(_SCHEMA))
    if not at_home(schema):
        return payload
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for member in archive.infolist():
            content = json.dumps(schema) if member.filename == _SCHEMA else archive.read(member)
            out.writestr(zipfile.ZipInfo(member.filename), content)
    return file.getvalue()


def _strange(payload: bytes, allowed: Set[str]) -> list[str]:
    """Names of the types in a payload that are not allowed; no array of it is unpacked."""
    archive, file = zipfile.ZipFile(io.BytesIO(payload)), io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for name in archive.namelist():
            out.writestr(zipfile.ZipInfo(name), archive.read(name) if name == _SCHEMA else b"")
    return sorted(set(skops_io().get_untrusted_types(data=file.getvalue())) - allowed)


def _built(payload: bytes, trusted: Iterable[str]) -> Any:
    skops = skops_io()
    from skops.io.exceptions import UntrustedTypesFoundException

    allowed = TRUSTED.union(trusted)
    try:
        with warnings.catch_warnings():
            # One for each estimator in the model; `load` says it once.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            model = skops.loads(payload, trusted=sorted(allowed))
    except UntrustedTypesFoundException as error:
        strange = _strange(payload, allowed)
        raise ModelFileError(
            f"holds types that surelabel does not know: {', '.join(strange)}. If they are yours, or you know "
            f"what they do: load(path, trusted={strange})."
        ) from error
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"holds no model but {type(model).__name__}.")
    check(model)
    return model

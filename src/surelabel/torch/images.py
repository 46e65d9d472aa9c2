"""CIFAR-10 and CIFAR-100 from their archives, as arrays; nothing in an archive is run."""

from __future__ import annotations

import io
import pickle
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.types import Ints, Values
from ..files import InputError

_SIDE = 32
_PIXELS = 3 * _SIDE * _SIDE


@dataclass(frozen=True)
class Images:
    """Pictures and their classes.

    Parameters
    ----------
    pixels : ndarray of shape (n, 3, 32, 32)
        From 0 to 255.
    codes : ndarray of shape (n,)
        Their classes.
    """

    pixels: NDArray[np.uint8]
    codes: Ints

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class _Layout:
    """How the official archives of a dataset are laid out."""

    archive: str  # the folder within and the file without its ending
    binary: str
    train: tuple[str, ...]
    test: str
    key: bytes  # of the classes in a pickle
    leading: int  # bytes before the pixels in a binary record; the last of them is the class


_LAYOUTS = {
    "cifar10": _Layout(
        "cifar-10-batches-py cifar-10-python",
        "cifar-10-batches-bin cifar-10-binary",
        tuple(f"data_batch_{i}" for i in range(1, 6)),
        "test_batch",
        b"labels",
        1,
    ),
    "cifar100": _Layout(
        "cifar-100-python cifar-100-python", "cifar-100-binary cifar-100-binary", ("train",), "test",
        b"fine_labels", 2,
    ),
}  # fmt: skip


def read_cifar(folder: Path | str, name: str = "cifar10") -> tuple[Images, Images]:
    """Training and test images of CIFAR-10 or CIFAR-100.

    Parameters
    ----------
    folder : str or path
        Where one of these is, packed (.tar.gz) or unpacked: the Python or the binary archive as
        published; or a folder of that name with {name}_train_jpeg.npz and {name}_test_jpeg.npz,
        JPEG files one after the other (`jpeg`, `offsets`, `labels`), which need Pillow.
    name : {"cifar10", "cifar100"}
        Which.

    Returns
    -------
    train, test : Images
    """
    if name not in _LAYOUTS:
        raise InputError(f"name must be one of {', '.join(_LAYOUTS)}; it is {name!r}.")
    folder, layout = Path(folder), _LAYOUTS[name]
    packed = [folder / name / f"{name}_{part}_jpeg.npz" for part in ("train", "test")]
    if all(path.exists() for path in packed):
        return _from_jpeg(packed[0]), _from_jpeg(packed[1])
    kinds: list[tuple[str, str, Callable[[bytes, _Layout, str], Images]]] = [
        (layout.archive, "", _from_pickle),
        (layout.binary, ".bin", _from_binary),
    ]
    for places, suffix, parse in kinds:
        inside, file = places.split()
        read = _reader(folder, inside, file)
        if read is not None:
            train = [parse(read(part + suffix), layout, part) for part in layout.train]
            return _joined(train), parse(read(layout.test + suffix), layout, layout.test)
    wanted = [f"{places.split()[1]}.tar.gz" for places, _, _ in kinds]
    raise InputError(
        f"{name} is not in {folder}: put {wanted[0]} or {wanted[1]} there, packed or not, from "
        "https://www.cs.toronto.edu/~kriz/cifar.html."
    )


def _reader(folder: Path, inside: str, file: str) -> Callable[[str], bytes] | None:
    """A function from a member's name to its bytes; None where the archive is not there."""
    if (folder / inside).is_dir():
        return lambda member: _opened(folder / inside / member)
    path = folder / f"{file}.tar.gz"
    if not path.exists():
        return None

    def read(member: str) -> bytes:
        # Into memory, by name: nothing is unpacked to disk.
        try:
            with tarfile.open(path) as archive:
                found = archive.extractfile(f"{inside}/{member}")
                return found.read() if found else b""
        except (KeyError, OSError, EOFError, tarfile.TarError) as error:
            raise InputError(f"{path} has no {inside}/{member}, or it is damaged ({error}).") from error

    return read


def _opened(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


class _Arrays(pickle.Unpickler):
    """Reads dicts, lists, numbers, strings and arrays, and refuses all else."""

    _KNOWN = {  # noqa: RUF012
        ("numpy.core.multiarray", "_reconstruct"): np._core.multiarray._reconstruct,  # type: ignore[attr-defined]
        ("numpy._core.multiarray", "_reconstruct"): np._core.multiarray._reconstruct,  # type: ignore[attr-defined]
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
    }

    def find_class(self, module: str, name: str) -> Any:
        """The few names that an archive of CIFAR needs."""
        if (module, name) not in self._KNOWN:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no CIFAR file needs")
        return self._KNOWN[module, name]


def _from_pickle(data: bytes, layout: _Layout, part: str) -> Images:
    try:
        content = _Arrays(io.BytesIO(data), encoding="bytes").load()
        pixels, codes = np.asarray(content[b"data"]), np.asarray(content[layout.key])
    except Exception as error:
        # Damaged pickles raise whatever comes first.
        raise InputError(f"{part} is not a file of CIFAR: {type(error).__name__}, {error}.") from error
    return _checked(pixels, codes, part)


def _from_binary(data: bytes, layout: _Layout, part: str) -> Images:
    length = layout.leading + _PIXELS
    if not data or len(data) % length:
        raise InputError(f"{part} is not a file of CIFAR: {len(data)} bytes are not records of {length}.")
    records = np.frombuffer(data, dtype=np.uint8).reshape(-1, length)
    return _checked(records[:, layout.leading :], records[:, layout.leading - 1], part)


def _from_jpeg(path: Path) -> Images:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(f"{path} holds JPEG files, which need Pillow: pip install pillow.") from error
    try:
        with np.load(path, allow_pickle=False) as archive:
            jpeg, offsets, codes = (archive[part] for part in ("jpeg", "offsets", "labels"))
        pixels = np.empty((len(codes), _SIDE, _SIDE, 3), dtype=np.uint8)
        for i in range(len(codes)):
            with Image.open(io.BytesIO(jpeg[offsets[i] : offsets[i + 1]].tobytes())) as image:
                pixels[i] = np.asarray(image.convert("RGB"))
    except Exception as error:
        # NumPy, zipfile and Pillow each raise kinds of their own.
        raise InputError(f"{path} cannot be read: {type(error).__name__}, {error}.") from error
    return _checked(pixels.transpose(0, 3, 1, 2), codes, path.name)


def _checked(pixels: Values, codes: Values, part: str) -> Images:
    plain = pixels.dtype == np.uint8 and codes.dtype.kind in "iu" and codes.ndim == 1
    if not plain or pixels.size != len(codes) * _PIXELS:
        raise InputError(
            f"{part} is not a file of CIFAR: pixels {pixels.dtype} {pixels.shape}, classes {codes.dtype} "
            f"{codes.shape}."
        )
    return Images(np.ascontiguousarray(pixels).reshape(-1, 3, _SIDE, _SIDE), codes.astype(int))


def _joined(parts: list[Images]) -> Images:
    return Images(np.concatenate([p.pixels for p in parts]), np.concatenate([p.codes for p in parts]))

"""Images: the networks, the readers of CIFAR, which run nothing, and the changes to training images."""

import contextlib
import io
import os
import pickle
import pickletools
import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from surelabel.files import InputError  # noqa: E402
from surelabel.torch import WideResNet, augment, images, mc_dropout  # noqa: E402
from surelabel.torch.images import read_cifar  # noqa: E402
from surelabel.torch.protocol import cifar_model, cifar_training  # noqa: E402

# Networks


def test_wide_resnets_have_the_sizes_of_their_paper():
    # Zagoruyko and Komodakis 2016, table 4: 36.5 million weights in WRN-28-10, 0.6 in WRN-40-1.
    for depth, width, millions in [(28, 10, 36.5), (40, 1, 0.6), (28, 2, 1.5)]:
        assert round(sum(w.numel() for w in WideResNet(10, depth, width).parameters()) / 1e6, 1) == millions
    convolutions = [part for part in WideResNet(10, 28, 2).modules() if isinstance(part, nn.Conv2d)]
    assert sum(part.kernel_size == (3, 3) for part in convolutions) == 25
    with pytest.raises(ValueError, match="it is 27"):
        WideResNet(10, depth=27)


def test_wide_resnets_halve_the_picture_twice_and_can_be_asked_in_passes():
    net = cifar_model(10, depth=10, width=1)
    shapes = []
    net[1].features.register_forward_hook(lambda *call: shapes.append(call[-1].shape))
    moments = mc_dropout(net, [torch.rand(3, 3, 32, 32)], passes=3)
    assert set(shapes) == {(3, 64, 8, 8)}
    assert (moments.variance.max(axis=1) > 0).all()
    assert cifar_training(1000).first().batch_size == 64
    assert cifar_training(4000).first().batch_size == 128


# Readers


def cifar(rng, n):
    """Rows of made-up pixels, and a class each."""
    return rng.integers(0, 256, (n, 3072), dtype=np.uint8), rng.integers(0, 10, n)


def as_pickle(pixels, codes, key=b"labels"):
    """As Python 2 wrote it: all text is of its one kind of string."""
    data = bytearray(pickle.dumps({b"data": pixels, key: codes.tolist()}, protocol=3))
    strings = {"SHORT_BINBYTES": b"U", "BINBYTES": b"T", "BINUNICODE": b"T"}
    for opcode, _, place in pickletools.genops(bytes(data)):
        if opcode.name in strings:
            data[place : place + 1] = strings[opcode.name]
    return bytes(data).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


@pytest.fixture
def parts(rng):
    return {name: cifar(rng, 4) for name in [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]}


def packed(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def check(folder, parts):
    train, test = read_cifar(folder)
    pixels = np.concatenate([parts[f"data_batch_{i}"][0] for i in range(1, 6)])
    assert_array_equal(train.pixels.reshape(len(train), -1), pixels)
    assert_array_equal(test.codes, parts["test_batch"][1])
    assert test.pixels.shape == (4, 3, 32, 32)


def test_the_network_of_the_protocol_is_that_of_ups():
    """Running means move by 0.001, and dropout comes before the second normalisation of a block."""
    net = cifar_model(10, depth=10, width=1)
    assert {part.momentum for part in net.modules() if isinstance(part, nn.BatchNorm2d)} == {0.001}
    body = next(part.body for part in net.modules() if hasattr(part, "body"))
    kinds = [type(part).__name__ for part in body]
    assert kinds == ["Conv2d", "Dropout", "BatchNorm2d", "Mish", "Conv2d"]


def test_archives_are_read_packed_and_unpacked(tmp_path, parts):
    pickles = {f"cifar-10-batches-py/{name}": as_pickle(*part) for name, part in parts.items()}
    binary = {
        f"cifar-10-batches-bin/{name}.bin": np.column_stack([codes.astype(np.uint8), pixels]).tobytes()
        for name, (pixels, codes) in parts.items()
    }
    for kind, members in [("cifar-10-python", pickles), ("cifar-10-binary", binary)]:
        folder = tmp_path / kind
        folder.mkdir()
        packed(folder / f"{kind}.tar.gz", members)
        check(folder, parts)
        for name, data in members.items():
            path = tmp_path / f"{kind}-open" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        check(tmp_path / f"{kind}-open", parts)


def test_cifar_100_has_fine_classes(tmp_path, rng):
    pixels, codes = cifar(rng, 3)
    folder = tmp_path / "cifar-100-python"
    folder.mkdir()
    for name in ("train", "test"):
        (folder / name).write_bytes(as_pickle(pixels, codes, b"fine_labels"))
    assert_array_equal(read_cifar(tmp_path, "cifar100")[0].codes, codes)
    binary = tmp_path / "b" / "cifar-100-binary"
    binary.mkdir(parents=True)
    coarse = np.zeros(3, dtype=np.uint8)
    for name in ("train.bin", "test.bin"):
        (binary / name).write_bytes(np.column_stack([coarse, codes.astype(np.uint8), pixels]).tobytes())
    assert_array_equal(read_cifar(tmp_path / "b", "cifar100")[1].codes, codes)


class Harm:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_runs_nothing(tmp_path, parts):
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    for name, part in parts.items():
        (folder / name).write_bytes(as_pickle(*part))
    (folder / "data_batch_1").write_bytes(pickle.dumps({b"data": Harm(tmp_path / "harmed")}))
    with pytest.raises(InputError, match=r"it asks for \w+\.mkdir, which no CIFAR file needs"):
        read_cifar(tmp_path)
    assert not (tmp_path / "harmed").exists()


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_a_damaged_pickle_gives_images_or_an_error_with_its_name(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(as_pickle(*cifar(rng, 1)))
    for _ in range(3):
        data[rng.integers(len(data) - 3072)] = rng.integers(256)
    with contextlib.suppress(InputError):  # and nothing else
        read = images._from_pickle(bytes(data), images._LAYOUTS["cifar10"], "data_batch_1")
        assert read.pixels.shape == (len(read), 3, 32, 32)
    with pytest.raises(InputError, match="data_batch_1 is not a file of CIFAR"):
        images._from_pickle(bytes(data[:3000]), images._LAYOUTS["cifar10"], "data_batch_1")


def test_what_is_missing_or_wrong_is_said(tmp_path, parts):
    with pytest.raises(InputError, match=r"put cifar-10-python.tar.gz or cifar-10-binary.tar.gz there"):
        read_cifar(tmp_path)
    with pytest.raises(InputError, match="it is 'mnist'"):
        read_cifar(tmp_path, "mnist")
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    with pytest.raises(InputError, match=r"data_batch_1.bin cannot be read: No such file"):
        read_cifar(tmp_path)
    (folder / "data_batch_1.bin").write_bytes(b"123")
    with pytest.raises(InputError, match="3 bytes are not records of 3073"):
        read_cifar(tmp_path)
    packed(
        tmp_path / "cifar-10-python.tar.gz",
        {"cifar-10-batches-py/data_batch_1": as_pickle(*cifar(np.random.default_rng(0), 1))},
    )
    with pytest.raises(InputError, match=r"has no cifar-10-batches-py/data_batch_2"):
        read_cifar(tmp_path)


def test_jpeg_archives(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    (tmp_path / "cifar10").mkdir()
    shades = np.array([0, 100, 200], dtype=np.uint8)
    files = []
    for shade in shades:
        file = io.BytesIO()
        Image.fromarray(np.full((32, 32, 3), shade)).save(file, "JPEG", quality=95)
        files.append(np.frombuffer(file.getvalue(), dtype=np.uint8))
    offsets = np.cumsum([0, *map(len, files)])
    for part in ("train", "test"):
        path = tmp_path / "cifar10" / f"cifar10_{part}_jpeg.npz"
        np.savez(path, jpeg=np.concatenate(files), offsets=offsets, labels=np.array([0, 5, 9]))
    train, _ = read_cifar(tmp_path)
    assert_allclose(train.pixels.mean(axis=(1, 2, 3)), shades, atol=2)
    assert_array_equal(train.codes, [0, 5, 9])
    np.savez(path, jpeg=np.concatenate(files), offsets=offsets + 7, labels=np.array([0, 5, 9]))
    with pytest.raises(InputError, match=r"cifar10_test_jpeg.npz cannot be read"):
        read_cifar(tmp_path)


@pytest.mark.skipif(
    not Path(os.environ.get("SURELABEL_DATA", "/none"), "cifar10").is_dir(),
    reason="SURELABEL_DATA names no folder with cifar10",
)
def test_the_real_archive():
    pytest.importorskip("PIL.Image")
    test = images._from_jpeg(Path(os.environ["SURELABEL_DATA"], "cifar10", "cifar10_test_jpeg.npz"))
    assert_array_equal(np.bincount(test.codes), [1000] * 10)
    # The protocol's mean pixel, to what JPEG and a smaller sample lose.
    assert_allclose(test.pixels.mean(axis=(0, 2, 3)) / 255, [0.4914, 0.4822, 0.4465], atol=5e-3)


# Augmentation


def dice(seed=0):
    return torch.Generator().manual_seed(seed)


CHANGES = ["flip", "crop", "jitter", "cutout", "rand_augment", "ups_augment", "weak_augment"]


@pytest.mark.parametrize("name", CHANGES)
def test_images_keep_their_shape_and_range_and_hang_on_the_seed(name):
    change, images = getattr(augment, name), torch.rand(40, 3, 16, 16, generator=dice())
    before = images.clone()
    first = change(images, dice(1))
    assert torch.equal(images, before)
    assert first.shape == images.shape
    assert first.dtype == images.dtype
    assert (first >= 0).all()
    assert (first <= 1).all()
    assert torch.equal(change(images, dice(1)), first)
    assert not torch.equal(change(images, dice(2)), first)
    assert not torch.equal(first, images)


def test_crops_are_windows_of_the_reflected_image():
    images = torch.rand(30, 2, 8, 8)
    wide = nn.functional.pad(images, (1, 1, 1, 1), mode="reflect")
    moved = augment.crop(images, dice())
    windows = [wide[:, :, i : i + 8, j : j + 8] for i in range(3) for j in range(3)]
    hits = torch.stack([(moved == window).all(dim=(1, 2, 3)) for window in windows])
    assert (hits.sum(dim=0) == 1).all()
    assert hits.any(dim=1).sum() > 5  # in all directions


def test_flips_mirror_half_of_the_images():
    images = torch.rand(200, 1, 4, 4)
    mirrored = (augment.flip(images, dice()) == images.flip(3)).all(dim=(1, 2, 3))
    assert 60 < mirrored.sum() < 140


def test_cutout_paints_one_square():
    images = torch.zeros(100, 3, 32, 32)
    holes = augment.cutout(images, dice()) == 0.5
    for hole in holes.all(dim=1):
        rows, columns = hole.any(dim=1).nonzero()[:, 0], hole.any(dim=0).nonzero()[:, 0]
        assert len(rows) * len(columns) == hole.sum()
        assert max(len(rows), len(columns)) <= 17
    assert holes.any()


def test_factors_of_1_change_nothing_and_those_of_0_leave_no_colour():
    images = torch.rand(5, 3, 8, 8)
    one, none = torch.ones(5, 1, 1, 1), torch.zeros(5, 1, 1, 1)
    for change in (augment.brightness, augment.contrast, augment.saturation, augment.sharpness):
        assert_allclose(change(images, one), images, atol=1e-6)
    assert augment.brightness(images, none).max() == 0
    assert_allclose(augment.saturation(images, none).std(dim=1), 0, atol=1e-6)
    assert_allclose(augment.contrast(images, none).std(dim=(2, 3)), 0, atol=1e-6)


def test_changes_match_pillow():
    ops = pytest.importorskip("PIL.ImageOps")
    Image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(30, 200, (256, 256, 3), dtype=np.uint8)
    picture, images = Image.fromarray(pixels), torch.as_tensor(pixels).permute(2, 0, 1)[None] / 255
    size = torch.tensor([[[[100 / 255]]]])
    for ours, theirs, slack in [
        (augment.invert(images, None), ops.invert(picture), 0.5),
        (augment.solarize(images, size), ops.solarize(picture, 100), 0.5),
        (augment.posterize(images, torch.full((1, 1, 1, 1), 3.0)), ops.posterize(picture, 3), 0.5),
        (augment.autocontrast(images, None), ops.autocontrast(picture), 1.5),
        (augment.equalize(images, None), ops.equalize(picture), 2.5),
    ]:
        assert_allclose(ours[0].permute(1, 2, 0) * 255, np.asarray(theirs, dtype=float), atol=slack)


def test_a_flat_image_stays_flat():
    flat = torch.full((2, 3, 8, 8), 0.3)
    for change in (augment.equalize, augment.autocontrast):
        assert_allclose(change(flat, None), 0.3, atol=2e-3)

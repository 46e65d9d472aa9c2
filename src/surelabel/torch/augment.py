"""Random changes to batches of images (n, C, H, W) between 0 and 1, on any device.

Each is a function of the images and a generator, which lives on the CPU: one seed gives the same changes
on every device. Every image gets its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor
from torch.nn.functional import affine_grid, grid_sample, pad


def flip(images: Tensor, dice: Generator) -> Tensor:
    """Half of the images mirrored left to right, shape of images."""
    return torch.where(_draw(images, dice) < 0.5, images.flip(3), images)


def crop(images: Tensor, dice: Generator, margin: int | None = None) -> Tensor:
    """Images moved by up to `margin` pixels each way (an eighth of a side), borders reflected."""
    n, _, height, width = images.shape
    margin = height // 8 if margin is None else margin
    wide = pad(images, (margin,) * 4, mode="reflect")
    moves = torch.randint(2 * margin + 1, (2, n), generator=dice).to(images.device)
    rows = (moves[0, :, None] + torch.arange(height, device=images.device))[:, None, :, None]
    columns = (moves[1, :, None] + torch.arange(width, device=images.device))[:, None, None, :]
    wide = wide.gather(2, rows.expand(n, images.shape[1], height, wide.shape[3]))
    return wide.gather(3, columns.expand(n, images.shape[1], height, width))


def jitter(images: Tensor, dice: Generator, strength: float = 0.4) -> Tensor:
    """Brightness, contrast and saturation, each by a factor from 1 - strength to 1 + strength."""
    for change in (brightness, contrast, saturation):
        images = change(images, 1 + strength * (2 * _draw(images, dice) - 1))
    return images


def cutout(images: Tensor, dice: Generator, longest: int | None = None) -> Tensor:
    """A square of up to `longest` pixels (half a side) painted grey, somewhere in each image."""
    longest = images.shape[2] // 2 if longest is None else longest
    return _square(images, dice, (1 + _draw(images, dice) * longest).floor())


def _square(images: Tensor, dice: Generator, side: Tensor) -> Tensor:
    """A grey square of a side (n, 1, 1, 1) in pixels somewhere in each image, shape of images."""
    inside = torch.ones((), dtype=torch.bool, device=images.device)
    for axis, length in enumerate(images.shape[2:], start=2):
        places = torch.arange(length, device=images.device).reshape(-1, *[1] * (3 - axis))
        centre = (_draw(images, dice) * length).floor()
        inside = inside & ((places - centre + 0.5).abs() <= side / 2)
    return torch.where(inside, 0.5, images)


def brightness(images: Tensor, factor: Tensor) -> Tensor:
    """Towards black by a factor, shape of images."""
    return (images * factor).clamp(0, 1)


def contrast(images: Tensor, factor: Tensor) -> Tensor:
    """Towards or away from the mean grey by a factor, shape of images."""
    mean = _grey(images).mean(dim=(2, 3), keepdim=True)
    return (mean + (images - mean) * factor).clamp(0, 1)


def saturation(images: Tensor, factor: Tensor) -> Tensor:
    """Towards or away from grey by a factor, shape of images."""
    return (_grey(images) + (images - _grey(images)) * factor).clamp(0, 1)


def sharpness(images: Tensor, factor: Tensor) -> Tensor:
    """Towards or away from a blurred copy by a factor, shape of images."""
    channels = images.shape[1]
    kernel = torch.full((3, 3), 1 / 13, device=images.device)
    kernel[1, 1] = 5 / 13
    kernel = kernel.expand(channels, 1, 3, 3)
    blurred = torch.nn.functional.conv2d(pad(images, (1, 1, 1, 1), mode="replicate"), kernel, groups=channels)
    return (blurred + (images - blurred) * factor).clamp(0, 1)


def posterize(images: Tensor, bits: Tensor) -> Tensor:
    """With as few shades as `bits` tell apart, shape of images."""
    levels = 2.0 ** (8 - bits.floor().clamp(0, 8))
    return ((images * 255 / levels).floor() * levels / 255).clamp(0, 1)


def solarize(images: Tensor, threshold: Tensor) -> Tensor:
    """Inverted where at or above the threshold, shape of images."""
    return torch.where(images >= threshold, 1 - images, images)


def _solarize_add(images: Tensor, more: Tensor) -> Tensor:
    """Brightened, then inverted where above one half, shape of images."""
    return solarize((images + more).clamp(0, 1), torch.full_like(more, 128 / 255))


def autocontrast(images: Tensor, _: Any) -> Tensor:
    """Every channel stretched to the whole range, shape of images."""
    low, high = images.amin((2, 3), keepdim=True), images.amax((2, 3), keepdim=True)
    return torch.where(high > low, (images - low) / (high - low).clamp(min=1e-6), images)


def equalize(images: Tensor, _: Any) -> Tensor:
    """Every channel with as many dark as bright pixels, shape of images."""
    n, channels, height, width = images.shape
    shades = (images * 255).round().long().reshape(n * channels, height * width)
    counts = torch.zeros(n * channels, 256, device=images.device).scatter_add_(
        1, shades, torch.ones_like(shades, dtype=torch.float32)
    )
    below = counts.cumsum(1) - counts
    spread = height * width - counts.gather(1, shades.amax(1, keepdim=True))
    table = (below / spread.clamp(min=1)).clamp(0, 1)
    flat = spread == 0  # one shade only: nothing to spread
    even = torch.where(flat, shades / 255, table.gather(1, shades))
    return even.reshape(images.shape).to(images.dtype)


def invert(images: Tensor, _: Any) -> Tensor:
    """Negatives, shape of images."""
    return 1 - images


def _moved_by(images: Tensor, matrix: Tensor) -> Tensor:
    """Images under an affine map (n, 2, 3) of the square from -1 to 1; black comes in at the borders."""
    grid = affine_grid(matrix.to(images.dtype), list(images.shape), align_corners=False)
    return grid_sample(images, grid, mode="nearest", align_corners=False)


def _grey(images: Tensor) -> Tensor:
    """Mean of the channels as eyes weigh them, shape (n, 1, H, W)."""
    if images.shape[1] != 3:
        return images.mean(dim=1, keepdim=True)
    weights = torch.tensor([0.299, 0.587, 0.114], device=images.device).reshape(1, 3, 1, 1)
    return (images * weights).sum(dim=1, keepdim=True)


def _turned(images: Tensor, size: Tensor) -> Tensor:
    angle = size.reshape(-1) * torch.pi / 180
    cos, sin, none = angle.cos(), angle.sin(), torch.zeros_like(angle)
    return _moved_by(images, torch.stack([cos, -sin, none, sin, cos, none], dim=1).reshape(-1, 2, 3))


def _affine(place: int) -> Callable[[Tensor, Tensor], Tensor]:
    """Images under the identity with one number of the matrix, in reading order, changed."""

    def change(images: Tensor, size: Tensor) -> Tensor:
        matrix = torch.tensor([1.0, 0, 0, 0, 1, 0], device=images.device).repeat(len(images), 1)
        matrix[:, place] = size.reshape(-1)
        return _moved_by(images, matrix.reshape(-1, 2, 3))

    return change


# What may happen to an image, and its size at magnitude 0 and 30; signed ones go either way.
_CHANGES: list[tuple[Callable[..., Tensor], float, float, bool]] = [
    (autocontrast, 0.0, 0.0, False),
    (equalize, 0.0, 0.0, False),
    (invert, 0.0, 0.0, False),
    (_turned, 0.0, 30.0, True),
    (posterize, 0.0, 4.0, False),
    (solarize, 0.0, 256 / 255, False),
    (_solarize_add, 0.0, 110 / 255, False),
    (saturation, 0.1, 1.9, False),
    (contrast, 0.1, 1.9, False),
    (brightness, 0.1, 1.9, False),
    (sharpness, 0.1, 1.9, False),
    (_affine(1), 0.0, 0.3, True),  # shear
    (_affine(3), 0.0, 0.3, True),
    (_square, 0.0, 40.0, False),
    (_affine(2), 0.0, 100.0, True),  # translation, in pixels
    (_affine(5), 0.0, 100.0, True),
]
_TRANSLATIONS = (14, 15)


def rand_augment(images: Tensor, dice: Generator, n: int = 3, magnitude: float = 4) -> Tensor:
    """RandAugment (Cubuk et al. 2020): n changes in turn, each drawn anew for every image.

    The list of changes and their sizes, from 0 to 30, are those of the UPS protocol, which has n = 3
    and magnitude 4.
    """
    share = magnitude / 30
    for _ in range(n):
        which = torch.randint(len(_CHANGES), (len(images),), generator=dice)
        signs = torch.randint(2, (len(images),), generator=dice) * 2.0 - 1
        out = images.clone()
        for kind in which.unique().tolist():
            change, least, most, signed = _CHANGES[kind]
            rows = (which == kind).nonzero()[:, 0]
            size = torch.full((len(rows),), least + share * (most - least))
            if kind in _TRANSLATIONS:
                size = 2 * size / images.shape[3]  # of the square from -1 to 1
            if signed:
                size = size * signs[rows]
            rows = rows.to(images.device)
            size = size.reshape(-1, 1, 1, 1).to(images.device)
            changed = _square(images[rows], dice, size) if change is _square else change(images[rows], size)
            out[rows] = changed
        images = out
    return images


def ups_augment(images: Tensor, dice: Generator) -> Tensor:
    """The training images of the UPS protocol: RandAugment, flip, crop, colour jitter, cutout."""
    for change in (rand_augment, flip, crop, jitter, cutout):
        images = change(images, dice)
    return images


def weak_augment(images: Tensor, dice: Generator) -> Tensor:
    """Flip and crop."""
    return crop(flip(images, dice), dice)


def _draw(images: Tensor, dice: Generator) -> Tensor:
    """A number between 0 and 1 for each image, shape (n, 1, 1, 1)."""
    return torch.rand(len(images), 1, 1, 1, generator=dice).to(images.device, images.dtype)

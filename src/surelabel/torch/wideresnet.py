"""Wide residual networks with dropout (Zagoruyko and Komodakis 2016)."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

_STEM = 16


class WideResNet(nn.Module):
    """A wide residual network for small images: depth 28 and width 2 in the paper.

    Parameters
    ----------
    n_classes : int
        K.
    depth : int, default=28
        Convolutions in all; 6 n + 4.
    width : int, default=2
        Factor on the 16, 32 and 64 channels.
    dropout : float, default=0.3
        After the first convolution of each block, before it is normalised, as in the code of UPS.
    channels : int, default=3
        Of the images, 1 for grey ones.
    activation : callable, default=nn.ReLU
        Makes the layer between convolutions; the UPS protocol has nn.Mish.
    momentum : float, default=0.1
        Share of a batch in the running means of the normalisation; the UPS protocol has 0.001.

    See Also
    --------
    TorchPseudoLabeler : Trains such networks.

    Examples
    --------
    >>> import torch
    >>> WideResNet(10, depth=10, width=1)(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    >>> sum(weights.numel() for weights in WideResNet(10).parameters())
    1467610
    """

    def __init__(
        self,
        n_classes: int,
        depth: int = 28,
        width: int = 2,
        dropout: float = 0.3,
        channels: int = 3,
        activation: Callable[[], nn.Module] = nn.ReLU,
        momentum: float = 0.1,
    ) -> None:
        super().__init__()
        if depth < 10 or (depth - 4) % 6:
            raise ValueError(f"depth must be 10, 16, 22, 28, ...; it is {depth}.")
        layers: list[nn.Module] = [nn.Conv2d(channels, _STEM, 3, padding=1, bias=False)]
        before = _STEM
        for group in range(3):
            after = _STEM * width * 2**group
            for place in range((depth - 4) // 6):
                stride = 2 if group and not place else 1
                layers.append(_Block(before, after, stride, dropout, activation))
                before = after
        self.features = nn.Sequential(*layers, nn.BatchNorm2d(before), activation())
        self.head = nn.Linear(before, n_classes)
        for part in self.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.momentum = momentum
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images: Tensor) -> Tensor:
        """Logits (n, K) of images (n, channels, height, width)."""
        return self.head(self.features(images).mean(dim=(2, 3)))


class _Block(nn.Module):
    """Two convolutions beside a shortcut; each comes after normalisation and activation."""

    def __init__(
        self, before: int, after: int, stride: int, dropout: float, activation: Callable[[], nn.Module]
    ) -> None:
        super().__init__()
        self.enter = nn.Sequential(nn.BatchNorm2d(before), activation())
        self.body = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, padding=1, bias=False),
            nn.Dropout(dropout),
            nn.BatchNorm2d(after),
            activation(),
            nn.Conv2d(after, after, 3, padding=1, bias=False),
        )
        same = before == after and stride == 1
        self.short = None if same else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Images (n, before, height, width) -> (n, after, height / stride, width / stride)."""
        entered = self.enter(x)
        return self.body(entered) + (x if self.short is None else self.short(entered))

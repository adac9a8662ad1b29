# Inception-v3 (Szegedy et al., arXiv 1512.00567) on images of 299 x 299, without the auxiliary head.
# tunepass input x: float32[1, 3, 299, 299]
import torch
from torch import nn


class Conv(nn.Module):
    def __init__(self, channels, filters, kernel, **options):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, kernel, bias=False, **options)
        self.bn = nn.BatchNorm2d(filters, eps=0.001)

    def forward(self, x):
        return nn.functional.relu(self.bn(self.conv(x)), inplace=True)


class Parallel(nn.Module):
    """Branches on the same input, joined along the channels."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], dim=1)


def pooled(channels, filters):
    return nn.Sequential(nn.AvgPool2d(3, stride=1, padding=1), Conv(channels, filters, 1))


def square(channels, pool):
    return Parallel(
        Conv(channels, 64, 1),
        nn.Sequential(Conv(channels, 48, 1), Conv(48, 64, 5, padding=2)),
        nn.Sequential(Conv(channels, 64, 1), Conv(64, 96, 3, padding=1), Conv(96, 96, 3, padding=1)),
        pooled(channels, pool),
    )


def across(channels, filters):
    return Conv(channels, filters, (1, 7), padding=(0, 3))


def down(channels, filters):
    return Conv(channels, filters, (7, 1), padding=(3, 0))


def lines(width, channels=768):
    c = width
    return Parallel(
        Conv(channels, 192, 1),
        nn.Sequential(Conv(channels, c, 1), across(c, c), down(c, 192)),
        nn.Sequential(Conv(channels, c, 1), down(c, c), across(c, c), down(c, c), across(c, 192)),
        pooled(channels, 192),
    )


def split(channels):
    return Parallel(Conv(channels, 384, (1, 3), padding=(0, 1)), Conv(channels, 384, (3, 1), padding=(1, 0)))


def wide(channels):
    return Parallel(
        Conv(channels, 320, 1),
        nn.Sequential(Conv(channels, 384, 1), split(384)),
        nn.Sequential(Conv(channels, 448, 1), Conv(448, 384, 3, padding=1), split(384)),
        pooled(channels, 192),
    )


class InceptionV3(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            Conv(3, 32, 3, stride=2),
            Conv(32, 32, 3),
            Conv(32, 64, 3, padding=1),
            nn.MaxPool2d(3, 2),
            Conv(64, 80, 1),
            Conv(80, 192, 3),
            nn.MaxPool2d(3, 2),
        )
        self.body = nn.Sequential(
            square(192, 32),
            square(256, 64),
            square(288, 64),
            Parallel(
                Conv(288, 384, 3, stride=2),
                nn.Sequential(Conv(288, 64, 1), Conv(64, 96, 3, padding=1), Conv(96, 96, 3, stride=2)),
                nn.MaxPool2d(3, 2),
            ),
            *[lines(width) for width in (128, 160, 160, 192)],
            Parallel(
                nn.Sequential(Conv(768, 192, 1), Conv(192, 320, 3, stride=2)),
                nn.Sequential(Conv(768, 192, 1), across(192, 192), down(192, 192), Conv(192, 192, 3, stride=2)),
                nn.MaxPool2d(3, 2),
            ),
            wide(1280),
            wide(2048),
        )
        self.dropout = nn.Dropout(p=0.5)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = self.body(self.stem(x)).mean(dim=(2, 3))
        return self.fc(self.dropout(x))


model = InceptionV3()

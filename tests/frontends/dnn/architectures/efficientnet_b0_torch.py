# EfficientNet-B0 (Tan and Le, arXiv 1905.11946).
# tunepass input x: float32[1, 3, 224, 224]
from dataclasses import dataclass
from functools import partial

from torch import nn


@dataclass
class Stage:
    expand: int
    kernel: int
    stride: int
    filters: int
    repeats: int


STAGES = [
    Stage(1, 3, 1, 16, 1),
    Stage(6, 3, 2, 24, 2),
    Stage(6, 5, 2, 40, 2),
    Stage(6, 3, 2, 80, repeats=3),
    Stage(6, 5, 1, 112, repeats=3),
    Stage(6, 5, 2, 192, repeats=4),
    Stage(6, 3, 1, 320, repeats=1),
]

convolution = partial(nn.Conv2d, bias=False)


def conv_norm(channels, filters, kernel=1, stride=1, groups=1, activation=nn.SiLU):
    layers = [
        convolution(channels, filters, kernel, stride=stride, padding=kernel // 2, groups=groups),
        nn.BatchNorm2d(filters),
    ]
    if activation is not None:
        layers.append(activation())
    return nn.Sequential(*layers)


class SqueezeExcite(nn.Module):
    def __init__(self, channels, squeezed):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.reduce = nn.Conv2d(channels, squeezed, 1)
        self.expand = nn.Conv2d(squeezed, channels, 1)
        self.activation = nn.SiLU(inplace=True)

    def forward(self, x):
        scale = self.activation(self.reduce(self.pool(x)))
        return x * self.expand(scale).sigmoid()


class MBConv(nn.Module):
    def __init__(self, channels, stage, stride):
        super().__init__()
        hidden = channels * stage.expand
        self.body = nn.Sequential()
        if stage.expand != 1:
            self.body.append(conv_norm(channels, hidden))
        self.body.append(conv_norm(hidden, hidden, stage.kernel, stride, groups=hidden))
        self.body.append(SqueezeExcite(hidden, max(1, channels // 4)))
        self.body.append(conv_norm(hidden, stage.filters, activation=None))
        self.skip = stride == 1 and channels == stage.filters

    def forward(self, x):
        y = self.body(x)
        if self.skip:
            y += x
        return y


class EfficientNet(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, channels = [conv_norm(3, 32, 3, 2)], 32
        for stage in STAGES:
            for k in range(stage.repeats):
                blocks.append(MBConv(channels, stage, stage.stride if k == 0 else 1))
                channels = stage.filters
        blocks.append(conv_norm(channels, 1280))
        self.features = nn.Sequential(*blocks)
        self.classifier = nn.Sequential(nn.Dropout(p=0.2, inplace=True), nn.Linear(1280, 1000))

    def forward(self, x):
        x = self.features(x)
        x = nn.functional.adaptive_avg_pool2d(x, 1)
        return self.classifier(x.flatten(start_dim=1))


model = EfficientNet()

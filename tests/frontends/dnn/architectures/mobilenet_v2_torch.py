# MobileNetV2 (Sandler et al., arXiv 1801.04381): inverted residuals with linear ends.
# tunepass input x: float32[1, 3, 224, 224]
from torch import nn

STAGES = [
    # expansion, filters, repeats, stride
    [1, 16, 1, 1],
    [6, 24, 2, 2],
    [6, 32, 3, 2],
    [6, 64, 4, 2],
    [6, 96, 3, 1],
    [6, 160, 3, 2],
    [6, 320, 1, 1],
]


class ConvNormAct(nn.Sequential):
    def __init__(self, channels, filters, kernel=3, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(channels, filters, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU6(inplace=True),
        )


class InvertedResidual(nn.Module):
    def __init__(self, channels, filters, stride, expansion):
        super().__init__()
        hidden = int(round(channels * expansion))
        self.residual = stride == 1 and channels == filters
        parts = [] if expansion == 1 else [ConvNormAct(channels, hidden, kernel=1)]
        parts.extend(
            [
                ConvNormAct(hidden, hidden, stride=stride, groups=hidden),
                nn.Conv2d(hidden, filters, 1, bias=False),
                nn.BatchNorm2d(filters),
            ]
        )
        self.body = nn.Sequential(*parts)

    def forward(self, x):
        if self.residual:
            return x + self.body(x)
        return self.body(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        body = [ConvNormAct(3, 32, stride=2)]
        channels = 32
        for expansion, filters, repeats, stride in STAGES:
            for block in range(repeats):
                body.append(InvertedResidual(channels, filters, stride if block == 0 else 1, expansion))
                channels = filters
        body += [ConvNormAct(channels, 1280, kernel=1)]
        self.body = nn.Sequential(*body)
        self.head = nn.Sequential(nn.Dropout(p=0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        x = self.body(x)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1))
        return self.head(x.reshape(x.shape[0], -1))


model = MobileNetV2()

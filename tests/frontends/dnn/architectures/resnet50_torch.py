# ResNet-50 (He et al., arXiv 1512.03385), with the stride in the 3x3 convolution (v1.5).
# tunepass input x: float32[1, 3, 224, 224]
import torch
from torch import nn


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, channels, width, stride):
        super().__init__()
        wide = width * self.expansion
        self.body = nn.Sequential(
            *self.convolution(channels, width, 1),
            nn.ReLU(inplace=True),
            *self.convolution(width, width, 3, stride),
            nn.ReLU(inplace=True),
            *self.convolution(width, wide, 1),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or channels != wide:
            self.shortcut = nn.Sequential(*self.convolution(channels, wide, 1, stride))

    @staticmethod
    def convolution(channels, filters, kernel, stride=1):
        return (
            nn.Conv2d(channels, filters, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(filters),
        )

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


class ResNet50(nn.Module):
    def __init__(self, blocks=(3, 4, 6, 3), classes=1000):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.stages = nn.ModuleList()
        channels = 64
        for stage, count in enumerate(blocks):
            width = 64 << stage
            for block in range(count):
                self.stages.append(Bottleneck(channels, width, 2 if block == 0 and stage > 0 else 1))
                channels = width * Bottleneck.expansion
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.stages:
            x = block(x)
        return self.head(torch.flatten(self.pool(x), 1))


model = ResNet50()

# DenseNet-121 (Huang et al., arXiv 1608.06993).
# tunepass input x: float32[1, 3, 224, 224]
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn


class DenseLayer(nn.Module):
    def __init__(self, channels, growth):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, 4 * growth, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(4 * growth)
        self.conv2 = nn.Conv2d(4 * growth, growth, kernel_size=3, padding=1, bias=False)

    def forward(self, features):
        x = torch.cat(features, 1)
        return self.conv2(F.relu(self.norm2(self.conv1(F.relu(self.norm1(x))))))


class DenseBlock(nn.ModuleDict):
    def __init__(self, channels, growth, count):
        super().__init__()
        for k in range(count):
            self.add_module("layer%d" % (k + 1), DenseLayer(channels + k * growth, growth))

    def forward(self, x):
        features = [x]
        for _, layer in self.items():
            features.append(layer(features))
        return torch.cat(features, 1)


def transition(channels):
    return nn.Sequential(
        OrderedDict(
            [
                ("norm", nn.BatchNorm2d(channels)),
                ("relu", nn.ReLU(inplace=True)),
                ("conv", nn.Conv2d(channels, channels // 2, kernel_size=1, bias=False)),
                ("pool", nn.AvgPool2d(kernel_size=2, stride=2)),
            ]
        )
    )


class DenseNet121(nn.Module):
    def __init__(self, growth=32, blocks=(6, 12, 24, 16)):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        channels = 64
        for k, count in enumerate(blocks):
            self.features.add_module(f"block{k}", DenseBlock(channels, growth, count))
            channels += count * growth
            if k != len(blocks) - 1:
                self.features.add_module(f"transition{k}", transition(channels))
                channels //= 2
        self.features.add_module("norm", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, 1000)

    def forward(self, x):
        x = F.relu(self.features(x), inplace=True)
        return self.classifier(F.adaptive_avg_pool2d(x, 1).view(x.size(0), -1))


model = DenseNet121()

# A residual network in PyTorch, whose depth, width and block are parameters: an operator or an edge may be missing.
#
#   tunepass estimate samples/dnn/resnet_torch.py --device t4
#   tunepass pareto samples/dnn/resnet_torch.py --device t4 --exact --objective time,weights
#
# tunepass input x: float32[batch, 3, 32, 32]
# tunepass param batch: ordinal(32, 64, 128, 256) = 128
# tunepass param width: ordinal(8, 16, 32, 64) = 16
# tunepass param depth: integer(1..6) = 3
# tunepass param bottleneck: categorical(False, True) = False
# tunepass param shortcut: categorical(False, True) = True
# tunepass precision float16
# tunepass limit training_byte <= 2 GB
# tunepass model ResNet
import torch
import torch.nn.functional as F
from torch import nn

width = 16
depth = 3
bottleneck = False
shortcut = True


class Block(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        if bottleneck:
            self.first = nn.Conv2d(channels_in, channels // 4, 1, stride, bias=False)
            self.middle = nn.Conv2d(channels // 4, channels // 4, 3, 1, 1, bias=False)
            self.last = nn.Conv2d(channels // 4, channels, 1, bias=False)
        else:
            self.first = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
            self.last = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.across = None
        if stride != 1:
            self.across = nn.Conv2d(channels_in, channels, 1, stride, bias=False)

    def forward(self, x):
        if bottleneck:
            y = self.last(F.relu(self.middle(F.relu(self.first(x)))))
        else:
            y = self.last(F.relu(self.first(x)))
        y = self.norm(y)
        if shortcut:
            y = y + (x if self.across is None else self.across(x))
        return F.relu(y)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.stages = nn.ModuleList()
        channels = width
        for stage in range(3):
            blocks = nn.ModuleList()
            for block in range(depth):
                halve = block == 0 and stage > 0
                blocks.append(Block(channels, channels * 2 if halve else channels, 2 if halve else 1))
                if halve:
                    channels = channels * 2
            self.stages.append(blocks)
        self.head = nn.Linear(channels, 10)

    def forward(self, x):
        x = self.stem(x)
        for blocks in self.stages:
            for block in blocks:
                x = block(x)
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))

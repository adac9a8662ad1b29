# Xception (Chollet, arXiv 1610.02357) on images of 299 x 299.
# tunepass input x: float32[1, 3, 299, 299]
import torch.nn as nn
import torch.nn.functional as F


class Separable(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False)
        self.pointwise = nn.Conv2d(channels, filters, 1, bias=False)
        self.bn = nn.BatchNorm2d(filters)

    def forward(self, x):
        return self.bn(self.pointwise(self.depthwise(x)))


class Block(nn.Module):
    def __init__(self, channels, filters, stride=1, active=True):
        super().__init__()
        self.active = active
        self.convs = nn.ModuleList()
        for width in filters:
            self.convs.append(Separable(channels if not self.convs else filters[0], width))
        self.pool = nn.MaxPool2d(3, stride, 1) if stride > 1 else None
        self.skip = None
        if stride > 1:
            self.skip = nn.Sequential(
                nn.Conv2d(channels, filters[-1], 1, stride, bias=False), nn.BatchNorm2d(filters[-1])
            )

    def forward(self, x):
        y = x
        for k, conv in enumerate(self.convs):
            if k or self.active:
                y = F.relu(y)
            y = conv(y)
        if self.pool is not None:
            y = self.pool(y)
        return y + (self.skip(x) if self.skip is not None else x)


class Xception(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, 2, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.conv2 = nn.Conv2d(32, 64, 3, bias=False)
        self.bn2 = nn.BatchNorm2d(64)
        self.block1 = Block(64, (128, 128), 2, active=False)
        self.block2 = Block(128, (256, 256), 2)
        self.block3 = Block(256, (728, 728), 2)
        for k in range(4, 12):
            setattr(self, f"block{k}", Block(728, (728,) * 3))
        self.block12 = Block(728, (728, 1024), 2)
        self.conv3 = Separable(1024, 1536)
        self.conv4 = Separable(1536, 2048)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        for k in range(1, 13):
            x = getattr(self, f"block{k}")(x)
        x = F.relu(self.conv4(F.relu(self.conv3(x))))
        x = F.adaptive_avg_pool2d(x, (1, 1)).view(x.size(0), -1)
        return self.fc(x)


model = Xception()

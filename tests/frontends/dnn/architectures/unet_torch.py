# U-Net (Ronneberger et al., arXiv 1505.04597) with padded convolutions, batch normalisation and two classes.
# tunepass input image: float32[1, 3, 128, 128]
import torch
import torch.nn as nn


class Double(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(channels, filters, 3, padding="same", bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(inplace=True),
            nn.Conv2d(filters, filters, 3, padding="same", bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class UNet(nn.Module):
    def __init__(self, channels=3, classes=2, widths=(64, 128, 256, 512)):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        for width in widths:
            self.downs.append(Double(channels, width))
            channels = width
        self.bottom = Double(channels, channels * 2)
        for width in reversed(widths):
            self.ups.append(nn.ConvTranspose2d(2 * width, width, kernel_size=2, stride=2))
            self.ups.append(Double(2 * width, width))
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Conv2d(widths[0], classes, 1)

    def forward(self, image):
        x, skips = image, []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        skips = skips[::-1]
        for i in range(0, len(self.ups), 2):
            x = self.ups[i](x)
            x = torch.cat([skips[i // 2], x], dim=1)
            x = self.ups[i + 1](x)
        return self.out(x)


model = UNet()

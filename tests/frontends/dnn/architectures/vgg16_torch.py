# VGG-16, configuration D of Simonyan and Zisserman (arXiv 1409.1556).
# tunepass input x: float32[1, 3, 224, 224]
from torch import nn


def features():
    channels = 3
    for filters, convolutions in [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]:
        for _ in range(convolutions):
            yield nn.Conv2d(channels, filters, 3, padding=1)
            yield nn.ReLU(inplace=True)
            channels = filters
        yield nn.MaxPool2d(2)


class VGG16(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(*features())
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(4096, 1000),
        )

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


model = VGG16()

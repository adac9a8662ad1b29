# MobileNetV2 (Sandler et al., arXiv 1801.04381): inverted residuals with linear ends.
import keras
from keras import layers


def rounded(channels, divisor=8):
    """The nearest multiple, never more than a tenth below."""
    new = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return new + divisor if new < 0.9 * channels else new


def normalised(x, active=True):
    x = layers.BatchNormalization(epsilon=1e-3, momentum=0.999)(x)
    return layers.ReLU(6.0)(x) if active else x


def inverted_residual(x, filters, strides, expansion):
    channels = x.shape[-1]
    y = x
    if expansion != 1:
        y = normalised(layers.Conv2D(expansion * channels, 1, use_bias=False)(y))
    y = normalised(layers.DepthwiseConv2D(3, strides=strides, padding="same", use_bias=False)(y))
    y = normalised(layers.Conv2D(filters, 1, use_bias=False)(y), active=False)
    return layers.Add()([x, y]) if strides == 1 and channels == filters else y


alpha = 1.0
image = keras.Input((224, 224, 3))
x = normalised(layers.Conv2D(rounded(32 * alpha), 3, strides=2, padding="same", use_bias=False)(image))
for expansion, filters, repeats, strides in (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
):
    for block in range(repeats):
        x = inverted_residual(x, rounded(filters * alpha), strides if block == 0 else 1, expansion)
x = normalised(layers.Conv2D(1280, 1, use_bias=False)(x))
x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(image, layers.Dense(1000, activation="softmax")(x))

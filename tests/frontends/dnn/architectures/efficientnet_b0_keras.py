# EfficientNet-B0 (Tan and Le, arXiv 1905.11946), with the preprocessing of the image as its first layers.
import keras
from keras import layers

BLOCKS = [
    {"kernel": 3, "repeats": 1, "filters": 16, "expand": 1, "strides": 1},
    {"kernel": 3, "repeats": 2, "filters": 24, "expand": 6, "strides": 2},
    {"kernel": 5, "repeats": 2, "filters": 40, "expand": 6, "strides": 2},
    {"kernel": 3, "repeats": 3, "filters": 80, "expand": 6, "strides": 2},
    {"kernel": 5, "repeats": 3, "filters": 112, "expand": 6, "strides": 1},
    {"kernel": 5, "repeats": 4, "filters": 192, "expand": 6, "strides": 2},
    {"kernel": 3, "repeats": 1, "filters": 320, "expand": 6, "strides": 1},
]


def norm(x, activation="swish"):
    x = layers.BatchNormalization()(x)
    return layers.Activation(activation)(x) if activation else x


def squeeze_and_excite(x, squeezed):
    channels = x.shape[-1]
    s = layers.GlobalAveragePooling2D()(x)
    s = layers.Reshape((1, 1, channels))(s)
    s = layers.Conv2D(squeezed, 1, activation="swish")(s)
    s = layers.Conv2D(channels, 1, activation="sigmoid")(s)
    return layers.multiply([x, s])


def mb_conv(x, kernel, filters, expand, strides):
    channels = x.shape[-1]
    y = x
    if expand > 1:
        y = norm(layers.Conv2D(channels * expand, 1, padding="same", use_bias=False)(y))
    y = norm(layers.DepthwiseConv2D(kernel, strides=strides, padding="same", use_bias=False)(y))
    y = squeeze_and_excite(y, max(1, int(channels * 0.25)))
    y = norm(layers.Conv2D(filters, 1, use_bias=False)(y), activation=None)
    if strides == 1 and channels == filters:
        y = layers.add([layers.Dropout(0.2, noise_shape=(None, 1, 1, 1))(y), x])
    return y


image = layers.Input(shape=(224, 224, 3))
x = layers.Rescaling(1.0 / 255.0)(image)
x = layers.Normalization(axis=-1)(x)
x = norm(layers.Conv2D(32, 3, strides=2, padding="same", use_bias=False)(x))
for block in BLOCKS:
    for k in range(block["repeats"]):
        strides = block["strides"] if k == 0 else 1
        x = mb_conv(x, block["kernel"], block["filters"], block["expand"], strides)
x = norm(layers.Conv2D(1280, 1, padding="same", use_bias=False)(x))
x = layers.GlobalAveragePooling2D()(x)
x = layers.Dropout(0.2)(x)
model = keras.Model(image, layers.Dense(1000, activation="softmax")(x))

# Xception (Chollet, arXiv 1610.02357) on images of 299 x 299.
import keras
from keras import layers


def separable(x, filters):
    return layers.BatchNormalization()(layers.SeparableConv2D(filters, 3, padding="same", use_bias=False)(x))


def entry(x, filters, first=True):
    residual = layers.Conv2D(filters[-1], 1, strides=2, padding="same", use_bias=False)(x)
    residual = layers.BatchNormalization()(residual)
    for k, width in enumerate(filters):
        if first or k > 0:
            x = layers.Activation("relu")(x)
        x = separable(x, width)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    return layers.add([x, residual])


image = keras.Input(shape=(299, 299, 3))
x = layers.Conv2D(32, 3, strides=2, use_bias=False)(image)
x = layers.Activation("relu")(layers.BatchNormalization()(x))
x = layers.Conv2D(64, 3, use_bias=False)(x)
x = layers.Activation("relu")(layers.BatchNormalization()(x))
x = entry(x, (128, 128), first=False)
x = entry(x, (256, 256))
x = entry(x, (728, 728))
for _ in range(8):
    y = x
    for _ in range(3):
        y = separable(layers.Activation("relu")(y), 728)
    x = layers.add([x, y])
x = entry(x, (728, 1024))
for width in (1536, 2048):
    x = layers.Activation("relu")(separable(x, width))
x = layers.GlobalAveragePooling2D()(x)
x = layers.Dense(1000, activation="softmax")(x)
model = keras.Model(image, x)

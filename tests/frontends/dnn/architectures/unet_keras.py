# U-Net (Ronneberger et al., arXiv 1505.04597) with padded convolutions, batch normalisation and two classes.
import keras
from keras import layers

size = 128
widths = [64, 128, 256, 512]


def double(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return x


inputs = keras.Input(shape=(size, size, 3))
x, skipped = inputs, []
for filters in widths:
    x = double(x, filters)
    skipped.append(x)
    x = layers.MaxPooling2D()(x)
x = double(x, 1024)
for filters, skip in zip(widths[::-1], reversed(skipped)):
    x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
    x = double(layers.Concatenate()([skip, x]), filters)
model = keras.Model(inputs, layers.Conv2D(2, 1, activation="softmax")(x))

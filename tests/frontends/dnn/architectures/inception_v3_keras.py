# Inception-v3 (Szegedy et al., arXiv 1512.00567) on images of 299 x 299.
import keras
from keras import layers


def conv(x, filters, height, width, padding="same", strides=(1, 1)):
    x = layers.Conv2D(filters, (height, width), strides=strides, padding=padding, use_bias=False)(x)
    return layers.Activation("relu")(layers.BatchNormalization(scale=False)(x))


def pooled(x, filters):
    return conv(layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x), filters, 1, 1)


def chain(x, filters, *kernels):
    """Convolutions one after the other; the last has the block's width."""
    *inner, last = filters
    for count, (height, width) in zip([*inner, last], kernels):
        x = conv(x, count, height, width)
    return x


def square(x, pool):
    five = chain(x, (48, 64), (1, 1), (5, 5))
    three = chain(x, (64, 96, 96), (1, 1), (3, 3), (3, 3))
    return layers.concatenate([conv(x, 64, 1, 1), five, three, pooled(x, pool)], axis=-1)


def lines(x, width):
    short = chain(x, (width, width, 192), (1, 1), (1, 7), (7, 1))
    long = chain(x, (width, width, width, width, 192), (1, 1), (7, 1), (1, 7), (7, 1), (1, 7))
    return layers.concatenate([conv(x, 192, 1, 1), short, long, pooled(x, 192)], axis=-1)


def split(x):
    return layers.concatenate([conv(x, 384, 1, 3), conv(x, 384, 3, 1)], axis=-1)


def wide(x):
    short = split(conv(x, 384, 1, 1))
    long = split(conv(conv(x, 448, 1, 1), 384, 3, 3))
    return layers.concatenate([conv(x, 320, 1, 1), short, long, pooled(x, 192)], axis=-1)


image = keras.Input((299, 299, 3))
x = conv(image, 32, 3, 3, padding="valid", strides=(2, 2))
x = conv(x, 32, 3, 3, padding="valid")
x = conv(x, 64, 3, 3)
x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
x = conv(x, 80, 1, 1, padding="valid")
x = conv(x, 192, 3, 3, padding="valid")
x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
for pool in (32, 64, 64):
    x = square(x, pool)
y = conv(x, 384, 3, 3, strides=(2, 2), padding="valid")
z = conv(chain(x, (64, 96), (1, 1), (3, 3)), 96, 3, 3, strides=(2, 2), padding="valid")
x = layers.concatenate([y, z, layers.MaxPooling2D((3, 3), strides=(2, 2))(x)], axis=-1)
for width in (128, 160, 160, 192):
    x = lines(x, width)
y = conv(conv(x, 192, 1, 1), 320, 3, 3, strides=(2, 2), padding="valid")
z = conv(chain(x, (192, 192, 192), (1, 1), (1, 7), (7, 1)), 192, 3, 3, strides=(2, 2), padding="valid")
x = layers.concatenate([y, z, layers.MaxPooling2D((3, 3), strides=(2, 2))(x)], axis=-1)
for _ in range(2):
    x = wide(x)
x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(image, layers.Dense(1000, activation="softmax")(x), name="inception_v3")

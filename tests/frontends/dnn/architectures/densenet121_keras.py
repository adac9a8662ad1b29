# DenseNet-121 (Huang et al., arXiv 1608.06993).
import keras
from keras import layers

GROWTH = 32


def active(x):
    return layers.Activation("relu")(layers.BatchNormalization(epsilon=1.001e-5)(x))


def dense_block(x, count):
    for _ in range(count):
        y = layers.Conv2D(4 * GROWTH, 1, use_bias=False)(active(x))
        y = layers.Conv2D(GROWTH, 3, padding="same", use_bias=False)(active(y))
        x = layers.concatenate([x, y])
    return x


image = keras.Input(shape=(224, 224, 3))
x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)))(image)
x = active(layers.Conv2D(64, 7, strides=2, use_bias=False)(x))
x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)))(x)
x = layers.MaxPooling2D(3, strides=2)(x)
for count in [6, 12, 24]:
    x = dense_block(x, count)
    x = layers.Conv2D(int(x.shape[-1] * 0.5), 1, use_bias=False)(active(x))
    x = layers.AveragePooling2D(2, strides=2)(x)
x = active(dense_block(x, 16))
x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs=image, outputs=layers.Dense(1000, activation="softmax")(x))

# ResNet-50 (He et al., arXiv 1512.03385): the stride is in the first 1x1 convolution, and convolutions have biases.
import keras
from keras import layers


def convolution(x, filters, kernel, strides=1):
    x = layers.Conv2D(filters, kernel, strides=strides, padding="same")(x)
    return layers.BatchNormalization(epsilon=1.001e-5)(x)


def bottleneck(x, width, strides, project):
    y = layers.ReLU()(convolution(x, width, 1, strides))
    y = layers.ReLU()(convolution(y, width, 3))
    y = convolution(y, 4 * width, 1)
    shortcut = convolution(x, 4 * width, 1, strides) if project else x
    return layers.ReLU()(layers.Add()([shortcut, y]))


image = keras.Input((224, 224, 3))
x = layers.ZeroPadding2D(3)(image)
x = layers.Conv2D(64, 7, strides=2)(x)
x = layers.ReLU()(layers.BatchNormalization()(x))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for stage, (width, blocks) in enumerate(zip((64, 128, 256, 512), (3, 4, 6, 3))):
    for block in range(blocks):
        x = bottleneck(x, width, 2 if stage > 0 and block == 0 else 1, project=block == 0)
x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(image, layers.Dense(1000, activation="softmax")(x))

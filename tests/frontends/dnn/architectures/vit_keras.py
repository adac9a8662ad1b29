# A vision Transformer (Dosovitskiy et al., arXiv 2010.11929), ViT-B/16, with an average over the
# patches in place of a class token.
import keras
from keras import layers, ops

width, heads, depth, hidden = 768, 12, 12, 3072
image_size, patch = 224, 16
patches = (image_size // patch) ** 2


class PatchEncoder(layers.Layer):
    def __init__(self, count, width):
        super().__init__()
        self.count = count
        self.position = layers.Embedding(input_dim=count, output_dim=width)

    def call(self, x):
        positions = ops.expand_dims(ops.arange(start=0, stop=self.count, step=1), axis=0)
        return x + self.position(positions)


def mlp(x, widths, rate):
    for units in widths:
        x = layers.Dense(units, activation=keras.activations.gelu)(x)
        x = layers.Dropout(rate)(x)
    return x


image = keras.Input(shape=(image_size, image_size, 3))
x = layers.Conv2D(width, kernel_size=patch, strides=patch, padding="valid")(image)
x = layers.Reshape((patches, width))(x)
x = PatchEncoder(patches, width)(x)
for _ in range(depth):
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    y = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads, dropout=0.1)(y, y)
    x = layers.Add()([y, x])
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    x = layers.Add()([mlp(y, [hidden, width], 0.1), x])
x = layers.LayerNormalization(epsilon=1e-6)(x)
x = layers.GlobalAveragePooling1D()(x)
model = keras.Model(inputs=image, outputs=layers.Dense(1000)(x))

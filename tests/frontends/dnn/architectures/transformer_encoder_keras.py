# The encoder of a Transformer (Vaswani et al., arXiv 1706.03762), base size, without an embedding.
import keras
from keras import layers


class EncoderBlock(layers.Layer):
    def __init__(self, width, heads, hidden, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads)
        self.feed = keras.Sequential([layers.Dense(hidden, activation="relu"), layers.Dense(width)])
        self.norm1 = layers.LayerNormalization(epsilon=1e-5)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)

    def call(self, inputs):
        x = self.norm1(inputs + self.dropout1(self.attention(inputs, inputs)))
        return self.norm2(x + self.dropout2(self.feed(x)))


inputs = keras.Input((128, 512))
x = inputs
for _ in range(6):
    x = EncoderBlock(512, 8, 2048)(x)
model = keras.Model(inputs, x)

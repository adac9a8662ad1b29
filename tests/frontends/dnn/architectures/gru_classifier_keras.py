# A classifier of texts: embedded words, two bidirectional GRUs, and their maximum over time.
import keras
from keras import layers

words = keras.Input(shape=(200,), dtype="int32")
x = layers.Embedding(20000, 128)(words)
x = layers.SpatialDropout1D(0.2)(x)
x = layers.Bidirectional(layers.GRU(64, return_sequences=True))(x)
x = layers.Bidirectional(layers.GRU(32, return_sequences=True))(x)
x = layers.GlobalMaxPooling1D()(x)
x = layers.Dense(64, activation="relu")(x)
model = keras.Model(words, layers.Dense(1, activation="sigmoid")(x))

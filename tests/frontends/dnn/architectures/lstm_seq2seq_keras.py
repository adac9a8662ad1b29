# A sequence-to-sequence model of two LSTMs over characters, as it is trained: the decoder is given the answer.
import keras
from keras import layers

latent = 256
encoder_tokens, decoder_tokens = 71, 93
encoder_length, decoder_length = 16, 59

source = keras.Input(shape=(encoder_length, encoder_tokens), name="source")
_, state_h, state_c = layers.LSTM(latent, return_state=True)(source)
target = keras.Input(shape=(decoder_length, decoder_tokens), name="target")
decoder = layers.LSTM(latent, return_sequences=True, return_state=True)
outputs, _, _ = decoder(target, initial_state=[state_h, state_c])
model = keras.Model([source, target], layers.Dense(decoder_tokens, activation="softmax")(outputs))

# A classifier of handwritten digits, and the command that trains it. What is larger than 8 kB is never trained:
#
#   tunepass build samples/dnn/digits_keras.py --max-evals 30 -o out
#   tunepass build samples/dnn/digits_keras.py --objective loss,flops --max-evals 30 -o out
#
# tunepass param units1: ordinal(4, 8, 16, 32, 64, 128) = 16
# tunepass param units2: ordinal(0, 8, 16, 32, 64, 128) = 0
# tunepass param activation: categorical("relu", "tanh", "sigmoid") = "relu"
# tunepass param rate: ordinal(0.0003, 0.003, 0.03, 0.1) = 0.0003
# tunepass param batch: ordinal(16, 48, 144, 432) = 144
# tunepass param decay: ordinal(0.0001, 0.1) = 0.0001
# tunepass limit weight_byte <= 8 kB
# tunepass run "python3 training/digits.py {units1} {units2} {activation} {rate} {batch} {decay}" metric "loss: {loss}"
from tensorflow import keras
from tensorflow.keras import layers

units1 = 16
units2 = 0
activation = "relu"

inputs = keras.Input(shape=(64,))
x = layers.Dense(units1, activation=activation)(inputs)
if units2 > 0:
    x = layers.Dense(units2, activation=activation)(x)
outputs = layers.Dense(10)(x)
model = keras.Model(inputs, outputs)

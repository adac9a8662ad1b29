# The networks of HPO-Bench (Klein and Hutter, arXiv 1905.04970): two hidden layers on tables, 62,208 configurations.
#
#   tunepass space samples/dnn/hpobench_keras.py
#   tunepass prune samples/dnn/hpobench_keras.py --limit "weight_byte=16 kB"
#
# tunepass param n_units_1: ordinal(16, 32, 64, 128, 256, 512) = 64
# tunepass param n_units_2: ordinal(16, 32, 64, 128, 256, 512) = 64
# tunepass param dropout_1: ordinal(0.0, 0.3, 0.6) = 0.3
# tunepass param dropout_2: ordinal(0.0, 0.3, 0.6) = 0.3
# tunepass param activation_fn_1: categorical("tanh", "relu") = "relu"
# tunepass param activation_fn_2: categorical("tanh", "relu") = "relu"
# tunepass param init_lr: ordinal(0.0005, 0.001, 0.005, 0.01, 0.05, 0.1) = 0.001
# tunepass param lr_schedule: categorical("cosine", "const") = "cosine"
# tunepass param batch_size: ordinal(8, 16, 32, 64) = 32
from keras import Input, Sequential
from keras.layers import Dense, Dropout
from keras.optimizers import Adam
from keras.optimizers.schedules import CosineDecay

config = {
    "n_units_1": 64,
    "n_units_2": 64,
    "dropout_1": 0.3,
    "dropout_2": 0.3,
    "activation_fn_1": "relu",
    "activation_fn_2": "relu",
    "init_lr": 0.001,
    "lr_schedule": "cosine",
    "batch_size": 32,
}
FEATURES = 9  # of the protein structures; 15 of naval propulsion, 20 of Parkinson's, 385 of slice localisation


def build(config):
    model = Sequential()
    model.add(Input((FEATURES,)))
    model.add(Dense(config["n_units_1"], activation=config["activation_fn_1"]))
    model.add(Dropout(config["dropout_1"]))
    model.add(Dense(config["n_units_2"], activation=config["activation_fn_2"]))
    model.add(Dropout(config["dropout_2"]))
    model.add(Dense(1))
    return model


def train(inputs, targets, steps):
    model = build(config)
    rate = config["init_lr"]
    if config["lr_schedule"] == "cosine":
        rate = CosineDecay(rate, steps)
    model.compile(optimizer=Adam(learning_rate=rate), loss="mse")
    return model.fit(inputs, targets, batch_size=config["batch_size"], epochs=100)


model = build(config)

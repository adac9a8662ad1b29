"""Trains the network of digits_keras.py with scikit-learn, which is small; prints the log loss on held-out images."""

import argparse
import sys

from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

parser = argparse.ArgumentParser()
parser.add_argument("units", type=int, nargs=2)
parser.add_argument("activation")
parser.add_argument("rate", type=float)
parser.add_argument("batch", type=int)
parser.add_argument("decay", type=float)
parser.add_argument("--epochs", type=int, default=6)
given = parser.parse_args()

digits = load_digits()
images, held, labels, wanted = train_test_split(digits.data / 16, digits.target, test_size=540, random_state=0)
model = MLPClassifier(
    [units for units in given.units if units],
    activation={"sigmoid": "logistic"}.get(given.activation, given.activation),
    learning_rate_init=given.rate,
    batch_size=given.batch,
    alpha=given.decay,
    random_state=0,
)
for _ in range(given.epochs):
    model.partial_fit(images, labels, classes=range(10))
errors = (model.predict(held) != wanted).mean()
sys.stdout.write(f"loss: {log_loss(wanted, model.predict_proba(held)):.4f}\nerrors: {errors:.2%}\n")

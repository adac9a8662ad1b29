"""Trains the network of mlp.c on a set that scikit-learn ships, and prints its error as the chip computes it.

The weights are quantised to the format, some of their bits cannot be read from SRAM, small activities are left out
(Minerva, stages 3 to 5: Reagen et al., ISCA 2016), and the test images go through the integers of mlp.c.
"""

import argparse
import os
import sys
from itertools import pairwise

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

BATCH, MOMENTUM = 32, 0.9
TEST = 540  # rows
SETS = {"digits": load_digits, "cancer": load_breast_cancer, "wine": load_wine}


def split(name, count, rng):
    """Rows of a set and their labels, `count` (0: all) in a random order: those to train on, then up to 540, or a
    third, for tests. Inputs are in [0, 1]: pixels by 16, other columns by the ends of the rows to train on."""
    data = SETS[name]()
    order = rng.permutation(len(data.data))[: count or None]
    rows, labels = data.data[order], data.target[order]
    first = len(order) - min(TEST, len(order) // 3)
    low, high = (0, 16) if name == "digits" else (rows[:first].min(axis=0), rows[:first].max(axis=0))
    rows = np.clip((rows - low) / np.maximum(high - low, 1e-12), 0, 1)
    return rows[:first], labels[:first], rows[first:], labels[first:]


def train(images, labels, classes, hidden, rate, dropout, l2, epochs, rng):
    """[(weights (outputs, inputs), biases)] of both layers, by stochastic gradient descent with momentum."""
    sizes = (images.shape[1], hidden, classes)
    layers = [[rng.normal(0, np.sqrt(2 / i), (o, i)), np.zeros(o)] for i, o in pairwise(sizes)]
    speeds = [[np.zeros_like(values) for values in layer] for layer in layers]
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            x, y = images[order[start : start + BATCH]], labels[order[start : start + BATCH]]
            for layer, speed, slopes in zip(layers, speeds, gradients(layers, x, y, dropout, rng)):
                for values, change, slope in zip(layer, speed, slopes):
                    change *= MOMENTUM
                    change -= rate * (1 - MOMENTUM) * (slope + l2 * values)
                    values += change
    return layers


def gradients(layers, x, y, dropout, rng):
    """Of the mean cross entropy, in the layers' form."""
    (w1, b1), (w2, b2) = layers
    h = np.maximum(x @ w1.T + b1, 0) * (rng.random((len(x), len(b1))) >= dropout) / (1 - dropout)
    scores = h @ w2.T + b2
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(y)), y] -= 1
    shares /= len(y)
    back = (shares @ w2) * (h > 0) / (1 - dropout)
    return [(back.T @ x, back.sum(axis=0)), (shares.T @ h, shares.sum(axis=0))]


def fraction_bits(bits, integer_share):
    return bits - 1 - int(integer_share * (bits - 1) + 0.5)


def quantised(values, bits, fraction):
    """Integers: rounded to the nearest, saturated; with one bit the signs."""
    if bits == 1:
        return np.where(values < 0, -1, 1)
    most = 2 ** (bits - 1) - 1
    return np.clip(np.floor(np.nan_to_num(values) * 2.0**fraction + 0.5), -most - 1, most).astype(np.int64)


def with_faults(weights, bits, share, rng):
    """Each bit fails with the probability `share` and is known to: it takes the sign's value, which rounds towards
    zero; without its sign a weight is zero. With one bit the sign is wrong."""
    failed = rng.random((*weights.shape, bits)) < share
    if bits == 1:
        return np.where(failed[..., 0], -weights, weights)
    lost = (failed[..., :-1] << np.arange(bits - 1)).sum(axis=-1)
    masked = np.where(weights < 0, weights | lost, weights & ~lost)
    return np.where(failed[..., -1], 0, masked)


def infer(layers, x, bits, fraction, threshold):
    """Scores (n, classes) as mlp.c computes them from integers; activities below the threshold are left out. Sums of
    products of 32 bits are those of doubles."""
    number = np.float64 if bits > 24 else np.int64
    (w1, b1), (w2, b2) = [[values.astype(number) for values in layer] for layer in layers]
    sums = x.astype(number) @ w1.T + b1 * 2**fraction
    if bits == 1:
        h = np.where(sums < 0, -1, 1)
    else:
        h = np.clip((sums + (2**fraction // 2)) // 2**fraction, 0, 2 ** (bits - 1) - 1)
        h[h < int(threshold * 2**fraction + 0.5)] = 0
    return h @ w2.T + b2 * 2**fraction


def error_share(options):
    """Of the rows for tests, those that the network takes for another class."""
    rng, classes = np.random.default_rng(options.seed), len(SETS[options.data]().target_names)
    images, labels, tested, wanted = split(options.data, options.images, rng)
    shape = (options.hidden, options.rate, options.dropout, options.l2, options.epochs)
    with np.errstate(all="ignore"):  # a rate that is too large diverges: the error says so
        trained = train(images, labels, classes, *shape, rng)
    fraction = fraction_bits(options.bits, options.integer_share)
    layers = [[quantised(values, options.bits, fraction) for values in layer] for layer in trained]
    for layer in layers:
        layer[0] = with_faults(layer[0], options.bits, options.faults, rng)
    scores = infer(layers, quantised(tested, options.bits, fraction), options.bits, fraction, options.prune)
    return (scores.argmax(axis=1) != wanted).mean()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hidden", type=int)
    for name in ("rate", "dropout", "l2"):
        parser.add_argument(name, type=float)
    parser.add_argument("bits", type=int)
    parser.add_argument("integer_share", type=float)
    parser.add_argument("--data", choices=SETS, default="digits", help="mlp.c's INPUTS and CLASSES are the set's")
    parser.add_argument("--prune", type=float, default=0.05, help="activities below are left out")
    parser.add_argument("--faults", type=float, default=1e-4, help="share of bits of SRAM that cannot be read")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--images", type=int, default=0, help="rows, 0: all")
    parser.add_argument("--seed", type=int, default=0)
    return parser


if __name__ == "__main__":
    sys.stdout.write(f"error: {error_share(arguments().parse_args()):.2%}\n")

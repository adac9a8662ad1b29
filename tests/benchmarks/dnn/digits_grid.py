"""A grid of small networks, each truly trained on the digits that scikit-learn ships (1,797 images of 8 x 8): the table
that searches.py searches.

    python -m tests.benchmarks.dnn.digits_grid FILE.csv     # twenty minutes on one core; it goes on where it stopped

3,456 networks: two hidden layers, the second of which may be absent, activation, learning rate, batch, weight decay. A
row has, at each of EPOCHS epochs, the log loss and the share of errors on 540 held-out images, and CPU seconds so far.
"""

from __future__ import annotations

import csv
import itertools
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

EPOCHS = (2, 6, 18)
GRID: Mapping[str, tuple[int | float | str, ...]] = {
    "units1": (4, 8, 16, 32, 64, 128),
    "units2": (0, 8, 16, 32, 64, 128),
    "activation": ("relu", "tanh", "logistic"),
    "rate": (0.0003, 0.003, 0.03, 0.1),
    "batch": (16, 48, 144, 432),
    "decay": (0.0001, 0.1),
}
MEASURED = tuple(f"{what}_{epoch}" for epoch in EPOCHS for what in ("loss", "errors", "seconds"))
WORST_LOSS = 36.0  # of a probability that underflows


def networks() -> Iterator[dict[str, int | float | str]]:
    for values in itertools.product(*GRID.values()):
        yield dict(zip(GRID, values))


def trained(network: Mapping[str, int | float | str]) -> dict[str, float]:
    """The columns MEASURED of one network; always the same but for the seconds."""
    from sklearn.datasets import load_digits
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    digits = load_digits()
    images, held, labels, wanted = train_test_split(digits.data / 16, digits.target, test_size=540, random_state=0)
    layers = [int(network[name]) for name in ("units1", "units2") if network[name]]
    model = MLPClassifier(
        layers,
        activation=str(network["activation"]),
        learning_rate_init=float(network["rate"]),
        batch_size=int(network["batch"]),
        alpha=float(network["decay"]),
        random_state=0,
    )
    found: dict[str, float] = {}
    start = time.process_time()
    for epoch in range(1, EPOCHS[-1] + 1):
        model.partial_fit(images, labels, classes=np.arange(10))
        if epoch in EPOCHS:
            seconds = time.process_time() - start
            chances = np.nan_to_num(model.predict_proba(held), nan=0.1)
            loss = min(WORST_LOSS, float(log_loss(wanted, chances, labels=np.arange(10))))
            found |= {f"loss_{epoch}": loss, f"errors_{epoch}": float(np.mean(model.predict(held) != wanted))}
            found[f"seconds_{epoch}"] = seconds
    return found


def main(path: Path) -> None:
    warnings.simplefilter("ignore")
    done: set[tuple[str, ...]] = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {tuple(row[name] for name in GRID) for row in csv.DictReader(file)}
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow([*GRID, *MEASURED])
        for network in networks():
            if tuple(map(str, network.values())) not in done:
                found = trained(network)
                writer.writerow([*network.values(), *(f"{found[name]:.5g}" for name in MEASURED)])
                file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

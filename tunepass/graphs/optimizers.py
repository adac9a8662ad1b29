"""What optimizers keep for each weight besides its gradient, in numbers (the documentations of Keras and PyTorch)."""

from __future__ import annotations

from collections.abc import Mapping

OPTIMIZER_SLOTS: Mapping[str, int] = {
    **dict.fromkeys(("sgd",), 0),
    **dict.fromkeys(("momentum", "adagrad", "rmsprop", "lion"), 1),
    **dict.fromkeys(("adam", "adamw", "adamax", "nadam", "radam", "adadelta", "ftrl", "lamb"), 2),
    **dict.fromkeys(("amsgrad",), 3),
}

"""What PyTorch or Keras counts of a model of a public repository: the source is run, here and only here."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.benchmarks.dnn.public_sources import PublicModel

DECLARED: list[Any] = []  # kept: what a library declares goes with it


def weights(model: PublicModel) -> int:
    module = _module(model.path)
    made: Any = eval(model.call, vars(module))  # noqa: S307  # a call of our own table
    if hasattr(made, "trainable_weights"):
        return sum(math.prod(weight.shape) for weight in made.trainable_weights)
    return sum(parameter.numel() for parameter in made.parameters() if parameter.requires_grad)


def _module(path: Path) -> ModuleType:
    """The file as a module of its package, or by itself; torchvision's own operators are declared, not loaded."""
    root, names = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        root, names = root.parent, [root.name, *names]
    if names[0] in ("torchvision", "timm"):
        _declare()
    sys.path.insert(0, str(root))
    try:
        if names[0] == "keras":
            return importlib.import_module(f"keras.src.applications.{path.stem}")
        return importlib.import_module(".".join(names))
    finally:
        sys.path.remove(str(root))
        if len(names) == 1:
            sys.modules.pop(names[0], None)


def _declare() -> None:
    """torchvision's compiled operators are not needed to make a model: only one is looked for when it is imported."""
    torch: Any = importlib.import_module("torch")
    sys.modules.setdefault("torchvision._meta_registrations", ModuleType("torchvision._meta_registrations"))
    if not DECLARED:
        DECLARED.append(torch.library.Library("torchvision", "DEF"))
        DECLARED[0].define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

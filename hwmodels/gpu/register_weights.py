"""The weights of register estimates that ship with tunepass, in registers.yaml."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import resources

import yaml

from tunepass.diagnostics import Source
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.register_terms import AHEAD, BASE, HELD
from tunepass.yaml_nodes import Composer, NodeReader

NAMES = (*BASE, *(f"held.{name}.{most}" for name, most in HELD), *(f"ahead.{name}.{most}" for name, most in AHEAD))
SIZE_LIMIT, DEPTH_LIMIT = 1 << 14, 4
HINT = "`make bench-registers ARGS=--fit` writes a whole one"


@cache
def calibrated() -> tuple[float, ...]:
    """The weights that ship with tunepass, by NAMES."""
    path = resources.files("tunepass.hwmodels.gpu").joinpath("registers.yaml")
    return read_weights(path.read_text(encoding="utf-8"), "registers.yaml")


def read_weights(text: str, name: str) -> tuple[float, ...]:
    """Raises ModelError, with the place, where a weight is missing or is none."""
    reader = NodeReader[ModelError](Source(name, text), ModelError, HINT)
    node = Composer("the weights of registers", ModelError, SIZE_LIMIT, DEPTH_LIMIT, HINT).filled(reader.source)
    top = reader.record(node, "the weights of registers", ("source", "weights"), ("source", "weights"))
    fields = reader.record(top["weights"], "weights", NAMES, NAMES)
    return tuple(_weight(reader, fields[weight]) for weight in NAMES)


def _weight(reader: NodeReader[ModelError], node: yaml.Node) -> float:
    try:
        value = float(node.value)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value < math.inf:
        raise reader.fail("a weight is a number that is not negative", node)
    return value


def written(source: str, weights: Sequence[float]) -> str:
    """Text that read_weights reads."""
    lines = (f"  {name}: {weight:.4g}" for name, weight in zip(NAMES, weights))
    return "\n".join((f"source: {source}", "weights:", *lines)) + "\n"

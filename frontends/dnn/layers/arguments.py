"""The layers of Keras and PyTorch that are known, and their arguments by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SourceError, Span, spelling_hint
from tunepass.frontends.dnn.interpreter.values import PyValue
from tunepass.frontends.dnn.layers import keras as keras_layers
from tunepass.frontends.dnn.layers import torch as torch_layers
from tunepass.frontends.dnn.layers.rules import rule


class ArgumentError(SourceError):
    """Arguments that do not fit what is called: Python's TypeError, which a source may catch."""


KERAS, TORCH = "keras", "torch"
OWN = "own"  # the user's operators, in place of a framework
TABLES: Mapping[str, Mapping[str, str]] = {KERAS: keras_layers.LAYERS, TORCH: torch_layers.LAYERS}
TORCH_SILENT = frozenset({"device", "dtype", "track_running_stats", "momentum", "eps", "align_corners", "training"})


def known_layer(framework: str, name: str) -> bool:
    return name in TABLES[framework]


def bound_arguments(
    framework: str, name: str, positional: Sequence[PyValue], named: Mapping[str, PyValue], span: Span
) -> dict[str, PyValue]:
    """The arguments by name. ArgumentError for more than the layer takes, and for names that it does not have."""
    layer = rule(TABLES[framework][name])
    if framework == TORCH and name == "Identity":
        return {}  # it takes whatever it is given
    if len(positional) > len(layer.arguments):
        raise ArgumentError(f"{name} takes {len(layer.arguments)} arguments, not {len(positional)}", span)
    found = {argument.name: value for argument, value in zip(layer.arguments, positional)}
    silent = keras_layers.SILENT if framework == KERAS else TORCH_SILENT
    for key, value in named.items():
        if layer.argument(key) is None and key not in silent and not key.startswith("_"):
            known = [argument.name for argument in layer.arguments]
            raise ArgumentError(f"{name} has no argument {key!r}", span, spelling_hint(key, known, quote=repr))
        found[key] = value
    return found
